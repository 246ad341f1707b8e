package pveapi_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/pveapi"
	"pciatlas/internal/pvesim"
)

var times = regexp.MustCompile(`"(from|to)":"[^"]*",?`)

// timeless gives a value as JSON without the times of its reads.
func timeless(t *testing.T, value any) string {
	t.Helper()
	encoded, err := json.MarshalIndent(value, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return times.ReplaceAllString(strings.ReplaceAll(string(encoded), `": "`, `":"`), "")
}

func readCluster(t *testing.T, client *pveapi.Client) *pveapi.ClusterPart {
	t.Helper()
	part, err := client.ReadCluster(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	return part
}

func readNodes(t *testing.T, client *pveapi.Client, part *pveapi.ClusterPart, nodes ...string) facts.Snapshot {
	t.Helper()
	snapshot, err := client.ReadNodes(t.Context(), part, nodes, false)
	if err != nil {
		t.Fatal(err)
	}
	return snapshot
}

// listing serves the demo cluster with lists of guests of its own: the first, and
// the second ever after. VM 301 is on pve-c.
func listing(first, second []row, more map[string]func(int) any) http.Handler {
	answers := map[string]func(int) any{"/cluster/resources": func(before int) any {
		if before == 0 {
			return first
		}
		return second
	}}
	maps.Copy(answers, more)
	return replace(demoServer(), answers)
}

func listed(vmid int, node string) row {
	return row{"type": "qemu", "vmid": vmid, "node": node, "status": "running"}
}

// TestStepsAreTheRead: both steps together give what Read gives.
func TestStepsAreTheRead(t *testing.T) {
	client := newClient(t, patient, serve(t, demoServer()))
	want := read(t, client)
	part := readCluster(t, client)
	if diff := cmp.Diff(timeless(t, want), timeless(t, readNodes(t, client, part))); diff != "" {
		t.Error(diff)
	}
	if names := strings.Join(part.NodeNames(), " "); names != "pve-a pve-b pve-c pve-d" {
		t.Errorf("nodes %s", names)
	}
	got := readNodes(t, client, part, "pve-b", "elsewhere")
	if diff := cmp.Diff(timeless(t, want.Nodes["pve-b"]), timeless(t, got.Nodes["pve-b"])); diff != "" || len(got.Nodes) != 1 {
		t.Errorf("%d nodes: %s", len(got.Nodes), diff)
	}
}

// TestPartIsShared: reads of nodes side by side, all of which meet a VM that
// moved, do not change the part, and a VM that left is read at its new place.
func TestPartIsShared(t *testing.T) {
	stays := listed(302, "pve-c")
	client := newClient(t, patient, serve(t, listing([]row{listed(301, "pve-a"), stays}, []row{listed(301, "pve-c"), stays}, nil)))
	part := readCluster(t, client)
	before := timeless(t, part.Snapshot())
	var all sync.WaitGroup
	for _, name := range []string{"pve-a", "pve-b", "pve-c", "pve-a", "pve-c"} {
		all.Go(func() {
			snapshot := readNodes(t, client, part, name)
			vms := atlas.Build(&snapshot).FindVM(301)
			switch {
			case len(vms) != 1:
				t.Errorf("%s: VM 301 is there %d times", name, len(vms))
			case name != "pve-b" && (vms[0].Node != "pve-c" || vms[0].Config == nil):
				t.Errorf("%s: %+v", name, vms[0])
			}
			if encoded, err := facts.Encode(&snapshot); err != nil {
				t.Error(err)
			} else if _, err := facts.Decode(encoded); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
	all.Wait()
	if after := timeless(t, part.Snapshot()); after != before {
		t.Errorf("the part changed:\n%s", cmp.Diff(before, after))
	}
	client = newClient(t, patient, serve(t, listing([]row{listed(301, "pve-a"), stays}, []row{listed(301, "pve-c"), stays}, nil)))
	snapshot, err := client.Read(t.Context(), pveapi.Request{Nodes: []string{"pve-a"}})
	if err != nil || len(snapshot.Nodes) != 1 {
		t.Errorf("%v: %d nodes where one was asked for", err, len(snapshot.Nodes))
	}
}

// TestDeparture: a VM that left after its configuration was read is where the
// last look found it.
func TestDeparture(t *testing.T) {
	client := newClient(t, patient, serve(t, listing([]row{listed(301, "pve-c")}, []row{listed(301, "pve-b")}, nil)))
	snapshot := readNodes(t, client, readCluster(t, client), "pve-c")
	if _, stays := snapshot.Nodes["pve-c"].VMs[301]; stays || snapshot.Guests.Value[0].Node != "pve-b" {
		t.Errorf("%+v", snapshot.Guests.Value)
	}
}

// TestNewborn: a VM that was made between two lists, and that another list names
// already, is not out of sight.
func TestNewborn(t *testing.T) {
	others := []row{listed(302, "pve-c")}
	handler := listing(others, append(others, listed(301, "pve-c")), map[string]func(int) any{
		"/cluster/backup": always([]row{{"id": "b1", "vmid": "301,999"}}), "/cluster/ha/resources": always([]row{}),
		"/cluster/ha/rules": always([]row{}), "/cluster/replication": always([]row{}), "/access/acl": always([]row{}),
	})
	client := newClient(t, patient, serve(t, handler))
	part := readCluster(t, client)
	snapshot := readNodes(t, client, part)
	for _, mention := range part.Snapshot().Mentions.Value {
		if mention.VMID == 301 {
			t.Errorf("%+v", mention)
		}
	}
	if snapshot.Mentions.Got != 1 || snapshot.Guests.Got != 2 || snapshot.Nodes["pve-c"].VMs[301].State != facts.OK {
		t.Errorf("%d mentions, %d guests, VM 301 %v", snapshot.Mentions.Got, snapshot.Guests.Got, snapshot.Nodes["pve-c"].VMs[301].State)
	}
}

// TestLost: a VM that is on no node and in no list any more was deleted, or it is
// out of sight; its number tells.
func TestLost(t *testing.T) {
	stays := listed(302, "pve-c")
	for name, c := range map[string]struct {
		nextID any
		hidden bool
	}{"deleted": {"999", false}, "out of sight": {400, true}, "no answer": {500, true}} {
		t.Run(name, func(t *testing.T) {
			handler := listing([]row{listed(999, "pve-a"), stays}, []row{stays}, map[string]func(int) any{"/cluster/nextid": always(c.nextID)})
			client := newClient(t, patient, serve(t, handler))
			snapshot := readNodes(t, client, readCluster(t, client), "pve-a")
			report := atlas.Build(&snapshot)
			hidden := false
			for _, issue := range report.Node("pve-a").Issues {
				hidden = hidden || issue.Code == atlas.IssueVMHidden && issue.VMID == 999
			}
			if hidden != c.hidden || len(report.FindVM(999)) != 0 {
				t.Errorf("hidden %v, found %d: %+v", hidden, len(report.FindVM(999)), report.Node("pve-a").Issues)
			}
		})
	}
}

// TestManyLooksAreFew: nodes that are read at once share the look at the guests.
func TestManyLooksAreFew(t *testing.T) {
	synctest.Test(t, checkManyLooks)
}

func checkManyLooks(t *testing.T) {
	t.Helper()
	simulated := &pvesim.Server{World: bigWorld(16, 2), RelayLimit: -1}
	client := pipeClient(t, pveapi.Limits{}, simulated)
	part := readCluster(t, client)
	simulated.ResetStats()
	simulated.Inject(&pvesim.Fault{Kind: pvesim.FaultLatency, Path: "/cluster/resources", Delay: 300 * time.Millisecond})
	var all sync.WaitGroup
	for _, name := range part.NodeNames() {
		all.Go(func() { readNodes(t, client, part, name) })
	}
	all.Wait()
	if looks := simulated.Stats().Paths["/cluster/resources"]; looks < 1 || looks > 8 {
		t.Errorf("%d looks for 16 nodes", looks)
	}
}
