package store_test

import (
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pciatlas/internal/fleet"
	"pciatlas/internal/store"
	"pciatlas/internal/store/storetest"
)

func TestClusters(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t storetest.T, s *store.Store) {
		created := addLab(t, s)
		want := lab()
		want.Revision, want.CreatedAt, want.UpdatedAt = created.Revision, storetest.Start(), storetest.Start()
		same(t, created, want)
		same(t, got(s.Cluster(t.Context(), "lab"))(t), want)
		same(t, got(s.ClusterSecret(t.Context(), "lab"))(t), labSecret)

		bare := fleet.Cluster{Name: "bare"}
		stored := got(s.CreateCluster(t.Context(), bare, "", done()))(t)
		bare.Revision, bare.CreatedAt, bare.UpdatedAt = stored.Revision, storetest.Start(), storetest.Start()
		same(t, got(s.Clusters(t.Context()))(t), []fleet.Cluster{bare, want})
		same(t, got(s.ClusterSecret(t.Context(), "bare"))(t), "")

		_, err := s.CreateCluster(t.Context(), lab(), "", done())
		is(t, err, store.ErrExists)
		_, err = s.Cluster(t.Context(), "none")
		is(t, err, store.ErrNotFound)
		_, err = s.ClusterSecret(t.Context(), "none")
		is(t, err, store.ErrNotFound)

		ok(t, s.DeleteCluster(t.Context(), "bare", done()))
		is(t, s.DeleteCluster(t.Context(), "bare", done()), store.ErrNotFound)
		same(t, got(s.Clusters(t.Context()))(t), []fleet.Cluster{want})
	})
}

func TestUpdateCluster(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t storetest.T, s *store.Store) {
		before := addLab(t, s)
		want := before
		want.Entries, want.NodeAddresses, want.TLS, want.Changes = []string{"https://10.0.0.9:8006"}, nil, fleet.TLS{}, false
		after := got(s.UpdateCluster(t.Context(), want, nil, before.Revision, done()))(t)
		if after.Revision <= before.Revision {
			t.Errorf("revision %d after %d", after.Revision, before.Revision)
		}
		want.Revision = after.Revision
		same(t, after, want)
		same(t, got(s.ClusterSecret(t.Context(), "lab"))(t), labSecret)

		_, err := s.UpdateCluster(t.Context(), want, nil, before.Revision, done())
		is(t, err, store.ErrConflict)
		missing := want
		missing.Name = "none"
		_, err = s.UpdateCluster(t.Context(), missing, nil, after.Revision, done())
		is(t, err, store.ErrNotFound)

		want.TokenID = "atlas@pve!other"
		_, err = s.UpdateCluster(t.Context(), want, nil, after.Revision, done())
		is(t, err, store.ErrSecretNeeded)
		secret := "another secret"
		want.Revision = got(s.UpdateCluster(t.Context(), want, &secret, after.Revision, done()))(t).Revision
		same(t, got(s.Cluster(t.Context(), "lab"))(t), want)
		same(t, got(s.ClusterSecret(t.Context(), "lab"))(t), secret)
	})
}

// A revision that somebody remembers never means something else later.
func TestRevisionsAreNotUsedTwice(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t storetest.T, s *store.Store) {
		first := addLab(t, s)
		desktops := got(s.DesktopsRevision(t.Context(), "lab"))(t)
		ok(t, s.DeleteCluster(t.Context(), "lab", done()))
		second := addLab(t, s)
		if second.Revision <= first.Revision || got(s.DesktopsRevision(t.Context(), "lab"))(t) <= desktops {
			t.Errorf("a deleted cluster's revision %d came back: %d", first.Revision, second.Revision)
		}
	})
}

// A sealed token is bound to its cluster, its id and its key.
func TestSealedTokensCannotBeMovedOrAltered(t *testing.T) {
	t.Parallel()
	storetest.RunAt(t, func(t storetest.T, place storetest.Place) {
		s := place.Open(t)
		addLab(t, s)
		other := lab()
		other.Name = "other"
		got(s.CreateCluster(t.Context(), other, "other secret", done()))(t)

		store.Exec(t, s, `UPDATE clusters SET secret = (SELECT secret FROM clusters WHERE name = 'other') WHERE name = 'lab'`)
		_, err := s.ClusterSecret(t.Context(), "lab")
		is(t, err, store.ErrSealed)
		store.Exec(t, s, `UPDATE clusters SET token_id = 'root@pam!all' WHERE name = 'other'`)
		_, err = s.ClusterSecret(t.Context(), "other")
		is(t, err, store.ErrSealed)
		for _, text := range []string{"", "1", "1..", "2.a.b", "a.b.c.d", "1.%s.!!", "1.%s.AAAA"} {
			store.Exec(t, s, `UPDATE clusters SET secret = $1 WHERE name = 'lab'`, text)
			if _, err := s.ClusterSecret(t.Context(), "lab"); err == nil {
				t.Errorf("%q is unsealed", text)
			}
		}
		// The other keyring of another installation.
		place.Keyring += "2"
		_, err = place.Open(t).ClusterSecret(t.Context(), "other")
		is(t, err, store.ErrNoKey)
	})
}

func TestClusterNeedsAKeyring(t *testing.T) {
	t.Parallel()
	storetest.RunAt(t, func(t storetest.T, place storetest.Place) {
		addLab(t, place.Open(t))
		s := got(store.Open(t.Context(), store.Options{Database: place.Database}))(t)
		defer func() { ok(t, s.Close()) }()
		_, err := s.ClusterSecret(t.Context(), "lab")
		is(t, err, store.ErrNoKey)
		_, err = s.CreateCluster(t.Context(), fleet.Cluster{Name: "more"}, "secret", done())
		is(t, err, store.ErrNoKey)
		_, err = s.RotateKey(t.Context(), done())
		is(t, err, store.ErrNoKey)
		if have := got(s.Clusters(t.Context()))(t); len(have) != 1 || !cmp.Equal(have[0].Name, "lab") {
			t.Errorf("clusters are %v", have)
		}
	})
}

// TestClusterWithSecret: what belongs together is read together while it changes.
func TestClusterWithSecret(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t storetest.T, s *store.Store) {
		cluster := addLab(t, s)
		_, secret, err := s.ClusterWithSecret(t.Context(), "lab")
		ok(t, err)
		same(t, secret, labSecret)
		_, _, err = s.ClusterWithSecret(t.Context(), "none")
		is(t, err, store.ErrNotFound)

		var changing sync.WaitGroup
		var ended atomic.Bool
		changing.Go(func() {
			defer ended.Store(true)
			for i := range 50 {
				text := strconv.Itoa(i)
				cluster.DesktopTag = text
				var err error
				if cluster, err = s.UpdateCluster(t.Context(), cluster, &text, cluster.Revision, done()); err != nil {
					t.Errorf("%v", err)
					return
				}
			}
		})
		for !ended.Load() {
			read, secret, err := s.ClusterWithSecret(t.Context(), "lab")
			ok(t, err)
			if read.DesktopTag != secret && secret != labSecret {
				t.Errorf("tag %s, secret %s", read.DesktopTag, secret)
			}
		}
		changing.Wait()
	})
}
