package store

import (
	"context"
	"fmt"
	"slices"

	"pciatlas/internal/fleet"
)

// RotateKey makes a new key, seals every stored token anew and drops the keys
// that nothing is sealed with any more. It says how many tokens it sealed. It may
// be interrupted anywhere: every token stays readable, and running it again ends
// the work. A token that cannot be unsealed stops it before anything changes.
// Backups made before it need the keyring of their time.
func (s *Store) RotateKey(ctx context.Context, audit fleet.AuditEntry) (sealed int, err error) {
	if s.keyring == nil {
		return 0, ErrNoKey
	}
	err = s.changeUnbounded(ctx, audit, func(ctx context.Context, tx conn) error {
		sealed, err = s.sealAnew(ctx, tx)
		return err
	})
	if err != nil {
		return 0, err
	}
	if err := s.step("sealed"); err != nil {
		return sealed, err
	}
	return sealed, s.dropUnusedKeys(ctx)
}

// sealedToken is a row of clusters.
type sealedToken struct{ cluster, tokenID, text string }

func sealedTokens(ctx context.Context, tx conn) ([]sealedToken, error) {
	return rows(ctx, tx, func(t *sealedToken) []any { return into(&t.cluster, &t.tokenID, &t.text) },
		`SELECT name, token_id, secret FROM clusters`)
}

func (s *Store) sealAnew(ctx context.Context, tx conn) (int, error) {
	tokens, err := sealedTokens(ctx, tx)
	if err != nil {
		return 0, err
	}
	secrets := make([]string, len(tokens))
	for i, token := range tokens {
		if secrets[i], err = s.unseal(token.cluster, token.tokenID, token.text); err != nil {
			return 0, fmt.Errorf("token of cluster %q: %w", token.cluster, err)
		}
	}
	if err := s.addKey(); err != nil {
		return 0, err
	}
	for i, token := range tokens {
		if err := s.step("sealing"); err != nil {
			return 0, err
		}
		if err := s.storeSecret(ctx, tx, token.cluster, token.tokenID, secrets[i]); err != nil {
			return 0, fmt.Errorf("token of cluster %q: %w", token.cluster, err)
		}
	}
	return len(tokens), s.step("committing")
}

// addKey puts a new key in front of the others, before anything is sealed with it.
func (s *Store) addKey() error {
	key, err := newSealingKey()
	if err != nil {
		return err
	}
	if err := s.keyring.Reload(); err != nil {
		return err
	}
	if err := s.keyring.replace(slices.Concat([]sealingKey{key}, s.keyring.all())); err != nil {
		return err
	}
	return s.step("added")
}

// dropUnusedKeys takes the turn of a change, so that nobody seals meanwhile.
func (s *Store) dropUnusedKeys(ctx context.Context) error {
	return s.transaction(ctx, nil, func(tx conn) error {
		if err := lockChanges(ctx, tx); err != nil {
			return err
		}
		tokens, err := sealedTokens(ctx, tx)
		if err != nil {
			return err
		}
		used := map[string]bool{}
		for _, token := range tokens {
			id, err := sealedWith(token.text)
			if err != nil {
				return fmt.Errorf("token of cluster %q: %w", token.cluster, err)
			}
			used[id] = true
		}
		if err := s.keyring.Reload(); err != nil {
			return err
		}
		keys := s.keyring.all()
		kept := slices.DeleteFunc(slices.Clone(keys), func(key sealingKey) bool { return key.id != keys[0].id && !used[key.id] })
		if err := s.step("dropping"); err != nil {
			return err
		}
		return s.keyring.replace(kept)
	})
}
