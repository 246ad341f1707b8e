package pveapi_test

import (
	"net"
	"strings"
	"testing"
	"time"

	"pciatlas/internal/pveapi"
	"pciatlas/internal/pvesim"
)

// TestProbe looks at addresses of every kind, and sends nothing to any of them.
func TestProbe(t *testing.T) {
	simulated := &pvesim.Server{World: pvesim.Demo()}
	server, err := pvesim.NewTLSServer(simulated)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	pin, err := pveapi.ParseFingerprint(server.Fingerprint)
	if err != nil {
		t.Fatal(err)
	}
	silent, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = silent.Close() }()
	for name, test := range map[string]struct {
		change func(*pveapi.Options)
		code   string // "" is trusted
		seen   bool
		says   string
	}{
		"pinned":         {func(o *pveapi.Options) { o.Fingerprints = []pveapi.Fingerprint{pin} }, "", true, ""},
		"trusted CA":     {func(o *pveapi.Options) { o.CAs = server.Pool }, "", true, ""},
		"unknown CA":     {func(*pveapi.Options) {}, pveapi.CodeCertificate, true, "not trusted"},
		"another pin":    {func(o *pveapi.Options) { o.Fingerprints = []pveapi.Fingerprint{{}} }, pveapi.CodeCertificate, true, "not the expected one"},
		"nobody listens": {func(o *pveapi.Options) { o.Endpoints = []string{"https://127.0.0.1:1"} }, pveapi.CodeUnreachable, false, "connection refused"},
		"no answer": {func(o *pveapi.Options) {
			o.Endpoints, o.Limits.Request = []string{"https://" + silent.Addr().String()}, 50*time.Millisecond
		}, pveapi.CodeTimeout, false, "in time"},
		"local": {func(o *pveapi.Options) { o.RefuseLocal = true }, pveapi.CodeUnreachable, false, ""},
	} {
		options := pveapi.Options{Endpoints: []string{server.URL}, Token: pveapi.Token{ID: "a@pve!b", Secret: "canary"}}
		test.change(&options)
		client, err := pveapi.New(options)
		if err != nil {
			t.Fatal(err)
		}
		shown := client.Probe(t.Context())
		if len(shown) != 1 {
			t.Fatalf("%s: %v", name, shown)
		}
		got := shown[0]
		switch {
		case test.code == "" && got.Err != nil, test.code != "" && (got.Err == nil || got.Err.Code != test.code || !strings.Contains(got.Err.Error(), test.says)):
			t.Errorf("%s: %v", name, got.Err)
		case (got.Certificate != nil) != test.seen, test.seen && got.Fingerprint != pin:
			t.Errorf("%s: %s, %v", name, got.Fingerprint, got.Certificate)
		}
	}
	if requests := simulated.Stats().Requests; requests != 0 {
		t.Errorf("%d requests were sent", requests)
	}
}

// TestProbeOrder: entry nodes come first, then nodes by name.
func TestProbeOrder(t *testing.T) {
	client, err := pveapi.New(pveapi.Options{
		Endpoints: []string{"https://127.0.0.1:3", "https://127.0.0.1:2"}, Token: pveapi.Token{ID: "a@pve!b"},
		NodeAddresses: map[string]string{"pve-b": "https://127.0.0.1:1", "pve-a": "https://127.0.0.1:4"},
	})
	if err != nil {
		t.Fatal(err)
	}
	var order []string
	for _, shown := range client.Probe(t.Context()) {
		order = append(order, shown.Address)
	}
	if got := strings.Join(order, " "); got != "127.0.0.1:3 127.0.0.1:2 127.0.0.1:4 127.0.0.1:1" {
		t.Error(got)
	}
}
