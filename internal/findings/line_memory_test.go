package findings

import (
	"strings"
	"testing"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
)

// TestMemoryAboveNode: all memory of a VM with a passed device must fit into the
// node, and nothing is said where the memory of the node is not told.
func TestMemoryAboveNode(t *testing.T) {
	t.Parallel()
	const gib = 1 << 30
	told := func(bytes int64) facts.Read[int64] { return facts.Read[int64]{State: facts.OK, Value: bytes} }
	for _, c := range []struct {
		name   string
		config string
		memory facts.Read[int64]
		want   string
	}{
		{"more", "memory: 8193|hostpci0: 01:00.0", told(8 * gib), "8193 of 8192"},
		{"as much", "memory: 8192|hostpci0: 01:00.0", told(8 * gib), ""},
		{"not told", "memory: 8193|hostpci0: 01:00.0", facts.Read[int64]{}, ""},
		{"failed", "memory: 8193|hostpci0: 01:00.0", facts.Read[int64]{State: facts.Failed}, ""},
		{"to come", "memory: 4096|hostpci0: 01:00.0|[PENDING]|memory: 9000", told(8 * gib), "9000 of 8192"},
		{"to go", "memory: 9000|hostpci0: 01:00.0|[PENDING]|memory: 4096", told(8 * gib), ""},
		{"words of the option", "memory: current=9000|hostpci0: 01:00.0", told(8 * gib), "9000 of 8192"},
		{"nonsense", "memory: much|hostpci0: 01:00.0", told(8 * gib), ""},
		{"default", "hostpci0: 01:00.0", told(gib / 4), "512 of 256"},
		{"a slice", "memory: 9000|hostpci0: 01:00.0,mdev=nvidia-63", told(8 * gib), ""},
		{"without device", "memory: 9000", told(8 * gib), ""},
		{"template", "template: 1|memory: 9000|hostpci0: 01:00.0", told(8 * gib), ""},
		{"balloon, too", "memory: 9000|balloon: 1024|hostpci0: 01:00.0", told(8 * gib), "balloon 1024, 9000 of 8192"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			world := lineWorld{config: c.config, template: strings.HasPrefix(c.config, "template")}
			s := world.snapshot(t)
			s.Nodes["pve-a"].Memory = c.memory
			var got []string
			for _, f := range Looked(lineMemoryPinned(newWorld(atlas.Build(s)))) {
				switch {
				case f.Severity != Warning || len(f.Evidence) < 3 || f.Subject.VMID != 101:
					t.Errorf("%+v", f)
				case f.Params["balloon"] != "":
					got = append(got, "balloon "+f.Params["balloon"])
				default:
					got = append(got, f.Params["memory"]+" of "+f.Params["node_memory"])
				}
			}
			if text := strings.Join(got, ", "); text != c.want {
				t.Errorf("%q, want %q", text, c.want)
			}
		})
	}
}
