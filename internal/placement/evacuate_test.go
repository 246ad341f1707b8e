package placement_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/placement"
	"pciatlas/internal/pve"
)

// TestEvacuationTellsOfAll: each VM of the node is among those that stay, those that can
// leave or those without a device, once; where it could go is what placing it says; and
// one whose configuration was not read stays.
func TestEvacuationTellsOfAll(t *testing.T) {
	stayed, left := 0, 0
	check(t, 300, func(rt *rapid.T) {
		report := atlas.Build(drawCluster(t, rt))
		places := placement.New(report)
		for i := range report.Nodes {
			name := report.Nodes[i].Name
			evacuation, ok := places.Evacuate(name)
			if !ok {
				rt.Fatal(name)
			}
			stayed, left = stayed+len(evacuation.Stay), left+len(evacuation.Leave)
			told := map[*atlas.VM]int{}
			for _, list := range [][]placement.Leaving{evacuation.Stay, evacuation.Leave} {
				for j := range list {
					told[list[j].VM]++
					checkLeaving(rt, report, name, &list[j])
				}
			}
			for j := range evacuation.Leave {
				checkLeaves(rt, &evacuation.Leave[j])
			}
			without, unread := 0, false
			for _, vm := range report.VMs {
				if vm.Node != name {
					continue
				}
				unread = unread || vm.Config == nil
				if bound := vm.Config == nil || hasLine(vm); bound != (told[vm] == 1) {
					rt.Fatalf("VM %d, with devices %t, is told %d times", vm.VMID, bound, told[vm])
				} else if !bound {
					without++
				}
			}
			if without != evacuation.Unbound || evacuation.VMs != without+len(told) || evacuation.Whole == unread {
				rt.Fatalf("%+v, want %d without devices, unread %t", evacuation, without, unread)
			}
		}
	})
	if stayed == 0 || left == 0 {
		t.Errorf("%d stay, %d leave", stayed, left)
	}
}

func hasLine(vm *atlas.VM) bool {
	for i := range vm.Config.Items {
		if _, ok := pve.ParseSlotKey(vm.Config.Items[i].Key); ok {
			return true
		}
	}
	return false
}

// checkLeaving compares where a VM could go with placing it there by itself, and its moves
// with what Proxmox VE looks at before one.
func checkLeaving(t *rapid.T, report *atlas.Report, from string, leaving *placement.Leaving) {
	if len(leaving.Nodes) != len(report.Nodes)-1 {
		t.Fatalf("VM %d has %d nodes", leaving.VM.VMID, len(leaving.Nodes))
	}
	for i := range leaving.Nodes {
		node := &leaving.Nodes[i]
		if alone, ok := placement.New(report).PlaceOn(leaving.VM, node.Node); !ok || node.Node == from {
			t.Fatal(node.Node)
		} else if diff := cmp.Diff(alone, *node); diff != "" {
			t.Fatalf("VM %d on %s: %s", leaving.VM.VMID, node.Node, diff)
		}
		if leaving.VM.Config == nil && node.Verdict != placement.Unknown {
			t.Fatalf("VM %d was not read and is %s on %s", leaving.VM.VMID, node.Verdict, node.Node)
		}
		off, live := movesOf(report, leaving.VM, node.Node)
		if node.Off.Verdict != off || node.Live.Verdict != live {
			t.Fatalf("VM %d to %s: off %s, running %s, want %s and %s", leaving.VM.VMID, node.Node, node.Off.Verdict, node.Live.Verdict, off, live)
		}
	}
}

// checkLeaves: what can leave can move somewhere and start there.
func checkLeaves(t *rapid.T, leaving *placement.Leaving) {
	for i := range leaving.Nodes {
		node := &leaving.Nodes[i]
		move := node.Off
		if leaving.VM.Status != facts.Stopped {
			move = node.Live
		}
		if move.Verdict == placement.MoveAllowed && (node.Verdict == placement.CanStart || leaving.VM.Template) {
			return
		}
	}
	t.Fatalf("VM %d leaves to none of %+v", leaving.VM.VMID, leaving.Nodes)
}

// movesOf decides the moves as Proxmox VE's check of local resources does, by the text of
// the lines alone.
func movesOf(report *atlas.Report, vm *atlas.VM, to string) (off, live placement.MoveVerdict) {
	if vm.Config == nil {
		off, live = placement.MoveUnknown, placement.MoveUnknown
	} else {
		off, live = movesOfLines(report, vm, to)
	}
	if vm.Status == facts.Stopped {
		live = placement.MoveNone
	}
	return off, live
}

func movesOfLines(report *atlas.Report, vm *atlas.VM, to string) (off, live placement.MoveVerdict) {
	raw, missing, mapped, flagged := false, false, false, true
	for i := range vm.Config.Items {
		item := &vm.Config.Items[i]
		if _, ok := pve.ParseSlotKey(item.Key); !ok || item.Current == nil {
			continue
		}
		value, err := pve.ParseHostPCI(*item.Current)
		switch mapping := report.MappingsByID()[value.Mapping]; {
		case err != nil:
		case value.Mapping == "":
			raw = true
		case mapping == nil || len(mapping.On(to)) == 0:
			missing = true
		default:
			mapped = true
			flagged = flagged && mapping.LiveMigration != nil && *mapping.LiveMigration
		}
	}
	switch {
	case missing:
		off = placement.MoveBlocked
	case raw:
		off = placement.MoveRootOnly
	default:
		off = placement.MoveAllowed
	}
	switch {
	case raw || missing || !flagged:
		live = placement.MoveBlocked
	case mapped:
		live = placement.MoveUnverified
	default:
		live = placement.MoveAllowed
	}
	return off, live
}

// TestEvacuationOfCustomArguments: a VM whose custom arguments bring a device is not one
// without devices: no verdict is given about it, and whether it moves while it runs is not
// verified. Arguments that the next start takes away bring nothing there.
func TestEvacuationOfCustomArguments(t *testing.T) {
	for _, c := range []struct {
		args    facts.Phases
		status  facts.Status
		verdict placement.Verdict
		live    placement.MoveVerdict
	}{
		{facts.Phases{Current: true, MentionsVFIO: true}, facts.Running, placement.Unknown, placement.MoveUnverified},
		{facts.Phases{Current: true, MentionsVFIO: true}, facts.Stopped, placement.Unknown, placement.MoveNone},
		{facts.Phases{Pending: true, MentionsVFIO: true}, facts.Running, placement.Unknown, placement.MoveAllowed},
		{facts.Phases{Current: true, Removal: true, MentionsVFIO: true}, facts.Running, placement.CanStart, placement.MoveUnverified},
	} {
		s := office(t, []int{1, 1}, "0000:01:00.0").Facts
		s.Nodes["pve-a"].VMs[100] = facts.Read[facts.VMConfig]{State: facts.OK, Value: facts.VMConfig{Args: c.args}}
		s.Guests.Value[0].Status = c.status
		evacuation, _ := placement.New(atlas.Build(s)).Evacuate("pve-a")
		list := slices.Concat(evacuation.Stay, evacuation.Leave)
		if evacuation.Unbound != 0 || len(list) != 1 || list[0].Nodes[0].Verdict != c.verdict || list[0].Nodes[0].Live.Verdict != c.live {
			t.Errorf("%+v: %+v", c, evacuation)
		}
	}
}
