package atlas_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/pve"
)

type mappingCheckVector struct {
	Kind   string
	Config struct {
		ID  string
		Map []string
		// Values as they stand in the file.
		Mdev *any
	}
	Listed *struct {
		ID            string
		Map           []string
		Mdev          *int
		LiveMigration *int `json:"live-migration-capable"`
	}
	Checks map[string][]pve.Check
}

// vectorSnapshot gives the nodes of the vectors as facts.
func vectorSnapshot(t testing.TB) *facts.Snapshot {
	t.Helper()
	s := &facts.Snapshot{
		Schema: facts.Schema, Cluster: "lab", Nodes: map[string]*facts.Node{},
		Mappings: facts.Read[[]pve.Mapping]{State: facts.OK},
		Files: facts.Read[facts.ClusterFiles]{State: facts.OK, Value: facts.ClusterFiles{
			Populated: true, Mounted: true, Quorate: facts.Told(true),
		}},
		Guests: facts.Read[[]facts.Guest]{State: facts.OK},
	}
	for _, name := range []string{"pve-a", "pve-b"} {
		node := &facts.Node{Devices: facts.Read[[]facts.Device]{State: facts.OK}}
		for _, device := range vectorHardware(t, name).Devices {
			node.Devices.Value = append(node.Devices.Value, *device.Device)
		}
		s.Nodes[name] = node
	}
	return s
}

// TestMatrixAsProxmoxChecks compares every cell with what Proxmox VE's own check says
// of the same mapping, and lets the matrix compare itself.
func TestMatrixAsProxmoxChecks(t *testing.T) {
	var vectors struct{ Checks []mappingCheckVector }
	readVectors(t, "mapping.json", &vectors)
	listed := 0
	for _, v := range vectors.Checks {
		if v.Listed == nil {
			continue
		}
		listed++
		t.Run(v.Config.ID+" "+v.Kind, func(t *testing.T) {
			s := vectorSnapshot(t)
			mapping := pve.Mapping{ID: v.Listed.ID, Mdev: flagOf(v.Listed.Mdev), LiveMigration: flagOf(v.Listed.LiveMigration)}
			for _, text := range v.Listed.Map {
				entry, err := pve.ParseEntry(text)
				if err != nil {
					t.Fatal(err)
				}
				mapping.Entries = append(mapping.Entries, entry)
			}
			s.Mappings.Value = []pve.Mapping{mapping}
			for name, checks := range v.Checks {
				for i := range checks {
					checks[i].Message = strings.TrimSuffix(checks[i].Message, "\n")
				}
				s.Nodes[name].MappingChecks = facts.Read[map[string][]pve.Check]{
					State: facts.OK, Value: map[string][]pve.Check{mapping.ID: checks},
				}
			}
			matrix := atlas.Build(s).Matrix()
			row := matrix.Row(mapping.ID)
			for i := range row.Cells {
				cell := &row.Cells[i]
				checks, asked := v.Checks[cell.Node]
				if !asked {
					continue
				}
				if want := verdictOfChecks(checks); cell.Verdict != want {
					t.Errorf("%s: %s, PVE says %v", cell.Node, cell.Verdict, checks)
				}
				if cell.Agrees == nil || !*cell.Agrees {
					t.Errorf("%s: disagrees with %v, has %+v", cell.Node, checks, cell.Entries)
				}
				if diff := cmp.Diff(checks, append([]pve.Check{}, cell.PVE.Value...)); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
	if listed < 50 {
		t.Errorf("only %d mappings were compared", listed)
	}
}

func flagOf(n *int) *bool {
	if n == nil {
		return nil
	}
	on := *n == 1
	return &on
}

func verdictOfChecks(checks []pve.Check) atlas.CellVerdict {
	if len(checks) == 0 {
		return atlas.CellOK
	}
	if checks[0].Severity == "warning" {
		return atlas.CellMissing
	}
	return atlas.CellInvalid
}
