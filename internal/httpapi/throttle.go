package httpapi

import (
	"context"
	"strings"
	"sync"
	"time"

	"pciatlas/internal/auth"
)

// How long an attempt is held until its turn comes, and how many are at once: who
// would have to wait longer comes back then.
const (
	maxHold = 10 * time.Second
	maxHeld = 64
)

// queues are those of the accounts at which many attempts failed lately.
type queues struct {
	mu   sync.Mutex
	of   map[string]*auth.Queue
	held chan struct{}
}

// turn is that of auth.Queue for an account.
func (q *queues) turn(account, address string, now time.Time) time.Duration {
	q.mu.Lock()
	defer q.mu.Unlock()
	for name, queue := range q.of {
		if queue.Idle(now) {
			delete(q.of, name)
		}
	}
	if q.of[account] == nil {
		q.of[account] = &auth.Queue{}
	}
	return q.of[account].Turn(address, now)
}

// throttle refuses an attempt that comes too soon after failed ones.
func (a *API) throttle(ctx context.Context, account string) (auth.Attempts, error) {
	now := a.Now()
	attempts, err := a.Store.Attempts(ctx, account, requestOf(ctx).client.key(), now)
	if err != nil {
		return attempts, err
	}
	if wait := auth.Throttle(attempts, now); wait > 0 {
		return attempts, throttled("Too many attempts failed.", wait)
	}
	return attempts, nil
}

func throttled(reason string, wait time.Duration) *Problem {
	p := newProblem(codeThrottled, reason+" Try again in "+retryAfter(wait)+" s.")
	p.retryAfter = wait
	return p
}

// queue is throttle, and holds an attempt at an account at which many failed, from
// wherever, until its turn comes. Whoever would have to wait for long is told when
// to come back; the place is kept.
func (a *API) queue(ctx context.Context, account string) error {
	attempts, err := a.throttle(ctx, account)
	if err != nil || !auth.Crowded(attempts) {
		return err
	}
	account = strings.TrimSpace(account)
	for left := maxHold; ; {
		wait := a.queues.turn(account, requestOf(ctx).client.key(), a.Now())
		if wait <= 0 {
			return nil
		}
		if wait > left || !a.queues.hold() {
			return throttled("Many attempts with this name failed, so that they take turns now; yours is kept for a minute.", wait)
		}
		err := a.sleep(ctx, wait)
		<-a.queues.held
		if err != nil {
			return err
		}
		left -= wait
	}
}

// hold says whether one more may be held.
func (q *queues) hold() bool {
	select {
	case q.held <- struct{}{}:
		return true
	default:
		return false
	}
}

// sleepFor returns after the time, or with the error of the context.
func sleepFor(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
