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
	vms := w.moveByAddress()
	found := make([]Finding, 0, len(vms))
	for _, v := range vms {
		lines := v.moveLines(atlas.ViaAddress)
		devices := moveDevices(lines)
		if len(devices) == 0 {
			continue
		}
		raw := v.node.moveRawOf(devices)
		if !raw.compared {
			raw.compare(v.node)
		}
		if raw.differs != "" {
			found = append(found, Finding{
				Code: MigrationDeviceDiffers, Severity: Info, Subject: v.moveSubject(),
				Sentence: fmt.Sprintf("VM %d names devices by address that are other devices on other nodes: %s. "+
					"An address is no promise about the device.", v.VMID, raw.differs),
				Params:   map[string]string{"variant": "address", "vmid": v.number(), "differences": raw.differsPlain},
				Evidence: moveEvidence(lines, raw.differsEvidence...),
				Remedy:   v.moveMapped(lines), devices: raw.differsThere,
			})
		}
		if raw.equalFew != "" {
			found = append(found, Finding{
				Code: MigrationEqualDevice, Severity: Info, Subject: v.moveSubject(),
				Sentence: "Equal devices to those of VM " + v.number() + " are on " + raw.equalFew +
					": with resource mappings that have entries for these nodes as well it can move without an edit.",
				Params:   map[string]string{"vmid": v.number(), "nodes": raw.equalPlain},
				Evidence: moveEvidence(lines, raw.equalEvidence...),
				Remedy:   v.moveMapped(lines), devices: raw.equalThere,
			})
		}
	}
	return found
}

// moveDevices gives the functions that lines name for certain.
func moveDevices(lines []*line) []*atlas.Device {
	if len(lines) == 1 {
		return lines[0].exact
	}
	var devices []*atlas.Device
	for _, l := range lines {
		for _, device := range l.exact {
			if !slices.Contains(devices, device) {
				devices = append(devices, device)
			}
		}
	}
	return devices
}

// moveMappedDiffers finds VMs that get another device from the same mapping on
// another node. The ids are those of the entries.
func moveMappedDiffers(w *world) []Finding {
	var found []Finding
	for _, v := range w.vms {
		lines := v.moveLines(atlas.ViaMapping)
		for i, l := range lines {
			p := l.place()
			if p == nil || l.moveRepeats(lines[:i]) {
				continue
			}
			here, texts := p.moveDiffers()
			if len(texts) == 0 {
				continue
			}
			found = append(found, Finding{
				Code: MigrationDeviceDiffers, Severity: Info,
				Subject: Subject{VMID: v.VMID, Slot: l.Slot, Mapping: l.Mapping},
				Sentence: fmt.Sprintf("VM %d may get another device from resource mapping %s after a move: %s in place of %s on %s.",
					v.VMID, l.Mapping, strings.Join(texts, ", "), mappingJoin(here), v.Node),
				Params: map[string]string{
					"variant": "mapping", "vmid": v.number(), "slot": l.key(), "mapping": l.Mapping, "node": v.Node,
					"ids": joined(here), "differences": joined(p.differs.plain),
				},
				Evidence: append([]string{mappingLineEvidence(l)}, moveMaps(p.mapping)...),
				Remedy:   []string{"See that the guest has drivers for both devices, or make one mapping for each kind of device."},
			})
		}
	}
	return found
}

// moveDiffers are the ids of a mapping's entries for a node, and where else it
// has entries with others.
type moveDiffers struct{ here, texts, plain []string }

func (p *mappingPlace) moveDiffers() (here, texts []string) {
	if p.differs == nil {
		p.differs = &moveDiffers{here: moveEntryIDs(p)}
		for _, n := range p.node.targets {
			if slices.Equal(p.differs.here, moveEntryIDs(n.place(p.mapping))) {
				continue
			}
			there := slices.DeleteFunc(slices.Clone(moveEntryIDs(n.place(p.mapping))), func(id string) bool { return slices.Contains(p.differs.here, id) })
			if len(there) > 0 && len(p.differs.here) > 0 {
				p.differs.texts = append(p.differs.texts, fmt.Sprintf("%s on %s", mappingJoin(there), n.Name))
				p.differs.plain = append(p.differs.plain, with(n.Name, strings.Join(there, " | ")))
			}
		}
	}
	return p.differs.here, p.differs.texts
}

func moveEntryIDs(p *mappingPlace) []string {
	if p.ids == nil {
		p.ids = make([]string, 0, len(p.entries))
		for i := range p.entries {
			p.ids = append(p.ids, strings.ToLower(p.entries[i].ID))
		}
		slices.Sort(p.ids)
		p.ids = slices.Compact(p.ids)
	}
	return p.ids
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
		lines := v.moveLines(atlas.ViaMapping)
		for i, l := range lines {
			p := l.place()
			repeats := func(o *line) bool { return o.Mapping == l.Mapping && o.Mdev == l.Mdev && o.next() }
			if p == nil || !l.next() || slices.ContainsFunc(lines[:i], repeats) {
				continue
			}
			if f, ok := l.startFails(p); ok {
				found = append(found, f)
			}
		}
	}
	return found
}

func (l *line) startFails(p *mappingPlace) (Finding, bool) {
	fails := l.moveFails(p)
	if len(fails.texts) == 0 {
		return Finding{}, false
	}
	texts, evidence := fails.texts, append([]string{mappingLineEvidence(l)}, fails.evidence...)
	f := Finding{
		Code: MigrationStartFails, Severity: Warning,
		Subject: Subject{VMID: l.vm.VMID, Slot: l.Slot, Mapping: l.Mapping},
		Sentence: fmt.Sprintf("Proxmox VE lets VM %d move by resource mapping %s, because it checks only that an entry exists, but it does not start on %s.",
			l.vm.VMID, l.Mapping, mappingJoin(texts)),
		Params: map[string]string{
			"vmid": l.vm.number(), "slot": l.key(), "mapping": l.Mapping, "nodes": joined(slices.Concat(fails.invalid, fails.lacking)),
		},
		Evidence: evidence,
		Remedy:   []string{fmt.Sprintf("Correct the entries of mapping %s for these nodes before the VM moves there.", l.Mapping)},
		devices:  fails.devices,
	}
	f.alsoOf("invalid_entry", "invalid", fails.invalid)
	if len(fails.lacking) > 0 {
		f.also("no_type", map[string]string{"without_type": joined(fails.lacking), "type": l.Mdev})
	}
	return f, true
}

// moveFails are the nodes where lines of a mapping with a type of mediated device
// do not work, and why.
type moveFails struct {
	mdev            string
	texts, evidence []string
	// invalid are the nodes with an invalid entry, lacking those without the type.
	invalid, lacking []string
	devices          []deviceOn // of the places that fail
}

func (l *line) moveFails(p *mappingPlace) *moveFails {
	for _, known := range p.fails {
		if known.mdev == l.Mdev {
			return known
		}
	}
	fails := &moveFails{mdev: l.Mdev}
	p.fails = append(p.fails, fails)
	for _, n := range l.vm.moveTargets() {
		if text, proof, invalid := l.failsAt(n.place(p.mapping)); text != "" {
			if invalid {
				fails.invalid = append(fails.invalid, n.Name)
			} else {
				fails.lacking = append(fails.lacking, n.Name)
			}
			fails.texts = append(fails.texts, fmt.Sprintf("%s (%s)", n.Name, text))
			fails.evidence = append(fails.evidence, proof)
			fails.devices = append(fails.devices, devicesOf(n, n.place(p.mapping).all()...)...)
		}
	}
	return fails
}

// failsAt says why the line does not work on the node of a place, "" if nothing
// speaks against it: an entry is invalid, or no function offers the type.
func (l *line) failsAt(p *mappingPlace) (text, evidence string, invalid bool) {
	for _, entry := range p.entries {
		if faults := p.faults(entry); len(faults) > 0 {
			return faults[0].Message, fmt.Sprintf("%s: map %s", p.node.Name, entry), true
		}
	}
	if l.Mdev == "" || !p.node.world.report.DevicesWhole(p.node.Node) {
		return "", "", false
	}
	checked := 0
	for _, entry := range p.entries {
		for _, device := range p.functions(entry) {
			offers := slices.ContainsFunc(device.Types.Value, func(t facts.MdevType) bool { return t.Type == l.Mdev })
			if device.Types.State != facts.OK || len(device.Types.Value) == 0 || offers {
				return "", "", false
			}
			checked++
		}
	}
	if checked == 0 {
		return "", "", false
	}
	evidence = fmt.Sprintf("%s: %d devices of mapping %s without type %s", p.node.Name, checked, p.mapping.ID, l.Mdev)
	return "no device offers type " + l.Mdev, evidence, false
}
