package findings

import (
	"cmp"
	"slices"
	"strconv"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/pci"
	"pciatlas/internal/pve"
)

// world is the report as the rules look at it: the lines of each VM with what
// they name, and who starts by itself.
type world struct {
	report *atlas.Report
	facts  *facts.Snapshot
	nodes  []*node
	vms    []*vm // of all nodes, in the order of the report

	mappings []*pve.Mapping // by name
	byID     map[string]*pve.Mapping
	places   []*mappingPlace  // with entries, by name and node
	users    map[string][]*vm // see usersOf
	q35      map[string]bool  // see isQ35

	mentioned map[string]bool // see mappingMentions

	slots []lineSlot // see slot
	texts []string   // see room
}

// room gives an empty list with room for some texts.
func (w *world) room(count int) []string {
	if count > len(w.texts) {
		w.texts = make([]string, max(count, 256))
	}
	list := w.texts[:0:count]
	w.texts = w.texts[count:]
	return list
}

// slot gives room for a slot.
func (w *world) slot() *lineSlot {
	if len(w.slots) == 0 {
		w.slots = make([]lineSlot, 50)
	}
	s := &w.slots[0]
	w.slots = w.slots[1:]
	return s
}

// node is one node with its VMs.
type node struct {
	*atlas.Node
	world *world
	vms   []*vm
	// fromFiles: the devices were read on the node itself, so host facts are told.
	fromFiles bool

	away       bool    // see moveAway
	targets    []*node // the other nodes that are not away
	otherNames string  // see moveOtherNames
	places     []*mappingPlace
	byMapping  map[*pve.Mapping]*mappingPlace
	placeRoom  []mappingPlace // for places to come
	index      map[*atlas.Device]*deviceIndex
	choices    map[lineSource][]lineChoice
	claims     map[*atlas.Device][]*deviceClaim // see deviceClaims
	mapped     map[string]string                // see moveMappedValue
	raws       map[*atlas.Device][]*moveRaw     // by the first function
	passing    []*line                          // see groupPassing
}

// vm is one VM with its lines. A VM whose configuration was not read has none.
type vm struct {
	*atlas.VM
	node  *node
	lines []*line

	slots     []*lineSlot // see lineValues
	slotsRead bool
	start     startState
	mapped    []string // see moveMapped
	text      string   // see number

	// Of lines and slots, for the usual number of them.
	lineRoom [1]*line
	slotRoom [1]*lineSlot
}

// startState is what startsByItself gives.
type startState struct{ read, yes, ok bool }

// line is one value of one slot with the functions that it names.
type line struct {
	*atlas.Line
	vm *vm
	// exact are the functions that the line gives for certain, candidates those of
	// a mapping with several entries; both by address.
	exact, candidates []*atlas.Device
	unplaced          []*atlas.Unplaced

	order  int           // among the lines of the node
	at     *mappingPlace // see place
	isNext bool          // see next
	quote  string        // see mappingLineEvidence

	room [2]*atlas.Device // of exact, for the usual number of them
}

// exclusive tells whether the line takes whole functions. A mediated device or
// vGPU claims neither the function nor its group.
func (l *line) exclusive() bool { return l.Mdev == "" }

// now tells whether a running VM may hold what the line names.
func (l *line) now() bool { return l.Phase != atlas.Pending }

// next tells whether the line is in effect from the next start on. A line with a
// pending value for its slot is not.
func (l *line) next() bool { return l.isNext }

// readNext works out what next gives.
func (l *line) readNext() bool {
	if l.Phase != atlas.Current {
		return l.Phase == atlas.Pending
	}
	return !slices.ContainsFunc(l.vm.lines, func(other *line) bool {
		return other.Slot == l.Slot && other.Phase == atlas.Pending
	})
}

// counts tells whether the line can hold a function now or at the next start.
// Templates never do.
func (l *line) counts() bool {
	if l.vm.Template {
		return false
	}
	return l.next() || l.now() && l.vm.Status != facts.Stopped
}

// number gives the number of the VM as text.
func (v *vm) number() string {
	if v.text == "" {
		v.text = strconv.Itoa(v.VMID)
	}
	return v.text
}

func (v *vm) running() bool { return v.Status == facts.Running }

// future gives the value that a key has at the next start, "" for none.
func (v *vm) future(key string) string {
	if v.Config == nil {
		return ""
	}
	item, ok := v.Config.Get(key)
	if !ok {
		return ""
	}
	value, _ := item.Future()
	return value
}

// startsByItself tells whether Proxmox VE starts the VM without anybody asking:
// at boot, unless HA looks after it, or by HA. ok is false where the policies of
// HA were not read and decide.
func (v *vm) startsByItself() (yes, ok bool) {
	if !v.start.read {
		yes, ok = v.node.world.report.StartsByItself(v.VM)
		v.start = startState{true, yes, ok}
	}
	return v.start.yes, v.start.ok
}

func newWorld(report *atlas.Report) *world {
	if report.Facts == nil {
		bare := *report
		bare.Facts = &facts.Snapshot{}
		report = &bare
	}
	w := &world{report: report, facts: report.Facts}
	byVM := make(map[*atlas.VM]*vm, len(report.VMs))
	byNode := make(map[string]*node, len(report.Nodes))
	for i := range report.Nodes {
		n := &node{Node: &report.Nodes[i], world: w}
		n.fromFiles = slices.ContainsFunc(n.Devices, func(d atlas.Device) bool { return d.Host != nil })
		w.nodes = append(w.nodes, n)
		byNode[n.Name] = n
	}
	room := make([]vm, len(report.VMs))
	w.vms = make([]*vm, 0, len(room))
	for i, known := range report.VMs {
		v := &room[i]
		v.VM, v.node, v.lines = known, byNode[known.Node], v.lineRoom[:0]
		byVM[known] = v
		w.vms = append(w.vms, v)
		v.node.vms = append(v.node.vms, v)
	}
	for _, n := range w.nodes {
		n.addLines(byVM)
		n.indexLines()
		n.away = n.moveAway()
	}
	w.indexMappings()
	for _, n := range w.nodes {
		for _, other := range w.nodes {
			if other != n && !other.away {
				n.targets = append(n.targets, other)
			}
		}
	}
	return w
}

// addLines gives each VM of the node its lines, by slot and phase.
func (n *node) addLines(byVM map[*atlas.VM]*vm) {
	lines := make(map[*atlas.Line]*line, len(n.vms))
	var room []line // for lines to come
	get := func(known *atlas.Line) *line {
		l := lines[known]
		if l == nil {
			if len(room) == 0 {
				room = make([]line, 50)
			}
			l, room = &room[0], room[1:]
			l.Line, l.vm, l.exact = known, byVM[known.VM], l.room[:0]
			lines[known] = l
			l.vm.lines = append(l.vm.lines, l)
		}
		return l
	}
	for i := range n.Devices {
		device := &n.Devices[i]
		for j := range device.References {
			reference := &device.References[j]
			l := get(reference.Line)
			if reference.Certainty == atlas.Exact {
				l.exact = append(l.exact, device)
			} else {
				l.candidates = append(l.candidates, device)
			}
		}
	}
	for i := range n.Unplaced {
		l := get(n.Unplaced[i].Line)
		l.unplaced = append(l.unplaced, &n.Unplaced[i])
	}
	for _, v := range n.vms {
		slices.SortFunc(v.lines, func(a, b *line) int {
			return cmp.Or(cmp.Compare(a.Slot, b.Slot), cmp.Compare(a.Phase, b.Phase))
		})
		for _, l := range v.lines {
			l.isNext = l.readNext()
		}
	}
}

// all gives every function that a line names or may get, by address.
func (l *line) all() []*atlas.Device {
	switch {
	case len(l.candidates) == 0:
		return l.exact
	case len(l.exact) == 0:
		return l.candidates
	}
	both := slices.Concat(l.exact, l.candidates)
	slices.SortFunc(both, func(a, b *atlas.Device) int { return a.Address.Compare(b.Address) })
	return slices.Compact(both)
}

// subject begins the subject of a finding about a line.
func (l *line) subject() Subject {
	return Subject{Node: l.vm.Node, VMID: l.vm.VMID, Slot: l.Slot, Mapping: l.Mapping}
}

func (v *vm) subject() Subject {
	return Subject{Node: v.Node, VMID: v.VMID, Slot: atlas.NoSlot}
}

// about is the subject of a finding about a function of a node.
func (n *node) about(address pci.Address) Subject {
	return Subject{Node: n.Name, Slot: atlas.NoSlot, Device: &address}
}

// key gives the configuration key of the line, for example hostpci0.
func (l *line) key() string { return pve.SlotKey(l.Slot) }
