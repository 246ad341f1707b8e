package placement

import (
	"cmp"
	"maps"
	"slices"

	"pciatlas/internal/atlas"
	"pciatlas/internal/pci"
)

// Together is an arrangement in which as many VMs as could be found start on other nodes
// at the same time, one after the other. Only PCI devices are counted.
type Together struct {
	VMs []Settled
	// Cut: there were too many arrangements to look at all; one for more VMs may exist.
	Cut bool
}

// Settled is one VM of an arrangement.
type Settled struct {
	VM *atlas.VM
	// Node is "" if the VM finds no place in the arrangement; Alone says then that there
	// is a node on which it could start without the others.
	Node    string
	Alone   bool
	Devices []pci.Address
}

// mostTries bounds how many starts are looked at.
const mostTries = 1500

// together looks for the arrangement. Templates never start.
func (p *Places) together(vms []Leaving) Together {
	s := &settling{places: p, nodes: map[string]*node{}}
	for _, n := range p.nodes {
		s.nodes[n.Name] = n
	}
	for i := range vms {
		if vms[i].VM.Template {
			continue
		}
		w := wanting{vm: vms[i].VM, at: len(s.all)}
		for _, verdict := range vms[i].Nodes {
			if verdict.Verdict == CanStart {
				w.nodes = append(w.nodes, verdict.Node)
			}
		}
		s.all = append(s.all, Settled{VM: w.vm, Alone: len(w.nodes) > 0})
		if len(w.nodes) > 0 {
			s.wanting = append(s.wanting, w)
		}
	}
	slices.SortStableFunc(s.wanting, func(a, b wanting) int { return cmp.Compare(len(a.nodes), len(b.nodes)) })
	s.best = slices.Clone(s.all)
	s.most = -1
	s.settle(0, 0)
	return Together{VMs: s.best, Cut: s.tries >= mostTries}
}

// wanting is a VM that can start on some nodes.
type wanting struct {
	vm    *atlas.VM
	at    int // in the list of all
	nodes []string
}

// settling is the search: nodes is what they would be by now.
type settling struct {
	places  *Places
	nodes   map[string]*node
	wanting []wanting
	all     []Settled
	best    []Settled
	most    int
	tries   int
}

// settle finds places for the VMs from one on, of which so many have one already.
func (s *settling) settle(from, settled int) {
	if settled > s.most {
		s.most, s.best = settled, slices.Clone(s.all)
	}
	if from == len(s.wanting) || settled+len(s.wanting)-from <= s.most {
		return
	}
	w := &s.wanting[from]
	for _, name := range w.nodes {
		if s.tries >= mostTries {
			return
		}
		s.tries++
		before := s.nodes[name]
		verdict := s.places.judge(newGuest(s.places.report, w.vm), before)
		if verdict.Verdict != CanStart {
			continue
		}
		after := before.with(w.vm, &verdict)
		s.nodes[name], s.all[w.at].Node, s.all[w.at].Devices = after, name, got(&verdict)
		s.settle(from+1, settled+1)
		s.nodes[name], s.all[w.at].Node, s.all[w.at].Devices = before, "", nil
		if s.most == len(s.wanting) {
			return
		}
	}
	s.settle(from+1, settled)
}

// got gives the functions that a start gives to the VM, or may.
func got(verdict *NodeVerdict) []pci.Address {
	devices := []pci.Address{}
	for i := range verdict.Reasons {
		switch r := &verdict.Reasons[i]; r.Code {
		case Gets, MayGet, GetsSlice:
			for _, address := range r.Devices {
				devices = appendAddress(devices, address)
			}
		default:
		}
	}
	return devices
}

// with gives the node as it is once a VM has started there.
func (n *node) with(vm *atlas.VM, verdict *NodeVerdict) *node {
	after := *n
	after.ways, after.trials = nil, nil
	after.sure, after.spent = maps.Clone(n.certain()), maps.Clone(n.spent)
	if after.spent == nil {
		after.spent = stock{}
	}
	for i := range verdict.Reasons {
		switch r := &verdict.Reasons[i]; r.Code {
		case Gets, MayGet:
			for _, address := range r.Devices {
				after.sure[address] = vm
			}
		case GetsSlice:
			after.holders = append(slices.Clone(after.holders), &holder{vm: vm, mdev: r.Devices})
			// Which of several functions gives it is not always told: all are counted.
			for _, address := range r.Devices {
				after.spent[stockKey{address, r.Params["type"]}]++
			}
		default:
		}
	}
	return &after
}
