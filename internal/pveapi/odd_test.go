package pveapi_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/pveapi"
	"pciatlas/internal/pvesim"
)

// replace answers some requests with other data and passes the rest on. An
// answer gets how often its path was asked before.
func replace(next *pvesim.Server, answers map[string]func(before int) any) http.Handler {
	next.KeepAlive = 1 // it takes connections over, past this handler
	counts := make(chan map[string]int, 1)
	counts <- map[string]int{}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := strings.TrimPrefix(r.URL.Path, "/api2/json")
		answer := answers[path]
		if answer == nil {
			next.ServeHTTP(w, r)
			return
		}
		count := <-counts
		before := count[path]
		count[path]++
		counts <- count
		data := answer(before)
		if status, ok := data.(int); ok {
			w.WriteHeader(status)
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"data": data}) // a closed connection ends the test anyway
	})
}

func always(data any) func(int) any { return func(int) any { return data } }

type row = map[string]any

func device(id, class string) row {
	return row{"id": id, "vendor": "0x10de", "device": "0x2204", "class": class, "iommugroup": 14}
}

// TestOddLists: what Proxmox VE never sends is no smaller world.
func TestOddLists(t *testing.T) {
	vm := func(id any, node string) row {
		return row{"type": "qemu", "vmid": id, "node": node, "status": "stopped"}
	}
	card := "/nodes/pve-c/hardware/pci"
	for name, c := range map[string]struct {
		path string
		data any
	}{
		"a VM twice":           {"/cluster/resources", []row{vm(301, "pve-c"), vm(301, "pve-c")}},
		"a VM on two nodes":    {"/cluster/resources", []row{vm(301, "pve-c"), vm(301, "pve-b")}},
		"a node of dots":       {"/cluster/resources", []row{vm(301, "pve-c"), vm(301, "..")}},
		"a number below 100":   {"/cluster/resources", []row{vm(301, "pve-c"), vm(-5, "pve-c")}},
		"a number too large":   {"/cluster/resources", []row{vm(301, "pve-c"), vm(1e18, "pve-c")}},
		"no nodes":             {"/nodes", []row{}},
		"a device twice":       {card, []row{device("0000:03:00.0", "0x030000"), device("0000:03:00.0", "0x030000")}},
		"two classes":          {card, []row{device("0000:03:00.0", "0x030000"), device("0000:03:00.0", "0x040300")}},
		"no digest":            {"/nodes/pve-c/qemu/301/pending", []row{{"key": "name", "value": "x"}}},
		"a slot without value": {"/nodes/pve-c/qemu/301/pending", []row{{"key": "digest", "value": "x"}, {"key": "hostpci0", "value": nil}}},
		"a slot too high":      {"/nodes/pve-c/qemu/301/pending", []row{{"key": "digest", "value": "x"}, {"key": "hostpci16", "value": "03:00"}}},
		"a slot in capitals":   {"/nodes/pve-c/qemu/301/pending", []row{{"key": "digest", "value": "x"}, {"key": "HOSTPCI1", "value": "03:00"}}},
		"a slot twice": {"/nodes/pve-c/qemu/301/pending", []row{
			{"key": "digest", "value": "x"}, {"key": "hostpci0", "value": "03:00"}, {"key": "hostpci0", "value": "04:00"},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			handler := replace(demoServer(), map[string]func(int) any{c.path: always(c.data)})
			snapshot, err := newClient(t, patient, serve(t, handler)).Read(t.Context(), pveapi.Request{Policy: true})
			if err != nil {
				t.Fatal(err)
			}
			report := atlas.Build(&snapshot)
			node := report.Node("pve-c")
			if node == nil || node.Complete {
				t.Errorf("complete: %+v", node)
			}
			for i := range node.Devices {
				if len(node.Devices[i].References) > 1 {
					t.Errorf("%s has the same reference twice", node.Devices[i].Address)
				}
			}
			if report.Node("..") != nil {
				t.Error("there is a node called ..")
			}
		})
	}
}

// TestArrivals: a VM that comes to the only node that is asked for while it is
// read is not lost, although its old node is not asked.
func TestArrivals(t *testing.T) {
	at := func(node string) []row {
		return []row{{"type": "qemu", "vmid": 301, "node": node, "status": "running"}}
	}
	handler := replace(demoServer(), map[string]func(int) any{"/cluster/resources": func(before int) any {
		if before == 0 {
			return at("pve-a")
		}
		return at("pve-c")
	}})
	snapshot, err := newClient(t, patient, serve(t, handler)).Read(t.Context(), pveapi.Request{Nodes: []string{"pve-c"}})
	if err != nil {
		t.Fatal(err)
	}
	if node := atlas.Build(&snapshot).Node("pve-c"); node.VisibleVMs != 1 || node.CheckedVMs != 1 {
		t.Errorf("%d of %d", node.CheckedVMs, node.VisibleVMs)
	}
}

// manyJobs answers with a backup job of n guests that do not exist.
func manyJobs(n int) func(int) any {
	var numbers []string
	for i := range n {
		numbers = append(numbers, strconv.Itoa(1_000_000+i))
	}
	return always([]row{{"id": "b1", "vmid": strings.Join(numbers, ",")}})
}

// TestMentionsAreBounded in number, and what was not asked is not said
// to be certain.
func TestMentionsAreBounded(t *testing.T) {
	jobs := manyJobs(300)
	limits := patient
	limits.Mentions = 10
	for name, c := range map[string]struct {
		nextID any
		hidden int
	}{
		"free":      {"100", 1},
		"no answer": {500, 11},
	} {
		handler := replace(demoServer(), map[string]func(int) any{"/cluster/backup": jobs, "/cluster/nextid": always(c.nextID)})
		snapshot, err := newClient(t, limits, serve(t, handler)).Read(t.Context(), pveapi.Request{Policy: true})
		if err != nil {
			t.Fatal(err)
		}
		hidden := 0
		for _, issue := range atlas.Build(&snapshot).Node("pve-c").Issues {
			if issue.Code == atlas.IssueVMHidden {
				hidden++
				if !strings.Contains(issue.Message, "may be out of sight") {
					t.Errorf("%s: %s", name, issue.Message)
				}
			}
		}
		if hidden != c.hidden {
			t.Errorf("%s: %d issues, want %d", name, hidden, c.hidden)
		}
	}
}

// TestHangingMentionsEndInTime: questions after numbers that hang hold nobody up.
func TestHangingMentionsEndInTime(t *testing.T) {
	synctest.Test(t, checkHangingMentions)
}

func checkHangingMentions(t *testing.T) {
	t.Helper()
	limits := quick
	jobs := manyJobs(300)
	hanging := demoServer()
	hanging.Inject(&pvesim.Fault{Kind: pvesim.FaultHang, Path: "/cluster/nextid"})
	limits.Mentions, limits.PerEntry = 50, 2
	from := time.Now()
	if _, err := pipeClient(t, limits, replace(hanging, map[string]func(int) any{"/cluster/backup": jobs})).
		Read(t.Context(), pveapi.Request{Policy: true}); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(from); took > 5*limits.Request {
		t.Errorf("%v for questions that hang", took)
	}
}

// TestHangingNodeEndsInTime: requests that begin while others hang have less time
// left.
func TestHangingNodeEndsInTime(t *testing.T) {
	synctest.Test(t, checkHangingNodeEndsInTime)
}

func checkHangingNodeEndsInTime(t *testing.T) {
	t.Helper()
	server := demoServer()
	server.Inject(&pvesim.Fault{Kind: pvesim.FaultHang, Path: "/nodes/*/qemu/*/pending", Node: "pve-a"})
	from := time.Now()
	limits := quick
	limits.PerNode = 2
	snapshot, err := pipeClient(t, limits, server).Read(t.Context(), pveapi.Request{Nodes: []string{"pve-a"}})
	if err != nil {
		t.Fatal(err)
	}
	if took := time.Since(from); took > 2*limits.NodeBudget {
		t.Errorf("the node took %v of %v", took, limits.NodeBudget)
	}
	if !snapshot.Nodes["pve-a"].Devices.State.Answered() {
		t.Error("what was answered is lost")
	}
}

// TestCredentialRefusedLater: a token that is refused after the first question is said
// to be refused.
func TestCredentialRefusedLater(t *testing.T) {
	for _, path := range []string{"/nodes", "/cluster/resources", "/**"} {
		server := demoServer()
		server.Inject(&pvesim.Fault{Kind: pvesim.FaultUnauthorized, Path: path, Skip: skipVersion(path)})
		_, err := newClient(t, patient, serve(t, server)).Read(t.Context(), pveapi.Request{})
		failure, ok := errors.AsType[*pveapi.Error](err)
		if !ok || failure.Status != 401 {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func skipVersion(path string) int {
	if path == "/**" {
		return 1
	}
	return 0
}

// TestEchoedSecret: a server that sends the secret back as data does not get it
// into the facts.
func TestEchoedSecret(t *testing.T) {
	_, secret, _ := strings.Cut(pvesim.DemoToken, "=")
	handler := replace(demoServer(), map[string]func(int) any{"/cluster/resources": always([]row{
		{"type": "qemu", "vmid": 301, "node": "pve-c", "name": "PVEAPIToken=" + pvesim.DemoToken},
	})})
	snapshot := read(t, newClient(t, patient, serve(t, handler)))
	encoded, err := facts.Encode(&snapshot)
	if err != nil || strings.Contains(string(encoded), secret) {
		t.Error("the secret is in the snapshot")
	}
}
