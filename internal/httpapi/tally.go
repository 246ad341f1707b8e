package httpapi

import (
	"maps"
	"slices"
	"sync"
	"time"

	"pciatlas/internal/findings"
)

// tally keeps how many findings there were when they were found last, for metrics:
// the findings themselves are kept for a few seconds only. The zero value is ready.
type tally struct {
	mu       sync.Mutex
	clusters map[string]foundCounts
}

// foundCounts counts the findings of a cluster. It is never changed.
type foundCounts struct {
	began  time.Time // of the read; zero if nothing was read
	counts map[foundKind]int
}

type foundKind struct{ code, severity string }

// note takes what was found in a read of all nodes that began then.
func (t *tally) note(cluster string, began time.Time, found []findings.Finding) {
	counts := map[foundKind]int{}
	for i := range found {
		counts[foundKind{string(found[i].Code), found[i].Severity.String()}]++
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.clusters == nil {
		t.clusters = map[string]foundCounts{}
	}
	t.clusters[cluster] = foundCounts{began, counts}
}

// of gives the counts of clusters, and forgets all others.
func (t *tally) of(clusters []ReadStatus) map[string]foundCounts {
	t.mu.Lock()
	defer t.mu.Unlock()
	maps.DeleteFunc(t.clusters, func(name string, _ foundCounts) bool {
		return !slices.ContainsFunc(clusters, func(status ReadStatus) bool { return status.Cluster == name })
	})
	return maps.Clone(t.clusters)
}
