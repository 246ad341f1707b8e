package httpapi

import (
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/fleet"
)

// contractExample is the object that the interface promises, without its digest.
const contractExample = `{"cluster":"default","node":"pve-a","read_at":"2026-11-10T09:02:06Z","source":"api",
 "complete":false,"scope":"proven","visible_vms":3,"checked_vms":3,
 "issues":[{"code":"vm_custom_args","blocks":true,"node":"pve-a","vmid":100,"slot":null,"mapping":null,"devices":null,"message":"VM 100 has custom arguments; what they reference is not examined."}],
 "devices":[{"address":"0000:01:00.0","kind":"display","class":"0x030000","class_name":"VGA compatible controller",
   "vendor_id":"10de","vendor_name":"NVIDIA Corporation","device_id":"1427","device_name":"GM206M [GeForce GTX 965M]",
   "subsystem_vendor_id":"1462","subsystem_device_id":"115a","iommu_group":2,"mdev_capable":false,
   "physical_function":null,"virtual_functions":null,
   "state":"referenced","review":[],
   "references":[{"vmid":100,"vm_name":"win10-test","vm_status":"running","template":false,"managed":true,"desktop":"Windows 10",
     "slot":"hostpci0","phase":"current","via":"address","mapping":null,"certainty":"exact","selector":"0000:01:00","mdev_type":null}]}],
 "unplaced":[]}`

func TestContractExample(t *testing.T) {
	w, clusters, live := labWorld(t, func(s *facts.Snapshot) {
		s.Nodes["pve-a"].Devices.Value = s.Nodes["pve-a"].Devices.Value[:2]
		s.Nodes["pve-a"].VMs[101] = s.Nodes["pve-a"].VMs[102]
	})
	clusters.desktops["default"][100] = fleet.Desktop{Cluster: "default", VMID: 100, Name: "Windows 10"}
	for _, path := range []string{
		"/api/v1/resources/gpus?node=pve-a", "/api/v1/resources/gpus?node=pve-a&cluster=default", "/api/v1/clusters/default/nodes/pve-a",
	} {
		var got, want map[string]any
		w.do("GET", path, "", as("auditor")).want(http.StatusOK, "").decode(&got)
		if digest, _ := got["digest"].(string); !regexp.MustCompile(`^sha256:[0-9a-f]{64}$`).MatchString(digest) {
			t.Errorf("digest %q", digest)
		}
		delete(got, "digest")
		if _, more := got["host_displays"]; more != strings.HasSuffix(path, "/nodes/pve-a") {
			t.Errorf("%s: the promised object has more keys, or one node has fewer", path)
		}
		delete(got, "host_displays") // beside the object, for one node
		if err := json.Unmarshal([]byte(contractExample), &want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", path, diff)
		}
		if want := live.lastWant(); want.Details || !slices.Equal(want.Nodes, []string{"pve-a"}) {
			t.Errorf("%s reads %+v", path, want)
		}
	}
}

func TestNullIsNotEmpty(t *testing.T) {
	w, _, _ := labWorld(t)
	var unread, read atlas.Answer
	w.do("GET", "/api/v1/resources/gpus?node=pve-b", "", by("auditor")).want(http.StatusOK, "").decode(&unread)
	if unread.Devices != nil || unread.Unplaced == nil || unread.Complete || unread.ReadAt == nil {
		t.Errorf("nothing was read: %+v", unread)
	}
	body := w.do("GET", "/api/v1/clusters/default/nodes/pve-a?class=all", "", by("auditor")).want(http.StatusOK, "")
	body.decode(&read)
	if len(read.Devices) != 3 || read.Devices[0].VirtualFunctions != nil || read.Devices[2].VirtualFunctions == nil {
		t.Errorf("virtual functions: %s", body.Body)
	}
	if reference := read.Devices[0].References[0]; reference.Managed == nil || *reference.Managed || reference.Desktop != nil {
		t.Errorf("a register was asked and does not know the VM: %+v", reference)
	}
	if len(read.Unplaced) != 1 || read.Unplaced[0].VMID != 101 || read.Unplaced[0].Reason != atlas.DeviceNotPresent {
		t.Errorf("unplaced: %+v", read.Unplaced)
	}
	w.do("GET", "/api/v1/clusters/default/nodes/pve-a", "", by("auditor")).decode(&read)
	if len(read.Devices) != 2 {
		t.Errorf("%d displays, want 2", len(read.Devices))
	}
}

func TestInventory(t *testing.T) {
	w, _, live := labWorld(t)
	for class, devices := range map[string]int{"": 2, "?class=gpu": 2, "?class=all": 3} {
		var got atlas.Inventory
		w.do("GET", "/api/v1/clusters/default/inventory"+class, "", as("auditor")).want(http.StatusOK, "").decode(&got)
		if got.Cluster != "default" || len(got.Nodes) != len(live.reports["default"].Nodes) || len(got.Nodes[0].Devices) != devices {
			t.Errorf("%s: %+v", class, got)
		}
	}
	if want := live.lastWant(); len(want.Nodes) != 0 || want.Details {
		t.Errorf("reads %+v", want)
	}
}

func TestInventoryErrors(t *testing.T) {
	w, _, live := labWorld(t)
	for path, want := range map[string]struct {
		status int
		code   string
		says   string
	}{
		"/resources/gpus":                                        {422, codeInvalid, "node"},
		"/resources/gpus?node=":                                  {422, codeInvalid, "node"},
		"/resources/gpus?node=pve-a&color=red":                   {422, codeInvalid, "color"},
		"/resources/gpus?node=pve-z":                             {404, "node_not_found", "pve-a, pve-b, pve-c"},
		"/resources/gpus?node=pve-a&cluster=x":                   {404, "cluster_not_found", ""},
		"/resources/gpus?node=pve-a&class=all":                   {422, codeInvalid, "class"},
		"/clusters/x/inventory":                                  {404, "cluster_not_found", ""},
		"/clusters/default/inventory?class=x":                    {422, codeInvalid, "class"},
		"/clusters/x/nodes":                                      {404, "cluster_not_found", ""},
		"/clusters/default/nodes/x":                              {404, "node_not_found", ""},
		"/clusters/default/nodes/pve-z/devices/01:00.0":          {404, "node_not_found", ""},
		"/clusters/default/nodes/pve-a/devices/0000:01:00":       {422, codeInvalid, "function"},
		"/clusters/default/nodes/pve-a/devices/x":                {422, codeInvalid, "address"},
		"/clusters/default/nodes/pve-a/devices/0000:09:00.0":     {404, "device_not_found", "There is no"},
		"/clusters/default/nodes/pve-b/devices/0000:09:00.0":     {502, codeDevices, "not known"},
		"/clusters/x/vms":                                        {404, "cluster_not_found", ""},
		"/clusters/default/vms/99":                               {422, codeInvalid, "vmid"},
		"/clusters/default/vms/abc":                              {422, codeInvalid, "vmid"},
		"/clusters/default/vms/999":                              {404, "vm_not_found", "no VM 999 among the 3"},
		"/clusters/default/vms/200":                              {404, "vm_not_found", "container"},
		"/clusters/default/findings?severity=bad":                {422, codeInvalid, "severity"},
		"/clusters/default/findings?code=bad":                    {422, codeInvalid, "code"},
		"/clusters/default/findings?node=x":                      {404, "node_not_found", ""},
		"/clusters/default/findings?vmid=999":                    {404, "vm_not_found", ""},
		"/clusters/x/findings":                                   {404, "cluster_not_found", ""},
		"/clusters/" + strings.Repeat("x", 50) + "/inventory":    {422, codeInvalid, "cluster"},
		"/clusters/default/nodes/" + strings.Repeat("x", 64):     {422, codeInvalid, "node"},
		"/clusters/default/nodes/pve-a/devices/0:0:0:0:0:0:00.0": {422, codeInvalid, "address"},
	} {
		got := w.do("GET", "/api/v1"+path, "", as("auditor")).want(want.status, want.code)
		if !strings.Contains(got.Body.String(), want.says) {
			t.Errorf("%s: %s", path, got.Body)
		}
	}
	for code, status := range map[string]int{
		"pve_unreachable": 502, "pve_refused": 502, "pve_certificate": 502, "pve_timeout": 504, "cluster_not_found": 404, "unavailable": 503,
	} {
		live.err = storeError(code)
		for _, path := range []string{
			"/resources/gpus?node=pve-a", "/clusters/default/inventory", "/clusters/default/nodes", "/clusters/default/nodes/pve-a",
			"/clusters/default/nodes/pve-a/devices/01:00.0", "/clusters/default/vms", "/clusters/default/vms/100", "/clusters/default/findings",
		} {
			w.do("GET", "/api/v1"+path, "", as("auditor")).want(status, code)
		}
	}
}

func TestDatabaseAway(t *testing.T) {
	w, clusters, _ := labWorld(t)
	w.do("GET", "/api/v1/resources/gpus?node=pve-a", "", as("auditor")).want(http.StatusOK, "")
	clusters.clusters["default"] = fleet.Cluster{Name: "default", Revision: 99}
	broken := &brokenDesktops{DesktopStore: clusters, err: storeError("database_unavailable")}
	w.store.DesktopStore = broken
	w.do("GET", "/api/v1/resources/gpus?node=pve-a", "", as("auditor")).want(http.StatusServiceUnavailable, codeDatabase)
	broken.err = nil
	w.do("GET", "/api/v1/resources/gpus?node=pve-a", "", as("auditor")).want(http.StatusOK, "")
}

func TestSeveralClusters(t *testing.T) {
	w, _, live := withClusters(t)
	w.do("GET", "/api/v1/resources/gpus?node=pve-a", "", as("auditor")).want(http.StatusNotFound, "cluster_not_found")
	clusters := addClusters(w.store, labCluster("east"), labCluster("west"))
	live.reports["east"], live.reports["west"] = labReport(t, "east"), labReport(t, "west")
	p := w.do("GET", "/api/v1/resources/gpus?node=pve-a", "", as("auditor")).want(http.StatusUnprocessableEntity, codeInvalid).problem()
	if !strings.Contains(p.Detail, "east, west") || len(p.Errors) != 1 || p.Errors[0].Field != "cluster" {
		t.Errorf("%+v", p)
	}
	clusters.desktops["west"][100] = fleet.Desktop{VMID: 100, Name: "Windows 10"}
	for cluster, managed := range map[string]bool{"east": false, "west": true} {
		var got atlas.Answer
		w.do("GET", "/api/v1/resources/gpus?node=pve-a&cluster="+cluster, "", as("auditor")).want(http.StatusOK, "").decode(&got)
		if got.Cluster != cluster || *got.Devices[0].References[0].Managed != managed {
			t.Errorf("%s: %+v", cluster, got)
		}
	}
}

func TestETag(t *testing.T) {
	w, clusters, live := labWorld(t)
	ask := func(condition string) answer {
		return w.do("GET", "/api/v1/resources/gpus?node=pve-a", "", as("auditor"), header("If-None-Match", condition))
	}
	first := ask("").want(http.StatusOK, "")
	tag := first.Header().Get("ETag")
	if !regexp.MustCompile(`^"[\w-]+"$`).MatchString(tag) {
		t.Fatalf("ETag %q", tag)
	}
	for _, condition := range []string{tag, "W/" + tag, `"x", ` + tag, "*"} {
		if got := ask(condition).want(http.StatusNotModified, ""); got.Body.Len() > 0 || got.Header().Get("ETag") != tag {
			t.Errorf("%s: %d bytes, tag %s", condition, got.Body.Len(), got.Header().Get("ETag"))
		}
	}
	ask(`"other"`).want(http.StatusOK, "")

	// An equal world read again has the same digest and another time.
	live.reports["default"] = labReport(t, "default", func(s *facts.Snapshot) {
		later := stamp
		later.From = stamp.From.Add(6e9)
		s.Guests.Stamp, s.Nodes["pve-a"].Devices.Stamp = later, later
		s.Nodes["pve-a"].VMs = maps.Clone(s.Nodes["pve-a"].VMs)
		for vmid, vm := range s.Nodes["pve-a"].VMs {
			vm.Stamp = later
			s.Nodes["pve-a"].VMs[vmid] = vm
		}
	})
	again := ask(tag).want(http.StatusOK, "")
	var before, after atlas.Answer
	first.decode(&before)
	again.decode(&after)
	if before.Digest != after.Digest || before.ReadAt.Equal(*after.ReadAt) {
		t.Errorf("digest %s and %s, read at %s and %s", before.Digest, after.Digest, before.ReadAt, after.ReadAt)
	}

	// What is registered changes the answer of the same read.
	tag = again.Header().Get("ETag")
	w.do("PUT", "/api/v1/clusters/default/desktops/100", `{"name":"Desk"}`, as("operator")).want(http.StatusCreated, "")
	named := ask(tag).want(http.StatusOK, "")
	cluster := clusters.clusters["default"]
	cluster.DesktopTag = "VDI"
	cluster.Revision++
	clusters.clusters["default"] = cluster
	w.do("DELETE", "/api/v1/clusters/default/desktops/100", "", as("operator")).want(http.StatusNoContent, "")
	tagged := ask(named.Header().Get("ETag")).want(http.StatusOK, "")
	for want, got := range map[string]answer{"Desk": named, "win10-test": tagged} {
		got.decode(&after)
		if reference := after.Devices[0].References[0]; !*reference.Managed || reference.Desktop == nil || *reference.Desktop != want {
			t.Errorf("want %s: %s", want, got.Body)
		}
	}
}

// TestIssueCodes compares the closed list of the description with that of atlas.
func TestIssueCodes(t *testing.T) {
	source, err := os.ReadFile("../atlas/issue.go")
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, match := range regexp.MustCompile(`Issue\w+ +IssueCode = "(\w+)"`).FindAllStringSubmatch(string(source), -1) {
		want = append(want, match[1])
	}
	var got []string
	for _, code := range newWorld(t).api.huma.OpenAPI().Components.Schemas.Map()["AnswerIssue"].Properties["code"].Enum {
		got = append(got, string(code.(atlas.IssueCode)))
	}
	slices.Sort(want)
	slices.Sort(got)
	if len(want) == 0 || !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
