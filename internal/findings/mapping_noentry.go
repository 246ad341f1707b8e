package findings

import (
	"fmt"
	"slices"
	"strings"

	"pciatlas/internal/atlas"
	"pciatlas/internal/pve"
)

// mappingNoEntryForNode finds nodes that a mapping has no entry for, once for each
// mapping and node: VMs there name it, or the node has a device like those of a
// mapping that is in use.
func mappingNoEntryForNode(w *world) []Finding {
	var found []Finding
	lost := w.mappingLostLines()
	for _, mapping := range w.mappingList() {
		used := w.mappingUsed(mapping.ID)
		for _, n := range w.nodes {
			if lines := lost[n.place(mapping)]; len(lines) > 0 {
				found = append(found, n.noEntry(mapping, lines))
				continue
			}
			if used && !n.away && len(n.place(mapping).entries) == 0 {
				if f, ok := n.fittingDevice(mapping); ok {
					found = append(found, f)
				}
			}
		}
	}
	return found
}

// mappingLostLines gives the lines whose mapping has no entry for their node.
func (w *world) mappingLostLines() map[*mappingPlace][]*line {
	lost := map[*mappingPlace][]*line{}
	for _, v := range w.vms {
		for _, l := range v.lines {
			if l.place() != nil && l.mappingLost(atlas.MappingNoEntryForNode) {
				lost[l.place()] = append(lost[l.place()], l)
			}
		}
	}
	return lost
}

// noEntry describes what the lines of a node, at least one, name there in vain.
func (n *node) noEntry(mapping *pve.Mapping, lines []*line) Finding {
	f := Finding{
		Code: MappingNoEntryForNode, Severity: Info, Subject: Subject{Node: n.Name, Slot: atlas.NoSlot, Mapping: mapping.ID},
		Evidence: append(moveEvidence(lines), mappingEntriesOn(mapping)),
		vms:      vmsOfLines(lines...),
	}
	message := fmt.Sprintf("PCI device mapping not found for '%s'", mapping.ID)
	f.Params = map[string]string{"variant": "vms", "mapping": mapping.ID, "node": n.Name, "message": message}
	head := fmt.Sprintf("Resource mapping %s has no entry for node %s", mapping.ID, n.Name)
	users := slices.DeleteFunc(slices.Clone(lines), func(l *line) bool { return l.vm.Template })
	if len(users) == 0 {
		f.Params["variant"] = "templates"
		f.Sentence = fmt.Sprintf("%s, where templates name it (%s); their clones do not start there: %q.", head, mappingFewLines(lines), message)
	} else {
		lines, f.Severity = users, Error
		who := "VM " + lines[0].vm.number() + " with this mapping in " + lines[0].key() + " is; it cannot start there"
		if len(lines) > 1 {
			who = "VMs with this mapping are (" + mappingFewLines(lines) + "); they cannot start there"
		} else {
			f.Params["variant"], f.Params["vmid"], f.Params["slot"] = "vm", lines[0].vm.number(), lines[0].key()
		}
		f.Sentence = fmt.Sprintf("%s, where %s: %q.", head, who, message)
	}
	if f.Params["variant"] != "vm" {
		f.Params["lines"] = mappingPlainLines(lines)
	}
	if len(lines) == 1 {
		f.Subject = lines[0].subject()
	}
	f.Remedy = []string{fmt.Sprintf("Add an entry for node %s to mapping %s, or move %s to a node that has one.", n.Name, mapping.ID, mappingVMs(lines))}
	if fitting := n.mappingFree(mapping); len(fitting) > 0 {
		f.devices = devicesOf(n, fitting...)
		f.Evidence = append(f.Evidence, n.fittingEvidence(fitting)...)
		f.Remedy = append(f.Remedy, fmt.Sprintf("The entry for %s there: %s", fitting[0].Address, n.fittingCommand(mapping, fitting[0])))
	}
	return f
}

// mappingPlainLines names lines as parameters do: "101 hostpci0".
func mappingPlainLines(lines []*line) string {
	names := make([]string, len(lines))
	for i, l := range lines {
		names[i] = l.vm.number() + " " + l.key()
	}
	return joined(names)
}

// mappingFewLines names the first of many lines: "VM 101 hostpci0".
func mappingFewLines(lines []*line) string { return strings.Join(few(mappingNamesOf(lines)), ", ") }

func mappingNamesOf(lines []*line) []string {
	names := make([]string, len(lines))
	for i, l := range lines {
		names[i] = "VM " + l.vm.number() + " " + l.key()
	}
	return names
}

// mappingVMs names the VMs of lines, which come by VM.
func mappingVMs(lines []*line) string {
	vmids := make([]int, len(lines))
	for i, l := range lines {
		vmids[i] = l.vm.VMID
	}
	return mappingNumbers(slices.Compact(vmids))
}

// fittingDevice describes a device like those of a mapping that is in no mapping on
// the node.
func (n *node) fittingDevice(mapping *pve.Mapping) (Finding, bool) {
	fitting := n.mappingFree(mapping)
	if len(fitting) == 0 {
		return Finding{}, false
	}
	addresses := deviceNames(fitting)
	return Finding{
		Code: MappingNoEntryForNode, Severity: Info,
		Subject: Subject{Node: n.Name, Slot: atlas.NoSlot, Mapping: mapping.ID},
		Sentence: fmt.Sprintf("Node %s has a device that fits resource mapping %s (%s), but the mapping has no entry for it; "+
			"no VM with this mapping can move there.", n.Name, mapping.ID, mappingJoin(addresses)),
		Params:   map[string]string{"variant": "device", "node": n.Name, "mapping": mapping.ID, "devices": joined(addresses)},
		Evidence: append([]string{mappingEntriesOn(mapping)}, n.fittingEvidence(fitting)...),
		Remedy:   []string{n.fittingCommand(mapping, fitting[0])},
		devices:  devicesOf(n, fitting...),
	}, true
}

func (n *node) fittingEvidence(fitting []*atlas.Device) []string {
	evidence := make([]string, len(fitting))
	for i, device := range fitting {
		evidence[i] = fmt.Sprintf("%s %s: %s", n.Name, device.Address, mappingIDs(device.IDs))
	}
	return evidence
}

// fittingCommand gives the command that adds an entry for a function of the node.
func (n *node) fittingCommand(mapping *pve.Mapping, device *atlas.Device) string {
	template := pve.Entry{Node: n.Name, Path: device.Address.String()}
	if mappingWholeSlot(mapping) {
		template.Path = strings.TrimSuffix(template.Path, ".0")
	}
	return mappingSet(mapping.ID, "", append(slices.Clone(mapping.Entries), mappingEntryFor(template, device)))
}
