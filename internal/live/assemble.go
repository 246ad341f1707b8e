package live

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"pciatlas/internal/facts"
)

// assemble joins reads of nodes that stand on one base: reads[i] is that of
// names[i]. Where they differ on the place of a guest, because it moved, came or
// went meanwhile, the one counts that looked last, so every guest is there once.
func assemble(base facts.Snapshot, names []string, reads []facts.Snapshot) facts.Snapshot {
	u := union{base: base, names: names, reads: reads, snapshot: base}
	u.snapshot.Nodes = make(map[string]*facts.Node, len(names))
	var differing []int
	for i, name := range names {
		u.snapshot.Nodes[name] = reads[i].Nodes[name]
		u.snapshot.Guests.Stamp.To = later(u.snapshot.Guests.Stamp.To, reads[i].Guests.Stamp.To)
		differing = append(differing, differences(base.Guests.Value, reads[i].Guests.Value)...)
	}
	if len(differing) > 0 {
		slices.Sort(differing)
		u.settle(slices.Compact(differing))
	}
	return u.snapshot
}

type union struct {
	base     facts.Snapshot
	names    []string
	reads    []facts.Snapshot
	snapshot facts.Snapshot
}

// claim is what one read says of a guest that some read found elsewhere.
type claim struct {
	read  int
	at    time.Time
	guest *facts.Guest // nil: nowhere
	news  bool         // it differs from the base
}

// settle decides where guests are on which the reads differ from the base.
func (u *union) settle(vmids []int) {
	for name, node := range u.snapshot.Nodes {
		if node != nil {
			own := *node
			own.VMs = maps.Clone(node.VMs)
			u.snapshot.Nodes[name] = &own
		}
	}
	guests := slices.DeleteFunc(slices.Clone(u.base.Guests.Value), func(g facts.Guest) bool {
		_, unsettled := slices.BinarySearch(vmids, g.VMID)
		return unsettled
	})
	for _, vmid := range vmids {
		for _, node := range u.snapshot.Nodes {
			if node != nil {
				delete(node.VMs, vmid)
			}
		}
		last := u.lastClaim(vmid)
		if last.guest == nil {
			continue
		}
		guests = append(guests, *last.guest)
		u.place(vmid, last)
	}
	slices.SortFunc(guests, func(a, b facts.Guest) int { return cmp.Compare(a.VMID, b.VMID) })
	read := &u.snapshot.Guests
	more := len(guests) - len(read.Value)
	read.Value, read.Got, read.Total = guests, read.Got+more, read.Total+more
	u.settleMentions()
}

// lastClaim gives the newest word on a guest. A read that agrees with the base has
// a say only on guests of its own node: of others it looked for arrivals only.
func (u *union) lastClaim(vmid int) claim {
	before := find(u.base.Guests.Value, vmid)
	last := claim{read: -1, guest: before, at: u.base.Guests.Stamp.To}
	for i := range u.reads {
		c := claim{read: i, at: u.reads[i].Guests.Stamp.To, guest: find(u.reads[i].Guests.Value, vmid)}
		c.news = !samePlace(before, c.guest)
		if !c.news && (before == nil || before.Node != u.names[i]) {
			continue
		}
		if c.at.After(last.at) || c.at.Equal(last.at) && (c.news || !last.news) {
			last = c
		}
	}
	return last
}

// place puts a VM's configuration under the node where the VM is: that of the
// read which looked last, or of any other that got one there.
func (u *union) place(vmid int, last claim) {
	node := u.snapshot.Nodes[last.guest.Node]
	if node == nil || last.guest.Kind != facts.QEMU {
		return
	}
	var chosen facts.Read[facts.VMConfig]
	consider := func(i int) {
		if at := u.reads[i].Nodes[last.guest.Node]; at != nil && !chosen.State.Answered() {
			if config, read := at.VMs[vmid]; read {
				chosen = config
			}
		}
	}
	if last.read >= 0 {
		consider(last.read)
	}
	for i := range u.reads {
		consider(i)
	}
	if chosen.State == facts.NotAsked {
		return
	}
	if node.VMs == nil {
		node.VMs = map[int]facts.Read[facts.VMConfig]{}
	}
	node.VMs[vmid] = chosen
}

// settleMentions joins what the reads say of guests that are out of sight. Who is
// in the list is not.
func (u *union) settleMentions() {
	read := &u.snapshot.Mentions
	mentions := slices.Clone(u.base.Mentions.Value)
	for i := range u.reads {
		for _, mention := range u.reads[i].Mentions.Value {
			at := slices.IndexFunc(mentions, func(m facts.Mention) bool { return m.VMID == mention.VMID })
			switch {
			case at < 0:
				mentions = append(mentions, mention)
			case !mentions[at].Taken.Told:
				mentions[at].Taken = mention.Taken
			}
		}
	}
	mentions = slices.DeleteFunc(mentions, func(m facts.Mention) bool { return find(u.snapshot.Guests.Value, m.VMID) != nil })
	slices.SortFunc(mentions, func(a, b facts.Mention) int { return cmp.Compare(a.VMID, b.VMID) })
	more := len(mentions) - len(read.Value)
	read.Value, read.Got, read.Total = mentions, read.Got+more, read.Total+more
}

// differences gives the numbers of guests that are not at the same place in two
// lists, each sorted by number. Reads that changed nothing share the base's list.
func differences(before, after []facts.Guest) []int {
	if len(before) == len(after) && (len(before) == 0 || &before[0] == &after[0]) {
		return nil
	}
	var vmids []int
	for i := range before {
		if !samePlace(&before[i], find(after, before[i].VMID)) {
			vmids = append(vmids, before[i].VMID)
		}
	}
	for i := range after {
		if find(before, after[i].VMID) == nil {
			vmids = append(vmids, after[i].VMID)
		}
	}
	return vmids
}

func samePlace(a, b *facts.Guest) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Node == b.Node && a.Kind == b.Kind
}

// find looks for a number in a list that is sorted by it; nil if it is not there.
func find(guests []facts.Guest, vmid int) *facts.Guest {
	i, found := slices.BinarySearchFunc(guests, vmid, func(g facts.Guest, vmid int) int { return cmp.Compare(g.VMID, vmid) })
	if !found {
		return nil
	}
	return &guests[i]
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
