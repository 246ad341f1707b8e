package rights_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pciatlas/internal/pve"
	"pciatlas/internal/rights"
)

// scenario is what a file of testdata/cases/scenarios says about rights.
type scenario struct {
	Token     string
	Exchanges []struct {
		Request struct{ Path, Query string }
		Status  int
		Body    *struct{ Data any }
	}
	Expected scenarioExpected
}

type scenarioExpected struct {
	Authenticated  *bool
	Scope          map[string]string
	ScopeFault     []string      `json:"scope_fault"`
	MappingScope   *rights.State `json:"mapping_scope"`
	MappingFault   []string      `json:"mapping_scope_fault"`
	HiddenVMs      []int         `json:"hidden_vms_in_truth"`
	HiddenMappings []string      `json:"hidden_mappings_in_truth"`
	Provable       []blindSpot   `json:"blind_spots_provable"`
	NotProvable    []blindSpot   `json:"blind_spots_not_provable"`
}

type blindSpot struct{ What, Path, Privilege, Reason string }

// rights gives what the token of a scenario was told.
func (s scenario) rights() rights.Shown {
	r := rights.Shown{User: s.Token, Permissions: pve.PermissionTree{}}
	for _, x := range s.Exchanges {
		switch {
		case x.Request.Query != "" || x.Body == nil:
		case strings.HasSuffix(x.Request.Path, "/access/permissions"):
			for path, privileges := range x.Body.Data.(map[string]any) {
				r.Permissions[path] = map[string]bool{}
				for privilege, propagate := range privileges.(map[string]any) {
					r.Permissions[path][privilege] = propagate == 1.0
				}
			}
		case strings.HasSuffix(x.Request.Path, "/access/acl"):
			r.RulesWhole = true // the package must see by itself what that is worth
			for _, line := range x.Body.Data.([]any) {
				rule := line.(map[string]any)
				r.Rules = append(r.Rules, pve.ACLEntry{
					Path: rule["path"].(string), Type: rule["type"].(string), Subject: rule["ugid"].(string),
					Role: rule["roleid"].(string), Propagate: rule["propagate"] == 1.0,
				})
			}
		}
	}
	return r
}

func readScenarios(t *testing.T) map[string]scenario {
	t.Helper()
	files, err := os.ReadDir(filepath.Join("..", "..", "testdata", "cases", "scenarios"))
	if err != nil {
		t.Fatal(err)
	}
	scenarios := map[string]scenario{}
	for _, file := range files {
		if name, ok := strings.CutSuffix(file.Name(), ".json"); ok {
			var s scenario
			readTestdata(t, &s, "cases", "scenarios", file.Name())
			scenarios[name] = s
		}
	}
	return scenarios
}

// TestScenarios: the verdicts about the token of every scenario.
func TestScenarios(t *testing.T) {
	scenarios := readScenarios(t)
	if len(scenarios) < 60 {
		t.Fatalf("only %d scenarios", len(scenarios))
	}
	for name, s := range scenarios {
		t.Run(name, func(t *testing.T) {
			r, want := s.rights(), s.Expected
			if want.Authenticated != nil && !*want.Authenticated {
				return // refused: there is nothing to judge
			}
			for node, scope := range want.Scope {
				checkVerdict(t, "VMs on "+node, rights.VMs(r), rights.State(scope), want.ScopeFault)
			}
			if want.MappingScope != nil {
				checkVerdict(t, "mappings", rights.Mappings(r), *want.MappingScope, want.MappingFault)
			}
			checkTruth(t, r, want)
			checkGaps(t, rights.Missing(r), want.Provable)
		})
	}
}

func checkVerdict(t *testing.T, what string, got rights.Verdict, state rights.State, faults []string) {
	t.Helper()
	if got.State != state {
		t.Errorf("%s: got %+v, want %s", what, got, state)
	}
	if state == rights.Unproven && !slices.Contains(faults, got.Fault) {
		t.Errorf("%s: fault %q is none of %q", what, got.Fault, faults)
	}
	if (got.State == rights.Proven) != (got.Fault == "") || (got.State == rights.Proven) != (got.Reason == "") {
		t.Errorf("%s: fault and reason do not fit the state: %+v", what, got)
	}
}

func checkTruth(t *testing.T, r rights.Shown, want scenarioExpected) {
	t.Helper()
	if len(want.HiddenVMs) > 0 && rights.VMs(r).State != rights.Unproven {
		t.Errorf("VMs %v are hidden", want.HiddenVMs)
	}
	if len(want.HiddenMappings) > 0 && rights.Mappings(r).State != rights.Unproven {
		t.Errorf("mappings %v are hidden", want.HiddenMappings)
	}
	if len(want.NotProvable) > 0 {
		t.Errorf("blind spots that cannot be proven: %+v", want.NotProvable)
	}
}

// checkGaps: every blind spot that can be proven is a gap or lies below one, and there
// is a gap only for a blind spot or for what proves that there is none.
func checkGaps(t *testing.T, gaps []rights.Gap, spots []blindSpot) {
	t.Helper()
	for _, spot := range spots {
		if !slices.ContainsFunc(gaps, func(g rights.Gap) bool { return covers(g, spot) }) {
			t.Errorf("no gap for %+v in %+v", spot, gaps)
		}
	}
	for _, gap := range gaps {
		if gap.Path != "/access" && !slices.ContainsFunc(spots, func(s blindSpot) bool { return covers(gap, s) }) {
			t.Errorf("gap %+v is no blind spot of %+v", gap, spots)
		}
	}
}

func covers(g rights.Gap, s blindSpot) bool {
	below := strings.TrimSuffix(g.Path, "/") + "/"
	return g.Privilege == s.Privilege && (g.Path == s.Path && g.Propagation == (s.Reason == "propagate-0") ||
		strings.HasPrefix(s.Path, below))
}
