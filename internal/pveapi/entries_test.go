package pveapi_test

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/pveapi"
	"pciatlas/internal/pvesim"
)

// sickness is what an entry node answers that is up and of no use.
var sickness = map[string]http.HandlerFunc{
	"hangs":          func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
	"500":            func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) },
	"503 page":       answerWith(http.StatusServiceUnavailable, "<html>away</html>"),
	"404 page":       answerWith(http.StatusNotFound, "<html>not here</html>"),
	"HTML":           answerWith(http.StatusOK, "<!DOCTYPE html><title>Sign in</title>"),
	"302":            func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/login", http.StatusFound) },
	"other JSON":     answerWith(http.StatusOK, `{"status":"ok"}`),
	"other data":     answerWith(http.StatusOK, `{"data":{"name":"grafana"}}`),
	"list":           answerWith(http.StatusOK, `{"data":[{"name":"grafana"}]}`),
	"nothing":        func(http.ResponseWriter, *http.Request) {},
	"half an answer": answerWith(http.StatusOK, `{"data":[{"node":"pve-a"`),
}

func answerWith(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// sickAt answers some paths with a sickness and the others well, and counts.
func sickAt(well http.Handler, sick http.HandlerFunc, isSick func(path string) bool, requests *atomic.Int32) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		if isSick(strings.TrimPrefix(r.URL.Path, "/api2/json")) {
			sick(w, r)
			return
		}
		well.ServeHTTP(w, r)
	})
}

// TestSickEntry: an entry node that is up but of no use leads to the next one within
// the time of one request, and is remembered.
func TestSickEntry(t *testing.T) {
	t.Parallel()
	scopes := map[string]func(path string) bool{
		"everything":   func(string) bool { return true },
		"the version":  func(path string) bool { return path == "/version" },
		"core lists":   func(path string) bool { return path == "/nodes" || path == "/cluster/resources" },
		"but version":  func(path string) bool { return path != "/version" },
		"list of VMs":  func(path string) bool { return path == "/cluster/resources" },
		"nodes itself": func(path string) bool { return path == "/nodes" },
	}
	for name, sick := range sickness {
		for scope, isSick := range scopes {
			t.Run(name+" at "+scope, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) { checkSickEntry(t, sick, isSick) })
			})
		}
	}
}

func checkSickEntry(t *testing.T, sick http.HandlerFunc, isSick func(string) bool) {
	t.Helper()
	simulated := demoServer()
	var requests atomic.Int32
	client := pipeClient(t, pveapi.Limits{}, sickAt(simulated, sick, isSick, &requests), simulated)
	client.KeepNothing()
	for round := range 2 {
		began := time.Now()
		requests.Store(0)
		snapshot := read(t, client)
		took := time.Since(began)
		a := answers(&snapshot)["pve-a"]
		if a.CheckedVMs != a.VisibleVMs || a.VisibleVMs == 0 || codes(a)[atlas.IssueScopeUnproven] != 0 {
			t.Errorf("round %d: %d of %d, %+v", round, a.CheckedVMs, a.VisibleVMs, a.Issues)
		}
		if most := 12 * time.Second; took > most {
			t.Errorf("round %d took %s", round, took)
		}
		if len(snapshot.Version.Problems) != 1 || !strings.Contains(snapshot.Version.Problems[0].Message, "127.0.0.1:8006 is passed over") {
			t.Errorf("round %d: nobody says it: %+v", round, snapshot.Version)
		}
		if round == 1 && requests.Load() != 0 {
			t.Errorf("the sick entry node got %d requests in the second round", requests.Load())
		}
	}
}

// TestManyHangingEntries: however many hang, the last one is asked within the time of
// one request.
func TestManyHangingEntries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		simulated := demoServer()
		handlers := make([]http.Handler, 9, 10)
		for i := range handlers {
			handlers[i] = sickness["hangs"]
		}
		began := time.Now()
		read(t, pipeClient(t, pveapi.Limits{}, append(handlers, simulated)...))
		if took := time.Since(began); took > 15*time.Second {
			t.Errorf("took %s", took)
		}
	})
}

// TestNoEntryOfUse: it is an error of the request if there is none.
func TestNoEntryOfUse(t *testing.T) {
	for first, one := range sickness {
		for second, two := range sickness {
			synctest.Test(t, func(t *testing.T) {
				client := pipeClient(t, quick, one, two)
				_, err := client.Read(t.Context(), pveapi.Request{})
				if err == nil || strings.Contains(err.Error(), "no answer (") || strings.Contains(err.Error(), "no answer") && strings.Contains(err.Error(), "200 OK") {
					t.Errorf("%s, %s: %v", first, second, err)
				}
			})
		}
	}
}

// TestRefusedCredentialStays: 401 is the answer of the cluster, not of the node.
func TestRefusedCredentialStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var other atomic.Int32
		second := sickAt(demoServer(), nil, func(string) bool { return false }, &other)
		_, err := pipeClient(t, patient, answerWith(http.StatusUnauthorized, ""), second).Read(t.Context(), pveapi.Request{})
		if err == nil || !strings.Contains(err.Error(), "401") || other.Load() != 0 {
			t.Errorf("%v, %d requests to the other", err, other.Load())
		}
	})
}

// TestRecoveredEntry: an entry node is asked again when the other one is of no use.
func TestRecoveredEntry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		simulated := demoServer()
		var well [2]atomic.Bool
		well[1].Store(true)
		handlers := make([]http.Handler, 2)
		for i := range handlers {
			var count atomic.Int32
			handlers[i] = sickAt(simulated, sickness["500"], func(string) bool { return !well[i].Load() }, &count)
		}
		client := pipeClient(t, pveapi.Limits{}, handlers...)
		client.KeepNothing()
		read(t, client)
		well[0].Store(true)
		well[1].Store(false)
		read(t, client)
	})
}

// TestWrongCertificateOfOneEntry: the next one is asked, and somebody is told.
func TestWrongCertificateOfOneEntry(t *testing.T) {
	wrong, right := serve(t, demoServer()), serve(t, demoServer())
	fingerprint, err := pveapi.ParseFingerprint(right.Fingerprint)
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var told []string
	client, err := pveapi.New(pveapi.Options{
		Endpoints: []string{wrong.URL, right.URL}, Token: parseToken(t, pvesim.DemoToken), Limits: patient,
		Fingerprints: []pveapi.Fingerprint{fingerprint},
		PassedOver: func(address string, failure *pveapi.Error) {
			mu.Lock()
			defer mu.Unlock()
			told = append(told, address+": "+failure.Error())
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for range 2 {
		snapshot := read(t, client)
		problems := snapshot.Version.Problems
		if snapshot.Version.State != facts.OK || len(problems) != 1 || !strings.Contains(problems[0].Message, wrong.Fingerprint) {
			t.Errorf("%+v", snapshot.Version)
		}
	}
	if len(told) != 1 || !strings.Contains(told[0], wrong.Fingerprint) {
		t.Errorf("told: %q", told)
	}
}
