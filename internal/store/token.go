package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"pciatlas/internal/auth"
	"pciatlas/internal/fleet"
)

//nolint:gosec // names of columns
const tokenColumns = `api_tokens.id, api_tokens.name, api_tokens.owner, api_tokens.role, api_tokens.hash,
	api_tokens.created_at, api_tokens.expires_at, api_tokens.used_at`

func tokenFields(t *auth.Token) []any {
	return into(&t.ID, &t.Name, &t.Owner, &t.Role, &t.Hash, at(&t.CreatedAt), at(&t.ExpiresAt), at(&t.UsedAt))
}

// Tokens gives the API tokens of an owner, of all with "", oldest first.
func (s *Store) Tokens(ctx context.Context, owner string) ([]auth.Token, error) {
	ctx, cancel := bounded(ctx, s.timeout)
	defer cancel()
	found, err := rows(ctx, s.db, tokenFields, `SELECT `+tokenColumns+` FROM api_tokens WHERE $1 = '' OR owner = $1`, owner)
	slices.SortFunc(found, func(a, b auth.Token) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	return found, err
}

// CreateToken gives ErrNotFound if there is no such owner, ErrExists if the id is
// taken.
func (s *Store) CreateToken(ctx context.Context, t auth.Token, audit fleet.AuditEntry) error {
	return s.change(ctx, audit, func(ctx context.Context, tx conn) error {
		_, err := tx.exec(ctx, `INSERT INTO api_tokens (id, name, owner, role, hash, created_at, expires_at, used_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`, t.ID, t.Name, t.Owner, string(t.Role), t.Hash,
			moment(orNow(t.CreatedAt, s.now())), moment(t.ExpiresAt), moment(t.UsedAt))
		if err != nil {
			return fmt.Errorf("token of %q: %w", t.Owner, err)
		}
		return nil
	})
}

// DeleteToken gives ErrNotFound if the token has gone already.
func (s *Store) DeleteToken(ctx context.Context, id string, audit fleet.AuditEntry) error {
	return s.change(ctx, audit, func(ctx context.Context, tx conn) error {
		if err := tx.one(ctx, `DELETE FROM api_tokens WHERE id = $1`, id); err != nil {
			return fmt.Errorf("token %q: %w", id, err)
		}
		return nil
	})
}

// TokenByHash finds a token by the hash of its text, with its owner; ErrNotFound
// if there is none. Whether it has expired is for the caller to say.
func (s *Store) TokenByHash(ctx context.Context, hash string) (auth.Token, auth.Administrator, error) {
	ctx, cancel := bounded(ctx, s.timeout)
	defer cancel()
	var (
		token auth.Token
		owner auth.Administrator
	)
	err := s.hotRow(ctx, slices.Concat(tokenFields(&token), administratorFields(&owner)), `SELECT `+tokenColumns+`, `+
		administratorColumns+` FROM api_tokens JOIN administrators ON administrators.name = api_tokens.owner
		WHERE api_tokens.hash = $1`, hash)
	if err != nil {
		return auth.Token{}, auth.Administrator{}, fmt.Errorf("token: %w", err)
	}
	return token, owner, nil
}

// TouchToken notes that the token was used, unless that is known to the minute. A
// token that has gone is no error.
func (s *Store) TouchToken(ctx context.Context, id string, now time.Time) error {
	ctx, cancel := bounded(ctx, s.timeout)
	defer cancel()
	_, err := s.db.exec(ctx, `UPDATE api_tokens SET used_at = $1 WHERE id = $2 AND (used_at IS NULL OR used_at <= $3)`,
		moment(now), id, moment(now.Add(-touchEvery)))
	return err
}
