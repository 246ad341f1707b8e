package store_test

import (
	"testing"
	"time"

	"pciatlas/internal/auth"
	"pciatlas/internal/store"
	"pciatlas/internal/store/storetest"
)

func token(id, owner string) auth.Token {
	return auth.Token{
		ID: id, Name: "monitoring", Owner: owner, Role: auth.Auditor, Hash: "hash-" + id,
		CreatedAt: storetest.Start(), ExpiresAt: storetest.Start().Add(time.Hour),
	}
}

func TestTokens(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t storetest.T, s *store.Store) {
		zoe := addAdmin(t, s, "zoe", auth.Admin)
		addAdmin(t, s, "adam", auth.Admin)
		second, first, other := token("t1", "zoe"), token("t2", "zoe"), token("t3", "adam")
		second.CreatedAt = first.CreatedAt.Add(time.Second)
		first.ExpiresAt = time.Time{}
		for _, one := range []auth.Token{second, first, other} {
			ok(t, s.CreateToken(t.Context(), one, done()))
		}
		same(t, got(s.Tokens(t.Context(), "zoe"))(t), []auth.Token{first, second})
		same(t, got(s.Tokens(t.Context(), ""))(t), []auth.Token{first, other, second})
		same(t, got(s.Tokens(t.Context(), "nobody"))(t), []auth.Token(nil))

		have, owner, err := s.TokenByHash(t.Context(), "hash-t1")
		ok(t, err)
		same(t, have, second)
		same(t, owner, zoe)
		_, _, err = s.TokenByHash(t.Context(), "")
		is(t, err, store.ErrNotFound)

		is(t, s.CreateToken(t.Context(), first, done()), store.ErrExists)
		is(t, s.CreateToken(t.Context(), token("t4", "nobody"), done()), store.ErrNotFound)

		ok(t, s.DeleteToken(t.Context(), "t1", done()))
		is(t, s.DeleteToken(t.Context(), "t1", done()), store.ErrNotFound)

		ok(t, s.DeleteAdministrator(t.Context(), "zoe", done()))
		same(t, got(s.Tokens(t.Context(), ""))(t), []auth.Token{other})
	})
}

func TestTouchTokenIsExactToTheMinute(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t storetest.T, s *store.Store) {
		addAdmin(t, s, "zoe", auth.Admin)
		ok(t, s.CreateToken(t.Context(), token("t1", "zoe"), done()))
		start := storetest.Start()
		for _, step := range []struct{ now, want time.Duration }{{0, 0}, {59 * time.Second, 0}, {time.Minute, time.Minute}} {
			ok(t, s.TouchToken(t.Context(), "t1", start.Add(step.now)))
			have, _, err := s.TokenByHash(t.Context(), "hash-t1")
			ok(t, err)
			same(t, have.UsedAt, start.Add(step.want))
		}
		ok(t, s.TouchToken(t.Context(), "gone", start))
	})
}
