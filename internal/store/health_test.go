package store_test

import (
	"path/filepath"
	"testing"

	"pciatlas/internal/store"
	"pciatlas/internal/store/storetest"
)

func TestCheckWritable(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t storetest.T, s *store.Store) {
		ok(t, s.CheckWritable(t.Context()))
		ok(t, s.Close())
		if err := s.CheckWritable(t.Context()); err == nil {
			t.Error("a closed database takes changes")
		}
	})
}

func TestCheckTokens(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	database := filepath.Join(folder, "db")
	open := func(keyring *store.Keyring) *store.Store {
		s, err := store.Open(t.Context(), store.Options{Database: database, Keyring: keyring})
		ok(t, err)
		t.Cleanup(func() { _ = s.Close() })
		return s
	}
	right := open(got(store.OpenKeyring(filepath.Join(folder, "right")))(t))
	cluster := addLab(t, right)
	for name, test := range map[string]struct {
		s      *store.Store
		closed []string
	}{
		"the right keyring": {right, nil},
		"another keyring":   {open(got(store.OpenKeyring(filepath.Join(folder, "other")))(t)), []string{cluster.Name}},
		"no keyring":        {open(nil), []string{cluster.Name}},
	} {
		stored, closed, err := test.s.CheckTokens(t.Context())
		ok(t, err)
		if stored != 1 || len(closed) != len(test.closed) {
			t.Errorf("%s: %d stored, %v closed", name, stored, closed)
		}
	}
}
