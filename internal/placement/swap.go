package placement

import (
	"slices"

	"pciatlas/internal/atlas"
	"pciatlas/internal/pve"
)

// mostOrders bounds how many beginnings of orders of slots are looked at: enough for all
// orders of six.
const mostOrders = 3000

// findSwap looks for slots that have to change places where the order in which Proxmox VE
// chooses fails and another does not, whatever the other VMs hold. It looks where nothing
// but the choice refuses the start.
func (a *attempt) findSwap() {
	refusals := 0
	for i := range a.reasons {
		if a.reasons[i].Effect == Refuses {
			refusals++
		}
	}
	if len(a.stuck) == 0 || refusals > a.chosen {
		return
	}
	s := swapping{attempt: a}
	for slot, resolved := range a.slots {
		if resolved != nil && resolved.Mdev == "" {
			s.set = append(s.set, slot)
		}
	}
	if !s.pair() && !s.order(0) {
		return
	}
	for _, to := range s.set {
		if s.from[to] != to {
			a.swap = append(a.swap, Swap{From: s.from[to], To: to})
		}
	}
}

// swapping is the search: set are the slots, from is where what each would hold stands now.
type swapping struct {
	*attempt

	set   []int
	from  [pve.MaxHostPCI]int
	tries int
}

// starts tells whether the start succeeds with other values, in all worlds.
func (s *swapping) starts(values *atlas.StartSlots) bool {
	b := *s.attempt
	b.slots = *values
	for _, w := range s.stuck {
		if len(b.result(w).refusals) > 0 {
			return false
		}
	}
	return true
}

// pair tries to change two slots.
func (s *swapping) pair() bool {
	for _, slot := range s.set {
		s.from[slot] = slot
	}
	for i, x := range s.set {
		for _, y := range s.set[:i] {
			values := s.slots
			values[x], values[y] = values[y], values[x]
			if s.starts(&values) {
				s.from[x], s.from[y] = y, x
				return true
			}
		}
	}
	return false
}

// order fills the slots from the one with an index on. Slots that fail by themselves fail
// with more behind them.
func (s *swapping) order(index int) bool {
	if index == len(s.set) {
		return true
	}
	slot := s.set[index]
	var tried []*atlas.StartSlot
	for _, from := range s.set {
		value := s.slots[from]
		if slices.ContainsFunc(s.set[:index], func(to int) bool { return s.from[to] == from }) || slices.Contains(tried, value) {
			continue
		}
		s.tries++
		if s.tries > mostOrders {
			return false
		}
		tried = append(tried, value)
		values := s.slots
		for _, later := range s.set[index:] {
			values[later] = nil
		}
		for _, earlier := range s.set[:index] {
			values[earlier] = s.slots[s.from[earlier]]
		}
		values[slot], s.from[slot] = value, from
		if s.starts(&values) && s.order(index+1) {
			return true
		}
	}
	return false
}
