package findings

import (
	"fmt"
	"slices"
	"strings"

	"pciatlas/internal/atlas"
	"pciatlas/internal/pci"
	"pciatlas/internal/pve"
)

// corrected gives the entry as the hardware is. ok is false where the facts name
// none that is certain to be meant.
func (p *mappingPlace) corrected(entry pve.Entry) (fixed pve.Entry, ok bool) {
	first, alike := p.named(entry)
	switch {
	case first == nil || p.isForeign(entry, first):
		return p.movedEntry(entry)
	case alike:
		return mappingEntryFor(entry, first), true
	default:
		return p.wholeSlot(entry)
	}
}

// named gives the function that the first path of an entry names first, nil if a
// path names none. alike: all paths name devices of the same ids.
func (p *mappingPlace) named(entry pve.Entry) (first *atlas.Device, alike bool) {
	alike = true
	for _, part := range entry.Paths() {
		selector, ok := pve.PathSelector(part)
		if !ok || selector.NamesNothing() {
			return nil, false
		}
		device := p.node.Device(selector.First())
		switch {
		case device == nil:
			return nil, false
		case first == nil:
			first = device
		case idsOf(first) != idsOf(device):
			alike = false
		}
	}
	return first, alike
}

// isForeign tells whether another device than the entry means has taken its address,
// so that the properties of that device have no place in the mapping: devices of the
// entry's ids are elsewhere, or the ids belong to another kind of device.
func (p *mappingPlace) isForeign(entry pve.Entry, first *atlas.Device) bool {
	if deviceHasIDs(first, &entry) {
		return false
	}
	return slices.ContainsFunc(deviceLostEntries(p.node), func(e *deviceEntry) bool {
		return e.mapping == p.mapping && *e.entry == entry
	}) || !strings.EqualFold(first.IDs.String(), entry.ID) && p.node.world.otherKind(p.mapping, entry.ID, first)
}

// otherKind tells whether ids of a mapping are those of another kind of device than a
// function is: as a device of these ids shows on any node, or the maker of graphics
// processors alone, or the use of the mapping.
func (w *world) otherKind(mapping *pve.Mapping, ids string, device *atlas.Device) bool {
	for _, n := range w.nodes {
		for i := range n.Devices {
			if strings.EqualFold(n.Devices[i].IDs.String(), ids) {
				return n.Devices[i].Class.Base() != device.Class.Base()
			}
		}
	}
	if device.Class.Kind() != pci.Other {
		return false
	}
	graphics := strings.HasPrefix(strings.ToLower(ids), "10de:") && device.IDs.Vendor != 0x10de
	return graphics || slices.ContainsFunc(w.usersOf(mapping.ID), func(v *vm) bool {
		return slices.ContainsFunc(v.lines, func(l *line) bool {
			return l.Mapping == mapping.ID && (l.Value.XVGA == "1" || l.Value.LegacyIGD == "1")
		})
	})
}

// movedEntry gives the entry at the address where its device is likely to be now:
// the only one of its ids that nothing else names or looks for.
func (p *mappingPlace) movedEntry(entry pve.Entry) (fixed pve.Entry, ok bool) {
	if !p.node.world.report.DevicesWhole(p.node.Node) {
		return entry, false
	}
	lost := deviceLostEntries(p.node)
	at := slices.IndexFunc(lost, func(e *deviceEntry) bool { return e.mapping == p.mapping && *e.entry == entry })
	if at < 0 || len(lost[at].equal) != 1 {
		return entry, false
	}
	device := lost[at].equal[0]
	for i, other := range lost {
		if i != at && slices.Contains(other.equal, device) {
			return entry, false
		}
	}
	entry.Path = mappingPathLike(entry.Path, device.Address)
	return mappingEntryFor(entry, device), true
}

// mappingPathLike writes an address as a path does: as a whole slot or a function.
func mappingPathLike(path string, address pci.Address) string {
	if mappingDeviceOf(path) == nil {
		return strings.TrimSuffix(address.Slot().String(), ".0")
	}
	return address.String()
}

// wholeSlot gives an entry of one path for functions that are all of one slot.
func (p *mappingPlace) wholeSlot(entry pve.Entry) (fixed pve.Entry, ok bool) {
	functions := p.functions(entry)
	slot := functions[0].Address.Slot()
	first := p.node.Device(slot)
	if first == nil {
		return entry, false
	}
	entry.Path = mappingPathLike("", slot)
	return mappingEntryFor(entry, first), slices.Equal(functions, p.readFunctions(entry))
}

// tookOver gives the device that has taken the address of an entry, nil if none has.
func (p *mappingPlace) tookOver(entry pve.Entry) *atlas.Device {
	if first, _ := p.named(entry); first != nil && p.isForeign(entry, first) {
		return first
	}
	return nil
}

// correction gives the steps that make a mapping valid again.
func (p *mappingPlace) correction(entry pve.Entry, faults []pve.EntryFault) []string {
	var steps []string
	fixed, ok := p.corrected(entry)
	switch {
	case ok && fixed.Path != entry.Path:
		steps = append(steps, fmt.Sprintf("If %s is what is meant, the corrected entry is: %s", fixed.Path, fixed))
	case ok:
		steps = append(steps, "The corrected entry is: "+fixed.String())
	case faults[0].Code == pve.EntryDeviceNotFound:
		steps = append(steps, fmt.Sprintf("Look on node %s for the address that the device %s has now, and write it into the entry: lspci -nnD -d %s",
			p.node.Name, entry.ID, entry.ID))
	case p.tookOver(entry) != nil:
		steps = append(steps, fmt.Sprintf("At %s is another device now, %s: do not write what it is into the mapping. "+
			"Look on node %s for the address that the device %s has now, and write that into the entry: lspci -nnD -d %s",
			entry.Path, deviceLabel(p.tookOver(entry)), p.node.Name, entry.ID, entry.ID))
	default:
		steps = append(steps, "Properties cannot make this entry valid, because its paths name different devices: "+
			"write the whole slot (a path without function), or use one mapping for each device.")
	}
	if command := p.correctionCommand(faults); command != "" {
		steps = append(steps, command)
	}
	if running := p.node.world.mappingRunning(p.mapping.ID); len(running) > 0 {
		steps = append(steps, fmt.Sprintf("Change it while no VM that uses it runs (now running: %s), because Proxmox VE cleans up "+
			"after a VM by what the mapping says then.", mappingNumbers(running)))
	}
	return steps
}

// correctionCommand gives the command that writes the entries of the mapping, all
// of them, because Proxmox VE replaces them together; "" if what is left would serve
// those who use it no more than before.
func (p *mappingPlace) correctionCommand(faults []pve.EntryFault) string {
	entries := make([]pve.Entry, 0, len(p.mapping.Entries))
	here := 0 // entries for the node
	for _, other := range p.mapping.Entries {
		ok := true
		if other.Node == p.node.Name && len(p.faults(other)) > 0 {
			other, ok = p.corrected(other)
		}
		if !ok {
			continue
		}
		entries = append(entries, other)
		if other.Node == p.node.Name {
			here++
		}
	}
	options := ""
	for _, fault := range faults {
		if fault.Property == "mdev" {
			options = " --mdev " + fault.Actual
		}
	}
	set := mappingSet(p.mapping.ID, options, entries)
	w := p.node.world
	switch {
	case len(entries) == len(p.mapping.Entries):
		return set
	case len(entries) == 0:
		if w.mappingSeen() != atlas.Proven || w.mappingMentions()[p.mapping.ID] {
			return ""
		}
		return "Nothing uses the mapping, so it can be deleted as well: pvesh delete /cluster/mapping/pci/" + p.mapping.ID
	case here == 0 && slices.ContainsFunc(w.usersOf(p.mapping.ID), func(v *vm) bool { return v.node == p.node }):
		return ""
	default:
		return "Until then, all entries that can be kept, without those that cannot: " + set
	}
}
