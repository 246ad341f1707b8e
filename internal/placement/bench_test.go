package placement_test

import (
	"fmt"
	"testing"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/pci"
	"pciatlas/internal/placement"
	"pciatlas/internal/pve"
)

// bigReport is a cluster of 16 nodes with eight cards, 60 mappings and 200 VMs each:
// pools that running VMs share, single cards, raw addresses.
func bigReport(b *testing.B) *atlas.Report {
	b.Helper()
	const nodes, cards, mappings, vms = 16, 8, 60, 200
	s := &facts.Snapshot{
		Schema: facts.Schema, Cluster: "lab", Nodes: map[string]*facts.Node{}, Guests: facts.Read[[]facts.Guest]{State: facts.OK},
		Mappings: facts.Read[[]pve.Mapping]{State: facts.OK}, Members: facts.Read[[]facts.Member]{State: facts.OK},
		Files: facts.Read[facts.ClusterFiles]{State: facts.OK, Value: facts.ClusterFiles{
			Populated: true, Mounted: true, Quorate: facts.Told(true),
		}},
	}
	for m := range mappings {
		s.Mappings.Value = append(s.Mappings.Value, pve.Mapping{ID: fmt.Sprintf("map-%02d", m)})
	}
	for n := range nodes {
		name := fmt.Sprintf("pve-%02d", n)
		node := &facts.Node{Devices: facts.Read[[]facts.Device]{State: facts.OK}, VMs: map[int]facts.Read[facts.VMConfig]{}}
		s.Members.Value = append(s.Members.Value, facts.Member{Name: name, Online: facts.Told(true)})
		for c := range cards {
			group := 10 + c
			for function, class := range []pci.Class{0x030000, 0x040300} {
				node.Devices.Value = append(node.Devices.Value, facts.Device{
					Address: pci.Address{Bus: uint8(c + 1), Function: uint8(function)}, Class: class,
					IDs: pci.IDs{Pair: pci.Pair{Vendor: 0x10de, Device: pci.ID(0x2204 + function)}}, Group: facts.Told(&group), Mdev: facts.Told(false),
				})
			}
		}
		for m := range s.Mappings.Value {
			for e := range 1 + m%4 {
				entry, err := pve.ParseEntry(fmt.Sprintf("id=10de:2204,iommugroup=%d,node=%s,path=0000:%02x:00", 10+(m+e)%cards, name, 1+(m+e)%cards))
				if err != nil {
					b.Fatal(err)
				}
				s.Mappings.Value[m].Entries = append(s.Mappings.Value[m].Entries, entry)
			}
		}
		for v := range vms {
			vmid, status := 1000*(n+1)+v, facts.Stopped
			value := fmt.Sprintf("mapping=map-%02d,pcie=1", v%mappings)
			switch {
			case v < cards/2:
				status = facts.Running
				value = fmt.Sprintf("mapping=map-%02d,pcie=1", v)
			case v%10 == 0:
				value = fmt.Sprintf("0000:%02x:00,pcie=1", 1+v%cards)
			}
			machine, memory := "q35", "8192"
			s.Guests.Value = append(s.Guests.Value, facts.Guest{VMID: vmid, Kind: facts.QEMU, Node: name, Status: status, Template: facts.Told(false)})
			node.VMs[vmid] = facts.Read[facts.VMConfig]{State: facts.OK, Value: facts.ReduceVM([]pve.Item{
				{Key: "hostpci0", Current: &value}, {Key: "machine", Current: &machine}, {Key: "memory", Current: &memory},
			})}
		}
		s.Nodes[name] = node
	}
	return atlas.Build(s)
}

// BenchmarkPlace places one VM over 16 nodes, with everything computed anew.
func BenchmarkPlace(b *testing.B) {
	report := bigReport(b)
	for b.Loop() {
		if placed := placement.New(report).Place(report.VMs[150]); len(placed.Nodes) != 16 {
			b.Fatal(len(placed.Nodes))
		}
	}
}

// BenchmarkEvacuate empties a node with 200 VMs into 15 others.
func BenchmarkEvacuate(b *testing.B) {
	report := bigReport(b)
	for b.Loop() {
		evacuation, ok := placement.New(report).Evacuate("pve-00")
		if !ok || evacuation.VMs != 200 {
			b.Fatal(evacuation.VMs)
		}
	}
}

// BenchmarkMatrix sets 60 mappings against 16 nodes with 3,200 VMs.
func BenchmarkMatrix(b *testing.B) {
	report := bigReport(b)
	for b.Loop() {
		if matrix := report.Matrix(); len(matrix.Rows) != 60 || len(matrix.Nodes) != 16 {
			b.Fatal(len(matrix.Rows), len(matrix.Nodes))
		}
	}
}
