package hostfs

import (
	"fmt"
	"maps"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pciatlas/internal/facts"
)

// used is a node as the kernel shows it: a disk controller with a volume group, an
// NVMe disk, one with two paths, one behind a VMD controller, a USB controller with
// a stick, two network controllers, a card that shows the console and one for VMs.
func used() tree {
	root := tree{Files: map[string]string{}, Links: map[string]string{}}
	for name, class := range map[string]string{
		"0000:00:0e.0": "0x010400", "10000:e1:00.0": "0x010802", "0000:00:14.0": "0x0c0330", "0000:00:17.0": "0x010601",
		"0000:00:1d.0": "0x060400", "0000:01:00.0": "0x010802", "0000:02:00.0": "0x010802", "0000:03:00.0": "0x010802",
		"0000:04:00.0": "0x020000", "0000:04:00.1": "0x020000", "0000:05:00.0": "0x030000", "0000:06:00.0": "0x030000", "0000:07:00.0": "0x010700",
	} {
		maps.Copy(root.Files, function(name, "0x8086", "0x0001", class, nil))
	}
	root.Files[devicesFolder+"/0000:05:00.0/boot_vga"] = "1\n"
	root.Files[devicesFolder+"/0000:06:00.0/boot_vga"] = "0\n"
	root.Links[devicesFolder+"/0000:06:00.0/driver"] = "../../../../bus/pci/drivers/amdgpu"
	root.Links[devicesFolder+"/0000:07:00.0/driver"] = "../../../../bus/pci/drivers/vfio-pci"
	root.Files[mountsFile] = "sysfs /sys sysfs rw 0 0\nrpool/data /rpool zfs rw 0 0\n/dev/mapper/pve-root / ext4 rw 0 0\n" +
		"/dev/nvme0n1p2 /boot/efi vfat rw 0 0\n/dev/fuse /etc/pve fuse rw 0 0\n/dev/nvme1n1 /mnt/two\\040paths xfs rw 0 0\n" +
		"/dev/sdb1 /mnt/stick ext4 rw 0 0\n/dev/md0 /srv ext4 rw 0 0\n/dev/md0 /srv ext4 rw 0 0\n/dev/../sda / x rw 0 0\n/dev/loop0 /snap x rw 0 0\nodd\n"
	root.Files[swapsFile] = "Filename\tType\tSize\tUsed\tPriority\n/dev/dm-2 partition 8388604 0 -2\n/swapfile file 1 0 -3\n"
	for name, target := range map[string]string{
		"sda": "pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0/block/sda", "sda3": "pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0/block/sda/sda3",
		"sdb1":      "pci0000:00/0000:00:14.0/usb1/1-2/1-2:1.0/host6/target6:0:0/6:0:0:0/block/sdb/sdb1",
		"nvme0n1p2": "pci0000:00/0000:00:1d.0/0000:01:00.0/nvme/nvme0/nvme0n1/nvme0n1p2", "nvme1n1": "virtual/nvme-subsystem/nvme-subsys1/nvme1n1",
		"nvme3n1": "pci0000:00/0000:00:0e.0/pci10000:e0/10000:e0:06.0/10000:e1:00.0/nvme/nvme3/nvme3n1",
		"dm-1":    "virtual/block/dm-1", "dm-2": "virtual/block/dm-2", "dm-10": "virtual/block/dm-10", "md0": "virtual/block/md0", "loop0": "virtual/block/loop0",
	} {
		root.Links[blockFolder+"/"+name] = "../../devices/" + target
		root.Dirs = append(root.Dirs, "sys/devices/"+target)
	}
	for name, mapped := range map[string]string{"dm-1": "pve-root", "dm-2": "pve-swap", "dm-10": "pve-other"} {
		folder := "sys/devices/virtual/block/" + name
		root.Files[folder+"/dm/name"] = mapped + "\n"
		root.Links[folder+"/slaves/sda3"] = "../../../../pci0000:00/0000:00:17.0/x/sda3"
	}
	root.Links["sys/devices/virtual/block/md0/slaves/nvme3n1"] = "../../../../x/nvme3n1"
	root.Links["sys/devices/virtual/block/md0/slaves/md0"] = "../../md0"
	for i, path := range []string{"0000:00:1d.0/0000:02:00.0", "0000:00:1d.1/0000:03:00.0"} {
		root.Links[fmt.Sprintf("sys/devices/virtual/nvme-subsystem/nvme-subsys1/nvme%d", i+1)] = fmt.Sprintf("../../../pci0000:00/%s/nvme/nvme%d", path, i+1)
	}
	for name, target := range map[string]string{
		"eno1": "pci0000:00/0000:04:00.0/net/eno1", "eno2": "pci0000:00/0000:04:00.1/net/eno2", "vmbr0": "virtual/net/vmbr0", "tap100i0": "virtual/net/tap100i0",
	} {
		root.Links[netFolder+"/"+name] = "../../devices/" + target
		root.Dirs = append(root.Dirs, "sys/devices/"+target)
	}
	root.Links["sys/devices/pci0000:00/0000:04:00.0/net/eno1/master"] = "../../../virtual/net/vmbr0"
	root.Links["sys/devices/virtual/net/tap100i0/master"] = "../vmbr0"
	root.Links[graphicsFolder+"/fb0"] = "../../devices/pci0000:00/0000:05:00.0/graphics/fb0"
	root.Links[graphicsFolder+"/fb1"] = "../../devices/pci0000:00/0000:06:00.0/graphics/fb1"
	root.Dirs = append(root.Dirs, graphicsFolder+"/fbcon")
	return root
}

// useTexts gives the uses of each function, "none" where there are none.
func useTexts(read facts.Read[[]facts.Device]) map[string]string {
	texts := map[string]string{}
	for _, device := range read.Value {
		uses := device.Host.Uses
		var words []string
		for _, use := range uses.Value {
			words = append(words, strings.TrimSpace(use.File+": "+use.Through)+" "+use.Name)
		}
		switch {
		case len(words) > 0:
			texts[device.Address.String()] = strings.Join(words, ", ")
		case uses.Told:
			texts[device.Address.String()] = "none"
		}
	}
	return texts
}

func TestUses(t *testing.T) {
	read := devicesOf(t, used().write(t))
	want := map[string]string{
		"0000:00:0e.0":  "proc/mounts: /dev/md0 /srv",
		"10000:e1:00.0": "proc/mounts: /dev/md0 /srv",
		"0000:00:14.0":  "proc/mounts: /dev/sdb1 /mnt/stick",
		"0000:00:17.0":  "proc/mounts: /dev/mapper/pve-root /, proc/swaps: /dev/dm-2 swap",
		"0000:01:00.0":  "proc/mounts: /dev/nvme0n1p2 /boot/efi",
		"0000:02:00.0":  "proc/mounts: /dev/nvme1n1 /mnt/two paths",
		"0000:03:00.0":  "proc/mounts: /dev/nvme1n1 /mnt/two paths",
		"0000:04:00.0":  "sys/class/net/eno1/master: eno1 vmbr0",
		"0000:05:00.0":  "sys/class/graphics/fb0: fb0",
		"0000:07:00.0":  "none",
	}
	if diff := cmp.Diff(want, useTexts(read)); diff != "" || read.State != facts.OK || len(read.Problems) > 0 {
		t.Errorf("%v %v (-want +got):\n%s", read.State, read.Problems, diff)
	}
}

// TestUsesOfNetwork: each way to be below another interface, and a tree in which
// interfaces are folders.
func TestUsesOfNetwork(t *testing.T) {
	folder := netFolder + "/eno1/"
	base := tree{Files: function("0000:04:00.0", "0x8086", "0x0001", "0x020000", nil)}.link(folder+"device", "../../../0000:04:00.0")
	for name, c := range map[string]struct {
		tree tree
		want string
	}{
		"nothing": {base, ""},
		"bond":    {base.link(folder+"master", "../bond0"), folder + "master: eno1 bond0"},
		"port":    {base.link(folder+"brport/bridge", "../../vmbr1"), folder + "brport/bridge: eno1 vmbr1"},
		"VLAN":    {base.link(folder+"upper_eno1.7", "../eno1.7"), folder + "upper_eno1.7: eno1 eno1.7"},
		"no link": {base.add(map[string]string{folder + "master": "vmbr0"}), ""},
		"USB":     {tree{Files: base.Files}.link(folder+"device", "../../../1-1:1.0").link(folder+"master", "../vmbr0"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := useTexts(devicesOf(t, c.tree.write(t)))["0000:04:00.0"]; got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// TestUsesNotTold: what is missing or cannot be read makes nothing unused, and
// costs no device.
func TestUsesNotTold(t *testing.T) {
	const held = "0000:07:00.0"
	for name, c := range map[string]struct {
		change   func(tree)
		faults   map[string]error
		problems []string
	}{
		"no block devices": {func(tr tree) {
			maps.DeleteFunc(tr.Links, func(name, _ string) bool { return strings.HasPrefix(name, blockFolder) })
		}, nil, nil},
		"no mounts":   {func(tr tree) { delete(tr.Files, mountsFile) }, nil, nil},
		"no swaps":    {func(tr tree) { delete(tr.Files, swapsFile) }, nil, nil},
		"permission":  {nil, map[string]error{mountsFile: syscall.EACCES}, []string{facts.ProblemPermission}},
		"io":          {nil, map[string]error{netFolder: syscall.EIO}, []string{facts.ProblemIO}},
		"one disk":    {nil, map[string]error{blockFolder + "/dm-1": syscall.EIO}, []string{facts.ProblemIO}},
		"huge":        {func(tr tree) { tr.Files[mountsFile] = strings.Repeat("x", 2<<20) }, nil, []string{facts.ProblemTooLarge}},
		"way outside": {func(tr tree) { delete(tr.Files, mountsFile); tr.Links[mountsFile] = "../../../../etc/x" }, nil, []string{facts.ProblemOutside}},
	} {
		t.Run(name, func(t *testing.T) {
			root := used()
			if c.change != nil {
				c.change(root)
			}
			read := devicesOf(t, root.write(t), faulty(c.faults))
			if diff := cmp.Diff(c.problems, problemCodes(read.Problems)); diff != "" || read.State != facts.OK || len(read.Value) != 13 {
				t.Errorf("%v, %d devices, problems %s", read.State, len(read.Value), diff)
			}
			if text, told := useTexts(read)[held]; told {
				t.Errorf("told %q", text)
			}
		})
	}
	for address, text := range useTexts(devicesOf(t, node().write(t))) {
		t.Errorf("a tree without the files tells %q of %s", text, address)
	}
}

// TestUsesBounded: many mounts of one disk are cut, layers in a circle end.
func TestUsesBounded(t *testing.T) {
	root := used()
	for i := range 100 {
		root.Files[mountsFile] += fmt.Sprintf("/dev/sda3 /mnt/%d ext4 rw 0 0\n", i)
	}
	for _, device := range devicesOf(t, root.write(t)).Value {
		if device.Address.String() == "0000:00:17.0" && len(device.Host.Uses.Value) != maxUses {
			t.Errorf("%d uses", len(device.Host.Uses.Value))
		}
	}
}

func TestMemory(t *testing.T) {
	for name, c := range map[string]struct {
		text  string
		fault error
		state facts.ReadState
		want  int64
	}{
		"told":       {"MemTotal:       65536000 kB\nMemFree:        1 kB\n", nil, facts.OK, 65536000 << 10},
		"none":       {"", nil, facts.Failed, 0},
		"nonsense":   {"MemTotal: many kB\n", nil, facts.Failed, 0},
		"too large":  {"MemTotal: 9223372036854775807 kB\n", nil, facts.Failed, 0},
		"permission": {"MemTotal: 1 kB\n", syscall.EACCES, facts.Failed, 0},
	} {
		t.Run(name, func(t *testing.T) {
			snapshot := mustRead(t, node().add(map[string]string{memoryFile: c.text}).write(t), faulty(map[string]error{memoryFile: c.fault}))
			checkJSON(t, snapshot)
			read := snapshot.Nodes["pve-a"].Memory
			if read.State != c.state || read.Value != c.want || (read.State == facts.Failed) != (len(read.Problems) == 1) {
				t.Errorf("%+v", read)
			}
		})
	}
	if read := mustRead(t, node().write(t)).Nodes["pve-a"].Memory; read.State != facts.NotAsked {
		t.Errorf("without the file: %+v", read)
	}
}

func FuzzUnescape(f *testing.F) {
	for _, text := range []string{`/mnt/two\040paths`, `\`, `\04`, `\999`, `a\134b`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got := unescape(text); len(got) > len(text) || !strings.Contains(text, `\`) && got != text {
			t.Errorf("%q becomes %q", text, got)
		}
	})
}
