package findings

var moveEntries = []Entry{
	{
		Code: LiveFlagBlocksStart, Severity: "Error with a virtual IOMMU, else warning.",
		When:   "A VM uses a mapping that is marked live-migration-capable. Without a virtual IOMMU, mediated devices and functions bound to a VFIO driver of their maker are no finding, since they may migrate.",
		Why:    "The flag makes QEMU refuse to start on a device that cannot migrate: \"VFIO migration is not supported in kernel\". With a virtual IOMMU no VFIO device can migrate.",
		Remedy: "Take the flag away; without a virtual IOMMU it may stay where the maker's driver supports migration of this device. Never set it to try.",
		Source: "PVE::QemuServer::PCI::print_hostpci_devices and hw/vfio/migration.c of QEMU.",
	},
	{
		Code: MigrationBlockedRaw, Severity: "Warning.",
		When:   "A VM that is no template names a device by address, and the cluster has another node that is not known to be off.",
		Why:    "Users and tokens cannot move the VM, powered off neither: \"can't migrate VM which uses local devices\". Only root can force an offline move.",
		Remedy: "Use a resource mapping in place of the address.",
		Source: "PVE::QemuMigrate::Helpers::check_local_resources (PVE::QemuServer in Proxmox VE 8) and PVE::QemuMigrate::prepare.",
	},
	{
		Code: MigrationMissingMapping, Severity: "Error.",
		When:   "A VM's mapping has no entry for another node that is not known to be off, and there is a reason to go there: the node has a device like those of the mapping, or a replication job has it as its target. A node without such a device is no finding.",
		Why:    "Proxmox VE refuses the move: \"missing mapped devices\".",
		Remedy: "Add an entry for that node, or use one mapping with entries for both nodes.",
		Source: "PVE::QemuMigrate::Helpers::check_local_resources (PVE::QemuServer in Proxmox VE 8) and PVE::QemuMigrate::prepare.",
	},
	{
		Code: MigrationDeviceDiffers, Severity: "Info.",
		When:   "An address that a VM names is another device on another node, where the devices of both were read; or a mapping has entries with other ids for another node.",
		Why:    "Addresses are of one node, and Proxmox VE checks only that a mapping has an entry. After a move the guest meets another device.",
		Remedy: "Use mappings with entries for equal devices.",
		Source: "PVE::QemuServer::PCI::parse_hostpci resolves a line on the node where the VM starts.",
	},
	{
		Code: MigrationEqualDevice, Severity: "Info.",
		When:   "Another node, not known to be off, has equals of all devices that a VM names by address, and no other device at these addresses. The devices of both nodes must have been read. Whether the equals are free is not said.",
		Why:    "With a mapping that has entries for both nodes, the move needs no edit of the VM.",
		Remedy: "Make such a mapping and name it in place of the address.",
		Source: "The device lists of the nodes.",
	},
	{
		Code: MigrationStartFails, Severity: "Warning.",
		When:   "A VM's mapping has an entry for another node that is not known to be off, but an entry there does not fit the devices read, or no device there offers the VM's type of mediated device.",
		Why:    "Proxmox VE checks only that an entry exists before a move; the VM does not start on the other node.",
		Remedy: "Correct the entries of that node.",
		Source: "PVE::QemuMigrate::Helpers::check_local_resources (PVE::QemuServer in Proxmox VE 8) and PVE::Mapping::PCI::assert_valid.",
	},
	{
		Code: HARawAddress, Severity: "Error.",
		When:   "HA looks after a VM that names a device by address, and may put it on another node. States ignored and disabled are no finding, nor is a strict rule that leaves one node; nothing is said if the policies of HA were not read.",
		Why:    "HA moves a stopped VM with force and recovers it without any check: it starts on whatever has that address there.",
		Remedy: "Use a mapping with entries for all nodes that HA may use, or take the VM out of HA.",
		Source: "PVE::HA::Resources::PVEVM::migrate and PVE::HA::Manager::next_state_recovery (pve-ha-manager).",
	},
	{
		Code: BootOrderCollision, Severity: "Warning.",
		When: "VMs name one function for certain, and at least one of them starts by itself: by onboot, or by HA. " +
			"Or a VM names a function for certain that others may get first as an alternative of a mapping, and all start by themselves. Where the policies of HA were not read, onboot alone proves nothing.",
		Why:    "After a boot of the node the device belongs to the VM that starts first; timing decides, and the other does not start.",
		Remedy: "Let at most one of the VMs start by itself.",
		Source: "PVE::API2::Nodes::Nodeinfo, startall (pve-manager), and PVE::QemuServer::PCI::reserve_pci_usage.",
	},
	{
		Code: BackupClaimsDevice, Severity: "Warning.",
		When:   "An enabled backup job covers a powered-off VM with a whole device and a volume that a backup holds: a disk without backup=0, the state of a TPM, or the variables of OVMF. Templates are exempt, and so are jobs of a pool, because its members are not known. Nothing is said if the backup jobs were not read.",
		Why:    "Every backup of a powered-off VM with a disk starts it paused with its devices, whatever the job's mode: it fails if another VM holds the device, and keeps others from it meanwhile.",
		Remedy: "Leave the VM out of the job while it is powered off, or run the job when nobody needs the device.",
		Source: "PVE::VZDump::QemuServer::archive and enforce_vm_running_for_backup, PVE::QemuConfig::get_backup_volumes.",
	},
}
