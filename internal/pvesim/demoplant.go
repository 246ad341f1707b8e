package pvesim

// DemoPlant is the third example: a single old host without an IOMMU, of whose four
// VMs the token of the demo may see two.
func DemoPlant() *World {
	return &World{
		Version: "8.2.7",
		Nodes: []Node{{
			Name: "plant-1", NoIOMMU: true, CPUs: 8, Memory: 32 << 30,
			CommandLine: "BOOT_IMAGE=/boot/vmlinuz-6.8.12-4-pve root=/dev/mapper/pve-root ro quiet",
			Devices:     plantDevices(),
		}},
		Guests: []Guest{
			{VMID: 100, Kind: QEMU, Node: "plant-1", Running: true, Config: demoVM("cameras", "onboot: 1")},
			{VMID: 101, Kind: QEMU, Node: "plant-1", Config: demoVM("vision", "hostpci0: 01:00,pcie=1")},
			{VMID: 102, Kind: QEMU, Node: "plant-1", Config: demoVM("vision-new", "hostpci0: 0000:01:00.0,pcie=1")},
			{VMID: 103, Kind: QEMU, Node: "plant-1", Running: true, Config: demoVM("ledger")},
		},
		UserCfg: demoUserCfg + plantRules,
		Secrets: demoSecrets(), Accounts: demoAccounts(""),
	}
}

// plantRules hide two VMs from the token of the demo.
const plantRules = `acl:1:/vms/102:pciatlas@pve:NoAccess:
acl:1:/vms/103:pciatlas@pve:NoAccess:
`

func plantDevices() []Device {
	devices := []Device{
		{Address: "0000:00:00.0", Vendor: "8086", Device: "591f", Subsystem: "1458:5000", Class: "060000", Group: NoGroup},
		{
			Address: "0000:00:01.0", Vendor: "8086", Device: "1901", Class: "060400", Group: NoGroup, Driver: "pcieport", BusBelow: true,
		},
		{
			Address: "0000:00:02.0", Vendor: "8086", Device: "5912", Subsystem: "1458:d000", Class: "030000", Group: NoGroup, Driver: "i915",
			BootVGA: true,
		},
		{Address: "0000:00:1f.6", Vendor: "8086", Device: "15b8", Subsystem: "1458:e000", Class: "020000", Group: NoGroup, Driver: "e1000e"},
	}
	return append(devices, card("0000:01:00", "1cb3", "0fb9", "10de:11be", NoGroup, "nouveau")...)
}
