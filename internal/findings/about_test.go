package findings

import (
	"slices"
	"testing"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
)

// TestAbout: a finding is shown for each VM and function that it speaks of, not only
// for its subject, and for nothing else.
func TestAbout(t *testing.T) {
	t.Parallel()
	const nic = "0000:03:00.0 020000 8086:1521 14"
	for _, c := range []struct {
		name    string
		code    Code
		world   deviceWorld
		vms     []int    // that show it
		devices []string // that show it
	}{
		{
			"shared group", GroupShared,
			deviceWorld{devices: []string{deviceGPU, nic, deviceOther}, vms: []string{"101 stopped hostpci0: 01:00.0", "102 stopped hostpci0: 03:00.0", "103 stopped hostpci0: 02:00.0"}},
			[]int{101, 102},
			[]string{"0000:01:00.0", "0000:03:00.0"},
		},
		{
			"taken from the host", GroupTakesHostDevice,
			deviceWorld{devices: []string{deviceGPU, nic, deviceOther}, vms: []string{"101 stopped hostpci0: 01:00.0", "103 stopped hostpci0: 02:00.0"}},
			[]int{101},
			[]string{"0000:01:00.0", "0000:03:00.0"},
		},
		{
			"shared functions", DeviceShared,
			deviceWorld{devices: []string{deviceGPU, deviceSound, deviceOther}, vms: []string{"101 stopped hostpci0: 01:00", "102 stopped hostpci0: 01:00", "103 stopped hostpci0: 02:00.0"}},
			[]int{101, 102},
			[]string{"0000:01:00.0", "0000:01:00.1"},
		},
		{
			"virtual functions", PFTakenWithVFs,
			deviceWorld{devices: []string{deviceNIC, "0000:03:10.0 020000 8086:1520 17 vf=0000:03:00.0", deviceOther}, vms: []string{"101 stopped hostpci0: 03:00.0", "102 stopped hostpci0: 03:10.0", "103 stopped hostpci0: 02:00.0"}},
			[]int{101, 102},
			[]string{"0000:03:00.0", "0000:03:10.0"},
		},
		{
			"an entry without a device", MappingInvalid,
			deviceWorld{devices: []string{deviceOther}, vms: []string{"101 stopped hostpci0: mapping=gpu", "103 stopped hostpci0: 02:00.0"}, mappings: deviceMapped},
			[]int{101},
			nil,
		},
		{
			"a function left behind", FunctionLeftBehind,
			deviceWorld{devices: []string{deviceGPU, deviceSound, deviceOther}, vms: []string{"101 stopped hostpci0: 01:00.0", "103 stopped hostpci0: 02:00.0"}},
			[]int{101},
			[]string{"0000:01:00.0", "0000:01:00.1"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			report := c.world.report(t)
			only := slices.DeleteFunc(Looked(Find(report)), func(f Finding) bool { return f.Code != c.code })
			if len(only) == 0 {
				t.Fatal("nothing is found")
			}
			var vms []int
			var devices []string
			for _, v := range report.VMs {
				if len(OfVM(only, report.Node(v.Node), v)) > 0 {
					vms = append(vms, v.VMID)
				}
			}
			node := report.Node("pve-a")
			for i := range node.Devices {
				if len(OfDevice(only, node, &node.Devices[i])) > 0 {
					devices = append(devices, node.Devices[i].Address.String())
				}
			}
			if !slices.Equal(vms, c.vms) || !slices.Equal(devices, c.devices) {
				t.Errorf("shown for VMs %v and %v, want %v and %v", vms, devices, c.vms, c.devices)
			}
		})
	}
}

// TestAboutNodes: what speaks of a function of a node belongs to the node, too.
func TestAboutNodes(t *testing.T) {
	t.Parallel()
	world := deviceWorld{devices: []string{deviceGPU}, vms: []string{"101 stopped hostpci0: 01:00.0"}}
	world.change = func(s *facts.Snapshot) {
		other, alone := facts.Node{}, facts.Node{}
		other.Devices, alone.Devices.State = s.Nodes["pve-a"].Devices, facts.OK
		s.Nodes["pve-b"], s.Nodes["pve-c"] = &other, &alone
		s.Members = facts.Read[[]facts.Member]{State: facts.OK, Value: []facts.Member{{Name: "pve-a"}, {Name: "pve-b"}, {Name: "pve-c"}}}
	}
	found := slices.DeleteFunc(Looked(Find(world.report(t))), func(f Finding) bool { return f.Code != MigrationEqualDevice })
	if len(found) != 1 {
		t.Fatalf("%+v", found)
	}
	found[0].Subject.Node = "pve-a" // else it belongs to every node
	for node, want := range map[string]int{"pve-a": 1, "pve-b": 1, "pve-c": 0} {
		if got := OfNodes(found, []string{node}); len(got) != want {
			t.Errorf("%s: %+v", node, got)
		}
	}
	if len(OfNodes(found, nil)) != 1 || found[0].Subject.Slot != atlas.NoSlot {
		t.Errorf("%+v", found)
	}
}
