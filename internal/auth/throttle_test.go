package auth_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"pciatlas/internal/auth"
)

func TestThrottle(t *testing.T) {
	for _, c := range []struct {
		name     string
		attempts auth.Attempts
		after    time.Duration // since the newest failure
		want     time.Duration
	}{
		{"none", auth.Attempts{}, 0, 0},
		{"four", auth.Attempts{ByPair: 4, ByAddress: 19, ByAccount: 49}, 0, 0},
		{"fifth", auth.Attempts{ByPair: 5}, 0, 2 * time.Second},
		{"sixth", auth.Attempts{ByPair: 6}, 0, 4 * time.Second},
		{"sixth, a second on", auth.Attempts{ByPair: 6}, time.Second, 3 * time.Second},
		{"sixth, waited", auth.Attempts{ByPair: 6}, 4 * time.Second, 0},
		{"thirteenth", auth.Attempts{ByPair: 13}, 0, 512 * time.Second},
		{"fourteenth", auth.Attempts{ByPair: 14}, 0, 15 * time.Minute},
		{"very many", auth.Attempts{ByPair: 1 << 40}, 0, 15 * time.Minute},
		{"address", auth.Attempts{ByAddress: 21}, 0, 4 * time.Second},
		{"address of the account", auth.Attempts{ByAddress: 20, KnownAddress: true}, 0, 2 * time.Second},
		{"account", auth.Attempts{ByAccount: 5000}, 0, 0},
		{"pair from its address", auth.Attempts{ByPair: 5, ByAccount: 5000, KnownAddress: true}, 0, 2 * time.Second},
		{"the longest counts", auth.Attempts{ByPair: 5, ByAddress: 22, ByAccount: 51}, 0, 8 * time.Second},
		{"clock set back", auth.Attempts{ByPair: 5}, -100 * time.Hour, 2 * time.Second},
	} {
		c.attempts.Newest = noon.Add(-c.after)
		if got := auth.Throttle(c.attempts, noon); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	elsewhere := auth.Attempts{ByPair: 5, Newest: noon, NewestHere: noon.Add(-time.Minute)}
	if got := auth.Throttle(elsewhere, noon); got != 0 {
		t.Errorf("a failure elsewhere prolongs the wait here: %v", got)
	}
}

// attempts draws what may be known of an account and an address.
func attempts(t *rapid.T) auth.Attempts {
	t.Helper()
	ago := func(label string) time.Time {
		return noon.Add(-time.Duration(rapid.Int64Range(-int64(time.Hour), int64(auth.AttemptWindow)).Draw(t, label)))
	}
	return auth.Attempts{
		ByPair:    rapid.IntRange(0, 60).Draw(t, "pair"),
		ByAddress: rapid.IntRange(0, 60).Draw(t, "address"),
		ByAccount: rapid.IntRange(0, 1<<30).Draw(t, "account"),
		Newest:    ago("newest"), NewestHere: ago("newest here"),
		KnownAddress: rapid.Bool().Draw(t, "known"),
	}
}

func TestCrowded(t *testing.T) {
	for _, c := range []struct {
		attempts auth.Attempts
		want     bool
	}{
		{auth.Attempts{ByAccount: 49}, false},
		{auth.Attempts{ByAccount: 50}, true},
		{auth.Attempts{ByAccount: 5000, KnownAddress: true}, false},
		{auth.Attempts{ByPair: 60, ByAddress: 60}, false},
	} {
		if got := auth.Crowded(c.attempts); got != c.want {
			t.Errorf("%+v: %t", c.attempts, got)
		}
	}
}

// TestThrottleElsewhere: no number of failures from elsewhere, however recent,
// makes an attempt be refused, and none makes it queue where the account signed in
// lately.
func TestThrottleElsewhere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := attempts(t), attempts(t)
		attacked := a
		attacked.ByAccount, attacked.Newest = b.ByAccount, b.Newest
		if alone, under := auth.Throttle(a, noon), auth.Throttle(attacked, noon); alone != under {
			t.Fatalf("%+v waits %v, %+v waits %v", a, alone, attacked, under)
		}
		attacked.KnownAddress = true
		if auth.Crowded(attacked) {
			t.Fatalf("%+v has to queue", attacked)
		}
		a.ByPair, a.ByAddress = min(a.ByPair, 4), min(a.ByAddress, 19)
		if wait := auth.Throttle(a, noon); wait != 0 {
			t.Fatalf("%+v waits %v", a, wait)
		}
	})
}

// TestThrottleBounds: more failures never shorten the wait, waiting always ends
// it, it never exceeds the window, and a stranger who goes on failing does wait.
func TestThrottleBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := attempts(t)
		wait := auth.Throttle(a, noon)
		if wait < 0 || wait > auth.AttemptWindow {
			t.Fatalf("%+v waits %v", a, wait)
		}
		more := a
		more.ByPair += rapid.IntRange(0, 9).Draw(t, "more of the pair")
		more.ByAddress += rapid.IntRange(0, 9).Draw(t, "more of the address")
		more.ByAccount += rapid.IntRange(0, 9).Draw(t, "more of the account")
		if longer := auth.Throttle(more, noon); longer < wait {
			t.Fatalf("%+v waits %v, %+v only %v", a, wait, more, longer)
		}
		if later := auth.Throttle(a, noon.Add(time.Hour+auth.AttemptWindow)); later != 0 {
			t.Fatalf("%+v never may try again: %v", a, later)
		}
		more.Newest, more.NewestHere = noon, noon
		stranger := more.ByPair >= 5 || more.ByAddress >= 20
		if stranger != (auth.Throttle(more, noon) > 0) {
			t.Fatalf("%+v waits %v", more, auth.Throttle(more, noon))
		}
	})
}
