package findings

import (
	"fmt"
	"slices"
	"strings"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/pci"
	"pciatlas/internal/pve"
)

var moveRules = []rule{
	moveLiveFlag, moveBlockedRaw, moveMissingMapping, moveRawDevices, moveMappedDiffers, moveStartFails,
	moveHARaw, moveBootOrder, movePoolOrder, moveBackup,
}

// moveAway tells whether the node is known to be off, or to be no member.
func (n *node) moveAway() bool {
	members := n.world.facts.Members
	for _, member := range members.Value {
		if member.Name == n.Name {
			return member.Online.Told && !member.Online.Value
		}
	}
	return members.State == facts.OK
}

// moveTargets gives the other nodes that the VM could go to.
func (v *vm) moveTargets() []*node { return v.node.targets }

// moveLines gives the lines that a move has to take care of, by slot. Templates
// have none.
func (v *vm) moveLines(via atlas.Via) []*line {
	belongs := func(l *line) bool { return l.Via == via && l.counts() }
	first := slices.IndexFunc(v.lines, belongs)
	if first < 0 {
		return nil
	}
	last := first + 1
	for last < len(v.lines) && belongs(v.lines[last]) {
		last++
	}
	lines := v.lines[first:last:last]
	for _, l := range v.lines[last:] {
		if belongs(l) {
			lines = append(lines, l)
		}
	}
	return lines
}

// moveByAddress gives the VMs with lines by address that a move has to take care of.
func (w *world) moveByAddress() []*vm {
	vms := make([]*vm, 0, len(w.vms))
	for _, v := range w.vms {
		if len(v.moveLines(atlas.ViaAddress)) > 0 {
			vms = append(vms, v)
		}
	}
	return vms
}

// moveSubject is the subject of a finding about a VM wherever it is.
func (v *vm) moveSubject() Subject { return Subject{VMID: v.VMID, Slot: atlas.NoSlot} }

func moveKeys(lines []*line) []string {
	var keys []string
	for _, l := range lines {
		if !slices.Contains(keys, l.key()) {
			keys = append(keys, l.key())
		}
	}
	return keys
}

// moveEvidence quotes lines, and gives what else there is after them.
func moveEvidence(lines []*line, more ...string) []string {
	if len(lines) == 0 {
		return more
	}
	evidence := lines[0].vm.node.world.room(len(lines) + len(more))
	for _, l := range lines {
		evidence = append(evidence, mappingLineEvidence(l))
	}
	return append(evidence, more...)
}

func moveNames(nodes []*node) []string {
	names := make([]string, 0, len(nodes))
	for _, n := range nodes {
		names = append(names, n.Name)
	}
	return names
}

// moveOtherNames is the evidence that the node's VMs have somewhere to go.
func (n *node) moveOtherNames() string {
	if n.otherNames == "" {
		n.otherNames = "other nodes: " + strings.Join(moveNames(n.targets), ", ")
	}
	return n.otherNames
}

// moveLiveFlag finds lines of mappings with the live flag on devices that are
// not known to migrate. Mediated devices may, unless the guest has an IOMMU.
func moveLiveFlag(w *world) []Finding {
	var found []Finding
	for _, v := range w.vms {
		for _, l := range v.lines {
			mapping := w.mappingOf(l.Mapping)
			if v.Template || mapping == nil || !l.next() || mapping.LiveMigration == nil || !*mapping.LiveMigration {
				continue
			}
			viommu := pve.Machine(v.future("machine"))["viommu"]
			if viommu == "" && (!l.exclusive() || l.moveMayMigrate()) {
				continue
			}
			message := "VFIO migration is not supported in kernel"
			f := Finding{
				Code: LiveFlagBlocksStart, Severity: Warning, Subject: l.subject(),
				Sentence: fmt.Sprintf("Resource mapping %s of %s is marked live-migration-capable. If the device or its driver cannot migrate, "+
					"QEMU refuses to start VM %d: %q.", l.Mapping, l.key(), v.VMID, message),
				Params:   map[string]string{"variant": "flag", "vmid": v.number(), "slot": l.key(), "mapping": l.Mapping, "message": message},
				Evidence: []string{mappingLineEvidence(l), fmt.Sprintf("mapping %s: live-migration-capable 1", l.Mapping)},
				Remedy: []string{fmt.Sprintf("Unless the maker's driver supports migration of this device, take the flag away: %s",
					mappingSet(mapping.ID, " --live-migration-capable 0", mapping.Entries))},
			}
			if viommu != "" {
				f.Severity = Error
				f.Params = map[string]string{"variant": "viommu", "vmid": v.number(), "slot": l.key(), "mapping": l.Mapping, "viommu": viommu}
				f.Sentence = fmt.Sprintf("Resource mapping %s of %s is marked live-migration-capable, and VM %d has a virtual IOMMU (%s): "+
					"QEMU refuses to start it, because a device cannot migrate with one.", l.Mapping, l.key(), v.VMID, viommu)
				f.Evidence = append(f.Evidence, fmt.Sprintf("VM %d machine: viommu=%s", v.VMID, viommu))
				f.Remedy = []string{"Take the flag off the mapping: " + mappingSet(mapping.ID, " --live-migration-capable 0", mapping.Entries)}
			}
			found = append(found, f)
		}
	}
	return found
}

// moveMayMigrate tells whether nothing speaks against migration: no function of
// the line was read, or all are bound to a VFIO driver of their maker, which is
// what makes migration possible.
func (l *line) moveMayMigrate() bool {
	return !slices.ContainsFunc(l.all(), func(d *atlas.Device) bool {
		return d.Host == nil || d.Host.Driver == "vfio-pci" || !strings.Contains(d.Host.Driver, "vfio")
	})
}

// moveBlockedRaw finds VMs that raw lines keep on their node.
func moveBlockedRaw(w *world) []Finding {
	vms := w.moveByAddress()
	found := make([]Finding, 0, len(vms))
	var before, message string // most VMs have the same slots
	for _, v := range vms {
		lines, targets := v.moveLines(atlas.ViaAddress), v.moveTargets()
		if len(lines) == 0 || len(targets) == 0 {
			continue
		}
		keys := moveKeys(lines)
		slots := strings.Join(keys, ", ")
		if slots != before {
			before, message = slots, "can't migrate VM which uses local devices: "+slots
		}
		found = append(found, Finding{
			Code: MigrationBlockedRaw, Severity: Warning, Subject: v.moveSubject(),
			Sentence: "VM " + v.number() + " cannot move away from node " + v.Node + ", because it names devices by address (" + mappingJoin(keys) + "): \"" + message +
				"\". This holds for powered-off VMs, too; only root can force an offline move.",
			Params:   map[string]string{"vmid": v.number(), "node": v.Node, "slots": slots, "message": message},
			Evidence: moveEvidence(lines, v.node.moveOtherNames()),
			Remedy:   v.moveMapped(lines),
		})
	}
	return found
}

// moveMapped gives the commands that replace addresses by mappings.
func moveMapped(lines []*line) []string {
	remedy := lines[0].vm.node.world.room(len(lines) + 1)
	remedy = append(remedy, "Make a resource mapping with an entry for each node that has such a device, and name it in place of the address:")
	for _, l := range lines {
		remedy = append(remedy, "qm set "+l.vm.number()+" --"+l.key()+l.moveMappedValue())
	}
	return remedy
}

// moveMappedValue gives the line's value with a mapping in place of the address,
// quoted, as it follows the key in a command. Equal lines of a node share it.
func (l *line) moveMappedValue() string {
	n := l.vm.node
	text := n.mapped[l.Raw]
	if text == "" {
		value := l.Value
		value.Host, value.Selectors = "", nil
		value.Mapping = l.moveMapping()
		text = " " + shellQuoted(value.String())
		if n.mapped == nil {
			n.mapped = map[string]string{}
		}
		n.mapped[l.Raw] = text
	}
	return text
}

// moveMapped gives these commands for all lines of the VM that name addresses.
func (v *vm) moveMapped(lines []*line) []string {
	if v.mapped == nil {
		v.mapped = slices.Clip(moveMapped(lines))
	}
	return v.mapped
}

// moveMapping gives the mapping that has exactly the line's functions in its only
// entry for the node, or a word in its place.
func (l *line) moveMapping() string {
	if len(l.exact) == 0 || len(l.candidates) > 0 {
		return l.findMapping()
	}
	raw := l.vm.node.moveRawOf(l.exact)
	if raw.mapping == "" {
		raw.mapping = l.findMapping()
	}
	return raw.mapping
}

// findMapping works out what moveMapping gives.
func (l *line) findMapping() string {
	places := l.vm.node.mappingPlaces()
	for i := range places {
		if p := places[i]; len(p.entries) == 1 && len(l.exact) > 0 &&
			slices.Equal(p.functions(p.entries[0]), l.all()) && len(p.faults(p.entries[0])) == 0 {
			return p.mapping.ID
		}
	}
	return "NAME"
}

// moveMissingMapping finds VMs whose mapping has no entry for a node that they
// have reason to go to: it has such a device, or they are replicated to it.
func moveMissingMapping(w *world) []Finding {
	var found []Finding
	for _, v := range w.vms {
		lines := v.moveLines(atlas.ViaMapping)
		for i, l := range lines {
			p := l.place()
			if p == nil || len(p.entries) == 0 || l.moveRepeats(lines[:i]) {
				continue
			}
			if f, ok := l.missingMapping(p.mapping); ok {
				found = append(found, f)
			}
		}
	}
	return found
}

// moveRepeats tells whether one of the lines before is of the same mapping.
func (l *line) moveRepeats(before []*line) bool {
	return slices.ContainsFunc(before, func(o *line) bool { return o.Mapping == l.Mapping })
}

// moveLacking gives the other nodes that the mapping has no entry for.
func (p *mappingPlace) moveLacking() []*node {
	if !p.known {
		p.known = true
		for _, n := range p.node.targets {
			if len(n.place(p.mapping).entries) == 0 {
				p.lacking = append(p.lacking, n)
			}
		}
	}
	return p.lacking
}

func (l *line) missingMapping(mapping *pve.Mapping) (Finding, bool) {
	lacking := l.place().moveLacking()
	if len(lacking) == 0 {
		return Finding{}, false
	}
	lines := slices.DeleteFunc(slices.Clone(l.vm.moveLines(atlas.ViaMapping)), func(o *line) bool { return o.Mapping != l.Mapping })
	keys := moveKeys(lines)
	evidence := append(moveEvidence(lines), mappingEntriesOn(mapping))
	var names, texts, remedy, replicas, equals []string
	var devices []deviceOn
	for _, n := range lacking {
		text, proof, device := n.moveReason(l.vm, mapping)
		switch {
		case text == "":
			continue
		case device == nil:
			replicas = append(replicas, n.Name)
		default:
			equals = append(equals, with(n.Name, device.Address.String()))
		}
		names, texts, evidence = append(names, n.Name), append(texts, text), append(evidence, proof)
		if device != nil {
			devices = append(devices, deviceOn{n.Name, device.Address})
		}
		remedy = append(remedy, fmt.Sprintf("Add an entry for node %s to mapping %s.", n.Name, mapping.ID))
		for _, other := range n.moveEqualMappings(mapping) {
			remedy = append(remedy, fmt.Sprintf("Or use mapping %s, which has such a device on node %s: one mapping with entries for both nodes would do.", other, n.Name))
		}
	}
	message := fmt.Sprintf("missing mapped devices %s", strings.Join(keys, ", "))
	f := Finding{
		Code: MigrationMissingMapping, Severity: Error,
		Subject: Subject{VMID: l.vm.VMID, Slot: l.Slot, Mapping: l.Mapping},
		Sentence: fmt.Sprintf("VM %d cannot move to %s (%q): resource mapping %s has no entry there, although %s.",
			l.vm.VMID, mappingJoin(names), message, l.Mapping, mappingJoin(texts)),
		Params: map[string]string{
			"vmid": l.vm.number(), "slot": l.key(), "mapping": l.Mapping, "nodes": joined(names), "message": message,
		},
		Evidence: evidence, Remedy: remedy, devices: devices,
	}
	f.alsoOf("replicated", "replicas", replicas)
	f.alsoOf("equal_there", "devices", equals)
	return f, len(names) > 0
}

// moveReason says why a move to the node is to be expected, "" for no reason. device
// is the equal one there, nil if the reason is another.
func (n *node) moveReason(v *vm, mapping *pve.Mapping) (text, evidence string, device *atlas.Device) {
	w := n.world
	if w.facts.Replication.State == facts.OK {
		for _, job := range w.facts.Replication.Value {
			if job.VMID == v.VMID && job.Target == n.Name && !job.Disabled {
				return "the VM is replicated to " + n.Name, fmt.Sprintf("replication job %s: VM %d to %s", job.ID, job.VMID, n.Name), nil
			}
		}
	}
	for i := range n.Devices {
		if device := &n.Devices[i]; mappingFits(mapping, device) {
			return fmt.Sprintf("node %s has an equal device at %s", n.Name, device.Address),
				fmt.Sprintf("%s %s: %s", n.Name, device.Address, mappingIDs(device.IDs)), device
		}
	}
	return "", "", nil
}

// moveEqualMappings gives other mappings with a device on the node that fits.
func (n *node) moveEqualMappings(mapping *pve.Mapping) []string {
	var ids []string
	places := n.mappingPlaces()
	for i := range places {
		p := places[i]
		if p.mapping != mapping && slices.ContainsFunc(p.entries, func(e pve.Entry) bool {
			return slices.ContainsFunc(p.functions(e), func(d *atlas.Device) bool { return mappingFits(mapping, d) })
		}) {
			ids = append(ids, p.mapping.ID)
		}
	}
	return ids
}

// moveAt gives the function of a node at an address, nil if it is not there.
func (n *node) moveAt(address pci.Address) *atlas.Device {
	if !n.DevicesRead {
		return nil
	}
	return n.Device(address)
}
