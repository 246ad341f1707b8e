package store_test

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pciatlas/internal/fleet"
	"pciatlas/internal/store"
	"pciatlas/internal/store/storetest"
)

// secrets are those of the clusters that addClusters makes.
func addClusters(t testing.TB, s *store.Store, count int) map[string]string {
	t.Helper()
	secrets := map[string]string{}
	for i := range count {
		c := lab()
		c.Name = fmt.Sprint("c", i)
		secrets[c.Name] = fmt.Sprint("secret of ", i)
		got(s.CreateCluster(t.Context(), c, secrets[c.Name], done()))(t)
	}
	return secrets
}

func readable(t testing.TB, s *store.Store, secrets map[string]string) {
	t.Helper()
	for name, want := range secrets {
		same(t, got(s.ClusterSecret(t.Context(), name))(t), want)
	}
}

// keys gives the ids in a keyring file.
func keys(t testing.TB, place storetest.Place) []string {
	t.Helper()
	var ids []string
	for line := range strings.Lines(string(got(os.ReadFile(place.Keyring))(t))) {
		if id, _, ok := strings.Cut(line, " "); ok && id != "#" {
			ids = append(ids, id)
		}
	}
	return ids
}

func TestRotateKey(t *testing.T) {
	t.Parallel()
	storetest.RunAt(t, func(t storetest.T, place storetest.Place) {
		s, other := place.Open(t), place.Open(t)
		secrets := addClusters(t, s, 3)
		old := keys(t, place)
		entry := done()
		entry.Action = "key.rotate"
		same(t, got(s.RotateKey(t.Context(), entry))(t), 3)

		now := keys(t, place)
		if len(now) != 1 || now[0] == old[0] {
			t.Errorf("keys are %v after %v", now, old)
		}
		readable(t, s, secrets)
		readable(t, other, secrets) // another process, which knew the old key
		same(t, store.Count(t, s, `SELECT COUNT(*) FROM clusters WHERE secret LIKE $1`, "1."+old[0]+".%"), 0)
		same(t, entries(t, s, store.AuditFilter{Limit: 1})[0].Action, "key.rotate")
		same(t, got(os.Stat(place.Keyring))(t).Mode(), os.FileMode(0o600))

		c := lab()
		got(other.CreateCluster(t.Context(), c, labSecret, done()))(t)
		same(t, got(s.ClusterSecret(t.Context(), "lab"))(t), labSecret)
		same(t, store.Count(t, s, `SELECT COUNT(*) FROM clusters WHERE secret LIKE $1`, "1."+now[0]+".%"), 4)
	})
}

// TestRotateKeyInterrupted ends the process at each point in turn; a store that
// is opened then reads everything, and ends the work.
func TestRotateKeyInterrupted(t *testing.T) {
	t.Parallel()
	killed := errors.New("killed")
	storetest.RunAt(t, func(t storetest.T, place storetest.Place) {
		secrets := addClusters(t, place.Open(t), 2)
		for round := 1; ; round++ {
			s := place.Open(t)
			passed := 0
			var points []string
			store.FailAt(s, func(point string) error {
				points = append(points, point)
				passed++
				if passed == round {
					return killed
				}
				return nil
			})
			_, err := s.RotateKey(t.Context(), done())
			readable(t, s, secrets)
			readable(t, place.Open(t), secrets)
			if err == nil {
				same(t, points, []string{"added", "sealing", "sealing", "committing", "sealed", "dropping"})
				same(t, len(keys(t, place)), 1)
				return
			}
			is(t, err, killed)
			got(place.Open(t).RotateKey(t.Context(), done()))(t)
			same(t, len(keys(t, place)), 1)
			readable(t, place.Open(t), secrets)
		}
	})
}

// Rotations, new tokens and readers of several processes meet.
func TestRotateKeyMeetsOthers(t *testing.T) {
	t.Parallel()
	storetest.RunAt(t, func(t storetest.T, place storetest.Place) {
		stores := []*store.Store{place.Open(t), place.Open(t)}
		secrets := addClusters(t, stores[0], 2)
		var wait sync.WaitGroup
		for i, s := range stores {
			wait.Go(func() {
				for range 4 {
					if _, err := s.RotateKey(t.Context(), done()); err != nil {
						t.Error(err)
					}
				}
			})
			wait.Go(func() {
				for n := range 8 {
					c := fleet.Cluster{Name: fmt.Sprint("new", i, "-", n)}
					if _, err := s.CreateCluster(t.Context(), c, c.Name, done()); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wait.Wait()
		for i := range stores {
			for n := range 8 {
				name := fmt.Sprint("new", i, "-", n)
				secrets[name] = name
			}
		}
		readable(t, place.Open(t), secrets)
		same(t, len(keys(t, place)), 1)
	})
}

// Nobody may seal between the look at what is in use and the dropping of keys.
func TestRotateKeyDropsKeysWhileNobodySeals(t *testing.T) {
	t.Parallel()
	storetest.RunAt(t, func(t storetest.T, place storetest.Place) {
		s := place.Open(t)
		addClusters(t, s, 1)
		other := got(store.Open(t.Context(), store.Options{Database: place.Database, Timeout: 500 * time.Millisecond}))(t)
		t.Cleanup(func() { ok(t, other.Close()) })
		tried := 0
		store.FailAt(s, func(point string) error {
			if point != "sealed" { // there, no transaction runs
				tried++
				is(t, other.AppendAudit(t.Context(), done()), store.ErrUnavailable)
			}
			return nil
		})
		got(s.RotateKey(t.Context(), done()))(t)
		same(t, tried, 4)
	})
}

func TestRotateKeyStopsAtATokenThatCannotBeRead(t *testing.T) {
	t.Parallel()
	storetest.RunAt(t, func(t storetest.T, place storetest.Place) {
		s := place.Open(t)
		secrets := addClusters(t, s, 2)
		store.Exec(t, s, `UPDATE clusters SET secret = $1 WHERE name = 'c1'`, "1.gone.AAAA")
		before := keys(t, place)
		_, err := s.RotateKey(t.Context(), done())
		is(t, err, store.ErrNoKey)
		if !strings.Contains(err.Error(), `"c1"`) {
			t.Errorf("the error does not name the cluster: %v", err)
		}
		delete(secrets, "c1")
		readable(t, s, secrets)
		if now := keys(t, place); !slices.Equal(now, before) {
			t.Errorf("keys are %v after %v", now, before)
		}
	})
}
