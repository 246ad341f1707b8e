package store_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"pciatlas/internal/auth"
	"pciatlas/internal/fleet"
	"pciatlas/internal/store"
	"pciatlas/internal/store/storetest"
)

// done is the audit entry of a test that does not look at it.
func done() fleet.AuditEntry {
	return fleet.AuditEntry{Actor: "root", ActorKind: fleet.Person, Action: "test.run", Object: "test", Result: fleet.Done}
}

// ok fails the test on an error.
func ok(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// got fails the test on an error and gives the value.
func got[T any](value T, err error) func(t testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		ok(t, err)
		return value
	}
}

// is fails the test unless the error is the wanted one.
func is(t testing.TB, err, want error) {
	t.Helper()
	if !cmp.Equal(err, want, cmpopts.EquateErrors()) {
		t.Fatalf("error is %v, want %v", err, want)
	}
}

// same fails the test unless the values are equal.
func same(t testing.TB, have, want any) {
	t.Helper()
	if diff := cmp.Diff(want, have); diff != "" {
		t.Fatalf("(-want +have)\n%s", diff)
	}
}

func admin(name string) auth.Administrator {
	return auth.Administrator{
		Name: name, Role: auth.Admin, Hash: "$argon2id$" + name,
		CreatedAt: storetest.Start(), UpdatedAt: storetest.Start(),
	}
}

func addAdmin(t testing.TB, s *store.Store, name string, role auth.Role) auth.Administrator {
	t.Helper()
	a := admin(name)
	a.Role = role
	ok(t, s.CreateAdministrator(t.Context(), a, done()))
	return a
}

func session(hash, name string) auth.Session {
	return auth.Session{Hash: hash, Name: name, CreatedAt: storetest.Start(), UsedAt: storetest.Start(), Address: "192.0.2.7", Agent: "Browser/1"}
}

func addSession(t testing.TB, s *store.Store, hash, name string) {
	t.Helper()
	ok(t, s.CreateSession(t.Context(), session(hash, name), done()))
}

func lab() fleet.Cluster {
	return fleet.Cluster{
		Name:          "lab",
		Entries:       []string{"https://10.0.0.1:8006", "https://10.0.0.2:8006"},
		NodeAddresses: map[string]string{"n1": "https://10.0.0.1:8006"},
		TLS:           fleet.TLS{CAs: "-----BEGIN CERTIFICATE-----\n", Fingerprints: []string{"AA:BB"}},
		TokenID:       "atlas@pve!read",
		Changes:       true,
		DesktopTag:    "desktop",
		Limits:        fleet.Limits{VMsPerNode: 1000, PerCluster: 8, NodeBudget: 10 * time.Second},
	}
}

const labSecret = "5b1c2e0c-canary-secret-of-lab"

func addLab(t testing.TB, s *store.Store) fleet.Cluster {
	t.Helper()
	return got(s.CreateCluster(t.Context(), lab(), labSecret, done()))(t)
}
