package test

import (
	"testing"

	"pciatlas/internal/atlas"
	"pciatlas/internal/doctor"
	"pciatlas/internal/facts"
)

// TestDoctorFindsTheFirstCause takes broken worlds of the field cases and asks for the
// check to begin with, and for what it saw, in both modes.
func TestDoctorFindsTheFirstCause(t *testing.T) {
	scenarios := map[string]scenario{}
	for _, s := range readScenarios(t, "FC-*.json") {
		scenarios[s.ID] = s
	}
	for _, want := range []struct {
		id      string
		node    string
		vmid    int
		check   doctor.CheckCode
		reading string
		// only: one mode cannot see it, and must find nothing to begin with.
		only string
	}{
		{"FC-011", "", 105, doctor.CheckConfig, "refused", ""},
		{"FC-013", "", 244, doctor.CheckConfig, "refused", ""},
		{"FC-017", "", 201, doctor.CheckDevices, "absent", ""},
		{"FC-023", "", 109, doctor.CheckHeld, "held", ""},
		{"FC-025", "", 120, doctor.CheckMapping, "entry_invalid", ""},
		{"FC-027", "", 201, doctor.CheckMapping, "entry_invalid", ""},
		{"FC-031", "", 130, doctor.CheckMapping, "entry_invalid", ""},
		{"FC-034", "", 150, doctor.CheckMapping, "entry_invalid", ""},
		{"FC-035", "", 301, doctor.CheckMapping, "mapping_not_found", ""},
		{"FC-039", "", 500, doctor.CheckHeld, "held", ""},
		{"FC-056", "", 230, doctor.CheckDevices, "absent", ""},
		{"FC-062", "", 108, doctor.CheckMapping, "entry_invalid", ""},
		{"FC-082", "", 100, doctor.CheckIOMMU, "", ""},
		{"FC-084", "", 101, doctor.CheckDevices, "absent", ""},
		{"FC-094", "", 9004, doctor.CheckDevices, "absent", ""},
		{"FC-006", "", 120, doctor.CheckConfig, "line_dropped", "files"},
		{"FC-060", "", 100, doctor.CheckHeld, "mdev_type_unknown", ""},
		{"FC-001", "", 101, "", "", ""},
		{"FC-021", "", 105, "", "", ""},
	} {
		s := scenarios[want.id]
		for _, node := range s.Nodes {
			recording, err := readRecording(t, s.ID)
			if err != nil {
				t.Fatal(err)
			}
			for mode, snapshot := range map[string]facts.Snapshot{"files": readRoot(t, s.Root[node]), "api": recording} {
				report := atlas.Build(&snapshot)
				for _, vm := range report.FindVM(want.vmid) {
					if vm.Node != node {
						continue
					}
					check, reading := want.check, want.reading
					if want.only != "" && want.only != mode {
						check, reading = "", ""
					}
					diagnosis := doctor.VM(report, vm)
					checkFirst(t, want.id+" "+mode, &diagnosis, check, reading)
				}
			}
		}
	}
}

func checkFirst(t *testing.T, where string, d *doctor.Diagnosis, check doctor.CheckCode, reading string) {
	t.Helper()
	first := d.First()
	if check == "" {
		if first != nil {
			t.Errorf("%s: begins with %s: %+v", where, first.Code, first.Readings)
		}
		return
	}
	if first == nil || first.Code != check {
		t.Errorf("%s: begins with %+v, want %s", where, first, check)
		return
	}
	if reading == "" {
		return
	}
	for _, r := range first.Readings {
		if string(r.Code) == reading {
			return
		}
	}
	t.Errorf("%s: %+v has no %s", where, first.Readings, reading)
}
