package pveapi

import (
	"context"
	"errors"
	"net/url"
	"slices"

	"golang.org/x/sync/errgroup"

	"pciatlas/internal/facts"
)

// readMentions looks for guests that something names and the list does not show,
// and asks whether their numbers are taken, unless an earlier answer of the same
// read tells. All the questions together get the time of one request.
func (r *reader) readMentions(ctx context.Context) {
	if !r.snapshot.Guests.State.Answered() {
		return // every number would be one that is out of sight
	}
	from := r.client.options.Now()
	mentions := facts.FindMentions(&r.snapshot)
	limit := min(len(mentions), r.client.options.Limits.Mentions)
	r.askMentions(ctx, mentions[:limit])
	read := facts.Read[[]facts.Mention]{State: facts.OK, Value: mentions[:limit], Got: limit, Total: len(mentions), Stamp: r.stamp(from)}
	if earlier := r.snapshot.Mentions.Stamp; !earlier.From.IsZero() {
		read.Stamp.From = earlier.From
	}
	if limit < len(mentions) {
		read.State = facts.Partial
		read.Problems = []facts.Problem{{Code: facts.ProblemLimit, Subject: "GET /cluster/nextid", Message: "more numbers were met than are asked after"}}
	}
	r.snapshot.Mentions = read
}

// askMentions fills in whether the numbers are taken.
func (r *reader) askMentions(ctx context.Context, mentions []facts.Mention) {
	ctx, cancel := context.WithTimeout(ctx, r.client.options.Limits.Request)
	defer cancel()
	var group errgroup.Group
	group.SetLimit(r.client.options.Limits.PerEntry)
	for i := range mentions {
		mention := &mentions[i]
		earlier := r.snapshot.Mentions.Value
		at := slices.IndexFunc(earlier, func(m facts.Mention) bool { return m.VMID == mention.VMID && m.Taken.Told })
		if at >= 0 {
			mention.Taken = earlier[at].Taken
			continue
		}
		group.Go(func() error {
			mention.Taken = r.askTaken(ctx, mention.VMID)
			return nil
		})
	}
	_ = group.Wait() // an unanswered question leaves the mention as it is
}

// askTaken asks whether a number belongs to a guest. Proxmox VE answers that to
// every user: 400 for a number that is taken.
func (r *reader) askTaken(ctx context.Context, vmid int) facts.Opt[bool] {
	_, err := r.cluster(ctx, "/cluster/nextid", url.Values{"vmid": {number(vmid)}})
	if err == nil {
		return facts.Told(false)
	}
	if failure, ok := errors.AsType[*Error](err); ok && failure.Status == 400 {
		return facts.Told(true)
	}
	return facts.Opt[bool]{}
}

// findNewborn looks whether guests that seem out of sight have come into the list
// since it was read: who was made a moment ago is not hidden.
func (r *reader) findNewborn(ctx context.Context) {
	if !slices.ContainsFunc(r.snapshot.Mentions.Value, facts.Mention.Hidden) {
		return
	}
	list, err := r.askList(ctx)
	if err != nil {
		return // they stay out of sight
	}
	guests := slices.Clone(r.snapshot.Guests.Value)
	for _, mention := range r.snapshot.Mentions.Value {
		if guest, listed := findGuest(list.guests, mention.VMID); listed && mention.Hidden() {
			guests = append(guests, guest)
		}
	}
	if len(guests) == len(r.snapshot.Guests.Value) {
		return
	}
	r.setGuests(guests, list.to)
	r.readMentions(ctx)
}
