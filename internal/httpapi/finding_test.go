package httpapi

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"pciatlas/internal/findings"
)

// wireFinding is a finding as a client reads it.
type wireFinding struct {
	Code, Severity string
	Subject        FindingSubject
	Evidence       []string
	Remedy         []string
}

func findingsAt(t *testing.T, w *world, query string) []wireFinding {
	t.Helper()
	var got struct{ Findings []wireFinding }
	w.do("GET", "/api/v1/clusters/default/findings"+query, "", as("auditor")).want(http.StatusOK, "").decode(&got)
	if got.Findings == nil {
		t.Fatalf("%s: null is not a list", query)
	}
	return got.Findings
}

func TestListFindings(t *testing.T) {
	w, _, live := labWorld(t)
	all := findingsAt(t, w, "")
	if len(all) == 0 || len(all) != len(findings.Find(live.reports["default"])) {
		t.Fatalf("%d findings", len(all))
	}
	for query, keep := range map[string]func(wireFinding) bool{
		"?severity=error":                      func(f wireFinding) bool { return f.Severity == "error" },
		"?severity=error,info":                 func(f wireFinding) bool { return f.Severity != "warning" },
		"?code=device-not-present":             func(f wireFinding) bool { return f.Code == "device-not-present" },
		"?code=args-passes-device,q35-missing": func(f wireFinding) bool { return f.Code == "args-passes-device" || f.Code == "q35-missing" },
		"?node=pve-a":                          func(f wireFinding) bool { return f.Subject.Node == "pve-a" || f.Subject.Node == "" },
		"?node=pve-b":                          func(f wireFinding) bool { return f.Subject.Node == "pve-b" || f.Subject.Node == "" },
		"?vmid=101":                            func(f wireFinding) bool { return f.Subject.VMID == 101 },
		"?vmid=102":                            func(wireFinding) bool { return false },
		"?vmid=101&severity=info":              func(f wireFinding) bool { return f.Subject.VMID == 101 && f.Severity == "info" },
	} {
		want := 0
		for _, f := range all {
			if keep(f) {
				want++
			}
		}
		got := findingsAt(t, w, query)
		if len(got) != want || slices.ContainsFunc(got, func(f wireFinding) bool { return !keep(f) }) {
			t.Errorf("%s: %+v, want %d", query, got, want)
		}
	}
	report := live.reports["default"]
	node := report.Node("pve-a")
	ofDevice := findings.OfDevice(findings.Find(report), node, &node.Devices[0])
	if got := findingsAt(t, w, "?node=pve-a&device=01:00.0"); len(ofDevice) == 0 || len(got) != len(ofDevice) || len(got) == len(all) {
		t.Errorf("of a function: %+v, want %d", got, len(ofDevice))
	}
	for query, want := range map[string]struct {
		status int
		code   string
	}{
		"?device=01:00.0":            {http.StatusUnprocessableEntity, codeInvalid},
		"?node=pve-a&device=01:00":   {http.StatusUnprocessableEntity, codeInvalid},
		"?node=pve-a&device=0a:00.0": {http.StatusNotFound, "device_not_found"},
		"?node=pve-b&device=01:00.0": {http.StatusBadGateway, codeDevices},
	} {
		w.do("GET", "/api/v1/clusters/default/findings"+query, "", as("auditor")).want(want.status, want.code)
	}
	if want := live.lastWant(); len(want.Nodes) > 0 || !want.Details {
		t.Errorf("reads %+v", want)
	}
	var whole Findings
	answer := w.do("GET", "/api/v1/clusters/default/findings?severity=warning", "", as("auditor"))
	answer.decode(&struct{ Nodes *[]NodeScope }{&whole.Nodes})
	if len(whole.Nodes) < 2 || len(whole.Nodes[1].Issues) == 0 || !strings.Contains(answer.Body.String(), `"read_at":"2026-11-10T09:02:06Z"`) {
		t.Errorf("what was not read is not said: %s", answer.Body)
	}
}

func TestFindingCodes(t *testing.T) {
	var got FindingCodes
	newWorld(t).do("GET", "/api/v1/finding-codes", "", as("auditor")).want(http.StatusOK, "").decode(&got)
	registry := findings.Registry()
	if len(got.Codes) != len(registry) {
		t.Fatalf("%d codes, want %d", len(got.Codes), len(registry))
	}
	for i, entry := range registry {
		if code := got.Codes[i]; code.Code != entry.Code || code.When != entry.When || code.Family == "" {
			t.Errorf("%+v", code)
		}
	}
}
