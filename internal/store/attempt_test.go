package store_test

import (
	"testing"
	"time"

	"pciatlas/internal/auth"
	"pciatlas/internal/store"
	"pciatlas/internal/store/storetest"
)

func TestAttempts(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t storetest.T, s *store.Store) {
		now := storetest.Start()
		same(t, got(s.Attempts(t.Context(), "zoe", "192.0.2.1", now))(t), auth.Attempts{})

		fail := func(account, address string, ago time.Duration) {
			t.Helper()
			ok(t, s.AddFailure(t.Context(), account, address, now.Add(-ago)))
		}
		fail("zoe", "192.0.2.1", 15*time.Minute) // no longer counts
		fail("zoe", "192.0.2.1", 10*time.Minute)
		fail("ZOE ", "192.0.2.1", 9*time.Minute) // the same account
		fail("adam", "192.0.2.1", 8*time.Minute)
		fail("zoe", "2001:db8::1", 2*time.Minute)
		fail("adam", "2001:db8::1", time.Minute) // concerns neither
		want := auth.Attempts{ByPair: 2, ByAddress: 3, ByAccount: 3, Newest: now.Add(-2 * time.Minute), NewestHere: now.Add(-8 * time.Minute)}
		same(t, got(s.Attempts(t.Context(), "zoe", "192.0.2.1", now))(t), want)
		same(t, got(s.Attempts(t.Context(), "Zoe", "192.0.2.9", now))(t),
			auth.Attempts{ByAccount: 3, Newest: now.Add(-2 * time.Minute)})

		ok(t, s.ClearFailures(t.Context(), "zoe", "192.0.2.1"))
		want = auth.Attempts{ByAddress: 1, ByAccount: 1, KnownAddress: true, Newest: now.Add(-2 * time.Minute), NewestHere: now.Add(-8 * time.Minute)}
		same(t, got(s.Attempts(t.Context(), "zoe", "192.0.2.1", now))(t), want)
		same(t, got(s.Attempts(t.Context(), "adam", "192.0.2.1", now))(t).KnownAddress, false)
	})
}

func TestAttemptsForget(t *testing.T) {
	t.Parallel()
	storetest.RunAt(t, func(t storetest.T, place storetest.Place) {
		now := storetest.Start()
		place.Now = func() time.Time { return now }
		s := place.Open(t)
		ok(t, s.ClearFailures(t.Context(), "zoe", "192.0.2.1"))
		ok(t, s.AddFailure(t.Context(), "zoe", "192.0.2.1", now))
		now = now.Add(30*24*time.Hour - time.Second)
		same(t, got(s.Attempts(t.Context(), "zoe", "192.0.2.1", now))(t).KnownAddress, true)
		now = now.Add(time.Second)
		same(t, got(s.Attempts(t.Context(), "zoe", "192.0.2.1", now))(t).KnownAddress, false)

		ok(t, s.AddFailure(t.Context(), "adam", "192.0.2.2", now))
		ok(t, s.ClearFailures(t.Context(), "eve", "192.0.2.3"))
		same(t, store.Count(t, s, `SELECT COUNT(*) FROM sign_in_failures`), 1)
		same(t, store.Count(t, s, `SELECT COUNT(*) FROM known_addresses`), 1)
	})
}

// A clock that was set back leaves no failures behind that count for long.
func TestAttemptsOfTheFuture(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t storetest.T, s *store.Store) {
		now := storetest.Start()
		ok(t, s.AddFailure(t.Context(), "zoe", "192.0.2.1", now.Add(time.Hour)))
		same(t, got(s.Attempts(t.Context(), "zoe", "192.0.2.1", now))(t), auth.Attempts{})
		ok(t, s.AddFailure(t.Context(), "zoe", "192.0.2.1", now.Add(time.Minute))) // another replica's clock
		same(t, store.Count(t, s, `SELECT COUNT(*) FROM sign_in_failures`), 1)
		same(t, got(s.Attempts(t.Context(), "zoe", "192.0.2.1", now))(t).ByPair, 1)
		ok(t, s.AddFailure(t.Context(), "zoe", "192.0.2.1", now.Add(-time.Minute)))
		same(t, store.Count(t, s, `SELECT COUNT(*) FROM sign_in_failures`), 1)
	})
}

// People type passwords into the field for the name.
func TestAttemptsDoNotKeepWhatWasTyped(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t storetest.T, s *store.Store) {
		const typed = "correct horse battery staple"
		ok(t, s.AddFailure(t.Context(), typed, "192.0.2.1", storetest.Start()))
		ok(t, s.ClearFailures(t.Context(), typed, "192.0.2.2"))
		for _, table := range []string{"sign_in_failures", "known_addresses"} {
			same(t, store.Count(t, s, `SELECT COUNT(*) FROM `+table), 1)
			same(t, store.Count(t, s, `SELECT COUNT(*) FROM `+table+` WHERE account LIKE '%horse%' OR LENGTH(account) <> 64`), 0)
		}
		ok(t, s.AddFailure(t.Context(), "\x00\xff", "192.0.2.1", storetest.Start()))
	})
}
