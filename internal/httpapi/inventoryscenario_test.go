package httpapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pciatlas/internal/atlas"
	"pciatlas/internal/findings"
	"pciatlas/internal/hostfs"
)

// scenarioReports gives the report of every node of every field case.
func scenarioReports(t *testing.T) map[string]*atlas.Report {
	t.Helper()
	paths, err := filepath.Glob("../../testdata/cases/scenarios/FC-*.json")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	reports := map[string]*atlas.Report{}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var scenario struct {
			Root map[string]scenarioTree `json:"root"`
		}
		if err := json.Unmarshal(data, &scenario); err != nil {
			t.Fatal(err)
		}
		for name, tree := range scenario.Root {
			snapshot, err := hostfs.Read(t.Context(), hostfs.Options{Root: tree.write(t)})
			if err != nil {
				t.Fatal(err)
			}
			snapshot.Cluster = "default"
			reports[filepath.Base(path)+" "+name] = atlas.Build(&snapshot)
		}
	}
	return reports
}

// scenarioTree is the files of a node.
type scenarioTree struct {
	Files map[string]string `json:"files"`
	Links map[string]string `json:"links"`
	Dirs  []string          `json:"dirs"`
}

func (tree scenarioTree) write(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	place := func(name string) string {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, name := range tree.Dirs {
		place(filepath.Join(name, "x"))
	}
	for name, text := range tree.Files {
		if err := os.WriteFile(place(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range tree.Links {
		if err := os.Symlink(target, place(name)); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// TestScenarioAnswers asks for everything in every field case: the answers have
// to be as the description says, and each reference has to be in them.
func TestScenarioAnswers(t *testing.T) {
	w, _, live := labWorld(t)
	for name, report := range scenarioReports(t) {
		live.reports["default"] = report
		base := "/api/v1/clusters/default/"
		paths := []string{base + "inventory?class=all", base + "vms?findings=true", base + "findings"}
		for i := range report.Nodes {
			node := &report.Nodes[i]
			paths = append(paths, base+"nodes/"+node.Name+"?class=all")
			for j := range node.Devices {
				paths = append(paths, base+"nodes/"+node.Name+"/devices/"+node.Devices[j].Address.String()+"?findings=true")
			}
		}
		for _, vm := range report.VMs {
			paths = append(paths, fmt.Sprintf("%svms/%d?findings=true", base, vm.VMID))
		}
		for _, path := range paths {
			w.do("GET", path, "", as("auditor")).want(http.StatusOK, "")
			if t.Failed() {
				t.Fatalf("%s: %s", name, path)
			}
		}
		checkFindingsByVM(t, name, report)
		checkFindingsByDevice(t, name, report)
	}
	checkFindingsByVM(t, "lab", labReport(t, "default"))
	checkFindingsByDevice(t, "lab", labReport(t, "default"))
}

// checkFindingsByDevice compares with the slow way for each function.
func checkFindingsByDevice(t *testing.T, name string, report *atlas.Report) {
	t.Helper()
	found := findings.Find(report)
	about := findings.ByDevice(report, found)
	for i := range report.Nodes {
		node := &report.Nodes[i]
		for j := range node.Devices {
			var want, got []string
			for _, f := range findings.OfDevice(found, node, &node.Devices[j]) {
				want = append(want, f.Sentence)
			}
			for _, place := range about[&node.Devices[j]] {
				got = append(got, found[place].Sentence)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: %s %s: got %q, want %q", name, node.Name, node.Devices[j].Address, got, want)
			}
		}
	}
}

// checkFindingsByVM compares with the slow way for each VM.
func checkFindingsByVM(t *testing.T, name string, report *atlas.Report) {
	t.Helper()
	found := findings.Find(report)
	about := findings.ByVM(report, found)
	for _, vm := range report.VMs {
		var want, got []string
		for _, f := range findings.OfVM(found, report.Node(vm.Node), vm) {
			want = append(want, f.Sentence)
		}
		for _, i := range about[vm] {
			got = append(got, found[i].Sentence)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: VM %d: got %q, want %q", name, vm.VMID, got, want)
		}
	}
}
