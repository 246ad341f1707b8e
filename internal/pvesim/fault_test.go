package pvesim_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"pciatlas/internal/pvesim"
)

// outcome is what a client makes of an answer.
func outcome(
	ctx context.Context, t *testing.T, c *http.Client, url, token string,
) (status, contentType, content string, err error) {
	t.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", pvesim.Authorization(token))
	response, err := c.Do(request)
	if err != nil {
		return "", "", "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	return response.Status, response.Header.Get("Content-Type"), string(body), err
}

// TestFaults injects every kind of fault and looks at what a client meets.
func TestFaults(t *testing.T) {
	t.Parallel()
	const jsonType = "application/json;charset=UTF-8"
	tests := map[pvesim.FaultKind]struct {
		status, contentType string
		content             func(string) bool
		fails               bool // the client sees no whole answer
	}{
		pvesim.FaultLatency:        {"200 OK", jsonType, valid, false},
		pvesim.FaultUnauthorized:   {"401 Authentication failed!", "", empty, false},
		pvesim.FaultForbidden:      {"403 Permission check failed", jsonType, valid, false},
		pvesim.FaultInternal:       {"500 got timeout", jsonType, valid, false},
		pvesim.FaultRefused:        {"595 Connection refused", "", empty, false},
		pvesim.FaultTimedOut:       {"596 Connection timed out", "", empty, false},
		pvesim.FaultNotImplemented: {"501 Method 'GET /nodes/pve-a/qemu' not implemented", jsonType, valid, false},
		pvesim.FaultHang:           {fails: true},
		pvesim.FaultDrop:           {fails: true},
		pvesim.FaultCut:            {"200 OK", jsonType, nil, true},
		pvesim.FaultSlow:           {"200 OK", jsonType, valid, false},
		pvesim.FaultOversize:       {"200 OK", jsonType, func(s string) bool { return len(s) == 1<<20 }, false},
		pvesim.FaultHTML:           {"200 OK", "text/html;charset=UTF-8", func(s string) bool { return strings.Contains(s, "<html>") }, false},
		pvesim.FaultGarbage:        {"200 OK", jsonType, func(s string) bool { return !valid(s) }, false},
		pvesim.FaultNull:           {"200 OK", jsonType, func(s string) bool { return s == `{"data":null}` }, false},
		pvesim.FaultStringData:     {"200 OK", jsonType, func(s string) bool { return strings.HasPrefix(s, `{"data":"`) }, false},
		pvesim.FaultStringRows:     {"200 OK", jsonType, func(s string) bool { return strings.Count(s, `"unexpected"`) == 3 }, false},
		pvesim.FaultSwappedTypes:   {"200 OK", jsonType, func(s string) bool { return strings.Contains(s, `"vmid":"101"`) }, false},
		pvesim.FaultRedirect:       {"302 Found", "", empty, false},
	}
	world := recordedWorld(t)
	for _, kind := range pvesim.FaultKinds() {
		want, ok := tests[kind]
		if !ok {
			t.Errorf("%s is not tested", kind)
			continue
		}
		server := &pvesim.Server{World: world, AuthDelay: 20 * time.Millisecond, MuteDelay: 20 * time.Millisecond}
		fault := &pvesim.Fault{Kind: kind, Path: "/nodes/*/qemu", Node: "pve-a"}
		if kind == pvesim.FaultSlow {
			fault.Delay = time.Microsecond
		}
		server.Inject(fault)
		front := start(t, server)
		c := client(t, front)
		ctx, cancel := context.WithCancel(t.Context())
		var waiting sync.WaitGroup
		if kind == pvesim.FaultHang {
			waiting.Go(func() { eventually(t, "the request arrives", func() bool { return fault.Hits() > 0 }); cancel() })
		}
		status, contentType, content, err := outcome(ctx, t, c, front.URL+"/api2/json/nodes/pve-a/qemu", world.Token("root@pam!full"))
		if (err != nil) != want.fails {
			t.Errorf("%s: %v", kind, err)
		}
		if status != want.status || contentType != want.contentType || want.content != nil && !want.content(content) {
			t.Errorf("%s: %q of type %q with %.100q", kind, status, contentType, content)
		}
		if fault.Hits() != 1 {
			t.Errorf("%s hit %d times", kind, fault.Hits())
		}
		waiting.Wait()
		cancel()
		c.CloseIdleConnections()
		front.Close()
	}
	if pvesim.FaultKind(-1).String() != "unknown" {
		t.Error("an unknown kind has a name")
	}
}

func empty(s string) bool { return s == "" }

func valid(s string) bool { return json.Valid([]byte(s)) }

func TestCutBodyIsNoticed(t *testing.T) {
	t.Parallel()
	server := &pvesim.Server{}
	server.Inject(&pvesim.Fault{Kind: pvesim.FaultCut})
	front := start(t, server)
	_, _, content, err := outcome(t.Context(), t, client(t, front), front.URL+"/api2/json/version", pvesim.RootToken)
	if !errors.Is(err, io.ErrUnexpectedEOF) || content == "" {
		t.Errorf("%q, %v", content, err)
	}
}

// TestFaultSelection: a fault hits the requests that it names, no others.
func TestFaultSelection(t *testing.T) {
	t.Parallel()
	world := recordedWorld(t)
	server := &pvesim.Server{World: world}
	front := start(t, server)
	c := client(t, front)
	for _, test := range []struct {
		name        string
		fault       *pvesim.Fault
		hit, passed []string
	}{
		{"any", &pvesim.Fault{}, []string{"/version", "/nodes/pve-a/qemu"}, nil},
		{"path", &pvesim.Fault{Path: "/nodes/*/qemu/*/pending"}, []string{"/nodes/pve-a/qemu/101/pending"}, []string{"/nodes/pve-a/qemu", "/version"}},
		{
			"below", &pvesim.Fault{Path: "/nodes/pve-b/**"},
			[]string{"/nodes/pve-b/qemu", "/nodes/pve-b/qemu/201/pending"},
			[]string{"/nodes", "/nodes/pve-a/qemu"},
		},
		{
			"node", &pvesim.Fault{Node: "pve-b"},
			[]string{"/nodes/pve-b/qemu", "/cluster/mapping/pci?check-node=pve-b"},
			[]string{"/nodes", "/nodes/pve-a/qemu", "/cluster/mapping/pci"},
		},
		{"spelling", &pvesim.Fault{Path: "/nodes/pve-a/qemu"}, []string{"//nodes/pve-a//qemu/"}, []string{"/nodes/pve-a/lxc"}},
		{"broken pattern", &pvesim.Fault{Path: "/nodes/[/qemu"}, nil, []string{"/nodes/pve-a/qemu"}},
	} {
		test.fault.Kind, test.fault.Reason = pvesim.FaultInternal, "broken on purpose"
		server.Inject(test.fault)
		for _, target := range test.hit {
			if got := send(t, c, "GET", front.URL+"/api2/json"+target, auth(world.Token("root@pam!full"))); got.status != "500 broken on purpose" {
				t.Errorf("%s: %s is not hit: %s", test.name, target, got.status)
			}
		}
		for _, target := range test.passed {
			if got := send(t, c, "GET", front.URL+"/api2/json"+target, auth(world.Token("root@pam!full"))); got.code != 200 {
				t.Errorf("%s: %s is hit: %s", test.name, target, got.status)
			}
		}
		if test.fault.Hits() != len(test.hit) {
			t.Errorf("%s: %d hits, want %d", test.name, test.fault.Hits(), len(test.hit))
		}
		server.ClearFaults()
	}
}

func TestFaultTimes(t *testing.T) {
	t.Parallel()
	server := &pvesim.Server{}
	latency := &pvesim.Fault{Kind: pvesim.FaultLatency, Delay: 2 * time.Millisecond}
	server.Inject(latency, &pvesim.Fault{Kind: pvesim.FaultRefused, Skip: 1, Times: 2})
	front := start(t, server)
	c := client(t, front)
	var got []int
	for range 5 {
		a := send(t, c, "GET", front.URL+"/api2/json/version", auth(pvesim.RootToken))
		if a.took < 2*time.Millisecond {
			t.Errorf("took %s in spite of the latency", a.took)
		}
		got = append(got, a.code)
	}
	if text(got) != "[200,595,595,200,200]" || latency.Hits() != 5 {
		t.Errorf("statuses %v, %d latencies", got, latency.Hits())
	}
}

// TestFaultsOfRecordings: recordings have the same knobs and counters.
func TestFaultsOfRecordings(t *testing.T) {
	t.Parallel()
	recording := readScenario(t, "FC-001").Recording()
	recording.Speed = speed
	recording.Inject(&pvesim.Fault{Kind: pvesim.FaultTimedOut, Node: "node-a", Path: "/nodes/**"})
	server := start(t, recording)
	c := client(t, server)
	for target, want := range map[string]int{"/version": 200, "/nodes/node-a/qemu": 596} {
		if got := send(t, c, "GET", server.URL+"/api2/json"+target, auth(recording.Token)); got.code != want {
			t.Errorf("%s: %s, want %d", target, got.status, want)
		}
	}
	if stats := recording.Stats(); stats.Requests != 2 || stats.Paths["/version"] != 1 {
		t.Errorf("%+v", stats)
	}
}

// TestStats counts requests by path and the most that were in flight at once.
func TestStats(t *testing.T) {
	t.Parallel()
	world := recordedWorld(t)
	server := &pvesim.Server{World: world}
	gate := &pvesim.Fault{Kind: pvesim.FaultHang, Times: 5}
	server.Inject(gate)
	front := start(t, server)
	c := client(t, front)
	token := world.Token("root@pam!full")
	var running sync.WaitGroup
	targets := []string{
		"/nodes/pve-a/qemu", "/nodes/pve-a/qemu/101/pending", "/nodes/pve-a/qemu/102/pending", "/nodes/pve-b/qemu", "/cluster/resources?type=vm",
	}
	for _, target := range targets {
		running.Go(func() {
			if _, err := try(t, c, front.URL+"/api2/json"+target, token); err == nil {
				t.Errorf("%s has an answer", target)
			}
		})
	}
	eventually(t, "five requests in flight", func() bool { return server.Stats().InFlight == 5 })
	stats := server.Stats()
	front.Close()
	running.Wait()
	if stats.MaxInFlight != 5 || text(stats.MaxPerNode) != `{"":1,"pve-a":3,"pve-b":1}` {
		t.Errorf("at most %d in flight, by node %v", stats.MaxInFlight, stats.MaxPerNode)
	}
	if stats.Requests != 5 || stats.Connections != 5 || stats.Paths["/cluster/resources"] != 1 || stats.Queries["/cluster/resources?type=vm"] != 1 {
		t.Errorf("%+v", stats)
	}
	server.ResetStats()
	if stats := server.Stats(); stats.Requests != 0 || stats.MaxInFlight != 0 || len(stats.Paths) != 0 {
		t.Errorf("after a reset: %+v", stats)
	}
}
