package placement

import (
	"slices"

	"pciatlas/internal/atlas"
	"pciatlas/internal/pci"
	"pciatlas/internal/pve"
)

// Supposed is where a VM could start if some mappings were there, and its lines named
// them instead of addresses.
type Supposed struct {
	// Mappings are those that are about its lines.
	Mappings []SupposedMapping
	// Raw are the slots that name an address all the same.
	Raw   []int
	Nodes []NodeVerdict
}

// SupposedMapping is a mapping with the slots that name it, or would. A slot whose
// functions an earlier one of them gives with the same entry has nothing to name any more.
type SupposedMapping struct {
	Mapping *pve.Mapping
	// Exists: it is there, with other entries.
	Exists bool
	Slots  []int
}

// Suppose tells of each node whether a VM could start there with these mappings, new
// ones or existing ones with other entries. What running VMs hold stays what they were
// started with. nil: none of the mappings is about a line of the VM.
func (p *Places) Suppose(vm *atlas.VM, mappings []pve.Mapping) *Supposed {
	g := newGuest(p.report, vm)
	known := p.report.MappingsByID()
	s := &Supposed{Raw: []int{}}
	given := map[*pve.Entry]bool{}
	for slot, value := range g.nextRead {
		if value == nil || value.Source() != pve.SourceHost && value.Source() != pve.SourceMapping {
			continue
		}
		mapping, entry := p.mappingFor(g, value, mappings)
		if mapping == nil {
			if value.Mapping == "" {
				s.Raw = append(s.Raw, slot)
			}
			continue
		}
		s.add(mapping, known[mapping.ID] != nil, slot)
		if entry != nil && given[entry] {
			g.clear(slot)
			continue
		}
		given[entry] = true
		g.setMapping(slot, mapping.ID)
	}
	if len(s.Mappings) == 0 {
		return nil
	}
	for i := range s.Mappings {
		known[s.Mappings[i].Mapping.ID] = s.Mappings[i].Mapping
	}
	for _, n := range p.nodes {
		supposed := newNode(p.report, n.Node, known)
		supposed.vms, supposed.holders, supposed.known = n.vms, n.holding(), true
		s.Nodes = append(s.Nodes, p.judge(g, supposed))
	}
	return s
}

func (s *Supposed) add(mapping *pve.Mapping, exists bool, slot int) {
	i := slices.IndexFunc(s.Mappings, func(m SupposedMapping) bool { return m.Mapping == mapping })
	if i < 0 {
		i = len(s.Mappings)
		s.Mappings = append(s.Mappings, SupposedMapping{Mapping: mapping, Exists: exists})
	}
	s.Mappings[i].Slots = append(s.Mappings[i].Slots, slot)
}

// mappingFor gives the mapping that a line names, or the only one that gives what a line
// with one address names on the node of the VM, with the entry that does; nil if there is
// none.
func (p *Places) mappingFor(g *guest, value *pve.HostPCI, mappings []pve.Mapping) (*pve.Mapping, *pve.Entry) {
	if value.Mapping != "" {
		if i := slices.IndexFunc(mappings, func(m pve.Mapping) bool { return m.ID == value.Mapping }); i >= 0 {
			return &mappings[i], nil
		}
		return nil, nil
	}
	node := p.report.Node(g.Node)
	if node == nil || len(value.Selectors) != 1 {
		return nil, nil
	}
	var found *pve.Mapping
	var with *pve.Entry
	for i := range mappings {
		entry := giving(node, &mappings[i], value.Selectors[0])
		switch {
		case entry == nil:
		case found != nil:
			return nil, nil
		default:
			found, with = &mappings[i], entry
		}
	}
	return found, with
}

// giving gives the first entry of a mapping that gives a function that a selector names on
// a node, nil if none does.
func giving(node *atlas.Node, mapping *pve.Mapping, selector pci.Selector) *pve.Entry {
	for i := range mapping.Entries {
		entry := &mapping.Entries[i]
		if entry.Node == node.Name && slices.ContainsFunc(node.Devices, func(d atlas.Device) bool {
			return selector.Names(d.Address) && entry.Names(d.Address)
		}) {
			return entry
		}
	}
	return nil
}

// clear takes a line away, now and after the next start.
func (g *guest) clear(slot int) {
	g.next[slot], g.nextRead[slot], g.now[slot], g.nowRead[slot] = "", nil, "", nil
}

// setMapping lets a slot name a mapping, now and after the next start. Its other options
// stay.
func (g *guest) setMapping(slot int, id string) {
	value := *g.nextRead[slot]
	value.Host, value.Selectors, value.Mapping = "", nil, id
	g.next[slot], g.nextRead[slot] = value.String(), &value
	g.now[slot], g.nowRead[slot] = value.String(), &value
}

// Only leaves the answer of one node; "" leaves all.
func (s *Supposed) Only(node string) {
	if s != nil && node != "" {
		s.Nodes = slices.DeleteFunc(s.Nodes, func(n NodeVerdict) bool { return n.Node != node })
	}
}

// AnswerSupposed is the public form of a Supposed.
type AnswerSupposed struct {
	Mappings []AnswerSupposedMapping `json:"mappings"`
	Raw      []string                `json:"raw_slots"`
	Nodes    []AnswerNode            `json:"nodes"`
}

// AnswerSupposedMapping is the public form of a SupposedMapping.
type AnswerSupposedMapping struct {
	ID     string   `json:"id"`
	Exists bool     `json:"exists"`
	Slots  []string `json:"slots"`
}

// Answer gives the public object.
func (s *Supposed) Answer() *AnswerSupposed {
	if s == nil {
		return nil
	}
	answer := &AnswerSupposed{Mappings: make([]AnswerSupposedMapping, len(s.Mappings)), Raw: keys(s.Raw), Nodes: answerNodes(s.Nodes)}
	for i, m := range s.Mappings {
		answer.Mappings[i] = AnswerSupposedMapping{ID: m.Mapping.ID, Exists: m.Exists, Slots: keys(m.Slots)}
	}
	return answer
}
