package findings

import (
	"slices"

	"pciatlas/internal/atlas"
)

// OfNodes gives the findings about some nodes and those about none in particular;
// all of them if no node is named.
func OfNodes(found []Finding, nodes []string) []Finding {
	if len(nodes) == 0 {
		return found
	}
	return filter(found, func(f *Finding) bool { return f.Subject.Node == "" || slices.Contains(nodes, f.Subject.Node) })
}

// OfVM gives the findings about a VM, and those about a function or a mapping that
// one of its lines names.
func OfVM(found []Finding, node *atlas.Node, vm *atlas.VM) []Finding {
	return filter(found, func(f *Finding) bool {
		if f.Subject.VMID != 0 || f.Subject.Node != "" && f.Subject.Node != node.Name {
			return f.Subject.VMID == vm.VMID
		}
		return mentions(f, node, func(line *atlas.Line) bool { return line.VM == vm })
	})
}

// OfDevice gives the findings about a function, and those about a line or a
// mapping that names it.
func OfDevice(found []Finding, node *atlas.Node, device *atlas.Device) []Finding {
	return filter(found, func(f *Finding) bool {
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
