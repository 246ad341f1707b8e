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

var unread = []facts.Problem{{Code: facts.ProblemIO, Subject: "it", Message: "It could not be read."}}

// hidings take one fact out of a world each. They give false if the world has none of
// the kind.
var hidings = map[string]func(t *rapid.T, s *facts.Snapshot) bool{
	"a function": func(t *rapid.T, s *facts.Snapshot) bool {
		devices := &s.Nodes["pve-a"].Devices
		i := rapid.IntRange(0, len(devices.Value)-1).Draw(t, "hidden")
		s.Nodes["pve-a"].Unread = []pci.Address{devices.Value[i].Address}
		devices.Value = slices.Delete(slices.Clone(devices.Value), i, i+1)
		devices.State, devices.Problems = facts.Partial, unread
		return true
	},
	"all functions": func(_ *rapid.T, s *facts.Snapshot) bool {
		s.Nodes["pve-a"].Devices = facts.Read[[]facts.Device]{State: facts.Failed, Problems: unread}
		return true
	},
	"a group": func(t *rapid.T, s *facts.Snapshot) bool {
		devices := s.Nodes["pve-a"].Devices.Value
		devices[rapid.IntRange(0, len(devices)-1).Draw(t, "hidden")].Group = facts.Opt[*int]{}
		return true
	},
	"an ability": func(t *rapid.T, s *facts.Snapshot) bool {
		devices := s.Nodes["pve-a"].Devices.Value
		devices[rapid.IntRange(0, len(devices)-1).Draw(t, "hidden")].Mdev = facts.Opt[bool]{}
		return true
	},
	"a mapping": func(t *rapid.T, s *facts.Snapshot) bool {
		if len(s.Mappings.Value) == 0 {
			return false
		}
		i := rapid.IntRange(0, len(s.Mappings.Value)-1).Draw(t, "hidden")
		s.Mappings.Value = slices.Delete(slices.Clone(s.Mappings.Value), i, i+1)
		s.Mappings.State, s.Mappings.Problems = facts.Filtered, unread
		return true
	},
	"a configuration": func(t *rapid.T, s *facts.Snapshot) bool {
		vmid := 100 + rapid.IntRange(0, len(s.Guests.Value)-1).Draw(t, "hidden")
		s.Nodes["pve-a"].VMs[vmid] = facts.Read[facts.VMConfig]{State: facts.Failed, Problems: unread}
		return true
	},
	"whether a VM runs": func(t *rapid.T, s *facts.Snapshot) bool {
		s.Guests.Value[rapid.IntRange(0, len(s.Guests.Value)-1).Draw(t, "hidden")].Status = facts.UnknownStatus
		return true
	},
	"a VM": func(t *rapid.T, s *facts.Snapshot) bool {
		if len(s.Guests.Value) == 1 {
			return false
		}
		i := rapid.IntRange(0, len(s.Guests.Value)-2).Draw(t, "hidden")
		s.Guests.Value = slices.Delete(slices.Clone(s.Guests.Value), i, i+1)
		s.Guests.State, s.Guests.Problems = facts.Partial, unread
		return true
	},
	"whether the node is on": func(_ *rapid.T, s *facts.Snapshot) bool {
		s.Members.Value[0].Online = facts.Opt[bool]{}
		return true
	},
}

// TestUnreadIsUnknown: whatever fact is hidden, the verdict stays or becomes unknown; it
// never becomes another, and unknown stays unknown.
func TestUnreadIsUnknown(t *testing.T) {
	for name, hide := range hidings {
		t.Run(name, func(t *testing.T) {
			stayed, turned := 0, 0
			check(t, 1000, func(rt *rapid.T) {
				m := drawModel(rt)
				s := m.snapshot(t)
				before := lastOn(s)
				if !hide(rt, s) {
					return
				}
				after := lastOn(s)
				switch after.Verdict {
				case before.Verdict:
					stayed++
				case placement.Unknown:
					turned++
				default:
					rt.Fatalf("%s became %s\n%+v\nbefore %+v\nafter %+v", before.Verdict, after.Verdict, m, before.Reasons, after.Reasons)
				}
				checkReasons(rt, &after)
			})
			if stayed == 0 {
				t.Errorf("%d verdicts stayed, %d became unknown", stayed, turned)
			}
		})
	}
}

// lastOn places the last VM of a snapshot on pve-a.
func lastOn(s *facts.Snapshot) placement.NodeVerdict {
	report := atlas.Build(s)
	verdict, _ := placement.New(report).PlaceOn(report.VMs[len(report.VMs)-1], "pve-a")
	return verdict
}

// TestPlaceByReservations: where the node tells what its VMs have reserved, nothing about
// the choice is unknown any more, also if one of them is not shown.
func TestPlaceByReservations(t *testing.T) {
	seen := make(map[placement.Verdict]int)
	check(t, 2000, func(rt *rapid.T) {
		m := drawModel(rt)
		s := m.snapshot(t)
		held := map[int]bool{}
		read := &s.Nodes["pve-a"].Holding
		read.State = facts.OK
		for i, vm := range m.vms[:len(m.vms)-1] {
			if !vm.running {
				continue
			}
			own, _ := m.start(vm, held)
			for _, functions := range own {
				for _, f := range functions {
					held[f] = true
					read.Value = append(read.Value, facts.Holding{Address: m.functions[f].address, VMID: 100 + i})
				}
			}
		}
		want := placement.CannotStart
		if _, ok := m.start(m.vms[len(m.vms)-1], held); ok {
			want = placement.CanStart
		}
		if rapid.Bool().Draw(rt, "one is not shown") && len(s.Guests.Value) > 1 {
			s.Guests.Value = s.Guests.Value[1:]
		}
		got := lastOn(s)
		if got.Verdict != want {
			rt.Fatalf("got %s, want %s\n%+v\n%+v", got.Verdict, want, m, got.Reasons)
		}
		seen[want]++
	})
	if len(seen) != 2 {
		t.Error(seen)
	}
}

// TestSwapIsFound: where the VM does not start because of the order in which Proxmox VE
// chooses alone, a swap is proposed, and only there.
func TestSwapIsFound(t *testing.T) {
	found := 0
	check(t, 2000, func(rt *rapid.T) {
		m := drawModel(rt)
		last := &m.vms[len(m.vms)-1]
		got := lastOn(m.snapshot(t))
		lines := slices.Clone(last.lines)
		helps := false
		orders(len(lines), func(order []int) {
			for to, from := range order {
				last.lines[to] = lines[from]
			}
			helps = helps || m.verdict() == placement.CanStart
		})
		last.lines = lines
		if want := got.Verdict == placement.CannotStart && helps; want != (len(got.Swap) > 0) {
			rt.Fatalf("%s, swap %v, an order helps: %t\n%+v\n%+v", got.Verdict, got.Swap, helps, m, got.Reasons)
		}
		if len(got.Swap) > 0 {
			found++
		}
	})
	if found == 0 {
		t.Error("no world needed a swap")
	}
}

// orders calls do with every order of the numbers below n.
func orders(n int, do func([]int)) {
	order := make([]int, 0, n)
	var next func()
	next = func() {
		if len(order) == n {
			do(order)
			return
		}
		for i := range n {
			if !slices.Contains(order, i) {
				order = append(order, i)
				next()
				order = order[:len(order)-1]
			}
		}
	}
	next()
}

// TestSwapIsHonest: no swap is proposed where something else refuses the start, too.
func TestSwapIsHonest(t *testing.T) {
	check(t, 2000, func(rt *rapid.T) {
		m := drawModel(rt)
		s := m.snapshot(t)
		vmid := 99 + len(m.vms)
		read := s.Nodes["pve-a"].VMs[vmid]
		items := m.items(m.vms[len(m.vms)-1])
		for key, value := range map[string]string{
			rapid.SampledFrom([]string{"lock", "memory"}).Draw(rt, "other reason"): "99999999", "machine": "q35",
		} {
			items = append(items, pve.Item{Key: key, Current: &value})
		}
		s.Nodes["pve-a"].Memory = facts.Read[int64]{State: facts.OK, Value: 1 << 30}
		read.Value = facts.ReduceVM(items)
		s.Nodes["pve-a"].VMs[vmid] = read
		if got := lastOn(s); len(got.Swap) > 0 {
			rt.Fatalf("swap %v with %+v", got.Swap, got.Reasons)
		}
	})
}

// drawCluster draws two or three nodes with mappings over all of them, and VMs on each.
func drawCluster(tb testing.TB, t *rapid.T) *facts.Snapshot {
	tb.Helper()
	var all *facts.Snapshot
	for n := range rapid.IntRange(2, 3).Draw(t, "nodes") {
		name := fmt.Sprintf("pve-%c", 'a'+n)
		s := drawModel(t).snapshot(tb)
		node := s.Nodes["pve-a"]
		vms := map[int]facts.Read[facts.VMConfig]{}
		for vmid, read := range node.VMs {
			vms[vmid+100*n] = read
		}
		node.VMs = vms
		for i := range s.Guests.Value {
			guest := &s.Guests.Value[i]
			guest.VMID, guest.Node = guest.VMID+100*n, name
			guest.Template = facts.Told(guest.Status == facts.Stopped && rapid.IntRange(0, 9).Draw(t, "template") == 0)
			switch rapid.IntRange(0, 19).Draw(t, "unread") {
			case 0:
				vms[guest.VMID] = facts.Read[facts.VMConfig]{State: facts.Failed, Problems: unread}
			case 1:
				guest.Status = facts.UnknownStatus
			}
		}
		for i := range s.Mappings.Value {
			for j := range s.Mappings.Value[i].Entries {
				s.Mappings.Value[i].Entries[j].Node = name
			}
			s.Mappings.Value[i].LiveMigration = rapid.SampledFrom([]*bool{nil, new(bool), yes()}).Draw(t, "live")
		}
		s.Members.Value[0].Name = name
		if all == nil {
			all = s
			continue
		}
		all.Nodes[name] = node
		all.Members.Value = append(all.Members.Value, s.Members.Value...)
		all.Guests.Value = append(all.Guests.Value, s.Guests.Value...)
		for _, mapping := range s.Mappings.Value {
			i := slices.IndexFunc(all.Mappings.Value, func(m pve.Mapping) bool { return m.ID == mapping.ID })
			if i < 0 {
				all.Mappings.Value = append(all.Mappings.Value, mapping)
				continue
			}
			all.Mappings.Value[i].Entries = append(all.Mappings.Value[i].Entries, mapping.Entries...)
		}
	}
	return all
}

func yes() *bool {
	on := true
	return &on
}
