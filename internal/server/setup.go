package server

import (
	"context"
	"fmt"
	"io"
	"time"

	"pciatlas/internal/auth"
	"pciatlas/internal/store"
)

// setupTime is how long a set-up link is valid.
const setupTime = 24 * time.Hour

// newSetupToken makes the token of a set-up link if nobody can sign in as admin;
// it gives "" if somebody can. Each replica makes its own, and the first one that is
// used ends all.
func newSetupToken(ctx context.Context, s *store.Store, random io.Reader, now time.Time) (string, error) {
	needed, err := s.SetupNeeded(ctx)
	if err != nil || !needed {
		return "", err
	}
	text, hash, err := auth.NewSecret(random, "")
	if err != nil {
		return "", err
	}
	if err := s.AddSetupToken(ctx, hash, now.Add(setupTime)); err != nil {
		return "", fmt.Errorf("make the set-up link: %w", err)
	}
	return text, nil
}

// SetupToken gives the token with which the first administrator is made, "" if there
// is one already. It is shown to the person who starts the server and to nobody else.
func (s *Server) SetupToken() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.setup
}
