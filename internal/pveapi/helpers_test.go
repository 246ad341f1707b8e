package pveapi_test

import (
	"net/http"
	"testing"
	"time"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/pveapi"
	"pciatlas/internal/pvesim"
)

// quick are limits for what never answers. On a busy machine answers may take
// longer, so they belong into a bubble.
var quick = pveapi.Limits{NodeBudget: 400 * time.Millisecond, Request: 400 * time.Millisecond, Body: 1 << 20}

// patient are limits that no answer over loopback comes near to.
var patient = pveapi.Limits{NodeBudget: time.Minute, Request: time.Minute, Body: 1 << 20}

// demoServer simulates the demo cluster without the delays of a real one.
func demoServer() *pvesim.Server {
	return &pvesim.Server{World: pvesim.Demo(), AuthDelay: -1, MuteDelay: time.Second}
}

// serve starts serving a handler over TLS.
func serve(t testing.TB, handler http.Handler) *pvesim.TLSServer {
	t.Helper()
	server, err := pvesim.NewTLSServer(handler)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	return server
}

func parseToken(t testing.TB, text string) pveapi.Token {
	t.Helper()
	token, err := pveapi.ParseToken(text)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// newClient makes a client that trusts the servers, in order of preference.
func newClient(t testing.TB, limits pveapi.Limits, servers ...*pvesim.TLSServer) *pveapi.Client {
	t.Helper()
	options := pveapi.Options{Cluster: "lab", Token: parseToken(t, pvesim.DemoToken), Limits: limits}
	for _, server := range servers {
		options.Endpoints = append(options.Endpoints, server.URL)
		fingerprint, err := pveapi.ParseFingerprint(server.Fingerprint)
		if err != nil {
			t.Fatal(err)
		}
		options.Fingerprints = append(options.Fingerprints, fingerprint)
	}
	client, err := pveapi.New(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client
}

func read(t testing.TB, client *pveapi.Client) facts.Snapshot {
	t.Helper()
	snapshot, err := client.Read(t.Context(), pveapi.Request{Policy: true})
	if err != nil {
		t.Fatal(err)
	}
	return snapshot
}

// answers gives the answer of each node, without times and texts.
func answers(snapshot *facts.Snapshot) map[string]atlas.Answer {
	report := atlas.Build(snapshot)
	byNode := map[string]atlas.Answer{}
	for i := range report.Nodes {
		byNode[report.Nodes[i].Name] = report.Answer(&report.Nodes[i], atlas.AnswerOptions{AllDevices: true})
	}
	return byNode
}

func codes(answer atlas.Answer) map[atlas.IssueCode]int {
	count := make(map[atlas.IssueCode]int)
	for _, issue := range answer.Issues {
		count[issue.Code]++
	}
	return count
}
