package findings

import (
	"fmt"

	"pciatlas/internal/pve"
)

// movePoolOrder finds functions that a VM names for certain and that others may get
// first as one of several alternatives, after a boot of the node that starts all of
// them by itself.
func movePoolOrder(w *world) []Finding {
	var found []Finding
	for _, p := range w.mappingPlaces() {
		if len(p.entries) < 2 {
			continue
		}
		before := 0 // entries whose devices others may have by then
		for k, entry := range p.choices() {
			certain := p.otherwise(entry, (*line).startsWith)
			if certain == nil {
				continue
			}
			if pool, slots := p.poolStarters(certain.vm); slots+before > k {
				found = append(found, p.poolOrder(entry, certain, pool))
			}
			before++
		}
	}
	return found
}

// startsWith tells whether the VM is known to start by itself with the line.
func (l *line) startsWith() bool { return l.next() && l.vm.mappingStarts() }

// poolStarters gives a line of each VM but one that starts by itself with whole
// devices of the mapping, and the number of devices that all of them take. Proxmox VE
// gives each the first entry that is free.
func (p *mappingPlace) poolStarters(but *vm) (lines []*line, slots int) {
	for _, v := range p.users() {
		count := v.mappingSlots(p.mapping.ID, (*line).startsWith)
		if v == but || v.Template || count == 0 {
			continue
		}
		slots += count
		for _, l := range v.lines {
			if l.Mapping == p.mapping.ID && l.exclusive() && l.startsWith() {
				lines = append(lines, l)
				break
			}
		}
	}
	return lines, slots
}

func (p *mappingPlace) poolOrder(entry pve.Entry, certain *line, pool []*line) Finding {
	vmids := make([]int, len(pool))
	evidence := []string{mappingLineEvidence(certain)}
	for i, l := range pool {
		vmids[i] = l.vm.VMID
		evidence = append(evidence, mappingLineEvidence(l))
	}
	functions := p.functions(entry)
	subject := p.subject()
	if len(functions) > 0 {
		subject = p.node.about(functions[0].Address)
	}
	return Finding{
		Code: BootOrderCollision, Severity: Warning, Subject: subject,
		Sentence: fmt.Sprintf("VM %d names %s on node %s, and resource mapping %s may give it to %s, which %s, too: "+
			"after a boot of the node VM %d does not start if the device is gone by then.",
			certain.vm.VMID, entry.Path, p.node.Name, p.mapping.ID, mappingNumbers(vmids), devicePlural(len(pool), "starts by itself", "start by themselves"), certain.vm.VMID),
		Params: map[string]string{
			"variant": "pool", "device": entry.Path, "node": p.node.Name, "mapping": p.mapping.ID,
			"vmid": certain.vm.number(), "vms": joinedInts(vmids),
		},
		Evidence: append(evidence, "mapping "+p.mapping.ID+": map "+entry.String()),
		Remedy: []string{
			fmt.Sprintf("Let VM %d use mapping %s, too, or take the entry of %s out of it.", certain.vm.VMID, p.mapping.ID, entry.Path),
			fmt.Sprintf("Or let VM %d start before the others (startup: order=N), which HA does not heed.", certain.vm.VMID),
		},
		vms: vmsOfLines(append([]*line{certain}, pool...)...), devices: devicesOf(p.node, functions...),
	}
}
