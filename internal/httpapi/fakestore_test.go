package httpapi

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"pciatlas/internal/auth"
	"pciatlas/internal/fleet"
)

// storeError is an error as the store gives them.
type storeError string

func (e storeError) Error() string { return "the store says " + string(e) }

func (e storeError) ErrorCode() string { return string(e) }

type failure struct {
	account, address string
	at               time.Time
}

// fakeStore keeps everything in memory. Clusters and desktops are up to the
// tests that need them.
type fakeStore struct {
	auditFails error // of AppendAudit

	ClusterStore
	DesktopStore

	mu       sync.Mutex
	broken   error // what every method answers
	admins   map[string]auth.Administrator
	sessions map[string]auth.Session
	tokens   map[string]auth.Token
	setup    string // the hash of the set-up token
	failures []failure
	known    map[string]bool
	entries  []fleet.AuditEntry
	issuer   string // of OpenID Connect
}

func newFakeStore() *fakeStore {
	return &fakeStore{
		ClusterStore: noClusters{}, admins: map[string]auth.Administrator{}, sessions: map[string]auth.Session{},
		tokens: map[string]auth.Token{}, known: map[string]bool{},
	}
}

// lock takes the store for one call, and gives the error it has to answer with.
func (s *fakeStore) lock() (unlock func(), err error) {
	s.mu.Lock()
	return s.mu.Unlock, s.broken
}

// write does what a change is and keeps its entry, or neither.
func (s *fakeStore) write(entry fleet.AuditEntry, work func() error) error {
	unlock, err := s.lock()
	defer unlock()
	if err != nil {
		return err
	}
	if err := work(); err != nil {
		return err
	}
	entry.ID = int64(len(s.entries) + 1)
	s.entries = append(s.entries, entry)
	return nil
}

func (s *fakeStore) Ping(context.Context) error {
	unlock, err := s.lock()
	defer unlock()
	return err
}

func (s *fakeStore) SetupNeeded(context.Context) (bool, error) {
	unlock, err := s.lock()
	defer unlock()
	return !s.hasAdmin(), err
}

func (s *fakeStore) hasAdmin() bool {
	for _, admin := range s.admins {
		if admin.Role == auth.Admin && admin.CanSignIn(s.issuer) {
			return true
		}
	}
	return false
}

func (s *fakeStore) CompleteSetup(_ context.Context, hash string, first auth.Administrator, entry fleet.AuditEntry) error {
	return s.write(entry, func() error {
		switch {
		case s.hasAdmin():
			return storeError("setup_done")
		case hash != s.setup:
			return storeError("setup_token")
		case s.admins[first.Name].Name != "":
			return storeError("exists")
		}
		s.admins[first.Name], s.setup = first, ""
		return nil
	})
}

func (s *fakeStore) Administrators(context.Context) ([]auth.Administrator, error) {
	unlock, err := s.lock()
	defer unlock()
	return slices.SortedFunc(maps.Values(s.admins), func(a, b auth.Administrator) int { return strings.Compare(a.Name, b.Name) }), err
}

func (s *fakeStore) Administrator(_ context.Context, name string) (auth.Administrator, error) {
	unlock, err := s.lock()
	defer unlock()
	if err != nil {
		return auth.Administrator{}, err
	}
	admin, found := s.admins[name]
	if !found {
		return auth.Administrator{}, storeError("not_found")
	}
	return admin, nil
}

func (s *fakeStore) CreateAdministrator(_ context.Context, admin auth.Administrator, entry fleet.AuditEntry) error {
	return s.write(entry, func() error {
		if _, taken := s.admins[admin.Name]; taken || s.hasSubject(admin.Subject) {
			return storeError("exists")
		}
		s.admins[admin.Name] = admin
		return nil
	})
}

func (s *fakeStore) UpdateAdministrator(_ context.Context, name string, endTokens bool, change func(*auth.Administrator) error, entry fleet.AuditEntry) error {
	return s.update(name, "", endTokens, change, entry)
}

func (s *fakeStore) ChangePassword(_ context.Context, name, hash, keep string, endTokens bool, entry fleet.AuditEntry) error {
	return s.update(name, keep, endTokens, func(admin *auth.Administrator) error {
		admin.Hash = hash
		return nil
	}, entry)
}

func (s *fakeStore) update(name, keep string, endTokens bool, change func(*auth.Administrator) error, entry fleet.AuditEntry) error {
	return s.write(entry, func() error {
		before, found := s.admins[name]
		if !found {
			return storeError("not_found")
		}
		after := before
		if err := change(&after); err != nil {
			return err
		}
		if before.Role == auth.Admin && after.Role != auth.Admin && s.lastAdmin() {
			return storeError("last_admin")
		}
		s.admins[name] = after
		if endTokens {
			maps.DeleteFunc(s.tokens, func(_ string, token auth.Token) bool { return token.Owner == name })
		}
		if before.Hash != after.Hash {
			s.endSessions(name, keep)
		}
		return nil
	})
}

func (s *fakeStore) lastAdmin() bool {
	count := 0
	for _, admin := range s.admins {
		if admin.Role == auth.Admin {
			count++
		}
	}
	return count == 1
}

func (s *fakeStore) endSessions(name, keep string) {
	maps.DeleteFunc(s.sessions, func(hash string, session auth.Session) bool { return session.Name == name && hash != keep })
}

func (s *fakeStore) DeleteAdministrator(_ context.Context, name string, entry fleet.AuditEntry) error {
	return s.write(entry, func() error {
		if s.admins[name].Role == auth.Admin && s.lastAdmin() {
			return storeError("last_admin")
		}
		delete(s.admins, name)
		s.endSessions(name, "")
		return nil
	})
}

func (s *fakeStore) CreateSession(_ context.Context, session auth.Session, entry fleet.AuditEntry) error {
	return s.write(entry, func() error {
		s.sessions[session.Hash] = session
		return nil
	})
}

func (s *fakeStore) Session(_ context.Context, hash string) (auth.Session, auth.Administrator, error) {
	unlock, err := s.lock()
	defer unlock()
	session, found := s.sessions[hash]
	if err == nil && !found {
		err = storeError("not_found")
	}
	return session, s.admins[session.Name], err
}

func (s *fakeStore) TouchSession(_ context.Context, hash string, now time.Time) error {
	unlock, err := s.lock()
	defer unlock()
	if session, found := s.sessions[hash]; found {
		session.UsedAt = now
		s.sessions[hash] = session
	}
	return err
}

func (s *fakeStore) DeleteSession(_ context.Context, hash string, entry fleet.AuditEntry) error {
	return s.write(entry, func() error {
		if _, found := s.sessions[hash]; !found {
			return storeError("not_found")
		}
		delete(s.sessions, hash)
		return nil
	})
}

func (s *fakeStore) RehashPassword(_ context.Context, name, before, after string) error {
	unlock, err := s.lock()
	defer unlock()
	admin := s.admins[name]
	if err == nil && admin.Hash != before {
		return storeError("conflict")
	}
	admin.Hash = after
	s.admins[name] = admin
	return err
}

func (s *fakeStore) Attempts(_ context.Context, account, address string, now time.Time) (auth.Attempts, error) {
	unlock, err := s.lock()
	defer unlock()
	attempts := auth.Attempts{KnownAddress: s.known[account+" "+address]}
	for _, f := range s.failures {
		if !f.at.After(now.Add(-auth.AttemptWindow)) || f.account != account && f.address != address {
			continue
		}
		if f.account == account {
			attempts.ByAccount++
		}
		if f.address == address {
			attempts.ByAddress++
			attempts.NewestHere = f.at
		}
		if f.account == account && f.address == address {
			attempts.ByPair++
		}
		attempts.Newest = f.at
	}
	return attempts, err
}

func (s *fakeStore) AddFailure(_ context.Context, account, address string, at time.Time) error {
	unlock, err := s.lock()
	defer unlock()
	s.failures = append(s.failures, failure{account, address, at})
	return err
}

func (s *fakeStore) ClearFailures(_ context.Context, account, address string) error {
	unlock, err := s.lock()
	defer unlock()
	s.known[account+" "+address] = true
	s.failures = slices.DeleteFunc(s.failures, func(f failure) bool { return f.account == account && f.address == address })
	return err
}

func (s *fakeStore) Tokens(_ context.Context, owner string) ([]auth.Token, error) {
	unlock, err := s.lock()
	defer unlock()
	var found []auth.Token
	for _, token := range s.tokens {
		if owner == "" || token.Owner == owner {
			found = append(found, token)
		}
	}
	slices.SortFunc(found, func(a, b auth.Token) int { return strings.Compare(a.ID, b.ID) })
	return found, err
}

func (s *fakeStore) CreateToken(_ context.Context, token auth.Token, entry fleet.AuditEntry) error {
	return s.write(entry, func() error {
		s.tokens[token.Hash] = token
		return nil
	})
}

func (s *fakeStore) DeleteToken(_ context.Context, id string, entry fleet.AuditEntry) error {
	return s.write(entry, func() error {
		maps.DeleteFunc(s.tokens, func(_ string, token auth.Token) bool { return token.ID == id })
		return nil
	})
}

func (s *fakeStore) TokenByHash(_ context.Context, hash string) (auth.Token, auth.Administrator, error) {
	unlock, err := s.lock()
	defer unlock()
	token, found := s.tokens[hash]
	if err == nil && !found {
		err = storeError("not_found")
	}
	return token, s.admins[token.Owner], err
}

func (s *fakeStore) TouchToken(_ context.Context, id string, now time.Time) error {
	unlock, err := s.lock()
	defer unlock()
	for hash, token := range s.tokens {
		if token.ID == id {
			token.UsedAt = now
			s.tokens[hash] = token
		}
	}
	return err
}

func (s *fakeStore) AppendAudit(_ context.Context, entry fleet.AuditEntry) error {
	if s.auditFails != nil {
		return s.auditFails
	}
	return s.write(entry, func() error { return nil })
}

func (s *fakeStore) Audit(_ context.Context, filter AuditFilter) (entries []fleet.AuditEntry, more bool, err error) {
	unlock, err := s.lock()
	defer unlock()
	for _, entry := range slices.Backward(s.entries) {
		if filter.Before > 0 && entry.ID >= filter.Before || filter.Action != "" && entry.Action != filter.Action {
			continue
		}
		if len(entries) == filter.Limit {
			return entries, true, err
		}
		entries = append(entries, entry)
	}
	return entries, false, err
}

// audited returns the entries so far.
func (s *fakeStore) audited() []fleet.AuditEntry {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.entries)
}

// noClusters is a store without clusters.
type noClusters struct{ ClusterStore }

func (noClusters) Clusters(context.Context) ([]fleet.Cluster, error) { return nil, nil }

func (noClusters) Cluster(context.Context, string) (fleet.Cluster, error) {
	return fleet.Cluster{}, storeError("not_found")
}

func (noClusters) DeleteCluster(context.Context, string, fleet.AuditEntry) error {
	return storeError("not_found")
}

func (noClusters) ClusterWithSecret(context.Context, string) (fleet.Cluster, string, error) {
	return fleet.Cluster{}, "", storeError("not_found")
}
