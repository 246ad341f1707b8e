package store_test

import (
	"errors"
	"sync"
	"testing"

	"pciatlas/internal/auth"
	"pciatlas/internal/store"
	"pciatlas/internal/store/storetest"
)

func TestAdministrators(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t storetest.T, s *store.Store) {
		zoe := addAdmin(t, s, "zoe", auth.Admin)
		adam := admin("adam")
		adam.Role, adam.Hash, adam.Subject = auth.Auditor, "", "https://id.example|7"
		ok(t, s.CreateAdministrator(t.Context(), adam, done()))

		same(t, got(s.Administrators(t.Context()))(t), []auth.Administrator{adam, zoe})
		same(t, got(s.Administrator(t.Context(), "zoe"))(t), zoe)
		same(t, got(s.AdministratorBySubject(t.Context(), adam.Subject))(t), adam)
		same(t, got(s.CountAdministrators(t.Context()))(t), 2)

		_, err := s.Administrator(t.Context(), "nobody")
		is(t, err, store.ErrNotFound)
		_, err = s.AdministratorBySubject(t.Context(), "")
		is(t, err, store.ErrNotFound)
		is(t, s.CreateAdministrator(t.Context(), zoe, done()), store.ErrExists)
		other := admin("other")
		other.Subject = adam.Subject
		is(t, s.CreateAdministrator(t.Context(), other, done()), store.ErrExists)

		ok(t, s.UpdateAdministrator(t.Context(), "adam", false, func(a *auth.Administrator) error {
			a.Role = auth.Operator
			return nil
		}, done()))
		adam.Role = auth.Operator
		same(t, got(s.Administrator(t.Context(), "adam"))(t), adam)

		ok(t, s.DeleteAdministrator(t.Context(), "adam", done()))
		is(t, s.DeleteAdministrator(t.Context(), "adam", done()), store.ErrNotFound)
		same(t, got(s.Administrators(t.Context()))(t), []auth.Administrator{zoe})
	})
}

func TestUpdateAdministratorGivesTheErrorOfTheChange(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t storetest.T, s *store.Store) {
		zoe := addAdmin(t, s, "zoe", auth.Admin)
		refusal := errors.New("not so")
		is(t, s.UpdateAdministrator(t.Context(), "zoe", false, func(a *auth.Administrator) error {
			a.Hash = "other"
			return refusal
		}, done()), refusal)
		same(t, got(s.Administrator(t.Context(), "zoe"))(t), zoe)
		is(t, s.UpdateAdministrator(t.Context(), "nobody", false, func(*auth.Administrator) error { return nil }, done()), store.ErrNotFound)
	})
}

func demote(a *auth.Administrator) error {
	a.Role = auth.Operator
	return nil
}

func TestLastAdministrator(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t storetest.T, s *store.Store) {
		zoe := addAdmin(t, s, "zoe", auth.Admin)
		addAdmin(t, s, "oscar", auth.Operator)
		// Who cannot sign in does not count.
		locked := admin("locked")
		locked.Hash = ""
		ok(t, s.CreateAdministrator(t.Context(), locked, done()))

		is(t, s.UpdateAdministrator(t.Context(), "zoe", false, demote, done()), store.ErrLastAdmin)
		is(t, s.ChangePassword(t.Context(), "zoe", "", "", false, done()), store.ErrLastAdmin)
		is(t, s.DeleteAdministrator(t.Context(), "zoe", done()), store.ErrLastAdmin)
		same(t, got(s.Administrator(t.Context(), "zoe"))(t), zoe)

		ok(t, s.UpdateAdministrator(t.Context(), "locked", false, func(a *auth.Administrator) error {
			a.Subject = "https://id.example|1"
			return nil
		}, done()))
		is(t, s.DeleteAdministrator(t.Context(), "zoe", done()), store.ErrLastAdmin)
	})
}

// Who signs in through OpenID Connect counts only with the issuer that is
// configured. Where nobody can sign in any more, set-up is needed again, and no
// change of others is refused.
func TestLastAdministratorAndTheIssuer(t *testing.T) {
	t.Parallel()
	storetest.RunAt(t, func(t storetest.T, place storetest.Place) {
		with, without, other := place.OpenWith(t, "https://id.example"), place.Open(t), place.OpenWith(t, "https://id.exam")
		zoe, anna := admin("zoe"), admin("anna")
		anna.Hash, anna.Subject = "", "https://id.example|1"
		ok(t, with.CreateAdministrator(t.Context(), zoe, done()))
		ok(t, with.CreateAdministrator(t.Context(), anna, done()))
		addAdmin(t, with, "oscar", auth.Operator)
		for _, s := range []*store.Store{without, other} {
			is(t, s.DeleteAdministrator(t.Context(), "zoe", done()), store.ErrLastAdmin)
			is(t, s.UpdateAdministrator(t.Context(), "zoe", false, demote, done()), store.ErrLastAdmin)
		}
		ok(t, with.DeleteAdministrator(t.Context(), "zoe", done()))
		is(t, with.DeleteAdministrator(t.Context(), "anna", done()), store.ErrLastAdmin)

		same(t, got(with.SetupNeeded(t.Context()))(t), false)
		same(t, got(other.SetupNeeded(t.Context()))(t), true)
		same(t, got(without.SetupNeeded(t.Context()))(t), true)
		ok(t, without.ChangePassword(t.Context(), "oscar", "new", "", false, done()))
		ok(t, without.AddSetupToken(t.Context(), "link", storetest.Start().Add(3600e9)))
		is(t, without.CompleteSetup(t.Context(), "link", anna, done()), store.ErrExists)
		is(t, with.CompleteSetup(t.Context(), "link", zoe, done()), store.ErrSetupDone)
		ok(t, without.CompleteSetup(t.Context(), "link", zoe, done()))
		same(t, got(without.SetupNeeded(t.Context()))(t), false)
	})
}

func TestTokensEndWithAPassword(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t storetest.T, s *store.Store) {
		addAdmin(t, s, "zoe", auth.Admin)
		addAdmin(t, s, "adam", auth.Auditor)
		left := func() int { t.Helper(); return len(got(s.Tokens(t.Context(), ""))(t)) }
		add := func(id, owner string) {
			t.Helper()
			ok(t, s.CreateToken(t.Context(), auth.Token{ID: id, Name: id, Owner: owner, Role: auth.Auditor, Hash: id, CreatedAt: storetest.Start()}, done()))
		}
		rename := func(a *auth.Administrator) error { a.Hash += "x"; return nil }
		add("one", "adam")
		add("two", "zoe")
		ok(t, s.UpdateAdministrator(t.Context(), "adam", false, rename, done()))
		ok(t, s.ChangePassword(t.Context(), "adam", "new", "", false, done()))
		same(t, left(), 2)
		ok(t, s.UpdateAdministrator(t.Context(), "adam", true, rename, done()))
		same(t, left(), 1)
		add("one", "adam")
		ok(t, s.ChangePassword(t.Context(), "adam", "newer", "", true, done()))
		same(t, left(), 1)
	})
}

func TestLastAdministratorUnderConcurrentDemotions(t *testing.T) {
	t.Parallel()
	storetest.RunAt(t, func(t storetest.T, place storetest.Place) {
		first, second := place.Open(t), place.Open(t)
		for range 5 {
			addAdmin(t, first, "a", auth.Admin)
			addAdmin(t, first, "b", auth.Admin)
			begin := make(chan struct{})
			errs := make([]error, 4)
			var wait sync.WaitGroup
			for i, attempt := range []func() error{
				func() error { return first.UpdateAdministrator(t.Context(), "a", false, demote, done()) },
				func() error { return second.UpdateAdministrator(t.Context(), "b", false, demote, done()) },
				func() error { return second.DeleteAdministrator(t.Context(), "a", done()) },
				func() error { return first.DeleteAdministrator(t.Context(), "b", done()) },
			} {
				wait.Go(func() {
					<-begin
					errs[i] = attempt()
				})
			}
			close(begin)
			wait.Wait()
			for _, err := range errs {
				if err != nil && !errors.Is(err, store.ErrLastAdmin) && !errors.Is(err, store.ErrNotFound) {
					t.Fatal(err)
				}
			}
			admins := 0
			for _, a := range got(first.Administrators(t.Context()))(t) {
				if a.Role == auth.Admin {
					admins++
				}
			}
			if admins == 0 {
				t.Fatal("nobody is left who can administer")
			}
			for _, name := range []string{"a", "b"} {
				removeForTest(t, first, name)
			}
		}
	})
}

// removeForTest removes an administrator, whoever else there is.
func removeForTest(t testing.TB, s *store.Store, name string) {
	t.Helper()
	helper := admin("helper")
	ok(t, s.CreateAdministrator(t.Context(), helper, done()))
	if err := s.DeleteAdministrator(t.Context(), name, done()); err != nil {
		is(t, err, store.ErrNotFound)
	}
	store.Exec(t, s, `DELETE FROM administrators WHERE name = 'helper'`)
}

func TestSetup(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t storetest.T, s *store.Store) {
		now := storetest.Start()
		ok(t, s.AddSetupToken(t.Context(), "late", now))
		ok(t, s.AddSetupToken(t.Context(), "first", now.Add(1)))
		ok(t, s.AddSetupToken(t.Context(), "second", now.Add(3600e9)))

		is(t, s.CompleteSetup(t.Context(), "late", admin("zoe"), done()), store.ErrSetupToken)
		is(t, s.CompleteSetup(t.Context(), "", admin("zoe"), done()), store.ErrSetupToken)
		same(t, got(s.CountAdministrators(t.Context()))(t), 0)
		entries, _, err := s.Audit(t.Context(), store.AuditFilter{})
		ok(t, err)
		same(t, len(entries), 0)

		ok(t, s.CompleteSetup(t.Context(), "second", admin("zoe"), done()))
		same(t, got(s.Administrator(t.Context(), "zoe"))(t), admin("zoe"))
		is(t, s.CompleteSetup(t.Context(), "first", admin("eve"), done()), store.ErrSetupDone)
		ok(t, s.DeleteSessionsOf(t.Context(), "zoe", "", done()))
		same(t, store.Count(t, s, `SELECT COUNT(*) FROM setup_tokens`), 0)
	})
}

func TestSetupHappensOnce(t *testing.T) {
	t.Parallel()
	storetest.RunAt(t, func(t storetest.T, place storetest.Place) {
		stores := []*store.Store{place.Open(t), place.Open(t)}
		ok(t, stores[0].AddSetupToken(t.Context(), "link", storetest.Start().Add(3600e9)))
		errs := make([]error, 6)
		var wait sync.WaitGroup
		for i := range errs {
			wait.Go(func() {
				errs[i] = stores[i%2].CompleteSetup(t.Context(), "link", admin(string(rune('a'+i))), done())
			})
		}
		wait.Wait()
		succeeded := 0
		for _, err := range errs {
			if err == nil {
				succeeded++
			} else {
				is(t, err, store.ErrSetupDone)
			}
		}
		same(t, succeeded, 1)
		same(t, got(stores[0].CountAdministrators(t.Context()))(t), 1)
	})
}
