package test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/findings"
	"pciatlas/internal/hostfs"
	"pciatlas/internal/pci"
	"pciatlas/internal/pve"
	"pciatlas/internal/pvesim"
)

// scenario is one file of testdata/cases/scenarios; see the README there.
type scenario struct {
	ID       string
	Kind     string
	Nodes    []string
	Root     map[string]pvesim.Tree
	Expected expected
}

type expected struct {
	References        []expectedReference
	Unplaced          []expectedUnplaced
	Scope             map[string]string
	ScopeFault        []string `json:"scope_fault"`
	ScopeFromFiles    string   `json:"scope_from_files"`
	MappingScope      *string  `json:"mapping_scope"`
	Complete          map[string]bool
	CompleteFromFiles map[string]bool `json:"complete_from_files"`
	States            map[string]string
	StatesFromFiles   map[string]string `json:"states_from_files"`
	// IssueCodes is a list in field cases, lists by node in permission worlds.
	IssueCodes          json.RawMessage       `json:"issue_codes"`
	IssueCodesAny       map[string][][]string `json:"issue_codes_any"`
	AlsoAllowed         []string              `json:"issue_codes_also_allowed"`
	IssueCodesFromFiles *[]string             `json:"issue_codes_from_files"`
	Error               *expectedError
	Findings            []expectedFinding
	FindingsAllowed     []findings.Code `json:"also_allowed"`
	MustNot             []string        `json:"must_not"`
}

type expectedError struct {
	Status int
	Code   string
}

type expectedReference struct {
	Node      string
	Address   string
	VMID      int
	Slot      string
	Phase     string
	Via       string
	Mapping   *string
	Certainty string
	MdevType  *string `json:"mdev_type"`
}

type expectedUnplaced struct {
	Node     string
	VMID     int
	Slot     string
	Phase    string
	Via      string
	Mapping  *string
	Selector *string
	Reason   string
}

func readScenarios(t *testing.T, pattern string) []scenario {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "testdata", "cases", "scenarios", pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios %s: %v", pattern, err)
	}
	var scenarios []scenario
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var s scenario
		if err := json.Unmarshal(data, &s); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		scenarios = append(scenarios, s)
	}
	return scenarios
}

// readRoot reads the files of one node of a scenario.
func readRoot(t *testing.T, tree pvesim.Tree) facts.Snapshot {
	t.Helper()
	root := t.TempDir()
	if err := tree.WriteTo(root); err != nil {
		t.Fatal(err)
	}
	snapshot, err := hostfs.Read(t.Context(), hostfs.Options{Root: root, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	return snapshot
}

// TestScenariosFromFiles reads every field case once on each of its nodes and
// compares what concerns that node.
func TestScenariosFromFiles(t *testing.T) {
	for _, s := range readScenarios(t, "FC-*.json") {
		t.Run(s.ID, func(t *testing.T) {
			codes := map[string]bool{}
			for _, local := range s.Nodes {
				snapshot := readRoot(t, s.Root[local])
				report := atlas.Build(&snapshot)
				node := report.Node(local)
				if node == nil {
					t.Fatalf("no answer for %s", local)
				}
				for code := range compareFromFiles(t, &s.Expected, report, node) {
					codes[code] = true
				}
				checkOtherNodes(t, report, local)
			}
			want := fieldCodes(t, &s)
			if s.Expected.IssueCodesFromFiles != nil {
				want = *s.Expected.IssueCodesFromFiles
			}
			got := slices.Sorted(maps.Keys(codes))
			if strings.Join(got, " ") != strings.Join(slices.Sorted(slices.Values(want)), " ") {
				t.Errorf("issue codes over all roots: got %v, want %v", got, want)
			}
		})
	}
}

func compareFromFiles(t *testing.T, want *expected, report *atlas.Report, node *atlas.Node) map[string]bool {
	t.Helper()
	answer := report.Answer(node, atlas.AnswerOptions{AllDevices: true})
	compareReferences(t, want, &answer)
	states := maps.Clone(want.States)
	maps.Copy(states, want.StatesFromFiles)
	compareStates(t, states, &answer)
	if string(answer.Scope) != want.ScopeFromFiles {
		t.Errorf("%s: scope is %s, want %s", node.Name, answer.Scope, want.ScopeFromFiles)
	}
	complete := want.Complete[node.Name]
	if fromFiles, ok := want.CompleteFromFiles[node.Name]; ok {
		complete = fromFiles
	}
	if answer.Complete != complete {
		t.Errorf("%s: complete is %v, want %v (issues %+v)", node.Name, answer.Complete, complete, answer.Issues)
	}
	codes := map[string]bool{}
	for _, issue := range answer.Issues {
		if issue.Blocks {
			codes[string(issue.Code)] = true
		}
	}
	return codes
}

func compareReferences(t *testing.T, want *expected, answer *atlas.Answer) {
	t.Helper()
	var wantLines, gotLines []string
	for _, r := range want.References {
		if r.Node == answer.Node {
			wantLines = append(wantLines, fmt.Sprint(r.Address, " ", r.VMID, " ", r.Slot, " ", r.Phase, " ", r.Via, " ",
				deref(r.Mapping), " ", r.Certainty, " ", deref(r.MdevType)))
		}
	}
	for _, device := range answer.Devices {
		for _, r := range device.References {
			gotLines = append(gotLines, fmt.Sprint(device.Address, " ", r.VMID, " ", r.Slot, " ", r.Phase, " ", r.Via, " ",
				deref(r.Mapping), " ", r.Certainty, " ", deref(r.MdevType)))
		}
	}
	compareSorted(t, answer.Node+": references", wantLines, gotLines)
	wantLines, gotLines = nil, nil
	for _, u := range want.Unplaced {
		if u.Node == answer.Node {
			wantLines = append(wantLines, fmt.Sprint(u.VMID, " ", u.Slot, " ", u.Phase, " ", u.Via, " ",
				deref(u.Mapping), " ", deref(u.Selector), " ", u.Reason))
		}
	}
	for _, u := range answer.Unplaced {
		gotLines = append(gotLines, fmt.Sprint(u.VMID, " ", u.Slot, " ", u.Phase, " ", u.Via, " ",
			deref(u.Mapping), " ", deref(u.Selector), " ", u.Reason))
	}
	compareSorted(t, answer.Node+": unplaced", wantLines, gotLines)
}

func compareSorted(t *testing.T, what string, want, got []string) {
	t.Helper()
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// compareStates compares every display and accelerator of the node, both ways.
func compareStates(t *testing.T, want map[string]string, answer *atlas.Answer) {
	t.Helper()
	got := map[string]string{}
	for _, device := range answer.Devices {
		if device.Kind != pci.Other {
			got[answer.Node+" "+device.Address.String()] = string(device.State)
		}
	}
	for key := range want {
		if node, _, _ := strings.Cut(key, " "); node != answer.Node {
			delete(want, key)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("states (-want +got):\n%s", diff)
	}
}

// checkOtherNodes: a node cannot see the hardware of others. Their references
// are all unplaced, their devices not read, and no issue is made of that.
func checkOtherNodes(t *testing.T, report *atlas.Report, local string) {
	t.Helper()
	for i := range report.Nodes {
		node := &report.Nodes[i]
		if node.Name == local {
			continue
		}
		if node.DevicesRead || node.Complete {
			t.Errorf("%s seen from %s: devices read %v, complete %v", node.Name, local, node.DevicesRead, node.Complete)
		}
		for _, issue := range node.Issues {
			if issue.Code == atlas.IssueDevicesUnreadable {
				t.Errorf("%s seen from %s: %s", node.Name, local, issue.Message)
			}
		}
	}
	for _, vm := range report.VMs {
		if vm.Node != local && vm.Status != facts.UnknownStatus {
			t.Errorf("VM %d on %s seen from %s is %s", vm.VMID, vm.Node, local, vm.Status)
		}
	}
}

// compareJSON compares two values as they are written.
func compareJSON(t *testing.T, want, got any) {
	t.Helper()
	var texts [2]string
	for i, value := range []any{want, got} {
		encoded, err := json.MarshalIndent(value, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = string(encoded)
	}
	if diff := cmp.Diff(texts[0], texts[1]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func deref[T any](value *T) string {
	if value == nil {
		return "-"
	}
	return fmt.Sprint(*value)
}

// TestNoLineIsLost counts: every hostpci value that Proxmox VE takes is a
// reference, unplaced, or has parts in both.
func TestNoLineIsLost(t *testing.T) {
	for _, s := range readScenarios(t, "FC-*.json") {
		for _, local := range s.Nodes {
			snapshot := readRoot(t, s.Root[local])
			report := atlas.Build(&snapshot)
			for _, vm := range report.VMs {
				answer := report.VMAnswer(vm)
				for _, line := range answer.Lines {
					if len(line.Functions)+len(line.Unplaced) == 0 && mustParse(t, line.Value).Source() == pve.SourceHost {
						t.Errorf("%s: VM %d %s: %s is lost", s.ID, vm.VMID, line.Slot, line.Value)
					}
				}
			}
		}
	}
}

func mustParse(t *testing.T, value string) pve.HostPCI {
	t.Helper()
	parsed, err := pve.ParseHostPCI(value)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}
