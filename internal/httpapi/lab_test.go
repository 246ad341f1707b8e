package httpapi

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/fleet"
	"pciatlas/internal/pci"
	"pciatlas/internal/pve"
)

// labCluster is a registered cluster.
func labCluster(name string) fleet.Cluster {
	return fleet.Cluster{
		Name: name, Entries: []string{"https://pve-a.example.com:8006"}, TokenID: "atlas@pve!reader",
		TLS: fleet.TLS{Fingerprints: []string{strings.TrimSuffix(strings.Repeat("AB:", 32), ":")}},
	}
}

// stamp is when the lab was read.
var stamp = facts.Stamp{Source: facts.SourceAPI, Via: "pve-a", From: time.Date(2026, 11, 10, 9, 2, 6, 5e8, time.UTC)}

// labFacts are those of a cluster with nodes pve-a, which has a graphics card
// with sound, and pve-b, of which nothing could be read.
func labFacts(t testing.TB, cluster string) *facts.Snapshot {
	t.Helper()
	s := &facts.Snapshot{Schema: facts.Schema, Cluster: cluster, Nodes: map[string]*facts.Node{}}
	s.Files = facts.Read[facts.ClusterFiles]{State: facts.OK, Value: facts.ClusterFiles{Populated: true, Mounted: true, Quorate: facts.Told(true)}}
	s.Members = facts.Read[[]facts.Member]{State: facts.OK, Stamp: stamp, Value: []facts.Member{
		{Name: "pve-a", Online: facts.Told(true)}, {Name: "pve-b", Online: facts.Told(false)}, {Name: "pve-c"},
	}}
	s.Guests = facts.Read[[]facts.Guest]{State: facts.OK, Stamp: stamp}
	s.Mappings.State, s.HA.State, s.Backups.State, s.Replication.State = facts.OK, facts.OK, facts.OK, facts.OK
	group := 2
	node := &facts.Node{VMs: map[int]facts.Read[facts.VMConfig]{}}
	node.Devices = facts.Read[[]facts.Device]{State: facts.OK, Stamp: stamp, Value: []facts.Device{
		{
			Address: pci.Address{Bus: 1}, Class: 0x030000, Group: facts.Told(&group), Mdev: facts.Told(false),
			IDs:   pci.IDs{Pair: pci.Pair{Vendor: 0x10de, Device: 0x1427}, Subsystem: &pci.Pair{Vendor: 0x1462, Device: 0x115a}},
			Names: pci.Names{Class: "VGA compatible controller", Vendor: "NVIDIA Corporation", Device: "GM206M [GeForce GTX 965M]"},
		},
		{
			Address: pci.Address{Bus: 1, Function: 1}, Class: 0x040300, Group: facts.Told(&group), Mdev: facts.Told(false),
			IDs: pci.IDs{Pair: pci.Pair{Vendor: 0x10de, Device: 0x0fba}},
		},
		{Address: pci.Address{Bus: 2}, Class: 0x030000, IDs: pci.IDs{Pair: pci.Pair{Vendor: 0x1002, Device: 0x67df}}, VFs: facts.Told([]pci.Address{})},
	}}
	s.Nodes["pve-a"] = node
	s.Nodes["pve-b"] = &facts.Node{Devices: facts.Read[[]facts.Device]{State: facts.Failed, Problems: []facts.Problem{{Code: facts.ProblemUnreachable, Message: "no answer"}}}}
	addVM(t, s, "pve-a", "100 running win10-test", "hostpci0: 0000:01:00\nargs: -device CANARY\ntags: vdi;win\n")
	addVM(t, s, "pve-a", "101 stopped media", "hostpci1: 0000:03:00.0\nmachine: q35\n")
	addVM(t, s, "pve-a", "102 stopped plain", "memory: 2048\n")
	s.Guests.Value = append(s.Guests.Value, facts.Guest{VMID: 200, Kind: facts.LXC, Node: "pve-a", Status: facts.Running})
	return s
}

// addVM adds a VM: "number status name" and its file.
func addVM(t testing.TB, s *facts.Snapshot, node, head, file string) {
	t.Helper()
	words := strings.Fields(head)
	vmid, err := strconv.Atoi(words[0])
	if err != nil {
		t.Fatal(err)
	}
	config := pve.ParseVMConfig(file)
	guest := facts.Guest{VMID: vmid, Kind: facts.QEMU, Node: node, Status: facts.Status(words[1]), Name: words[2], Template: facts.Told(false)}
	if tags, found := strings.CutPrefix(file[strings.LastIndex(file, "tags: ")+1:], "ags: "); found {
		guest.Tags = strings.FieldsFunc(tags, func(r rune) bool { return r == ';' || r == '\n' })
	}
	s.Guests.Value = append(s.Guests.Value, guest)
	if s.Nodes[node].VMs == nil {
		s.Nodes[node].VMs = map[int]facts.Read[facts.VMConfig]{}
	}
	s.Nodes[node].VMs[vmid] = facts.Read[facts.VMConfig]{State: facts.OK, Stamp: stamp, Value: facts.ReduceVM(config.Items())}
}

// labWorld is a world with the cluster default.
func labWorld(t *testing.T, edits ...func(*facts.Snapshot)) (*world, *fakeClusters, *fakeLive) {
	t.Helper()
	w, clusters, live := withClusters(t, labCluster("default"))
	live.reports["default"] = labReport(t, "default", edits...)
	return w, clusters, live
}

func labReport(t testing.TB, cluster string, edits ...func(*facts.Snapshot)) *atlas.Report {
	t.Helper()
	s := labFacts(t, cluster)
	for _, edit := range edits {
		edit(s)
	}
	return atlas.Build(s)
}
