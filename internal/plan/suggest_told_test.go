package plan_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/pci"
	"pciatlas/internal/plan"
	"pciatlas/internal/pve"
)

// TestExportedSuggestionsSayWhatIsUnsure: what is written down to be applied says before
// each mapping what is not known of it: a hidden mapping that may have the devices, nodes
// that were not read, a boot display, devices without a group. What is known says nothing.
func TestExportedSuggestionsSayWhatIsUnsure(t *testing.T) {
	group := 1
	for _, c := range []struct {
		name   string
		change func(*facts.Snapshot, *facts.Device)
		want   string
	}{
		{"all is known", func(*facts.Snapshot, *facts.Device) {}, ""},
		{"filtered mappings", func(s *facts.Snapshot, _ *facts.Device) {
			s.Mappings.State, s.Mappings.Problems = facts.Filtered, []facts.Problem{{Code: facts.ProblemPermission, Message: "Mapping.Audit\nis lacking."}}
		}, "# Whether all mappings are shown is unproven; one that is hidden may have these devices: Mapping.Audit is lacking.\n"},
		{"a node that was not read", func(s *facts.Snapshot, _ *facts.Device) { s.Nodes["pve-b"] = &facts.Node{} }, "# The devices of pve-b were not all read"},
		{"a boot display that is not told", func(_ *facts.Snapshot, d *facts.Device) { d.Host = nil }, "# Which display pve-a shows its console on is not told here"},
		{"no group", func(_ *facts.Snapshot, d *facts.Device) { d.Group = facts.Told[*int](nil) }, "# Some of these devices have no IOMMU group"},
	} {
		s := &facts.Snapshot{
			Schema: facts.Schema, Cluster: "lab", Guests: facts.Read[[]facts.Guest]{State: facts.OK}, Mappings: facts.Read[[]pve.Mapping]{State: facts.OK},
			Nodes: map[string]*facts.Node{"pve-a": {Devices: facts.Read[[]facts.Device]{State: facts.OK, Value: []facts.Device{{
				Address: pci.Address{Bus: 1}, Class: 0x030000, IDs: pci.IDs{Pair: drawnIDs[0]}, Group: facts.Told(&group), Mdev: facts.Told(false),
				Parent: facts.Told[*pci.Address](nil), VFs: facts.Told([]pci.Address{}), Host: &facts.HostDevice{BootDisplay: facts.Told(false)},
			}}}}},
			Files: facts.Read[facts.ClusterFiles]{State: facts.OK, Value: facts.ClusterFiles{Populated: true, Mounted: true, Quorate: facts.Told(true)}},
		}
		c.change(s, &s.Nodes["pve-a"].Devices.Value[0])
		suggestions := plan.Suggest(atlas.Build(s))
		if len(suggestions.Mappings) != 1 {
			t.Fatalf("%s: %+v", c.name, suggestions)
		}
		for _, format := range []plan.Format{plan.Commands, plan.Terraform} {
			text, err := plan.Export(format, suggestions.ExportSuggested())
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(text, "#") != (c.want != "") || !strings.Contains(text, c.want) {
				t.Errorf("%s as %s: %q, want %q", c.name, format, text, c.want)
			}
			for line := range strings.Lines(text) {
				if strings.HasPrefix(line, "is lacking") {
					t.Errorf("%s as %s: a remark leaves its comment: %q", c.name, format, text)
				}
			}
		}
	}
}

// TestSuggestedNamesEndWithAWord: a name that is too long is cut between words, and stays
// one that Proxmox VE takes.
func TestSuggestedNamesEndWithAWord(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`[a-z][a-z0-9]{0,11}`), 1, 9).Draw(rt, "words")
		number := 1
		s := &facts.Snapshot{
			Schema: facts.Schema, Cluster: "lab", Mappings: facts.Read[[]pve.Mapping]{State: facts.OK},
			Nodes: map[string]*facts.Node{"pve-a": {Devices: facts.Read[[]facts.Device]{State: facts.OK, Value: []facts.Device{{
				Address: pci.Address{Bus: 1}, Class: 0x030000, IDs: pci.IDs{Pair: drawnIDs[0]}, Group: facts.Told(&number), Mdev: facts.Told(false),
				Names: pci.Names{Device: fmt.Sprintf("GA102 [%s]", strings.Join(words, " "))},
			}}}}},
		}
		id := plan.Suggest(atlas.Build(s)).Mappings[0].Mapping.ID
		whole := strings.Join(words, "-")
		if !pve.ValidMappingID(id) {
			rt.Fatalf("%q of %q", id, whole)
		}
		if len(whole) > 1 && id != whole && !strings.HasPrefix(whole, id+"-") {
			rt.Fatalf("%q of %q", id, whole)
		}
	})
}
