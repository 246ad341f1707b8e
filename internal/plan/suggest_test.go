package plan_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/pci"
	"pciatlas/internal/plan"
	"pciatlas/internal/pve"
)

// drawHardware makes nodes with cards of every kind: with companions, with strangers
// in their slot, with virtual functions, with mediated devices, without a group or
// with one that is not told.
func drawHardware(t *rapid.T) *facts.Snapshot {
	s := &facts.Snapshot{
		Schema: facts.Schema, Cluster: "lab", Nodes: map[string]*facts.Node{}, Guests: facts.Read[[]facts.Guest]{State: facts.OK},
		Mappings: facts.Read[[]pve.Mapping]{State: facts.OK},
		Files: facts.Read[facts.ClusterFiles]{State: facts.OK, Value: facts.ClusterFiles{
			Populated: true, Mounted: true, Quorate: facts.Told(true),
		}},
	}
	for n := range rapid.IntRange(1, 3).Draw(t, "nodes") {
		node := &facts.Node{Devices: facts.Read[[]facts.Device]{State: facts.OK}}
		for bus := range rapid.IntRange(0, 4).Draw(t, "cards") {
			node.Devices.Value = append(node.Devices.Value, drawCard(t, uint8(bus+1))...)
		}
		s.Nodes[fmt.Sprintf("pve-%c", 'a'+n)] = node
	}
	return s
}

var drawnIDs = []pci.Pair{{Vendor: 0x10de, Device: 0x2204}, {Vendor: 0x10de, Device: 0x2684}, {Vendor: 0x1002, Device: 0x74a1}, {Vendor: 0x1a03, Device: 0x2000}}

func drawCard(t *rapid.T, bus uint8) []facts.Device {
	group := facts.Told[*int](nil)
	if rapid.IntRange(0, 9).Draw(t, "group") > 0 {
		number := int(bus)
		group = facts.Told(&number)
	}
	if rapid.IntRange(0, 19).Draw(t, "group untold") == 0 {
		group = facts.Opt[*int]{}
	}
	subsystem := rapid.SampledFrom([]*pci.Pair{nil, {}, {Vendor: 0x1458, Device: 0x403b}}).Draw(t, "subsystem")
	card := facts.Device{
		Address: pci.Address{Bus: bus}, Class: rapid.SampledFrom([]pci.Class{0x030000, 0x030200, 0x120000}).Draw(t, "class"),
		IDs: pci.IDs{Pair: rapid.SampledFrom(drawnIDs).Draw(t, "ids"), Subsystem: subsystem}, Group: group,
		Mdev: facts.Told(rapid.IntRange(0, 3).Draw(t, "mdev") == 0), Parent: facts.Told[*pci.Address](nil), VFs: facts.Told([]pci.Address{}),
	}
	devices := []facts.Device{card}
	switch rapid.IntRange(0, 3).Draw(t, "others") {
	case 1: // sound of the card
		sound := card
		sound.Address.Function, sound.Class, sound.IDs.Device, sound.Mdev = 1, 0x040300, 0x1aef, facts.Told(false)
		devices = append(devices, sound)
	case 2: // something else in the slot
		stranger := card
		stranger.Address.Function, stranger.Class, stranger.IDs.Vendor, stranger.Mdev = 1, 0x010802, 0x144d, facts.Told(false)
		devices = append(devices, stranger)
	case 3: // virtual functions
		for f := range rapid.IntRange(1, 3).Draw(t, "VFs") {
			vf := card
			vf.Address.Function, vf.Parent = uint8(f+1), facts.Told(&card.Address)
			devices[0].VFs.Value = append(devices[0].VFs.Value, vf.Address)
			devices = append(devices, vf)
		}
	}
	return devices
}

// TestSuggestionsAreValid: what is proposed passes Proxmox VE's own check, its name is
// one that Proxmox VE takes, each entry can be written and read again, and no display
// or accelerator is left out in silence.
func TestSuggestionsAreValid(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := drawHardware(rt)
		if rapid.Bool().Draw(rt, "with mappings") {
			s.Mappings.Value = drawMappings(rt, s)
		}
		report := atlas.Build(s)
		suggestions := plan.Suggest(report)
		told := map[string]int{}
		names := map[string]bool{}
		for _, m := range suggestions.Mappings {
			if !pve.ValidMappingID(m.Mapping.ID) || names[m.Mapping.ID] {
				rt.Fatalf("name %q", m.Mapping.ID)
			}
			names[m.Mapping.ID] = true
			if len(m.Added) != len(m.Devices) || len(m.Added) == 0 {
				rt.Fatalf("%+v", m)
			}
			for i, index := range m.Added {
				entry := m.Mapping.Entries[index]
				node := report.Node(entry.Node)
				if check := report.CheckEntry(node, &m.Mapping, &entry); len(check.Faults) > 0 || check.Untold {
					rt.Fatalf("%s: %+v", entry, check)
				}
				if parsed, err := pve.ParseEntry(entry.String()); err != nil || parsed.String() != entry.String() {
					rt.Fatalf("%s: %v", entry, err)
				}
				told[m.Devices[i].Node+" "+m.Devices[i].Device.Address.String()]++
				if strings.Contains(entry.Path, ".") == m.Devices[i].WholeSlot {
					rt.Fatalf("%s, whole slot %t", entry.Path, m.Devices[i].WholeSlot)
				}
			}
		}
		for _, left := range suggestions.Left {
			told[left.Node+" "+left.Device.Address.String()]++
		}
		for i := range report.Nodes {
			for j := range report.Nodes[i].Devices {
				device := &report.Nodes[i].Devices[j]
				key := report.Nodes[i].Name + " " + device.Address.String()
				if want := number(device.Class.Kind() != pci.Other); told[key] != want {
					rt.Fatalf("%s is told %d times, want %d", key, told[key], want)
				}
			}
		}
	})
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

// drawMappings makes mappings of some of the hardware, right and wrong.
func drawMappings(t *rapid.T, s *facts.Snapshot) []pve.Mapping {
	var mappings []pve.Mapping
	for name, node := range s.Nodes {
		for i := range node.Devices.Value {
			device := &node.Devices.Value[i]
			if rapid.IntRange(0, 2).Draw(t, "mapped "+name) > 0 {
				continue
			}
			entry := pve.Entry{Node: name, ID: device.IDs.Pair.String(), Path: device.Address.String()}
			if group := device.Group.Value; group != nil {
				entry.Group = fmt.Sprint(*group)
			}
			if device.IDs.Subsystem != nil && rapid.IntRange(0, 3).Draw(t, "right") > 0 {
				entry.Subsystem = device.IDs.Subsystem.String()
			}
			mdev := device.Mdev.Value
			mappings = append(mappings, pve.Mapping{ID: fmt.Sprintf("map-%d", len(mappings)), Mdev: &mdev, Entries: []pve.Entry{entry}})
		}
	}
	slices.SortFunc(mappings, func(a, b pve.Mapping) int { return strings.Compare(a.ID, b.ID) })
	return mappings
}

// TestApplyingSuggestionsLeavesNone: with what is proposed in place, nothing more is.
func TestApplyingSuggestionsLeavesNone(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := drawHardware(rt)
		s.Mappings.Value = drawMappings(rt, s)
		before := plan.Suggest(atlas.Build(s))
		for _, m := range before.Mappings {
			s.Mappings.Value = slices.DeleteFunc(s.Mappings.Value, func(old pve.Mapping) bool { return old.ID == m.Mapping.ID })
			s.Mappings.Value = append(s.Mappings.Value, m.Mapping)
		}
		if after := plan.Suggest(atlas.Build(s)); len(after.Mappings) > 0 {
			rt.Fatalf("%+v", after.Mappings)
		}
	})
}
