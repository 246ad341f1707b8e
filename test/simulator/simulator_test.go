package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/pveapi"
)

const scenarios = "../../testdata/cases/scenarios"

// world is a started world as the control tells it.
type world struct {
	ID          string `json:"id"`
	Endpoint    string `json:"endpoint"`
	Fingerprint string `json:"fingerprint"`
	Token       string `json:"token"`
}

// simulator runs the program until the test ends, and gives the address of its
// control.
func simulator(t *testing.T) string {
	t.Helper()
	stdin, end := io.Pipe()
	out, stdout := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- run(scenarios, stdin, stdout) }()
	t.Cleanup(func() {
		end.Close()
		if err := <-ended; err != nil {
			t.Errorf("the simulator ended with %v", err)
		}
	})
	var said struct {
		Control string `json:"control"`
	}
	if err := json.NewDecoder(out).Decode(&said); err != nil {
		t.Fatal(err)
	}
	return said.Control
}

func send(t *testing.T, method, url, body string) (int, []byte) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, bytes.NewBufferString(body))
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, text
}

func started(t *testing.T, control, name string) world {
	t.Helper()
	status, text := send(t, http.MethodPost, control+"/worlds", `{"world":"`+name+`"}`)
	var w world
	if err := json.Unmarshal(text, &w); status != http.StatusCreated || err != nil {
		t.Fatalf("%s: %d %s", name, status, text)
	}
	return w
}

// read reads a world over the API, as the server does.
func read(t *testing.T, w world) (facts.Snapshot, error) {
	t.Helper()
	token, err := pveapi.ParseToken(w.Token)
	if err != nil {
		t.Fatal(err)
	}
	fingerprint, err := pveapi.ParseFingerprint(w.Fingerprint)
	if err != nil {
		t.Fatal(err)
	}
	client, err := pveapi.New(pveapi.Options{
		Cluster: "default", Endpoints: []string{w.Endpoint}, Token: token, Fingerprints: []pveapi.Fingerprint{fingerprint},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	return client.Read(t.Context(), pveapi.Request{Policy: true, Details: true})
}

func report(t *testing.T, w world) *atlas.Report {
	t.Helper()
	snapshot, err := read(t, w)
	if err != nil {
		t.Fatal(err)
	}
	return atlas.Build(&snapshot)
}

func TestWorldsCanBeRead(t *testing.T) {
	t.Parallel()
	control := simulator(t)
	ids, err := filepath.Glob(filepath.Join(scenarios, "FC-*.json"))
	if err != nil || len(ids) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	names := []string{"demo", "office", "empty", "no-vms-seen", "no-rights", "names", "case:PERM-auditor-full"}
	for _, id := range ids {
		names = append(names, "case:"+strings.TrimSuffix(filepath.Base(id), ".json"))
	}
	for _, name := range names {
		w := started(t, control, name)
		seen := report(t, w)
		if len(seen.Nodes) == 0 {
			t.Errorf("%s: no nodes", name)
		}
		switch name {
		case "empty", "no-vms-seen", "no-rights":
			if len(seen.VMs) != 0 {
				t.Errorf("%s: %d VMs are seen", name, len(seen.VMs))
			}
		case "names":
			if len(seen.VMs) != 6 || seen.Node(longNode) == nil {
				t.Errorf("%s: %d VMs are seen", name, len(seen.VMs))
			}
		}
		if status, text := send(t, http.MethodDelete, control+"/worlds/"+w.ID, ""); status != http.StatusNoContent {
			t.Errorf("%s: ended with %d %s", name, status, text)
		}
	}
}

func TestBigWorldHasTheSizeThatIsPromised(t *testing.T) {
	t.Parallel()
	big := bigWorld()
	displays, virtual := 0, 0
	for _, node := range big.Nodes {
		addresses := map[string]bool{}
		for _, device := range node.Devices {
			if addresses[device.Address] {
				t.Errorf("%s has %s twice", node.Name, device.Address)
			}
			addresses[device.Address] = true
			if strings.HasPrefix(device.Class, "03") {
				displays++
			}
			if device.Parent != "" {
				virtual++
			}
		}
	}
	if len(big.Nodes) != 16 || displays != 5000 || virtual < 1000 || len(big.Guests) != 10_000 {
		t.Errorf("%d nodes, %d displays, %d of them virtual, %d VMs", len(big.Nodes), displays, virtual, len(big.Guests))
	}
}

func TestNamesAreAsLongAsAllowed(t *testing.T) {
	t.Parallel()
	if len(longNode) > 63 || len(longVM) != 200 || len(longMapping) != 200 {
		t.Errorf("node %d, VM %d, mapping %d", len(longNode), len(longVM), len(longMapping))
	}
}

func TestAClusterChangesWhileItIsRead(t *testing.T) {
	t.Parallel()
	control := simulator(t)
	w := started(t, control, "demo")
	change := func(method, path, body string, want int) {
		t.Helper()
		if status, text := send(t, method, control+"/worlds/"+w.ID+path, body); status != want {
			t.Errorf("%s %s: %d %s", method, path, status, text)
		}
	}
	change(http.MethodPost, "/nodes/pve-a/remove", "", http.StatusNoContent)
	change(http.MethodPost, "/nodes/pve-b/off", "", http.StatusNoContent)
	seen := report(t, w)
	if seen.Node("pve-a") != nil || seen.Node("pve-b").DevicesRead || !seen.Node("pve-c").DevicesRead {
		t.Errorf("pve-a is there: %v", seen.Node("pve-a") != nil)
	}
	change(http.MethodPost, "/faults", `{"kind":"forbidden","path":"/nodes/*/hardware/pci"}`, http.StatusNoContent)
	if report(t, w).Node("pve-c").DevicesRead {
		t.Error("a request that has to fail does not")
	}
	change(http.MethodDelete, "/faults", "", http.StatusNoContent)
	if !report(t, w).Node("pve-c").DevicesRead {
		t.Error("a fault that was taken away stays")
	}
	change(http.MethodPost, "/faults", `{"kind":"flood"}`, http.StatusBadRequest)
	change(http.MethodPost, "/nodes/pve-a/off", "", http.StatusBadRequest)
	change(http.MethodPost, "/nodes/pve-c/off", "", http.StatusNoContent)
	if _, err := read(t, w); err == nil {
		t.Error("a cluster without a running node answers")
	}
	change(http.MethodDelete, "", "", http.StatusNoContent)
	change(http.MethodDelete, "", "", http.StatusNotFound)
}

// TestChangesOfAWorld: somebody else's change as a command, and faults of changes.
func TestChangesOfAWorld(t *testing.T) {
	t.Parallel()
	control := simulator(t)
	w := started(t, control, "demo")
	run := func(id, line string) string {
		t.Helper()
		words := strings.Split(line, " ")
		argv, err := json.Marshal(words)
		if err != nil {
			t.Fatal(err)
		}
		_, text := send(t, http.MethodPost, control+"/worlds/"+id+"/commands", `{"node":"pve-a","argv":`+string(argv)+`}`)
		return strings.TrimSpace(string(text))
	}
	if got := run(w.ID, "pvesh delete /cluster/mapping/pci/old-card"); got != `{"stdout":"","stderr":"","code":0}` {
		t.Errorf("%s", got)
	}
	for body, want := range map[string]int{
		`{"kind":"internal","method":"PUT","effect":"lost"}`: http.StatusNoContent, `{"kind":"internal","effect":"half"}`: http.StatusBadRequest,
	} {
		if status, text := send(t, http.MethodPost, control+"/worlds/"+w.ID+"/faults", body); status != want {
			t.Errorf("%s: %d %s", body, status, text)
		}
	}
	if got := run(w.ID, "qm set 101 --onboot 1"); !strings.Contains(got, `"stderr":"got timeout\n","code":255`) {
		t.Errorf("%s", got)
	}
	if seen := report(t, w); len(seen.Mappings) != 3 {
		t.Errorf("%d mappings", len(seen.Mappings))
	}
	recorded := started(t, control, "case:PERM-auditor-full")
	for _, id := range []string{recorded.ID, "99"} {
		if got := run(id, "qm config 101"); !strings.HasPrefix(got, "no such world") {
			t.Errorf("%s", got)
		}
	}
}

func TestUnknownWorldsAreRefused(t *testing.T) {
	t.Parallel()
	control := simulator(t)
	for _, body := range []string{`{"world":"nowhere"}`, `{"world":"case:../README"}`, `{"world":"case:FC-999"}`, `{"name":"demo"}`, `[]`} {
		if status, _ := send(t, http.MethodPost, control+"/worlds", body); status != http.StatusBadRequest {
			t.Errorf("%s: %d", body, status)
		}
	}
}
