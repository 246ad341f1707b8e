package hostfs

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pciatlas/internal/facts"
	"pciatlas/internal/pci"
)

func address(t testing.TB, s string) pci.Address {
	t.Helper()
	a, err := pci.ParseAddress(s)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// function gives the files of one function.
func function(name, vendor, device, class string, more map[string]string) map[string]string {
	files := map[string]string{}
	maps.Copy(files, more)
	maps.Copy(files, map[string]string{"vendor": vendor + "\n", "device": device + "\n", "class": class + "\n"})
	full := map[string]string{}
	for file, text := range files {
		full[devicesFolder+"/"+name+"/"+file] = text
	}
	return full
}

func devicesOf(t testing.TB, root string, change ...func(*Options)) facts.Read[[]facts.Device] {
	t.Helper()
	snapshot := mustRead(t, root, change...)
	checkJSON(t, snapshot)
	return snapshot.Nodes[localOf(snapshot.Members.Value)].Devices
}

func TestDeviceFacts(t *testing.T) {
	folder := devicesFolder + "/0000:41:00.0/"
	files := function("0000:41:00.0", "0x10de", "0x2204", "0x030000", map[string]string{
		"subsystem_vendor": "0x0000\n", "subsystem_device": "0x0000\n", "numa_node": "1\n", "boot_vga": "1\n",
		"reset": "", "reset_method": "flr bus\n", "current_link_speed": "8.0 GT/s PCIe\n", "current_link_width": "8\n",
		"max_link_speed": "16.0 GT/s PCIe\n", "max_link_width": "16\n",
	})
	root := tree{Files: files, Links: map[string]string{
		folder + "iommu_group": "../../../../kernel/iommu_groups/0", folder + "driver": "/absolute/odd/../vfio-pci",
		folder + "virtfn0": "../0000:41:00.5", folder + "virtfn10": "../0000:41:01.0", folder + "virtfn2": "../0000:41:00.4",
	}, Dirs: []string{folder + "pci_bus"}}
	read := devicesOf(t, root.write(t))
	group := 0
	want := facts.Device{
		Address: address(t, "0000:41:00.0"),
		IDs:     pci.IDs{Pair: pci.Pair{Vendor: 0x10de, Device: 0x2204}, Subsystem: &pci.Pair{}},
		Class:   0x030000,
		Names:   pci.Names{Vendor: "NVIDIA Corporation", Device: "GA102 [GeForce RTX 3090]", Class: "VGA compatible controller"},
		Group:   facts.Told(&group),
		Mdev:    facts.Told(false),
		Parent:  facts.Told[*pci.Address](nil),
		VFs:     facts.Told([]pci.Address{address(t, "0000:41:00.4"), address(t, "0000:41:00.5"), address(t, "0000:41:01.0")}),
		Host: &facts.HostDevice{
			Driver: "vfio-pci", BusBelow: true, BootDisplay: facts.Told(true), NUMA: facts.Told(1), Reset: true,
			ResetMethods: []string{"flr", "bus"},
			Link:         facts.Link{Speed: "8.0 GT/s PCIe", Width: 8, MaxSpeed: "16.0 GT/s PCIe", MaxWidth: 16},
		},
	}
	if diff := cmp.Diff([]facts.Device{want}, read.Value); diff != "" {
		t.Error(diff)
	}
	if read.State != facts.OK || read.Got != 1 || read.Total != 1 || read.Stamp.Source != facts.SourceHost {
		t.Errorf("%+v", read)
	}
}

func TestDeviceWithoutFacts(t *testing.T) {
	root := tree{Files: function("10000:e1:00.0", "0x8086", "0x0a54", "0x060400", map[string]string{
		"boot_vga": "1\n", "subsystem_vendor": "0x8086\n", "numa_node": "none\n", "reset_method": "\n",
		"current_link_speed": "Unknown\n", "current_link_width": "0\n", "max_link_speed": "Unknown speed\n", "max_link_width": "255\n",
	})}
	read := devicesOf(t, root.write(t))
	if read.State != facts.OK || len(read.Value) != 1 {
		t.Fatalf("%+v", read)
	}
	device := read.Value[0]
	if device.IDs.Subsystem != nil || !device.Group.Told || device.Group.Value != nil || !device.Parent.Told ||
		!device.VFs.Told || device.VFs.Value == nil || len(device.VFs.Value) != 0 {
		t.Errorf("%+v", device)
	}
	// A bridge without the folder pci_bus in its tree has one all the same.
	if diff := cmp.Diff(facts.HostDevice{BusBelow: true}, *device.Host); diff != "" {
		t.Error(diff)
	}
}

func TestDevicesSorted(t *testing.T) {
	files := map[string]string{}
	names := []string{"0000:00:1f.3", "0000:02:00.0", "0000:10:00.0", "0000:a0:00.0", "ffff:00:00.0", "10000:e1:00.0"}
	for _, name := range names {
		maps.Copy(files, function(name, "0x1002", "0x73bf", "0x120000", nil))
	}
	var got []string
	for _, device := range devicesOf(t, tree{Files: files}.write(t)).Value {
		got = append(got, device.Address.String())
	}
	if diff := cmp.Diff(names, got); diff != "" {
		t.Error(diff)
	}
}

func TestDevicesUnreadable(t *testing.T) {
	good := function("0000:01:00.0", "0x10de", "0x2504", "0x030000", nil)
	bad := devicesFolder + "/0000:02:00.0"
	with := func(files map[string]string) tree { return tree{Files: good}.add(files) }
	complete := function("0000:02:00.0", "0x10de", "0x2504", "0x030000", nil)
	for name, c := range map[string]struct {
		tree    tree
		faults  map[string]error
		code    string
		subject string
		count   int
		untold  bool
	}{
		"bad name":        {with(map[string]string{devicesFolder + "/0000:1:00.0/vendor": ""}), nil, facts.ProblemMalformed, devicesFolder + "/0000:1:00.0", 1, false},
		"upper case":      {with(map[string]string{devicesFolder + "/0000:0A:00.0/vendor": ""}), nil, facts.ProblemMalformed, devicesFolder + "/0000:0A:00.0", 1, false},
		"a file":          {with(map[string]string{bad: ""}), nil, facts.ProblemMalformed, bad, 1, false},
		"bad vendor":      {with(function("0000:02:00.0", "10", "0x1", "0x030000", nil)), nil, facts.ProblemMalformed, bad + "/vendor", 1, false},
		"bad class":       {with(function("0000:02:00.0", "0x10de", "0x2504", "display", nil)), nil, facts.ProblemMalformed, bad + "/class", 1, false},
		"no device":       {with(map[string]string{bad + "/vendor": "0x10de", bad + "/class": "0x030000"}), nil, facts.ProblemMissing, bad + "/device", 1, false},
		"link nowhere":    {with(nil).link(bad, "../../../devices/gone"), nil, facts.ProblemMissing, bad, 1, false},
		"link outside":    {with(nil).link(bad, "../../../../../../x"), nil, facts.ProblemOutside, bad, 1, false},
		"permission":      {with(complete), map[string]error{bad + "/vendor": syscall.EACCES}, facts.ProblemPermission, bad + "/vendor", 1, false},
		"io":              {with(complete), map[string]error{bad: syscall.EIO}, facts.ProblemIO, bad, 1, false},
		"odd group":       {with(complete).link(bad+"/iommu_group", "x/none"), nil, facts.ProblemMalformed, bad + "/iommu_group", 2, false},
		"group no link":   {with(complete).add(map[string]string{bad + "/iommu_group/name": ""}), nil, facts.ProblemMalformed, bad + "/iommu_group", 2, false},
		"odd parent":      {with(complete).link(bad+"/physfn", "../pci0000:00"), nil, facts.ProblemMalformed, bad + "/physfn", 2, true},
		"odd function":    {with(complete).link(bad+"/virtfn0", "/"), nil, facts.ProblemMalformed, bad + "/virtfn0", 2, true},
		"odd driver":      {with(complete).link(bad+"/driver", "../.."), nil, facts.ProblemMalformed, bad + "/driver", 2, false},
		"odd subsystem":   {with(complete).add(map[string]string{bad + "/subsystem_vendor": "x", bad + "/subsystem_device": "0x0001"}), nil, facts.ProblemMalformed, bad + "/subsystem_vendor", 2, false},
		"huge":            {with(function("0000:02:00.0", strings.Repeat("0", 5000), "0x1", "0x030000", nil)), nil, facts.ProblemTooLarge, bad + "/vendor", 1, false},
		"unreadable link": {with(complete).link(bad+"/physfn", "../0000:01:00.0"), map[string]error{bad + "/physfn": syscall.EACCES}, facts.ProblemPermission, bad + "/physfn", 2, true},
	} {
		t.Run(name, func(t *testing.T) {
			read := devicesOf(t, c.tree.write(t), faulty(c.faults))
			state := facts.Partial
			if c.untold {
				state = facts.OK
			}
			if read.State != state || len(read.Value) != c.count {
				t.Fatalf("%v, %d devices", read.State, len(read.Value))
			}
			if p := read.Problems[0]; p.Code != c.code || p.Subject != c.subject || !strings.HasPrefix(p.Message, c.subject+" ") {
				t.Errorf("%+v", read.Problems)
			}
			if c.count == 2 {
				odd := read.Value[1]
				told := map[string]bool{
					"iommu_group": odd.Group.Told, "physfn": odd.Parent.Told, "virtfn0": odd.VFs.Told,
					"driver": odd.Host.Driver != "", "subsystem_vendor": odd.IDs.Subsystem != nil,
				}
				if told[filepath.Base(c.subject)] {
					t.Errorf("told all the same: %+v", odd)
				}
			} else if read.Total != 2 {
				t.Errorf("total %d", read.Total)
			}
		})
	}
}

func TestDevicesFailed(t *testing.T) {
	none := node()
	maps.DeleteFunc(none.Files, func(name, _ string) bool { return strings.HasPrefix(name, "sys/") })
	maps.DeleteFunc(none.Links, func(name, _ string) bool { return strings.HasPrefix(name, "sys/") })
	none.Dirs = nil
	for name, c := range map[string]struct {
		tree   tree
		faults map[string]error
		code   string
	}{
		"no sysfs":   {none, nil, facts.ProblemMissing},
		"permission": {node(), map[string]error{devicesFolder: syscall.EACCES}, facts.ProblemPermission},
		"outside":    {none.link(devicesFolder, "/sys/bus/pci/devices"), nil, facts.ProblemOutside},
		"a file":     {none.add(map[string]string{devicesFolder: ""}), nil, facts.ProblemMalformed},
	} {
		t.Run(name, func(t *testing.T) {
			read := devicesOf(t, c.tree.write(t), faulty(c.faults))
			if read.State != facts.Failed || read.Problems[0].Code != c.code || read.Problems[0].Subject != devicesFolder {
				t.Errorf("%+v", read)
			}
		})
	}
	empty := none
	empty.Dirs = []string{devicesFolder}
	if read := devicesOf(t, empty.write(t)); read.State != facts.OK || read.Value == nil {
		t.Errorf("no device at all: %+v", read)
	}
}

// TestDevicesUnplugged: a function that is gone when it is read was unplugged.
func TestDevicesUnplugged(t *testing.T) {
	bad := devicesFolder + "/0000:02:00.0"
	for _, when := range []string{bad, bad + "/device", bad + "/subsystem_device"} {
		root := tree{Files: function("0000:01:00.0", "0x10de", "0x2504", "0x030000", nil)}.add(
			function("0000:02:00.0", "0x10de", "0x2504", "0x030000", map[string]string{"subsystem_vendor": "x", "subsystem_device": "y"})).write(t)
		read := devicesOf(t, root, func(o *Options) {
			o.fault = func(path string) error {
				if path == when {
					return os.RemoveAll(filepath.Join(root, bad))
				}
				return nil
			}
		})
		if read.State != facts.OK || len(read.Value) != 1 || read.Total != 1 {
			t.Errorf("unplugged before %s: %+v", when, read)
		}
	}
}

// TestDevicesAsInSysfs: in real sysfs the folders of functions are links into the
// tree of buses.
func TestDevicesAsInSysfs(t *testing.T) {
	card := "sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0/"
	root := tree{
		Files: map[string]string{card + "vendor": "0x10de", card + "device": "0x2504", card + "class": "0x030000", card + "mdev_supported_types/nvidia-1/available_instances": "2"},
		Links: map[string]string{
			devicesFolder + "/0000:01:00.0": "../../../devices/pci0000:00/0000:00:01.0/0000:01:00.0",
			card + "iommu_group":            "../../../../kernel/iommu_groups/7",
			card + "driver":                 "../../../../bus/pci/drivers/nvidia",
		},
	}.write(t)
	read := devicesOf(t, root)
	if read.State != facts.OK || *read.Value[0].Group.Value != 7 || read.Value[0].Host.Driver != "nvidia" ||
		read.Value[0].Host.MdevTypes[0].Available != 2 {
		t.Errorf("%+v", read)
	}
}
