package store

import (
	"context"
	"fmt"
	"time"

	"pciatlas/internal/auth"
	"pciatlas/internal/fleet"
)

// SetupNeeded says whether nobody with the role admin can sign in: nobody has set
// the server up, or those who could did so through OpenID Connect, which is not
// configured any more.
func (s *Store) SetupNeeded(ctx context.Context) (bool, error) {
	ctx, cancel := bounded(ctx, s.timeout)
	defer cancel()
	has, err := s.hasAdmin(ctx, s.db)
	return !has, err
}

// CountAdministrators says how many there are, of whichever role.
func (s *Store) CountAdministrators(ctx context.Context) (int, error) {
	ctx, cancel := bounded(ctx, s.timeout)
	defer cancel()
	var count int
	err := s.db.row(ctx, into(&count), `SELECT COUNT(*) FROM administrators`)
	return count, err
}

// AddSetupToken makes one more set-up link valid until then. It takes the hash of
// the token that the link holds, and drops those that have expired.
func (s *Store) AddSetupToken(ctx context.Context, hash string, expires time.Time) error {
	ctx, cancel := bounded(ctx, s.timeout)
	defer cancel()
	return s.transaction(ctx, nil, func(tx conn) error {
		if _, err := tx.exec(ctx, `DELETE FROM setup_tokens WHERE expires_at <= $1`, moment(s.now())); err != nil {
			return err
		}
		_, err := tx.exec(ctx, `INSERT INTO setup_tokens (hash, expires_at) VALUES ($1, $2)`, hash, moment(expires))
		return err
	})
}

// CompleteSetup makes the first administrator and drops all set-up tokens. It
// gives ErrSetupDone if set-up is not needed, ErrSetupToken if the token is unknown
// or has expired, and ErrExists if somebody has the name.
func (s *Store) CompleteSetup(ctx context.Context, tokenHash string, first auth.Administrator, audit fleet.AuditEntry) error {
	return s.change(ctx, audit, func(ctx context.Context, tx conn) error {
		done, err := s.hasAdmin(ctx, tx)
		if err != nil {
			return err
		}
		if done {
			return ErrSetupDone
		}
		var valid int
		err = tx.row(ctx, into(&valid), `SELECT COUNT(*) FROM setup_tokens WHERE hash = $1 AND expires_at > $2`,
			tokenHash, moment(s.now()))
		if err != nil {
			return err
		}
		if valid == 0 {
			return ErrSetupToken
		}
		if err := s.insertAdministrator(ctx, tx, first); err != nil {
			return fmt.Errorf("administrator %q: %w", first.Name, err)
		}
		_, err = tx.exec(ctx, `DELETE FROM setup_tokens`)
		return err
	})
}
