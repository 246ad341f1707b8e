package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pciatlas/internal/cli"
	"pciatlas/internal/config"
	"pciatlas/internal/pvesim"
	"pciatlas/internal/server"
)

// TestFromNothing goes the way of a newcomer: from an empty folder to the answer that
// the command line gives for the same cluster.
func TestFromNothing(t *testing.T) {
	lab := newLab(t, &pvesim.Server{World: pvesim.Demo(), MuteDelay: time.Millisecond})
	s := begin(t, server.Options{Config: settings(filepath.Join(t.TempDir(), "data")), Version: "v1"})
	s.want(t, http.StatusUnauthorized, http.MethodGet, "/clusters", nil)
	if options := s.want(t, http.StatusOK, http.MethodGet, "/sign-in", nil); !isTrue(options["setup_needed"]) {
		t.Errorf("sign-in: %v", options)
	}
	wrong := object{"token": "wrong", "name": "root", "password": password}
	if problem := s.want(t, http.StatusUnauthorized, http.MethodPost, "/setup", wrong); codeOf(problem) != "setup_token" {
		t.Errorf("%v", problem)
	}
	s.setUp(t)
	s.want(t, http.StatusConflict, http.MethodPost, "/setup", object{"token": s.SetupToken(), "name": "second", "password": password})
	s.client = browser(t)
	s.want(t, http.StatusUnauthorized, http.MethodPost, "/session", object{"name": "root", "password": password + "!"})
	s.want(t, http.StatusOK, http.MethodPost, "/session", object{"name": "root", "password": password})
	made := s.want(t, http.StatusCreated, http.MethodPost, "/tokens", object{"name": "monitoring", "role": "auditor"})

	s.addLab(t, lab)

	script := &site{Server: s.Server, client: browser(t), bearer: made["secret"].(string)}
	got := script.want(t, http.StatusOK, http.MethodGet, "/resources/gpus?node=pve-a", nil)
	want := scan(t, lab, "pve-a")
	if got["digest"] == nil || got["digest"] != want["digest"] {
		t.Errorf("the digests differ: %v, %v", got["digest"], want["digest"])
	}
	for _, answer := range []object{got, want} {
		delete(answer, "read_at")
		forgetDesktops(answer)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the command line and the server differ (-cli +server):\n%s", diff)
	}
	script.want(t, http.StatusForbidden, http.MethodDelete, "/clusters/lab", nil)
}

// addLab registers the simulated cluster as a person does: the test of the connection
// shows the fingerprint, which is trusted then.
func (s *site) addLab(t *testing.T, lab *lab) {
	t.Helper()
	first := s.want(t, http.StatusOK, http.MethodPost, "/cluster-test", connection(lab.tls.URL))
	certificate := first["certificate"].(object)
	if certificate["fingerprint"] != lab.tls.Fingerprint || isTrue(certificate["trusted"]) || first["problem"] == nil || first["token"] != nil {
		t.Fatalf("first contact: %v", first)
	}
	if requests := lab.Stats().Requests; requests != 0 {
		t.Errorf("%d requests before the certificate was trusted", requests)
	}
	pinned := connection(lab.tls.URL, certificate["fingerprint"].(string))
	second := s.want(t, http.StatusOK, http.MethodPost, "/cluster-test", pinned)
	rights, _ := second["rights"].(object)
	if second["problem"] != nil || !isTrue(second["certificate"].(object)["trusted"]) || !isTrue(second["token"].(object)["ok"]) || rights["scope"] != "assumed" && rights["scope"] != "proven" {
		t.Fatalf("second contact: %v", second)
	}
	s.register(t, "lab", pinned)
	if saved := s.want(t, http.StatusOK, http.MethodPost, "/clusters/lab/test", nil); saved["problem"] != nil || saved["version"] == nil {
		t.Errorf("saved: %v", saved)
	}
}

// scan gives what the command line says about a node.
func scan(t *testing.T, lab *lab, node string) object {
	t.Helper()
	token := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(token, []byte(pvesim.DemoToken), 0o600); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	code := cli.Run(t.Context(), []string{
		"scan", "--endpoint", lab.tls.URL, "--tls-fingerprint", lab.tls.Fingerprint, "--token-file", token,
		"--cluster", "lab", "--node", node, "-o", "json",
	}, cli.Env{Stdout: &stdout, Stderr: &stderr, Getenv: func(string) string { return "" }, Now: time.Now, Root: t.TempDir()})
	if code != 0 {
		t.Fatalf("scan: %d: %s", code, stderr.String())
	}
	var answer object
	if err := json.Unmarshal(stdout.Bytes(), &answer); err != nil {
		t.Fatal(err)
	}
	return answer
}

// forgetDesktops takes away what only the server knows.
func forgetDesktops(value any) {
	switch value := value.(type) {
	case object:
		maps.DeleteFunc(value, func(key string, _ any) bool { return key == "managed" || key == "desktop" })
		for _, inner := range value {
			forgetDesktops(inner)
		}
	case []any:
		for _, inner := range value {
			forgetDesktops(inner)
		}
	}
}

// TestTokenWithoutRights: the test of a connection says what is missing, and how to
// grant it.
func TestTokenWithoutRights(t *testing.T) {
	lab := newLab(t, &pvesim.Server{World: pvesim.Demo(), AuthDelay: -1})
	s := begin(t, server.Options{Config: settings(t.TempDir())})
	s.setUp(t)
	given := connection(lab.tls.URL, lab.tls.Fingerprint)
	given["token_id"] = "newcomer@pve!first"
	test := s.want(t, http.StatusOK, http.MethodPost, "/cluster-test", given)
	rights := test["rights"].(object)
	commands, _ := json.Marshal(rights["commands"])
	if rights["scope"] != "unproven" || len(rights["missing"].([]any)) == 0 || !strings.Contains(string(commands), "pveum acl modify / --tokens 'newcomer@pve!first'") {
		t.Errorf("%v", rights)
	}
	given["secret"] = "00000000-0000-4000-8000-00000000dead"
	test = s.want(t, http.StatusOK, http.MethodPost, "/cluster-test", given)
	if isTrue(test["token"].(object)["ok"]) || !strings.Contains(test["problem"].(string), "does not accept the token") {
		t.Errorf("%v", test)
	}
}

// TestStopFinishesRequests: who is being answered is answered, and nobody new.
func TestStopFinishesRequests(t *testing.T) {
	arrived, release := make(chan struct{}), make(chan struct{})
	var once sync.Once
	simulated := &pvesim.Server{World: pvesim.Demo(), MuteDelay: time.Millisecond}
	tls, err := pvesim.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		once.Do(func() { close(arrived) })
		<-release
		simulated.ServeHTTP(w, r)
	}))
	if err != nil {
		t.Fatal(err)
	}
	defer tls.Close()
	s := begin(t, server.Options{Config: settings(t.TempDir())})
	s.setUp(t)
	s.register(t, "lab", connection(tls.URL, tls.Fingerprint))

	answered := make(chan reply, 1)
	go func() {
		answer, err := s.call(t.Context(), http.MethodGet, "/resources/gpus?node=pve-a", nil)
		if err != nil {
			t.Error(err)
		}
		answered <- answer
	}()
	<-arrived
	address := s.URL()
	stopped := make(chan error, 2)
	for range 2 {
		go func() { stopped <- s.Stop(t.Context()) }()
	}
	eventually(t, "no new connections are taken", func() bool {
		response, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(newRequest(t, address+"/healthz"))
		if err == nil {
			_ = response.Body.Close()
		}
		return err != nil
	})
	close(release)
	if answer := <-answered; answer.status != http.StatusOK || !strings.Contains(string(answer.body), `"node":"pve-a"`) {
		t.Errorf("%d: %s", answer.status, answer.body)
	}
	for range 2 {
		if err := <-stopped; err != nil {
			t.Error(err)
		}
	}
	if err := s.Start(t.Context()); err == nil {
		t.Error("a stopped server was started")
	}
}

func newRequest(t *testing.T, url string) *http.Request {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	return request
}

// TestStopCutsOff: a cluster that never answers does not keep the server.
func TestStopCutsOff(t *testing.T) {
	arrived, release := make(chan struct{}), make(chan struct{})
	var once sync.Once
	tls, err := pvesim.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		once.Do(func() { close(arrived) })
		<-release
	}))
	if err != nil {
		t.Fatal(err)
	}
	defer tls.Close()
	defer close(release)
	s := begin(t, server.Options{Config: settings(t.TempDir())})
	s.setUp(t)
	s.register(t, "lab", connection(tls.URL, tls.Fingerprint))
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = s.call(t.Context(), http.MethodGet, "/resources/gpus?node=pve-a", nil)
	}()
	<-arrived
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := s.Stop(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("stop: %v", err)
	}
	<-done
}

// TestStopOfAServerThatNeverRan is about every state that a server can be in.
func TestStopOfAServerThatNeverRan(t *testing.T) {
	fresh, err := server.New(server.Options{Config: settings(t.TempDir())})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := fresh.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if fresh.URL() != "" || fresh.Addr() != nil {
		t.Error("it has an address")
	}
	taken := begin(t, server.Options{Config: settings(t.TempDir())})
	twice := settings(t.TempDir())
	twice.Listen = taken.Addr().String()
	second, err := server.New(server.Options{Config: twice})
	if err != nil {
		t.Fatal(err)
	}
	if err := second.Start(t.Context()); err == nil || !strings.Contains(err.Error(), "address already in use") {
		t.Errorf("start: %v", err)
	}
	if err := second.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	if _, err := server.New(server.Options{}); err == nil {
		t.Error("a server without settings")
	}
}

// TestRestart: sessions, clusters and their tokens outlive the process; so does what
// the settings forbid.
func TestRestart(t *testing.T) {
	lab := newLab(t, &pvesim.Server{World: pvesim.Demo(), MuteDelay: time.Millisecond})
	kept := settings(t.TempDir())
	s := begin(t, server.Options{Config: kept})
	s.setUp(t)
	s.register(t, "lab", connection(lab.tls.URL, lab.tls.Fingerprint))
	kept.Listen = s.Addr().String() // the cookie is for this address
	s.stop(t)

	again := begin(t, server.Options{Config: kept})
	again.client = s.client
	if token := again.SetupToken(); token != "" {
		t.Error("there is a second set-up link")
	}
	again.want(t, http.StatusOK, http.MethodGet, "/session", nil)
	again.want(t, http.StatusOK, http.MethodGet, "/resources/gpus?node=pve-a", nil)
	again.stop(t)

	strict := *kept
	strict.AllowLocalEndpoints = false
	lab.ResetStats()
	third := begin(t, server.Options{Config: &strict})
	third.client = s.client
	problem := third.want(t, http.StatusBadGateway, http.MethodGet, "/resources/gpus?node=pve-a", nil)
	if codeOf(problem) != "pve_unreachable" || lab.Stats().Connections != 0 {
		t.Errorf("%v, %d connections", problem, lab.Stats().Connections)
	}
	third.stop(t)

	later := begin(t, server.Options{Config: kept, Now: func() time.Time { return time.Now().Add(2 * time.Hour) }})
	later.client = s.client
	later.want(t, http.StatusUnauthorized, http.MethodGet, "/session", nil)
	eventually(t, "the expired session is removed", func() bool { return strings.Contains(later.log.String(), "expired sessions were removed") })
}

// TestDatabaseAway: a database that is not there ends the start with its reason.
func TestDatabaseAway(t *testing.T) {
	away := settings(t.TempDir())
	away.Database = config.NewSecret("postgres://atlas:canary-password@127.0.0.1:1/atlas")
	s, err := server.New(server.Options{Config: away})
	if err != nil {
		t.Fatal(err)
	}
	err = s.Start(t.Context())
	if err == nil || !strings.Contains(err.Error(), "connection refused") || strings.Contains(err.Error(), "canary") || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v", err)
	}
}

// TestBurst: many at once cause one read.
func TestBurst(t *testing.T) {
	lab := newLab(t, &pvesim.Server{World: pvesim.Demo(), MuteDelay: time.Millisecond})
	s := begin(t, server.Options{Config: settings(t.TempDir())})
	s.setUp(t)
	s.register(t, "lab", connection(lab.tls.URL, lab.tls.Fingerprint))
	lab.Inject(&pvesim.Fault{Kind: pvesim.FaultLatency, Delay: 5 * time.Millisecond})
	burst(t, s, 200)
	if reads := lab.Stats().Paths["/nodes/pve-a/hardware/pci"]; reads != 1 {
		t.Errorf("%d reads", reads)
	}
}

// burst lets clients ask for one node at the same moment.
func burst(t testing.TB, s *site, clients int) {
	t.Helper()
	var all sync.WaitGroup
	for range clients {
		all.Go(func() {
			answer, err := s.call(t.Context(), http.MethodGet, "/resources/gpus?node=pve-a", nil)
			if err != nil || answer.status != http.StatusOK {
				t.Errorf("%d, %v: %s", answer.status, err, answer.body)
			}
		})
	}
	all.Wait()
}
