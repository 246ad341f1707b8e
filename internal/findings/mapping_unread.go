package findings

import (
	"slices"

	"pciatlas/internal/atlas"
	"pciatlas/internal/pci"
	"pciatlas/internal/pve"
)

// unreadShared are lines of several VMs that name the same address of a node whose
// devices were not read.
type unreadShared struct {
	selectors []pci.Selector
	lines     []*line
}

// mappingSameAddress finds VMs that name the same address on a node whose devices
// were not read: whatever is there, only one of them can have it.
func mappingSameAddress(w *world) []Finding {
	var found []Finding
	for _, n := range w.nodes {
		if n.DevicesRead || len(n.vms) < 2 {
			continue
		}
		for _, shared := range n.unreadShared() {
			found = append(found, shared.finding(n))
		}
	}
	return found
}

// unreadShared gives the addresses that several VMs name, one of them by itself and
// not through a mapping. Addresses of the same lines come together.
func (n *node) unreadShared() []*unreadShared {
	byAddress := map[pci.Address]*unreadShared{} // of whole slots and functions, see unreadKey
	var order []*unreadShared
	for _, v := range n.vms {
		for _, l := range v.lines {
			if !l.counts() || !l.exclusive() {
				continue
			}
			for _, selector := range l.unreadSelectors() {
				key := unreadKey(selector)
				known := byAddress[key]
				if known == nil {
					known = &unreadShared{selectors: []pci.Selector{selector}}
					byAddress[key] = known
					order = append(order, known)
				}
				known.lines = append(known.lines, l)
			}
		}
	}
	var shared []*unreadShared
	for _, s := range order {
		several := slices.ContainsFunc(s.lines, func(l *line) bool { return l.vm != s.lines[0].vm })
		if !several || !slices.ContainsFunc(s.lines, func(l *line) bool { return l.Via == atlas.ViaAddress }) {
			continue
		}
		if at := slices.IndexFunc(shared, func(o *unreadShared) bool { return slices.Equal(o.lines, s.lines) }); at >= 0 {
			shared[at].selectors = append(shared[at].selectors, s.selectors...)
			continue
		}
		shared = append(shared, s)
	}
	return shared
}

// unreadKey tells selectors apart: what names a whole slot counts as a function that
// no device has.
func unreadKey(selector pci.Selector) pci.Address {
	key := selector.First()
	if selector.WholeSlot() {
		key.Function = 0xff
	}
	return key
}

// unreadSelectors gives what the line names for certain, by itself or by the one
// entry of its mapping for the node.
func (l *line) unreadSelectors() []pci.Selector {
	selectors := slices.Clone(l.Value.Selectors)
	if p := l.place(); l.Via == atlas.ViaMapping && p != nil && len(p.entries) == 1 {
		for _, part := range p.entries[0].Paths() {
			if selector, ok := pve.PathSelector(part); ok {
				selectors = append(selectors, selector)
			}
		}
	}
	return slices.DeleteFunc(selectors, pci.Selector.NamesNothing)
}

func (s *unreadShared) finding(n *node) Finding {
	claims := deviceClaimsByVM(s.lines)
	names := make([]string, len(s.selectors))
	for i, selector := range s.selectors {
		names[i] = selector.String()
	}
	vms := make([]*vm, len(claims))
	evidence := make([]string, 0, len(s.lines)+1)
	for i, claim := range claims {
		vms[i] = claim.vm
	}
	for _, l := range s.lines {
		evidence = append(evidence, mappingLineEvidence(l))
	}
	f := Finding{
		Code: DeviceShared, Severity: Warning, Subject: n.about(s.selectors[0].First()),
		Sentence: deviceVMWords(vms) + " on node " + n.Name + " name " + mappingJoin(names) + ". The devices of the node were not read, " +
			"but whatever is there, only one VM can have it at a time.",
		Params:   map[string]string{"variant": "unread", "node": n.Name, "vms": joined(deviceNumbers(vms)), "devices": joined(names)},
		Evidence: append(evidence, "devices of node "+n.Name+": not read"),
		Remedy:   []string{"Run only one of these VMs at a time, or give each its own device."},
		vms:      vmsOf(vms...),
	}
	if deviceCollideAny(claims) {
		f.sayByItself(claims)
	}
	return f
}

// deviceClaimsByVM gives the claims of lines, which come by VM.
func deviceClaimsByVM(lines []*line) []*deviceClaim {
	var claims []*deviceClaim
	for _, l := range lines {
		if len(claims) == 0 || claims[len(claims)-1].vm != l.vm {
			claims = append(claims, &deviceClaim{vm: l.vm})
		}
		claim := claims[len(claims)-1]
		claim.lines = append(claim.lines, l)
		claim.now, claim.next = claim.now || l.now(), claim.next || l.next()
	}
	return claims
}
