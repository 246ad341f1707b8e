package server_test

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"pciatlas/internal/config"
	"pciatlas/internal/pvesim"
	"pciatlas/internal/server"
	"pciatlas/internal/store/storetest"
)

// TestReplicas runs two servers on one PostgreSQL.
func TestReplicas(t *testing.T) {
	address := storetest.Shared(t).Empty(t)
	lab := newLab(t, &pvesim.Server{World: pvesim.Demo(), MuteDelay: time.Millisecond})
	keys := filepath.Join(t.TempDir(), "keyring")
	sites := startTogether(t, func() *config.Config {
		shared := settings(t.TempDir())
		shared.Database, shared.KeyFile = config.NewSecret(address), keys
		return shared
	})
	one, two := sites[0], sites[1]
	if one.SetupToken() == "" || two.SetupToken() == "" || one.SetupToken() == two.SetupToken() {
		t.Fatalf("set-up links: %q, %q", one.SetupToken(), two.SetupToken())
	}
	one.setUp(t)
	problem := two.want(t, http.StatusConflict, http.MethodPost, "/setup", object{"token": two.SetupToken(), "name": "second", "password": password})
	if codeOf(problem) != "setup_done" {
		t.Errorf("%v", problem)
	}
	two.client.Jar = one.client.Jar // a balancer sends the next request to the other one
	two.want(t, http.StatusOK, http.MethodGet, "/session", nil)
	two.register(t, "lab", connection(lab.tls.URL, lab.tls.Fingerprint))
	for _, s := range sites {
		s.want(t, http.StatusOK, http.MethodGet, "/resources/gpus?node=pve-a", nil)
	}
	checkAuditOrder(t, sites)

	two.want(t, http.StatusNoContent, http.MethodDelete, "/session", nil)
	one.want(t, http.StatusUnauthorized, http.MethodGet, "/session", nil)
}

// startTogether starts two servers at the same moment, so that both find a database
// that has no schema.
func startTogether(t *testing.T, shared func() *config.Config) []*site {
	t.Helper()
	sites := make([]*site, 2)
	var all sync.WaitGroup
	for i := range sites {
		s, err := server.New(server.Options{Config: shared()})
		if err != nil {
			t.Fatal(err)
		}
		sites[i] = &site{Server: s, client: browser(t), log: &lockedBuffer{}}
		t.Cleanup(func() {
			if err := s.Stop(context.WithoutCancel(t.Context())); err != nil {
				t.Error(err)
			}
		})
		all.Go(func() {
			if err := s.Start(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if t.Failed() {
		t.FailNow()
	}
	return sites
}

// checkAuditOrder changes things through both servers at once: each change is in the
// log once, in the order of its time.
func checkAuditOrder(t *testing.T, sites []*site) {
	t.Helper()
	const each = 20
	var all sync.WaitGroup
	for i, s := range sites {
		all.Go(func() {
			for n := range each {
				path := fmt.Sprintf("/clusters/lab/desktops/%d", 1000+i*each+n)
				if answer, err := s.call(t.Context(), http.MethodPut, path, object{"name": "x"}); err != nil || answer.status >= 300 {
					t.Errorf("%s: %d, %v: %s", path, answer.status, err, answer.body)
				}
			}
		})
	}
	all.Wait()
	entries, _ := sites[0].want(t, http.StatusOK, http.MethodGet, "/audit?limit=200", nil)["entries"].([]any)
	var desktops int
	for i, entry := range entries {
		if strings.HasPrefix(entry.(object)["action"].(string), "desktop.") {
			desktops++
		}
		if i == 0 {
			continue
		}
		newer, older := entries[i-1].(object), entry.(object)
		if newer["id"].(float64) != older["id"].(float64)+1 || newer["at"].(string) < older["at"].(string) {
			t.Errorf("%v after %v", newer, older)
		}
	}
	if desktops != each*len(sites) {
		t.Errorf("%d of %d changes are in the log", desktops, each*len(sites))
	}
}
