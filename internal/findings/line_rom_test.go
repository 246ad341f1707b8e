package findings_test

import (
	"testing"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/findings"
	"pciatlas/internal/pve"
)

// TestROMFileMissing: only a look at the node's folder can tell.
func TestROMFileMissing(t *testing.T) {
	for name, c := range map[string]struct {
		value string
		files facts.Read[[]facts.ROMFile]
		want  int
	}{
		"gone":      {"01:00.0,romfile=a.rom", facts.Read[[]facts.ROMFile]{State: facts.OK, Value: []facts.ROMFile{{Name: "a.rom"}}}, 1},
		"there":     {"01:00.0,romfile=a.rom", facts.Read[[]facts.ROMFile]{State: facts.OK, Value: []facts.ROMFile{{Name: "a.rom", There: true}}}, 0},
		"not asked": {"01:00.0,romfile=a.rom", facts.Read[[]facts.ROMFile]{}, 0},
		"failed":    {"01:00.0,romfile=a.rom", facts.Read[[]facts.ROMFile]{State: facts.Failed, Value: []facts.ROMFile{{Name: "a.rom"}}}, 0},
		"a remark":  {"01:00.0,romfile=a.rom # old", facts.Read[[]facts.ROMFile]{State: facts.OK, Value: []facts.ROMFile{{Name: "a.rom # old"}}}, 0},
	} {
		snapshot := &facts.Snapshot{
			Guests: facts.Read[[]facts.Guest]{State: facts.OK, Value: []facts.Guest{{VMID: 100, Kind: facts.QEMU, Node: "pve-a", Status: facts.Stopped}}},
			Nodes: map[string]*facts.Node{"pve-a": {ROMFiles: c.files, VMs: map[int]facts.Read[facts.VMConfig]{
				100: {State: facts.OK, Value: facts.VMConfig{Items: []pve.Item{{Key: "hostpci0", Current: &c.value}}}},
			}}},
		}
		got := 0
		for _, f := range findings.Looked(findings.Find(atlas.Build(snapshot))) {
			if f.Code == findings.ROMFileMissing {
				got++
				if f.Severity != findings.Error || f.Subject.VMID != 100 || f.Subject.Slot != 0 {
					t.Errorf("%s: %+v", name, f)
				}
			}
		}
		if got != c.want {
			t.Errorf("%s: %d findings, want %d", name, got, c.want)
		}
	}
}
