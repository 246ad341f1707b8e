package httpapi

import (
	"net/http"
	"testing"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/pve"
)

// TestMappingsThatWereNotRead: a failed read looks neither like a cluster without
// mappings nor like one that lacks them all.
func TestMappingsThatWereNotRead(t *testing.T) {
	w, _, live := labWorld(t)
	s := labFacts(t, "default")
	s.Mappings = facts.Read[[]pve.Mapping]{State: facts.Failed, Problems: []facts.Problem{{Code: facts.ProblemTimeout, Message: "no answer in time"}}}
	live.reports["default"] = atlas.Build(s)
	var told Mappings
	w.do("GET", "/api/v1/clusters/default/mappings", "", as("auditor")).want(http.StatusOK, "").decode(&told)
	if told.Mappings != nil || told.Read != facts.Failed {
		t.Errorf("%+v", told)
	}
	for _, path := range []string{"suggestions", "export", "export?suggested=true"} {
		w.do("GET", "/api/v1/clusters/default/mappings/"+path, "", as("auditor")).want(http.StatusBadGateway, "pve_refused")
	}
}

// TestMappingAnswers: with mappings, entries, devices that were not read and VMs that
// cannot start, the answers are what the document says; labWorld compares each.
func TestMappingAnswers(t *testing.T) {
	w, _, live := labWorld(t)
	s := labFacts(t, "default")
	for _, text := range []string{
		"id=10de:1427,iommugroup=2,node=pve-a,path=0000:01:00,subsystem-id=1462:115a",
		"id=10de:1427,node=pve-b,path=0000:01:00",
	} {
		entry, err := pve.ParseEntry(text)
		if err != nil {
			t.Fatal(err)
		}
		s.Mappings.Value = append(s.Mappings.Value, pve.Mapping{ID: "gpu-" + entry.Node, Entries: []pve.Entry{entry}})
	}
	addVM(t, s, "pve-a", "104 stopped pooled", "hostpci0: mapping=gpu-pve-a\nhostpci1: mapping=gone\n")
	live.reports["default"] = atlas.Build(s)
	for _, path := range []string{
		"mappings", "mappings/suggestions", "mappings/export?format=terraform", "vms/101/placement", "vms/104/placement?node=pve-a",
		"nodes/pve-a/evacuation", "vms/104/doctor", "nodes/pve-a/devices/0000:01:00.0/doctor",
	} {
		w.do("GET", "/api/v1/clusters/default/"+path, "", as("auditor")).want(http.StatusOK, "")
	}
	w.do("GET", "/api/v1/clusters/default/mappings/export?mapping=none", "", as("auditor")).want(http.StatusNotFound, "mapping_not_found")
}

// TestMappingsThatMayBeHidden: a list that was not proven whole says so and why, and so
// does what rests on it.
func TestMappingsThatMayBeHidden(t *testing.T) {
	w, _, live := labWorld(t)
	ask := func() (told Mappings, suggested Suggestions) {
		w.do("GET", "/api/v1/clusters/default/mappings", "", as("auditor")).want(http.StatusOK, "").decode(&told)
		w.do("GET", "/api/v1/clusters/default/mappings/suggestions", "", as("auditor")).want(http.StatusOK, "").decode(&suggested)
		return told, suggested
	}
	s := labFacts(t, "default")
	s.Files = facts.Read[facts.ClusterFiles]{}
	s.Rights = facts.Read[facts.Rights]{State: facts.Failed, Problems: []facts.Problem{{Code: facts.ProblemTimeout, Message: "no answer in time"}}}
	live.reports["default"] = atlas.Build(s)
	told, suggested := ask()
	if told.Scope != atlas.Unproven || told.Reason == nil || *told.Reason != "no answer in time" {
		t.Errorf("mappings: %s, %v", told.Scope, told.Reason)
	}
	if suggested.Scope != atlas.Unproven || suggested.Reason == nil || *suggested.Reason != "no answer in time" {
		t.Errorf("suggestions: %s, %v", suggested.Scope, suggested.Reason)
	}
}
