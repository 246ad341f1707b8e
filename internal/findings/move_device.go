package findings

import (
	"fmt"
	"slices"
	"strings"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/pve"
)

// moveRawDevices compares what raw lines name with what is on other nodes.
func moveRawDevices(w *world) []Finding {
	var found []Finding
	for _, v := range w.vms {
		var devices []*atlas.Device
		lines := v.moveLines(atlas.ViaAddress)
		for _, l := range lines {
			for _, device := range l.exact {
				if !slices.Contains(devices, device) {
					devices = append(devices, device)
				}
			}
		}
		if len(devices) == 0 {
			continue
		}
		var differs, equal, differsEvidence, equalEvidence []string
		for _, n := range v.moveTargets() {
			if texts, evidence := n.moveOthers(devices); len(texts) > 0 {
				differs, differsEvidence = append(differs, texts...), append(differsEvidence, evidence...)
			} else if text, evidence := n.moveEquals(devices); text != "" {
				equal, equalEvidence = append(equal, text), append(equalEvidence, evidence...)
			}
		}
		if len(differs) > 0 {
			found = append(found, Finding{
				Code: MigrationDeviceDiffers, Severity: Info, Subject: v.moveSubject(),
				Sentence: fmt.Sprintf("VM %d names devices by address that are other devices on other nodes: %s. "+
					"An address is no promise about the device.", v.VMID, strings.Join(differs, "; ")),
				Params:   map[string]string{"vmid": fmt.Sprint(v.VMID), "differences": strings.Join(differs, "; ")},
				Evidence: append(moveEvidence(lines), differsEvidence...),
				Remedy:   moveMapped(lines),
			})
		}
		if len(equal) > 0 {
			found = append(found, Finding{
				Code: MigrationEqualDevice, Severity: Info, Subject: v.moveSubject(),
				Sentence: fmt.Sprintf("Equal devices to those of VM %d are on %s: with resource mappings that have entries for both nodes "+
					"it can move without an edit.", v.VMID, strings.Join(equal, "; ")),
				Params:   map[string]string{"vmid": fmt.Sprint(v.VMID), "nodes": strings.Join(equal, "; ")},
				Evidence: append(moveEvidence(lines), equalEvidence...),
				Remedy:   moveMapped(lines),
			})
		}
	}
	return found
}

// moveOthers says which of the addresses are another device on the node.
func (n *node) moveOthers(devices []*atlas.Device) (texts, evidence []string) {
	for _, device := range devices {
		other := n.moveAt(device.Address)
		if other != nil && mappingIDs(other.IDs) != mappingIDs(device.IDs) {
			texts = append(texts, fmt.Sprintf("%s on %s is %s, not %s", device.Address, n.Name, other.IDs, device.IDs))
			evidence = append(evidence, fmt.Sprintf("%s %s: %s", n.Name, device.Address, mappingIDs(other.IDs)))
		}
	}
	return texts, evidence
}

// moveEquals says where the node has equals of all devices, "" if it has not.
func (n *node) moveEquals(devices []*atlas.Device) (text string, evidence []string) {
	var used []*atlas.Device
	var addresses []string
	take := func(fits func(*atlas.Device) bool) bool {
		for i := range n.Devices {
			if other := &n.Devices[i]; fits(other) && !slices.Contains(used, other) {
				used, addresses = append(used, other), append(addresses, other.Address.String())
				evidence = append(evidence, fmt.Sprintf("%s %s: %s", n.Name, other.Address, mappingIDs(other.IDs)))
				return true
			}
		}
		return false
	}
	for _, device := range devices {
		equal := func(other *atlas.Device) bool { return mappingIDs(other.IDs) == mappingIDs(device.IDs) }
		if !take(func(other *atlas.Device) bool { return equal(other) && other.Address == device.Address }) && !take(equal) {
			return "", nil
		}
	}
	return fmt.Sprintf("node %s (%s)", n.Name, strings.Join(addresses, ", ")), evidence
}

// moveMappedDiffers finds VMs that get another device from the same mapping on
// another node. The ids are those of the entries.
func moveMappedDiffers(w *world) []Finding {
	var found []Finding
	for _, v := range w.vms {
		var seen []string
		for _, l := range v.moveLines(atlas.ViaMapping) {
			mapping := w.mappingOf(l.Mapping)
			if mapping == nil || slices.Contains(seen, l.Mapping) {
				continue
			}
			seen = append(seen, l.Mapping)
			here := moveEntryIDs(mapping, v.Node)
			var texts []string
			for _, n := range v.moveTargets() {
				there := slices.DeleteFunc(moveEntryIDs(mapping, n.Name), func(id string) bool { return slices.Contains(here, id) })
				if len(there) > 0 && len(here) > 0 {
					texts = append(texts, fmt.Sprintf("%s on %s", mappingJoin(there), n.Name))
				}
			}
			if len(texts) == 0 {
				continue
			}
			found = append(found, Finding{
				Code: MigrationDeviceDiffers, Severity: Info,
				Subject: Subject{VMID: v.VMID, Slot: l.Slot, Mapping: l.Mapping},
				Sentence: fmt.Sprintf("VM %d may get another device from resource mapping %s after a move: %s in place of %s on %s.",
					v.VMID, l.Mapping, strings.Join(texts, ", "), mappingJoin(here), v.Node),
				Params: map[string]string{
					"vmid": fmt.Sprint(v.VMID), "slot": l.key(), "mapping": l.Mapping, "differences": strings.Join(texts, ", "),
				},
				Evidence: append([]string{mappingLineEvidence(l)}, moveMaps(mapping)...),
				Remedy:   []string{"See that the guest has drivers for both devices, or make one mapping for each kind of device."},
			})
		}
	}
	return found
}

func moveEntryIDs(mapping *pve.Mapping, node string) []string {
	var ids []string
	for _, entry := range mapping.On(node) {
		ids = append(ids, strings.ToLower(entry.ID))
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

func moveMaps(mapping *pve.Mapping) []string {
	texts := make([]string, 0, len(mapping.Entries))
	for _, entry := range mapping.Entries {
		texts = append(texts, fmt.Sprintf("mapping %s: map %s", mapping.ID, entry))
	}
	return texts
}

// moveStartFails finds VMs that Proxmox VE would move to a node where their
// mapping does not work.
func moveStartFails(w *world) []Finding {
	var found []Finding
	for _, v := range w.vms {
		var seen []string
		for _, l := range v.moveLines(atlas.ViaMapping) {
			mapping := w.mappingOf(l.Mapping)
			key := l.Mapping + "," + l.Mdev
			if mapping == nil || !l.next() || slices.Contains(seen, key) {
				continue
			}
			seen = append(seen, key)
			if f, ok := l.startFails(mapping); ok {
				found = append(found, f)
			}
		}
	}
	return found
}

func (l *line) startFails(mapping *pve.Mapping) (Finding, bool) {
	var texts []string
	evidence := []string{mappingLineEvidence(l)}
	for _, n := range l.vm.moveTargets() {
		p := mappingPlace{mapping, n, mapping.On(n.Name)}
		if text, proof := l.failsAt(&p); text != "" {
			texts = append(texts, fmt.Sprintf("%s (%s)", n.Name, text))
			evidence = append(evidence, proof)
		}
	}
	return Finding{
		Code: MigrationStartFails, Severity: Warning,
		Subject: Subject{VMID: l.vm.VMID, Slot: l.Slot, Mapping: l.Mapping},
		Sentence: fmt.Sprintf("Proxmox VE lets VM %d move by resource mapping %s, because it checks only that an entry exists, but it does not start on %s.",
			l.vm.VMID, l.Mapping, mappingJoin(texts)),
		Params: map[string]string{
			"vmid": fmt.Sprint(l.vm.VMID), "slot": l.key(), "mapping": l.Mapping, "nodes": strings.Join(texts, ", "),
		},
		Evidence: evidence,
		Remedy:   []string{fmt.Sprintf("Correct the entries of mapping %s for these nodes before the VM moves there.", l.Mapping)},
	}, len(texts) > 0
}

// failsAt says why the line does not work on the node of a place, "" if nothing
// speaks against it.
func (l *line) failsAt(p *mappingPlace) (text, evidence string) {
	for _, entry := range p.entries {
		if faults := p.faults(entry); len(faults) > 0 {
			return faults[0].Message, fmt.Sprintf("%s: map %s", p.node.Name, entry)
		}
	}
	if l.Mdev == "" || !p.node.mappingDevicesWhole() {
		return "", ""
	}
	checked := 0
	for _, entry := range p.entries {
		for _, device := range p.functions(entry) {
			offers := slices.ContainsFunc(device.Types.Value, func(t facts.MdevType) bool { return t.Type == l.Mdev })
			if device.Types.State != facts.OK || len(device.Types.Value) == 0 || offers {
				return "", ""
			}
			checked++
		}
	}
	if checked == 0 {
		return "", ""
	}
	return "no device offers type " + l.Mdev, fmt.Sprintf("%s: %d devices of mapping %s without type %s", p.node.Name, checked, p.mapping.ID, l.Mdev)
}
