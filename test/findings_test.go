package test

import (
	"slices"
	"testing"

	"pciatlas/internal/atlas"
	"pciatlas/internal/findings"
)

// expectedFinding is what a scenario says has to be found.
type expectedFinding struct {
	Code     findings.Code
	Severity string
	// Only names the one way to see it: files, request (of a plan), hypothetical
	// (if a VM were configured so).
	Only  string
	About string
}

// TestFindingsFromFiles compares what is found in the files of all nodes.
func TestFindingsFromFiles(t *testing.T) {
	t.Parallel()
	for _, s := range readScenarios(t, "FC-*.json") {
		t.Run(s.ID, func(t *testing.T) {
			t.Parallel()
			var found []findings.Finding
			for _, local := range s.Nodes {
				snapshot := readRoot(t, s.Root[local])
				found = append(found, findings.Find(atlas.Build(&snapshot))...)
			}
			checkFindings(t, &s.Expected, found, "files")
		})
	}
}

// TestFindingsFromAPI compares what is found over the API.
func TestFindingsFromAPI(t *testing.T) {
	t.Parallel()
	for _, s := range readScenarios(t, "*.json") {
		t.Run(s.ID, func(t *testing.T) {
			t.Parallel()
			snapshot, err := readRecording(t, s.ID)
			if s.Expected.Error != nil {
				return // TestScenariosFromAPI looks at the error
			}
			if s.Expected.Findings == nil {
				return // it says nothing about findings
			}
			if err != nil {
				t.Fatal(err)
			}
			checkFindings(t, &s.Expected, findings.Find(atlas.Build(&snapshot)), "api")
		})
	}
}

// comparesNodes are findings about the devices of two nodes. The files of one node
// tell nothing about the devices of another.
var comparesNodes = []findings.Code{findings.MigrationDeviceDiffers, findings.MigrationEqualDevice}

// checkFindings compares by code and severity. What is found beyond that must not
// be an error, unless the scenario allows it.
func checkFindings(t *testing.T, want *expected, found []findings.Finding, way string) {
	t.Helper()
	for _, w := range want.Findings {
		if w.Only != "" && w.Only != way || toCome(w.Code) || way == "files" && slices.Contains(comparesNodes, w.Code) {
			continue
		}
		if !slices.ContainsFunc(found, func(f findings.Finding) bool {
			return f.Code == w.Code && f.Severity.String() == w.Severity
		}) {
			t.Errorf("%s %s about %s is not found", w.Severity, w.Code, w.About)
		}
	}
	for i := range found {
		f := &found[i]
		if f.Sentence == "" || len(f.Evidence) == 0 {
			t.Errorf("%s about %+v has no sentence or no evidence", f.Code, f.Subject)
		}
		expected := slices.ContainsFunc(want.Findings, func(w expectedFinding) bool { return w.Code == f.Code })
		if f.Severity == findings.Error && !expected && !slices.Contains(want.FindingsAllowed, f.Code) {
			t.Errorf("error %s is not expected: %s", f.Code, f.Sentence)
		}
	}
}

// toCome tells whether no rule gives the code yet.
func toCome(code findings.Code) bool {
	return slices.ContainsFunc(findings.Registry(), func(e findings.Entry) bool { return e.Code == code && e.ToCome })
}
