package pvesim_test

import (
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"sync"
	"testing"
	"time"

	"pciatlas/internal/pvesim"
)

func TestZeroServerIsAnEmptyNode(t *testing.T) {
	t.Parallel()
	server := start(t, &pvesim.Server{})
	c := client(t, server)
	token := auth(pvesim.RootToken)
	for target, want := range map[string]string{
		"/version":                              `{"release":"9.2","repoid":"14a22df3f4b5c6d7","version":"9.2.11"}`,
		"/cluster/resources?type=vm":            "[]",
		"/nodes/pve/qemu":                       "[]",
		"/nodes/pve/lxc":                        "[]",
		"/nodes/pve/hardware/pci":               "[]",
		"/cluster/mapping/pci?check-node=pve":   "[]",
		"/cluster/ha/resources":                 "[]",
		"/cluster/ha/rules":                     "[]",
		"/cluster/backup":                       "[]",
		"/cluster/replication":                  "[]",
		"/access/acl":                           "[]",
		"/cluster/nextid":                       `"100"`,
		"/nodes/pve/hardware/pci/no-such-/mdev": "[]",
	} {
		got := send(t, c, "GET", server.URL+"/api2/json"+target, token)
		if want := `{"data":` + want + `}`; got.code != 200 || string(got.body) != want {
			t.Errorf("%s: %s %s, want %s", target, got.status, got.body, want)
		}
	}
	got := send(t, c, "GET", server.URL+"/api2/json/nodes", token)
	if rows := body[[]map[string]any](t, got.body); len(rows) != 1 || rows[0]["node"] != "pve" || rows[0]["status"] != "online" {
		t.Errorf("nodes: %s", got.body)
	}
}

// TestBehindHTTPTest: the reason phrases reach a client of httptest's servers,
// and connections are kept until a refusal.
func TestBehindHTTPTest(t *testing.T) {
	t.Parallel()
	sim := &pvesim.Server{World: recordedWorld(t)}
	for _, server := range []*httptest.Server{httptest.NewServer(sim), httptest.NewTLSServer(sim)} {
		c := server.Client()
		reused := 0
		get := func(target, token string) string {
			trace := &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
				if info.Reused {
					reused++
				}
			}}
			request, err := http.NewRequestWithContext(httptrace.WithClientTrace(t.Context(), trace), http.MethodGet, server.URL+target, http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("Authorization", pvesim.Authorization(sim.World.Token(token)))
			response, err := c.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			if _, err := io.Copy(io.Discard, response.Body); err != nil {
				t.Fatal(err)
			}
			return response.Status
		}
		for range 3 {
			if got := get("/api2/json/version", "root@pam!full"); got != "200 OK" {
				t.Errorf("version: %q", got)
			}
		}
		if got := get("/api2/json/nodes/pve-a/qemu/105/config", "vmonly@pve!tok"); got != "403 Permission check failed (/vms/105, VM.Audit)" {
			t.Errorf("refusal: %q", got)
		}
		if reused != 3 {
			t.Errorf("%d requests on kept connections, want 3", reused)
		}
		if got := get("/api2/json/version", "root@pam!full"); got != "200 OK" || reused != 3 {
			t.Errorf("after a refusal: %q, %d kept connections", got, reused)
		}
		c.CloseIdleConnections()
		server.Close()
	}
}

func TestConnectionLimits(t *testing.T) {
	t.Parallel()
	server := start(t, &pvesim.Server{})
	c := client(t, server)
	raw := dial(t, c, server.URL)
	for n := 1; n <= 100; n++ {
		got := raw.get(t, "/api2/json/version", pvesim.Authorization(pvesim.RootToken))
		if closed := got.connection == "close"; got.code != 200 || closed != (n == 100) {
			t.Fatalf("request %d: %s, connection %s", n, got.status, got.connection)
		}
	}
	if !raw.closed(t, 5*time.Second) {
		t.Error("the connection is open after 100 requests")
	}
	impatient := start(t, &pvesim.Server{IdleTimeout: 20 * time.Millisecond})
	idle := dial(t, client(t, impatient), impatient.URL)
	idle.get(t, "/api2/json/version", pvesim.Authorization(pvesim.RootToken))
	if !idle.closed(t, 5*time.Second) {
		t.Error("an idle connection stays open")
	}
}

// TestTooMuchHeader: PVE closes the connection without an answer.
func TestTooMuchHeader(t *testing.T) {
	t.Parallel()
	server := start(t, &pvesim.Server{})
	c := client(t, server)
	for name, extra := range map[string]string{
		"lines": strings.Repeat("X-A: b\r\n", 64),
		"size":  "X-A: " + strings.Repeat("b", 8<<10) + "\r\n",
	} {
		for _, after := range []int{0, 1} {
			raw := dial(t, c, server.URL)
			for range after {
				raw.get(t, "/api2/json/version", pvesim.Authorization(pvesim.RootToken))
			}
			raw.write(t, "GET /api2/json/version HTTP/1.1\r\nHost: pve\r\n"+extra+"\r\n")
			if content, err := io.ReadAll(raw.br); err != nil || len(content) > 0 {
				t.Errorf("%s after %d requests: %.60q, %v", name, after, content, err)
			}
		}
	}
	raw := dial(t, c, server.URL)
	raw.write(t, "GET /api2/json/version HTTP/1.1\r\nHost: pve\r\nAuthorization: "+pvesim.Authorization(pvesim.RootToken)+"\r\n"+
		strings.Repeat("X-A: b\r\n", 60)+"\r\n")
	if got := raw.read(t); got.code != 200 {
		t.Errorf("62 lines of header: %s", got.status)
	}
}

// TestRequestForms checks how requests are taken apart, each as the first one of
// a connection and as a later one.
func TestRequestForms(t *testing.T) {
	t.Parallel()
	world := recordedWorld(t)
	server := start(t, &pvesim.Server{World: world})
	c := client(t, server)
	header := "Host: pve\r\nAuthorization: " + pvesim.Authorization(world.Token("root@pam!full")) + "\r\n"
	for _, test := range []struct{ name, request, want, body string }{
		{
			"body on GET", "GET /api2/json/version HTTP/1.1\r\n" + header + "Content-Length: 2\r\n\r\n{}",
			"501 Unexpected content for method 'GET'", "Unexpected content for method 'GET'",
		},
		{
			"chunked body", "GET /api2/json/version HTTP/1.1\r\n" + header + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
			"501 chunked transfer encoding not supported", "chunked transfer encoding not supported",
		},
		{
			"POST with a body", "POST /api2/json/cluster/resources HTTP/1.1\r\n" + header + "Content-Length: 4\r\n\r\na=b\n",
			"501 Method 'POST /cluster/resources' not implemented", "",
		},
		{
			"repeated parameter", "GET /api2/json/nodes/pve-a/hardware/pci?verbose=0&verbose=0 HTTP/1.1\r\n" + header + "\r\n",
			"400 Parameter verification failed.", `"type check ('boolean') failed - got ARRAY"`,
		},
		{
			"other node in the query", "GET /api2/json/nodes/pve-a/qemu?node=pve-b HTTP/1.1\r\n" + header + "\r\n",
			"400 Parameter verification failed - duplicate parameter 'node'", "duplicate parameter",
		},
		{
			"value cut at a second =", "GET /api2/json/nodes/pve-a/hardware/pci?verbose=0=1 HTTP/1.1\r\n" + header + "\r\n",
			"200 OK", `"0000:00:02.0"`,
		},
		{"cache breaker", "GET /api2/json/version?_dc=17 HTTP/1.1\r\n" + header + "\r\n", "200 OK", "9.2.11"},
		{"escaped path", "GET /api2/json/%76ersion HTTP/1.1\r\n" + header + "\r\n", "200 OK", "9.2.11"},
		{"empty check-node", "GET /api2/json/cluster/mapping/pci?check-node= HTTP/1.1\r\n" + header + "\r\n", "500 internal error - proxyto_callback returned nothing", ""},
		{"parameter of none", "GET /api2/json/nodes/pve-a/qemu/101/pending?current=1 HTTP/1.1\r\n" + header + "\r\n", "400 Parameter verification failed.", `"current"`},
		{"broken pattern", "GET /api2/json/nodes/pve-a/hardware/pci?pci-class-blacklist=( HTTP/1.1\r\n" + header + "\r\n", "500 Unmatched ( in regex; marked by <-- HERE in m/^0x(?:( <-- HERE )/", ""},
		{"everything hidden", "GET /api2/json/nodes/pve-a/hardware/pci?pci-class-blacklist=. HTTP/1.1\r\n" + header + "\r\n", "200 OK", `{"data":[]}`},
		{"no format", "GET /api2/json5/version HTTP/1.1\r\n" + header + "\r\n", "501 no formatter for uri /version, json5", ""},
		{"method", "OPTIONS /api2/json/version HTTP/1.1\r\n" + header + "\r\n", "501 method 'OPTIONS' not available", ""},
		{"missing snapshot", "GET /api2/json/nodes/pve-a/qemu/105/config?snapshot=none HTTP/1.1\r\n" + header + "\r\n", "500 snapshot 'none' does not exist", ""},
		{"foreign container", "GET /api2/json/nodes/pve-b/lxc/150/config HTTP/1.1\r\n" + header + "\r\n", "500 Configuration file 'nodes/pve-b/lxc/150.conf' does not exist", ""},
		{"HTTP/1.0", "GET /api2/json/version HTTP/1.0\r\n" + header + "\r\n", "200 OK", "9.2.11"},
	} {
		for _, after := range []int{0, 1} {
			raw := dial(t, c, server.URL)
			for range after {
				raw.get(t, "/api2/json/version", pvesim.Authorization(world.Token("root@pam!full")))
			}
			raw.write(t, test.request)
			got := raw.read(t)
			if got.status != test.want || !strings.Contains(string(got.body), test.body) {
				t.Errorf("%s after %d: %q %.200s, want %q with %q", test.name, after, got.status, got.body, test.want, test.body)
			}
			if got.connection == "Keep-Alive" && (got.code >= 400 || test.name == "HTTP/1.0") {
				t.Errorf("%s after %d: the connection stays open", test.name, after)
			}
		}
	}
}

// TestTwoRequestsAtOnce: what is sent ahead waits its turn.
func TestTwoRequestsAtOnce(t *testing.T) {
	t.Parallel()
	server := &pvesim.Server{}
	server.Inject(&pvesim.Fault{Kind: pvesim.FaultLatency, Delay: 5 * time.Millisecond})
	front := start(t, server)
	raw := dial(t, client(t, front), front.URL)
	one := "GET /api2/json/%s HTTP/1.1\r\nHost: pve\r\nAuthorization: " + pvesim.Authorization(pvesim.RootToken) + "\r\n\r\n"
	raw.write(t, fmt.Sprintf(one, "version")+fmt.Sprintf(one, "cluster/nextid")+fmt.Sprintf(one, "nodes"))
	for _, want := range []string{"9.2.11", `"100"`, `"pve"`} {
		if got := raw.read(t); !strings.Contains(string(got.body), want) {
			t.Errorf("%s %s, want %s", got.status, got.body, want)
		}
	}
}

func TestPacksLongAnswersWhenAsked(t *testing.T) {
	t.Parallel()
	world := recordedWorld(t)
	server := start(t, &pvesim.Server{World: world})
	c := client(t, server)
	headers := auth(world.Token("root@pam!full"))
	headers["Accept-Encoding"] = "gzip"
	got := send(t, c, "GET", server.URL+"/api2/json/nodes/pve-a/hardware/pci", headers)
	unpacked, err := gzip.NewReader(strings.NewReader(string(got.body)))
	if err != nil {
		t.Fatal(err)
	}
	var answer struct{ Data []any }
	if err := json.NewDecoder(unpacked).Decode(&answer); err != nil || len(answer.Data) != 31 {
		t.Errorf("%d devices, %v", len(answer.Data), err)
	}
	if got := send(t, c, "GET", server.URL+"/api2/json/version", headers); !strings.HasPrefix(string(got.body), "{") {
		t.Errorf("a short answer is packed: %q", got.body)
	}
}

// TestRecorder: without a connection to take over there is one answer, with the
// usual reason.
func TestRecorder(t *testing.T) {
	t.Parallel()
	server := &pvesim.Server{AuthDelay: -1}
	recorder := httptest.NewRecorder()
	request := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api2/json/version", http.NoBody)
	server.ServeHTTP(recorder, request)
	if recorder.Code != 401 || recorder.Body.Len() > 0 {
		t.Errorf("%d %s", recorder.Code, recorder.Body)
	}
	recorder = httptest.NewRecorder()
	request.Header.Set("Authorization", pvesim.Authorization(pvesim.RootToken))
	server.ServeHTTP(recorder, request)
	if recorder.Code != 200 || recorder.Header().Get("Content-Type") != "application/json;charset=UTF-8" {
		t.Errorf("%d %v", recorder.Code, recorder.Header())
	}
}

// TestRelaysQueue: one entry node passes few requests on to one other node at a
// time, and others do not wait for them.
func TestRelaysQueue(t *testing.T) {
	t.Parallel()
	world := recordedWorld(t)
	delay := 40 * time.Millisecond
	server := &pvesim.Server{World: world, MuteDelay: delay, RelayLimit: 2}
	front := start(t, server)
	c := client(t, front)
	begin := time.Now()
	var running sync.WaitGroup
	for range 6 {
		running.Go(func() {
			if code, err := try(t, c, front.URL+"/api2/json/nodes/pve-d/qemu", world.Token("root@pam!full")); err != nil || code != 596 {
				t.Errorf("%d, %v", code, err)
			}
		})
	}
	if got := send(t, c, "GET", front.URL+"/api2/json/nodes/pve-b/qemu", auth(world.Token("root@pam!full"))); got.code != 200 {
		t.Errorf("another node: %s", got.status)
	}
	running.Wait()
	if took := time.Since(begin); took < 3*delay {
		t.Errorf("6 requests, 2 at a time, took %s; one takes %s", took, delay)
	}
}

// TestClientGoesAway: nothing is left of a request whose client has gone.
func TestClientGoesAway(t *testing.T) {
	t.Parallel()
	world := recordedWorld(t)
	server := &pvesim.Server{World: world, MuteDelay: time.Hour, RelayLimit: 1}
	front := start(t, server)
	c := client(t, front)
	c.Timeout = 50 * time.Millisecond
	for range 3 {
		if code, err := try(t, c, front.URL+"/api2/json/nodes/pve-d/qemu", world.Token("root@pam!full")); err == nil {
			t.Errorf("status %d", code)
		}
	}
	eventually(t, "no request in flight", func() bool { return server.Stats().InFlight == 0 })
}

// eventually waits for something that other goroutines do.
func eventually(t testing.TB, what string, done func() bool) {
	t.Helper()
	deadline := time.After(10 * time.Second)
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !done() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Errorf("not so: %s", what)
			return
		}
	}
}

// TestCloseEndsEverything: Close does not wait for the clients.
func TestCloseEndsEverything(t *testing.T) {
	t.Parallel()
	server := &pvesim.Server{}
	server.Inject(&pvesim.Fault{Kind: pvesim.FaultHang, Path: "/nodes"}, &pvesim.Fault{Kind: pvesim.FaultOversize, Path: "/cluster/nextid"})
	front, err := pvesim.NewTLSServer(server)
	if err != nil {
		t.Fatal(err)
	}
	c := client(t, front)
	send(t, c, "GET", front.URL+"/api2/json/version", auth(pvesim.RootToken))
	var running sync.WaitGroup
	for _, target := range []string{"/nodes", "/cluster/nextid"} {
		running.Go(func() {
			if code, err := try(t, c, front.URL+"/api2/json"+target, pvesim.RootToken); err == nil && target == "/nodes" {
				t.Errorf("%s: status %d", target, code)
			}
		})
	}
	eventually(t, "two requests in flight", func() bool { return server.Stats().InFlight == 2 })
	front.Close()
	running.Wait()
	if n := server.Stats().InFlight; n != 0 {
		t.Errorf("%d requests in flight after Close", n)
	}
	if _, err := try(t, c, front.URL+"/api2/json/version", pvesim.RootToken); err == nil {
		t.Error("it still serves")
	}
}

// TestUpdateWhileServing is for the race detector.
func TestUpdateWhileServing(t *testing.T) {
	t.Parallel()
	server := &pvesim.Server{}
	front := start(t, server)
	c := client(t, front)
	var running sync.WaitGroup
	for n := range 4 {
		running.Go(func() {
			for i := range 20 {
				if n == 0 {
					server.Update(func(w *pvesim.World) {
						w.Guests = append(w.Guests, pvesim.Guest{VMID: 100 + i, Kind: pvesim.QEMU, Node: "pve", Config: "cores: 1\n"})
					})
					continue
				}
				if _, err := try(t, c, front.URL+"/api2/json/nodes/pve/qemu", pvesim.RootToken); err != nil {
					t.Error(err)
				}
			}
		})
	}
	running.Wait()
	got := send(t, c, "GET", front.URL+"/api2/json/cluster/nextid", auth(pvesim.RootToken))
	if string(got.body) != `{"data":"120"}` {
		t.Errorf("next free number: %s", got.body)
	}
}

func TestCertificate(t *testing.T) {
	t.Parallel()
	one, two := start(t, &pvesim.Server{}), start(t, &pvesim.Server{})
	if len(one.Fingerprint) != 95 || strings.ToUpper(one.Fingerprint) != one.Fingerprint || one.Fingerprint == two.Fingerprint {
		t.Errorf("fingerprints %q and %q", one.Fingerprint, two.Fingerprint)
	}
	if !strings.HasPrefix(one.URL, "https://127.0.0.1:") {
		t.Errorf("URL %q", one.URL)
	}
	if _, err := try(t, client(t, one), two.URL+"/api2/json/version", pvesim.RootToken); err == nil {
		t.Error("a certificate is trusted in the place of another")
	}
	raw := dial(t, client(t, one), one.URL) // verifies the certificate
	if got := raw.get(t, "/api2/json/version", pvesim.Authorization(pvesim.RootToken)); got.code != 200 {
		t.Errorf("%s", got.status)
	}
}
