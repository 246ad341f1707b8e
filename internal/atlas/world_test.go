package atlas_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"pciatlas/internal/facts"
	"pciatlas/internal/pci"
	"pciatlas/internal/pve"
)

// drawSnapshot makes a small random world: two nodes, a few devices with virtual
// functions and odd domains, mappings of every quality, VMs with lines of every
// kind, and reads that may have failed.
func drawSnapshot(t *rapid.T) *facts.Snapshot {
	s := &facts.Snapshot{
		Schema: facts.Schema, Cluster: "lab", Nodes: map[string]*facts.Node{},
		Files: facts.Read[facts.ClusterFiles]{State: facts.OK, Value: facts.ClusterFiles{
			Populated: true, Mounted: rapid.Bool().Draw(t, "mounted"), Quorate: facts.Told(rapid.Bool().Draw(t, "quorate")),
		}},
		Guests: facts.Read[[]facts.Guest]{State: facts.OK},
	}
	for _, name := range []string{"pve-a", "pve-b"} {
		s.Nodes[name] = drawNode(t, name)
	}
	s.Mappings = drawMappings(t)
	for n := range rapid.IntRange(0, 5).Draw(t, "VMs") {
		drawVM(t, s, 100+n)
	}
	if rapid.IntRange(0, 9).Draw(t, "guests partial") == 0 {
		s.Guests.State = facts.Partial
	}
	return s
}

func drawNode(t *rapid.T, name string) *facts.Node {
	node := &facts.Node{VMs: map[int]facts.Read[facts.VMConfig]{}}
	node.Devices.State = rapid.SampledFrom([]facts.ReadState{
		facts.OK, facts.OK, facts.OK, facts.Partial, facts.Failed, facts.NotAsked,
	}).Draw(t, name+" devices")
	if !node.Devices.State.Answered() {
		return node
	}
	addresses := rapid.SliceOfNDistinct(rapid.Custom(drawDeviceAddress), 0, 8, rapid.ID[pci.Address]).Draw(t, name+" addresses")
	for _, address := range addresses {
		class := rapid.SampledFrom([]pci.Class{0x030000, 0x040300, 0x120000, 0x060400}).Draw(t, "class")
		node.Devices.Value = append(node.Devices.Value, facts.Device{Address: address, Class: class})
	}
	return node
}

func drawDeviceAddress(t *rapid.T) pci.Address {
	return pci.Address{
		Domain:   rapid.SampledFrom([]uint32{0, 0, 0, 1, 0x10000}).Draw(t, "domain"),
		Bus:      rapid.SampledFrom([]uint8{0, 1, 2}).Draw(t, "bus"),
		Device:   rapid.SampledFrom([]uint8{0, 2}).Draw(t, "device"),
		Function: rapid.SampledFrom([]uint8{0, 1, 2}).Draw(t, "function"),
	}
}

func drawSelector(t *rapid.T) string {
	text := drawDeviceAddress(t).String()
	if rapid.Bool().Draw(t, "short") {
		text = strings.TrimPrefix(text, "0000:")
	}
	if rapid.Bool().Draw(t, "slot") {
		text, _, _ = strings.Cut(text, ".")
	}
	return text
}

func drawMappings(t *rapid.T) facts.Read[[]pve.Mapping] {
	read := facts.Read[[]pve.Mapping]{State: rapid.SampledFrom([]facts.ReadState{
		facts.OK, facts.OK, facts.Filtered, facts.Failed, facts.NotAsked,
	}).Draw(t, "mappings")}
	if !read.State.Answered() {
		return read
	}
	for n := range rapid.IntRange(0, 3).Draw(t, "mappings") {
		mapping := pve.Mapping{ID: fmt.Sprintf("map-%d", n)}
		for range rapid.IntRange(1, 3).Draw(t, "entries") {
			node := rapid.SampledFrom([]string{"pve-a", "pve-b", "pve-z"}).Draw(t, "entry node")
			paths := make([]string, rapid.IntRange(1, 2).Draw(t, "paths"))
			for i := range paths {
				text := drawDeviceAddress(t).String()
				if rapid.Bool().Draw(t, "slot") {
					text, _, _ = strings.Cut(text, ".")
				}
				paths[i] = text
			}
			entry, err := pve.ParseEntry("id=10de:2204,node=" + node + ",path=" + strings.Join(paths, ";"))
			if err != nil {
				t.Fatal(err)
			}
			mapping.Entries = append(mapping.Entries, entry)
		}
		read.Value = append(read.Value, mapping)
	}
	return read
}

func drawValue(t *rapid.T) string {
	switch rapid.IntRange(0, 6).Draw(t, "kind of value") {
	case 0, 1, 2:
		parts := make([]string, rapid.IntRange(1, 3).Draw(t, "parts"))
		for i := range parts {
			parts[i] = drawSelector(t)
		}
		return strings.Join(parts, ";") + rapid.SampledFrom([]string{"", ",pcie=1", ",mdev=nvidia-63"}).Draw(t, "options")
	case 3, 4:
		return fmt.Sprintf("mapping=map-%d", rapid.IntRange(0, 4).Draw(t, "mapping"))
	case 5:
		return drawSelector(t) + ",mapping=map-0"
	default:
		return rapid.SampledFrom([]string{"pcie=1", "nonsense", "0A:00.0", "01:00.0,foo=1", "mapping=map-1,bar=2"}).Draw(t, "odd")
	}
}

func drawVM(t *rapid.T, s *facts.Snapshot, vmid int) {
	name := rapid.SampledFrom([]string{"pve-a", "pve-b"}).Draw(t, "VM's node")
	s.Guests.Value = append(s.Guests.Value, facts.Guest{VMID: vmid, Kind: facts.QEMU, Node: name, Status: facts.UnknownStatus})
	if rapid.IntRange(0, 7).Draw(t, "unreadable") == 0 {
		s.Nodes[name].VMs[vmid] = facts.Read[facts.VMConfig]{State: facts.Failed}
		return
	}
	config := facts.VMConfig{}
	slots := rapid.SliceOfNDistinct(rapid.IntRange(0, 15), 0, 4, rapid.ID[int]).Draw(t, "slots")
	for _, slot := range slots {
		item := pve.Item{Key: pve.SlotKey(slot)}
		value := drawValue(t)
		switch rapid.IntRange(0, 3).Draw(t, "phase") {
		case 0:
			item.Pending = &value
		case 1:
			pending := drawValue(t)
			item.Current, item.Pending = &value, &pending
		case 2:
			item.Current, item.Delete = &value, pve.Remove
		default:
			item.Current = &value
		}
		config.Items = append(config.Items, item)
	}
	slices.SortFunc(config.Items, func(a, b pve.Item) int { return cmp.Compare(a.Key, b.Key) })
	config.Args.Current = rapid.IntRange(0, 9).Draw(t, "args") == 0
	config.Hook.Pending = rapid.IntRange(0, 9).Draw(t, "hook") == 0
	s.Nodes[name].VMs[vmid] = facts.Read[facts.VMConfig]{State: facts.OK, Value: config}
}

// bigSnapshot is a cluster of the size that speed is promised for.
func bigSnapshot(nodes, vms, gpus int) *facts.Snapshot {
	s := &facts.Snapshot{
		Schema: facts.Schema, Cluster: "big", Nodes: map[string]*facts.Node{},
		Files: facts.Read[facts.ClusterFiles]{State: facts.OK, Value: facts.ClusterFiles{
			Populated: true, Mounted: true, Quorate: facts.Told(true),
		}},
		Guests:   facts.Read[[]facts.Guest]{State: facts.OK},
		Mappings: facts.Read[[]pve.Mapping]{State: facts.OK},
	}
	at := time.Date(2026, 11, 10, 9, 0, 0, 0, time.UTC)
	stamp := facts.Stamp{Source: facts.SourceHost, From: at, To: at}
	for n := range nodes {
		name := fmt.Sprintf("pve-%02d", n)
		node := &facts.Node{VMs: make(map[int]facts.Read[facts.VMConfig], vms)}
		node.Devices = facts.Read[[]facts.Device]{State: facts.OK, Stamp: stamp}
		for g := range gpus {
			for function := range 2 {
				group := g + 10
				node.Devices.Value = append(node.Devices.Value, facts.Device{
					Address: pci.Address{Bus: uint8(g + 1), Function: uint8(function)},
					IDs:     pci.IDs{Pair: pci.Pair{Vendor: 0x10de, Device: 0x2204}},
					Class:   []pci.Class{0x030000, 0x040300}[function], Group: facts.Told(&group), Mdev: facts.Told(false),
				})
			}
		}
		for v := range vms {
			vmid := 100 + n*vms + v
			s.Guests.Value = append(s.Guests.Value, facts.Guest{VMID: vmid, Kind: facts.QEMU, Node: name, Status: facts.Running})
			value := fmt.Sprintf("0000:%02x:00,pcie=1", v%gpus+1)
			if v%4 == 0 {
				value = fmt.Sprintf("mapping=gpu-%d,pcie=1", v%gpus)
			}
			q35, vmName := "q35", fmt.Sprintf("vm-%d", vmid)
			node.VMs[vmid] = facts.Read[facts.VMConfig]{State: facts.OK, Stamp: stamp, Value: facts.VMConfig{Items: []pve.Item{
				{Key: "hostpci0", Current: &value}, {Key: "machine", Current: &q35}, {Key: "name", Current: &vmName},
			}}}
		}
		s.Nodes[name] = node
	}
	for g := range gpus {
		mapping := pve.Mapping{ID: fmt.Sprintf("gpu-%d", g)}
		for n := range nodes {
			entry, err := pve.ParseEntry(fmt.Sprintf("id=10de:2204,iommugroup=%d,node=pve-%02d,path=0000:%02x:00", g+10, n, g+1))
			if err != nil {
				panic(err)
			}
			mapping.Entries = append(mapping.Entries, entry)
		}
		s.Mappings.Value = append(s.Mappings.Value, mapping)
	}
	return s
}
