package pveapi

import (
	"cmp"
	"context"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"pciatlas/internal/facts"
)

// lookAgain asks once more where the guests are: for VMs whose node does not have
// their file any more, and, where not all nodes were read, for VMs that came from
// a node that was not.
func (r *reader) lookAgain(ctx context.Context, looks *lookout) {
	if len(r.request.Nodes) == 0 && !r.missesVM() {
		return
	}
	within, cancel := context.WithTimeout(ctx, r.client.options.Limits.Request)
	defer cancel()
	list, err := looks.after(within, r.askList)
	if err != nil {
		return // what was read stands: those VMs could not be read
	}
	guests, arrived, lost := r.compare(list.guests)
	if len(arrived)+len(lost) == 0 {
		r.snapshot.Guests.Stamp.To = list.to
		return
	}
	r.setGuests(guests, list.to)
	r.follow(ctx, arrived)
	r.readMentions(ctx)
	r.mentionLost(ctx, lost)
}

func (r *reader) missesVM() bool {
	return slices.ContainsFunc(r.snapshot.Guests.Value, r.isMissed)
}

// isMissed tells whether a guest was not where the list said.
func (r *reader) isMissed(guest facts.Guest) bool {
	node := r.snapshot.Nodes[guest.Node]
	return guest.Kind == facts.QEMU && node != nil && hasProblem(node.VMs[guest.VMID].Problems, facts.ProblemVanished)
}

func (r *reader) askList(ctx context.Context) (guestList, error) {
	guests, _, err := r.askGuests(ctx)
	return guestList{guests, r.client.options.Now()}, err
}

// compare takes a newer list of guests over, as far as it concerns the nodes that
// were read: whoever came to one of them, or went from one to another node, is
// where the newer list says; whoever was missed and is nowhere now is lost. What
// was read at places that are left is dropped.
func (r *reader) compare(now []facts.Guest) (guests, arrived []facts.Guest, lost []int) {
	before := r.snapshot.Guests.Value
	guests = make([]facts.Guest, 0, len(before))
	for _, guest := range before {
		next, listed := findGuest(now, guest.VMID)
		moved := listed && (next.Node != guest.Node || next.Kind != guest.Kind)
		switch {
		case moved && (r.reads(guest.Node) || r.reads(next.Node)):
			guests, arrived = append(guests, next), append(arrived, next)
		case !listed && r.isMissed(guest):
			lost = append(lost, guest.VMID)
		default:
			guests = append(guests, guest)
			continue
		}
		if node := r.snapshot.Nodes[guest.Node]; node != nil {
			delete(node.VMs, guest.VMID)
		}
	}
	for _, guest := range now {
		if _, known := findGuest(before, guest.VMID); !known && r.reads(guest.Node) {
			guests, arrived = append(guests, guest), append(arrived, guest)
		}
	}
	return guests, arrived, lost
}

func (r *reader) reads(node string) bool { return r.snapshot.Nodes[node] != nil }

// follow reads VMs at the places they came to.
func (r *reader) follow(ctx context.Context, arrived []facts.Guest) {
	limits := r.client.options.Limits
	budgets := map[string]*budget{}
	var group errgroup.Group
	group.SetLimit(limits.PerEntry)
	for _, guest := range arrived {
		if guest.Kind != facts.QEMU {
			continue
		}
		node, b := r.snapshot.Nodes[guest.Node], budgets[guest.Node]
		if node == nil {
			node = &facts.Node{VMs: map[int]facts.Read[facts.VMConfig]{}}
			r.snapshot.Nodes[guest.Node] = node
		}
		if b == nil {
			b = newBudget(limits.NodeBudget, limits.PerNode)
			budgets[guest.Node] = b
		}
		group.Go(func() error {
			config := r.readPending(ctx, b, guest.Node, guest.VMID)
			if r.request.Details && config.State.Answered() {
				config.Value.Snapshots = r.readSnapshots(ctx, b, guest.Node, guest.VMID)
			}
			r.mu.Lock()
			defer r.mu.Unlock()
			node.VMs[guest.VMID] = config
			return nil
		})
	}
	_ = group.Wait() // no read fails the others
}

// mentionLost asks whether the numbers of VMs that are nowhere now are taken: who
// was not deleted is out of sight.
func (r *reader) mentionLost(ctx context.Context, lost []int) {
	read := &r.snapshot.Mentions
	mentions := slices.Clone(read.Value)
	known := len(mentions)
	for _, vmid := range lost {
		if !slices.ContainsFunc(mentions, func(m facts.Mention) bool { return m.VMID == vmid }) {
			mentions = append(mentions, facts.Mention{VMID: vmid, Where: "the list of guests, a moment before"})
		}
	}
	r.askMentions(ctx, mentions[known:])
	read.Got, read.Total = read.Got+len(mentions)-known, read.Total+len(mentions)-known
	slices.SortFunc(mentions, func(a, b facts.Mention) int { return cmp.Compare(a.VMID, b.VMID) })
	read.Value = mentions
}

// setGuests replaces the guests that were read by newer ones.
func (r *reader) setGuests(guests []facts.Guest, to time.Time) {
	slices.SortFunc(guests, func(a, b facts.Guest) int { return cmp.Compare(a.VMID, b.VMID) })
	read := &r.snapshot.Guests
	more := len(guests) - len(read.Value)
	read.Value, read.Got, read.Total, read.Stamp.To = guests, read.Got+more, read.Total+more, to
}

// findGuest looks for a number in a list that is sorted by it.
func findGuest(guests []facts.Guest, vmid int) (facts.Guest, bool) {
	i, found := slices.BinarySearchFunc(guests, vmid, func(g facts.Guest, vmid int) int { return cmp.Compare(g.VMID, vmid) })
	if !found {
		return facts.Guest{}, false
	}
	return guests[i], true
}
