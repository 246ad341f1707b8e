package findings

import (
	"strings"
	"testing"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/pci"
	"pciatlas/internal/pve"
)

const (
	containerIGPU = "0000:00:02.0 030000 8086:4680 0"
	containerCard = "0000:01:00.0 030000 10de:2504 14"
)

// withContainer adds a running container 201 with the lines, which | separates. The
// files are "PATH ADDRESS", as the node tells them.
func withContainer(t *testing.T, lines string, files ...string) func(*facts.Snapshot) {
	t.Helper()
	return func(s *facts.Snapshot) {
		node := s.Nodes["pve-a"]
		node.Containers = map[int]facts.Read[facts.Container]{201: {
			State: facts.OK, Value: facts.ReduceContainer(pve.ParseContainer(strings.ReplaceAll(lines, "|", "\n"))),
		}}
		s.Guests.Value = append(s.Guests.Value, facts.Guest{VMID: 201, Kind: facts.LXC, Node: "pve-a", Status: facts.Running})
		for _, text := range files {
			path, address, _ := strings.Cut(text, " ")
			parsed, err := pci.ParseAddress(address)
			if err != nil {
				t.Fatal(err)
			}
			node.CardFiles.State = facts.OK
			node.CardFiles.Value = append(node.CardFiles.Value, facts.CardFile{Path: path, Address: parsed})
		}
	}
}

// TestContainers: what is said of a container, and what is not.
func TestContainers(t *testing.T) {
	t.Parallel()
	const both = containerIGPU + "\n" + containerCard
	const passed, runs = "101 stopped hostpci0: 01:00.0", "101 running hostpci0: 01:00.0"
	for _, c := range []struct {
		name, devices, vm, lines string
		files                    []string
		want                     map[string]string // what the sentence says; nothing else is found of containers
	}{
		{
			"the only GPU", containerIGPU, "", "dev0: /dev/dri/renderD128", nil,
			map[string]string{"container-uses-device": "may use 0000:00:02.0 through the driver of the host (no other GPU of the node fits"},
		},
		{
			"the node tells whose file it is", both, passed, "dev0: /dev/dri/renderD128",
			[]string{"/dev/dri/renderD128 0000:00:02.0"},
			map[string]string{"container-uses-device": "uses 0000:00:02.0 through the driver of the host."},
		},
		{
			"the file is that of the VM's device", both, passed, "dev0: /dev/dri/renderD129",
			[]string{"/dev/dri/renderD129 0000:01:00.0"},
			map[string]string{"container-uses-device": "uses 0000:01:00.0", "container-shares-device": "VM 101 names it"},
		},
		{
			"whose file it is cannot be told", both, passed, "dev0: /dev/dri/renderD128", nil,
			map[string]string{
				"container-uses-device":   "may use 0000:00:02.0 and 0000:01:00.0 through the driver of the host (which GPU of the node /dev/dri/renderD128 belongs to cannot be told from here)",
				"container-shares-device": "may use 0000:01:00.0",
			},
		},
		{
			"a file that is gone while the VM runs", both, runs, "dev0: /dev/dri/renderD129",
			[]string{"/dev/dri/renderD128 0000:00:02.0"},
			map[string]string{"container-device-held-by-vm": "is to use /dev/dri/renderD129 through the driver of the host, but VM 101 runs with 0000:01:00.0"},
		},
		{
			"by-path", both, passed, "lxc.mount.entry: /dev/dri/by-path/pci-0000:01:00.0-render x none bind", nil,
			map[string]string{"container-uses-device": "uses 0000:01:00.0", "container-shares-device": "uses 0000:01:00.0"},
		},
		{
			"the folder, with a running VM on the other card", both, runs, "mp0: /dev/dri,mp=/dev/dri", nil,
			map[string]string{"container-uses-device": "may use 0000:00:02.0 through the driver of the host (/dev/dri gives it every GPU of the driver)"},
		},
		{
			"control files beside a card", both, "", "dev0: /dev/nvidia0|dev1: /dev/nvidiactl|dev2: /dev/nvidia-uvm", nil,
			map[string]string{"container-uses-device": "(no other GPU of the node fits /dev/nvidia0)"},
		},
		{"control files alone", both, "", "dev1: /dev/nvidiactl", nil, map[string]string{"container-uses-device": "may use 0000:01:00.0"}},
		{"no card of the driver", both, "", "dev0: /dev/kfd", nil, nil},
		{"a mediated device", containerIGPU, "101 stopped hostpci0: 00:02.0,mdev=i915-GVTg_V5_4", "dev0: /dev/dri/card0", nil, map[string]string{"container-uses-device": "0000:00:02.0"}},
		{"a template", both, passed, "template: 1|dev0: /dev/dri/card0", nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			world := deviceWorld{devices: strings.Split(c.devices, "\n"), change: withContainer(t, c.lines, c.files...)}
			if c.vm != "" {
				world.vms = []string{c.vm}
			}
			seen := 0
			for _, f := range world.find(t) {
				if !strings.HasPrefix(string(f.Code), "container-") {
					continue
				}
				seen++
				if want, ok := c.want[string(f.Code)]; !ok || !strings.Contains(f.Sentence, want) {
					t.Errorf("%s: %s, want %q", f.Code, f.Sentence, want)
				}
			}
			if seen != len(c.want) {
				t.Errorf("%d findings, want %d", seen, len(c.want))
			}
		})
	}
}

// TestContainersAreFound: who looks at the device or the VM finds what is said of
// the container.
func TestContainersAreFound(t *testing.T) {
	t.Parallel()
	world := deviceWorld{
		devices: []string{containerIGPU, containerCard}, vms: []string{"101 stopped hostpci0: 01:00.0"},
		change: withContainer(t, "dev0: /dev/nvidia0"),
	}
	report := world.report(t)
	found := Looked(Find(report))
	node := report.Node("pve-a")
	device := &node.Devices[1]
	for name, part := range map[string][]Finding{"device": OfDevice(found, node, device), "VM": OfVM(found, node, report.FindVM(101)[0])} {
		firstOf(t, part, ContainerSharesDevice)
		if t.Failed() {
			t.Log(name)
		}
	}
	want := atlas.ContainerAnswer{VMID: 201, Status: facts.Running, Lines: []string{"dev0: /dev/nvidia0"}}
	got := node.ContainersOf(device)
	if len(got) != 1 || got[0].VMID != want.VMID || got[0].Certain || strings.Join(got[0].Lines, "|") != want.Lines[0] {
		t.Errorf("got %+v, want %+v", got, want)
	}
	world.change = nil
	before := world.report(t).Node("pve-a").Devices
	for i := range before {
		if now := &node.Devices[i]; now.State != before[i].State || len(now.References) != len(before[i].References) {
			t.Errorf("a container made a reference or changed a state: %s is %s", now.Address, now.State)
		}
	}
}
