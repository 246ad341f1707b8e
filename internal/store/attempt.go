package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"time"

	"pciatlas/internal/auth"
)

// knownFor is how long an address counts as one from which an account signs in.
const knownFor = 30 * 24 * time.Hour

// accountHash is how an account is written where anybody may have typed it:
// people type passwords into the field for the name. Case does not matter.
func accountHash(account string) string {
	sum := sha256.Sum256([]byte(strings.ToLower(strings.TrimSpace(account))))
	return hex.EncodeToString(sum[:])
}

// Attempts gives the failed sign-ins of the last auth.AttemptWindow that concern
// the account or the address. Those that a clock dated which was set back since do
// not count.
func (s *Store) Attempts(ctx context.Context, account, address string, now time.Time) (auth.Attempts, error) {
	ctx, cancel := bounded(ctx, s.timeout)
	defer cancel()
	var (
		a    auth.Attempts
		hash = accountHash(account)
	)
	err := s.db.row(ctx, into(&a.ByPair, &a.ByAddress, &a.ByAccount, at(&a.Newest), at(&a.NewestHere)), `SELECT
		COUNT(CASE WHEN account = $1 AND address = $2 THEN 1 END),
		COUNT(CASE WHEN address = $2 THEN 1 END),
		COUNT(CASE WHEN account = $1 THEN 1 END),
		MAX(at),
		MAX(CASE WHEN address = $2 THEN at END)
		FROM sign_in_failures WHERE at > $3 AND at <= $4 AND (account = $1 OR address = $2)`,
		hash, address, moment(now.Add(-auth.AttemptWindow)), moment(now.Add(auth.ClockSlack)))
	if err != nil {
		return auth.Attempts{}, err
	}
	var known int
	err = s.db.row(ctx, into(&known), `SELECT 1 FROM known_addresses WHERE account = $1 AND address = $2 AND at > $3`,
		hash, address, moment(s.now().Add(-knownFor)))
	if err != nil && !errors.Is(err, ErrNotFound) {
		return auth.Attempts{}, err
	}
	a.KnownAddress = known == 1
	return a, nil
}

// AddFailure notes a failed sign-in. Failures that no longer count are dropped.
func (s *Store) AddFailure(ctx context.Context, account, address string, when time.Time) error {
	ctx, cancel := bounded(ctx, s.timeout)
	defer cancel()
	return s.transaction(ctx, nil, func(tx conn) error {
		_, err := tx.exec(ctx, `INSERT INTO sign_in_failures (account, address, at) VALUES ($1, $2, $3)`,
			accountHash(account), address, moment(when))
		if err != nil {
			return err
		}
		_, err = tx.exec(ctx, `DELETE FROM sign_in_failures WHERE at <= $1 OR at > $2`,
			moment(when.Add(-auth.AttemptWindow)), moment(when.Add(auth.ClockSlack)))
		return err
	})
}

// ClearFailures notes that the account signed in from the address: its failures
// from there are forgotten, and the address is known for 30 days.
func (s *Store) ClearFailures(ctx context.Context, account, address string) error {
	ctx, cancel := bounded(ctx, s.timeout)
	defer cancel()
	hash, now := accountHash(account), s.now()
	return s.transaction(ctx, nil, func(tx conn) error {
		if _, err := tx.exec(ctx, `DELETE FROM sign_in_failures WHERE account = $1 AND address = $2`, hash, address); err != nil {
			return err
		}
		_, err := tx.exec(ctx, `INSERT INTO known_addresses (account, address, at) VALUES ($1, $2, $3)
			ON CONFLICT (account, address) DO UPDATE SET at = excluded.at`, hash, address, moment(now))
		if err != nil {
			return err
		}
		_, err = tx.exec(ctx, `DELETE FROM known_addresses WHERE at <= $1`, moment(now.Add(-knownFor)))
		return err
	})
}
