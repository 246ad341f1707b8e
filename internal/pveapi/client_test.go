package pveapi_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/pveapi"
	"pciatlas/internal/pvesim"
)

// TestFailover: an entry node that does not answer, or stops to in the middle, is
// replaced by the next.
func TestFailover(t *testing.T) {
	simulated := demoServer()
	dead, alive := serve(t, simulated), serve(t, simulated)
	dead.Close()
	client := newClient(t, patient, dead, alive)
	snapshot := read(t, client)
	if answer := answers(&snapshot)["pve-a"]; answer.CheckedVMs != answer.VisibleVMs || answer.VisibleVMs == 0 {
		t.Errorf("%d of %d, %+v", answer.CheckedVMs, answer.VisibleVMs, answer.Issues)
	}
	simulated.ResetStats()
	simulated.Inject(&pvesim.Fault{Kind: pvesim.FaultLatency, Delay: 5 * time.Millisecond})
	first, second := serve(t, simulated), serve(t, simulated)
	go when(t, func() bool { return simulated.Stats().Requests >= 8 }, first.Close)
	snapshot = read(t, newClient(t, patient, first, second))
	if answer := answers(&snapshot)["pve-b"]; answer.CheckedVMs != answer.VisibleVMs || answer.VisibleVMs == 0 {
		t.Errorf("after a stop in the middle: %d of %d, %+v", answer.CheckedVMs, answer.VisibleVMs, answer.Issues)
	}
}

// when waits for a condition and then acts. It gives up with the test.
func when(t *testing.T, condition func() bool, act func()) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-t.Context().Done():
			return
		case <-tick.C:
			if condition() {
				act()
				return
			}
		}
	}
}

// TestNodeAddresses: nodes with an address of their own are asked there, and
// through the entry node if that fails.
func TestNodeAddresses(t *testing.T) {
	simulated := demoServer()
	entry, own, dead := serve(t, simulated), serve(t, simulated.At("pve-b")), serve(t, simulated)
	dead.Close()
	fingerprints := []pveapi.Fingerprint{}
	for _, server := range []*pvesim.TLSServer{entry, own} {
		fingerprint, err := pveapi.ParseFingerprint(server.Fingerprint)
		if err != nil {
			t.Fatal(err)
		}
		fingerprints = append(fingerprints, fingerprint)
	}
	client, err := pveapi.New(pveapi.Options{
		Endpoints: []string{entry.URL}, NodeAddresses: map[string]string{"pve-b": own.URL, "pve-a": dead.URL},
		Token: parseToken(t, pvesim.DemoToken), Fingerprints: fingerprints, Limits: patient,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	snapshot := read(t, client)
	for name, answer := range answers(&snapshot) {
		if name != "pve-d" && (answer.Devices == nil || answer.CheckedVMs != answer.VisibleVMs) {
			t.Errorf("%s: %+v", name, answer.Issues)
		}
	}
}

// TestLimitsHold counts at the server, over several reads at once by one client.
func TestLimitsHold(t *testing.T) {
	simulated := demoServer()
	simulated.Inject(&pvesim.Fault{Kind: pvesim.FaultLatency, Delay: 5 * time.Millisecond})
	limits := pveapi.Limits{PerNode: 2, PerEntry: 5, PerCluster: 6}
	client := newClient(t, limits, serve(t, simulated))
	done := make(chan error, 4)
	for range cap(done) {
		go func() {
			_, err := client.Read(t.Context(), pveapi.Request{Policy: true})
			done <- err
		}()
	}
	for range cap(done) {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	stats := simulated.Stats()
	if stats.MaxInFlight > limits.PerEntry {
		t.Errorf("%d requests at once at one entry node, the limit is %d", stats.MaxInFlight, limits.PerEntry)
	}
	for node, most := range stats.MaxPerNode {
		if node != "" && most > limits.PerNode {
			t.Errorf("%d requests at once for %s, the limit is %d", most, node, limits.PerNode)
		}
	}
}

func TestCertificates(t *testing.T) {
	server := serve(t, demoServer())
	token := parseToken(t, pvesim.DemoToken)
	readWith := func(options pveapi.Options) error {
		options.Endpoints, options.Token, options.Limits = []string{server.URL}, token, patient
		client, err := pveapi.New(options)
		if err != nil {
			t.Fatal(err)
		}
		defer client.Close()
		_, err = client.Read(t.Context(), pveapi.Request{})
		return err
	}
	unknown, ok := errors.AsType[*pveapi.CertificateError](readWith(pveapi.Options{}))
	if !ok || unknown.Seen.String() != server.Fingerprint || unknown.Pinned {
		t.Fatalf("an unknown certificate gives %v", unknown)
	}
	pinned, ok := errors.AsType[*pveapi.CertificateError](readWith(pveapi.Options{Fingerprints: []pveapi.Fingerprint{{1}}}))
	if !ok || pinned.Seen.String() != server.Fingerprint || !pinned.Pinned {
		t.Errorf("another certificate than the pinned one gives %v", pinned)
	}
	if err := readWith(pveapi.Options{Fingerprints: []pveapi.Fingerprint{{1}, unknown.Seen}}); err != nil {
		t.Errorf("the pinned certificate: %v", err)
	}
	if err := readWith(pveapi.Options{CAs: server.Pool}); err != nil {
		t.Errorf("a certificate of a given authority: %v", err)
	}
	wrong := readWith(pveapi.Options{CAs: server.Pool, Fingerprints: []pveapi.Fingerprint{{1}}})
	if _, ok := errors.AsType[*pveapi.CertificateError](wrong); !ok {
		t.Errorf("an authority takes the place of a pin: %v", wrong)
	}
}

// TestRefusedCredential is an error of the request, not a report.
func TestRefusedCredential(t *testing.T) {
	server := serve(t, demoServer())
	client, err := pveapi.New(pveapi.Options{
		Endpoints: []string{server.URL}, Token: pveapi.Token{ID: "pciatlas@pve!demo", Secret: "CANARY-4711"}, CAs: server.Pool, Limits: patient,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	_, err = client.Read(t.Context(), pveapi.Request{})
	failure, ok := errors.AsType[*pveapi.Error](err)
	if !ok || failure.Status != 401 || failure.Code != pveapi.CodeRefused || strings.Contains(err.Error(), "CANARY") {
		t.Errorf("got %v", err)
	}
}

// TestServerThatRepeatsTheSecret: what a server sends back is shown without it.
func TestServerThatRepeatsTheSecret(t *testing.T) {
	simulated := demoServer()
	simulated.Inject(&pvesim.Fault{Kind: pvesim.FaultInternal, Reason: "your token is " + pvesim.DemoToken, Path: "/nodes/**"})
	snapshot := read(t, newClient(t, patient, serve(t, simulated)))
	encoded, err := facts.Encode(&snapshot)
	if err != nil {
		t.Fatal(err)
	}
	_, secret, _ := strings.Cut(pvesim.DemoToken, "=")
	if strings.Contains(string(encoded), secret) || !strings.Contains(string(encoded), "your token is") {
		t.Error("the secret comes back, or the reason is lost")
	}
}

// TestSilentTokens: a token without rights, and one that lacks its own, see empty
// lists; the report says so.
func TestSilentTokens(t *testing.T) {
	server := serve(t, demoServer())
	for _, text := range []string{pvesim.DemoTokenWithoutRights, pvesim.DemoTokenSeparated} {
		client, err := pveapi.New(pveapi.Options{Endpoints: []string{server.URL}, Token: parseToken(t, text), CAs: server.Pool, Limits: patient})
		if err != nil {
			t.Fatal(err)
		}
		snapshot := read(t, client)
		client.Close()
		for name, answer := range answers(&snapshot) {
			if answer.Complete || answer.Scope != atlas.Unproven || codes(answer)[atlas.IssueScopeUnproven] != 1 || answer.VisibleVMs != 0 {
				t.Errorf("%s, %s: %+v", text, name, answer.Issues)
			}
		}
	}
}

// TestMovedWhileReading: a VM that moves between the list and its file is found
// where it is; one that is deleted is gone.
func TestMovedWhileReading(t *testing.T) {
	synctest.Test(t, checkMovedWhileReading)
}

func checkMovedWhileReading(t *testing.T) {
	t.Helper()
	simulated := demoServer()
	simulated.Inject(&pvesim.Fault{Kind: pvesim.FaultLatency, Path: "/nodes/*/hardware/pci", Delay: 100 * time.Millisecond})
	go when(t, func() bool { return simulated.Stats().Paths["/nodes/pve-a/hardware/pci"] > 0 }, func() {
		simulated.Update(func(world *pvesim.World) {
			world.Guests = slices.DeleteFunc(world.Guests, func(g pvesim.Guest) bool { return g.VMID == 110 })
			for i := range world.Guests {
				if world.Guests[i].VMID == 101 {
					world.Guests[i].Node = "pve-b"
				}
			}
		})
	})
	limits := patient
	limits.PerNode = 1 // the device list comes first
	snapshot := read(t, pipeClient(t, limits, simulated))
	got := answers(&snapshot)
	if codes(got["pve-a"])[atlas.IssueVMUnreadable]+codes(got["pve-b"])[atlas.IssueVMUnreadable] != 0 {
		t.Errorf("pve-a %+v, pve-b %+v", got["pve-a"].Issues, got["pve-b"].Issues)
	}
	nodes := map[int]string{}
	for _, guest := range snapshot.Guests.Value {
		nodes[guest.VMID] = guest.Node
	}
	if nodes[101] != "pve-b" || nodes[110] != "" || got["pve-b"].CheckedVMs != got["pve-b"].VisibleVMs {
		t.Errorf("VM 101 on %q, VM 110 on %q", nodes[101], nodes[110])
	}
}

// TestReleases: what a release does not know is "cannot tell", not "none".
func TestReleases(t *testing.T) {
	for version, check := range map[string]func(facts.Snapshot) bool{
		"7.4-16": func(s facts.Snapshot) bool {
			return s.Mappings.State == facts.Failed && s.Mappings.Problems[0].Code == facts.ProblemUnsupported
		},
		"8.4.1":  func(s facts.Snapshot) bool { return s.Mappings.State == facts.OK && s.HA.State == facts.OK },
		"9.2.11": func(s facts.Snapshot) bool { return s.Mappings.State == facts.OK && s.HA.State == facts.OK },
	} {
		world := pvesim.Demo()
		world.Version = version
		snapshot := read(t, newClient(t, patient, serve(t, &pvesim.Server{World: world, AuthDelay: -1})))
		if !check(snapshot) {
			t.Errorf("%s: mappings %+v, HA %+v", version, snapshot.Mappings, snapshot.HA)
		}
		answer := answers(&snapshot)["pve-a"]
		if old := codes(answer)[atlas.IssueTooOld] == 1; old != strings.HasPrefix(version, "7") {
			t.Errorf("%s: %+v", version, answer.Issues)
		}
	}
}

// TestCancel: a read ends with its context.
func TestCancel(t *testing.T) {
	simulated := demoServer()
	simulated.Inject(&pvesim.Fault{Kind: pvesim.FaultHang, Path: "/nodes/**"})
	client := newClient(t, pveapi.Limits{}, serve(t, simulated))
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err := client.Read(ctx, pveapi.Request{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestNodesAskedFor(t *testing.T) {
	simulated := demoServer()
	client := newClient(t, patient, serve(t, simulated))
	snapshot, err := client.Read(t.Context(), pveapi.Request{Nodes: []string{"pve-b"}})
	if err != nil {
		t.Fatal(err)
	}
	for path := range simulated.Stats().Paths {
		if strings.HasPrefix(path, "/nodes/") && !strings.HasPrefix(path, "/nodes/pve-b/") {
			t.Errorf("%s was asked", path)
		}
	}
	if answer := answers(&snapshot)["pve-b"]; answer.CheckedVMs != answer.VisibleVMs || answer.Devices == nil {
		t.Errorf("pve-b: %+v", answer.Issues)
	}
}
