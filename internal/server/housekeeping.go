package server

import (
	"context"
	"slices"
	"time"

	"pciatlas/internal/fleet"
)

// cleanEvery is how often expired sessions are removed.
const cleanEvery = 10 * time.Minute

// keepHouse removes what nobody needs any more, until the context ends.
func (s *Server) keepHouse(ctx context.Context) {
	ticker := time.NewTicker(cleanEvery)
	defer ticker.Stop()
	for {
		s.clean(ctx)
		s.forgetClusters(ctx)
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// forgetClusters drops what metrics remember of clusters that were removed through
// another server.
func (s *Server) forgetClusters(ctx context.Context) {
	registered, err := s.store.Clusters(ctx)
	if err != nil {
		return // whoever needs the database says so
	}
	for _, status := range s.live.Stats() {
		if !slices.ContainsFunc(registered, func(c fleet.Cluster) bool { return c.Name == status.Cluster }) {
			s.live.Forget(status.Cluster)
			s.clusters.requests.forget(status.Cluster)
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
