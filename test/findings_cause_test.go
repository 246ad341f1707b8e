package test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/findings"
	"pciatlas/internal/pve"
)

// TestFindingsWithoutCause: a finding about a line or a VM goes with the line or
// with what the VM passes, one about a mapping goes with the mapping, one about what
// a container uses goes with the containers, and any other about a function or a node
// goes when no VM of the node passes anything and no mapping is there.
func TestFindingsWithoutCause(t *testing.T) {
	t.Parallel()
	everySnapshot(t, func(t *testing.T, s *facts.Snapshot, _ *rand.Rand) {
		t.Helper()
		for _, f := range findings.Find(atlas.Build(s)) {
			without := copyOf(t, s)
			removeCause(without, &f)
			key, err := json.Marshal(findings.Finding{Code: f.Code, Subject: f.Subject})
			if err != nil {
				t.Fatal(err)
			}
			if slices.Contains(findingKeys(t, without, false), string(key)) {
				t.Errorf("still there without its cause: %s", f.Sentence)
			}
		}
	})
}

// removeCause takes away what a finding is about.
func removeCause(s *facts.Snapshot, f *findings.Finding) {
	switch {
	case strings.HasPrefix(string(f.Code), "container-"):
		clear(s.Nodes[f.Subject.Node].Containers)
	case f.Subject.VMID != 0:
		for _, node := range s.Nodes {
			removeLines(node, f.Subject.VMID, f.Subject.Slot)
		}
	case f.Subject.Mapping != "":
		s.Mappings.Value = slices.DeleteFunc(s.Mappings.Value, func(m pve.Mapping) bool { return m.ID == f.Subject.Mapping })
	default:
		s.Mappings.Value = nil
		node := s.Nodes[f.Subject.Node]
		for vmid := range node.VMs {
			removeLines(node, vmid, atlas.NoSlot)
		}
	}
}

// removeLines takes a slot, or all of them for atlas.NoSlot, out of a VM's
// configuration, with what else in it passes devices.
func removeLines(node *facts.Node, vmid, slot int) {
	read, known := node.VMs[vmid]
	if !known {
		return
	}
	of := func(key string) bool {
		number, ok := pve.ParseSlotKey(key)
		return slot == atlas.NoSlot || ok && number == slot
	}
	config := &read.Value
	config.Items = slices.DeleteFunc(config.Items, func(item pve.Item) bool {
		_, isSlot := pve.ParseSlotKey(item.Key)
		return isSlot && of(item.Key)
	})
	config.Dropped = slices.DeleteFunc(config.Dropped, func(line pve.DroppedLine) bool { return of(line.Key) })
	config.Repeated = slices.DeleteFunc(config.Repeated, func(key pve.RepeatedKey) bool { return of(key.Key) })
	for i := range config.Snapshots.Value {
		snapshot := &config.Snapshots.Value[i]
		snapshot.HostPCI = slices.DeleteFunc(snapshot.HostPCI, func(kv pve.KeyValue) bool { return of(kv.Key) })
	}
	if slot == atlas.NoSlot {
		config.Args, config.Hook = facts.Phases{}, facts.Phases{}
	}
	node.VMs[vmid] = read
}
