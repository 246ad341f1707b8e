package findings

import (
	"fmt"
	"slices"

	"pciatlas/internal/facts"
	"pciatlas/internal/pve"
)

// lineROMMissing finds ROM files that are not on the VM's node. A name with a
// remark in it is another finding.
func lineROMMissing(w *world) []Finding {
	var found []Finding
	for _, v := range w.vms {
		node := w.facts.Nodes[v.Node]
		if node == nil || !node.ROMFiles.State.Answered() {
			continue
		}
		for _, s := range lineSlots(v) {
			name := s.value.RomFile
			_, remark := pve.CutRemark(name)
			if remark || !slices.Contains(node.ROMFiles.Value, facts.ROMFile{Name: name}) {
				continue
			}
			value := *s.value
			value.RomFile = ""
			params := s.params()
			params["file"] = name
			found = append(found, Finding{
				Code: ROMFileMissing, Severity: Error, Subject: s.subject(), Params: params,
				Sentence: fmt.Sprintf("The ROM file %s of %s of VM %d is not in /usr/share/kvm of node %s; QEMU does not start without it.",
					name, s.key(), v.VMID, v.Node),
				Evidence: []string{s.evidence(), "/usr/share/kvm/" + name + ": not there"},
				Remedy: []string{
					"Copy the file there, as root on the node, or name the file that is there.",
					s.set(value),
				},
			})
		}
	}
	return found
}
