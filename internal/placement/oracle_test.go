package placement_test

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/pci"
	"pciatlas/internal/placement"
	"pciatlas/internal/pve"
)

// TestMain looks at thousands of worlds, not at the hundred that rapid is used to;
// -rapid.checks says otherwise.
func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", strconv.Itoa(allChecks)); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

const allChecks = 5000

func setChecks(t *testing.T, worlds int) {
	t.Helper()
	if err := flag.Set("rapid.checks", strconv.Itoa(worlds)); err != nil {
		t.Fatal(err)
	}
}

// model is a node as the oracle sees it: no text, no package of the product.
type model struct {
	functions []function
	mappings  []modelMapping
	vms       []modelVM // the last one is to be placed
}

type function struct {
	address pci.Address
	group   int // -1 for none
}

type modelMapping struct {
	name    string
	entries []modelEntry
}

// modelEntry gives functions together. stale: it does not fit the hardware.
type modelEntry struct {
	functions []int
	stale     bool
}

type modelVM struct {
	running bool
	lines   []modelLine
}

// modelLine names functions, or a mapping.
type modelLine struct {
	functions []int // -1 is a function that is not there
	mapping   int   // -1 for none
}

// choices gives the alternatives of a line; ok is false if Proxmox VE refuses it.
func (m *model) choices(l modelLine) (alternatives [][]int, ok bool) {
	if l.mapping < 0 {
		return [][]int{l.functions}, !slices.Contains(l.functions, -1)
	}
	entries := m.mappings[l.mapping].entries
	for _, entry := range entries {
		if entry.stale {
			return nil, false
		}
		alternatives = append(alternatives, entry.functions)
	}
	return alternatives, len(entries) > 0
}

// start lets a VM start while others hold functions. It gives what it holds then.
func (m *model) start(vm modelVM, held map[int]bool) (own [][]int, ok bool) {
	var all [][][]int
	for _, line := range vm.lines {
		alternatives, ok := m.choices(line)
		if !ok {
			return nil, false
		}
		all = append(all, alternatives)
	}
	used := map[int]bool{}
	for _, alternatives := range all {
		chosen := alternatives[0]
		if len(alternatives) > 1 {
			at := slices.IndexFunc(alternatives, func(functions []int) bool {
				return !slices.ContainsFunc(functions, func(f int) bool { return used[f] || held[f] })
			})
			if at < 0 {
				return nil, false
			}
			chosen = alternatives[at]
		}
		for _, f := range chosen {
			if used[f] {
				return nil, false
			}
			used[f] = true
		}
		own = append(own, chosen)
	}
	for f := range used {
		if held[f] || m.functions[f].group < 0 {
			return nil, false
		}
		for other, function := range m.functions {
			if held[other] && !used[other] && function.group == m.functions[f].group {
				return nil, false
			}
		}
	}
	return own, true
}

// worlds gives every way in which the running VMs may hold functions together.
func (m *model) worlds() []map[int]bool {
	worlds := []map[int]bool{{}}
	for _, vm := range m.vms[:len(m.vms)-1] {
		if !vm.running {
			continue
		}
		for _, line := range vm.lines {
			alternatives, _ := m.choices(line)
			var next []map[int]bool
			for _, world := range worlds {
				for _, functions := range alternatives {
					if slices.ContainsFunc(functions, func(f int) bool { return world[f] }) {
						continue
					}
					with := map[int]bool{}
					for f := range world {
						with[f] = true
					}
					for _, f := range functions {
						with[f] = true
					}
					next = append(next, with)
				}
			}
			worlds = next
		}
	}
	return worlds
}

func (m *model) verdict() placement.Verdict {
	can, cannot := false, false
	for _, world := range m.worlds() {
		if _, ok := m.start(m.vms[len(m.vms)-1], world); ok {
			can = true
		} else {
			cannot = true
		}
	}
	switch {
	case can && cannot:
		return placement.Unknown
	case can:
		return placement.CanStart
	default:
		return placement.CannotStart
	}
}

func drawModel(t *rapid.T) *model {
	m := &model{}
	count := rapid.IntRange(1, 6).Draw(t, "functions")
	for i := range count {
		m.functions = append(m.functions, function{
			address: pci.Address{Bus: uint8(1 + i/2), Function: uint8(i % 2)},
			group:   rapid.SampledFrom([]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, -1}).Draw(t, "group"),
		})
	}
	one := func() int { return rapid.IntRange(0, count-1).Draw(t, "function") }
	for i := range rapid.IntRange(0, 3).Draw(t, "mappings") {
		mapping := modelMapping{name: fmt.Sprintf("map-%d", i)}
		for range rapid.IntRange(0, 4).Draw(t, "entries") {
			entry := modelEntry{functions: []int{one()}, stale: rapid.IntRange(0, 19).Draw(t, "stale") == 0}
			if rapid.IntRange(0, 3).Draw(t, "several") == 0 {
				if second := one(); second != entry.functions[0] {
					entry.functions = append(entry.functions, second)
				}
			}
			mapping.entries = append(mapping.entries, entry)
		}
		m.mappings = append(m.mappings, mapping)
	}
	held := map[int]bool{}
	for range rapid.IntRange(1, 5).Draw(t, "VMs") {
		vm := modelVM{running: rapid.Bool().Draw(t, "running")}
		for range rapid.IntRange(0, 3).Draw(t, "lines") {
			line := modelLine{mapping: -1}
			if len(m.mappings) > 0 && rapid.Bool().Draw(t, "mapped") {
				line.mapping = rapid.IntRange(0, len(m.mappings)-1).Draw(t, "mapping")
			} else {
				line.functions = []int{one()}
				if rapid.IntRange(0, 9).Draw(t, "missing") == 0 {
					line.functions[0] = -1
				}
			}
			vm.lines = append(vm.lines, line)
		}
		// What runs could start.
		if vm.running {
			own, ok := m.start(vm, held)
			vm.running = ok
			for _, functions := range own {
				for _, f := range functions {
					held[f] = true
				}
			}
		}
		m.vms = append(m.vms, vm)
	}
	m.vms[len(m.vms)-1].running = false
	return m
}

// snapshot writes the model as facts.
func (m *model) snapshot(t testing.TB) *facts.Snapshot {
	t.Helper()
	node := &facts.Node{Devices: facts.Read[[]facts.Device]{State: facts.OK}, VMs: map[int]facts.Read[facts.VMConfig]{}}
	for _, f := range m.functions {
		device := facts.Device{
			Address: f.address, Class: 0x030000, IDs: pci.IDs{Pair: pci.Pair{Vendor: 0x10de, Device: 0x2204}},
			Group: facts.Told[*int](nil), Mdev: facts.Told(false),
		}
		if f.group >= 0 {
			device.Group = facts.Told(&f.group)
		}
		node.Devices.Value = append(node.Devices.Value, device)
	}
	s := &facts.Snapshot{
		Schema: facts.Schema, Cluster: "lab", Nodes: map[string]*facts.Node{"pve-a": node},
		Members:  facts.Read[[]facts.Member]{State: facts.OK, Value: []facts.Member{{Name: "pve-a", Online: facts.Told(true)}}},
		Guests:   facts.Read[[]facts.Guest]{State: facts.OK},
		Mappings: facts.Read[[]pve.Mapping]{State: facts.OK},
		Files: facts.Read[facts.ClusterFiles]{State: facts.OK, Value: facts.ClusterFiles{
			Populated: true, Mounted: true, Quorate: facts.Told(true),
		}},
	}
	for _, mapping := range m.mappings {
		if len(mapping.entries) > 0 {
			s.Mappings.Value = append(s.Mappings.Value, m.mapping(t, mapping))
		}
	}
	for i, vm := range m.vms {
		status := facts.Stopped
		if vm.running {
			status = facts.Running
		}
		s.Guests.Value = append(s.Guests.Value, facts.Guest{VMID: 100 + i, Kind: facts.QEMU, Node: "pve-a", Status: status, Template: facts.Told(false)})
		node.VMs[100+i] = facts.Read[facts.VMConfig]{State: facts.OK, Value: facts.ReduceVM(m.items(vm))}
	}
	return s
}

func (m *model) mapping(t testing.TB, mapping modelMapping) pve.Mapping {
	t.Helper()
	var result pve.Mapping
	result.ID = mapping.name
	for _, entry := range mapping.entries {
		text := "node=pve-a,id=10de:2204"
		if entry.stale {
			text = "node=pve-a,id=10de:1b06"
		}
		if group := m.functions[entry.functions[0]].group; group >= 0 {
			text += fmt.Sprintf(",iommugroup=%d", group)
		}
		parsed, err := pve.ParseEntry(text + ",path=" + m.path(entry.functions))
		if err != nil {
			t.Fatal(err)
		}
		result.Entries = append(result.Entries, parsed)
	}
	return result
}

func (m *model) path(functions []int) string {
	texts := make([]string, len(functions))
	for i, f := range functions {
		texts[i] = "0000:7f:00.0"
		if f >= 0 {
			texts[i] = m.functions[f].address.String()
		}
	}
	return strings.Join(texts, ";")
}

func (m *model) items(vm modelVM) []pve.Item {
	var items []pve.Item
	for slot, line := range vm.lines {
		value := "host=" + m.path(line.functions)
		if line.mapping >= 0 {
			value = "mapping=" + m.mappings[line.mapping].name
		}
		items = append(items, pve.Item{Key: pve.SlotKey(slot), Current: &value})
	}
	return items
}

// TestPlaceAsProxmoxStarts compares the verdict with a start gone through by brute
// force, over every way in which the running VMs may hold their devices.
func TestPlaceAsProxmoxStarts(t *testing.T) {
	seen := make(map[placement.Verdict]int)
	swapped := 0
	rapid.Check(t, func(rt *rapid.T) {
		m := drawModel(rt)
		report := atlas.Build(m.snapshot(t))
		got := placement.New(report).Place(report.VMs[len(report.VMs)-1]).Nodes[0]
		want := m.verdict()
		if got.Verdict != want {
			rt.Fatalf("got %s, want %s\n%+v\n%+v", got.Verdict, want, m, got.Reasons)
		}
		seen[want]++
		if len(got.Swap) > 0 {
			swapped++
			m.checkSwap(rt, got.Swap)
		}
		checkReasons(rt, &got)
	})
	t.Logf("%v, %d swaps", seen, swapped)
	for _, verdict := range []placement.Verdict{placement.CanStart, placement.CannotStart, placement.Unknown} {
		if seen[verdict] == 0 {
			t.Errorf("no world was %s", verdict)
		}
	}
}

// checkSwap lets the VM start with its lines in the places that were proposed.
func (m *model) checkSwap(t *rapid.T, swaps []placement.Swap) {
	last := &m.vms[len(m.vms)-1]
	lines := slices.Clone(last.lines)
	for _, swap := range swaps {
		lines[swap.To] = last.lines[swap.From]
	}
	last.lines = lines
	if got := m.verdict(); got != placement.CanStart {
		t.Fatalf("after the swap %v: %s", swaps, got)
	}
}

// checkReasons: a verdict is never without what it rests on.
func checkReasons(t *rapid.T, got *placement.NodeVerdict) {
	has := func(effect placement.Effect) bool {
		return slices.ContainsFunc(got.Reasons, func(r placement.Reason) bool { return r.Effect == effect })
	}
	if has(placement.Refuses) != (got.Verdict == placement.CannotStart) {
		t.Fatalf("%s with %+v", got.Verdict, got.Reasons)
	}
	if got.Verdict == placement.Unknown && !has(placement.Open) {
		t.Fatalf("unknown without a reason: %+v", got.Reasons)
	}
	for i, reason := range got.Reasons {
		if reason.First != (i == 0 && got.Verdict == placement.CannotStart) {
			t.Fatalf("the first is at %d: %+v", i, got.Reasons)
		}
		if reason.Sentence == "" || strings.Contains(reason.Sentence, "%!") {
			t.Fatalf("%+v", reason)
		}
	}
}
