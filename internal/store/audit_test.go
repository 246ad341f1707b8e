package store_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"pciatlas/internal/auth"
	"pciatlas/internal/fleet"
	"pciatlas/internal/store"
	"pciatlas/internal/store/storetest"
)

func entries(t testing.TB, s *store.Store, filter store.AuditFilter) []fleet.AuditEntry {
	t.Helper()
	found, _, err := s.Audit(t.Context(), filter)
	ok(t, err)
	return found
}

func TestAuditKeepsAllOfAnEntry(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t storetest.T, s *store.Store) {
		entry := fleet.AuditEntry{
			At: storetest.Start().Add(1234567 * time.Microsecond), Actor: "zoe", ActorKind: fleet.Token, Address: "192.0.2.1",
			RequestID: "0123456789abcdef", Action: "cluster.update", Object: "cluster lab",
			Before: map[string]any{"tag": "a", "limits": map[string]any{"per_node": 4.0}}, After: map[string]any{},
			Result: fleet.Refused, Reason: "no <right> & \"why\"",
		}
		ok(t, s.AppendAudit(t.Context(), entry))
		ok(t, s.AppendAudit(t.Context(), fleet.AuditEntry{Action: "bare"}))
		entry.ID = 1
		same(t, entries(t, s, store.AuditFilter{}), []fleet.AuditEntry{{ID: 2, At: storetest.Start(), Action: "bare"}, entry})
	})
}

func TestAuditGoesWithTheChange(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t storetest.T, s *store.Store) {
		addAdmin(t, s, "zoe", auth.Admin)
		is(t, s.DeleteAdministrator(t.Context(), "zoe", done()), store.ErrLastAdmin)
		is(t, s.CreateAdministrator(t.Context(), admin("zoe"), done()), store.ErrExists)
		same(t, len(entries(t, s, store.AuditFilter{})), 1)
		addSession(t, s, "h", "zoe")
		have := entries(t, s, store.AuditFilter{})
		same(t, []int64{have[0].ID, have[1].ID}, []int64{2, 1}) // no gap
	})
}

func TestAuditFilter(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t storetest.T, s *store.Store) {
		for i := range 6 {
			ok(t, s.AppendAudit(t.Context(), fleet.AuditEntry{
				At: storetest.Start().Add(time.Duration(i) * 500 * time.Millisecond), Actor: fmt.Sprint("actor", i%2),
				Action: fmt.Sprint("action", i%3), Object: fmt.Sprint("object", i),
			}))
		}
		start := storetest.Start()
		tests := map[string]struct {
			filter store.AuditFilter
			want   string
			more   bool
		}{
			"all":               {store.AuditFilter{}, "[6 5 4 3 2 1]", false},
			"a page":            {store.AuditFilter{Limit: 2}, "[6 5]", true},
			"the next page":     {store.AuditFilter{Limit: 2, Before: 5}, "[4 3]", true},
			"the last page":     {store.AuditFilter{Limit: 2, Before: 3}, "[2 1]", false},
			"actor":             {store.AuditFilter{Actor: "actor1"}, "[6 4 2]", false},
			"action":            {store.AuditFilter{Action: "action2"}, "[6 3]", false},
			"object":            {store.AuditFilter{Object: "object0"}, "[1]", false},
			"actor and action":  {store.AuditFilter{Actor: "actor1", Action: "action2"}, "[6]", false},
			"since":             {store.AuditFilter{Since: start.Add(2 * time.Second)}, "[6 5]", false},
			"until":             {store.AuditFilter{Until: start.Add(time.Second)}, "[2 1]", false},
			"between":           {store.AuditFilter{Since: start.Add(time.Millisecond), Until: start.Add(1001 * time.Millisecond)}, "[3 2]", false},
			"in another zone":   {store.AuditFilter{Since: start.Add(2 * time.Second).In(time.FixedZone("", 7*3600))}, "[6 5]", false},
			"no such":           {store.AuditFilter{Actor: "' OR 1=1 --"}, "[]", false},
			"more than allowed": {store.AuditFilter{Limit: 1 << 30}, "[6 5 4 3 2 1]", false},
		}
		for name, test := range tests {
			found, more, err := s.Audit(t.Context(), test.filter)
			ok(t, err)
			ids := make([]int64, len(found))
			for i, entry := range found {
				ids[i] = entry.ID
			}
			if have := fmt.Sprint(ids); have != test.want || more != test.more {
				t.Errorf("%s: %s, more %t; want %s, more %t", name, have, more, test.want, test.more)
			}
		}
	})
}

func TestAuditIsAppendOnly(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t storetest.T, s *store.Store) {
		ok(t, s.AppendAudit(t.Context(), done()))
		want := entries(t, s, store.AuditFilter{})
		statements := []string{`UPDATE audit_log SET actor = 'eve'`, `DELETE FROM audit_log`, `DELETE FROM audit_log WHERE id = 1`}
		for _, statement := range append(statements, `TRUNCATE audit_log`) { // SQLite does not even know TRUNCATE
			if err := store.TryExec(t, s, statement); err == nil {
				t.Errorf("%s is done", statement)
			}
		}
		same(t, entries(t, s, store.AuditFilter{}), want)
	})
}

// TestAuditOrder has two processes write: ids are without gaps, and what a writer
// wrote later has a higher id.
func TestAuditOrder(t *testing.T) {
	t.Parallel()
	storetest.RunAt(t, func(t storetest.T, place storetest.Place) {
		const each = 40
		stores := []*store.Store{place.Open(t), place.Open(t)}
		var wait sync.WaitGroup
		for i, s := range stores {
			wait.Go(func() {
				for number := range each {
					entry := fleet.AuditEntry{Actor: fmt.Sprint(i), Object: fmt.Sprint(number)}
					if err := s.AppendAudit(t.Context(), entry); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wait.Wait()
		have := entries(t, stores[0], store.AuditFilter{Limit: 1000})
		same(t, len(have), 2*each)
		next := map[string]int{}
		for i := range have {
			entry := have[len(have)-1-i]
			if entry.ID != int64(i+1) || entry.Object != fmt.Sprint(next[entry.Actor]) {
				t.Fatalf("entry %d has id %d, and is number %s of writer %s", i+1, entry.ID, entry.Object, entry.Actor)
			}
			next[entry.Actor]++
		}
	})
}
