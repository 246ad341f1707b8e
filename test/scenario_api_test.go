package test

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/pveapi"
	"pciatlas/internal/pvesim"
)

// recordingSpeed shortens the recorded delays: 30 s of a mute node become 3 s.
const recordingSpeed = 10

// nodeBudget is short of the mute node's delay, as 12 s are of 30 s.
const nodeBudget = 1200 * time.Millisecond

// readRecording reads a scenario over its recorded answers.
func readRecording(t *testing.T, id string) (facts.Snapshot, error) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "testdata", "cases", "scenarios", id+".json"))
	if err != nil {
		t.Fatal(err)
	}
	scenario, err := pvesim.ParseScenario(text)
	if err != nil {
		t.Fatal(err)
	}
	recording := scenario.Recording()
	recording.Speed = recordingSpeed
	server, err := pvesim.NewTLSServer(recording)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	token, err := pveapi.ParseToken(recording.Token)
	if err != nil {
		t.Fatal(err)
	}
	client, err := pveapi.New(pveapi.Options{
		Cluster: "default", Endpoints: []string{server.URL}, Token: token, CAs: server.Pool,
		Limits: pveapi.Limits{NodeBudget: nodeBudget},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	return client.Read(t.Context(), pveapi.Request{Policy: true, Details: true})
}

// TestScenariosFromAPI reads every scenario over its recorded answers.
func TestScenariosFromAPI(t *testing.T) {
	t.Parallel()
	for _, s := range readScenarios(t, "*.json") {
		t.Run(s.ID, func(t *testing.T) {
			t.Parallel()
			snapshot, err := readRecording(t, s.ID)
			if s.Expected.Error != nil {
				checkRefused(t, err, s.Expected.Error)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			report := atlas.Build(&snapshot)
			if want := s.Expected.MappingScope; want != nil && string(report.MappingScope.State) != *want {
				t.Errorf("mapping scope is %+v, want %s", report.MappingScope, *want)
			}
			if len(report.Nodes) != len(s.Nodes) {
				t.Errorf("%d nodes, want %v", len(report.Nodes), s.Nodes)
			}
			compareFromAPI(t, &s, report)
		})
	}
}

func checkRefused(t *testing.T, err error, want *expectedError) {
	t.Helper()
	failure, ok := errors.AsType[*pveapi.Error](err)
	if !ok || failure.Code != want.Code || failure.Status != 401 {
		t.Errorf("got %v, want an error with code %s", err, want.Code)
	}
}

func compareFromAPI(t *testing.T, s *scenario, report *atlas.Report) {
	t.Helper()
	union := map[string]bool{}
	for i := range report.Nodes {
		node := &report.Nodes[i]
		answer := report.Answer(node, atlas.AnswerOptions{AllDevices: true})
		compareReferences(t, &s.Expected, &answer)
		compareStates(t, maps.Clone(s.Expected.States), &answer)
		if string(answer.Scope) != s.Expected.Scope[node.Name] {
			t.Errorf("%s: scope is %+v, want %s", node.Name, node.Scope, s.Expected.Scope[node.Name])
		}
		if faults := s.Expected.ScopeFault; len(faults) > 0 && !slices.Contains(faults, node.Scope.Fault) {
			t.Errorf("%s: the path at fault is %s, want one of %v", node.Name, node.Scope.Fault, faults)
		}
		if answer.Complete != s.Expected.Complete[node.Name] {
			t.Errorf("%s: complete is %v, want %v", node.Name, answer.Complete, s.Expected.Complete[node.Name])
		}
		codes := blockingCodes(&answer)
		for _, code := range codes {
			union[code] = true
		}
		if strings.HasPrefix(s.ID, "PERM-") {
			compareNodeCodes(t, s, node.Name, codes)
		}
	}
	if strings.HasPrefix(s.ID, "FC-") {
		if want := fieldCodes(t, s); strings.Join(slices.Sorted(maps.Keys(union)), " ") != strings.Join(want, " ") {
			t.Errorf("issue codes: got %v, want %v", slices.Sorted(maps.Keys(union)), want)
		}
	}
}

func blockingCodes(answer *atlas.Answer) []string {
	codes := map[string]bool{}
	for _, issue := range answer.Issues {
		if issue.Blocks {
			codes[string(issue.Code)] = true
		}
	}
	return slices.Sorted(maps.Keys(codes))
}

// fieldCodes gives issue_codes of a field case: those of all nodes together.
func fieldCodes(t *testing.T, s *scenario) []string {
	t.Helper()
	var codes []string
	if err := json.Unmarshal(s.Expected.IssueCodes, &codes); err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(slices.Values(codes))
}

// compareNodeCodes compares the codes of one node of a permission world: exactly
// issue_codes, or one of issue_codes_any, besides those allowed everywhere.
func compareNodeCodes(t *testing.T, s *scenario, node string, codes []string) {
	t.Helper()
	codes = slices.DeleteFunc(codes, func(code string) bool { return slices.Contains(s.Expected.AlsoAllowed, code) })
	var exact map[string][]string
	if err := json.Unmarshal(s.Expected.IssueCodes, &exact); err != nil {
		t.Fatal(err)
	}
	lists := s.Expected.IssueCodesAny[node]
	if list, ok := exact[node]; ok {
		lists = [][]string{list}
	}
	for _, list := range lists {
		if slices.Equal(codes, slices.Sorted(slices.Values(list))) {
			return
		}
	}
	t.Errorf("%s: issue codes are %v, want one of %v", node, codes, lists)
}

// TestBothModesAgree compares the reports of each field case from its files and
// from its answers. What differs is explained by what only one of them can see.
func TestBothModesAgree(t *testing.T) {
	t.Parallel()
	for _, s := range readScenarios(t, "FC-*.json") {
		t.Run(s.ID, func(t *testing.T) {
			t.Parallel()
			snapshot, err := readRecording(t, s.ID)
			if err != nil {
				t.Fatal(err)
			}
			fromAPI := atlas.Build(&snapshot)
			for _, local := range s.Nodes {
				files := readRoot(t, s.Root[local])
				fromFiles := atlas.Build(&files)
				a := fromAPI.Answer(fromAPI.Node(local), atlas.AnswerOptions{AllDevices: true})
				f := fromFiles.Answer(fromFiles.Node(local), atlas.AnswerOptions{AllDevices: true})
				explainDifferences(t, &a, &f)
			}
		})
	}
}

// explainDifferences takes away what may differ, and compares the rest.
func explainDifferences(t *testing.T, fromAPI, fromFiles *atlas.Answer) {
	t.Helper()
	dropped := false
	fromFiles.Issues = slices.DeleteFunc(fromFiles.Issues, func(issue atlas.AnswerIssue) bool {
		// The API does not show lines that Proxmox VE drops on reading.
		isDropped := issue.Code == atlas.IssueHostPCIInvalid && strings.Contains(issue.Message, "drops the line")
		dropped = dropped || isDropped
		return isDropped
	})
	fromAPI.Issues = slices.DeleteFunc(fromAPI.Issues, func(issue atlas.AnswerIssue) bool { return !issue.Blocks })
	if dropped {
		// Such a line makes the check incomplete, and can keep a device in review.
		fromFiles.Complete = fromAPI.Complete
		for i := range fromFiles.Devices {
			if fromFiles.Devices[i].State == atlas.NeedsReview && fromAPI.Devices[i].State == atlas.Unreferenced {
				fromFiles.Devices[i].State, fromFiles.Devices[i].Review = atlas.Unreferenced, fromAPI.Devices[i].Review
			}
			fromFiles.Devices[i].Review = slices.DeleteFunc(fromFiles.Devices[i].Review, func(r atlas.AnswerReview) bool {
				return r.Issue != nil && *r.Issue == atlas.IssueHostPCIInvalid
			})
		}
	}
	for i := range fromFiles.Devices {
		// Over the API links between functions are told only by some versions; files
		// always tell. Names come from the list that each side has.
		device, other := &fromFiles.Devices[i], &fromAPI.Devices[i]
		if other.VirtualFunctions == nil {
			device.VirtualFunctions, device.PhysicalFunction = nil, nil
		}
		device.VendorName, device.DeviceName = other.VendorName, other.DeviceName
	}
	// Copied files prove nothing about their completeness; the cluster's name and
	// the time are not part of the comparison.
	fromFiles.Scope, fromFiles.Source, fromFiles.ReadAt = fromAPI.Scope, fromAPI.Source, fromAPI.ReadAt
	fromFiles.Cluster, fromFiles.Digest = fromAPI.Cluster, fromAPI.Digest
	fromFiles.Node = fromAPI.Node
	compareJSON(t, fromAPI, fromFiles)
}
