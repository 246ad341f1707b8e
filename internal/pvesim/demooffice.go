package pvesim

import "fmt"

// DemoOffice is the second example cluster: the same model of GPU sits at
// another address on each of its two nodes and has no mapping yet; cards are
// split into virtual functions, one is used by a container, and HA and backups
// start VMs that cannot run everywhere.
func DemoOffice() *World {
	return &World{
		Cluster:    "office",
		Nodes:      []Node{officeNodeA(), officeNodeB()},
		Guests:     officeGuests(),
		MappingCfg: officeMappings,
		Files:      map[string]string{"ha/resources.cfg": officeHA, "ha/rules.cfg": officeRules, "jobs.cfg": officeJobs},
		UserCfg:    demoUserCfg,
		Secrets:    demoSecrets(),
		Accounts:   demoAccounts(DemoRootCode),
	}
}

const officeCommandLine = "BOOT_IMAGE=/boot/vmlinuz-6.17.4-1-pve root=ZFS=rpool/ROOT/pve-1 boot=zfs quiet iommu=pt"

// officeBoard gives what the nodes of the office have in common.
func officeBoard() []Device {
	return []Device{
		{Address: "0000:00:00.0", Vendor: "1022", Device: "1480", Subsystem: "15d9:1b05", Class: "060000", Group: 0},
		{Address: "0000:00:01.1", Vendor: "1022", Device: "1483", Class: "060400", Group: 1, Driver: "pcieport", BusBelow: true},
		{
			Address: "0000:c3:00.0", Vendor: "1a03", Device: "2000", Subsystem: "15d9:1b05", Class: "030000", Group: 40, Driver: "ast",
			BootVGA: true,
		},
	}
}

func officeNodeA() Node {
	devices := officeBoard()
	devices = append(devices, card("0000:01:00", "24b0", "228b", "10de:14ad", 20, "vfio-pci")...)
	devices = append(devices, card("0000:81:00", "2531", "228e", "10de:151d", 24, "vfio-pci")...)
	devices = append(devices, card("0000:61:00", "1cb3", "0fb9", "10de:11be", 23, "nouveau")...)
	devices = append(devices, Device{
		Address: "0000:41:00.0", Vendor: "8086", Device: "56c0", Subsystem: "8086:4905", Class: "038000", Group: 30, Driver: "i915",
	})
	for n := 1; n <= 7; n++ {
		devices = append(devices, Device{
			Address: fmt.Sprintf("0000:41:00.%d", n), Vendor: "8086", Device: "56c0", Subsystem: "8086:4905", Class: "038000",
			Group: 30 + n, Driver: "vfio-pci", Parent: "0000:41:00.0",
		})
	}
	devices = append(devices, officeNetwork("0000:a1:00", 50)...)
	return Node{Name: "office-a", Devices: devices, CommandLine: officeCommandLine, CPUs: 64}
}

func officeNodeB() Node {
	devices := officeBoard()
	devices = append(devices, card("0000:03:00", "24b0", "228b", "10de:14ad", 22, "vfio-pci")...)
	// The slot of this card shares its group with a USB controller that the host uses.
	devices = append(devices,
		Device{
			Address: "0000:05:00.0", Vendor: "1002", Device: "7480", Subsystem: "1da2:e452", Class: "030000", Group: 25, Driver: "vfio-pci",
		},
		Device{
			Address: "0000:05:00.1", Vendor: "1002", Device: "ab30", Subsystem: "1da2:ab30", Class: "040300", Group: 25, Driver: "vfio-pci",
		},
		Device{
			Address: "0000:06:00.0", Vendor: "1b21", Device: "2142", Subsystem: "1b21:2142", Class: "0c0330", Group: 25, Driver: "xhci_hcd",
		})
	devices = append(devices, officeNetwork("0000:a1:00", 50)...)
	return Node{Name: "office-b", Devices: devices, CommandLine: officeCommandLine + " pcie_acs_override=downstream", CPUs: 64}
}

// officeNetwork gives a network card with two virtual functions.
func officeNetwork(slot string, group int) []Device {
	physical := Device{
		Address: slot + ".0", Vendor: "15b3", Device: "101d", Subsystem: "15b3:0016", Class: "020000", Group: group, Driver: "mlx5_core",
	}
	devices := []Device{physical}
	for n := 1; n <= 2; n++ {
		devices = append(devices, Device{
			Address: fmt.Sprintf("%s.%d", slot, n), Vendor: "15b3", Device: "101e", Subsystem: "15b3:0016", Class: "020000",
			Group: group + n, Driver: "mlx5_core", Parent: physical.Address,
		})
	}
	return devices
}

const officeMappings = `flex-vf
	description A virtual function of the Flex 170
	map id=8086:56c0,iommugroup=31,node=office-a,path=0000:41:00.1,subsystem-id=8086:4905
	map id=8086:56c0,iommugroup=32,node=office-a,path=0000:41:00.2,subsystem-id=8086:4905
	map id=8086:56c0,iommugroup=33,node=office-a,path=0000:41:00.3,subsystem-id=8086:4905

net-vf
	description Network that moves with a running VM
	live-migration-capable 1
	map id=15b3:101e,iommugroup=51,node=office-a,path=0000:a1:00.1,subsystem-id=15b3:0016
	map id=15b3:101e,iommugroup=51,node=office-b,path=0000:a1:00.1,subsystem-id=15b3:0016

`

const officeHA = `vm: 102
	group anywhere
	max_relocate 1
	state started

vm: 120
	state started

`

const officeRules = `node-affinity: anywhere
	nodes office-a,office-b
	resources vm:102,vm:120

`

const officeJobs = `vzdump: nightly
	all 1
	enabled 1
	mode snapshot
	schedule 02:30
	storage local

`

func officeGuests() []Guest {
	return []Guest{
		{VMID: 100, Kind: QEMU, Node: "office-a", Running: true, Config: demoVM("cad-anna", "bios: ovmf", "hostpci0: 0000:01:00,pcie=1,x-vga=1",
			"onboot: 1")},
		{VMID: 101, Kind: QEMU, Node: "office-a", Config: demoVM("cad-trial", "bios: ovmf", "hostpci0: 0000:01:00,pcie=1", "onboot: 1")},
		{VMID: 102, Kind: QEMU, Node: "office-a", Running: true, Config: demoVM("board-room", "hostpci0: 0000:81:00.0,pcie=1",
			"hostpci1: 0000:81:00.1,pcie=1")},
		{VMID: 110, Kind: QEMU, Node: "office-a", Running: true, Config: demoVM("desk-01", "hostpci0: mapping=flex-vf,pcie=1", "tags: vdi")},
		{VMID: 111, Kind: QEMU, Node: "office-a", Running: true, Config: demoVM("desk-02", "hostpci0: mapping=flex-vf,pcie=1", "tags: vdi")},
		{VMID: 112, Kind: QEMU, Node: "office-a", Config: demoVM("desk-03", "hostpci0: 0000:41:00.5,pcie=1", "tags: vdi")},
		{VMID: 120, Kind: QEMU, Node: "office-b", Running: true, Config: demoVM("files", "hostpci0: mapping=net-vf,pcie=1")},
		{VMID: 121, Kind: QEMU, Node: "office-b", Config: demoVM("games-room", "hostpci0: 0000:05:00.0,pcie=1")},
		{VMID: 122, Kind: QEMU, Node: "office-b", Config: demoVM("mail")},
		{VMID: 130, Kind: LXC, Node: "office-a", Running: true, Config: "arch: amd64\ncores: 4\ndev0: /dev/dri/by-path/pci-0000:61:00.0-render,gid=104\n" +
			"hostname: video\nmemory: 4096\nostype: debian\nrootfs: local-zfs:subvol-130-disk-0,size=16G\nunprivileged: 1\n"},
		{VMID: 9000, Kind: QEMU, Node: "office-b", Config: demoVM("desk-template", "template: 1")},
	}
}
