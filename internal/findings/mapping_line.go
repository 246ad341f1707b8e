package findings

import (
	"fmt"
	"slices"
	"strings"

	"pciatlas/internal/atlas"
	"pciatlas/internal/pci"
	"pciatlas/internal/pve"
)

// mappingLost tells whether the mapping itself is why the line lands nowhere.
func (l *line) mappingLost(reason atlas.Reason) bool {
	return l.Via == atlas.ViaMapping && l.next() &&
		slices.ContainsFunc(l.unplaced, func(u *atlas.Unplaced) bool { return u.Selector == "" && u.Reason == reason })
}

func mappingNotFound(w *world) []Finding {
	var found []Finding
	for _, v := range w.vms {
		for _, l := range v.lines {
			if l.mappingLost(atlas.MappingNotFound) {
				found = append(found, l.mappingNotFound())
			}
		}
	}
	return found
}

func (l *line) mappingNotFound() Finding {
	w := l.vm.node.world
	message := fmt.Sprintf("PCI device mapping not found for '%s'", l.Mapping)
	f := Finding{
		Code: MappingNotFound, Severity: Error, Subject: l.subject(),
		Sentence: fmt.Sprintf("VM %d names resource mapping %s in %s, which does not exist. It does not start (%q), "+
			"and Proxmox VE's own check before a move ends with an error.", l.vm.VMID, l.Mapping, l.key(), message),
		Params:   map[string]string{"variant": "vm", "vmid": l.vm.number(), "slot": l.key(), "mapping": l.Mapping, "message": message},
		Evidence: []string{mappingLineEvidence(l), "mappings: " + w.mappingNames()},
	}
	if l.vm.Template {
		f.Params["variant"] = "template"
		f.Sentence = fmt.Sprintf("Template %d names resource mapping %s in %s, which does not exist. No clone of it starts: %q.",
			l.vm.VMID, l.Mapping, l.key(), message)
	}
	for i := range w.report.MappingLines {
		if dropped := &w.report.MappingLines[i]; dropped.Section == l.Mapping {
			f.Evidence = append(f.Evidence, fmt.Sprintf("mapping/pci.cfg line %d is dropped by Proxmox VE: %s", dropped.Line, dropped.Reason))
		}
	}
	for _, mapping := range w.mappingList() {
		if id := mapping.ID; strings.EqualFold(id, l.Mapping) {
			value := l.Value
			value.Mapping = id
			f.Remedy = append(f.Remedy, "Names are case-sensitive; a mapping "+id+" exists: "+mappingQMSet(l, value))
		}
	}
	if f.Remedy == nil {
		value := l.Value
		value.Mapping = "NAME"
		f.Remedy = []string{fmt.Sprintf("Create mapping %s, or name one that exists: %s", l.Mapping, mappingQMSet(l, value))}
	}
	return f
}

// mappingQMSet gives the command that writes a value into the line's slot.
func mappingQMSet(l *line, value pve.HostPCI) string {
	return "qm set " + l.vm.number() + " --" + l.key() + " " + shellQuoted(value.String())
}

func (w *world) mappingNames() string {
	names := make([]string, 0, len(w.report.Mappings))
	for _, mapping := range w.mappingList() {
		names = append(names, mapping.ID)
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// mappingEntriesOn says which nodes a mapping has entries for.
func mappingEntriesOn(mapping *pve.Mapping) string {
	nodes := make([]string, 0, len(mapping.Entries))
	for _, entry := range mapping.Entries {
		nodes = append(nodes, entry.Node)
	}
	slices.Sort(nodes)
	return fmt.Sprintf("mapping %s: entries for %s", mapping.ID, strings.Join(slices.Compact(nodes), ", "))
}

// mappingUsed tells whether a VM that is no template will use the mapping.
func (w *world) mappingUsed(id string) bool {
	return slices.ContainsFunc(w.usersOf(id), func(v *vm) bool {
		return !v.Template && slices.ContainsFunc(v.lines, func(l *line) bool { return l.Mapping == id && l.next() })
	})
}

func mappingWholeSlot(mapping *pve.Mapping) bool {
	return !slices.ContainsFunc(mapping.Entries, func(e pve.Entry) bool { return mappingDeviceOf(e.Paths()[0]) != nil })
}

// mappingFree gives the functions of a node that are like those of the mapping's
// entries and belong to no mapping there.
func (n *node) mappingFree(mapping *pve.Mapping) []*atlas.Device {
	var fitting []*atlas.Device
	for i := range n.Devices {
		device := &n.Devices[i]
		if mappingFits(mapping, device) && !n.mappingNames(device.Address) {
			fitting = append(fitting, device)
		}
	}
	return fitting
}

// mappingFits tells whether the function is like the first of an entry: ids,
// subsystem where the entry has one, and function 0 for a whole slot.
func mappingFits(mapping *pve.Mapping, device *atlas.Device) bool {
	return slices.ContainsFunc(mapping.Entries, func(e pve.Entry) bool {
		whole := mappingDeviceOf(e.Paths()[0]) == nil
		subsystem := device.IDs.Subsystem
		return strings.EqualFold(e.ID, device.IDs.String()) && (!whole || device.Address.Function == 0) &&
			(e.Subsystem == "" || subsystem != nil && strings.EqualFold(e.Subsystem, subsystem.String()))
	})
}

// mappingNames tells whether any mapping has an entry for the function.
func (n *node) mappingNames(address pci.Address) bool {
	for i := range n.world.report.Mappings {
		for _, entry := range n.world.report.Mappings[i].On(n.Name) {
			for _, part := range entry.Paths() {
				if selector, ok := pve.PathSelector(part); ok && selector.Names(address) {
					return true
				}
			}
		}
	}
	return false
}
