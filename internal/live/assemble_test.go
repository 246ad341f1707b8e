package live

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pciatlas/internal/facts"
)

func at(second int) time.Time { return time.Date(2026, 11, 30, 12, 0, second, 0, time.UTC) }

func vm(vmid int, node string) facts.Guest {
	return facts.Guest{VMID: vmid, Kind: facts.QEMU, Node: node}
}

func config(second int, digest string) facts.Read[facts.VMConfig] {
	return facts.Read[facts.VMConfig]{State: facts.OK, Value: facts.VMConfig{Digest: digest}, Stamp: facts.Stamp{To: at(second)}}
}

// look makes the read of a node that looked at a second for the last time and
// found guests; configs are by node and number.
func look(base facts.Snapshot, second int, guests []facts.Guest, configs map[string]map[int]string) facts.Snapshot {
	s := base
	s.Nodes = map[string]*facts.Node{}
	for name, vms := range configs {
		node := &facts.Node{VMs: map[int]facts.Read[facts.VMConfig]{}}
		for vmid, digest := range vms {
			node.VMs[vmid] = config(second, digest)
		}
		s.Nodes[name] = node
	}
	s.Guests.Stamp.To = at(second)
	if guests != nil {
		s.Guests.Value, s.Guests.Got = guests, len(guests)
	}
	return s
}

func baseOf(guests ...facts.Guest) facts.Snapshot {
	s := facts.Snapshot{Schema: facts.Schema}
	s.Guests = facts.Read[[]facts.Guest]{State: facts.OK, Value: guests, Got: len(guests), Stamp: facts.Stamp{From: at(0), To: at(0)}}
	return s
}

type configs = map[string]map[int]string

func TestAssemble(t *testing.T) {
	base := baseOf(vm(100, "a"), vm(101, "b"))
	still := configs{"a": {100: "on a"}}
	other := configs{"b": {101: "101"}}
	for name, c := range map[string]struct {
		a, b facts.Snapshot
		want string
	}{
		"nothing moved": {look(base, 2, nil, still), look(base, 3, nil, other), "100 on a: on a"},
		"both saw it": {
			look(base, 2, []facts.Guest{vm(100, "b"), vm(101, "b")}, configs{"a": {}, "b": {100: "followed"}}),
			look(base, 3, []facts.Guest{vm(100, "b"), vm(101, "b")}, configs{"b": {100: "arrived", 101: "101"}}),
			"100 on b: arrived",
		},
		"only the old node saw it": {
			look(base, 4, []facts.Guest{vm(100, "b"), vm(101, "b")}, configs{"a": {}, "b": {100: "followed"}}),
			look(base, 3, nil, other), "100 on b: followed",
		},
		"only the new node saw it": {
			look(base, 2, nil, still),
			look(base, 3, []facts.Guest{vm(100, "b"), vm(101, "b")}, configs{"b": {100: "arrived", 101: "101"}}),
			"100 on b: arrived",
		},
		"it went and came back": {
			look(base, 4, nil, still),
			look(base, 3, []facts.Guest{vm(100, "b"), vm(101, "b")}, configs{"b": {100: "arrived", 101: "101"}}),
			"100 on a: on a",
		},
		"a clock that stands": {
			look(base, 3, nil, still),
			look(base, 3, []facts.Guest{vm(100, "b"), vm(101, "b")}, configs{"b": {100: "arrived", 101: "101"}}),
			"100 on b: arrived",
		},
		"deleted": {look(base, 3, []facts.Guest{vm(101, "b")}, configs{"a": {}}), look(base, 2, nil, other), ""},
		"to a node that is not read": {
			look(base, 3, []facts.Guest{vm(100, "c"), vm(101, "b")}, configs{"a": {}, "c": {100: "followed"}}),
			look(base, 2, nil, other), "100 on c: ",
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, swap := range []bool{false, true} {
				names, reads := []string{"a", "b"}, []facts.Snapshot{c.a, c.b}
				if swap {
					slices.Reverse(names)
					slices.Reverse(reads)
				}
				got := assemble(base, names, reads)
				if where := describe(&got, 100); where != c.want {
					t.Errorf("%q, want %q", where, c.want)
				}
				if where := describe(&got, 101); where != "101 on b: 101" {
					t.Errorf("%q", where)
				}
				if got.Guests.Got != len(got.Guests.Value) || len(got.Nodes) != 2 {
					t.Errorf("%d guests counted, %d there, %d nodes", got.Guests.Got, len(got.Guests.Value), len(got.Nodes))
				}
			}
			if describe(&c.a, 101) == "" {
				t.Error("the read was changed")
			}
		})
	}
}

// describe says where a VM is and what configuration it has there; every place at
// which it is found is named.
func describe(s *facts.Snapshot, vmid int) string {
	text := ""
	for _, guest := range s.Guests.Value {
		if guest.VMID == vmid {
			text += fmt.Sprintf("%d on %s: ", vmid, guest.Node)
			if node := s.Nodes[guest.Node]; node != nil {
				text += node.VMs[vmid].Value.Digest
			}
		}
	}
	for name, node := range s.Nodes {
		_, held := node.VMs[vmid]
		if i := slices.IndexFunc(s.Guests.Value, func(g facts.Guest) bool { return g.VMID == vmid }); held && (i < 0 || s.Guests.Value[i].Node != name) {
			text += " also on " + name
		}
	}
	return text
}

func TestAssembleMentions(t *testing.T) {
	base := baseOf(vm(100, "a"), vm(101, "b"))
	base.Mentions = facts.Read[[]facts.Mention]{State: facts.OK, Got: 2, Total: 2, Value: []facts.Mention{{VMID: 200}, {VMID: 300}}}
	a := look(base, 2, []facts.Guest{vm(101, "b")}, configs{"a": {}})
	a.Mentions.Value = []facts.Mention{{VMID: 100, Taken: facts.Told(true)}, {VMID: 200}, {VMID: 300, Taken: facts.Told(false)}}
	b := look(base, 3, []facts.Guest{vm(100, "a"), vm(101, "b"), vm(200, "b")}, configs{"b": {101: "101", 200: "new"}})
	got := assemble(base, []string{"a", "b"}, []facts.Snapshot{a, b})
	if text := fmt.Sprint(got.Mentions.Value, got.Mentions.Got, got.Mentions.Total); text != "[{100  false {true true}} {300  false {true false}}] 2 2" {
		t.Errorf("%s", text)
	}
	if where := describe(&got, 200); where != "200 on b: new" {
		t.Errorf("%q", where)
	}
}

// TestAssembleRandomMoves compares with a simple truth: VMs move at random while
// nodes are read one after another, each with a look at its end. Every VM is then
// where the last look that concerns it found it, once, with a configuration from
// there.
func TestAssembleRandomMoves(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	nodes := []string{"a", "b", "c"}
	for range 500 {
		where := map[int]string{}
		var guests []facts.Guest
		for vmid := 100; vmid < 106; vmid++ {
			where[vmid] = nodes[random.IntN(3)]
			guests = append(guests, vm(vmid, where[vmid]))
		}
		base := baseOf(guests...)
		var reads []facts.Snapshot
		for i, name := range nodes {
			if vmid := 100 + random.IntN(6); random.IntN(2) == 0 {
				where[vmid] = nodes[random.IntN(3)]
			}
			reads = append(reads, lookFrom(base, i+1, name, where))
		}
		got := assemble(base, nodes, reads)
		for vmid := 100; vmid < 106; vmid++ {
			place, second := expected(guests, reads, nodes, vmid)
			if want := fmt.Sprintf("%d on %s: %s %d", vmid, place, place, second); describe(&got, vmid) != want {
				t.Fatalf("%q, want %q", describe(&got, vmid), want)
			}
		}
	}
}

// lookFrom makes what a reader gives for a node that it reads at one moment.
func lookFrom(base facts.Snapshot, second int, name string, where map[int]string) facts.Snapshot {
	held := configs{name: {}}
	guests := slices.Clone(base.Guests.Value)
	for i, guest := range guests {
		now := where[guest.VMID]
		if guest.Node != name && now != name {
			continue // not this read's concern
		}
		guests[i].Node = now
		if held[now] == nil {
			held[now] = map[int]string{}
		}
		held[now][guest.VMID] = fmt.Sprintf("%s %d", now, second)
	}
	return look(base, second, guests, held)
}

// expected gives the place that the last read found which was concerned.
func expected(before []facts.Guest, reads []facts.Snapshot, nodes []string, vmid int) (place string, second int) {
	for i := range reads {
		old, now := find(before, vmid).Node, find(reads[i].Guests.Value, vmid).Node
		if old == nodes[i] || now == nodes[i] {
			place, second = now, i+1
		}
	}
	return place, second
}
