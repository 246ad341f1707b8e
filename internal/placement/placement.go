// Package placement tells on which nodes a VM can start, as the start of Proxmox VE
// itself would decide, and what keeps VMs on a node. It is a pure function of the
// report: it may import atlas, rights, facts, pve and pci, and what presents it
// imports it.
//
// Only what is about PCI devices is judged. Storage, networks and CPU models may
// still stop a VM.
package placement

import (
	"cmp"
	"slices"

	"pciatlas/internal/atlas"
	"pciatlas/internal/pci"
)

// Verdict about one node.
type Verdict string

// The verdicts. Unknown: what was not read decides.
const (
	CanStart    Verdict = "can_start"
	CannotStart Verdict = "cannot_start"
	Unknown     Verdict = "unknown"
)

// Effect is what a reason does to the verdict.
type Effect string

// The effects.
const (
	Refuses  Effect = "refuses"  // the VM does not start because of it
	Open     Effect = "open"     // it was not read or is not told, and it may decide
	Outcome  Effect = "outcome"  // what the start gives to the VM, or takes from the host
	Remarked Effect = "remarked" // it does not decide, but is good to know
)

// Reason is one line of a verdict. Sentence is English; Code and Params say the
// same for translation: Params hold numbers, names and lists of them joined by
// commas, and in "message" what Proxmox VE says.
type Reason struct {
	Code   ReasonCode
	Effect Effect
	// First: it is the one that Proxmox VE itself would give. Its start stops there.
	First bool
	// Slot is atlas.NoSlot, Mapping "" where they do not apply.
	Slot     int
	Mapping  string
	Devices  []pci.Address
	VMs      []int
	Sentence string
	Params   map[string]string
}

// NodeVerdict is the answer for one node.
type NodeVerdict struct {
	Node    string
	Verdict Verdict
	// Here: the VM is on this node.
	Here bool
	// Reasons are those that refuse, then what is open, then the outcome.
	Reasons []Reason
	// Swap are pairs of slots whose values have to change places so that the VM starts
	// where the order of Proxmox VE fails; nil if that does not help.
	Swap []Swap
	// Off and Live tell of a move to this node while the VM is powered off and while it
	// runs; for the VM's own node they are zero.
	Off, Live Move
}

// Swap says that the value of slot From belongs into slot To.
type Swap struct{ From, To int }

// Placement is the answer for one VM.
type Placement struct {
	VM *atlas.VM
	// Slots are those that are set at the next start, by number.
	Slots []int
	// Nodes are all nodes, by name.
	Nodes []NodeVerdict
}

// Places answers about one report. It is not safe for concurrent use.
type Places struct {
	report *atlas.Report
	nodes  []*node
}

// New makes the Places of a report.
func New(report *atlas.Report) *Places {
	p := &Places{report: report}
	byName := make(map[string]*node, len(report.Nodes))
	mappings := report.MappingsByID()
	for i := range report.Nodes {
		n := newNode(report, &report.Nodes[i], mappings)
		p.nodes = append(p.nodes, n)
		byName[n.Name] = n
	}
	for _, vm := range report.VMs {
		if n := byName[vm.Node]; n != nil {
			n.vms = append(n.vms, vm)
		}
	}
	return p
}

// Place tells of each node whether the VM can start there.
func (p *Places) Place(vm *atlas.VM) Placement {
	g := newGuest(p.report, vm)
	placement := Placement{VM: vm, Slots: g.slots(), Nodes: make([]NodeVerdict, 0, len(p.nodes))}
	for _, n := range p.nodes {
		placement.Nodes = append(placement.Nodes, p.judge(g, n))
	}
	return placement
}

// PlaceOn does the same for one node. ok is false if there is no such node.
func (p *Places) PlaceOn(vm *atlas.VM, name string) (verdict NodeVerdict, ok bool) {
	for _, n := range p.nodes {
		if n.Name == name {
			return p.judge(newGuest(p.report, vm), n), true
		}
	}
	return NodeVerdict{}, false
}

func (p *Places) judge(g *guest, n *node) NodeVerdict {
	here := g.Node == n.Name
	verdict := NodeVerdict{Node: n.Name, Here: here}
	a := attempt{guest: g, node: n}
	a.run()
	verdict.Reasons, verdict.Swap = a.reasons, a.swap
	verdict.Verdict = a.verdict()
	if !here {
		verdict.Off, verdict.Live = g.moveOff(n), g.moveLive(n)
	}
	return verdict
}

// verdict is what the reasons come to: one that refuses is enough, and without it
// one that is open.
func (a *attempt) verdict() Verdict {
	switch {
	case a.refused():
		return CannotStart
	case a.has(Open):
		return Unknown
	default:
		return CanStart
	}
}

func (a *attempt) has(effect Effect) bool {
	return slices.ContainsFunc(a.reasons, func(r Reason) bool { return r.Effect == effect })
}

// refused tells whether something refuses the start as far as it was gone through.
func (a *attempt) refused() bool { return a.has(Refuses) }

var effectOrder = []Effect{Refuses, Open, Outcome, Remarked}

// order puts the reasons in the order that people read them in; the first that
// refuses is the one of Proxmox VE.
func (a *attempt) order() {
	slices.SortStableFunc(a.reasons, func(x, y Reason) int {
		return cmp.Compare(slices.Index(effectOrder, x.Effect), slices.Index(effectOrder, y.Effect))
	})
	if len(a.reasons) > 0 && a.reasons[0].Effect == Refuses {
		a.reasons[0].First = true
	}
}

// Only leaves the answer of one node; "" leaves all.
func (p *Placement) Only(node string) {
	if node != "" {
		p.Nodes = slices.DeleteFunc(p.Nodes, func(n NodeVerdict) bool { return n.Node != node })
	}
}
