package findings_test

import (
	"fmt"
	"testing"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/findings"
	"pciatlas/internal/pci"
	"pciatlas/internal/pve"
)

// bigWorld is a cluster of nodes with VMs, GPUs and mappings: every VM names one
// mapping or one address.
func bigWorld(nodes, vms, gpus, mappings int) *facts.Snapshot {
	s := &facts.Snapshot{
		Schema: facts.Schema, Nodes: map[string]*facts.Node{},
		Files: facts.Read[facts.ClusterFiles]{State: facts.OK, Value: facts.ClusterFiles{Populated: true, Mounted: true, Quorate: facts.Told(true)}},
	}
	s.Guests.State, s.Members.State, s.Mappings.State, s.HA.State, s.Backups.State = facts.OK, facts.OK, facts.OK, facts.OK, facts.OK
	ids := pci.IDs{Pair: pci.Pair{Vendor: 0x10de, Device: 0x2204}, Subsystem: &pci.Pair{Vendor: 0x1458, Device: 0x403b}}
	for n := range nodes {
		name := fmt.Sprintf("node-%02d", n)
		node := &facts.Node{VMs: map[int]facts.Read[facts.VMConfig]{}}
		node.Devices.State = facts.OK
		for g := range gpus {
			group := g + 10
			for function := range 2 {
				node.Devices.Value = append(node.Devices.Value, facts.Device{
					Address: pci.Address{Bus: uint8(g + 1), Function: uint8(function)}, IDs: ids,
					Class: []pci.Class{0x030000, 0x040300}[function], Group: facts.Told(&group), Mdev: facts.Told(false),
				})
			}
		}
		for v := range vms {
			vmid := 1000 + n*vms + v
			value := fmt.Sprintf("mapping=gpu-%02d,pcie=1", v%mappings)
			if v%2 == 0 {
				value = fmt.Sprintf("0000:%02x:00,pcie=1", v%gpus+1)
			}
			s.Guests.Value = append(s.Guests.Value, facts.Guest{VMID: vmid, Kind: facts.QEMU, Node: name, Status: facts.Stopped})
			node.VMs[vmid] = facts.Read[facts.VMConfig]{State: facts.OK, Value: facts.VMConfig{
				Items:     []pve.Item{{Key: "hostpci0", Current: &value}, {Key: "machine", Current: new("q35")}},
				Snapshots: facts.Read[[]facts.VMSnapshot]{State: facts.OK}, HasDisk: true,
			}}
		}
		s.Nodes[name] = node
		s.Members.Value = append(s.Members.Value, facts.Member{Name: name, Online: facts.Told(true)})
	}
	for m := range mappings {
		mapping := pve.Mapping{ID: fmt.Sprintf("gpu-%02d", m)}
		for n := range nodes {
			entry, err := pve.ParseEntry(fmt.Sprintf("id=10de:2204,iommugroup=%d,node=node-%02d,path=0000:%02x:00,subsystem-id=1458:403b", m%gpus+10, n, m%gpus+1))
			if err != nil {
				panic(err)
			}
			mapping.Entries = append(mapping.Entries, entry)
		}
		s.Mappings.Value = append(s.Mappings.Value, mapping)
	}
	return s
}

// BenchmarkFind: 16 nodes with 200 VMs and 8 graphics cards each, 60 mappings.
func BenchmarkFind(b *testing.B) {
	report := atlas.Build(bigWorld(16, 200, 8, 60))
	b.ReportAllocs()
	found := 0
	for b.Loop() {
		found = len(findings.Find(report))
	}
	b.ReportMetric(float64(found), "findings")
}
