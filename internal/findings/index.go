package findings

import (
	"slices"
	"sort"
	"strings"

	"pciatlas/internal/atlas"
	"pciatlas/internal/pci"
	"pciatlas/internal/pve"
)

// What the rules ask again and again is looked up here once for each world. What
// these functions give is shared: callers do not change it.

// deviceIndex is what belongs to one function of a node.
type deviceIndex struct {
	lines     []*line // that name it for certain, by VM, slot and phase
	group     []atlas.GroupMember
	groupRead bool

	companions     []*atlas.Device
	companionsRead bool
}

// indexMappings gives the world its mappings, by name, and each node its places.
func (w *world) indexMappings() {
	w.mappings = make([]*pve.Mapping, 0, len(w.report.Mappings))
	w.byID = make(map[string]*pve.Mapping, len(w.report.Mappings))
	for i := range w.report.Mappings {
		mapping := &w.report.Mappings[i]
		w.mappings = append(w.mappings, mapping)
		if w.byID[mapping.ID] == nil {
			w.byID[mapping.ID] = mapping
		}
	}
	slices.SortStableFunc(w.mappings, func(a, b *pve.Mapping) int { return strings.Compare(a.ID, b.ID) })
	for _, mapping := range w.mappings {
		for _, n := range w.nodes {
			if p := n.place(mapping); len(p.entries) > 0 {
				w.places = append(w.places, p)
				n.places = append(n.places, p)
			}
		}
	}
}

// place gives a mapping on the node; it has no entries if the mapping has none
// for the node.
func (n *node) place(mapping *pve.Mapping) *mappingPlace {
	if p := n.byMapping[mapping]; p != nil {
		return p
	}
	if n.byMapping == nil {
		n.byMapping = make(map[*pve.Mapping]*mappingPlace, len(n.world.report.Mappings))
	}
	if len(n.placeRoom) == 0 {
		n.placeRoom = make([]mappingPlace, len(n.world.report.Mappings))
	}
	p := &n.placeRoom[0]
	n.placeRoom = n.placeRoom[1:]
	p.mapping, p.node, p.entries = mapping, n, entriesOn(mapping, n.Name)
	if p.checks = p.room[:]; len(p.entries) != 1 {
		p.checks = make([]entryCheck, len(p.entries))
	}
	n.byMapping[mapping] = p
	return p
}

// place gives the mapping of the line on its node, nil if there is no such mapping.
func (l *line) place() *mappingPlace {
	if l.at == nil {
		if mapping := l.vm.node.world.mappingOf(l.Mapping); mapping != nil {
			l.at = l.vm.node.place(mapping)
		}
	}
	return l.at
}

// entriesOn gives what mapping.On does, without a copy where the entries for the
// node stand together.
func entriesOn(mapping *pve.Mapping, node string) []pve.Entry {
	first, count, last := -1, 0, -1
	for i := range mapping.Entries {
		if mapping.Entries[i].Node == node {
			if first < 0 {
				first = i
			}
			count, last = count+1, i
		}
	}
	switch count {
	case 0:
		return nil
	case last - first + 1:
		return mapping.Entries[first : last+1 : last+1]
	default:
		return mapping.On(node)
	}
}

// indexLines gives each function the lines that name it for certain.
func (n *node) indexLines() {
	n.index = make(map[*atlas.Device]*deviceIndex, len(n.Devices))
	room := make([]deviceIndex, len(n.Devices))
	for i := range n.Devices {
		room[i].lines = make([]*line, 0, len(n.Devices[i].References))
		n.index[&n.Devices[i]] = &room[i]
	}
	order := 0
	for _, v := range n.vms {
		for _, l := range v.lines {
			l.order = order
			order++
			for _, device := range l.exact {
				n.index[device].lines = append(n.index[device].lines, l)
			}
		}
	}
}

// find gives the place of an address among the functions of the node.
func (n *node) find(address pci.Address) (at int, found bool) {
	return sort.Find(len(n.Devices), func(i int) int { return address.Compare(n.Devices[i].Address) })
}

// Device gives a function of the node, nil if it is not there.
func (n *node) Device(address pci.Address) *atlas.Device {
	if at, found := n.find(address); found {
		return &n.Devices[at]
	}
	return nil
}

// named gives the functions that a selector names, by address.
func (n *node) named(selector pci.Selector) []*atlas.Device {
	from, _ := n.find(selector.First())
	to := from
	for to < len(n.Devices) && selector.Names(n.Devices[to].Address) {
		to++
	}
	if from == to {
		return nil
	}
	devices := make([]*atlas.Device, 0, to-from)
	for i := from; i < to; i++ {
		devices = append(devices, &n.Devices[i])
	}
	return devices
}

// namedByAny gives the functions that selectors name, in their order.
func (n *node) namedByAny(selectors []pci.Selector) []*atlas.Device {
	var devices []*atlas.Device
	for _, selector := range selectors {
		for _, device := range n.named(selector) {
			devices = deviceAppend(devices, device)
		}
	}
	return devices
}

// linesOf gives the lines that name a function for certain.
func (n *node) linesOf(device *atlas.Device) []*line { return n.index[device].lines }

// groupOf gives the group of a function.
func (n *node) groupOf(device *atlas.Device) []atlas.GroupMember {
	known := n.index[device]
	if !known.groupRead {
		known.group, known.groupRead = n.Group(device), true
	}
	return known.group
}

// Companions gives what it gives for the node of the report, looked up once for
// each function; the caller may change the list.
func (n *node) Companions(device *atlas.Device) []*atlas.Device {
	known := n.index[device]
	if !known.companionsRead {
		known.companions, known.companionsRead = n.Node.Companions(device), true
	}
	return slices.Clone(known.companions)
}

// usersOf gives the VMs that have a line of a mapping, in the order of the report.
func (w *world) usersOf(id string) []*vm {
	if w.users == nil {
		w.users = make(map[string][]*vm, len(w.mappings))
		for _, v := range w.vms {
			for _, l := range v.lines {
				users := w.users[l.Mapping]
				if len(users) == 0 || users[len(users)-1] != v {
					w.users[l.Mapping] = append(users, v)
				}
			}
		}
	}
	return w.users[id]
}

// isQ35 tells whether the machine of the VM's next start is a q35.
func (v *vm) isQ35() bool {
	w, machine := v.node.world, v.future("machine")
	yes, known := w.q35[machine]
	if !known {
		if w.q35 == nil {
			w.q35 = map[string]bool{}
		}
		yes = pve.IsQ35(machine)
		w.q35[machine] = yes
	}
	return yes
}

// idsKey is what mappingIDs writes, to compare.
type idsKey struct {
	pair, subsystem pci.Pair
	told            bool
}

func idsOf(device *atlas.Device) idsKey {
	if device.IDs.Subsystem == nil {
		return idsKey{pair: device.IDs.Pair}
	}
	return idsKey{device.IDs.Pair, *device.IDs.Subsystem, true}
}
