package store

import (
	"context"
	"errors"
)

// CheckWritable says whether the database takes changes: ErrUnavailable for a full
// disk, a file that became read-only or a standby. Nothing is changed. That somebody
// else is writing for 2 s is not an error.
func (s *Store) CheckWritable(ctx context.Context) error {
	ctx, cancel := bounded(ctx, pingTimeout)
	defer cancel()
	err := s.transaction(ctx, nil, func(tx conn) error { return lockChanges(ctx, tx) })
	if errors.Is(err, errTooSlow) {
		return nil
	}
	return err
}

// CheckTokens gives how many tokens of clusters are stored, and the names of the
// clusters whose token the keyring does not open: all of them without a keyring.
func (s *Store) CheckTokens(ctx context.Context) (stored int, closed []string, err error) {
	ctx, cancel := bounded(ctx, s.timeout)
	defer cancel()
	tokens, err := sealedTokens(ctx, s.db)
	if err != nil {
		return 0, nil, err
	}
	for _, token := range tokens {
		if _, err := s.unseal(token.cluster, token.tokenID, token.text); err != nil {
			closed = append(closed, token.cluster)
		}
	}
	return len(tokens), closed, nil
}
