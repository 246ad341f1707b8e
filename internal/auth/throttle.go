package auth

import "time"

// AttemptWindow is how long a failed sign-in counts.
const AttemptWindow = 15 * time.Minute

// Attempts are the failed sign-ins within the AttemptWindow that concern a new
// attempt for an account from an address.
type Attempts struct {
	ByPair    int // for this account from this address
	ByAddress int // from this address, for whichever account
	ByAccount int // for this account, from whichever address
	// KnownAddress: the account signed in from this address lately.
	KnownAddress bool
	// Newest is the latest of all these failures; zero if there is none.
	Newest time.Time
	// NewestHere is the latest of those from this address; zero means Newest.
	NewestHere time.Time
}

// Throttle gives how long to wait before the next attempt; 0: now. Failures of
// the pair count from the 5th on, of the address from the 20th on. The wait after
// the newest one from this address doubles from 2 s on to 15 min.
func Throttle(a Attempts, now time.Time) time.Duration {
	here := a.NewestHere
	if here.IsZero() {
		here = a.Newest
	}
	return remaining(max(delay(a.ByPair, 5), delay(a.ByAddress, 20)), here, now)
}

// Crowded says whether attempts at the account have to pass a Queue: from the 50th
// failure on, from whichever addresses, but not for an address from which the
// account signed in lately. Nobody is refused for the failures of others.
func Crowded(a Attempts) bool { return a.ByAccount >= 50 && !a.KnownAddress }

// delay is 2 s for as many failures as the threshold and twice that for each
// further one, up to the window.
func delay(failures, threshold int) time.Duration {
	if failures < threshold {
		return 0
	}
	return min(2*time.Second<<min(failures-threshold, 10), AttemptWindow)
}

// remaining is what is left of a delay that began then. If the clock was set back
// since, it begins now.
func remaining(delay time.Duration, from, now time.Time) time.Duration {
	return max(0, delay-max(0, now.Sub(from)))
}
