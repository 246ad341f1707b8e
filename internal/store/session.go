package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"pciatlas/internal/auth"
	"pciatlas/internal/fleet"
)

// touchEvery is how exactly the last use of a session or token is known.
const touchEvery = time.Minute

// CreateSession stores a session and that its administrator signed in.
func (s *Store) CreateSession(ctx context.Context, session auth.Session, audit fleet.AuditEntry) error {
	return s.change(ctx, audit, func(ctx context.Context, tx conn) error {
		err := tx.one(ctx, `UPDATE administrators SET signed_in_at = $1 WHERE name = $2`, moment(session.CreatedAt), session.Name)
		if err != nil {
			return fmt.Errorf("administrator %q: %w", session.Name, err)
		}
		_, err = tx.exec(ctx, `INSERT INTO sessions (hash, name, created_at, used_at, address, agent) VALUES ($1, $2, $3, $4, $5, $6)`,
			session.Hash, session.Name, moment(session.CreatedAt), moment(session.UsedAt), session.Address, session.Agent)
		return err
	})
}

// Session finds a session by the hash of its cookie, with its administrator;
// ErrNotFound if there is none. Whether it has ended is for the caller to say.
func (s *Store) Session(ctx context.Context, hash string) (auth.Session, auth.Administrator, error) {
	ctx, cancel := bounded(ctx, s.timeout)
	defer cancel()
	var (
		session auth.Session
		owner   auth.Administrator
	)
	fields := into(&session.Hash, &session.Name, at(&session.CreatedAt), at(&session.UsedAt), &session.Address, &session.Agent)
	err := s.hotRow(ctx, slices.Concat(fields, administratorFields(&owner)), `SELECT sessions.hash, sessions.name,
		sessions.created_at, sessions.used_at, sessions.address, sessions.agent, `+administratorColumns+`
		FROM sessions JOIN administrators ON administrators.name = sessions.name WHERE sessions.hash = $1`, hash)
	if err != nil {
		return auth.Session{}, auth.Administrator{}, fmt.Errorf("session: %w", err)
	}
	return session, owner, nil
}

// TouchSession notes that the session was used, unless that is known to the
// minute or the clock was set back. A session that has gone is no error.
func (s *Store) TouchSession(ctx context.Context, hash string, now time.Time) error {
	ctx, cancel := bounded(ctx, s.timeout)
	defer cancel()
	_, err := s.db.exec(ctx, `UPDATE sessions SET used_at = $1 WHERE hash = $2 AND used_at <= $3`,
		moment(now), hash, moment(now.Add(-touchEvery)))
	return err
}

// DeleteSession signs out; ErrNotFound if the session has gone already.
func (s *Store) DeleteSession(ctx context.Context, hash string, audit fleet.AuditEntry) error {
	return s.change(ctx, audit, func(ctx context.Context, tx conn) error {
		if err := tx.one(ctx, `DELETE FROM sessions WHERE hash = $1`, hash); err != nil {
			return fmt.Errorf("session: %w", err)
		}
		return nil
	})
}

// DeleteSessionsOf ends all sessions of an administrator but that with the hash
// except ("": all).
func (s *Store) DeleteSessionsOf(ctx context.Context, name, except string, audit fleet.AuditEntry) error {
	return s.change(ctx, audit, func(ctx context.Context, tx conn) error {
		return deleteSessionsOf(ctx, tx, name, except)
	})
}

func deleteSessionsOf(ctx context.Context, tx conn, name, except string) error {
	_, err := tx.exec(ctx, `DELETE FROM sessions WHERE name = $1 AND hash <> $2`, name, except)
	return err
}

// DeleteExpiredSessions removes what nobody can use any more and says how much:
// also what a clock dated that was set back since, so that it does not come to life
// again.
func (s *Store) DeleteExpiredSessions(ctx context.Context, now time.Time) (int, error) {
	ctx, cancel := bounded(ctx, s.timeout)
	defer cancel()
	count, err := s.db.exec(ctx, `DELETE FROM sessions WHERE created_at <= $1 OR used_at <= $2 OR created_at > $3 OR used_at > $3`,
		moment(now.Add(-auth.SessionAbsolute)), moment(now.Add(-auth.SessionIdle)), moment(now.Add(auth.ClockSlack)))
	return int(count), err
}

// orNow gives t, or now if t is zero.
func orNow(t, now time.Time) time.Time {
	if t.IsZero() {
		return now
	}
	return t
}
