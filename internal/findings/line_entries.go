package findings

import "slices"

const (
	lineSourceStart = "PVE::QemuServer::PCI, parse_hostpci and parse_hostpci_devices."
	lineSourceFile  = "PVE::QemuServer, parse_vm_config."
	lineWhyIGD      = "Proxmox VE does not start the VM: \"legacy IGD assignment "
	lineWhenIGD     = "A line has legacy-igd=1 at the next start, pending changes included, and "
	lineOtherwise   = ". Templates are left out."
)

var lineEntries = slices.Concat(lineStartEntries, lineConfigEntries)

// lineStartEntries are what Proxmox VE refuses at the start of a VM.
var lineStartEntries = []Entry{
	{
		Code: AssignedTwice, Severity: "Error.",
		When: "One VM takes a function twice at its next start: in two hostpci lines, or in one line that names it twice, by address or by mapping. " +
			"An address without a function number is every function of its slot. Lines with mdev share a function and are left out; " +
			"nvidia-N on NVIDIA's driver for kernel 6.8 and later takes it whole. Only functions that the device list shows are compared.",
		Why:    "Proxmox VE accepts the configuration and does not start the VM: \"device '0000:01:00.1' assigned more than once\".",
		Remedy: "Name each function in one line only, and remove the line that adds nothing.",
		Source: "PVE::QemuServer::PCI, choose_hostpci_devices.",
	},
	{
		Code: HostAndMapping, Severity: "Error.",
		When:   "A line has both host and mapping at the next start" + lineOtherwise,
		Why:    "Proxmox VE accepts the line and says \"Cannot set both 'host' and 'mapping'.\" when the VM is to start, and does not start it.",
		Remedy: "Keep one of them.",
		Source: lineSourceStart,
	},
	{
		Code: Q35Missing, Severity: "Error.",
		When: "A line has pcie=1 at the next start, and the machine type, as Proxmox VE reads it, is not q35. A machine line that " +
			"Proxmox VE does not accept counts as not set" + lineOtherwise,
		Why:    "Proxmox VE does not start the VM: \"q35 machine model is not enabled\".",
		Remedy: "Set the machine type to q35, or remove pcie=1 from the line. With legacy-igd=1 in another line only the second works.",
		Source: lineSourceStart,
	},
	{
		Code: LegacyIGDQ35, Severity: "Error.",
		When:   lineWhenIGD + "the machine type is q35.",
		Why:    lineWhyIGD + "is not compatible with q35\".",
		Remedy: "Remove legacy-igd, or set the machine type to pc; then no line may have pcie=1.",
		Source: lineSourceStart,
	},
	{
		Code: LegacyIGDVGA, Severity: "Error.",
		When:   lineWhenIGD + "vga is not exactly none.",
		Why:    lineWhyIGD + "requires VGA mode to be 'none'\".",
		Remedy: "Set vga to none, or remove legacy-igd.",
		Source: lineSourceStart,
	},
	{
		Code: LegacyIGDROMBar, Severity: "Error.",
		When:   lineWhenIGD + "rombar=0.",
		Why:    lineWhyIGD + "requires rombar to be enabled\".",
		Remedy: "Remove rombar=0.",
		Source: lineSourceStart,
	},
	{
		Code: LegacyIGDXVGA, Severity: "Error.",
		When:   lineWhenIGD + "x-vga=1.",
		Why:    lineWhyIGD + "is not compatible with x-vga\".",
		Remedy: "Remove x-vga=1.",
		Source: lineSourceStart,
	},
	{
		Code: LegacyIGDMdev, Severity: "Error.",
		When:   lineWhenIGD + "mdev.",
		Why:    lineWhyIGD + "is not compatible with mdev\".",
		Remedy: "Remove legacy-igd to pass a mediated device, or mdev to pass the whole function.",
		Source: lineSourceStart,
	},
	{
		Code: LegacyIGDMultifunction, Severity: "Error.",
		When:   lineWhenIGD + "names several functions that the device list shows.",
		Why:    lineWhyIGD + "is not compatible with multifunction devices\".",
		Remedy: "Name only the graphics function, 0000:00:02.0.",
		Source: lineSourceStart,
	},
	{
		Code: LegacyIGDAlternatives, Severity: "Error.",
		When:   lineWhenIGD + "names a mapping with several entries for the node.",
		Why:    lineWhyIGD + "is not compatible with alternate devices\".",
		Remedy: "Use a mapping with one entry for the node.",
		Source: lineSourceStart,
	},
	{
		Code: LegacyIGDAddress, Severity: "Error.",
		When: lineWhenIGD + "its first function is not function 0 of device number 02. The bus is not compared, as Proxmox VE does not. " +
			"Only where the device list shows the function.",
		Why:    lineWhyIGD + "only works for devices on host bus 00:02.0\".",
		Remedy: "Remove legacy-igd from lines about other devices than the processor's graphics.",
		Source: lineSourceStart,
	},
	{
		Code: LegacyIGDTwice, Severity: "Error.",
		When:   lineWhenIGD + "an earlier line has it, too.",
		Why:    "Proxmox VE does not start the VM: \"only one device can be assigned in legacy-igd mode\".",
		Remedy: "Remove legacy-igd from all lines but one.",
		Source: lineSourceStart,
	},
	{
		Code: MdevMultifunction, Severity: "Error.",
		When:   "A line has mdev at the next start and names several functions that the device list shows, by address or in an entry of its mapping.",
		Why:    "Proxmox VE does not start the VM: \"cannot use mediated device with multifunction device\".",
		Remedy: "Name the one function that offers the mediated devices.",
		Source: lineSourceStart,
	},
}

// lineConfigEntries are what a configuration says otherwise than it works.
var lineConfigEntries = []Entry{
	{
		Code: HostPCILineIgnored, Severity: "Warning.",
		When: "The VM's file holds a hostpci line that Proxmox VE drops: an unknown option, an address in capitals, a remark behind " +
			"the value, a key such as hostpci16. Only files tell; lines of snapshots are left out.",
		Why: "Neither the API nor the interface shows the line, and the VM starts without the device. Only the node's log mentions it. " +
			"An older Proxmox VE drops a whole line for one option that it does not know yet.",
		Remedy: "Write the line anew with qm set, or remove it; where only letters or spaces are at fault, the finding gives the command. Where another line already names the device, do not just correct it.",
		Source: lineSourceFile,
	},
	{
		Code: HostPCILineRepeated, Severity: "Info.",
		When:   "The VM's file holds a hostpci key several times in one section. Only files tell; snapshots are left out.",
		Why:    "Proxmox VE takes the last line; the others have no effect.",
		Remedy: "Remove the other lines.",
		Source: lineSourceFile,
	},
	{
		Code: HostPCIHostIsMappingName, Severity: "Error.",
		When: "The VM's file holds a hostpci line that Proxmox VE drops, and where its address belongs stands the name of a mapping that exists. " +
			"It is hostpci-line-ignored as well, and only that where no such mapping is seen.",
		Why:    "host takes addresses only: \"value does not match the regex pattern\". The VM does not get the device.",
		Remedy: "Write mapping=NAME instead of host=NAME.",
		Source: "PVE::QemuServer::PCI, format of hostpciN.",
	},
	{
		Code: ROMFileRemark, Severity: "Warning.",
		When: "The romfile of a line holds white space and a number sign at the next start. A number sign alone may belong to a name" + lineOtherwise,
		Why: "Proxmox VE knows no remarks behind a value: all up to the next comma is the file's name, which then does not exist below " +
			"/usr/share/kvm, and QEMU does not start.",
		Remedy: "Set the line without the remark.",
		Source: "PVE::QemuServer::PCI, format of hostpciN.",
	},
	{
		Code: ROMFileMissing, Severity: "Error.",
		When: "The ROM file that a line names at the next start is not in /usr/share/kvm of the VM's node. " +
			"It is told only on that node itself, and only where the folder can be read. A file name with a remark in it is romfile-remark.",
		Why:    "QEMU does not start without the file.",
		Remedy: "Copy the file to /usr/share/kvm of the node, or remove romfile from the line.",
		Source: "PVE::QemuServer::PCI, print_hostpci_devices.",
	},
	{
		Code: DriverKeep, Severity: "Info.",
		When:   "A line has driver=keep at the next start and no mdev" + lineOtherwise,
		Why:    "Proxmox VE neither binds nor resets the device. It still reserves the address.",
		Remedy: "Bind the device to a vfio driver before the start, or remove driver=keep.",
		Source: "PVE::QemuServer::PCI and PVE::SysFSTools (since qemu-server 9.0.25).",
	},
	{
		Code: DriverKeepUnbound, Severity: "Error.",
		When: "As driver-keep, and the node's files show that no vfio driver holds a function of the line. Not over the API, not where a hook " +
			"script may bind it, and not for a mapping with several entries on the node.",
		Why:    "QEMU cannot open a device that no vfio driver holds.",
		Remedy: "Bind the device before the start, or remove driver=keep.",
		Source: "PVE::QemuServer::PCI (since qemu-server 9.0.25).",
	},
	{
		Code: XVGANoEffect, Severity: "Info.",
		When:   "A line has x-vga=1 at the next start and the VM has bios ovmf. The sentence says what vga does then" + lineOtherwise,
		Why:    "With OVMF Proxmox VE does not pass x-vga on to QEMU. The option still leaves out the virtual display where there is no vga line, hides KVM from the guest, and gives Windows another Hyper-V vendor. A vga line other than none or serial still adds a virtual display, which the guest may take for the first one.",
		Remedy: "Set vga to none if the passed card is to be the only display.",
		Source: "PVE::QemuServer::PCI, print_hostpci_devices; PVE::QemuServer::CPUConfig, get_cpu_options and get_hyperv_enlightenments.",
	},
	{
		Code: MemoryPinned, Severity: "Warning.",
		When: "A VM passes a whole function at the next start, and balloon is set, not 0, and below memory; or memory is above that of the node, " +
			"as its files or the API tell it" + lineOtherwise,
		Why:    "VFIO pins all memory of the guest for the device. A balloon frees nothing on the host, and more memory than there is cannot be pinned: the VM does not start.",
		Remedy: "Set balloon to 0 and plan with all of the memory; give the VM less than the node has.",
		Source: "The kernel's VFIO and QEMU, which inhibits ballooning for passed devices.",
	},
	{
		Code: TemplateReference, Severity: "Info.",
		When:   "A template has a hostpci line.",
		Why:    "The template holds nothing, but all its clones inherit the line and want the same device. Only root may clone it if the line names an address.",
		Remedy: "Remove the line from the template, or change it in the clones.",
		Source: "PVE::API2::Qemu, clone_vm; PVE::QemuServer, check_mapping_access.",
	},
	{
		Code: SnapshotRestoresDevice, Severity: "Info; warning if it is a raw address, or a mapping that is known not to exist any more.",
		When: "A snapshot of a VM has a hostpci line that names other functions or another mapping than the VM's lines do at the next start, " +
			"however they are written. Where the devices of the node were not read, addresses in the same slots of the bus are no finding. " +
			"Only where the snapshots of the VM were read.",
		Why:    "A rollback brings the line back and checks neither the device nor the mapping.",
		Remedy: "Look at the hostpci lines after a rollback, before the VM starts. Keep mappings that snapshots name.",
		Source: "PVE::AbstractConfig, snapshot_rollback.",
	},
	{
		Code: ArgsPassesDevice, Severity: "Warning.",
		When:   "The custom arguments of a VM mention vfio-pci; those of a template, too, because clones inherit them. Which device they pass is not examined.",
		Why:    "Proxmox VE hands args to QEMU unread: it neither binds nor reserves the device nor sees it before a move to another node.",
		Remedy: "Use a hostpci line.",
		Source: "PVE::QemuServer, config_to_command.",
	},
	{
		Code: HookscriptSet, Severity: "Info.",
		When:   "A VM has a hook script" + lineOtherwise,
		Why:    "The script may bind devices or bring them to the VM, which cannot be seen from here.",
		Remedy: "Look at what the script does with devices.",
		Source: "PVE::GuestHelpers, exec_hookscript.",
	},
}
