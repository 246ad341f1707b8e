package test

import (
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"pciatlas/internal/atlas"
	"pciatlas/internal/doctor"
	"pciatlas/internal/facts"
	"pciatlas/internal/placement"
)

// placingSeen are the ways in which something was said, of placement and of the doctor.
type placingSeen struct {
	sync.Mutex

	said map[string]bool
}

func (s *placingSeen) add(key string) {
	s.Lock()
	defer s.Unlock()
	s.said[key] = true
}

// TestPlacingIsSaidInNoLanguage: each reason of a placement and each reading of the doctor
// has the parameters of its wording, all with a value, so that it can be said in any
// language, also where some reads fail.
func TestPlacingIsSaidInNoLanguage(t *testing.T) {
	seen := &placingSeen{said: map[string]bool{}}
	t.Run("snapshots", func(t *testing.T) {
		everySnapshot(t, func(t *testing.T, s *facts.Snapshot, random *rand.Rand) {
			t.Helper()
			checkPlacing(t, s, seen)
			less := copyOf(t, s)
			failReads(less, random)
			checkPlacing(t, less, seen)
		})
	})
	if len(seen.said) < 60 {
		t.Errorf("only %d wordings were seen: %q", len(seen.said), slices.Sorted(maps.Keys(seen.said)))
	}
}

func checkPlacing(t *testing.T, s *facts.Snapshot, seen *placingSeen) {
	t.Helper()
	report := atlas.Build(s)
	places := placement.New(report)
	for _, vm := range report.VMs {
		placed := places.Place(vm)
		for i := range placed.Nodes {
			for j := range placed.Nodes[i].Reasons {
				reason := &placed.Nodes[i].Reasons[j]
				at := slices.IndexFunc(placement.Wordings(), func(w placement.Wording) bool {
					return w.Code == reason.Code && w.Variant == reason.Params["variant"]
				})
				if at < 0 {
					t.Errorf("%s %q has no wording", reason.Code, reason.Params["variant"])
					continue
				}
				checkParams(t, string(reason.Code), reason.Sentence, placement.Wordings()[at].Params, reason.Params)
				seen.add(string(reason.Code) + " " + reason.Params["variant"])
			}
		}
		diagnosis := doctor.VM(report, vm)
		checkReadings(t, &diagnosis, seen)
	}
	for i := range report.Nodes {
		for j := range report.Nodes[i].Devices {
			diagnosis := doctor.Device(report, &report.Nodes[i], &report.Nodes[i].Devices[j])
			checkReadings(t, &diagnosis, seen)
		}
	}
}

func checkReadings(t *testing.T, d *doctor.Diagnosis, seen *placingSeen) {
	t.Helper()
	for i := range d.Checks {
		check := &d.Checks[i]
		if len(check.Readings) == 0 {
			t.Errorf("check %s says nothing", check.Code)
		}
		if d.VM != nil && d.VM.Config == nil && check.State != doctor.Unseen && check.Code != doctor.CheckIOMMU && check.Readings[0].Code != "runs" {
			t.Errorf("VM %d was not read, and check %s is %s: %+v", d.VM.VMID, check.Code, check.State, check.Readings)
		}
		if (len(check.Commands) > 0) != (check.Good != "") || (check.Good != "") != (check.GoodCode != "") {
			t.Errorf("check %s has commands %q and good output %q (%s)", check.Code, check.Commands, check.Good, check.GoodCode)
		}
		for _, fix := range check.Fixes {
			if !slices.Contains(doctor.FixCodes(), fix.Code) {
				t.Errorf("fix %s is not in the list", fix.Code)
			}
		}
		for j := range check.Readings {
			reading := &check.Readings[j]
			at := slices.IndexFunc(doctor.Wordings(), func(w doctor.Wording) bool { return w.Code == reading.Code })
			if at < 0 {
				t.Errorf("reading %s has no wording", reading.Code)
				continue
			}
			if reading.Code == "no_device" && len(check.Readings) > 1 {
				t.Errorf("check %s looked at nothing and says more: %+v", check.Code, check.Readings)
			}
			checkParams(t, string(reading.Code), reading.Sentence, doctor.Wordings()[at].Params, reading.Params)
			seen.add("doctor " + string(reading.Code))
		}
	}
}

// placingEnglish are the parameters that hold what is English in any language: what
// Proxmox VE or a reader says, and names.
var placingEnglish = []string{
	"message", "file", "key", "path", "mapping", "issue_mapping", "node", "name", "class", "issue", "type", "words", "lock", "settings", "variant", "methods", "driver",
}

func checkParams(t *testing.T, code, sentence string, wanted []string, params map[string]string) {
	t.Helper()
	for _, name := range wanted {
		if params[name] == "" {
			t.Errorf("%s has no %s: %s", code, name, sentence)
		}
	}
	for name, value := range params {
		switch {
		case slices.Contains(placingEnglish, name):
		case name == "devices": // with names of classes in brackets
		case englishWords.MatchString(hyphenated.ReplaceAllString(value, "")):
			t.Errorf("%s: %s is English: %s", code, name, value)
		}
	}
}
