package pvesim_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pciatlas/internal/pvesim"
)

// attempt sends a change whose answer may not come.
func (w *writer) attempt(t testing.TB, method, path string, params map[string]any) (status string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, w.url+"/api2/json"+path, strings.NewReader(form(params).Encode()))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for name, value := range w.headers {
		request.Header[name] = []string{value}
	}
	response, err := w.c.Do(request)
	if err != nil {
		return "none"
	}
	defer response.Body.Close()
	var content [64]byte
	if _, err := response.Body.Read(content[:]); err != nil && response.ContentLength > 0 && err.Error() == "unexpected EOF" {
		return "cut"
	}
	return response.Status
}

// TestFaultsOfChanges: whether the change is made when its answer goes wrong.
func TestFaultsOfChanges(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		fault  *pvesim.Fault
		status string
		done   bool
	}{
		{&pvesim.Fault{Kind: pvesim.FaultRefused}, "595 Connection refused", false},
		{&pvesim.Fault{Kind: pvesim.FaultInternal, Reason: "got no lock"}, "500 got no lock", false},
		{&pvesim.Fault{Kind: pvesim.FaultInternal, Effect: pvesim.EffectDone}, "500 got timeout", true},
		{&pvesim.Fault{Kind: pvesim.FaultDrop}, "none", false},
		{&pvesim.Fault{Kind: pvesim.FaultDrop, Effect: pvesim.EffectDone}, "none", true},
		{&pvesim.Fault{Kind: pvesim.FaultTimedOut, Effect: pvesim.EffectDone}, "596 Connection timed out", true},
		{&pvesim.Fault{Kind: pvesim.FaultNull}, "200 OK", true},
		{&pvesim.Fault{Kind: pvesim.FaultNull, Effect: pvesim.EffectLost}, "200 OK", false},
		{&pvesim.Fault{Kind: pvesim.FaultLatency, Delay: time.Millisecond}, "200 OK", true},
		{&pvesim.Fault{Kind: pvesim.FaultLatency, Effect: pvesim.EffectLost}, "200 OK", false},
		{&pvesim.Fault{Kind: pvesim.FaultLatency, Effect: pvesim.EffectLost, Method: "POST"}, "200 OK", true},
		{&pvesim.Fault{Kind: pvesim.FaultCut, Effect: pvesim.EffectLost}, "", false},
		{&pvesim.Fault{Kind: pvesim.FaultCut}, "", true},
	} {
		server, w := vmWriter(t)
		test.fault.Path = vm100 + "/config"
		server.Inject(test.fault)
		got := w.attempt(t, "PUT", vm100+"/config", map[string]any{"hostpci0": "mapping=two"})
		if test.status != "" && got != test.status {
			t.Errorf("%s with effect %d: %s", test.fault.Kind, test.fault.Effect, got)
		}
		if done := strings.Contains(configOf(server, 100), "mapping=two"); done != test.done {
			t.Errorf("%s with effect %d: done %v", test.fault.Kind, test.fault.Effect, done)
		}
		if hits := test.fault.Hits(); (hits == 1) == (test.fault.Method == http.MethodPost) {
			t.Errorf("%s hits %d times", test.fault.Kind, hits)
		}
		server.ClearFaults()
		if lost := w.do(t, "GET", vm100+"/config", nil); strings.Contains(string(lost.body), "mapping=two") != test.done {
			t.Errorf("%s with effect %d: read back %s", test.fault.Kind, test.fault.Effect, lost.body)
		}
	}
}

// TestSomebodyElse: a change that comes between two requests, and a node that goes
// off in the middle.
func TestSomebodyElse(t *testing.T) {
	t.Parallel()
	server, w := vmWriter(t)
	var seen []string
	server.Before(func(method, path string) {
		seen = append(seen, method+" "+path)
		if method == http.MethodPut {
			server.Update(func(w *pvesim.World) { w.Guests[0].Config += "onboot: 1\n" })
		}
	})
	digest := get[map[string]any](t, w, vm100+"/config")["digest"]
	w.expect(t, "500 checksum mismatch (file change by other user?)", "PUT", vm100+"/config", map[string]any{"cores": 1, "digest": digest})
	if want := []string{"GET " + vm100 + "/config", "PUT " + vm100 + "/config"}; !slices.Equal(seen, want) {
		t.Errorf("called for %v", seen)
	}
	server.Before(func(method, _ string) {
		server.Update(func(w *pvesim.World) { w.Nodes[1].Offline = method == http.MethodPut })
	})
	w.expect(t, "200 OK", "GET", "/nodes/pve-b/qemu/200/config", nil)
	w.expect(t, "595 Connection refused", "PUT", "/nodes/pve-b/qemu/200/config", map[string]any{"cores": 1})
	server.Before(nil)
	w.expect(t, "595 Connection refused", "GET", "/nodes/pve-b/qemu/200/config", nil)
}

// TestTwoWriters interleaves two writers who read, wait and write with the digest
// they read, in every order that chance gives: no change is lost without a refusal.
func TestTwoWriters(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	refused := 0
	for round := range 60 {
		server, w := vmWriter(t)
		var digests [2]string
		written, begun := [2]int{}, [2]bool{}
		for range 12 {
			n := random.IntN(2)
			name := fmt.Sprintf("writer-%d", n)
			if !begun[n] {
				digests[n], begun[n] = sprint(get[[]map[string]any](t, w, pciMappings)[0]["digest"]), true
				continue
			}
			begun[n] = false
			before := server.State().MappingCfg
			text := fmt.Sprintf("%s wrote %d", name, written[n]+1)
			got := w.do(t, "PUT", pciMappings+"/"+[]string{"one", "two"}[n], map[string]any{"map": anEntry, "description": text, "digest": digests[n]})
			changed := before != server.State().MappingCfg
			switch {
			case got.code == http.StatusOK && changed:
				written[n]++
			case got.code != http.StatusOK && !changed && strings.Contains(got.status, "detected modified configuration"):
				refused++
			default:
				t.Fatalf("round %d: %s, changed %v", round, got.status, changed)
			}
		}
		for n, count := range written {
			if count > 0 && !strings.Contains(server.State().MappingCfg, fmt.Sprintf("writer-%d wrote %d\n", n, count)) {
				t.Errorf("round %d: the last change of writer %d is lost:\n%s", round, n, server.State().MappingCfg)
			}
		}
	}
	if refused == 0 {
		t.Error("no interleaving was refused")
	}
}

// TestManyWritersAtOnce: requests at the same moment come one after the other, and
// readers never see half of a change.
func TestManyWritersAtOnce(t *testing.T) {
	t.Parallel()
	server, w := vmWriter(t)
	const writers, changes = 6, 12
	var running sync.WaitGroup
	var accepted [writers]int
	for n := range writers {
		running.Go(func() {
			for i := range changes {
				id := fmt.Sprintf("w%d-%d", n, i)
				w.do(t, "POST", pciMappings, map[string]any{"id": id, "map": anEntry})
				w.do(t, "PUT", vm100+"/config", map[string]any{fmt.Sprintf("hostpci%d", n+1): "mapping=" + id})
				digest := get[map[string]any](t, w, vm101+"/config")["digest"]
				if w.do(t, "PUT", vm101+"/config", map[string]any{"tags": id, "digest": digest}).code == http.StatusOK {
					accepted[n]++
				}
				if i%2 == 1 {
					w.do(t, "DELETE", pciMappings+"/"+id, nil)
				}
				_ = server.State()
			}
		})
	}
	running.Wait()
	text := server.State().MappingCfg
	for n := range writers {
		for i := range changes {
			if there := strings.Contains(text, fmt.Sprintf("w%d-%d\n", n, i)); there != (i%2 == 0) {
				t.Errorf("mapping w%d-%d there: %v", n, i, there)
			}
		}
		if line := fmt.Sprintf("hostpci%d: mapping=w%d-%d\n", n+1, n, changes-1); !strings.Contains(configOf(server, 100), line) {
			t.Errorf("%s is lost", line)
		}
	}
	if total := accepted[0] + accepted[1] + accepted[2] + accepted[3] + accepted[4] + accepted[5]; total == 0 {
		t.Error("no change with a digest was accepted")
	}
}

// TestServersOfOneWorld: each starts from the first state and keeps its changes
// for itself.
func TestServersOfOneWorld(t *testing.T) {
	t.Parallel()
	world := writingWorld()
	first := &pvesim.Server{World: world}
	w := writerOf(t, first, world.Token("admin@pve!tok"))
	w.expect(t, "200 OK", "DELETE", pciMappings+"/one", nil)
	w.expect(t, "200 OK", "PUT", vm100+"/config", map[string]any{"delete": "hostpci0"})
	first.Update(func(w *pvesim.World) {
		w.Nodes[0].Offline, w.Secrets["x"], w.Accounts["x@pve"] = true, "y", pvesim.Account{}
	})
	if err := first.Stop(101); err != nil {
		t.Fatal(err)
	}
	fresh := writingWorld()
	if world.MappingCfg != fresh.MappingCfg || world.Guests[0] != fresh.Guests[0] || !world.Guests[1].Running || world.Nodes[0].Offline ||
		len(world.Secrets) != len(fresh.Secrets) || len(world.Accounts) != len(fresh.Accounts) {
		t.Error("the shared World has changed")
	}
	second := writerOf(t, &pvesim.Server{World: world}, world.Token("admin@pve!tok"))
	if rows := get[[]any](t, second, pciMappings); len(rows) != 2 {
		t.Errorf("%d mappings", len(rows))
	}
	if tree := first.State().Tree("pve-a"); strings.Contains(tree.Files["etc/pve/mapping/pci.cfg"], "one\n") ||
		strings.Contains(tree.Files["etc/pve/nodes/pve-a/qemu-server/100.conf"], "hostpci0") || tree.Files["run/qemu-server/101.pid"] != "" {
		t.Error("the files do not show what was written")
	}
}

// TestBodies: what PVE takes for parameters of a change.
func TestBodies(t *testing.T) {
	t.Parallel()
	_, w := vmWriter(t)
	query := "?" + url.Values{"hostpci0": {"mapping=two"}}.Encode()
	w.expect(t, "200 OK", "PUT", vm100+"/config"+query, map[string]any{"cores": 4})
	if got := get[map[string]any](t, w, vm100+"/config"); got["hostpci0"] != "mapping=two" || got["cores"] != 4.0 {
		t.Errorf("%v", got)
	}
	w.expect(t, "400 Parameter verification failed - duplicate parameter 'vmid'", "PUT", vm100+"/config", map[string]any{"vmid": 101, "cores": 1})
	w.expect(t, "501 for data too large", "PUT", vm100+"/config", map[string]any{"description": strings.Repeat("x", 600<<10)})
	headers := auth(writingWorld().Token("admin@pve!tok"))
	headers["Content-Type"] = "text/plain"
	w.as(headers).expect(t, "506 upload 'Content-Type 'text/plain' not implemented", "PUT", vm100+"/config", map[string]any{"cores": 1})
}
