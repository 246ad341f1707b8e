package placement_test

import (
	"fmt"
	"slices"
	"testing"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/pci"
	"pciatlas/internal/placement"
	"pciatlas/internal/pve"
)

// office is a cluster of nodes with so many equal cards each, at the buses 1, 2 and so
// on, with one mapping that has an entry for each card, and VMs on the first node.
func office(t *testing.T, cards []int, values ...string) *atlas.Report {
	t.Helper()
	s := &facts.Snapshot{
		Schema: facts.Schema, Cluster: "office", Nodes: map[string]*facts.Node{}, Guests: facts.Read[[]facts.Guest]{State: facts.OK},
		Mappings: facts.Read[[]pve.Mapping]{State: facts.OK}, Members: facts.Read[[]facts.Member]{State: facts.OK},
		Files: facts.Read[facts.ClusterFiles]{State: facts.OK, Value: facts.ClusterFiles{
			Populated: true, Mounted: true, Quorate: facts.Told(true),
		}},
	}
	pool := pve.Mapping{ID: "pool"}
	for n, count := range cards {
		name := fmt.Sprintf("pve-%c", 'a'+n)
		node := &facts.Node{Devices: facts.Read[[]facts.Device]{State: facts.OK}, VMs: map[int]facts.Read[facts.VMConfig]{}}
		s.Members.Value = append(s.Members.Value, facts.Member{Name: name, Online: facts.Told(true)})
		for c := range count {
			group := c + 1
			node.Devices.Value = append(node.Devices.Value, facts.Device{
				Address: pci.Address{Bus: uint8(c + 1)}, Class: 0x030000, IDs: pci.IDs{Pair: pci.Pair{Vendor: 0x10de, Device: 0x2204}},
				Group: facts.Told(&group), Mdev: facts.Told(false), Parent: facts.Told[*pci.Address](nil), VFs: facts.Told([]pci.Address{}),
			})
			pool.Entries = append(pool.Entries, poolEntry(t, name, c+1))
		}
		s.Nodes[name] = node
	}
	s.Mappings.Value = []pve.Mapping{pool}
	for v, value := range values {
		vmid := 100 + v
		machine := "q35"
		s.Guests.Value = append(s.Guests.Value, facts.Guest{VMID: vmid, Kind: facts.QEMU, Node: "pve-a", Status: facts.Stopped, Template: facts.Told(false)})
		s.Nodes["pve-a"].VMs[vmid] = facts.Read[facts.VMConfig]{State: facts.OK, Value: facts.ReduceVM([]pve.Item{
			{Key: "hostpci0", Current: &value}, {Key: "machine", Current: &machine},
		})}
	}
	return atlas.Build(s)
}

func poolEntry(t *testing.T, node string, bus int) pve.Entry {
	t.Helper()
	entry, err := pve.ParseEntry(fmt.Sprintf("id=10de:2204,iommugroup=%d,node=%s,path=0000:%02x:00.0", bus, node, bus))
	if err != nil {
		t.Fatal(err)
	}
	return entry
}

// TestTogether: each VM alone finds a place, and together only as many as there are
// cards; those that can go to one node alone go there first.
func TestTogether(t *testing.T) {
	for _, c := range []struct {
		name   string
		cards  []int
		values []string
		want   []string
	}{
		{"one card for two", []int{2, 1}, []string{"mapping=pool", "mapping=pool"}, []string{"pve-b", ""}},
		{"a card each", []int{2, 2}, []string{"mapping=pool", "mapping=pool"}, []string{"pve-b", "pve-b"}},
		{"two nodes", []int{3, 1, 1}, []string{"mapping=pool", "mapping=pool", "mapping=pool"}, []string{"pve-b", "pve-c", ""}},
		// The address is on pve-c alone; the pool has to leave that card.
		{"the narrow one first", []int{2, 1, 2}, []string{"mapping=pool", "0000:02:00.0", "mapping=pool"}, []string{"pve-b", "pve-c", "pve-c"}},
		{"nowhere", []int{3, 1}, []string{"0000:03:00.0", "mapping=pool"}, []string{"", "pve-b"}},
	} {
		evacuation, _ := placement.New(office(t, c.cards, c.values...)).Evacuate("pve-a")
		var got []string
		held := map[string]bool{}
		for _, settled := range evacuation.Together.VMs {
			got = append(got, settled.Node)
			for _, address := range settled.Devices {
				key := settled.Node + " " + address.String()
				if held[key] {
					t.Errorf("%s: two VMs get %s", c.name, key)
				}
				held[key] = true
			}
		}
		if len(got) != len(c.want) || countEmpty(got) != countEmpty(c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if evacuation.Together.Cut {
			t.Errorf("%s: not all arrangements were looked at", c.name)
		}
	}
}

func countEmpty(nodes []string) int {
	count := 0
	for _, node := range nodes {
		if node == "" {
			count++
		}
	}
	return count
}

// TestTogetherAlone: of a VM without a place it is told whether it has one without the
// others.
func TestTogetherAlone(t *testing.T) {
	evacuation, _ := placement.New(office(t, []int{3, 1}, "0000:03:00.0", "mapping=pool", "mapping=pool")).Evacuate("pve-a")
	for _, settled := range evacuation.Together.VMs {
		if want := settled.VM.VMID != 100; settled.Alone != want {
			t.Errorf("VM %d: alone %t, want %t", settled.VM.VMID, settled.Alone, want)
		}
	}
}

// TestTogetherManyVMs: many VMs for few cards end soon, and say that not all was looked
// at, or find the best.
func TestTogetherManyVMs(t *testing.T) {
	values := slices.Repeat([]string{"mapping=pool"}, 60)
	evacuation, _ := placement.New(office(t, []int{1, 3, 3, 3}, values...)).Evacuate("pve-a")
	settled := len(values) - countEmpty(nodesOf(evacuation.Together.VMs))
	if settled != 9 || !evacuation.Together.Cut {
		t.Errorf("%d VMs have a place, cut %t; want 9 of a search that was cut", settled, evacuation.Together.Cut)
	}
}

func nodesOf(vms []placement.Settled) []string {
	var nodes []string
	for _, vm := range vms {
		nodes = append(nodes, vm.Node)
	}
	return nodes
}

// TestSuppose: a line with an address keeps a VM on its node; with a mapping that is not
// there yet it could start on both, and nothing of that is told as if it were so.
func TestSuppose(t *testing.T) {
	report := office(t, []int{1, 2}, "0000:01:00.0,pcie=1")
	places := placement.New(report)
	vm := report.FindVM(100)[0]
	wanted := pve.Mapping{ID: "rtx", Entries: []pve.Entry{poolEntry(t, "pve-a", 1), poolEntry(t, "pve-b", 2)}}
	supposed := places.Suppose(vm, []pve.Mapping{wanted})
	if supposed == nil || len(supposed.Mappings) != 1 || supposed.Mappings[0].Exists || !slices.Equal(supposed.Mappings[0].Slots, []int{0}) || len(supposed.Raw) != 0 {
		t.Fatalf("supposed %+v", supposed)
	}
	for i, want := range []string{"0000:01:00.0", "0000:02:00.0"} {
		node := &supposed.Nodes[i]
		if node.Verdict != placement.CanStart || node.Reasons[0].Params["devices"] != want || node.Reasons[0].Mapping != "rtx" {
			t.Errorf("%s: %+v, want a start with %s", node.Node, node, want)
		}
	}
	if move := supposed.Nodes[1].Off; move.Verdict != placement.MoveAllowed {
		t.Errorf("the move is %+v, want it allowed", move)
	}
	// The second node has the same address, so what is true now is another matter.
	for _, node := range places.Place(vm).Nodes {
		if !node.Here && node.Off.Verdict != placement.MoveRootOnly {
			t.Errorf("now the move is %+v, want it kept to root", node.Off)
		}
	}
	for name, mappings := range map[string][]pve.Mapping{
		"none":                 nil,
		"of another device":    {{ID: "other", Entries: []pve.Entry{poolEntry(t, "pve-b", 2)}}},
		"two of them, unclear": {wanted, {ID: "again", Entries: wanted.Entries}},
	} {
		if got := places.Suppose(vm, mappings); got != nil {
			t.Errorf("%s: %+v, want nothing", name, got)
		}
	}
}

// TestSupposeMoreEntries: a mapping with further entries lets its VMs start where these
// are, and what running VMs hold stays as it is.
func TestSupposeMoreEntries(t *testing.T) {
	report := office(t, []int{1, 1}, "mapping=pool")
	vm := report.FindVM(100)[0]
	now := report.Mappings[0]
	now.Entries = now.Entries[:1]
	report.Mappings[0] = now
	places := placement.New(report)
	if node := places.Place(vm).Nodes[1]; node.Verdict != placement.CannotStart {
		t.Fatalf("without an entry: %+v", node)
	}
	more := pve.Mapping{ID: "pool", Entries: []pve.Entry{poolEntry(t, "pve-a", 1), poolEntry(t, "pve-b", 1)}}
	supposed := places.Suppose(vm, []pve.Mapping{more})
	if supposed == nil || !supposed.Mappings[0].Exists || supposed.Nodes[1].Verdict != placement.CanStart {
		t.Fatalf("supposed %+v", supposed)
	}
	if node := places.Place(vm).Nodes[1]; node.Verdict != placement.CannotStart {
		t.Errorf("a supposition changed what is: %+v", node)
	}
}

// TestSupposeOneCardInTwoLines: where two lines name the functions of one card, the mapping
// of the whole slot takes the place of both, and nothing is assigned twice.
func TestSupposeOneCardInTwoLines(t *testing.T) {
	report := office(t, []int{2, 1})
	s := report.Facts
	for _, name := range []string{"pve-a", "pve-b"} {
		read := &s.Nodes[name].Devices
		for _, card := range slices.Clone(read.Value) {
			sound := card
			sound.Address.Function, sound.Class, sound.IDs.Device = 1, 0x040300, 0x1aef
			read.Value = append(read.Value, sound)
		}
	}
	wanted := pve.Mapping{ID: "cards", Entries: []pve.Entry{poolEntry(t, "pve-a", 1), poolEntry(t, "pve-a", 2), poolEntry(t, "pve-b", 1)}}
	for i := range wanted.Entries {
		wanted.Entries[i].Path = wanted.Entries[i].Path[:len("0000:01:00")]
	}
	for _, c := range []struct {
		values []string
		here   placement.Verdict
		there  placement.Verdict
	}{
		{[]string{"0000:01:00.0", "0000:01:00.1"}, placement.CanStart, placement.CanStart},
		{[]string{"0000:01:00.1", "0000:01:00.0"}, placement.CanStart, placement.CanStart},
		{[]string{"0000:01:00", "0000:02:00"}, placement.CanStart, placement.CannotStart},
		{[]string{"0000:01:00.0", "0000:02:00.0", "0000:01:00.1", "0000:02:00.1"}, placement.CanStart, placement.CannotStart},
	} {
		var items []pve.Item
		for slot, value := range c.values {
			items = append(items, pve.Item{Key: pve.SlotKey(slot), Current: &value})
		}
		s.Guests.Value = []facts.Guest{{VMID: 100, Kind: facts.QEMU, Node: "pve-a", Status: facts.Stopped, Template: facts.Told(false)}}
		s.Nodes["pve-a"].VMs = map[int]facts.Read[facts.VMConfig]{100: {State: facts.OK, Value: facts.ReduceVM(items)}}
		built := atlas.Build(s)
		supposed := placement.New(built).Suppose(built.VMs[0], []pve.Mapping{wanted})
		if supposed == nil || len(supposed.Mappings[0].Slots) != len(c.values) || len(supposed.Raw) != 0 ||
			supposed.Nodes[0].Verdict != c.here || supposed.Nodes[1].Verdict != c.there {
			t.Errorf("%v: %+v", c.values, supposed)
		}
	}
}
