package findings

// deviceRules find what is wrong with functions and who names them.
var deviceRules = []rule{
	findDeviceNotPresent,
	findDeviceShared,
	findDeviceClassUnexpected,
	findDeviceMovedLines,
	findDeviceMovedEntries,
	findHostDevicePassed,
	findFunctionLeftBehind,
	findPFTakenWithVFs,
	findMdevTypeUnknown,
	findMdevExhausted,
	findMdevAndWhole,
}

var deviceEntries = []Entry{
	{
		Code: DeviceNotPresent, Severity: "Error.",
		When: "A hostpci line that counts at the next start of a VM names an address that the whole device list of its node does not have; so does one of a template, whose clones do not start. " +
			"There is none for lists that were not read completely, and for entries of mappings, which mapping-invalid covers.",
		Why:    "The VM does not start: no PCI device found for '…'. Without a domain, 0000 is meant; another spelling or another node does not count.",
		Remedy: "Find the device with lspci -nnD and write its present address, or make the virtual functions again.",
		Source: "qemu-server, PVE::QemuServer::PCI::parse_hostpci.",
	},
	{
		Code: DeviceShared, Severity: "Warning; error if two of the VMs start by themselves, or one runs and another starts by itself.",
		When: "Two or more VMs name one function exclusively, now or at their next start: one finding for each set of VMs on a node. " +
			"Mediated devices do not count, except the vGPUs of NVIDIA's driver for kernel 6.8 and later, which take their function. " +
			"Alternatives of a mapping do not count. Where the policies of HA were not read, there is no error on the ground of a start that depends on them. " +
			"Where the devices of the node were not read, it is said of VMs that name the same address, one of them not through a mapping.",
		Why:    "Only one running VM can hold a function: PCI device '…' already in use by VMID '…', or, while that VM is starting, PCI device '…' is currently reserved for use by VMID '…'. This also stops backups of the VMs that wait.",
		Remedy: "Run one VM at a time, give each its own device, or let only one start by itself.",
		Source: "qemu-server, PVE::QemuServer::PCI::reserve_pci_usage.",
	},
	{
		Code: DeviceClassUnexpected, Severity: "Warning.",
		When: "x-vga or legacy-igd on a line without a display controller, romfile on one without anything that usually has such a ROM, " +
			"mdev on one without mediated devices and of an unlikely class. Only lines by address of VMs that do not run with them.",
		Why:    "An address carries no identity. After a change of hardware another device can have it, and PVE passes that one.",
		Remedy: "Find the device that was meant, correct the address, or use a mapping, which compares ids.",
		Source: "Linux, numbering of PCI buses at boot.",
	},
	{
		Code: DeviceMoved, Severity: "Info.",
		When: "An entry of a mapping does not find its device, and unclaimed devices of the same ids are there: exactly one is the likely new address, " +
			"several are listed and nothing is proposed. Or a VM has lost at least two addresses, and one shift of bus numbers leads all of them to functions that nothing else names. " +
			"The device list must be whole.",
		Why:    "Bus numbers change when devices come or go before them.",
		Remedy: "Compare with lspci -nnD and write the new address.",
		Source: "Linux, numbering of PCI buses at boot.",
	},
	{
		Code: IdenticalDevices, Severity: "Warning.",
		When:   "An entry of a mapping does not find its device, and several unclaimed devices have its ids. There is none as long as every entry finds its device.",
		Why:    "Ids and subsystem ids name a model, not a card. A guess can give the VM another card.",
		Remedy: "Tell the devices apart by slot or serial number (lspci -vv), and correct the entry by hand.",
		Source: "pve-guest-common, PVE::Mapping::PCI::assert_valid.",
	},
	{
		Code: FunctionLeftBehind, Severity: "Info.",
		When: "A line passes a display controller or accelerator, and sound, USB or serial functions of the same maker in its slot, " +
			"or sound of the same subsystem on the next bus that can belong to no other card, are named by no VM. Nothing is said while a line of the node could not be read.",
		Why:    "The guest has no sound or USB-C of the card, and the host keeps a part of a card whose rest is gone.",
		Remedy: "Name the slot without a function to pass the whole card. Leaving it out is allowed.",
		Source: "qemu-server, PVE::QemuServer::PCI::parse_hostpci.",
	},
	{
		Code: HostDevicePassed, Severity: "Warning; error if the host is known to use it.",
		When: "A line by address passes a storage controller, the last network controller that VMs leave to the node, the display of a management controller by its ids (ASPEED, Matrox G200 of servers) or, read on the node, the boot display. " +
			"There is none for virtual functions, for functions that a running VM has, and for those that are bound to a driver for VMs. " +
			"Read on the node, the host is known to use a function with a disk that is mounted or swap space, with an interface that is a port " +
			"of a bridge or bond or carries another one, and as the boot display with a framebuffer; lines by mapping and virtual functions count, too, then. " +
			"Disks of ZFS pools and addresses of interfaces do not show this way.",
		Why:    "The host loses the device when the VM starts: its disks, its network or its console vanish.",
		Remedy: "Look at what the host has on it (lsblk, ip link); remove the line if the host needs it.",
		Source: "pve-common, PVE::SysFSTools::pci_dev_group_bind_to_vfio and pci_dev_bind_to_vfio.",
	},
	{
		Code: PFTakenWithVFs, Severity: "Error.",
		When: "A line passes a physical function whole, and a line of any VM names one of its virtual functions, for certain or as an alternative. " +
			"There is none where it is not told which functions are virtual. " +
			"Or one VM names a function whole and mediated devices of it; two VMs that do so are mdev-and-whole.",
		Why:    "Virtual functions vanish when the physical function leaves its driver, and so do mediated devices; VMs that use them lose their device.",
		Remedy: "Leave the physical function to the host and pass virtual functions or mediated devices only.",
		Source: "Linux, SR-IOV: pci_disable_sriov when the driver is unbound.",
	},
	{
		Code: MdevTypeUnknown, Severity: "Error.",
		When: "A line asks for a type of mediated device that the one function it names does not offer, the types having been read; " +
			"or the function offers none at all; or the type is not nvidia- and a number on a vGPU of NVIDIA's driver for kernel 6.8 and later. " +
			"There is none for VMs that run with the line.",
		Why:    "mdev takes any word; only the start shows that the type is wrong.",
		Remedy: "Look at the types of the function (pvesh get /nodes/NODE/hardware/pci/ADDRESS/mdev) and set one of them.",
		Source: "qemu-server, PVE::QemuServer::PCI::Mdev::pci_create_mdev_device and create_nvidia_device; in older releases pve-common, PVE::SysFSTools::pci_create_mdev_device.",
	},
	{
		Code: MdevExhausted, Severity: "Warning.",
		When:   "A VM that does not run wants more instances of a type from a function than can be made now, the types having been read. There is none for a function of NVIDIA's driver for kernel 6.8 and later that the VM takes twice.",
		Why:    "The VM does not start until another VM gives an instance back.",
		Remedy: "Stop a VM with an instance of the function, or choose another function or a smaller type.",
		Source: "qemu-server, PVE::QemuServer::PCI::Mdev::pci_create_mdev_device and create_nvidia_device; in older releases pve-common, PVE::SysFSTools::pci_create_mdev_device.",
	},
	{
		Code: MdevAndWhole, Severity: "Warning.",
		When:   "One VM names a function whole and another VM names a mediated device or vGPU of it.",
		Why:    "A function that is bound to vfio-pci offers no mediated devices, and one with mediated devices cannot leave its driver.",
		Remedy: "Decide on one use of the function.",
		Source: "Linux, VFIO mediated devices.",
	},
}
