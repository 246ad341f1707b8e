package findings_test

import (
	"slices"
	"testing"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/findings"
	"pciatlas/internal/pci"
	"pciatlas/internal/pve"
)

// mappingWorld is a cluster of two nodes that is read in full: a card with sound
// at 01:00, an equal card at 02:00, and on pve-b an equal card at 81:00.
func mappingWorld(t *testing.T, mappingFile string, vms ...mappingVM) *facts.Snapshot {
	t.Helper()
	mappings, _ := pve.ParseMappingFile(mappingFile)
	s := &facts.Snapshot{
		Schema: facts.Schema, Nodes: map[string]*facts.Node{},
		Files: facts.Read[facts.ClusterFiles]{State: facts.OK, Value: facts.ClusterFiles{
			Populated: true, Mounted: true, Quorate: facts.Told(true),
		}},
		Members: facts.Read[[]facts.Member]{State: facts.OK, Value: []facts.Member{
			{Name: "pve-a", Online: facts.Told(true)}, {Name: "pve-b", Online: facts.Told(true)},
		}},
		Guests:   facts.Read[[]facts.Guest]{State: facts.OK},
		Mappings: facts.Read[[]pve.Mapping]{State: facts.OK, Value: mappings},
		HA:       facts.Read[facts.HA]{State: facts.OK},
		Backups:  facts.Read[[]facts.BackupJob]{State: facts.OK},
	}
	s.Nodes["pve-a"] = &facts.Node{
		VMs: map[int]facts.Read[facts.VMConfig]{},
		Devices: facts.Read[[]facts.Device]{State: facts.OK, Value: []facts.Device{
			mappingDevice(t, "0000:01:00.0", "10de:2204", 0x030000, 11),
			mappingDevice(t, "0000:01:00.1", "10de:1aef", 0x040300, 12),
			mappingDevice(t, "0000:02:00.0", "10de:2204", 0x030000, 13),
		}},
	}
	s.Nodes["pve-b"] = &facts.Node{
		VMs: map[int]facts.Read[facts.VMConfig]{},
		Devices: facts.Read[[]facts.Device]{State: facts.OK, Value: []facts.Device{
			mappingDevice(t, "0000:01:00.0", "8086:1521", 0x020000, 1),
			mappingDevice(t, "0000:81:00.0", "10de:2204", 0x030000, 21),
		}},
	}
	for _, v := range vms {
		v.addTo(s)
	}
	return s
}

func mappingDevice(t *testing.T, address, ids string, class pci.Class, group int) facts.Device {
	t.Helper()
	at, err := pci.ParseAddress(address)
	if err != nil {
		t.Fatal(err)
	}
	vendor, err := pci.ParseID("0x" + ids[:4])
	if err != nil {
		t.Fatal(err)
	}
	device, err := pci.ParseID("0x" + ids[5:])
	if err != nil {
		t.Fatal(err)
	}
	return facts.Device{
		Address: at, IDs: pci.IDs{Pair: pci.Pair{Vendor: vendor, Device: device}}, Class: class,
		Group: facts.Told(&group), Mdev: facts.Told(false), Parent: facts.Told[*pci.Address](nil),
	}
}

// mappingVM is one VM; Node "" is pve-a, and what is not said is stopped.
type mappingVM struct {
	ID       int
	Node     string
	Running  bool
	Template bool
	Config   map[string]string
	Snapshot string
}

func (v mappingVM) addTo(s *facts.Snapshot) {
	node, status := v.Node, facts.Stopped
	if node == "" {
		node = "pve-a"
	}
	if v.Running {
		status = facts.Running
	}
	items := []pve.Item{{Key: "scsi0", Current: new("local-lvm:disk")}}
	for key, value := range v.Config {
		items = append(items, pve.Item{Key: key, Current: &value})
	}
	config := facts.ReduceVM(items)
	config.Snapshots.State = facts.OK
	if v.Snapshot != "" {
		config.Snapshots.Value = []facts.VMSnapshot{{Name: "old", HostPCI: []pve.KeyValue{{Key: "hostpci0", Value: v.Snapshot}}}}
	}
	s.Guests.Value = append(s.Guests.Value, facts.Guest{
		VMID: v.ID, Kind: facts.QEMU, Node: node, Status: status, Template: facts.Told(v.Template),
	})
	s.Nodes[node].VMs[v.ID] = facts.Read[facts.VMConfig]{State: facts.OK, Value: config}
}

func mappingHost(line string, more ...string) map[string]string {
	config := map[string]string{"hostpci0": line}
	for i := 0; i+1 < len(more); i += 2 {
		config[more[i]] = more[i+1]
	}
	return config
}

// mappingCase is one small world: Want is empty where nothing is to be said.
type mappingCase struct {
	Name    string
	Code    findings.Code
	File    string
	VMs     []mappingVM
	Change  func(*facts.Snapshot)
	Want    string // the severity
	Subject func(findings.Subject) bool
}

func (c mappingCase) check(t *testing.T) {
	t.Helper()
	s := mappingWorld(t, c.File, c.VMs...)
	if c.Change != nil {
		c.Change(s)
	}
	found := findings.Find(atlas.Build(s))
	found = slices.DeleteFunc(found, func(f findings.Finding) bool { return f.Code != c.Code })
	if c.Want == "" {
		if len(found) > 0 {
			t.Errorf("nothing was to be said: %s %+v: %s", found[0].Severity, found[0].Subject, found[0].Sentence)
		}
		return
	}
	at := slices.IndexFunc(found, func(f findings.Finding) bool {
		return f.Severity.String() == c.Want && (c.Subject == nil || c.Subject(f.Subject))
	})
	if at < 0 {
		t.Fatalf("%s %s is not found in %+v", c.Want, c.Code, found)
	}
	if f := found[at]; f.Sentence == "" || len(f.Evidence) == 0 || len(f.Remedy) == 0 && f.Severity != findings.Info {
		t.Errorf("sentence, evidence or remedy is missing: %+v", f)
	}
}

const (
	mappingGood = "gpu\n\tmap id=10de:2204,iommugroup=11,node=pve-a,path=0000:01:00.0\n"
	mappingPool = mappingGood + "\tmap id=10de:2204,iommugroup=13,node=pve-a,path=0000:02:00.0\n"
	mappingBoth = mappingGood + "\tmap id=10de:2204,iommugroup=21,node=pve-b,path=0000:81:00.0\n"
	mappingBad  = mappingGood + "\tmap id=10de:2204,iommugroup=22,node=pve-b,path=0000:81:00.0\n"
)

func mappingUnread(node string) func(*facts.Snapshot) {
	return func(s *facts.Snapshot) { s.Nodes[node].Devices = facts.Read[[]facts.Device]{State: facts.Failed} }
}

func mappingUser(id int, more ...string) mappingVM {
	return mappingVM{ID: id, Config: mappingHost("mapping=gpu", more...)}
}

func TestMappingFindings(t *testing.T) {
	device := func(s findings.Subject) bool {
		return s.Node == "pve-b" && s.Mapping == "gpu" && s.Device != nil && s.Device.String() == "0000:81:00.0"
	}
	user := func(s findings.Subject) bool { return s.VMID == 101 && s.Slot == 0 && s.Mapping == "gpu" }
	pool := func(s findings.Subject) bool { return s.Node == "pve-a" && s.Mapping == "gpu" }
	one := []mappingVM{mappingUser(101)}
	two := []mappingVM{mappingUser(101), mappingUser(102)}
	three := []mappingVM{mappingUser(101), mappingUser(102), mappingUser(103)}
	card := "gpu\n\tmap id=10de:2204,iommugroup=11,node=pve-a,path=0000:01:00.0\n\tmap id=10de:1aef,iommugroup=12,node=pve-a,path=0000:01:00.1\n"
	list := "gpu\n\tmap id=10de:2204,iommugroup=11,node=pve-a,path=0000:01:00.0;0000:02:00.0\n"
	other := mappingGood + "\nold\n\tmap id=10de:2204,iommugroup=11,node=pve-a,path=0000:01:00.0\n"
	ha := func(s *facts.Snapshot) {
		s.HA.Value.Resources = []facts.HAResource{{VMID: 101, Kind: facts.QEMU, State: "started"}}
	}
	for _, c := range []mappingCase{
		{Name: "other group", Code: findings.MappingInvalid, File: mappingBad, Want: "error", Subject: device},
		{Name: "as it is", Code: findings.MappingInvalid, File: mappingBoth},
		{Name: "unread", Code: findings.MappingInvalid, File: mappingBad, Change: mappingUnread("pve-b")},
		{Name: "group not told", Code: findings.MappingInvalid, File: mappingBad, Change: func(s *facts.Snapshot) {
			s.Nodes["pve-b"].Devices.Value[1].Group = facts.Opt[*int]{}
		}},
		{Name: "list not whole", Code: findings.MappingInvalid, File: mappingBoth, Change: func(s *facts.Snapshot) {
			s.Nodes["pve-b"].Devices.State, s.Nodes["pve-b"].Devices.Value = facts.Partial, nil
		}},
		{Name: "device gone", Code: findings.MappingInvalid, File: mappingBoth, Want: "error", Subject: device, Change: func(s *facts.Snapshot) {
			s.Nodes["pve-b"].Devices.Value = nil
		}},
		{Name: "gone", Code: findings.MappingNotFound, VMs: one, Want: "error", Subject: user},
		{Name: "there", Code: findings.MappingNotFound, File: mappingGood, VMs: one},
		{Name: "not visible", Code: findings.MappingNotFound, VMs: one, Change: func(s *facts.Snapshot) { s.Mappings.State = facts.Failed }},
		{Name: "template", Code: findings.MappingNotFound, VMs: []mappingVM{{ID: 101, Template: true, Config: mappingHost("mapping=gpu")}}, Want: "warning"},
		{
			Name: "used there", Code: findings.MappingNoEntryForNode, File: mappingGood, Want: "error", Subject: user,
			VMs: []mappingVM{{ID: 101, Node: "pve-b", Config: mappingHost("mapping=gpu")}},
		},
		{
			Name: "equal device there", Code: findings.MappingNoEntryForNode, File: mappingGood, VMs: one, Want: "info",
			Subject: func(s findings.Subject) bool { return s.Node == "pve-b" && s.Mapping == "gpu" },
		},
		{Name: "nobody uses it", Code: findings.MappingNoEntryForNode, File: mappingGood},
		{Name: "devices there unread", Code: findings.MappingNoEntryForNode, File: mappingGood, VMs: one, Change: mappingUnread("pve-b")},
		{Name: "parts", Code: findings.MappingEntriesAreAlternatives, File: card, Want: "warning", Subject: pool},
		{Name: "two cards", Code: findings.MappingEntriesAreAlternatives, File: mappingPool},
		{Name: "parts unread", Code: findings.MappingEntriesAreAlternatives, File: card, Change: mappingUnread("pve-a")},
		{Name: "parts", Code: findings.MappingMixed, File: card},
		{Name: "two groups", Code: findings.MappingGroupUnchecked, File: list, Want: "info", Subject: pool},
		{Name: "one path", Code: findings.MappingGroupUnchecked, File: mappingPool},
		{Name: "two groups unread", Code: findings.MappingGroupUnchecked, File: list, Change: mappingUnread("pve-a")},
		{Name: "two mappings", Code: findings.MappingOverlap, File: other, Want: "info"},
		{Name: "and by address", Code: findings.MappingOverlap, File: mappingGood, VMs: []mappingVM{{ID: 101, Config: mappingHost("01:00.0")}}, Want: "info"},
		{Name: "other address", Code: findings.MappingOverlap, File: mappingGood, VMs: []mappingVM{{ID: 101, Config: mappingHost("02:00.0")}}},
		{Name: "unread", Code: findings.MappingOverlap, File: other, Change: mappingUnread("pve-a")},
		{Name: "three of two", Code: findings.MappingOversubscribed, File: mappingPool, VMs: three, Want: "warning", Subject: pool},
		{
			Name: "three of two at boot", Code: findings.MappingOversubscribed, File: mappingPool, Want: "error", Subject: pool,
			VMs: []mappingVM{mappingUser(101, "onboot", "1"), mappingUser(102, "onboot", "1"), mappingUser(103, "onboot", "1")},
		},
		{
			Name: "at boot, HA unread", Code: findings.MappingOversubscribed, File: mappingPool, Want: "warning", Subject: pool,
			VMs:    []mappingVM{mappingUser(101, "onboot", "1"), mappingUser(102, "onboot", "1"), mappingUser(103, "onboot", "1")},
			Change: func(s *facts.Snapshot) { s.HA.State = facts.Failed },
		},
		{Name: "two of two", Code: findings.MappingOversubscribed, File: mappingPool, VMs: two},
		{
			Name: "one by address", Code: findings.MappingOversubscribed, File: mappingPool, Want: "warning", Subject: pool,
			VMs: append([]mappingVM{{ID: 104, Config: mappingHost("02:00.0")}}, two...),
		},
		{
			Name: "too few elsewhere", Code: findings.MappingOversubscribed, File: mappingBoth, Want: "warning",
			VMs:     []mappingVM{mappingUser(101), {ID: 104, Node: "pve-b", Running: true, Config: mappingHost("81:00.0")}},
			Subject: func(s findings.Subject) bool { return s.Node == "" && s.Mapping == "gpu" },
		},
		{Name: "free elsewhere", Code: findings.MappingOversubscribed, File: mappingBoth, VMs: one},
		{Name: "other device", Code: findings.MappingMixed, File: mappingGood + "\tmap id=10de:2206,node=pve-b,path=0000:81:00.0\n", Want: "warning"},
		{Name: "equal devices", Code: findings.MappingMixed, File: mappingBoth},
		{Name: "HA", Code: findings.MappingPartialNode, File: mappingGood, VMs: one, Change: ha, Want: "warning", Subject: user},
		{Name: "HA, invalid", Code: findings.MappingPartialNode, File: mappingBad, VMs: one, Change: ha, Want: "warning", Subject: user},
		{Name: "HA, valid", Code: findings.MappingPartialNode, File: mappingBoth, VMs: one, Change: ha},
		{Name: "HA, strict", Code: findings.MappingPartialNode, File: mappingGood, VMs: one, Change: func(s *facts.Snapshot) {
			ha(s)
			s.HA.Value.Rules = []facts.HARule{{ID: "here", Type: "node-affinity", VMIDs: []int{101}, Nodes: []string{"pve-a"}, Strict: true}}
		}},
		{Name: "HA unread", Code: findings.MappingPartialNode, File: mappingGood, VMs: one, Change: func(s *facts.Snapshot) { ha(s); s.HA.State = facts.Failed }},
		{Name: "nobody", Code: findings.MappingUnused, File: mappingGood, Want: "info"},
		{Name: "a VM", Code: findings.MappingUnused, File: mappingGood, VMs: one},
		{Name: "a template", Code: findings.MappingUnused, File: mappingGood, VMs: []mappingVM{{ID: 101, Template: true, Config: mappingHost("mapping=gpu")}}},
		{Name: "a snapshot", Code: findings.MappingUnused, File: mappingGood, VMs: []mappingVM{{ID: 101, Snapshot: "mapping=gpu,pcie=1"}}},
		{Name: "snapshots unread", Code: findings.MappingUnused, File: mappingGood, VMs: []mappingVM{{ID: 101}}, Change: func(s *facts.Snapshot) {
			read := s.Nodes["pve-a"].VMs[101]
			read.Value.Snapshots.State = facts.Partial
			s.Nodes["pve-a"].VMs[101] = read
		}},
		{Name: "a VM unread", Code: findings.MappingUnused, File: mappingGood, VMs: []mappingVM{{ID: 101}}, Change: func(s *facts.Snapshot) {
			s.Nodes["pve-a"].VMs[101] = facts.Read[facts.VMConfig]{State: facts.Failed}
		}},
	} {
		t.Run(string(c.Code)+"/"+c.Name, c.check)
	}
}

// TestMappingCorrection: the remedy is what makes the entry valid.
func TestMappingCorrection(t *testing.T) {
	found := findings.Find(atlas.Build(mappingWorld(t, mappingBad)))
	at := slices.IndexFunc(found, func(f findings.Finding) bool { return f.Code == findings.MappingInvalid })
	const command = "pvesh set /cluster/mapping/pci/gpu --map 'id=10de:2204,iommugroup=11,node=pve-a,path=0000:01:00.0' " +
		"--map 'id=10de:2204,iommugroup=21,node=pve-b,path=0000:81:00.0'"
	if at < 0 || !slices.Contains(found[at].Remedy, command) {
		t.Errorf("not among the remedies: %s\n%+v", command, found)
	}
}
