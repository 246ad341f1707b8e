package test

import (
	"slices"
	"testing"

	"pciatlas/internal/atlas"
	"pciatlas/internal/findings"
	"pciatlas/internal/pveapi"
	"pciatlas/internal/pvesim"
)

// TestDemoShowsEverything: who looks around in the demo meets every state of a
// device, every family and severity of findings, a node that is off and a check
// that is incomplete.
func TestDemoShowsEverything(t *testing.T) {
	t.Parallel()
	states, severities, codes := make(map[atlas.State]string), make(map[findings.Severity]bool), make(map[findings.Code]string)
	unread, lacking := []string{}, []string{}
	for name, world := range map[string]*pvesim.World{"lab": pvesim.Demo(), "office": pvesim.DemoOffice(), "plant": pvesim.DemoPlant()} {
		snapshot := readSimulatedWith(t, world, pvesim.DemoToken, pveapi.Request{Policy: true, Details: true})
		report := atlas.Build(&snapshot)
		for i := range report.Nodes {
			node := &report.Nodes[i]
			if !node.DevicesRead {
				unread = append(unread, node.Name)
				continue
			}
			if node.Scope.State == atlas.Unproven {
				lacking = append(lacking, node.Name)
			}
			for _, device := range report.Answer(node, atlas.AnswerOptions{}).Devices {
				states[device.State] = name
				if device.VendorName == nil || device.DeviceName == nil {
					t.Errorf("%s: %s on %s has no name", name, device.Address, node.Name)
				}
			}
		}
		for _, finding := range findings.Find(report) {
			severities[finding.Severity], codes[finding.Code] = true, name
		}
	}
	for _, state := range []atlas.State{atlas.Referenced, atlas.MultiReferenced, atlas.Unreferenced, atlas.NeedsReview} {
		if states[state] == "" {
			t.Errorf("no device is %s", state)
		}
	}
	for _, severity := range []findings.Severity{findings.Error, findings.Warning, findings.Info} {
		if !severities[severity] {
			t.Errorf("no finding is of severity %s", severity)
		}
	}
	for _, family := range findings.Families() {
		if !slices.ContainsFunc(family.Entries, func(e findings.Entry) bool { return codes[e.Code] != "" }) {
			t.Errorf("no finding is of the family %q", family.Title)
		}
	}
	if !slices.Contains(unread, "pve-d") || !slices.Contains(lacking, "plant-1") {
		t.Errorf("not read: %v; some VMs not seen: %v", unread, lacking)
	}
	t.Logf("codes: %v", codes)
}
