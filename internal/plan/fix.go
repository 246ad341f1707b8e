package plan

import (
	"slices"
	"strings"

	"pciatlas/internal/atlas"
	"pciatlas/internal/pci"
	"pciatlas/internal/pve"
)

// fix plans that entries of a mapping, or lines of VMs, name the address that a
// device has now.
func (m *maker) fix() {
	if m.plan.Intent.Mapping != "" {
		m.fixMapping()
		return
	}
	for _, vmid := range m.plan.Intent.VMs {
		if vm, node := m.vm(vmid); vm != nil {
			m.fixVM(vm, node)
		}
	}
	m.confirmVM()
}

// fixMapping replaces the path of entries, and takes the group and the ids that the
// device has there.
func (m *maker) fixMapping() {
	before := m.existing(m.plan.Intent.Mapping)
	if before == nil {
		return
	}
	after := *before
	after.Entries = slices.Clone(before.Entries)
	for _, move := range m.plan.Intent.Moves {
		found := false
		for i := range after.Entries {
			entry := &after.Entries[i]
			// What was there before counts: a place that an earlier move leads to is no old one.
			if old := &before.Entries[i]; old.Node != move.Node || old.Path != move.From {
				continue
			}
			found = true
			if fixed, ok := m.movedEntry(before.ID, *entry, move); ok {
				*entry = fixed
			}
		}
		if !found {
			m.stop(NoteNotFound, false, params("mapping", before.ID, "node", move.Node, "address", move.From),
				"Mapping %s has no entry for node %s with the path %s.", before.ID, move.Node, move.From)
		}
	}
	if !m.plan.Stopped() {
		m.addChange(before, after)
	}
}

func (m *maker) movedEntry(id string, entry pve.Entry, move Move) (pve.Entry, bool) {
	device, whole, ok := m.place(move)
	if !ok {
		return entry, false
	}
	about := params("mapping", id, "node", move.Node, "from", move.From, "to", move.To)
	if strings.Contains(move.From, ";") || pathIsWhole(move.From) != whole {
		m.stop(NoteOtherSize, true, with(about, "before", move.From, "after", move.To),
			"%s and %s are not as many functions; VMs with mapping %s would get others than before.", move.From, move.To, id)
	}
	if ids := device.IDs.Pair.String(); ids != entry.ID {
		m.stop(NoteDeviceDiffers, true, with(about, "before", entry.ID, "after", ids),
			"%s on node %s is a device %s, and the entry is for %s.", move.To, move.Node, ids, entry.ID)
	}
	fixed := entryOf(Located{Node: move.Node, Device: device, WholeSlot: whole})
	fixed.Description = entry.Description
	return fixed, true
}

// pathIsWhole tells whether a path names a whole slot.
func pathIsWhole(path string) bool {
	selector, ok := pci.ParseSelector(path)
	return ok && selector.WholeSlot()
}

// place gives the function at the new address of a move, function 0 of a whole slot.
func (m *maker) place(move Move) (device *atlas.Device, whole, ok bool) {
	about := params("node", move.Node, "address", move.To)
	node := m.report.Node(move.Node)
	if node == nil || !m.report.DevicesWhole(node) {
		m.stop(NoteDevicesUnread, false, about, "The devices of node %s were not all read.", move.Node)
		return nil, false, false
	}
	selector, ok := pci.ParseSelector(move.To)
	if ok && selector.Names(selector.First()) {
		device = node.Device(selector.First())
	}
	if device == nil {
		m.stop(NoteNoDevice, false, about, "Node %s has no device at %s.", move.Node, move.To)
		return nil, false, false
	}
	return device, selector.WholeSlot(), true
}

// fixVM replaces addresses in the lines of a VM.
func (m *maker) fixVM(vm *atlas.VM, node *atlas.Node) {
	var lines []LineChange
	replaced := map[string]bool{}
	for slot := range pve.MaxHostPCI {
		item, set := vm.Config.Get(pve.SlotKey(slot))
		value, ok := item.Future()
		if host, raw := pve.HostOf(value); set && ok && raw {
			if line, changed := m.fixLine(node, slot, value, host, replaced); changed {
				lines = append(lines, line)
			}
		}
	}
	for _, move := range m.plan.Intent.Moves {
		if !replaced[move.From] {
			m.stop(NoteNotFound, false, params("vmid", decimal(vm.VMID), "node", move.Node, "address", move.From),
				"No line of VM %d names %s.", vm.VMID, move.From)
		}
	}
	m.setVM(vm, lines)
}

func (m *maker) fixLine(node *atlas.Node, slot int, value, host string, replaced map[string]bool) (LineChange, bool) {
	parts := strings.Split(host, ";")
	changed := false
	for i, part := range parts {
		for _, move := range m.plan.Intent.Moves {
			if move.Node != node.Name || !sameSelector(part, move.From) {
				continue
			}
			replaced[move.From] = true
			if _, whole, ok := m.place(move); ok {
				parts[i], changed = move.To, true
				if pathIsWhole(move.From) != whole {
					m.stop(NoteOtherSize, true, params("node", node.Name, "slot", pve.SlotKey(slot), "before", move.From, "after", move.To),
						"%s and %s are not as many functions; the VM would get others than before.", move.From, move.To)
				}
			}
			break
		}
	}
	if !changed {
		return LineChange{}, false
	}
	after, ok := pve.WithHost(value, strings.Join(parts, ";"))
	line := LineChange{Slot: slot, Before: value, After: after}
	if selectors, parsed := pci.ParseSelectors(strings.Join(parts, ";")); parsed {
		named, _ := functionsOf(node, selectors)
		for _, device := range named {
			line.Functions = append(line.Functions, Function{Address: device.Address.String(), Class: device.Class.String()})
		}
	}
	return line, ok
}

// sameSelector tells whether two texts name the same, with the domain or without.
func sameSelector(a, b string) bool {
	left, ok := pci.ParseSelector(a)
	right, both := pci.ParseSelector(b)
	return a == b || ok && both && left.First() == right.First() && left.WholeSlot() == right.WholeSlot()
}
