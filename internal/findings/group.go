package findings

// groupRules find what IOMMU groups bring with them.
var groupRules = []rule{
	findNoIOMMU,
	findNoIOMMUGroup,
	findGroupShared,
	findGroupTaken,
	findACSOverride,
}

var groupEntries = []Entry{
	{
		Code: NoIOMMU, Severity: "Error.",
		When: "A VM of the node passes a function or a mediated device of one, no function of the node has an IOMMU group, and, read on the node, /sys/class/iommu is empty. " +
			"Over the API the groups of the whole device list decide alone. There is none for nodes whose VMs pass nothing.",
		Why:    "The VM does not start: cannot prepare PCI pass-through, IOMMU not present.",
		Remedy: "Switch on VT-d or AMD-Vi in the firmware; look at dmesg | grep -e DMAR -e IOMMU -e AMD-Vi and at the kernel command line.",
		Source: "qemu-server, PVE::QemuServer::PCI::prepare_pci_device; pve-common, PVE::SysFSTools::check_iommu_support.",
	},
	{
		Code: NoIOMMUGroup, Severity: "Error.",
		When: "The next start of a VM passes a whole function that is told to have no IOMMU group. " +
			"Mediated devices need none, and alternatives of a mapping count only if all of them have none.",
		Why:    "VFIO passes groups; a function without a group cannot be passed, and the VM does not start.",
		Remedy: "Switch on the IOMMU, or put the card into a slot below a root port that the IOMMU covers.",
		Source: "pve-common, PVE::SysFSTools::pci_dev_group_bind_to_vfio; Linux, VFIO.",
	},
	{
		Code: GroupShared, Severity: "Warning; error if two of the VMs start by themselves, or one runs and another starts by itself.",
		When: "Two VMs name different functions of one IOMMU group and no function in common: one finding for each group. " +
			"Mediated devices do not count, and alternatives of a mapping only if all of them lie in the group.",
		Why: "PVE does not notice. Only one process can open a group, and QEMU fails with " +
			"\"failed to open /dev/vfio/N: Device or resource busy\".",
		Remedy: "Run one of the VMs at a time, give both functions to one VM, or move a card to another slot.",
		Source: "Linux, VFIO: a group is opened by one user.",
	},
	{
		Code: GroupTakesHostDevice, Severity: "Warning; error if the host is known to use one of them, as host-device-passed says, and the line has no alternatives.",
		When: "The next start of a VM takes further functions of the IOMMU group away from the host that matter to a host: storage, network, display, USB, sound, ISA bridge, SMBus and the like. " +
			"Not taken are functions with a bus below them. Members that a VM claims whole and for certain, that are bound to a driver for VMs, and companions of a card of the VM are not counted; " +
			"those of which VMs only have mediated devices or that are alternatives of a mapping or named by templates are. What two lines of a VM take is said once. " +
			"Nothing is said while a line of the node could not be read.",
		Why:    "PVE binds all members of the group to vfio-pci at the start, and nothing gives them back when the VM stops.",
		Remedy: "Move the card to another slot, or pass something that has a group of its own.",
		Source: "pve-common, PVE::SysFSTools::pci_dev_group_bind_to_vfio.",
	},
	{
		Code: GroupMateBound, Severity: "Info.",
		When:   "The next start of a VM binds further members of the group, and all of them are harmless: companions of the passed card, host bridges, memory. Nothing is said while a line of the node could not be read.",
		Why:    "PVE binds all members of the group to vfio-pci; the host loses nothing that it needs.",
		Remedy: "None is needed.",
		Source: "pve-common, PVE::SysFSTools::pci_dev_group_bind_to_vfio.",
	},
	{
		Code: ACSOverrideActive, Severity: "Warning.",
		When:   "Read on the node, the kernel command line has pcie_acs_override. Over the API it is not told.",
		Why:    "The groups are what the parameter makes them, not what the hardware can isolate: functions of different groups may reach each other's memory.",
		Remedy: "Remove pcie_acs_override and look at the true groups, or accept that the VMs must trust each other and the host.",
		Source: "Proxmox VE kernel, patch pcie_acs_override.",
	},
}
