package store

import (
	"context"
	"fmt"
	"time"

	"pciatlas/internal/auth"
	"pciatlas/internal/fleet"
)

// CountAdministrators gives 0 as long as nobody has set the server up.
func (s *Store) CountAdministrators(ctx context.Context) (int, error) {
	ctx, cancel := bounded(ctx, s.timeout)
	defer cancel()
	return countAdministrators(ctx, s.db)
}

func countAdministrators(ctx context.Context, c conn) (int, error) {
	var count int
	err := c.row(ctx, into(&count), `SELECT COUNT(*) FROM administrators`)
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
// gives ErrSetupDone if there is an administrator, and ErrSetupToken if the
// token is unknown or has expired.
func (s *Store) CompleteSetup(ctx context.Context, tokenHash string, first auth.Administrator, audit fleet.AuditEntry) error {
	return s.change(ctx, audit, func(ctx context.Context, tx conn) error {
		count, err := countAdministrators(ctx, tx)
		if err != nil {
			return err
		}
		if count > 0 {
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
