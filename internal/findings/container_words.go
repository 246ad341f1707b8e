package findings

import (
	"fmt"
	"slices"

	"pciatlas/internal/atlas"
)

// containerUsesWords says which functions a container uses, or may use, and why it
// is not certain.
func containerUsesWords(parts []containerPart) string {
	verb := "may use"
	if containerCertain(parts) {
		verb = "uses"
	}
	text := fmt.Sprintf("%s %s through the driver of the host", verb, deviceWords(few(deviceNames(containerDevicesOf(parts)))))
	var reasons []string
	for i := range parts {
		if reason, _, _ := containerReason(&parts[i]); reason != "" && !slices.Contains(reasons, reason) {
			reasons = append(reasons, reason)
		}
	}
	if len(reasons) > 0 {
		text += " (" + deviceWords(few(reasons)) + ")"
	}
	return text
}

func containerCertain(parts []containerPart) bool {
	return !slices.ContainsFunc(parts, func(p containerPart) bool { return !p.Certain() })
}

// sayContainerUses says what containerUsesWords does, for translation.
func (f *Finding) sayContainerUses(parts []containerPart) {
	f.Params["variant"] = "maybe"
	if containerCertain(parts) {
		f.Params["variant"] = "certain"
	}
	for i := range parts {
		if reason, word, key := containerReason(&parts[i]); reason != "" {
			f.alsoOf(word, key, []string{parts[i].Path})
		}
	}
}

// containerReason says why it is not certain what a use is, in words and as an
// addition with its parameter; "" if there is nothing to say.
func containerReason(part *containerPart) (text, word, key string) {
	switch {
	case part.Reach == atlas.ReachEvery:
		return part.Path + " gives it every GPU of the driver", "every_gpu", "every_paths"
	case part.Reach == atlas.ReachExact:
		return "", "", ""
	case len(part.ContainerUse.Devices) == 1:
		return "no other GPU of the node fits " + part.Path, "only_fits", "fitting_paths"
	default:
		return "which GPU of the node " + part.Path + " belongs to cannot be told from here", "which_unknown", "unknown_paths"
	}
}

// containerPaths names the device files of some uses.
func containerPaths(parts []containerPart) string { return deviceWords(few(containerPathsOf(parts))) }

func containerPathsOf(parts []containerPart) []string {
	var paths []string
	for i := range parts {
		if !slices.Contains(paths, parts[i].Path) {
			paths = append(paths, parts[i].Path)
		}
	}
	return paths
}

var containerEntries = []Entry{
	{
		Code: ContainerUsesDevice, Severity: "Info.",
		When: "The configuration of a container gives it device files of GPUs (devN, mpN, lxc.mount.entry, or an allowed device number where nothing is bound) and a GPU of the node fits. " +
			"The node itself tells which function a file belongs to, and names below /dev/dri/by-path do. Otherwise it is said of every function that it may be, as what may be. " +
			"/dev/kfd, all of /dev/dri and, where no card is named, nvidiactl and its like stand for every GPU of the driver. " +
			"There is none for templates, none for a function that a running VM has, and none on a node where the lines or mappings of a VM that may run were not read.",
		Why:    "The container works on the host's driver and loses the device when a VM takes it. Several containers may use one device.",
		Remedy: "None is needed as long as the device stays with the host.",
		Source: "pve-container, PVE::LXC::Config; Linux, /sys/dev/char.",
	},
	{
		Code: ContainerSharesDevice, Severity: "Warning.",
		When: "A VM names a function, for certain and whole, that a container uses or may use. Mediated devices leave the function to the host and do not count, " +
			"and neither does a function that a running VM has, if the line stands for every GPU and the host still has others.",
		Why:    "The start of the VM takes the device from the host's driver and from the container. Proxmox VE keeps no account of what containers use, and does not ask.",
		Remedy: "Decide whether the host's driver or the VM has the device.",
		Source: "pve-common, PVE::SysFSTools::pci_dev_bind_to_vfio.",
	},
	{
		Code: ContainerDeviceHeldByVM, Severity: "Warning.",
		When:   "Running VMs have every function that a line of a container can be about.",
		Why:    "The host has no driver on the device and no device files of it as long as the VM runs; the container does not find its GPU.",
		Remedy: "Stop the VM and give the device back to the host's driver, or give the container another one.",
		Source: "pve-common, PVE::SysFSTools::pci_dev_bind_to_vfio; pve-container, optional mount entries.",
	},
}
