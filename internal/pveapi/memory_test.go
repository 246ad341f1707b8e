package pveapi_test

import (
	"testing"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/findings"
	"pciatlas/internal/pveapi"
	"pciatlas/internal/pvesim"
)

// TestNodeMemory: the list of nodes tells the memory of a node, also of one that is
// off, to who may audit it; otherwise it is not told.
func TestNodeMemory(t *testing.T) {
	t.Parallel()
	tell := func(world *pvesim.World) map[string]facts.Read[int64] {
		server := &pvesim.Server{World: world, AuthDelay: -1}
		snapshot := read(t, newClient(t, pveapi.Limits{}, serve(t, server)))
		memory := map[string]facts.Read[int64]{}
		for name, node := range snapshot.Nodes {
			memory[name] = node.Memory
		}
		return memory
	}
	world := pvesim.Demo()
	world.Nodes[0].Memory, world.Nodes[1].Offline = 16<<30, true
	memory := tell(world)
	if m := memory[world.Nodes[0].Name]; m.State != facts.OK || m.Value != 16<<30 || m.Stamp.From.IsZero() || m.Stamp.Source != facts.SourceAPI {
		t.Errorf("%+v", m)
	}
	if m := memory[world.Nodes[1].Name]; m.State != facts.OK || m.Value != 67108864000 {
		t.Errorf("of the node that is off: %+v", m)
	}
	world.Nodes[0].NoStatistics = true
	if m := tell(world)[world.Nodes[0].Name]; m.State != facts.NotAsked || m.Value != 0 {
		t.Errorf("without statistics: %+v", m)
	}
}

// TestMemoryAboveNode: the finding rests on what the API tells.
func TestMemoryAboveNode(t *testing.T) {
	t.Parallel()
	for memory, want := range map[int64]bool{64 << 30: false, 16384 << 20: false, 16384<<20 - 1: true} {
		world := pvesim.Demo()
		for i := range world.Nodes {
			world.Nodes[i].Memory = memory
		}
		snapshot := read(t, newClient(t, pveapi.Limits{}, serve(t, &pvesim.Server{World: world, AuthDelay: -1})))
		found := 0
		for _, finding := range findings.Find(atlas.Build(&snapshot)) {
			if finding.Code == findings.MemoryPinned && finding.Params["node_memory"] != "" {
				found++
			}
		}
		if (found > 0) != want {
			t.Errorf("%d bytes: %d findings", memory, found)
		}
	}
}
