package httpapi

import (
	"pciatlas/internal/findings"
	"pciatlas/internal/pci"
)

// ListedFinding is a finding with everything that it concerns.
type ListedFinding struct {
	findings.Finding

	Concerns FindingConcerns `json:"concerns" doc:"What the finding is shown with."`
}

// FindingConcerns are the functions and VMs of which the answers about one of them
// have a finding: its subject, what else it speaks of, the functions that the line, the
// VM or the mapping that it is about names, and the VMs whose lines name them.
type FindingConcerns struct {
	Devices []ConcernedDevice `json:"devices"`
	VMs     []ConcernedVM     `json:"vms"`
}

// ConcernedDevice is a function of a node.
type ConcernedDevice struct {
	Node    string      `json:"node"`
	Address pci.Address `json:"address"`
}

// ConcernedVM is a VM on a node.
type ConcernedVM struct {
	Node string `json:"node"`
	VMID int    `json:"vmid"`
}

// listed adds to findings of the report what they concern, by node and address, and
// by number and node.
func (v view) listed(found []findings.Finding) []ListedFinding {
	listed := make([]ListedFinding, len(found))
	for i := range found {
		listed[i] = ListedFinding{found[i], FindingConcerns{Devices: []ConcernedDevice{}, VMs: []ConcernedVM{}}}
	}
	devices := findings.ByDevice(v.report, found)
	for i := range v.report.Nodes {
		node := &v.report.Nodes[i]
		for j := range node.Devices {
			for _, place := range devices[&node.Devices[j]] {
				to := &listed[place].Concerns.Devices
				*to = append(*to, ConcernedDevice{node.Name, node.Devices[j].Address})
			}
		}
	}
	vms := findings.ByVM(v.report, found)
	for _, vm := range v.report.VMs {
		for _, place := range vms[vm] {
			to := &listed[place].Concerns.VMs
			*to = append(*to, ConcernedVM{vm.Node, vm.VMID})
		}
	}
	return listed
}
