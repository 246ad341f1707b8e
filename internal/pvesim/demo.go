package pvesim

import (
	"fmt"
	"strings"
)

// DemoNode is the node of the demo cluster that its files are shown of.
const DemoNode = "pve-a"

// Demo is the example cluster: three nodes and one that is off. It has every
// state of a device and every kind of reference that people meet.
func Demo() *World {
	return &World{
		Cluster:    "lab",
		Nodes:      []Node{demoNodeA(), demoNodeB(), demoNodeC(), {Name: "pve-d", Offline: true}},
		Guests:     demoGuests(),
		MappingCfg: demoMappings,
		UserCfg:    demoUserCfg,
		Secrets:    demoSecrets(),
		Accounts:   demoAccounts(""),
	}
}

const demoCommandLine = "BOOT_IMAGE=/boot/vmlinuz-6.17.4-1-pve root=/dev/mapper/pve-root ro quiet intel_iommu=on iommu=pt"

func bridge(address string, group int) Device {
	return Device{
		Address: address, Vendor: "8086", Device: "a70d", Class: "060400", Group: group,
		Driver: "pcieport", BusBelow: true,
	}
}

// card gives a graphics card with its sound function.
func card(slot, device, sound, subsystem string, group int, driver string) []Device {
	soundDriver := "snd_hda_intel"
	if driver == "vfio-pci" {
		soundDriver = driver
	}
	return []Device{
		{
			Address: slot + ".0", Vendor: "10de", Device: device, Subsystem: subsystem, Class: "030000", Group: group,
			Driver: driver,
		},
		{
			Address: slot + ".1", Vendor: "10de", Device: sound, Subsystem: subsystem, Class: "040300", Group: group,
			Driver: soundDriver,
		},
	}
}

func demoNodeA() Node {
	devices := []Device{
		{Address: "0000:00:00.0", Vendor: "8086", Device: "a700", Subsystem: "1043:8882", Class: "060000", Group: 0},
		bridge("0000:00:01.0", 2),
		{
			Address: "0000:00:02.0", Vendor: "8086", Device: "a780", Subsystem: "1043:8882", Class: "030000", Group: 1,
			Driver: "i915",
		},
		{Address: "0000:05:00.0", Vendor: "144d", Device: "a808", Subsystem: "144d:a801", Class: "010802", Group: 18, Driver: "nvme"},
		{
			Address: "0000:06:00.0", Vendor: "1a03", Device: "2000", Subsystem: "1a03:2000", Class: "030000", Group: 19,
			Driver: "ast", BootVGA: true,
		},
		{
			Address: "0000:07:00.0", Vendor: "1002", Device: "74a1", Subsystem: "1002:74a1", Class: "120000", Group: 20,
			Driver: "amdgpu",
		},
	}
	for n := 1; n <= 3; n++ {
		devices = append(devices, Device{
			Address: fmt.Sprintf("0000:00:02.%d", n), Vendor: "8086", Device: "a780", Subsystem: "1043:8882",
			Class: "030000", Group: 10 + n, Driver: "vfio-pci", Parent: "0000:00:02.0",
		})
	}
	devices = append(devices, card("0000:01:00", "2204", "1aef", "1458:403b", 14, "vfio-pci")...)
	devices = append(devices, card("0000:02:00", "2204", "1aef", "1458:403b", 15, "vfio-pci")...)
	devices = append(devices, card("0000:03:00", "2684", "22ba", "1043:889d", 16, "nouveau")...)
	devices = append(devices, card("0000:04:00", "2684", "22ba", "1043:889d", 17, "nouveau")...)
	return Node{Name: "pve-a", Devices: devices, CommandLine: demoCommandLine}
}

func demoNodeB() Node {
	devices := []Device{
		bridge("0000:00:01.0", 2),
		{
			Address: "0000:00:02.0", Vendor: "8086", Device: "a780", Subsystem: "1043:8882", Class: "030000", Group: 1,
			Driver: "i915", BootVGA: true,
		},
		{
			Address: "0000:0a:00.0", Vendor: "10de", Device: "1bb3", Subsystem: "10de:11d8", Class: "030200", Group: 21,
			Driver: "nvidia", MdevTypes: []MdevType{
				{Type: "nvidia-63", Name: "GRID P4-1Q", Description: "num_heads=4, framebuffer=1024M, max_instance=8", Available: 7},
				{Type: "nvidia-64", Name: "GRID P4-2Q", Description: "num_heads=4, framebuffer=2048M, max_instance=4", Available: 0},
			},
		},
	}
	devices = append(devices, card("0000:03:00", "2204", "1aef", "1458:403b", 14, "vfio-pci")...)
	devices = append(devices, card("0000:81:00", "2684", "22ba", "1043:889d", 22, "nouveau")...)
	return Node{Name: "pve-b", Devices: devices, CommandLine: demoCommandLine}
}

func demoNodeC() Node {
	return Node{Name: "pve-c", CommandLine: demoCommandLine, Devices: []Device{
		{
			Address: "0000:03:00.0", Vendor: "1a03", Device: "2000", Subsystem: "1a03:2000", Class: "030000", Group: 3,
			Driver: "ast", BootVGA: true,
		},
		{Address: "0000:41:00.0", Vendor: "8086", Device: "1521", Subsystem: "8086:0001", Class: "020000", Group: 24, Driver: "igb"},
	}}
}

const demoMappings = `rtx-3090
	description The two cards of the render farm
	map id=10de:2204,iommugroup=14,node=pve-a,path=0000:01:00,subsystem-id=1458:403b
	map id=10de:2204,iommugroup=14,node=pve-b,path=0000:03:00,subsystem-id=1458:403b

rtx-4090-pool
	description Any card of this model
	map id=10de:2684,iommugroup=16,node=pve-a,path=0000:03:00,subsystem-id=1043:889d
	map id=10de:2684,iommugroup=17,node=pve-a,path=0000:04:00,subsystem-id=1043:889d
	map id=10de:2684,iommugroup=22,node=pve-b,path=0000:81:00,subsystem-id=1043:889d

p4-vgpu
	map id=10de:1bb3,iommugroup=21,node=pve-b,path=0000:0a:00.0,subsystem-id=10de:11d8
	mdev 1

old-card
	description Written before the card was swapped
	map id=10de:1b06,iommugroup=15,node=pve-a,path=0000:02:00,subsystem-id=1458:3752

`

// demoVM gives the file of a VM.
func demoVM(name string, extra ...string) string {
	base := []string{
		"boot: order=scsi0", "cores: 8", "machine: q35", "memory: 16384", "name: " + name,
		"net0: virtio=BC:24:11:00:00:01,bridge=vmbr0", "ostype: l26", "scsi0: local-lvm:vm-disk-0,size=64G",
		"scsihw: virtio-scsi-single",
	}
	return strings.Join(append(base, extra...), "\n") + "\n"
}

func demoGuests() []Guest {
	return []Guest{
		{VMID: 100, Kind: QEMU, Node: "pve-a", Running: true, Config: demoVM("render-1", "hostpci0: mapping=rtx-3090,pcie=1", "onboot: 1")},
		{VMID: 101, Kind: QEMU, Node: "pve-a", Config: demoVM("render-2", "hostpci0: 0000:01:00,pcie=1")},
		{VMID: 103, Kind: QEMU, Node: "pve-a", Running: true, Config: demoVM("win11-cad", "bios: ovmf", "hostpci0: 02:00,pcie=1,x-vga=1",
			"hostpci1: 0000:00:02.1", "", "[PENDING]", "delete: hostpci1", "hostpci2: 0000:07:00.0,pcie=1")},
		{VMID: 110, Kind: QEMU, Node: "pve-a", Config: demoVM("llm-1", "hostpci0: mapping=rtx-4090-pool,pcie=1")},
		{VMID: 120, Kind: QEMU, Node: "pve-a", Config: demoVM("legacy-box", "hostpci0: 0000:09:00.0", "hostpci1: 0000:02:00.0,pcie=1,multifunction=on")},
		{VMID: 201, Kind: QEMU, Node: "pve-b", Running: true, Config: demoVM("vdi-1", "hostpci0: mapping=p4-vgpu,mdev=nvidia-63")},
		{VMID: 202, Kind: QEMU, Node: "pve-b", Config: demoVM("render-3", "hostpci0: mapping=rtx-3090,pcie=1")},
		{VMID: 203, Kind: QEMU, Node: "pve-b", Config: demoVM("lab-tests", "args: -device vfio-pci,host=0000:81:00.0")},
		{VMID: 301, Kind: QEMU, Node: "pve-c", Config: demoVM("router", "hostpci0: 0000:41:00.0")},
		{VMID: 401, Kind: QEMU, Node: "pve-d", Config: demoVM("archive", "hostpci0: 0000:01:00.0")},
		{VMID: 900, Kind: LXC, Node: "pve-a", Config: "arch: amd64\ncores: 2\nhostname: media\nmemory: 2048\nostype: debian\nrootfs: local-lvm:vm-900-disk-0,size=8G\n"},
		{VMID: 9000, Kind: QEMU, Node: "pve-b", Config: demoVM("golden-gpu", "hostpci0: mapping=rtx-3090,pcie=1", "template: 1")},
	}
}
