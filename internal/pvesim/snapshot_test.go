package pvesim_test

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pciatlas/internal/facts"
	"pciatlas/internal/pve"
	"pciatlas/internal/pveapi"
	"pciatlas/internal/pvesim"
)

// snapshotOf reads a World over its API as the product does.
func snapshotOf(t *testing.T, world *pvesim.World, token string) []byte {
	t.Helper()
	server, err := pvesim.NewTLSServer(&pvesim.Server{World: world})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	parsed, err := pveapi.ParseToken(token)
	if err != nil {
		t.Fatal(err)
	}
	client, err := pveapi.New(pveapi.Options{Cluster: "lab", Endpoints: []string{server.URL}, Token: parsed, CAs: server.Pool})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	snapshot, err := client.Read(t.Context(), pveapi.Request{Policy: true})
	if err != nil {
		t.Fatal(err)
	}
	text, err := facts.Encode(&snapshot)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// restless is the demo with everything that a snapshot can hold of a World.
func restless() *pvesim.World {
	world := pvesim.Demo()
	world.UserCfg, world.Secrets = "", nil
	world.Files = map[string]string{
		"ha/resources.cfg": "vm: 100\n\tstate started\n\nct: 900\n\tstate ignored\n\n",
		"ha/rules.cfg": "node-affinity: near\n\tdisable 1\n\tnodes pve-a,pve-b\n\tresources vm:100,ct:900\n\tstrict 1\n\n" +
			"resource-affinity: apart\n\tresources vm:100,vm:201\n\n",
		"jobs.cfg": "vzdump: nightly\n\tall 1\n\tenabled 0\n\texclude 101,103\n\tmode snapshot\n\n" +
			"vzdump: some\n\tenabled 1\n\tnode pve-a\n\tvmid 100\n\n",
		"replication.cfg": "local: 100-0\n\tdisable 1\n\ttarget pve-b\n\n",
	}
	world.Guests = append(
		world.Guests,
		pvesim.Guest{VMID: 500, Kind: pvesim.QEMU, Node: "pve-a", Running: true, Config: "args: -a\nbios: ovmf\nhookscript: local:snippets/a.pl\n" +
			"hostpci0: 01:00\nname: waits\nonboot: 1\n\n[PENDING]\nargs: -device vfio-pci\ndelete: bios,!hookscript,!hostpci0,!hostpci3,onboot\nhostpci1: 02:00\nmemory: 2048\n"},
		pvesim.Guest{VMID: 501, Kind: pvesim.QEMU, Node: "pve-b", NoStatistics: true, Config: "name: quiet\n"},
		pvesim.Guest{VMID: 502, Kind: pvesim.QEMU, Node: "pve-b", Reported: "unknown", Config: "name: odd\ntags: a;b\n"},
		pvesim.Guest{VMID: 901, Kind: pvesim.LXC, Node: "pve-b", Running: true, Config: "hostname: box\ntags: a;b\ntemplate: 1\n"},
	)
	world.Nodes[1].Devices = append(world.Nodes[1].Devices, pvesim.Device{
		Address: "0000:42:00.0", Vendor: "10de", Device: "2235", Class: "030200", Group: pvesim.NoGroup, NvidiaVGPU: true,
	})
	return world
}

// timeless gives a snapshot file without times and entry points.
func timeless(text []byte) string {
	var plain strings.Builder
	for line := range strings.Lines(string(text)) {
		switch key, _, _ := strings.Cut(strings.TrimSpace(line), ":"); key {
		case `"from"`, `"to"`, `"via"`:
		default:
			plain.WriteString(line)
		}
	}
	return plain.String()
}

// TestSnapshotRoundTrip: a World made from what was read of a World reads the
// same, and its files are those that Proxmox VE would write.
func TestSnapshotRoundTrip(t *testing.T) {
	t.Parallel()
	first := snapshotOf(t, restless(), pvesim.RootToken)
	world, err := pvesim.FromSnapshot(first)
	if err != nil {
		t.Fatal(err)
	}
	again := snapshotOf(t, world, pvesim.RootToken)
	if diff := cmp.Diff(timeless(first), timeless(again)); diff != "" {
		t.Errorf("(-World +from its snapshot):\n%s", diff)
	}
	for _, kept := range []string{`"mentions_vfio": true`, `"has_disk": true`, `"nvidia_vgpu": true`, `"status": "unknown"`} {
		if !strings.Contains(string(again), kept) {
			t.Errorf("%s is not in the snapshot", kept)
		}
	}
	if diff := cmp.Diff(restless().Files, world.Files); diff != "" {
		t.Errorf("policies (-World +from its snapshot):\n%s", diff)
	}
	if !strings.Contains(world.MappingCfg, "rtx-3090\n\tdescription The two cards of the render farm\n\tmap id=10de:2204,") {
		t.Errorf("mappings: %s", world.MappingCfg)
	}
	for _, guest := range world.Guests {
		if guest.VMID == 500 {
			const want = "args: -msg timestamp=on -device vfio-pci\nbios: ovmf\nhookscript: local:snippets/placeholder.pl\nhostpci0: 01:00\n" +
				"name: waits\nonboot: 1\n\n[PENDING]\nargs: -msg timestamp=on -device vfio-pci\n" +
				"delete: bios,hookscript,!hostpci0,!hostpci3,onboot\nhostpci1: 02:00\nmemory: 2048\n"
			if diff := cmp.Diff(want, guest.Config); diff != "" {
				t.Errorf("VM 500 (-want +got):\n%s", diff)
			}
		}
	}
}

// edited gives the demo's snapshot with one thing changed.
func edited(t *testing.T, text []byte, change func(*facts.Snapshot)) []byte {
	t.Helper()
	snapshot, err := facts.Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	change(&snapshot)
	changed, err := facts.Encode(&snapshot)
	if err != nil {
		t.Fatal(err)
	}
	return changed
}

func setVM(s *facts.Snapshot, change func(*facts.Read[facts.VMConfig])) {
	read := s.Nodes["pve-a"].VMs[100]
	change(&read)
	s.Nodes["pve-a"].VMs[100] = read
}

// TestFromSnapshotRefuses: what would make a smaller World is named.
func TestFromSnapshotRefuses(t *testing.T) {
	t.Parallel()
	text := snapshotOf(t, pvesim.Demo(), pvesim.DemoToken)
	problem := []facts.Problem{{Code: facts.ProblemPermission, Message: "no"}}
	for want, change := range map[string]func(*facts.Snapshot){
		"newer than 1": func(s *facts.Snapshot) { s.Schema = 2 },
		"the list of guests: the read is failed: permission: no": func(s *facts.Snapshot) {
			s.Guests.State, s.Guests.Problems = facts.Failed, problem
		},
		"the list of nodes: the read is partial":   func(s *facts.Snapshot) { s.Members.State = facts.Partial },
		"the list of mappings: nobody read that":   func(s *facts.Snapshot) { s.Mappings.State = facts.NotAsked },
		"the backup jobs: the read is failed":      func(s *facts.Snapshot) { s.Backups.State = facts.Failed },
		"the devices of node pve-b: nobody read":   func(s *facts.Snapshot) { delete(s.Nodes, "pve-b") },
		"the devices of node pve-a: the read is":   func(s *facts.Snapshot) { s.Nodes["pve-a"].Devices.State = facts.Partial },
		"pve-d is said to be off, and its devices": func(s *facts.Snapshot) { s.Nodes["pve-d"].Devices.State = facts.OK },
		"holds no node": func(s *facts.Snapshot) { s.Members.Value, s.Nodes = nil, nil },
		"IOMMU group of device 0000:00:00.0 of node": func(s *facts.Snapshot) { s.Nodes["pve-a"].Devices.Value[0].Group = facts.Opt[*int]{} },
		"whether device 0000:00:00.0 of node pve-a":  func(s *facts.Snapshot) { s.Nodes["pve-a"].Devices.Value[0].Mdev = facts.Opt[bool]{} },
		"devices of node pve-b were read, and it":    func(s *facts.Snapshot) { s.Nodes["pve-b"].Devices.Got++ },
		"guests were read, and it holds":             func(s *facts.Snapshot) { s.Guests.Got++ },
		"mappings were read, and it holds":           func(s *facts.Snapshot) { s.Mappings.Got++ },
		"guest 101: it is there twice":               func(s *facts.Snapshot) { s.Guests.Value[0].VMID = 101 },
		"its node \"pve-x\" is not in the list":      func(s *facts.Snapshot) { s.Guests.Value[0].Node = "pve-x" },
		"guest 7 is none":                            func(s *facts.Snapshot) { s.Guests.Value[0].VMID = 7 },
		"VM 100 of node pve-b is not in its list":    func(s *facts.Snapshot) { s.Nodes["pve-b"].VMs[100] = facts.Read[facts.VMConfig]{} },
		"tag of guest 900 takes several lines":       func(s *facts.Snapshot) { guestOf(s, 900).Name = "a\nb" },
		"guest 777: it was out of sight": func(s *facts.Snapshot) {
			s.Mentions.Value = []facts.Mention{{VMID: 777, Where: "HA resource", Taken: facts.Told(true)}}
		},
		"configuration of VM 100 on node pve-a: the read is failed": func(s *facts.Snapshot) {
			setVM(s, func(r *facts.Read[facts.VMConfig]) { r.State = facts.Failed })
		},
		"configuration of VM 100 on node pve-a: Proxmox VE 9.2.11": func(s *facts.Snapshot) {
			setVM(s, func(r *facts.Read[facts.VMConfig]) { r.Value.Items[0].Current = new("x\nhostpci9: 01:00") })
		},
		"configuration of VM 100 on node pve-a: Proxmox VE 8.0.0": func(s *facts.Snapshot) {
			s.Version.Value.Major, s.Version.Value.Minor, s.Version.Value.Patch = 8, 0, 0
			setVM(s, func(r *facts.Read[facts.VMConfig]) { r.Value.Items[0].Current = new("01:00,driver=keep") })
		},
		"the snapshots of VM 100: the read is failed": func(s *facts.Snapshot) {
			setVM(s, func(r *facts.Read[facts.VMConfig]) { r.Value.Snapshots.State = facts.Failed })
		},
		"the list of mappings: Proxmox VE would not": func(s *facts.Snapshot) { s.Mappings.Value[0].Description = new("a\nb") },
		"cannot stand in jobs.cfg":                   func(s *facts.Snapshot) { s.Backups.Value = []facts.BackupJob{{ID: "a b"}} },
		"a value of j in jobs.cfg takes several":     func(s *facts.Snapshot) { s.Backups.Value = []facts.BackupJob{{ID: "j", Pool: "a\nb"}} },
		"replication job \"x\" is not one of": func(s *facts.Snapshot) {
			s.Replication.Value = []facts.ReplicationJob{{ID: "x", VMID: 100}}
		},
	} {
		if _, err := pvesim.FromSnapshot(edited(t, text, change)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	for _, damaged := range []string{"", "{}", "null", "[]", `{"schema":1}`, string(text[:len(text)/2]), `{"schema":1,"guests":3}`} {
		if _, err := pvesim.FromSnapshot([]byte(damaged)); err == nil {
			t.Errorf("%.20q is taken", damaged)
		}
	}
}

func guestOf(s *facts.Snapshot, vmid int) *facts.Guest {
	for i := range s.Guests.Value {
		if s.Guests.Value[i].VMID == vmid {
			return &s.Guests.Value[i]
		}
	}
	return nil
}

// TestFromSnapshotOfHost takes what only files tell.
func TestFromSnapshotOfHost(t *testing.T) {
	t.Parallel()
	text := edited(t, snapshotOf(t, pvesim.Demo(), pvesim.DemoToken), func(s *facts.Snapshot) {
		s.HA, s.Members.Stamp.Source = facts.Read[facts.HA]{}, facts.SourceHost
		s.Nodes["pve-a"].IOMMU = facts.Read[facts.IOMMU]{State: facts.OK, Value: facts.IOMMU{CommandLine: []string{"iommu=pt", "quiet"}}}
		s.Nodes["pve-a"].Memory = facts.Read[int64]{State: facts.OK, Value: 16 << 30}
		s.Nodes["pve-a"].Devices.Value[0].Host = &facts.HostDevice{
			Driver: "ast", BusBelow: true, BootDisplay: facts.Told(true), MdevTypes: []facts.MdevType{{Type: "t-1", Name: "T", Available: 3}},
		}
		setVM(s, func(r *facts.Read[facts.VMConfig]) {
			r.Value.Snapshots = facts.Read[[]facts.VMSnapshot]{State: facts.OK, Value: []facts.VMSnapshot{{Name: "before"}, {Name: "after"}}}
			r.Value.Snapshots.Value[1].HostPCI = append(r.Value.Snapshots.Value[1].HostPCI, pve.KeyValue{Key: "hostpci0", Value: "01:00"})
		})
		guestOf(s, 401).Name, guestOf(s, 401).Template = "archive", facts.Told(true)
	})
	world, err := pvesim.FromSnapshot(text)
	if err != nil {
		t.Fatal(err)
	}
	node := world.Node("pve-a")
	want := pvesim.Device{
		Address: "0000:00:00.0", Vendor: "8086", Device: "a700", Subsystem: "1043:8882", Class: "060000", Driver: "ast",
		BootVGA: true, BusBelow: true, MdevTypes: []pvesim.MdevType{{Type: "t-1", Name: "T", Available: 3}},
	}
	if diff := cmp.Diff(want, node.Devices[0]); diff != "" || !node.NoIOMMU || node.CommandLine != "iommu=pt quiet" || node.Memory != 16<<30 {
		t.Errorf("memory %d, no IOMMU %v, command line %q, device %s", node.Memory, node.NoIOMMU, node.CommandLine, diff)
	}
	if _, ok := world.Files["ha/resources.cfg"]; ok {
		t.Errorf("files %v", maps.Keys(world.Files))
	}
	for _, guest := range world.Guests {
		switch {
		case guest.VMID == 100 && !strings.HasSuffix(guest.Config, "\n[before]\n\n[after]\nhostpci0: 01:00\n"),
			guest.VMID == 401 && guest.Config != "name: archive\ntemplate: 1\n":
			t.Errorf("VM %d: %s", guest.VMID, guest.Config)
		}
	}
}

// TestFromSnapshotMdevTypes: the API tells the types of mediated device apart from
// the devices.
func TestFromSnapshotMdevTypes(t *testing.T) {
	t.Parallel()
	text := string(snapshotOf(t, pvesim.Demo(), pvesim.DemoToken))
	with := func(read string) (*pvesim.World, error) {
		return pvesim.FromSnapshot([]byte(strings.Replace(text, `"pve-b": {`, `"pve-b": {"mdev_types": {"0000:0a:00.0": `+read+`},`, 1)))
	}
	world, err := with(`{"state": "ok", "value": [{"type": "nvidia-63", "name": "GRID P4-1Q", "available": 7}]}`)
	if err != nil {
		t.Fatal(err)
	}
	for _, device := range world.Node("pve-b").Devices {
		want := []pvesim.MdevType{{Type: "nvidia-63", Name: "GRID P4-1Q", Available: 7}}
		if diff := cmp.Diff(want, device.MdevTypes); device.Address == "0000:0a:00.0" && diff != "" {
			t.Error(diff)
		}
	}
	if _, err := with(`{"state": "failed"}`); err == nil || !strings.Contains(err.Error(), "mediated device of device 0000:0a:00.0 of node pve-b") {
		t.Errorf("types that were not read: %v", err)
	}
}

// TestFromSnapshotOfOldRelease: Proxmox VE 7 has no mappings to read, and HA groups.
func TestFromSnapshotOfOldRelease(t *testing.T) {
	t.Parallel()
	old := &pvesim.World{
		Version: "7.4.16", Nodes: []pvesim.Node{{Name: "pve"}},
		Guests: []pvesim.Guest{{VMID: 100, Kind: pvesim.QEMU, Node: "pve", Config: "name: a\nhostpci0: 01:00\n"}},
		Files:  map[string]string{"ha/groups.cfg": "group: g\n\tnodes pve\n\trestricted 1\n\n"},
	}
	first := snapshotOf(t, old, pvesim.RootToken)
	world, err := pvesim.FromSnapshot(first)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(timeless(first), timeless(snapshotOf(t, world, pvesim.RootToken))); diff != "" {
		t.Errorf("(-World +from its snapshot):\n%s", diff)
	}
	if world.Version != old.Version || world.Files["ha/groups.cfg"] != old.Files["ha/groups.cfg"] {
		t.Errorf("%+v", world)
	}
}

func FuzzFromSnapshot(f *testing.F) {
	f.Add([]byte(`{"schema":1,"cluster":"lab","members":{"state":"ok","value":[{"name":"a","online":true}]},` +
		`"guests":{"state":"ok","got":1,"value":[{"vmid":100,"kind":"qemu","node":"a","status":"running"}]},` +
		`"nodes":{"a":{"devices":{"state":"ok","got":1,"value":[{"address":"0000:01:00.0","ids":{"vendor":"10de","device":"2204",` +
		`"subsystem":null},"class":"0x030000","group":1,"mdev":true}]},"vms":{"100":{"state":"ok","value":{"items":[` +
		`{"key":"hostpci0","value":"01:00","delete":2},{"key":"name","pending":"a"}],"args":{"current":true}}}}}},` +
		`"mappings":{"state":"ok","got":1,"value":[{"id":"gpu","map":["id=10de:2204,node=a,path=0000:01:00"]}]}}`))
	f.Add([]byte(`{"schema":1,"members":{"state":"ok","value":[{"name":"a","online":false}]},"nodes":{"a":null,"b":null},"guests":{"state":"ok"}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		world, err := pvesim.FromSnapshot(data)
		if err != nil {
			return
		}
		if !json.Valid(data) || len(world.Nodes) == 0 {
			t.Fatalf("%q is taken", data)
		}
		for i := range world.Nodes {
			_ = world.Tree(world.Nodes[i].Name)
		}
	})
}
