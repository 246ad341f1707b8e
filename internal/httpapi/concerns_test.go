package httpapi

import (
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
)

// wireConcerns is a finding of the list as a client reads it.
type wireConcerns struct {
	Code, Sentence string
	Concerns       struct {
		Devices []struct{ Node, Address string }
		VMs     []struct {
			Node string
			VMID int
		}
	}
}

// TestConcerns: the list says of each finding the functions and VMs whose own answers
// have it, and no others.
func TestConcerns(t *testing.T) {
	// What is about the whole of a VM concerns the functions that its lines name, too.
	w, _, live := labWorld(t, func(s *facts.Snapshot) {
		addVM(t, s, "pve-a", "104 running twin", "hostpci0: 02:00.0\nballoon: 512\nmemory: 8192\n")
	})
	report := live.reports["default"]
	var listed struct{ Findings []wireConcerns }
	w.do("GET", "/api/v1/clusters/default/findings", "", as("auditor")).want(http.StatusOK, "").decode(&listed)
	wholeVM := false
	for _, f := range listed.Findings {
		wholeVM = wholeVM || len(f.Concerns.Devices) > 0 && f.Code == "memory-pinned"
	}
	of := func(path string) []string {
		var got struct{ Findings []struct{ Sentence string } }
		w.do("GET", "/api/v1/clusters/default/"+path+"?findings=true", "", as("auditor")).want(http.StatusOK, "").decode(&got)
		var sentences []string
		for _, f := range got.Findings {
			sentences = append(sentences, f.Sentence)
		}
		return sentences
	}
	that := func(concerns func(wireConcerns) bool) []string {
		var sentences []string
		for _, f := range listed.Findings {
			if concerns(f) {
				sentences = append(sentences, f.Sentence)
			}
		}
		return sentences
	}
	node := report.Node("pve-a")
	for i := range node.Devices {
		address := node.Devices[i].Address.String()
		want := of("nodes/pve-a/devices/" + address)
		got := that(func(f wireConcerns) bool {
			return slices.Contains(f.Concerns.Devices, struct{ Node, Address string }{"pve-a", address})
		})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", address, diff)
		}
	}
	for _, vm := range report.VMs {
		want := of(fmt.Sprintf("vms/%d", vm.VMID))
		got := that(func(f wireConcerns) bool {
			return slices.Contains(f.Concerns.VMs, struct {
				Node string
				VMID int
			}{vm.Node, vm.VMID})
		})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("VM %d: %s", vm.VMID, diff)
		}
	}
	if !wholeVM {
		t.Errorf("no finding about a whole VM concerns a function: %+v", listed.Findings)
	}
}

// TestHostDisplays: what is told by ids and by the node, and what is not told.
func TestHostDisplays(t *testing.T) {
	w, _, live := labWorld(t, func(s *facts.Snapshot) {
		devices := &s.Nodes["pve-a"].Devices.Value
		bmc := (*devices)[2]
		bmc.Address.Bus, bmc.IDs.Vendor, bmc.IDs.Device = 3, 0x1a03, 0x2000
		virtual := (*devices)[2]
		parent := virtual.Address
		virtual.Address.Function, virtual.Parent = 1, facts.Told(&parent)
		*devices = append(*devices, virtual, bmc)
	})
	type display struct {
		Address     string
		BMC         bool
		BootDisplay *bool `json:"boot_display"`
	}
	ask := func(node string) []display {
		var got struct {
			HostDisplays []display `json:"host_displays"`
		}
		w.do("GET", "/api/v1/clusters/default/nodes/"+node, "", as("auditor")).want(http.StatusOK, "").decode(&got)
		return got.HostDisplays
	}
	want := []display{{Address: "0000:01:00.0"}, {Address: "0000:02:00.0"}, {Address: "0000:03:00.0", BMC: true}}
	if diff := cmp.Diff(want, ask("pve-a")); diff != "" {
		t.Error(diff)
	}
	if got := ask("pve-b"); got != nil {
		t.Errorf("devices that were not read: %+v", got)
	}
	live.reports["default"] = labReport(t, "default", func(s *facts.Snapshot) {
		devices := s.Nodes["pve-a"].Devices.Value
		devices[0].Host = &facts.HostDevice{BootDisplay: facts.Told(false)}
		devices[2].Host = &facts.HostDevice{BootDisplay: facts.Told(true)}
	})
	want = []display{{Address: "0000:01:00.0", BootDisplay: new(false)}, {Address: "0000:02:00.0", BootDisplay: new(true)}}
	if diff := cmp.Diff(want, ask("pve-a")); diff != "" {
		t.Error(diff)
	}
}

// TestDeviceLines: a reference of a function has the whole line, what its start takes
// along, and nothing else of the configuration.
func TestDeviceLines(t *testing.T) {
	w, _, _ := labWorld(t, func(s *facts.Snapshot) {
		addVM(t, s, "pve-a", "105 stopped second", "hostpci3: 01:00.0,pcie=1,rombar=0\nmachine: q35\n")
	})
	var got struct {
		References []struct {
			VMID        int
			Slot, Value string
			Takes       []atlas.VMTake
		}
	}
	w.do("GET", "/api/v1/clusters/default/nodes/pve-a/devices/01:00.1", "", as("auditor")).want(http.StatusOK, "").decode(&got)
	if len(got.References) != 1 || got.References[0].Value != "0000:01:00" || got.References[0].Takes == nil || len(got.References[0].Takes) > 0 {
		t.Errorf("%+v", got)
	}
	w.do("GET", "/api/v1/clusters/default/nodes/pve-a/devices/01:00.0", "", as("auditor")).want(http.StatusOK, "").decode(&got)
	second := got.References[1]
	if second.VMID != 105 || second.Slot != "hostpci3" || second.Value != "01:00.0,pcie=1,rombar=0" {
		t.Errorf("%+v", got)
	}
	// VM 100 names the sound of the card, too: it is not the host's to lose.
	if len(second.Takes) != 0 {
		t.Errorf("%+v", second.Takes)
	}
	w, _, _ = labWorld(t, func(s *facts.Snapshot) {
		s.Guests.Value, s.Nodes["pve-a"].VMs = nil, nil
		addVM(t, s, "pve-a", "105 stopped second", "hostpci3: 01:00.0\n")
	})
	w.do("GET", "/api/v1/clusters/default/nodes/pve-a/devices/01:00.0", "", as("auditor")).want(http.StatusOK, "").decode(&got)
	if takes := got.References[0].Takes; len(takes) != 1 || takes[0].Address.String() != "0000:01:00.1" {
		t.Errorf("%+v", takes)
	}
}

// TestNodeIssues: a VM tells what else is not known about its node.
func TestNodeIssues(t *testing.T) {
	w, _, _ := labWorld(t)
	type answer struct {
		Complete    bool
		DevicesRead bool `json:"devices_read"`
		Issues      []struct{ VMID *int }
		NodeIssues  []struct {
			Code string
			VMID *int
		} `json:"node_issues"`
	}
	ask := func(vmid int) (got answer) {
		w.do("GET", fmt.Sprintf("/api/v1/clusters/default/vms/%d", vmid), "", as("auditor")).want(http.StatusOK, "").decode(&got)
		return got
	}
	if got := ask(102); got.Complete || !got.DevicesRead || len(got.Issues) != 0 || len(got.NodeIssues) != 1 || got.NodeIssues[0].Code != "vm_custom_args" || *got.NodeIssues[0].VMID != 100 {
		t.Errorf("%+v", got)
	}
	if got := ask(100); len(got.Issues) != 1 || got.NodeIssues == nil || len(got.NodeIssues) != 0 {
		t.Errorf("%+v", got)
	}
}
