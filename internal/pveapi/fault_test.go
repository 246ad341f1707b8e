package pveapi_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/pveapi"
	"pciatlas/internal/pvesim"
)

// readPaths are the reads of the demo cluster, as path patterns of faults.
var readPaths = []string{
	"/version", "/access/permissions", "/access/acl", "/cluster/resources", "/nodes", "/cluster/mapping/pci",
	"/cluster/ha/resources", "/cluster/ha/rules", "/cluster/backup", "/cluster/replication", "/cluster/nextid",
	"/nodes/*/hardware/pci", "/nodes/pve-a/qemu/100/pending", "/nodes/pve-a/**", "/nodes/*/qemu/*/pending", "",
}

// TestEveryFaultOfEveryRead spoils each read in each way. Whatever happens, the
// read ends within its budgets, and what it says is either right or says that it
// is incomplete: nothing is lost in silence.
func TestEveryFaultOfEveryRead(t *testing.T) {
	t.Parallel()
	baseline := read(t, newClient(t, patient, serve(t, demoServer())))
	want := answers(&baseline)
	for _, kind := range pvesim.FaultKinds() {
		for _, path := range readPaths {
			t.Run(kind.String()+" "+path, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) { checkFault(t, want, kind, path) })
			})
		}
	}
}

func checkFault(t *testing.T, want map[string]atlas.Answer, kind pvesim.FaultKind, path string) {
	t.Helper()
	simulated := demoServer()
	fault := &pvesim.Fault{Kind: kind, Path: path}
	if kind == pvesim.FaultLatency || kind == pvesim.FaultSlow {
		fault.Delay = time.Millisecond
	}
	simulated.Inject(fault)
	client := pipeClient(t, quick, simulated)
	began := time.Now()
	snapshot, err := client.Read(t.Context(), pveapi.Request{Policy: true})
	// Two rounds of requests to the cluster, the nodes, and a second look.
	if took, most := time.Since(began), 12*quick.Request; took > most {
		t.Errorf("took %s, more than %s", took, most)
	}
	if err != nil {
		if strings.Contains(err.Error(), "5ec4e7ed") {
			t.Errorf("the error holds the secret: %v", err)
		}
		return
	}
	if fault.Hits() == 0 && path != "/cluster/nextid" {
		t.Error("the fault hit nothing")
	}
	encoded, err := json.Marshal(snapshot)
	if err != nil || strings.Contains(string(encoded), "5ec4e7ed") {
		t.Errorf("the snapshot holds the secret or cannot be written: %v", err)
	}
	compareHonestly(t, want, answers(&snapshot))
}

// compareHonestly allows an answer to differ from the true one only if it says
// that it is incomplete.
func compareHonestly(t *testing.T, want, got map[string]atlas.Answer) {
	t.Helper()
	for name, truth := range want {
		answer, ok := got[name]
		if !ok {
			// The others say that nodes may be missing.
			for other, answer := range got {
				if !explained(answer) {
					t.Errorf("node %s is missing, and %s does not say so", name, other)
				}
			}
			continue
		}
		if answer.Complete && !truth.Complete {
			t.Errorf("%s is called complete", name)
		}
		if lost := lostReferences(truth, answer); len(lost) > 0 && !explained(answer) {
			t.Errorf("%s lost %v without an issue: %+v", name, lost, answer.Issues)
		}
		for _, device := range answer.Devices {
			if was := stateOf(truth, device.Address.String()); device.State == atlas.Unreferenced && was != atlas.Unreferenced {
				t.Errorf("%s %s is called unreferenced; it is %s", name, device.Address, was)
			}
		}
	}
}

// explained tells whether the answer has a blocking issue that reaches every
// device.
func explained(answer atlas.Answer) bool {
	for _, issue := range answer.Issues {
		if issue.Blocks && issue.Devices == nil {
			return true
		}
	}
	return false
}

func stateOf(answer atlas.Answer, address string) atlas.State {
	for _, device := range answer.Devices {
		if device.Address.String() == address {
			return device.State
		}
	}
	return ""
}

// lostReferences gives the references of the true answer that the other has
// neither in devices nor in unplaced.
func lostReferences(truth, answer atlas.Answer) []string {
	have := map[string]bool{}
	for _, line := range linesOf(answer) {
		have[line] = true
	}
	var lost []string
	for _, line := range linesOf(truth) {
		if !have[line] {
			lost = append(lost, line)
		}
	}
	return lost
}

func linesOf(answer atlas.Answer) []string {
	var lines []string
	for _, device := range answer.Devices {
		for _, r := range device.References {
			lines = append(lines, fmt.Sprint(r.VMID, r.Slot, r.Phase))
		}
	}
	for _, u := range answer.Unplaced {
		lines = append(lines, fmt.Sprint(u.VMID, u.Slot, u.Phase))
	}
	return lines
}

// TestNothingIsReadAtAll: a report of nothing would look like an empty cluster.
func TestNothingIsReadAtAll(t *testing.T) {
	for _, kind := range pvesim.FaultKinds() {
		if letsThrough := []pvesim.FaultKind{
			pvesim.FaultLatency, pvesim.FaultSlow, pvesim.FaultSwappedTypes, pvesim.FaultStringRows,
		}; slices.Contains(letsThrough, kind) {
			continue
		}
		synctest.Test(t, func(t *testing.T) {
			simulated := demoServer()
			simulated.Inject(&pvesim.Fault{Kind: kind})
			_, err := pipeClient(t, quick, simulated).Read(t.Context(), pveapi.Request{})
			if err == nil {
				t.Errorf("%s: no error", kind)
			} else if len(err.Error()) > 600 {
				t.Errorf("%s: the error is long: %v", kind, err)
			}
		})
	}
}

// TestSwappedTypesChangeNothing: numbers, strings and booleans are read in every
// form.
func TestSwappedTypesChangeNothing(t *testing.T) {
	sound, swapped := demoServer(), demoServer()
	swapped.Inject(&pvesim.Fault{Kind: pvesim.FaultSwappedTypes})
	want, got := read(t, newClient(t, patient, serve(t, sound))), read(t, newClient(t, patient, serve(t, swapped)))
	ignoreTimes := cmp.FilterPath(func(p cmp.Path) bool { return strings.HasPrefix(p.Last().String(), ".ReadAt") }, cmp.Ignore())
	if diff := cmp.Diff(answers(&want), answers(&got), ignoreTimes); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestOneBadRow costs only itself: the others of the list are used.
func TestOneBadRow(t *testing.T) {
	simulated := demoServer()
	simulated.Inject(&pvesim.Fault{Kind: pvesim.FaultStringRows, Path: "/nodes/pve-a/hardware/pci"})
	snapshot := read(t, newClient(t, patient, serve(t, simulated)))
	devices := snapshot.Nodes["pve-a"].Devices
	if devices.State != facts.Partial || len(devices.Value) == 0 || len(devices.Problems) == 0 || devices.Total != devices.Got+len(devices.Problems) {
		t.Errorf("devices: %s, %d read, %d problems", devices.State, len(devices.Value), len(devices.Problems))
	}
	answer := answers(&snapshot)["pve-a"]
	if answer.Complete || codes(answer)[atlas.IssueDevicesUnreadable] != 1 {
		t.Errorf("complete %v, issues %+v", answer.Complete, answer.Issues)
	}
}

// TestADeadNodeDelaysNobody: the others are read while one hangs, and its budget
// is the end of it.
func TestADeadNodeDelaysNobody(t *testing.T) {
	synctest.Test(t, checkADeadNodeDelaysNobody)
}

func checkADeadNodeDelaysNobody(t *testing.T) {
	t.Helper()
	simulated := demoServer()
	simulated.Inject(&pvesim.Fault{Kind: pvesim.FaultHang, Node: "pve-a"})
	began := time.Now()
	snapshot := read(t, pipeClient(t, quick, simulated))
	if took := time.Since(began); took > 3*quick.NodeBudget {
		t.Errorf("took %s with a budget of %s", took, quick.NodeBudget)
	}
	got := answers(&snapshot)
	a, b := got["pve-a"], got["pve-b"]
	if codes(a)[atlas.IssueNodeUnreachable] != 1 || len(a.Issues) != 1 || a.Devices != nil || a.CheckedVMs != 0 || a.VisibleVMs == 0 {
		t.Errorf("pve-a: %d of %d, %+v", a.CheckedVMs, a.VisibleVMs, a.Issues)
	}
	if b.Devices == nil || b.CheckedVMs != b.VisibleVMs {
		t.Errorf("pve-b: %d of %d, %+v", b.CheckedVMs, b.VisibleVMs, b.Issues)
	}
}

// TestCutOff: what was read stands, and one issue counts the rest.
func TestCutOff(t *testing.T) {
	synctest.Test(t, checkCutOff)
}

func checkCutOff(t *testing.T) {
	t.Helper()
	simulated := demoServer()
	simulated.Inject(&pvesim.Fault{Kind: pvesim.FaultHang, Path: "/nodes/pve-a/qemu/*/pending", Skip: 2})
	snapshot := read(t, pipeClient(t, quick, simulated))
	answer := answers(&snapshot)["pve-a"]
	if codes(answer)[atlas.IssueTimeBudget] != 1 || codes(answer)[atlas.IssueVMUnreadable] != 0 || answer.CheckedVMs != 2 || answer.Devices == nil {
		t.Errorf("%d checked, issues %+v", answer.CheckedVMs, answer.Issues)
	}
}

func TestVMLimit(t *testing.T) {
	limits := patient
	limits.VMsPerNode = 2
	snapshot := read(t, newClient(t, limits, serve(t, demoServer())))
	answer := answers(&snapshot)["pve-a"]
	if answer.CheckedVMs != 2 || codes(answer)[atlas.IssueVMLimit] != 1 || codes(answer)[atlas.IssueVMUnreadable] != 0 || answer.Complete {
		t.Errorf("%d of %d, issues %+v", answer.CheckedVMs, answer.VisibleVMs, answer.Issues)
	}
	if _, read := snapshot.Nodes["pve-a"].VMs[100]; !read {
		t.Error("the lowest numbers come first")
	}
}

// TestNoGoroutineStays counts after reads that ended badly.
func TestNoGoroutineStays(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, kind := range []pvesim.FaultKind{pvesim.FaultHang, pvesim.FaultCut, pvesim.FaultDrop, pvesim.FaultOversize, pvesim.FaultSlow} {
		simulated := demoServer()
		simulated.Inject(&pvesim.Fault{Kind: kind, Path: "/nodes/**"})
		server, err := pvesim.NewTLSServer(simulated)
		if err != nil {
			t.Fatal(err)
		}
		client := newClient(t, quick, server)
		_, _ = client.Read(t.Context(), pveapi.Request{}) // only what stays behind matters
		client.Close()
		server.Close()
	}
	deadline := time.After(time.Minute)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for runtime.NumGoroutine() > before+2 {
		select {
		case <-tick.C:
		case <-deadline:
			stacks := make([]byte, 1<<16)
			t.Fatalf("%d goroutines before, %d after:\n%s", before, runtime.NumGoroutine(), stacks[:runtime.Stack(stacks, true)])
		}
	}
}
