// Package storetest opens fresh stores for tests: SQLite files, and databases of
// a PostgreSQL server that it starts once for the test process. Whatever the
// store does has to hold on both; Run runs a test on each. Only tests may import
// it.
package storetest

import (
	"path/filepath"
	"testing"
	"time"

	"pciatlas/internal/store"
)

// Kind is one of the databases that the store works on.
type Kind string

// The kinds of databases.
const (
	SQLite     Kind = "sqlite"
	PostgreSQL Kind = "postgresql"
)

// Kinds are all of them.
func Kinds() []Kind { return []Kind{SQLite, PostgreSQL} }

// T is the test on one kind of database. It is a type of its own so that a
// function that takes it counts as a test, not as a helper of tests.
type T struct{ *testing.T }

// Start is what the clock of the stores says, and it stands still.
func Start() time.Time { return time.Date(2026, time.March, 1, 10, 0, 0, 0, time.UTC) }

// Run runs the test on a fresh store of each kind, side by side. Where there is
// no PostgreSQL on the machine, that half is skipped and says so.
func Run(t *testing.T, test func(t T, s *store.Store)) {
	t.Helper()
	RunAt(t, func(t T, place Place) { test(t, place.Open(t)) })
}

// RunAt is Run for tests that open one database several times.
func RunAt(t *testing.T, test func(t T, place Place)) {
	t.Helper()
	for _, kind := range Kinds() {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			test(T{T: t}, Fresh(t, kind))
		})
	}
}

// Open opens a fresh store of the kind.
func Open(t testing.TB, kind Kind) *store.Store {
	t.Helper()
	return Fresh(t, kind).Open(t)
}

// Place is a database with a keyring of its own. Several stores may be opened in
// it, as by several processes.
type Place struct {
	Database string // for store.Options
	Keyring  string // path of the file
	// Now is the clock of its stores.
	Now func() time.Time
}

// Fresh gives a place where nothing is stored. It goes when the test ends.
func Fresh(t testing.TB, kind Kind) Place {
	t.Helper()
	folder := t.TempDir()
	place := Place{
		Database: filepath.Join(folder, "pciatlas.db"),
		Keyring:  filepath.Join(folder, "keyring"),
		Now:      Start,
	}
	if kind == PostgreSQL {
		place.Database = shared(t).fresh(t)
	}
	return place
}

// Open opens a store, which is closed when the test ends.
func (p Place) Open(t testing.TB) *store.Store {
	t.Helper()
	return p.OpenWith(t, "")
}

// OpenWith is Open where one can sign in through the OpenID Connect issuer.
func (p Place) OpenWith(t testing.TB, issuer string) *store.Store {
	t.Helper()
	keyring, err := store.OpenKeyring(p.Keyring)
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.Context(), store.Options{Database: p.Database, Keyring: keyring, Issuer: issuer, Now: p.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close the store: %v", err)
		}
	})
	return s
}
