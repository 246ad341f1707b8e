package store_test

import (
	"strings"
	"testing"
	"time"

	"pciatlas/internal/auth"
	"pciatlas/internal/store"
	"pciatlas/internal/store/storetest"
)

func TestSessions(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t storetest.T, s *store.Store) {
		zoe := addAdmin(t, s, "zoe", auth.Admin)
		addSession(t, s, "h1", "zoe")
		zoe.SignedInAt = storetest.Start()
		have, owner, err := s.Session(t.Context(), "h1")
		ok(t, err)
		same(t, have, session("h1", "zoe"))
		same(t, owner, zoe)

		_, _, err = s.Session(t.Context(), "h2")
		is(t, err, store.ErrNotFound)
		is(t, s.CreateSession(t.Context(), session("h1", "zoe"), done()), store.ErrExists)
		is(t, s.CreateSession(t.Context(), session("h2", "nobody"), done()), store.ErrNotFound)

		ok(t, s.DeleteSession(t.Context(), "h1", done()))
		is(t, s.DeleteSession(t.Context(), "h1", done()), store.ErrNotFound)
		_, _, err = s.Session(t.Context(), "h1")
		is(t, err, store.ErrNotFound)
	})
}

func TestTouchSessionIsExactToTheMinute(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t storetest.T, s *store.Store) {
		start := storetest.Start()
		addAdmin(t, s, "zoe", auth.Admin)
		addSession(t, s, "h1", "zoe")
		addSession(t, s, "h2", "zoe")
		for _, step := range []struct{ now, want time.Duration }{
			{59 * time.Second, 0},
			{60 * time.Second, 60 * time.Second},
			{60*time.Second + 123456789, 60 * time.Second},
			{-time.Hour, 60 * time.Second}, // the clock was set back
			{2*time.Minute + 123456789, 2*time.Minute + 123456000},
		} {
			ok(t, s.TouchSession(t.Context(), "h1", start.Add(step.now)))
			have, _, err := s.Session(t.Context(), "h1")
			ok(t, err)
			same(t, have.UsedAt, start.Add(step.want))
		}
		ok(t, s.TouchSession(t.Context(), "gone", start))
		have, _, err := s.Session(t.Context(), "h2")
		ok(t, err)
		same(t, have, session("h2", "zoe"))
	})
}

func TestDeleteExpiredSessions(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t storetest.T, s *store.Store) {
		addAdmin(t, s, "zoe", auth.Admin)
		now := storetest.Start()
		for hash, ages := range map[string][2]time.Duration{
			"fresh":    {11 * time.Hour, 59 * time.Minute},
			"idle":     {11 * time.Hour, 61 * time.Minute},
			"absolute": {12*time.Hour + 500*time.Millisecond, 0},
			"ahead":    {-time.Minute, -time.Minute}, // of a replica
			"set back": {time.Hour, -time.Minute - time.Millisecond},
		} {
			one := session(hash, "zoe")
			one.CreatedAt, one.UsedAt = now.Add(-ages[0]), now.Add(-ages[1])
			ok(t, s.CreateSession(t.Context(), one, done()))
		}
		same(t, got(s.DeleteExpiredSessions(t.Context(), now))(t), 3)
		for _, hash := range []string{"fresh", "ahead"} {
			_, _, err := s.Session(t.Context(), hash)
			ok(t, err)
		}
	})
}

// TestWhatEndsSessions says which sessions of zoe are left of "a" and "b". The
// session "o" of another administrator always stays.
func TestWhatEndsSessions(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		act  func(t storetest.T, s *store.Store) error
		left string
	}{
		"a new password": {func(t storetest.T, s *store.Store) error {
			return s.ChangePassword(t.Context(), "zoe", "new", "", false, done())
		}, ""},
		"another hash of the same password": {func(t storetest.T, s *store.Store) error {
			before := got(s.Administrator(t.Context(), "zoe"))(t).Hash
			is(t, s.RehashPassword(t.Context(), "zoe", "other", "new"), store.ErrConflict)
			ok(t, s.RehashPassword(t.Context(), "zoe", before, "new"))
			same(t, got(s.Administrator(t.Context(), "zoe"))(t).Hash, "new")
			return nil
		}, "ab"},
		"a new password, from one of them": {func(t storetest.T, s *store.Store) error {
			return s.ChangePassword(t.Context(), "zoe", "new", "b", false, done())
		}, "b"},
		"a new password set by somebody": {func(t storetest.T, s *store.Store) error {
			return s.UpdateAdministrator(t.Context(), "zoe", false, func(a *auth.Administrator) error { a.Hash = "new"; return nil }, done())
		}, ""},
		"a lower role": {func(t storetest.T, s *store.Store) error {
			return s.UpdateAdministrator(t.Context(), "zoe", false, func(a *auth.Administrator) error { a.Role = auth.Auditor; return nil }, done())
		}, ""},
		"a higher role": {func(t storetest.T, s *store.Store) error {
			return s.UpdateAdministrator(t.Context(), "zoe", false, func(a *auth.Administrator) error { a.Role = auth.Admin; return nil }, done())
		}, "ab"},
		"another subject": {func(t storetest.T, s *store.Store) error {
			return s.UpdateAdministrator(t.Context(), "zoe", false, func(a *auth.Administrator) error { a.Subject = "i|1"; return nil }, done())
		}, "ab"},
		"a password that is refused": {func(t storetest.T, s *store.Store) error {
			is(t, s.ChangePassword(t.Context(), "zoe", "\x00", "", false, done()), store.ErrInvalidText)
			return nil
		}, "ab"},
		"the end of the administrator": {func(t storetest.T, s *store.Store) error {
			return s.DeleteAdministrator(t.Context(), "zoe", done())
		}, ""},
		"being told so": {func(t storetest.T, s *store.Store) error {
			return s.DeleteSessionsOf(t.Context(), "zoe", "a", done())
		}, "a"},
	}
	storetest.Run(t, func(t storetest.T, s *store.Store) {
		addAdmin(t, s, "other", auth.Admin)
		addSession(t, s, "o", "other")
		for name, test := range tests {
			store.Exec(t, s, `DELETE FROM administrators WHERE name = 'zoe'`)
			addAdmin(t, s, "zoe", auth.Operator)
			addSession(t, s, "a", "zoe")
			addSession(t, s, "b", "zoe")
			ok(t, test.act(t, s))
			for _, hash := range []string{"a", "b", "o"} {
				_, _, err := s.Session(t.Context(), hash)
				want := error(nil)
				if hash != "o" && !strings.Contains(test.left, hash) {
					want = store.ErrNotFound
				}
				if is := err == nil; is != (want == nil) {
					t.Errorf("%s: session %s gives %v, want %v", name, hash, err, want)
				}
			}
		}
	})
}
