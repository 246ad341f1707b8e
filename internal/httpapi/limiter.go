package httpapi

import (
	"context"
	"time"
)

// Hashing a password takes much memory and time on purpose: few at a time, and
// a queue with an end.
const (
	maxHashing = 4
	maxWaiting = 64
)

// limiter lets a few work and some wait.
type limiter struct{ work, wait chan struct{} }

func newLimiter(work, wait int) limiter {
	return limiter{work: make(chan struct{}, work), wait: make(chan struct{}, work+wait)}
}

// enter waits for its turn; leave has to be called afterwards. The error is a
// problem if too many wait already, or that of the context.
func (l limiter) enter(ctx context.Context) (leave func(), err error) {
	select {
	case l.wait <- struct{}{}:
	default:
		p := newProblem(codeBusy, "Too many sign in at the same time. Try again in a moment.")
		p.retryAfter = 2 * time.Second
		return nil, p
	}
	select {
	case l.work <- struct{}{}:
		return func() { <-l.work; <-l.wait }, nil
	case <-ctx.Done():
		<-l.wait
		return nil, ctx.Err()
	}
}
