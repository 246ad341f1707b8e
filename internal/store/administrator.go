package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"pciatlas/internal/auth"
	"pciatlas/internal/fleet"
)

const administratorColumns = `administrators.name, administrators.role, administrators.hash, administrators.subject,
	administrators.created_at, administrators.updated_at, administrators.signed_in_at`

func administratorFields(a *auth.Administrator) []any {
	return into(&a.Name, &a.Role, &a.Hash, maybe(&a.Subject), at(&a.CreatedAt), at(&a.UpdatedAt), at(&a.SignedInAt))
}

// Administrators gives all of them by name.
func (s *Store) Administrators(ctx context.Context) ([]auth.Administrator, error) {
	ctx, cancel := bounded(ctx, s.timeout)
	defer cancel()
	found, err := rows(ctx, s.db, administratorFields, `SELECT `+administratorColumns+` FROM administrators`)
	// In Go, because databases sort text by rules of their own.
	slices.SortFunc(found, func(a, b auth.Administrator) int { return cmp.Compare(a.Name, b.Name) })
	return found, err
}

// Administrator gives ErrNotFound if there is none of that name.
func (s *Store) Administrator(ctx context.Context, name string) (auth.Administrator, error) {
	ctx, cancel := bounded(ctx, s.timeout)
	defer cancel()
	return administrator(ctx, s.db, name)
}

func administrator(ctx context.Context, c conn, name string) (auth.Administrator, error) {
	var a auth.Administrator
	err := c.row(ctx, administratorFields(&a), `SELECT `+administratorColumns+` FROM administrators WHERE name = $1`, name)
	if err != nil {
		return auth.Administrator{}, fmt.Errorf("administrator %q: %w", name, err)
	}
	return a, nil
}

// AdministratorBySubject finds who signs in through OpenID Connect as subject
// (issuer|sub); ErrNotFound if nobody does.
func (s *Store) AdministratorBySubject(ctx context.Context, subject string) (auth.Administrator, error) {
	ctx, cancel := bounded(ctx, s.timeout)
	defer cancel()
	var a auth.Administrator
	err := s.db.row(ctx, administratorFields(&a), `SELECT `+administratorColumns+` FROM administrators WHERE subject = $1`, subject)
	if err != nil {
		return auth.Administrator{}, fmt.Errorf("administrator of a subject: %w", err)
	}
	return a, nil
}

// CreateAdministrator gives ErrExists if the name or the subject is taken. Times
// that are zero become now.
func (s *Store) CreateAdministrator(ctx context.Context, a auth.Administrator, audit fleet.AuditEntry) error {
	return s.change(ctx, audit, func(ctx context.Context, tx conn) error {
		if err := s.insertAdministrator(ctx, tx, a); err != nil {
			return fmt.Errorf("administrator %q: %w", a.Name, err)
		}
		return nil
	})
}

func (s *Store) insertAdministrator(ctx context.Context, tx conn, a auth.Administrator) error {
	now := s.now()
	_, err := tx.exec(ctx, `INSERT INTO administrators
		(name, role, hash, subject, created_at, updated_at, signed_in_at) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		a.Name, string(a.Role), a.Hash, optional(a.Subject),
		moment(orNow(a.CreatedAt, now)), moment(orNow(a.UpdatedAt, now)), moment(a.SignedInAt))
	return err
}

// UpdateAdministrator lets change alter role, hash and subject of the stored
// administrator; an error of change is given back and nothing is altered. A new
// hash or a lower role ends all sessions of the administrator, and endTokens removes
// the tokens. ErrLastAdmin if
// nobody with the role admin can sign in afterwards but somebody could before, ErrExists if the subject
// is taken.
func (s *Store) UpdateAdministrator(ctx context.Context, name string, endTokens bool, change func(*auth.Administrator) error, audit fleet.AuditEntry) error {
	return s.updateAdministrator(ctx, name, kept{tokens: !endTokens}, change, audit)
}

// RehashPassword stores another hash of the same password. It ends no session.
// ErrConflict if the stored hash is not before any more.
func (s *Store) RehashPassword(ctx context.Context, name, before, after string) error {
	ctx, cancel := bounded(ctx, s.timeout)
	defer cancel()
	err := s.db.one(ctx, `UPDATE administrators SET hash = $1 WHERE name = $2 AND hash = $3`, after, name, before)
	if errors.Is(err, ErrNotFound) {
		return fmt.Errorf("password of %q: %w", name, ErrConflict)
	}
	return err
}

// ChangePassword stores the hash of a new password and ends the sessions of the
// administrator but that with the hash keep ("" keeps none); endTokens removes the
// tokens, too.
func (s *Store) ChangePassword(ctx context.Context, name, hash, keep string, endTokens bool, audit fleet.AuditEntry) error {
	return s.updateAdministrator(ctx, name, kept{session: keep, tokens: !endTokens}, func(a *auth.Administrator) error {
		a.Hash = hash
		return nil
	}, audit)
}

// kept is what outlasts a change of an administrator.
type kept struct {
	session string // hash; "" for none
	tokens  bool
}

func (s *Store) updateAdministrator(ctx context.Context, name string, keep kept, change func(*auth.Administrator) error, audit fleet.AuditEntry) error {
	return s.change(ctx, audit, func(ctx context.Context, tx conn) error {
		return s.keepingAnAdmin(ctx, tx, func() error { return s.alter(ctx, tx, name, keep, change) })
	})
}

// alter lets change alter the stored administrator.
func (s *Store) alter(ctx context.Context, tx conn, name string, keep kept, change func(*auth.Administrator) error) error {
	before, err := administrator(ctx, tx, name)
	if err != nil {
		return err
	}
	after := before
	if err := change(&after); err != nil {
		return err
	}
	err = tx.one(ctx, `UPDATE administrators SET role = $1, hash = $2, subject = $3, updated_at = $4 WHERE name = $5`,
		string(after.Role), after.Hash, optional(after.Subject), moment(s.now()), name)
	if err != nil {
		return fmt.Errorf("administrator %q: %w", name, err)
	}
	if !keep.tokens {
		if _, err := tx.exec(ctx, `DELETE FROM api_tokens WHERE owner = $1`, name); err != nil {
			return err
		}
	}
	if before.Hash == after.Hash && after.Role.Covers(before.Role) {
		return nil
	}
	return deleteSessionsOf(ctx, tx, name, keep.session)
}

// DeleteAdministrator ends the sessions and removes the tokens of the
// administrator, too. ErrLastAdmin as for UpdateAdministrator.
func (s *Store) DeleteAdministrator(ctx context.Context, name string, audit fleet.AuditEntry) error {
	return s.change(ctx, audit, func(ctx context.Context, tx conn) error {
		return s.keepingAnAdmin(ctx, tx, func() error {
			if err := tx.one(ctx, `DELETE FROM administrators WHERE name = $1`, name); err != nil {
				return fmt.Errorf("administrator %q: %w", name, err)
			}
			return nil
		})
	})
}

// keepingAnAdmin refuses a change after which nobody could administer, unless
// nobody could before. Changes go one after the other, so that two of them cannot
// both pass it.
func (s *Store) keepingAnAdmin(ctx context.Context, tx conn, change func() error) error {
	before, err := s.hasAdmin(ctx, tx)
	if err != nil {
		return err
	}
	if err := change(); err != nil || !before {
		return err
	}
	after, err := s.hasAdmin(ctx, tx)
	if err == nil && !after {
		return ErrLastAdmin
	}
	return err
}

// hasAdmin says whether somebody with the role admin can sign in.
func (s *Store) hasAdmin(ctx context.Context, c conn) (bool, error) {
	admins, err := rows(ctx, c, administratorFields, `SELECT `+administratorColumns+` FROM administrators WHERE role = $1`, string(auth.Admin))
	return slices.ContainsFunc(admins, func(a auth.Administrator) bool { return a.CanSignIn(s.issuer) }), err
}
