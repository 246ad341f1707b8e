package findings

import (
	"fmt"
	"slices"
	"strings"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
)

// groupIOMMU gives what was read of the node's IOMMU, ok if all of it was.
func groupIOMMU(n *node) (read facts.Read[facts.IOMMU], ok bool) {
	if known := n.world.facts.Nodes[n.Name]; known != nil {
		read = known.IOMMU
	}
	return read, read.State == facts.OK
}

// groupPassing gives the lines of a node whose next start passes functions that
// are there, whole or as mediated devices.
func groupPassing(n *node) []*line {
	if n.passing != nil {
		return n.passing
	}
	lines := make([]*line, 0, len(n.vms))
	for _, v := range n.vms {
		for _, l := range v.lines {
			if !v.Template && l.next() && len(l.all()) > 0 {
				lines = append(lines, l)
			}
		}
	}
	n.passing = lines
	return lines
}

// groupNone tells whether the function is told to have no group.
func groupNone(device *atlas.Device) bool {
	return device.Device.Group.Told && device.Device.Group.Value == nil
}

// findNoIOMMU finds nodes that cannot pass anything and are asked to. Proxmox VE
// looks for an IOMMU before it makes a mediated device, too.
func findNoIOMMU(w *world) []Finding {
	var found []Finding
	for _, n := range w.nodes {
		lines := groupPassing(n)
		if len(lines) == 0 || slices.ContainsFunc(n.Devices, func(d atlas.Device) bool { return !groupNone(&d) }) {
			continue
		}
		read, ok := groupIOMMU(n)
		evidence := []string{fmt.Sprintf("%s of node %s, none with an IOMMU group", deviceCount(n), n.Name)}
		switch {
		case ok && read.Value.Present || !ok && n.fromFiles || !ok && !deviceListWhole(n):
			continue
		case ok:
			evidence = append(evidence, "/sys/class/iommu: empty")
			if words := groupIOMMUWords(read.Value.CommandLine); len(words) > 0 {
				evidence = append(evidence, "kernel command line: "+strings.Join(words, " "))
			}
		}
		var vms []*vm
		var devices []*atlas.Device
		for _, l := range lines {
			vms = deviceAppendVM(vms, l.vm)
			devices = append(devices, l.all()...)
			evidence = append(evidence, deviceLineEvidence(l))
		}
		found = append(found, Finding{
			Code: NoIOMMU, Severity: Error, Subject: Subject{Node: n.Name, Slot: atlas.NoSlot},
			Sentence: fmt.Sprintf("Node %s has no IOMMU: no function has an IOMMU group, so nothing can be passed to %s.",
				n.Name, deviceVMWords(vms)),
			Params:   map[string]string{"node": n.Name, "vms": joined(deviceNumbers(vms))},
			Evidence: evidence,
			Remedy: []string{
				"Switch on VT-d (Intel) or AMD-Vi (AMD) in the firmware of the node.",
				"dmesg | grep -e DMAR -e IOMMU -e AMD-Vi",
				"On Intel with kernels before 6.8, add intel_iommu=on to the kernel command line and restart the node.",
			},
			vms: vmsOf(vms...), devices: devicesOf(n, devices...),
		})
	}
	return found
}

// groupIOMMUWords gives the words of the command line about the IOMMU.
func groupIOMMUWords(words []string) []string {
	var about []string
	for _, word := range words {
		if name, _, _ := strings.Cut(word, "="); strings.Contains(name, "iommu") {
			about = append(about, word)
		}
	}
	return about
}

// findNoIOMMUGroup finds lines that pass functions without a group.
func findNoIOMMUGroup(w *world) []Finding {
	var found []Finding
	for _, n := range w.nodes {
		for _, l := range groupPassing(n) {
			lacking := groupLacking(l)
			if len(lacking) == 0 || !l.exclusive() {
				continue
			}
			subject := l.subject()
			if len(lacking) == 1 {
				subject.Device = &lacking[0].Address
			}
			found = append(found, Finding{
				Code: NoIOMMUGroup, Severity: Error, Subject: subject,
				Sentence: fmt.Sprintf("%s of VM %d passes %s, which %s no IOMMU group; without one it cannot be passed, and the VM does not start.",
					l.key(), l.vm.VMID, deviceWords(deviceNames(lacking)), devicePlural(len(lacking), "has", "have")),
				Params: map[string]string{
					"node": n.Name, "vmid": l.vm.number(), "slot": l.key(), "devices": joined(deviceNames(lacking)),
				},
				Evidence: append([]string{deviceLineEvidence(l)}, deviceEvidenceOf(lacking)...),
				Remedy: []string{
					"Switch on VT-d (Intel) or AMD-Vi (AMD) in the firmware; look at dmesg | grep -e DMAR -e IOMMU -e AMD-Vi.",
					fmt.Sprintf("If the device cannot have a group: qm set %d --delete %s", l.vm.VMID, l.key()),
				},
				devices: devicesOf(n, l.all()...),
			})
		}
	}
	return found
}

// groupLacking gives the functions without a group that a line is sure to meet.
func groupLacking(l *line) []*atlas.Device {
	var lacking []*atlas.Device
	for _, device := range l.exact {
		if groupNone(device) {
			lacking = append(lacking, device)
		}
	}
	if len(l.candidates) > 0 && !slices.ContainsFunc(l.candidates, func(d *atlas.Device) bool { return !groupNone(d) }) {
		lacking = append(lacking, l.candidates...)
	}
	return lacking
}

// findACSOverride finds nodes whose groups were made by the kernel command line.
func findACSOverride(w *world) []Finding {
	var found []Finding
	for _, n := range w.nodes {
		read, _ := groupIOMMU(n)
		if !read.State.Answered() {
			continue
		}
		i := slices.IndexFunc(read.Value.CommandLine, func(word string) bool {
			name, value, _ := strings.Cut(word, "=")
			return strings.ReplaceAll(name, "-", "_") == "pcie_acs_override" && value != ""
		})
		if i < 0 {
			continue
		}
		word := read.Value.CommandLine[i]
		found = append(found, Finding{
			Code: ACSOverrideActive, Severity: Warning, Subject: Subject{Node: n.Name, Slot: atlas.NoSlot},
			Sentence: fmt.Sprintf("The kernel of node %s runs with %s: its IOMMU groups do not prove that devices are isolated from each other.",
				n.Name, word),
			Params:   map[string]string{"node": n.Name, "parameter": word},
			Evidence: []string{"kernel command line of " + n.Name + ": " + word},
			Remedy:   []string{"Remove the parameter from the kernel command line and look at the groups of the hardware, or keep to VMs that may trust each other."},
		})
	}
	return found
}
