package findings

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/pci"
)

// deviceWords joins words as a sentence does: a, b and c.
func deviceWords(words []string) string {
	switch n := len(words); n {
	case 0:
		return ""
	case 1:
		return words[0]
	default:
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
}

// deviceVMWords names VMs: "VM 101", "VMs 101 and 102", or the first of many.
func deviceVMWords(vms []*vm) string {
	return devicePlural(len(vms), "VM ", "VMs ") + deviceWords(few(deviceNumbers(vms)))
}

// most is how many of one kind a sentence names.
const most = 5

// few gives the first of many words, and how many are left out; evidence and
// parameters have the rest.
func few(words []string) []string {
	if len(words) <= most {
		return words
	}
	return append(slices.Clone(words[:most]), strconv.Itoa(len(words)-most)+" more")
}

// devicePlural picks the word for one or for several.
func devicePlural(n int, one, several string) string {
	if n == 1 {
		return one
	}
	return several
}

// deviceCount counts the functions of a node: "17 functions".
func deviceCount(n *node) string {
	return strconv.Itoa(len(n.Devices)) + devicePlural(len(n.Devices), " function", " functions")
}

// deviceNames gives the addresses of functions as text.
func deviceNames(devices []*atlas.Device) []string {
	names := make([]string, len(devices))
	for i, device := range devices {
		names[i] = device.Address.String()
	}
	return names
}

// deviceLabel names a function with its class: "0000:00:1f.6 (Ethernet controller)".
func deviceLabel(device *atlas.Device) string {
	class := device.Names.Class
	if class == "" {
		class = "class " + device.Class.String()
	}
	return with(device.Address.String(), class)
}

// deviceClass is the class as parameters have it: its name in the PCI ID repository,
// or its number.
func deviceClass(device *atlas.Device) string {
	return cmp.Or(device.Names.Class, device.Class.String())
}

// devicePlain names functions with their classes, as parameters do.
func devicePlain(devices []*atlas.Device) string {
	labels := make([]string, len(devices))
	for i, device := range devices {
		labels[i] = with(device.Address.String(), deviceClass(device))
	}
	return joined(labels)
}

// deviceLabels names functions with their classes.
func deviceLabels(devices []*atlas.Device) []string {
	labels := make([]string, len(devices))
	for i, device := range devices {
		labels[i] = deviceLabel(device)
	}
	return labels
}

// deviceLineEvidence is the line as it was read.
func deviceLineEvidence(l *line) string {
	if l.Phase == atlas.Current {
		return mappingLineEvidence(l)
	}
	text := fmt.Sprintf("VM %d %s: %s", l.vm.VMID, l.key(), l.Raw)
	switch l.Phase {
	case atlas.Pending:
		return text + " (pending)"
	case atlas.PendingRemoval:
		return text + " (removal pending)"
	case atlas.Current:
	}
	return text
}

// deviceEvidence is what was read of a function.
func deviceEvidence(device *atlas.Device) string {
	text := fmt.Sprintf("%s: class %s, %s", device.Address, device.Class, device.IDs.Pair)
	if group := device.Device.Group; group.Told && group.Value != nil {
		text += ", IOMMU group " + strconv.Itoa(*group.Value)
	} else if group.Told {
		text += ", no IOMMU group"
	}
	if device.Host != nil && device.Host.Driver != "" {
		text += ", driver " + device.Host.Driver
	}
	return text
}

// deviceEvidenceOf is what was read of several functions.
func deviceEvidenceOf(devices []*atlas.Device) []string {
	texts := make([]string, len(devices))
	for i, device := range devices {
		texts[i] = deviceEvidence(device)
	}
	return texts
}

// deviceStatusEvidence is what was read of a VM that decides who comes first.
func deviceStatusEvidence(v *vm) string {
	start := ""
	if yes, ok := v.startsByItself(); ok && yes {
		start = ", starts by itself"
	} else if !ok {
		start = ", whether it starts by itself is not known"
	}
	return "VM " + v.number() + ": " + string(v.Status) + start
}

// deviceIsBridge tells whether a function is a bridge of any kind.
func deviceIsBridge(device *atlas.Device) bool { return device.Class.Base() == 0x06 }

// deviceIsGPU tells whether a function is a display controller or accelerator.
func deviceIsGPU(class pci.Class) bool { return class.Kind() != pci.Other }

// deviceListWhole tells whether a function that is not in the list of the node is
// not there.
func deviceListWhole(n *node) bool {
	read := n.world.facts.Nodes[n.Name]
	return n.DevicesRead && read != nil && read.Devices.State == facts.OK
}

// deviceAppendVM adds a VM to a list unless it is there.
func deviceAppendVM(vms []*vm, v *vm) []*vm {
	if slices.Contains(vms, v) {
		return vms
	}
	return append(vms, v)
}

// deviceAppend adds a function to a list unless it is there.
func deviceAppend(devices []*atlas.Device, device *atlas.Device) []*atlas.Device {
	if slices.Contains(devices, device) {
		return devices
	}
	return append(devices, device)
}

// deviceIsNvidiaType tells whether a type of mediated device is one that Proxmox
// VE turns into a vGPU of NVIDIA's driver for kernel 6.8 and later.
func deviceIsNvidiaType(mdev string) bool {
	digits, ok := strings.CutPrefix(mdev, "nvidia-")
	return ok && digits != "" && strings.Trim(digits, "0123456789") == ""
}
