package placement_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/pci"
	"pciatlas/internal/placement"
	"pciatlas/internal/pve"
)

// sliceModel is a node with functions that offer two types of mediated device, and the VM
// that wants some of them. left is -1 for a type that is not offered; a function of unread
// may have anything left.
type sliceModel struct {
	left   [][2]int
	unread []bool
	slots  []modelSlice
	// runs: the VM runs on the node with the same lines, so that its stop gives back what
	// it has; of a line with several functions it is not told where. maybe: whether it runs
	// is not told.
	runs, maybe bool
}

type modelSlice struct {
	functions []int // alternatives
	kind      int
}

func drawSlices(t *rapid.T) *sliceModel {
	m := &sliceModel{runs: rapid.Bool().Draw(t, "runs")}
	m.maybe = !m.runs && rapid.IntRange(0, 3).Draw(t, "status") == 0
	count := rapid.IntRange(1, 3).Draw(t, "functions")
	for range count {
		left := rapid.IntRange(-1, 2)
		m.left = append(m.left, [2]int{left.Draw(t, "left"), left.Draw(t, "left")})
		// Over the API an empty list also means that it cannot be told.
		m.unread = append(m.unread, rapid.IntRange(0, 9).Draw(t, "unread") == 0 || m.left[len(m.left)-1] == [2]int{-1, -1})
	}
	for range rapid.IntRange(1, 3).Draw(t, "slots") {
		functions := rapid.Permutation(ints(count)).Draw(t, "alternatives")
		m.slots = append(m.slots, modelSlice{functions[:rapid.IntRange(1, count).Draw(t, "choices")], rapid.IntRange(0, 1).Draw(t, "type")})
	}
	return m
}

func ints(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// start makes the devices slot by slot, each on the first function that has one left.
func (m *sliceModel) start(left [][2]int) bool {
	left = slices.Clone(left)
	for _, slot := range m.slots {
		i := slices.IndexFunc(slot.functions, func(f int) bool { return left[f][slot.kind] > 0 })
		if i < 0 {
			return false
		}
		left[slot.functions[i]][slot.kind]--
	}
	return true
}

// verdict starts the VM for everything that may be left.
func (m *sliceModel) verdict() placement.Verdict {
	can, cannot := false, false
	m.worlds(0, slices.Clone(m.left), func(left [][2]int) {
		if m.start(left) {
			can = true
		} else {
			cannot = true
		}
	})
	switch {
	case can && cannot:
		return placement.Unknown
	case can:
		return placement.CanStart
	default:
		return placement.CannotStart
	}
}

// worlds calls do with everything that may be left: of unread functions, and by what the
// VM gives back.
func (m *sliceModel) worlds(from int, left [][2]int, do func([][2]int)) {
	for f := from; f < len(left); f++ {
		if !m.unread[f] {
			continue
		}
		for a := range 4 {
			for b := range 4 {
				next := slices.Clone(left)
				next[f] = [2]int{a, b}
				m.worlds(f+1, next, do)
			}
		}
		return
	}
	if m.runs || m.maybe {
		m.giveBack(0, left, do)
	}
	if !m.runs {
		do(left)
	}
}

func (m *sliceModel) giveBack(slot int, left [][2]int, do func([][2]int)) {
	if slot == len(m.slots) {
		do(left)
		return
	}
	for _, f := range m.slots[slot].functions {
		next := slices.Clone(left)
		next[f][m.slots[slot].kind] = max(0, next[f][m.slots[slot].kind]) + 1
		m.giveBack(slot+1, next, do)
	}
}

func (m *sliceModel) snapshot(t testing.TB) *facts.Snapshot {
	t.Helper()
	s := (&model{vms: []modelVM{{}}}).snapshot(t)
	node := s.Nodes["pve-a"]
	node.MdevTypes = map[string]facts.Read[[]facts.MdevType]{}
	on := true
	for f, left := range m.left {
		address := pci.Address{Bus: uint8(f + 1)}
		group := f + 1
		node.Devices.Value = append(node.Devices.Value, facts.Device{
			Address: address, Class: 0x030000, IDs: pci.IDs{Pair: pci.Pair{Vendor: 0x10de, Device: 0x2204}}, Group: facts.Told(&group), Mdev: facts.Told(true),
		})
		if m.unread[f] {
			continue
		}
		types := facts.Read[[]facts.MdevType]{State: facts.OK}
		for kind, count := range left {
			if count >= 0 {
				types.Value = append(types.Value, facts.MdevType{Type: fmt.Sprintf("kind-%d", kind), Available: count})
			}
		}
		node.MdevTypes[address.String()] = types
	}
	var items []pve.Item
	for slot, wanted := range m.slots {
		mapping := pve.Mapping{ID: fmt.Sprintf("map-%d", slot), Mdev: &on}
		for _, f := range wanted.functions {
			mapping.Entries = append(mapping.Entries, pve.Entry{
				Node: "pve-a", ID: "10de:2204", Path: pci.Address{Bus: uint8(f + 1)}.String(), Group: fmt.Sprint(f + 1),
			})
		}
		s.Mappings.Value = append(s.Mappings.Value, mapping)
		value := fmt.Sprintf("mapping=%s,mdev=kind-%d", mapping.ID, wanted.kind)
		items = append(items, pve.Item{Key: pve.SlotKey(slot), Current: &value})
	}
	node.VMs[100] = facts.Read[facts.VMConfig]{State: facts.OK, Value: facts.ReduceVM(items)}
	switch {
	case m.runs:
		s.Guests.Value[0].Status = facts.Running
	case m.maybe:
		s.Guests.Value[0].Status = facts.UnknownStatus
	}
	return s
}

// TestSlicesAsProxmoxMakesThem compares the verdict about mediated devices with making them
// one by one, for everything that may be left. Where nothing decides between many ways,
// unknown is an answer, too; a wrong verdict never is.
func TestSlicesAsProxmoxMakesThem(t *testing.T) {
	seen, vague := make(map[placement.Verdict]int), 0
	check(t, 3000, func(rt *rapid.T) {
		m := drawSlices(rt)
		got, want := lastOn(m.snapshot(t)), m.verdict()
		switch got.Verdict {
		case want:
			seen[want]++
		case placement.Unknown:
			vague++
		default:
			rt.Fatalf("got %s, want %s\n%+v\n%+v", got.Verdict, want, m, got.Reasons)
		}
		checkReasons(rt, &got)
	})
	t.Logf("%v, %d more are unknown", seen, vague)
	if len(seen) != 3 || vague*20 > seen[placement.CanStart] {
		t.Errorf("%v, %d more are unknown", seen, vague)
	}
}

// check does what rapid.Check does, with so many worlds.
func check(t *testing.T, worlds int, do func(*rapid.T)) {
	t.Helper()
	setChecks(t, worlds)
	defer setChecks(t, allChecks)
	rapid.Check(t, do)
}

// TestNoIOMMUForSlices: without an IOMMU Proxmox VE makes no mediated device either.
func TestNoIOMMUForSlices(t *testing.T) {
	m := &sliceModel{left: [][2]int{{1, 0}}, unread: []bool{false}, slots: []modelSlice{{functions: []int{0}}}}
	s := m.snapshot(t)
	s.Nodes["pve-a"].IOMMU = facts.Read[facts.IOMMU]{State: facts.OK}
	got := lastOn(s)
	if got.Verdict != placement.CannotStart || got.Reasons[0].Code != placement.NoIOMMU {
		t.Errorf("%s %+v", got.Verdict, got.Reasons)
	}
}

// vgpuNode is a node with functions of NVIDIA's driver for kernel 6.8 and later, of which
// each can be one of the given types, a mapping with all of them, and VMs that want
// nvidia-1 of it; the first of these run.
func vgpuNode(t *testing.T, running, vms int, types ...[]string) *facts.Snapshot {
	t.Helper()
	s := (&model{vms: make([]modelVM, vms)}).snapshot(t)
	node := s.Nodes["pve-a"]
	node.MdevTypes = map[string]facts.Read[[]facts.MdevType]{}
	on := true
	mapping := pve.Mapping{ID: "vgpu", Mdev: &on}
	for i, list := range types {
		address, group := pci.Address{Bus: 1, Function: uint8(i)}, 10+i
		node.Devices.Value = append(node.Devices.Value, facts.Device{
			Address: address, Class: 0x030200, IDs: pci.IDs{Pair: pci.Pair{Vendor: 0x10de, Device: 0x2235}}, Group: facts.Told(&group),
			Mdev: facts.Told(true), NvidiaVGPU: true,
		})
		read := facts.Read[[]facts.MdevType]{State: facts.OK}
		for _, name := range list {
			read.Value = append(read.Value, facts.MdevType{Type: name, Available: 1})
		}
		node.MdevTypes[address.String()] = read
		mapping.Entries = append(mapping.Entries, pve.Entry{Node: "pve-a", ID: "10de:2235", Path: address.String(), Group: fmt.Sprint(group)})
	}
	s.Mappings.Value = []pve.Mapping{mapping}
	for i := range vms {
		value := "mapping=vgpu,mdev=nvidia-1"
		node.VMs[100+i] = facts.Read[facts.VMConfig]{State: facts.OK, Value: facts.ReduceVM([]pve.Item{{Key: "hostpci0", Current: &value}})}
		if i < running {
			s.Guests.Value[i].Status = facts.Running
		}
	}
	return s
}

// TestVGPUOnTheChosenFunction: a vGPU of NVIDIA takes its function as a whole, so its type
// has to be left on the function that is chosen, not on any of the mapping.
func TestVGPUOnTheChosenFunction(t *testing.T) {
	both := []string{"nvidia-1"}
	for _, c := range []struct {
		name    string
		s       *facts.Snapshot
		verdict placement.Verdict
		code    placement.ReasonCode
	}{
		{"all have it", vgpuNode(t, 0, 1, both, both), placement.CanStart, placement.Gets},
		{"the chosen one lacks it", vgpuNode(t, 0, 1, []string{"nvidia-2"}, both), placement.CannotStart, placement.TypeExhausted},
		{"the API lists none", vgpuNode(t, 0, 1, nil, both), placement.Unknown, placement.TypesUnread},
		{"the running VM has its own", vgpuNode(t, 1, 1, nil), placement.CanStart, placement.Gets},
		{"one runs on either", vgpuNode(t, 1, 2, both, both, both), placement.CanStart, placement.MayGet},
		{"one of two is left for two", vgpuNode(t, 2, 3, both, both), placement.CannotStart, placement.NoFreeDevice},
	} {
		got := lastOn(c.s)
		if got.Verdict != c.verdict || !slices.ContainsFunc(got.Reasons, func(r placement.Reason) bool { return r.Code == c.code }) {
			t.Errorf("%s: %s %+v, want %s with %s", c.name, got.Verdict, got.Reasons, c.verdict, c.code)
		}
		for _, r := range got.Reasons {
			if r.Code == placement.NoFreeDevice && !slices.Equal(r.VMs, []int{100, 101}) {
				t.Errorf("%s: nothing says who holds them: %s", c.name, r.Sentence)
			}
			if r.Code == placement.GroupTakes {
				t.Errorf("%s: a vGPU takes no group: %s", c.name, r.Sentence)
			}
		}
	}
}

// TestSlicesInUse: who may have a mediated device of a function that is wanted as a whole
// leaves the start open, however sure that is.
func TestSlicesInUse(t *testing.T) {
	for _, status := range []facts.Status{facts.Running, facts.UnknownStatus, facts.Stopped} {
		for _, choices := range [][]int{{0}, {0, 1}} {
			m := &sliceModel{left: [][2]int{{1, 0}, {1, 0}}, unread: make([]bool, 2), slots: []modelSlice{{functions: choices}}}
			s := m.snapshot(t)
			s.Guests.Value[0].Status = status
			s.Guests.Value = append(s.Guests.Value, facts.Guest{VMID: 101, Kind: facts.QEMU, Node: "pve-a", Status: facts.Stopped, Template: facts.Told(false)})
			value := "0000:01:00.0"
			s.Nodes["pve-a"].VMs[101] = facts.Read[facts.VMConfig]{State: facts.OK, Value: facts.ReduceVM([]pve.Item{{Key: "hostpci0", Current: &value}})}
			want := placement.Unknown
			if status == facts.Stopped {
				want = placement.CanStart
			}
			if got := lastOn(s); got.Verdict != want {
				t.Errorf("%s with %v: %s %+v, want %s", status, choices, got.Verdict, got.Reasons, want)
			}
		}
	}
}

// TestReasonOfAllWorlds: what refuses the start whatever the others hold is what is told,
// not that nothing is left.
func TestReasonOfAllWorlds(t *testing.T) {
	report := atlas.Build(func() *facts.Snapshot {
		m := &model{
			functions: []function{{pci.Address{Bus: 1}, -1}, {pci.Address{Bus: 2}, 2}, {pci.Address{Bus: 3}, 3}},
			mappings:  []modelMapping{{"map-0", []modelEntry{{functions: []int{1}}, {functions: []int{2}}}}},
			vms: []modelVM{
				{running: true, lines: []modelLine{{mapping: 0}}},
				{lines: []modelLine{{functions: []int{0}, mapping: -1}, {mapping: 0}}},
			},
		}
		return m.snapshot(t)
	}())
	got, _ := placement.New(report).PlaceOn(report.VMs[1], "pve-a")
	if got.Verdict != placement.CannotStart || got.Reasons[0].Code != placement.NoGroup {
		t.Errorf("%s %+v, want the function without a group", got.Verdict, got.Reasons)
	}
}

// TestOpenOfEachChoice: what is not known of one of the functions that the VM may get
// leaves the start open.
func TestOpenOfEachChoice(t *testing.T) {
	m := &model{
		functions: []function{{pci.Address{Bus: 1}, 1}, {pci.Address{Bus: 2}, 2}, {pci.Address{Bus: 3}, 3}},
		mappings: []modelMapping{
			{"map-0", []modelEntry{{functions: []int{0}}, {functions: []int{2}}}},
			{"map-1", []modelEntry{{functions: []int{0}}, {functions: []int{1}}}},
		},
		vms: []modelVM{{running: true, lines: []modelLine{{mapping: 0}}}, {lines: []modelLine{{mapping: 1}}}},
	}
	s := m.snapshot(t)
	// The mapping is not checked against a group that is not told, and so the line says so
	// itself; what driver=keep leaves in place is asked for each function.
	value := "mapping=map-1,driver=keep"
	s.Nodes["pve-a"].VMs[101] = facts.Read[facts.VMConfig]{State: facts.OK, Value: facts.ReduceVM([]pve.Item{{Key: "hostpci0", Current: &value}})}
	for _, read := range []int{0, 1} {
		devices := s.Nodes["pve-a"].Devices.Value
		devices[0].Host, devices[1].Host = nil, nil
		devices[read].Host = &facts.HostDevice{Driver: "vfio-pci"}
		if got := lastOn(s); got.Verdict != placement.Unknown {
			t.Errorf("with the driver of %d read alone: %s %+v", read, got.Verdict, got.Reasons)
		}
	}
}
