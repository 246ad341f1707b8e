package findings_test

import (
	"fmt"
	"slices"
	"testing"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/findings"
)

// moveFound gives the findings of one code.
func moveFound(s *facts.Snapshot, code findings.Code) []findings.Finding {
	return slices.DeleteFunc(findings.Looked(findings.Find(atlas.Build(s))), func(f findings.Finding) bool { return f.Code != code })
}

func TestMoveEqualNodesAreSaidOnce(t *testing.T) {
	s := mappingWorld(t, "", mappingVM{ID: 101, Config: mappingHost("02:00.0")}, mappingVM{ID: 102, Config: mappingHost("02:00.0")})
	for i := range 5 {
		name := fmt.Sprintf("pve-c%d", i)
		s.Members.Value = append(s.Members.Value, facts.Member{Name: name, Online: facts.Told(true)})
		s.Nodes[name] = &facts.Node{Devices: facts.Read[[]facts.Device]{State: facts.OK, Value: []facts.Device{
			mappingDevice(t, "0000:02:00.0", "10de:2204", 0x030000, 1),
		}}}
	}
	found := moveFound(s, findings.MigrationEqualDevice)
	if len(found) != 2 {
		t.Fatalf("got %d findings, want one for each VM", len(found))
	}
	want := "Equal devices to those of VM 102 are on node pve-b (0000:81:00.0); nodes pve-c0, pve-c1, pve-c2 and 2 more (0000:02:00.0): " +
		"with resource mappings that have entries for these nodes as well it can move without an edit."
	if found[1].Sentence != want {
		t.Errorf("got  %s\nwant %s", found[1].Sentence, want)
	}
	if nodes := "pve-b (0000:81:00.0), pve-c0 (0000:02:00.0), pve-c1 (0000:02:00.0), pve-c2 (0000:02:00.0), pve-c3 (0000:02:00.0), pve-c4 (0000:02:00.0)"; found[1].Params["nodes"] != nodes {
		t.Errorf("got %s, want %s", found[1].Params["nodes"], nodes)
	}
	evidence := []string{
		"VM 102 hostpci0: 02:00.0", "pve-b 0000:81:00.0: 10de:2204",
		"pve-c0, pve-c1, pve-c2, pve-c3, pve-c4 0000:02:00.0: 10de:2204",
	}
	if !slices.Equal(found[1].Evidence, evidence) {
		t.Errorf("got %q, want %q", found[1].Evidence, evidence)
	}
}

// TestMoveRemedyIsQuoted: Proxmox VE allows a quote in the name of a ROM file.
func TestMoveRemedyIsQuoted(t *testing.T) {
	s := mappingWorld(t, "", mappingVM{ID: 101, Config: mappingHost("02:00.0,romfile=it's.rom")})
	found := moveFound(s, findings.MigrationBlockedRaw)
	want := `qm set 101 --hostpci0 'mapping=NAME,romfile=it'\''s.rom'`
	if len(found) != 1 || !slices.Contains(found[0].Remedy, want) {
		t.Errorf("got %+v, want the remedy %s", found, want)
	}
}
