package auth

import "time"

// How long a session lasts: from its start, and from its last use.
const (
	SessionAbsolute = 12 * time.Hour
	SessionIdle     = time.Hour
)

// ClockSlack is how far the clocks of two replicas may lie apart. What is dated
// further in the future is of a clock that was set back since.
const ClockSlack = time.Minute

// Session is a signed-in browser.
type Session struct {
	Hash              string // HashSecret of the cookie's value
	Name              string // of the administrator
	CreatedAt, UsedAt time.Time
	Address           string // where the sign-in came from
	Agent             string // the browser's name for itself
}

// Valid says whether the session has not ended. A clock that was set back does
// not extend it: then it has ended, too.
func (s Session) Valid(now time.Time) bool {
	return within(now, s.CreatedAt, SessionAbsolute) && within(now, s.UsedAt, SessionIdle)
}

// within says whether less than limit has passed between start and now; times
// before start count only within the slack of clocks.
func within(now, start time.Time, limit time.Duration) bool {
	passed := now.Sub(start)
	return !start.IsZero() && passed >= -ClockSlack && passed < limit
}
