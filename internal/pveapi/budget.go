package pveapi

import (
	"sync"
	"time"
)

// budget is the time that one node may keep requests waiting. It is spent by the
// requests themselves, each at its share of the requests that may be under way
// at once, so that waiting for places that other nodes hold costs a node
// nothing, and a node that does not answer at all costs no more than the total.
type budget struct {
	total    time.Duration
	parallel int

	mu    sync.Mutex
	used  time.Duration
	began map[int]time.Time // requests under way
	next  int
}

func newBudget(total time.Duration, parallel int) *budget {
	return &budget{total: total, parallel: parallel, began: map[int]time.Time{}}
}

// begin starts a request. Left is how long it may take; end ends it. What is under
// way counts already: a request that begins while others hang has less left.
func (b *budget) begin() (left time.Duration, end func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	left = b.total - b.used
	for _, began := range b.began {
		left -= now.Sub(began) / time.Duration(b.parallel)
	}
	id := b.next
	b.next++
	b.began[id] = now
	return left, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.used += time.Since(b.began[id]) / time.Duration(b.parallel)
		delete(b.began, id)
	}
}
