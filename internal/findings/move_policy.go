package findings

import (
	"fmt"
	"slices"
	"strings"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
)

// moveHA gives the VM as a resource of HA. ok is false if it is none, or the
// policies of HA were not read.
func (v *vm) moveHA() (facts.HAResource, bool) {
	ha := v.node.world.facts.HA
	if ha.State != facts.OK || v.Template {
		return facts.HAResource{}, false
	}
	for _, resource := range ha.Value.Resources {
		if resource.VMID == v.VMID && resource.Kind == facts.QEMU {
			return resource, resource.State != "ignored" && resource.State != "disabled"
		}
	}
	return facts.HAResource{}, false
}

func (v *vm) moveHAState() string {
	resource, _ := v.moveHA()
	return "state " + resource.State
}

// moveHATargets gives the other nodes that HA may put the VM on, as far as its
// strict rules let it; none if HA does not look after it.
func (v *vm) moveHATargets() []*node {
	resource, ok := v.moveHA()
	if !ok {
		return nil
	}
	targets := slices.Clone(v.moveTargets())
	for _, rule := range v.node.world.facts.HA.Value.Rules {
		concerns := rule.Type == "node-affinity" && slices.Contains(rule.VMIDs, v.VMID) ||
			rule.Type == "group" && (rule.ID == resource.Group && rule.ID != "" || slices.Contains(rule.VMIDs, v.VMID))
		if concerns && rule.Strict && !rule.Disabled {
			targets = slices.DeleteFunc(targets, func(n *node) bool { return !slices.Contains(rule.Nodes, n.Name) })
		}
	}
	return targets
}

// moveHARaw finds VMs of HA that name devices by address.
func moveHARaw(w *world) []Finding {
	var found []Finding
	for _, v := range w.vms {
		targets := v.moveHATargets()
		if len(targets) == 0 {
			continue
		}
		lines := slices.DeleteFunc(slices.Clone(v.moveLines(atlas.ViaAddress)), func(l *line) bool { return !l.next() })
		if len(lines) == 0 {
			continue
		}
		var addresses []string
		for _, l := range lines {
			addresses = append(addresses, l.Value.Host)
		}
		names := moveNames(targets)
		found = append(found, Finding{
			Code: HARawAddress, Severity: Error, Subject: v.subject(),
			Sentence: fmt.Sprintf("HA looks after VM %d, which names %s by address. HA recovers it to %s without any check, and there it starts on whatever has that address.",
				v.VMID, mappingJoin(addresses), moveOr(names)),
			Params: map[string]string{
				"vmid": v.number(), "addresses": joined(addresses), "nodes": joined(names),
			},
			Evidence: append(moveEvidence(lines), fmt.Sprintf("HA resource vm:%d: %s", v.VMID, v.moveHAState())),
			Remedy:   append(moveMapped(lines), fmt.Sprintf("Or take it out of HA: ha-manager remove vm:%d", v.VMID)),
		})
	}
	return found
}

func moveOr(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// moveBootOrder finds functions that a VM takes by itself after a boot of the
// node while another VM wants them, too. Functions with the same VMs make one
// finding.
func moveBootOrder(w *world) []Finding {
	var found []Finding
	for _, n := range w.nodes {
		seen := map[string]int{}
		for i := range n.Devices {
			device := &n.Devices[i]
			lines := n.moveTakers(device)
			if len(lines) < 2 || !slices.ContainsFunc(lines, func(l *line) bool { return l.vm.mappingStarts() }) {
				continue
			}
			starting, vms, names := 0, []int{}, []string{}
			for _, l := range lines {
				how := "by hand"
				if l.vm.mappingStarts() {
					starting++
					how = "by itself"
				}
				vms = append(vms, l.vm.VMID)
				names = append(names, fmt.Sprintf("VM %d starts %s", l.vm.VMID, how))
			}
			key := fmt.Sprint(vms)
			if at, known := seen[key]; known {
				found[at].devices = append(found[at].devices, deviceOn{n.Name, device.Address})
				continue
			}
			if starting == 0 {
				continue
			}
			seen[key] = len(found)
			found = append(found, n.bootOrder(device, lines, names))
		}
	}
	return found
}

// moveTakers gives one line of each VM that takes the function for certain at its
// next start.
func (n *node) moveTakers(device *atlas.Device) []*line {
	naming := n.linesOf(device)
	lines := make([]*line, 0, len(naming))
	for _, l := range naming {
		if !l.vm.Template && l.exclusive() && l.next() && (len(lines) == 0 || lines[len(lines)-1].vm != l.vm) {
			lines = append(lines, l)
		}
	}
	return lines
}

func (n *node) bootOrder(device *atlas.Device, lines []*line, names []string) Finding {
	evidence := moveEvidence(lines)
	var remedy, vms, starting []string
	for _, l := range lines {
		v := l.vm
		vms = append(vms, v.number())
		if !v.mappingStarts() {
			continue
		}
		starting = append(starting, v.number())
		if _, ha := v.moveHA(); ha {
			evidence = append(evidence, fmt.Sprintf("HA resource vm:%d: %s", v.VMID, v.moveHAState()))
			remedy = append(remedy, fmt.Sprintf("ha-manager set vm:%d --state stopped", v.VMID))
			continue
		}
		evidence = append(evidence, fmt.Sprintf("VM %d onboot: 1", v.VMID))
		if startup := v.future("startup"); startup != "" {
			evidence = append(evidence, fmt.Sprintf("VM %d startup: %s", v.VMID, startup))
		}
		remedy = append(remedy, fmt.Sprintf("qm set %d --onboot 0", v.VMID))
	}
	return Finding{
		Code: BootOrderCollision, Severity: Warning, Subject: n.about(device.Address),
		Sentence: fmt.Sprintf("Device %s on node %s is wanted by several VMs (%s): after a boot of the node it belongs to the one that starts first.",
			device.Address, n.Name, strings.Join(few(names), ", ")),
		Params: map[string]string{
			"variant": "named", "device": device.Address.String(), "node": n.Name, "vms": joined(vms), "starting": joined(starting),
		},
		Evidence: evidence,
		Remedy:   append([]string{"Let one of the VMs start by itself at most; a start order only says who is first."}, remedy...),
		vms:      vmsOfLines(lines...),
	}
}

// moveBackup finds powered-off VMs whose backup starts them with their devices.
func moveBackup(w *world) []Finding {
	if w.facts.Backups.State != facts.OK || len(w.facts.Backups.Value) == 0 {
		return nil
	}
	var found []Finding
	for _, v := range w.vms {
		if v.Template || v.Config == nil || v.Status != facts.Stopped || !v.Config.HasDisk {
			continue
		}
		lines := slices.DeleteFunc(slices.Clone(v.lines), func(l *line) bool { return !l.next() || !l.exclusive() })
		var jobs []string
		for i := range w.facts.Backups.Value {
			if job := &w.facts.Backups.Value[i]; moveCovers(job, v) {
				jobs = append(jobs, job.ID)
			}
		}
		slices.Sort(jobs)
		if len(lines) > 0 && len(jobs) > 0 {
			found = append(found, v.backup(lines, jobs))
		}
	}
	return found
}

// moveCovers tells whether a job is known to back the VM up. Who belongs to a
// pool is not known.
func moveCovers(job *facts.BackupJob, v *vm) bool {
	if !job.Enabled || job.Node != "" && job.Node != v.Node || slices.Contains(job.Exclude, v.VMID) {
		return false
	}
	return job.All || slices.Contains(job.VMIDs, v.VMID)
}

func (v *vm) backup(lines []*line, jobs []string) Finding {
	keys := moveKeys(lines)
	end := "no other VM can start with it meanwhile"
	params := map[string]string{"variant": "blocks", "vmid": v.number(), "jobs": joined(jobs), "slots": joined(keys)}
	var holders []int
	var related []*vm
	evidence := moveEvidence(lines)
	for _, l := range lines {
		for _, device := range l.exact {
			for _, o := range v.node.linesOf(device) {
				if o.vm != v && o.vm.running() && o.now() && o.exclusive() && !slices.Contains(holders, o.vm.VMID) {
					holders, related = append(holders, o.vm.VMID), append(related, o.vm)
					evidence = append(evidence, mappingLineEvidence(o)+", running")
				}
			}
		}
	}
	if len(holders) > 0 {
		end = fmt.Sprintf("it fails while %s runs", mappingNumbers(holders))
		params["variant"], params["holders"] = "fails", joinedInts(holders)
	}
	evidence = append(evidence, fmt.Sprintf("VM %d: stopped, has a disk", v.VMID), "backup jobs: "+strings.Join(jobs, ", "))
	return Finding{
		Code: BackupClaimsDevice, Severity: Warning, Subject: v.subject(),
		Sentence: fmt.Sprintf("Each backup (%s) of the powered-off VM %d starts it paused with the devices of %s, whatever the mode of the job; %s.",
			strings.Join(jobs, ", "), v.VMID, mappingJoin(keys), end),
		Params:   params,
		Evidence: evidence,
		Remedy: []string{
			fmt.Sprintf("Leave VM %d out of the job while it is powered off and back it up by hand, or run the job when nobody needs the device.", v.VMID),
		},
		vms: vmsOf(related...),
	}
}
