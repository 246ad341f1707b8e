package doctor_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pciatlas/internal/atlas"
	"pciatlas/internal/doctor"
	"pciatlas/internal/facts"
	"pciatlas/internal/pci"
	"pciatlas/internal/pve"
)

// world is a node with a card at 0000:01:00, another at 0000:02:00, one that gives mediated
// devices at 0000:03:00.0 and a disk; VM 100 is looked at, VM 101 is another.
type world struct {
	*facts.Snapshot

	node  *facts.Node
	files bool // read on the node
}

func newWorld(files bool) *world {
	w := &world{files: files, node: &facts.Node{Devices: facts.Read[[]facts.Device]{State: facts.OK}, VMs: map[int]facts.Read[facts.VMConfig]{}}}
	w.Snapshot = &facts.Snapshot{
		Schema: facts.Schema, Cluster: "lab", Nodes: map[string]*facts.Node{"pve-a": w.node},
		Members:  facts.Read[[]facts.Member]{State: facts.OK, Value: []facts.Member{{Name: "pve-a", Online: facts.Told(true)}}},
		Guests:   facts.Read[[]facts.Guest]{State: facts.OK},
		Mappings: facts.Read[[]pve.Mapping]{State: facts.OK},
		Files: facts.Read[facts.ClusterFiles]{State: facts.OK, Value: facts.ClusterFiles{
			Populated: true, Mounted: true, Quorate: facts.Told(true),
		}},
	}
	for i, d := range []struct {
		address pci.Address
		class   pci.Class
		group   int
	}{
		{pci.Address{Bus: 1}, 0x030000, 1},
		{pci.Address{Bus: 1, Function: 1}, 0x040300, 1},
		{pci.Address{Bus: 2}, 0x030000, 2},
		{pci.Address{Bus: 3}, 0x030200, 3},
		{pci.Address{Bus: 4}, 0x010802, 4},
	} {
		device := facts.Device{
			Address: d.address, Class: d.class, IDs: pci.IDs{Pair: pci.Pair{Vendor: 0x10de, Device: pci.ID(0x2204 + i)}}, Group: facts.Told(&d.group),
			Mdev: facts.Told(d.address.Bus == 3), Parent: facts.Told[*pci.Address](nil), VFs: facts.Told([]pci.Address{}),
		}
		types := []facts.MdevType{{Type: "nvidia-63", Available: 1}, {Type: "nvidia-64"}}
		if d.address.Bus != 3 {
			types = nil
		}
		if files {
			device.Host = &facts.HostDevice{Driver: "vfio-pci", ResetMethods: []string{"flr"}, MdevTypes: types, BootDisplay: facts.Told(false)}
		} else if types != nil {
			w.node.MdevTypes = map[string]facts.Read[[]facts.MdevType]{d.address.String(): {State: facts.OK, Value: types}}
		}
		w.node.Devices.Value = append(w.node.Devices.Value, device)
	}
	if files {
		w.node.IOMMU = facts.Read[facts.IOMMU]{State: facts.OK, Value: facts.IOMMU{Present: true}}
	}
	w.vm(100, facts.Stopped, "0000:01:00,pcie=1")
	return w
}

// vm sets a VM with its lines.
func (w *world) vm(vmid int, status facts.Status, lines ...string) {
	w.Guests.Value = slices.DeleteFunc(w.Guests.Value, func(g facts.Guest) bool { return g.VMID == vmid })
	w.Guests.Value = append(w.Guests.Value, facts.Guest{VMID: vmid, Kind: facts.QEMU, Node: "pve-a", Status: status, Template: facts.Told(false)})
	machine := "q35"
	items := []pve.Item{{Key: "machine", Current: &machine}}
	for slot, line := range lines {
		items = append(items, pve.Item{Key: pve.SlotKey(slot), Current: &line})
	}
	w.node.VMs[vmid] = facts.Read[facts.VMConfig]{State: facts.OK, Value: facts.ReduceVM(items)}
}

// set sets an option of VM 100.
func (w *world) set(key, value string) {
	read := w.node.VMs[100]
	items := append(slices.Clone(read.Value.Items), pve.Item{Key: key, Current: &value})
	items = slices.DeleteFunc(items, func(i pve.Item) bool { return i.Key == key && *i.Current != value })
	read.Value = facts.ReduceVM(items)
	w.node.VMs[100] = read
}

func (w *world) device(bus, function uint8) *facts.Device {
	for i := range w.node.Devices.Value {
		if d := &w.node.Devices.Value[i]; d.Address.Bus == bus && d.Address.Function == function {
			return d
		}
	}
	panic(fmt.Sprint(bus, function))
}

// mapping adds a mapping with an entry for each text.
func (w *world) mapping(id string, entries ...string) {
	mapping := pve.Mapping{ID: id}
	for _, text := range entries {
		entry, err := pve.ParseEntry(text)
		if err != nil {
			panic(err)
		}
		mapping.Entries = append(mapping.Entries, entry)
	}
	w.Mappings.Value = append(w.Mappings.Value, mapping)
}

const second = "id=10de:2206,iommugroup=2,node=pve-a,path=0000:02:00.0"

// broken are worlds with what a good colleague would name first. only: what only files
// tell is not a cause over the API.
var broken = []struct {
	name    string
	spoil   func(*world)
	check   doctor.CheckCode
	reading string
	only    bool
}{
	{"nothing", func(*world) {}, "", "", false},
	{"no IOMMU", func(w *world) {
		for i := range w.node.Devices.Value {
			w.node.Devices.Value[i].Group = facts.Told[*int](nil)
		}
		w.node.IOMMU.Value.Present = false
	}, doctor.CheckIOMMU, "", false},
	{"the card is gone", func(w *world) { w.vm(100, facts.Stopped, "0000:05:00") }, doctor.CheckDevices, "absent", false},
	{"one function is gone", func(w *world) { w.vm(100, facts.Stopped, "0000:01:00.0;0000:01:00.2") }, doctor.CheckDevices, "absent", false},
	{"one device has no group", func(w *world) { w.device(1, 0).Group = facts.Told[*int](nil) }, doctor.CheckGroups, "no_group", false},
	{"a disk of the host in the group", func(w *world) {
		one := 1
		disk := w.device(4, 0)
		disk.Group = facts.Told(&one)
		if disk.Host != nil {
			disk.Host.Driver = "nvme"
			disk.Host.Uses = facts.Told([]facts.Use{{Kind: facts.UseStorage, Name: "/", Through: "/dev/nvme0n1p2", File: "proc/mounts"}})
		}
	}, doctor.CheckGroups, "group_takes_used", true},
	{"kept by the host's driver", func(w *world) {
		w.vm(100, facts.Stopped, "0000:02:00.0,driver=keep")
		if host := w.device(2, 0).Host; host != nil {
			host.Driver = "nouveau"
		}
	}, doctor.CheckDriver, "kept_unbound", true},
	{"kept without a driver", func(w *world) {
		w.vm(100, facts.Stopped, "0000:02:00.0,driver=keep")
		if host := w.device(2, 0).Host; host != nil {
			host.Driver = ""
		}
	}, doctor.CheckDriver, "kept_no_driver", true},
	{"the boot display", func(w *world) {
		if host := w.device(1, 0).Host; host != nil {
			host.Driver, host.BootDisplay = "simple-framebuffer", facts.Told(true)
		}
	}, doctor.CheckDriver, "boot_display", true},
	{"no such mapping", func(w *world) { w.vm(100, facts.Stopped, "mapping=gpu") }, doctor.CheckMapping, "mapping_not_found", false},
	{"the mapping in another case", func(w *world) { w.mapping("GPU", second); w.vm(100, facts.Stopped, "mapping=gpu") }, doctor.CheckMapping, "mapping_not_found", false},
	{"a mapping of another node", func(w *world) {
		w.mapping("gpu", strings.Replace(second, "pve-a", "pve-b", 1))
		w.vm(100, facts.Stopped, "mapping=gpu")
	}, doctor.CheckMapping, "mapping_no_entry", false},
	{"other ids", func(w *world) {
		w.mapping("gpu", strings.Replace(second, "2206", "1b06", 1))
		w.vm(100, facts.Stopped, "mapping=gpu")
	}, doctor.CheckMapping, "entry_invalid", false},
	{"another group", func(w *world) {
		w.mapping("gpu", strings.Replace(second, "iommugroup=2", "iommugroup=02", 1))
		w.vm(100, facts.Stopped, "mapping=gpu")
	}, doctor.CheckMapping, "entry_invalid", false},
	{"a second entry that does not fit", func(w *world) {
		w.mapping("gpu", second, "id=10de:2204,node=pve-a,path=0000:01:00.0")
		w.vm(100, facts.Stopped, "mapping=gpu")
	}, doctor.CheckMapping, "entry_invalid", false},
	{"no q35", func(w *world) { w.set("machine", "pc") }, doctor.CheckConfig, "refused", false},
	{"address and mapping", func(w *world) { w.mapping("gpu", second); w.vm(100, facts.Stopped, "0000:01:00,mapping=gpu") }, doctor.CheckConfig, "refused", false},
	{"legacy-igd with q35", func(w *world) { w.vm(100, facts.Stopped, "0000:01:00.0,legacy-igd=1") }, doctor.CheckConfig, "refused", false},
	{"one function twice", func(w *world) { w.vm(100, facts.Stopped, "0000:01:00", "0000:01:00.1") }, doctor.CheckConfig, "start_refused", false},
	{"two slots and one device", func(w *world) {
		w.mapping("gpu", second, strings.Replace(second, "path", "description=again,path", 1))
		w.vm(100, facts.Stopped, "mapping=gpu", "mapping=gpu")
	}, doctor.CheckConfig, "start_refused", false},
	{"locked", func(w *world) { w.set("lock", "backup") }, doctor.CheckConfig, "locked", false},
	{"a template", func(w *world) { w.Guests.Value[0].Template = facts.Told(true) }, doctor.CheckConfig, "template", false},
	{"another VM runs with it", func(w *world) { w.vm(101, facts.Running, "01:00.0") }, doctor.CheckHeld, "held", false},
	{"another VM runs with its sound", func(w *world) {
		w.vm(100, facts.Stopped, "0000:01:00.0")
		w.vm(101, facts.Running, "01:00.1")
	}, doctor.CheckHeld, "group_held", false},
	{"no instance left", func(w *world) { w.vm(100, facts.Stopped, "0000:03:00.0,mdev=nvidia-64") }, doctor.CheckHeld, "mdev_exhausted", false},
	{"one instance for two", func(w *world) { w.vm(100, facts.Stopped, "0000:03:00.0,mdev=nvidia-63", "0000:03:00.0,mdev=nvidia-63") }, doctor.CheckHeld, "mdev_exhausted", false},
	{"a device without types", func(w *world) { w.vm(100, facts.Stopped, "0000:01:00.0,mdev=nvidia-63") }, doctor.CheckHeld, "mdev_type_unknown", false},
	{"no such type", func(w *world) { w.vm(100, facts.Stopped, "0000:03:00.0,mdev=nvidia-6") }, doctor.CheckHeld, "mdev_type_unknown", false},
	{"no reset", func(w *world) {
		for i := range w.node.Devices.Value {
			if host := w.node.Devices.Value[i].Host; host != nil && i < 2 {
				host.ResetMethods = nil
			}
		}
	}, doctor.CheckReset, "no_reset", true},
}

// TestFirstCause: of each broken world the check to begin with is the right one, and says
// what was seen, on the node and over the API.
func TestFirstCause(t *testing.T) {
	for _, b := range broken {
		for _, files := range []bool{true, false} {
			w := newWorld(files)
			b.spoil(w)
			report := atlas.Build(w.Snapshot)
			d := doctor.VM(report, report.FindVM(100)[0])
			checkTold(t, &d)
			first, want := d.First(), b.check
			if b.only && !files {
				want = ""
			}
			switch {
			case want == "" && first != nil:
				t.Errorf("%s, files %t: begins with %s: %+v", b.name, files, first.Code, first.Readings)
			case want == "":
			case first == nil || first.Code != want:
				t.Errorf("%s, files %t: begins with %+v, want %s", b.name, files, first, want)
			case b.reading != "" && !slices.ContainsFunc(first.Readings, func(r doctor.Reading) bool { return string(r.Code) == b.reading }):
				t.Errorf("%s, files %t: %+v, want %s", b.name, files, first.Readings, b.reading)
			}
		}
	}
}

// checkTold: what cannot be seen comes with a command and with what good output looks like,
// and nothing stops a start that did not fail.
func checkTold(t *testing.T, d *doctor.Diagnosis) {
	t.Helper()
	for i := range d.Checks {
		c := &d.Checks[i]
		if c.State == doctor.Unseen && (len(c.Commands) == 0 || c.Good == "" || c.GoodCode == "") {
			t.Errorf("%s cannot be seen: commands %q, good output %q: %+v", c.Code, c.Commands, c.Good, c.Readings)
		}
		if c.Stops && c.State != doctor.Failed || len(c.Readings) == 0 {
			t.Errorf("%+v", c)
		}
	}
}

// TestUnseenSaysHow: whatever is not read, each line that cannot be seen says how to see it,
// and nothing fails because of it.
func TestUnseenSaysHow(t *testing.T) {
	unread := []facts.Problem{{Code: facts.ProblemIO, Subject: "it", Message: "It could not be read."}}
	for name, hide := range map[string]func(*world){
		"the configuration": func(w *world) { w.node.VMs[100] = facts.Read[facts.VMConfig]{State: facts.Failed, Problems: unread} },
		"the devices":       func(w *world) { w.node.Devices = facts.Read[[]facts.Device]{State: facts.Failed, Problems: unread} },
		"the groups": func(w *world) {
			for i := range w.node.Devices.Value {
				w.node.Devices.Value[i].Group = facts.Opt[*int]{}
			}
		},
		"the mappings": func(w *world) {
			w.vm(100, facts.Stopped, "mapping=gpu")
			w.Mappings = facts.Read[[]pve.Mapping]{State: facts.Filtered, Problems: unread}
		},
		"the types": func(w *world) {
			w.vm(100, facts.Stopped, "0000:03:00.0,mdev=nvidia-63")
			w.node.MdevTypes = map[string]facts.Read[[]facts.MdevType]{"0000:03:00.0": {State: facts.Failed, Problems: unread}}
		},
		"another VM": func(w *world) {
			w.vm(101, facts.Running)
			w.node.VMs[101] = facts.Read[facts.VMConfig]{State: facts.Failed, Problems: unread}
		},
		"the node":      func(w *world) { w.Nodes["pve-a"] = &facts.Node{} },
		"other VMs":     func(w *world) { w.Guests.State, w.Guests.Problems = facts.Partial, unread },
		"any line":      func(w *world) { w.vm(100, facts.Stopped) },
		"the run state": func(w *world) { w.vm(101, facts.UnknownStatus, "0000:01:00.0") },
	} {
		for _, files := range []bool{true, false} {
			w := newWorld(files)
			hide(w)
			report := atlas.Build(w.Snapshot)
			d := doctor.VM(report, report.FindVM(100)[0])
			checkTold(t, &d)
			if first := d.First(); first != nil {
				t.Errorf("without %s, files %t: %s fails: %+v", name, files, first.Code, first.Readings)
			}
			for i := range report.Nodes {
				for j := range report.Nodes[i].Devices {
					of := doctor.Device(report, &report.Nodes[i], &report.Nodes[i].Devices[j])
					checkTold(t, &of)
				}
			}
		}
	}
}
