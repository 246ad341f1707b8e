package server

import (
	"context"
	"time"
)

// cleanEvery is how often expired sessions are removed.
const cleanEvery = 10 * time.Minute

// keepHouse removes what nobody can use any more, until the context ends.
func (s *Server) keepHouse(ctx context.Context) {
	ticker := time.NewTicker(cleanEvery)
	defer ticker.Stop()
	for {
		s.clean(ctx)
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

func (s *Server) clean(ctx context.Context) {
	removed, err := s.store.DeleteExpiredSessions(ctx, s.options.Now())
	switch {
	case ctx.Err() != nil:
	case err != nil:
		s.options.Logger.Warn("expired sessions could not be removed", "error", err)
	case removed > 0:
		s.options.Logger.Debug("expired sessions were removed", "count", removed)
	}
}
