package auth

import "time"

// The pace of a Queue: QueuePace apart, so 1,800 attempts in an hour; how long a
// turn stays good for whoever has to come back; and how many turns it gives ahead.
const (
	QueuePace  = 2 * time.Second
	QueueGrace = time.Minute
	QueueLimit = 1800
)

// Queue lets attempts at one account through one after the other, in the order in
// which their addresses came. An address has one place, which it keeps until its
// turn and for QueueGrace from then on, however many others come meanwhile: strangers
// from n addresses delay a newcomer by up to n times QueuePace, and keep nobody out.
// The zero value is empty. It must not be used by several goroutines at once.
type Queue struct {
	turns map[string]time.Time
	last  time.Time // the latest turn that was given
}

// Turn gives how long an address has to wait for its turn, and a place if it has
// none. At 0 the attempt may go on, and the place is given up. If QueueLimit
// addresses wait, it gives no place and the time until the first of them is gone.
func (q *Queue) Turn(address string, now time.Time) time.Duration {
	q.tidy(now)
	turn, known := q.turns[address]
	if !known {
		if len(q.turns) >= QueueLimit {
			return QueueGrace
		}
		turn = now
		if next := q.last.Add(QueuePace); turn.Before(next) {
			turn = next
		}
		if q.turns == nil {
			q.turns = map[string]time.Time{}
		}
		q.turns[address], q.last = turn, turn
	}
	if wait := turn.Sub(now); wait > 0 {
		return wait
	}
	delete(q.turns, address)
	return 0
}

// Idle says whether nobody waits and the next one would not have to.
func (q *Queue) Idle(now time.Time) bool {
	q.tidy(now)
	return len(q.turns) == 0 && !now.Before(q.last.Add(QueuePace))
}

// tidy drops the turns that nobody came back for, and all if the clock was set back
// by so much that they would not come for long.
func (q *Queue) tidy(now time.Time) {
	if q.last.Sub(now) > (QueueLimit+1)*QueuePace {
		*q = Queue{}
	}
	for address, turn := range q.turns {
		if now.Sub(turn) > QueueGrace {
			delete(q.turns, address)
		}
	}
}
