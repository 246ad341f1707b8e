package placement

import (
	"slices"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
)

// Evacuation says what happens to the VMs of a node that is to be emptied.
type Evacuation struct {
	Node string
	// VMs is the number of VMs that the node shows, Unbound that of those without a PCI
	// device, which PCI does not keep there.
	VMs, Unbound int
	// Stay are the VMs that cannot simply leave, Leave those with devices that can; by
	// number.
	Stay, Leave []Leaving
	// Together is where all of them could start at the same time.
	Together Together
	// Whole: all VMs of the node were seen and read.
	Whole bool
}

// Leaving is one VM of the node.
type Leaving struct {
	VM *atlas.VM
	// Nodes are all other nodes.
	Nodes []NodeVerdict
}

// Evacuate tells of the VMs of a node where they could go. ok is false if there is no
// such node.
func (p *Places) Evacuate(name string) (evacuation Evacuation, ok bool) {
	for _, n := range p.nodes {
		if n.Name == name {
			return p.evacuate(n), true
		}
	}
	return Evacuation{}, false
}

func (p *Places) evacuate(from *node) Evacuation {
	e := Evacuation{
		Node: from.Name, VMs: from.VisibleVMs, Whole: from.Scope.State != atlas.Unproven && from.VisibleVMs == from.CheckedVMs,
	}
	for _, vm := range from.vms {
		g := newGuest(p.report, vm)
		if vm.Config != nil && !g.passesThrough() {
			e.Unbound++
			continue
		}
		leaving := Leaving{VM: vm}
		simply := false
		for _, n := range p.nodes {
			if n == from {
				continue
			}
			verdict := p.judge(g, n)
			simply = simply || verdict.simple(vm)
			leaving.Nodes = append(leaving.Nodes, verdict)
		}
		if simply {
			e.Leave = append(e.Leave, leaving)
		} else {
			e.Stay = append(e.Stay, leaving)
		}
	}
	e.Together = p.together(append(slices.Clone(e.Stay), e.Leave...))
	return e
}

// passesThrough tells whether the VM has a device now or at its next start, be it by
// custom arguments.
func (g *guest) passesThrough() bool {
	set := func(value string) bool { return value != "" }
	return slices.ContainsFunc(g.now[:], set) || len(g.slots()) > 0 || g.Config.Args.MentionsVFIO
}

// simple tells whether the VM can move to the node as it is and start there.
func (v *NodeVerdict) simple(vm *atlas.VM) bool {
	if vm.Status != facts.Stopped {
		return v.Live.Verdict == MoveAllowed && v.Verdict != CannotStart
	}
	return v.Off.Verdict == MoveAllowed && (v.Verdict == CanStart || vm.Template)
}
