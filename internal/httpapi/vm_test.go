package httpapi

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/findings"
	"pciatlas/internal/fleet"
)

// unreadVM is a VM that the list shows and whose configuration was refused.
func unreadVM(s *facts.Snapshot) {
	s.Guests.Value = append(s.Guests.Value, facts.Guest{VMID: 103, Kind: facts.QEMU, Node: "pve-a", Status: facts.Stopped})
	s.Nodes["pve-a"].VMs[103] = facts.Read[facts.VMConfig]{State: facts.Failed, Problems: []facts.Problem{{Code: facts.ProblemPermission, Message: "refused"}}}
}

func TestListVMs(t *testing.T) {
	w, clusters, live := labWorld(t, unreadVM)
	clusters.desktops["default"][101] = fleet.Desktop{VMID: 101, Name: "Media room"}
	tagged := clusters.clusters["default"]
	tagged.DesktopTag = "vdi"
	clusters.clusters["default"] = tagged
	var all, some VMs
	w.do("GET", "/api/v1/clusters/default/vms?findings=true", "", as("auditor")).want(http.StatusOK, "").decode(&all)
	w.do("GET", "/api/v1/clusters/default/vms?passthrough=true&findings=true", "", as("auditor")).want(http.StatusOK, "").decode(&some)
	if want := live.lastWant(); len(want.Nodes) > 0 || !want.Details {
		t.Errorf("reads %+v", want)
	}
	numbers := func(rows []VMRow) (numbers []int) {
		for i := range rows {
			numbers = append(numbers, rows[i].VMID)
		}
		return numbers
	}
	if got := numbers(all.VMs); !slices.Equal(got, []int{100, 101, 102, 103}) {
		t.Errorf("VMs %v", got)
	}
	if got := numbers(some.VMs); !slices.Equal(got, []int{100, 101, 103}) {
		t.Errorf("with lines or unread: %v", got)
	}
	first, second, third, fourth := all.VMs[0], all.VMs[1], all.VMs[2], all.VMs[3]
	line := first.Lines[0]
	if line.Slot != "hostpci0" || line.Phase != atlas.Current || line.Value != "0000:01:00" || *line.Via != atlas.ViaAddress || len(line.Devices) != 2 ||
		line.Devices[0].Address.String() != "0000:01:00.0" || line.Devices[0].State != atlas.Referenced || line.Unplaced == nil {
		t.Errorf("%+v", line)
	}
	if first.Managed == nil || !*first.Managed || *first.Desktop != "win10-test" || *second.Desktop != "Media room" || third.Managed == nil || *third.Managed || third.Desktop != nil {
		t.Errorf("desktops: %+v %+v %+v", first, second, third)
	}
	if second.Lines[0].Unplaced[0].Reason != atlas.DeviceNotPresent || second.Findings.Value.Count == 0 || *second.Findings.Value.Worst != findings.Error {
		t.Errorf("%+v", second)
	}
	if third.Lines == nil || len(third.Lines) > 0 || third.Findings.Value.Worst != nil {
		t.Errorf("no lines: %+v", third)
	}
	if fourth.ConfigRead || fourth.Lines != nil || fourth.Template != nil || *third.Template {
		t.Errorf("unread: %+v", fourth)
	}
	if all.ReadAt == nil || len(all.Nodes) < 2 || all.Nodes[0].Complete || len(all.Nodes[0].Issues) == 0 || all.Nodes[1].DevicesRead {
		t.Errorf("scope: %+v", all.Nodes)
	}
}

func TestGetVM(t *testing.T) {
	w, _, _ := labWorld(t, unreadVM)
	got := w.do("GET", "/api/v1/clusters/default/vms/100?findings=true", "", as("auditor")).want(http.StatusOK, "")
	var vm VMDetail
	got.decode(&vm)
	if !*vm.Args || *vm.Hookscript || len(vm.Lines) != 1 || vm.Managed == nil || *vm.Managed || vm.Tags == nil || len(vm.Others) != 0 || vm.Findings == nil {
		t.Errorf("%s", got.Body)
	}
	if strings.Contains(got.Body.String(), "CANARY") {
		t.Error("the text of args is answered")
	}
	got = w.do("GET", "/api/v1/clusters/default/vms/103", "", as("auditor")).want(http.StatusOK, "")
	for _, key := range []string{`"template":null`, `"tags":null`, `"custom_args":null`, `"hookscript":null`, `"lines":null`, `"others":[]`} {
		if !strings.Contains(got.Body.String(), key) {
			t.Errorf("not read: no %s in %s", key, got.Body)
		}
	}
}

// wantReads compares what was read for a request.
func wantReads(t *testing.T, w *world, live *fakeLive, path string, want ...Want) answer {
	t.Helper()
	before := len(live.wants)
	got := w.do("GET", "/api/v1/clusters/default"+path, "", as("auditor")).want(http.StatusOK, "")
	if diff := cmp.Diff(want, live.wants[before:]); diff != "" {
		t.Errorf("%s: %s", path, diff)
	}
	return got
}

// TestReadsWhatIsNeeded: no other node is waited for unless findings are asked for.
func TestReadsWhatIsNeeded(t *testing.T) {
	w, _, live := labWorld(t, func(s *facts.Snapshot) { addVM(t, s, "pve-b", "101 stopped twin", "hostpci0: 01:00.0\n") })
	everything, bare := Want{Details: true}, Want{NoNodes: true}
	for path, want := range map[string][]Want{
		"/nodes/pve-a/devices/01:00.0":               {{Nodes: []string{"pve-a"}}},
		"/nodes/pve-a/devices/01:00.0?findings=true": {everything},
		"/vms/100":               {bare, {Nodes: []string{"pve-a"}, Details: true}},
		"/vms/101":               {bare, {Nodes: []string{"pve-a", "pve-b"}, Details: true}},
		"/vms/100?findings=true": {everything},
		"/vms":                   {{}},
		"/vms?node=pve-a":        {{Nodes: []string{"pve-a"}}},
		"/vms?findings=true":     {everything},
		"/findings?node=pve-a":   {everything},
	} {
		got := wantReads(t, w, live, path, want...)
		told := !strings.Contains(got.Body.String(), `"findings":null`)
		if asked := slices.ContainsFunc(want, func(one Want) bool { return cmp.Equal(one, everything) }); told != asked {
			t.Errorf("%s: findings told: %t", path, told)
		}
	}
	before := len(live.wants)
	w.do("GET", "/api/v1/clusters/default/vms/999", "", as("auditor")).want(http.StatusNotFound, "vm_not_found")
	if diff := cmp.Diff([]Want{bare}, live.wants[before:]); diff != "" {
		t.Errorf("a missing VM: %s", diff)
	}
	var list VMs
	w.do("GET", "/api/v1/clusters/default/vms?node=pve-b", "", as("auditor")).want(http.StatusOK, "").decode(&list)
	if len(list.VMs) != 1 || list.VMs[0].Node != "pve-b" || len(list.Nodes) != 1 || list.Nodes[0].Node != "pve-b" {
		t.Errorf("of one node: %+v", list)
	}
	w.do("GET", "/api/v1/clusters/default/vms?node=pve-z", "", as("auditor")).want(http.StatusNotFound, "node_not_found")
}

// movingLive has a VM on another node each time that somebody looks.
type movingLive struct {
	*fakeLive

	reports []*atlas.Report
}

func (l *movingLive) Report(ctx context.Context, cluster string, want Want) (*atlas.Report, error) {
	_, err := l.fakeLive.Report(ctx, cluster, want)
	report := l.reports[0]
	if len(l.reports) > 1 {
		l.reports = l.reports[1:]
	}
	return report, err
}

// TestVMThatMoves is followed to the node where it is.
func TestVMThatMoves(t *testing.T) {
	w, _, live := labWorld(t)
	on := func(node string) *atlas.Report {
		return labReport(t, "default", func(s *facts.Snapshot) { addVM(t, s, node, "150 running nomad", "hostpci0: 01:00.0\n") })
	}
	w.api.Live = &movingLive{live, []*atlas.Report{on("pve-a"), on("pve-b")}}
	var vm VMDetail
	w.do("GET", "/api/v1/clusters/default/vms/150", "", as("auditor")).want(http.StatusOK, "").decode(&vm)
	want := []Want{{NoNodes: true}, {Nodes: []string{"pve-a"}, Details: true}, {Nodes: []string{"pve-b"}, Details: true}}
	if diff := cmp.Diff(want, live.wants); diff != "" || vm.Node != "pve-b" {
		t.Errorf("%s %s", vm.Node, diff)
	}
	w.api.Live = &movingLive{live, []*atlas.Report{on("pve-a"), on("pve-b"), on("pve-a"), on("pve-b"), on("pve-a")}}
	w.do("GET", "/api/v1/clusters/default/vms/150", "", as("auditor")).want(http.StatusOK, "")
}

func TestVMOnTwoNodes(t *testing.T) {
	w, _, _ := labWorld(t, func(s *facts.Snapshot) { addVM(t, s, "pve-b", "101 stopped twin", "hostpci0: 01:00.0\n") })
	var vm struct {
		Node   string
		Others []struct{ Node, Name string }
	}
	w.do("GET", "/api/v1/clusters/default/vms/101", "", as("auditor")).want(http.StatusOK, "").decode(&vm)
	if vm.Node != "pve-a" || len(vm.Others) != 1 || vm.Others[0].Node != "pve-b" || vm.Others[0].Name != "twin" {
		t.Errorf("%+v", vm)
	}
}

func TestMissingVMWithoutProof(t *testing.T) {
	w, _, live := labWorld(t, func(s *facts.Snapshot) { s.Guests.State = facts.Filtered })
	got := w.do("GET", "/api/v1/clusters/default/vms/999", "", as("auditor")).want(http.StatusNotFound, "vm_not_found")
	if !strings.Contains(got.problem().Detail, "not proven") {
		t.Error(got.problem().Detail)
	}
	live.reports["default"] = atlas.Build(&facts.Snapshot{Nodes: map[string]*facts.Node{}})
	got = w.do("GET", "/api/v1/clusters/default/vms/999", "", as("auditor")).want(http.StatusNotFound, "vm_not_found")
	if !strings.Contains(got.problem().Detail, "not known") {
		t.Error(got.problem().Detail)
	}
	w.do("GET", "/api/v1/clusters/default/nodes/pve-a", "", as("auditor")).want(http.StatusNotFound, "node_not_found")
	w.do("GET", "/api/v1/clusters/default/findings", "", as("auditor")).want(http.StatusOK, "")
	w.do("GET", "/api/v1/clusters/default/vms", "", as("auditor")).want(http.StatusOK, "")
}

func TestGetDevice(t *testing.T) {
	w, clusters, live := labWorld(t)
	clusters.desktops["default"][100] = fleet.Desktop{VMID: 100, Name: "Desk"}
	var full, short DeviceDetail
	got := w.do("GET", "/api/v1/clusters/default/nodes/pve-a/devices/0000:01:00.0?findings=true", "", as("auditor")).want(http.StatusOK, "")
	got.decode(&full)
	w.do("GET", "/api/v1/clusters/default/nodes/pve-a/devices/01:00.0?findings=true", "", as("auditor")).want(http.StatusOK, "").decode(&short)
	if diff := cmp.Diff(full.DeviceAnswer, short.DeviceAnswer); diff != "" {
		t.Error(diff)
	}
	if full.Complete || len(full.Issues) == 0 || full.Findings == nil || len(full.GroupMembers) != 2 || *full.References[0].Desktop != "Desk" || full.Host != nil {
		t.Errorf("%s", got.Body)
	}
	if want := live.lastWant(); len(want.Nodes) > 0 || !want.Details {
		t.Errorf("reads %+v", want)
	}
	// With what only the node itself tells.
	live.reports["default"] = labReport(t, "default", func(s *facts.Snapshot) {
		s.Nodes["pve-a"].Devices.Value[2].Host = &facts.HostDevice{
			Driver: "amdgpu", Uses: facts.Told([]facts.Use{{Kind: facts.UseConsole, Name: "fb0", File: "sys/class/graphics/fb0"}}),
			Link: facts.Link{Speed: "8.0 GT/s PCIe", Width: 16}, MdevTypes: []facts.MdevType{{Type: "nvidia-63", Available: 1}},
		}
	})
	got = w.do("GET", "/api/v1/clusters/default/nodes/pve-a/devices/02:00.0", "", as("auditor")).want(http.StatusOK, "")
	if !strings.Contains(got.Body.String(), `"driver":"amdgpu"`) || !strings.Contains(got.Body.String(), `"group_members":null`) {
		t.Errorf("%s", got.Body)
	}
}

func TestListNodes(t *testing.T) {
	w, _, live := labWorld(t)
	live.members = live.reports["default"].Facts.Members
	var got ClusterNodes
	w.do("GET", "/api/v1/clusters/default/nodes", "", as("auditor")).want(http.StatusOK, "").decode(&got)
	if len(got.Nodes) != 3 || !*got.Nodes[0].Online || *got.Nodes[1].Online || got.Nodes[2].Online != nil || !got.Complete || got.Problem != nil || got.ReadAt == nil {
		t.Errorf("%+v", got)
	}
	live.members = facts.Read[[]facts.Member]{State: facts.Failed, Problems: []facts.Problem{{Message: "PVE answered 500."}}}
	w.do("GET", "/api/v1/clusters/default/nodes", "", as("auditor")).want(http.StatusOK, "").decode(&got)
	if got.Nodes != nil || got.Complete || *got.Problem != "PVE answered 500." || got.ReadAt != nil {
		t.Errorf("%+v", got)
	}
}
