package atlas_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/pci"
	"pciatlas/internal/pve"
)

// groupWorld is a node whose group 7 has a root port, a graphics card with sound, a
// network controller, a host bridge, an ISA bridge and, elsewhere, a USB controller.
// drivers make it one that was read on the node.
func groupWorld(t *testing.T, status facts.Status, config string, drivers map[string]string) *atlas.Node {
	t.Helper()
	node := &facts.Node{}
	node.Devices.State = facts.OK
	seven, eight := 7, 8
	for text, class := range map[string]pci.Class{
		"0000:00:00.0": 0x060000, "0000:00:01.0": 0x060400, "0000:00:1f.0": 0x060100, "0000:01:00.0": 0x030000,
		"0000:01:00.1": 0x040300, "0000:02:00.0": 0x020000, "0000:03:00.0": 0x0c0330,
	} {
		address, err := pci.ParseAddress(text)
		if err != nil {
			t.Fatal(err)
		}
		device := facts.Device{Address: address, Class: class, Group: facts.Told(&seven)}
		if class == 0x0c0330 {
			device.Group.Value = &eight
		}
		if drivers != nil {
			device.Host = &facts.HostDevice{Driver: drivers[text], BusBelow: class == 0x060400}
		}
		node.Devices.Value = append(node.Devices.Value, device)
	}
	parsed := pve.ParseVMConfig(strings.ReplaceAll(config, "|", "\n") + "\n")
	node.VMs = map[int]facts.Read[facts.VMConfig]{101: {State: facts.OK, Value: facts.ReduceVM(parsed.Items())}}
	s := &facts.Snapshot{Nodes: map[string]*facts.Node{"pve-a": node}}
	s.Guests = facts.Read[[]facts.Guest]{State: facts.OK, Value: []facts.Guest{{VMID: 101, Kind: facts.QEMU, Node: "pve-a", Status: status}}}
	s.Mappings.State = facts.OK
	s.Mappings.Value, _ = pve.ParseMappingFile("any\n\tmap id=10de:2204,node=pve-a,path=0000:01:00.0\n\tmap id=10de:2204,node=pve-a,path=0000:03:00.0\n")
	return atlas.Build(s).Node("pve-a")
}

func TestStartTake(t *testing.T) {
	t.Parallel()
	const rest = "group 7: 0000:00:00.0 harmless, 0000:00:1f.0, 0000:01:00.1 harmless, 0000:02:00.0"
	const bound = "0000:02:00.0 bound"
	for name, c := range map[string]struct {
		config  string
		status  facts.Status
		drivers map[string]string
		want    string // of hostpci0
	}{
		"one function":          {"hostpci0: 01:00.0", facts.Stopped, nil, rest},
		"read on the node":      {"hostpci0: 01:00.0", facts.Stopped, map[string]string{}, rest},
		"another line":          {"hostpci0: 01:00|hostpci1: 02:00.0", facts.Stopped, nil, "group 7: 0000:00:00.0 harmless, 0000:00:1f.0"},
		"line to come":          {"hostpci0: 01:00.0|[PENDING]|hostpci1: 02:00.0", facts.Stopped, nil, strings.TrimSuffix(rest, ", 0000:02:00.0")},
		"line to go":            {"hostpci0: 01:00.0|hostpci1: 02:00.0|[PENDING]|delete: hostpci1", facts.Stopped, nil, rest},
		"line to go, running":   {"hostpci0: 01:00.0|hostpci1: 02:00.0|[PENDING]|delete: hostpci1", facts.Running, nil, strings.TrimSuffix(rest, ", 0000:02:00.0")},
		"replaced":              {"hostpci0: 01:00.0|[PENDING]|hostpci0: 03:00.0", facts.Stopped, nil, ""},
		"replaced by nonsense":  {"hostpci0: 01:00.0|[PENDING]|hostpci0: nonsense", facts.Stopped, nil, rest},
		"waits for VMs":         {"hostpci0: 01:00.0", facts.Stopped, map[string]string{"0000:02:00.0": "vfio-pci"}, strings.TrimSuffix(rest, ", 0000:02:00.0")},
		"held by the VM itself": {"hostpci0: 01:00.0", facts.Running, map[string]string{"0000:02:00.0": "vfio-pci"}, rest},
		"driver told":           {"hostpci0: 01:00.0", facts.Stopped, map[string]string{"0000:02:00.0": "bound"}, strings.Replace(rest, "0000:02:00.0", bound, 1)},
		"alternatives":          {"hostpci0: mapping=any", facts.Stopped, nil, "maybe " + rest},
		"a group of its own":    {"hostpci0: 03:00.0", facts.Stopped, nil, ""},
		"a slice":               {"hostpci0: 01:00.0,mdev=a", facts.Stopped, nil, ""},
		"bound by hand":         {"hostpci0: 01:00.0,driver=keep", facts.Stopped, nil, ""},
		"template":              {"template: 1|hostpci0: 01:00.0", facts.Stopped, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			node := groupWorld(t, c.status, c.config, c.drivers)
			if diff := cmp.Diff(c.want, takeText(node)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// takeText gives what the current value of hostpci0 takes.
func takeText(node *atlas.Node) string {
	for i := range node.Devices {
		for _, reference := range node.Devices[i].References {
			take := node.StartTake(reference.Line)
			if reference.Slot != 0 || reference.Phase != atlas.Current || len(take.Lost) == 0 {
				continue
			}
			var words []string
			for _, lost := range take.Lost {
				word := lost.Address.String()
				if lost.Host != nil && lost.Host.Driver != "" && lost.Host.Driver != "vfio-pci" {
					word += " " + lost.Host.Driver
				}
				if lost.Harmless {
					word += " harmless"
				}
				words = append(words, word)
			}
			text := fmt.Sprintf("group %d: %s", take.Groups[0], strings.Join(words, ", "))
			if take.Certainty == atlas.Candidate {
				text = "maybe " + text
			}
			return text
		}
	}
	return ""
}

// TestGroupMembers: who is taken and what the host loses are two questions.
func TestGroupMembers(t *testing.T) {
	t.Parallel()
	node := groupWorld(t, facts.Stopped, "hostpci0: 01:00", map[string]string{"0000:02:00.0": "vfio-pci", "0000:00:1f.0": "lpc_ich"})
	var got []string
	for _, member := range node.Group(&node.Devices[0]) {
		got = append(got, fmt.Sprintf("%s taken %v lost %v", member.Address, member.Taken, member.Lost))
	}
	want := []string{
		"0000:00:00.0 taken true lost true", "0000:00:01.0 taken false lost false", "0000:00:1f.0 taken true lost true",
		"0000:01:00.0 taken true lost false", "0000:01:00.1 taken true lost false", "0000:02:00.0 taken true lost false",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestIsBMC: displays of management controllers show by their ids.
func TestIsBMC(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		vendor, device pci.ID
		class          pci.Class
		want           bool
	}{
		{0x1a03, 0x2000, 0x030000, true},
		{0x102b, 0x0536, 0x030000, true},
		{0x102b, 0x0525, 0x030000, false},
		{0x10de, 0x2204, 0x030000, false},
		{0x1a03, 0x1150, 0x060400, false},
	} {
		device := atlas.Device{Device: &facts.Device{Class: c.class, IDs: pci.IDs{Pair: pci.Pair{Vendor: c.vendor, Device: c.device}}}}
		if device.IsBMC() != c.want {
			t.Errorf("%s:%s of class %s", c.vendor, c.device, c.class)
		}
	}
}
