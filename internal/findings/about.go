package findings

import (
	"slices"

	"pciatlas/internal/atlas"
	"pciatlas/internal/pci"
)

// vmOn is a VM, deviceOn a function of a node.
type (
	vmOn struct {
		node string
		vmid int
	}
	deviceOn struct {
		node    string
		address pci.Address
	}
)

// vmsOf gives VMs for Finding.vms.
func vmsOf(vms ...*vm) []vmOn {
	related := make([]vmOn, len(vms))
	for i, v := range vms {
		related[i] = vmOn{v.Node, v.VMID}
	}
	return related
}

// vmsOfLines gives the VMs of lines, which come by VM, for Finding.vms.
func vmsOfLines(lines ...*line) []vmOn {
	related := make([]vmOn, 0, len(lines))
	for i, l := range lines {
		if i == 0 || l.vm != lines[i-1].vm {
			related = append(related, vmOn{l.vm.Node, l.vm.VMID})
		}
	}
	return related
}

// devicesOf gives functions of a node for Finding.devices.
func devicesOf(n *node, devices ...*atlas.Device) []deviceOn {
	related := make([]deviceOn, len(devices))
	for i, device := range devices {
		related[i] = deviceOn{n.Name, device.Address}
	}
	return related
}

// OfNodes gives the findings about some nodes, or VMs or functions there, and those
// about none in particular; all of them if no node is named.
func OfNodes(found []Finding, nodes []string) []Finding {
	if len(nodes) == 0 {
		return found
	}
	return filter(found, func(f *Finding) bool {
		return f.Subject.Node == "" || slices.Contains(nodes, f.Subject.Node) ||
			slices.ContainsFunc(f.vms, func(v vmOn) bool { return slices.Contains(nodes, v.node) }) ||
			slices.ContainsFunc(f.devices, func(d deviceOn) bool { return slices.Contains(nodes, d.node) })
	})
}

// OfVM gives the findings about a VM, those that speak of it, and those about a
// function or a mapping that one of its lines names.
func OfVM(found []Finding, node *atlas.Node, vm *atlas.VM) []Finding {
	return filter(found, func(f *Finding) bool {
		if slices.Contains(f.vms, vmOn{vm.Node, vm.VMID}) {
			return true
		}
		if f.Subject.VMID != 0 || f.Subject.Node != "" && f.Subject.Node != node.Name {
			return f.Subject.VMID == vm.VMID
		}
		return mentions(f, node, func(line *atlas.Line) bool { return line.VM == vm })
	})
}

// OfDevice gives the findings about a function, those that speak of it, and those
// about a line or a mapping that names it.
func OfDevice(found []Finding, node *atlas.Node, device *atlas.Device) []Finding {
	return filter(found, func(f *Finding) bool {
		if slices.Contains(f.devices, deviceOn{node.Name, device.Address}) {
			return true
		}
		if f.Subject.Node != "" && f.Subject.Node != node.Name {
			return false
		}
		if f.Subject.Device != nil {
			return *f.Subject.Device == device.Address
		}
		return slices.ContainsFunc(device.References, func(r atlas.Reference) bool {
			switch {
			case f.Subject.Slot != atlas.NoSlot:
				return r.VM.VMID == f.Subject.VMID && r.Slot == f.Subject.Slot
			case f.Subject.VMID != 0:
				return r.VM.VMID == f.Subject.VMID
			default:
				return f.Subject.Mapping != "" && r.Mapping == f.Subject.Mapping
			}
		})
	})
}

// mentions tells whether a chosen line names the function or the mapping that a
// finding is about.
func mentions(f *Finding, node *atlas.Node, chosen func(*atlas.Line) bool) bool {
	for i := range node.Devices {
		device := &node.Devices[i]
		about := f.Subject.Device != nil && *f.Subject.Device == device.Address
		for j := range device.References {
			line := device.References[j].Line
			if chosen(line) && (about || f.Subject.Device == nil && f.Subject.Mapping != "" && f.Subject.Mapping == line.Mapping) {
				return true
			}
		}
	}
	return slices.ContainsFunc(node.Unplaced, func(u atlas.Unplaced) bool {
		return chosen(u.Line) && f.Subject.Device == nil && f.Subject.Mapping != "" && f.Subject.Mapping == u.Mapping
	})
}

func filter(found []Finding, keep func(*Finding) bool) []Finding {
	var kept []Finding
	for i := range found {
		if keep(&found[i]) {
			kept = append(kept, found[i])
		}
	}
	return kept
}
