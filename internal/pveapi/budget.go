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

	mu   sync.Mutex
	used time.Duration
}

func newBudget(total time.Duration, parallel int) *budget {
	return &budget{total: total, parallel: parallel}
}

// remaining is how long the next request may take.
func (b *budget) remaining() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.total - b.used
}

// spend takes the duration of one request.
func (b *budget) spend(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used += d / time.Duration(b.parallel)
}
