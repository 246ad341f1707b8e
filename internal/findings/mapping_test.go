package findings_test

import (
	"slices"
	"strings"
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
	found := findings.Looked(findings.Find(atlas.Build(s)))
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
		{Name: "template", Code: findings.MappingNotFound, VMs: []mappingVM{{ID: 101, Template: true, Config: mappingHost("mapping=gpu")}}, Want: "error"},
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
		{Name: "nobody, scope assumed", Code: findings.MappingUnused, File: mappingGood, Want: "info", Change: func(s *facts.Snapshot) { s.Files.Value.Mounted = false }},
		{Name: "nobody that a token sees", Code: findings.MappingUnused, File: mappingGood, Want: "info", Change: mappingToken},
		{Name: "nobody, scope unproven", Code: findings.MappingUnused, File: mappingGood, Change: func(s *facts.Snapshot) { s.Files.Value.Populated = false }},
		{Name: "nobody but for the letters' case", Code: findings.MappingUnused, File: mappingGood, VMs: []mappingVM{{ID: 101, Config: mappingHost("mapping=GPU")}}},
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

// mappingToken makes the world one that a token of the API shows, without all access
// rules.
func mappingToken(s *facts.Snapshot) {
	audit := map[string]bool{pve.VMAudit: true, pve.MappingAudit: true}
	s.Files = facts.Read[facts.ClusterFiles]{State: facts.NotAsked}
	s.Rights = facts.Read[facts.Rights]{State: facts.OK, Value: facts.Rights{
		User: "u@pve!t", Permissions: pve.PermissionTree{"/": audit, "/vms": audit, "/pool": audit, "/mapping": audit},
		ACL: facts.Read[[]pve.ACLEntry]{State: facts.Filtered},
	}}
}

// mappingFound gives the findings of a code in a world.
func mappingFound(s *facts.Snapshot, code findings.Code) []findings.Finding {
	return slices.DeleteFunc(findings.Looked(findings.Find(atlas.Build(s))), func(f findings.Finding) bool { return f.Code != code })
}

// TestMappingCorrection: the remedy is what makes the entry valid, or where to look.
// A mapping that anything uses is not to be deleted.
func TestMappingCorrection(t *testing.T) {
	const (
		gone     = "gpu\n\tmap id=10de:9999,iommugroup=11,node=pve-a,path=0000:07:00.0\n"
		away     = "gpu\n\tmap id=8086:1521,iommugroup=11,node=pve-b,path=0000:07:00\n"
		alsoGone = gone + "\tmap id=10de:2204,iommugroup=21,node=pve-b,path=0000:81:00.0\n"
		halves   = "gpu\n\tmap id=10de:2204,iommugroup=11,node=pve-a,path=0000:01:00.0;0000:01:00.1\n"
		foreign  = "gpu\n\tmap id=10de:2204,iommugroup=1,node=pve-b,path=0000:01:00.0\n\tmap id=10de:2204,iommugroup=11,node=pve-a,path=0000:01:00.0\n"
		taken    = "gpu\n\tmap id=10de:9999,iommugroup=1,node=pve-b,path=0000:01:00.0\n"
		drop     = "pvesh delete /cluster/mapping/pci/gpu"
		look     = "lspci -nnD -d 10de:9999"
	)
	used := []mappingVM{mappingUser(101)}
	for name, c := range map[string]struct {
		file     string
		vms      []mappingVM
		do, dont string
	}{
		"properties": {file: mappingBad, do: "pvesh set /cluster/mapping/pci/gpu --map 'id=10de:2204,iommugroup=11,node=pve-a,path=0000:01:00.0' " +
			"--map 'id=10de:2204,iommugroup=21,node=pve-b,path=0000:81:00.0'"},
		"moved, whole slot":    {file: away, do: "pvesh set /cluster/mapping/pci/gpu --map 'id=8086:1521,iommugroup=1,node=pve-b,path=0000:01:00'"},
		"another device there": {file: foreign, do: "path=0000:01:00.0'", dont: "id=8086:1521"},
		"another kind there":   {file: taken, vms: used, do: "lspci -nnD -d 10de:9999", dont: "id=8086:1521"},
		"parts of a card":      {file: halves, vms: used, do: "--map 'id=10de:2204,iommugroup=11,node=pve-a,path=0000:01:00'"},
		"gone, used":           {file: gone, vms: used, do: look, dont: "pvesh"},
		"gone, in a snapshot":  {file: gone, vms: []mappingVM{{ID: 101, Snapshot: "mapping=gpu"}}, do: look, dont: "pvesh"},
		"gone, of a template":  {file: gone, vms: []mappingVM{{ID: 101, Template: true, Config: mappingHost("mapping=gpu")}}, do: look, dont: "pvesh"},
		"gone, unused":         {file: gone, do: drop},
		"gone, used there":     {file: alsoGone, vms: used, do: look, dont: "pvesh"},
		"gone, used elsewhere": {file: alsoGone, vms: []mappingVM{{ID: 101, Node: "pve-b", Config: mappingHost("mapping=gpu")}}, do: "--map 'id=10de:2204,iommugroup=21,node=pve-b,path=0000:81:00.0'", dont: drop},
	} {
		found := mappingFound(mappingWorld(t, c.file, c.vms...), findings.MappingInvalid)
		if len(found) != 1 {
			t.Errorf("%s: %d findings", name, len(found))
			continue
		}
		steps := strings.Join(found[0].Remedy, "\n")
		if !strings.Contains(steps, c.do) || c.dont != "" && strings.Contains(steps, c.dont) {
			t.Errorf("%s: %s", name, steps)
		}
	}
}

// TestMappingMentions: a line that Proxmox VE drops still says that somebody wants
// the mapping.
func TestMappingMentions(t *testing.T) {
	for text, want := range map[string]int{
		"gpu": 0, "host=gpu,pcie=1": 0, "gpu,romfile=it's.rom": 0, "Mapping = gpu": 0, "mapping=gpu,foo=1": 0, "mapping:gpu": 0,
		"gpu2": 1, "01:00,romfile=gpu": 1, "my-gpu": 1,
	} {
		s := mappingWorld(t, mappingGood, mappingVM{ID: 101})
		read := s.Nodes["pve-a"].VMs[101]
		read.Value.Dropped = []pve.DroppedLine{{Line: 1, Key: "hostpci0", Text: text, Reason: "not accepted"}}
		s.Nodes["pve-a"].VMs[101] = read
		if got := len(mappingFound(s, findings.MappingUnused)); got != want {
			t.Errorf("%q: %d findings", text, got)
		}
	}
}

// TestAnonymisedMentions: the same is found of such a line when nothing has its name
// any more.
func TestAnonymisedMentions(t *testing.T) {
	for text, want := range map[string]int{"gpu": 1, "host=gpu,pcie=1": 1, "gpu,romfile=it's.rom": 1, "Mapping = gpu": 0, "gpu2": 0} {
		s := mappingWorld(t, mappingGood, mappingVM{ID: 101})
		read := s.Nodes["pve-a"].VMs[101]
		read.Value.Dropped = []pve.DroppedLine{{Line: 1, Key: "hostpci0", Text: text, Reason: "not accepted"}}
		s.Nodes["pve-a"].VMs[101] = read
		hidden, err := facts.Anonymise(s)
		if err != nil {
			t.Fatal(err)
		}
		for name, world := range map[string]*facts.Snapshot{"with names": s, "without": &hidden} {
			if got := len(mappingFound(world, findings.HostPCIHostIsMappingName)); got != want {
				t.Errorf("%q %s: %d lines name the mapping", text, name, got)
			}
			if got := len(mappingFound(world, findings.MappingUnused)); got != number(text == "gpu2") {
				t.Errorf("%q %s: %d mappings are unused", text, name, got)
			}
		}
	}
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestMappingNoEntryOnce: one finding for a mapping and a node, with the command
// where a device is there.
func TestMappingNoEntryOnce(t *testing.T) {
	const command = "pvesh set /cluster/mapping/pci/gpu --map 'id=10de:2204,iommugroup=11,node=pve-a,path=0000:01:00.0' " +
		"--map 'id=10de:2204,iommugroup=21,node=pve-b,path=0000:81:00.0'"
	there := func(id int, template bool) mappingVM {
		return mappingVM{ID: id, Node: "pve-b", Template: template, Config: mappingHost("mapping=gpu", "hostpci1", "mapping=gpu")}
	}
	for name, c := range map[string]struct {
		vms       []mappingVM
		says, who string
	}{
		"two VMs and a template": {[]mappingVM{there(101, false), there(102, false), there(103, true)}, "error", "VM 101 hostpci0, VM 101 hostpci1, VM 102 hostpci0, VM 102 hostpci1"},
		"a template":             {[]mappingVM{there(103, true)}, "info", "VM 103 hostpci0, VM 103 hostpci1"},
		"a VM elsewhere":         {[]mappingVM{mappingUser(101)}, "info", "0000:81:00.0"},
	} {
		s := mappingWorld(t, mappingGood, c.vms...)
		found := mappingFound(s, findings.MappingNoEntryForNode)
		if len(found) != 1 || found[0].Severity.String() != c.says || !strings.Contains(found[0].Sentence, c.who) ||
			!strings.Contains(strings.Join(found[0].Remedy, "\n"), command) {
			t.Errorf("%s: %+v", name, found)
			continue
		}
		report := atlas.Build(s)
		for _, vm := range report.VMs {
			node := &report.Nodes[slices.IndexFunc(report.Nodes, func(n atlas.Node) bool { return n.Name == vm.Node })]
			if vm.Node == "pve-b" && len(findings.OfVM(found, node, vm)) == 0 {
				t.Errorf("%s: VM %d does not find it", name, vm.VMID)
			}
		}
	}
}

// TestMappingAlone: a VM that asks for more than there is does not wait for others.
func TestMappingAlone(t *testing.T) {
	alone := mappingVM{ID: 101, Config: mappingHost("mapping=gpu", "hostpci1", "mapping=gpu", "hostpci2", "mapping=gpu")}
	mixed := mappingVM{ID: 101, Config: mappingHost("01:00.0", "hostpci1", "02:00.0", "hostpci2", "mapping=gpu")}
	for name, c := range map[string]struct {
		vms             []mappingVM
		says, not, does string
	}{
		"alone": {
			[]mappingVM{alone},
			"VM 101 alone asks for 3 of 2 devices of resource mapping gpu on node pve-a, and never starts", "VMs want",
			"qm set 101 --delete hostpci2",
		},
		"by address as well": {[]mappingVM{mixed}, "VM 101 alone asks for 3 of 2 devices", "the last to start", "qm set 101 --delete hostpci2"},
		"and another":        {[]mappingVM{alone, mappingUser(102)}, "All VMs together want 4 (VM 101", "VM 102 alone", "qm set 101 --delete hostpci2"},
		"two of two each": {
			[]mappingVM{mappingUser(101, "hostpci1", "mapping=gpu"), mappingUser(102)}, "gpu has 2 devices on node pve-a, but VMs want 3", "alone", "move a VM to another node",
		},
	} {
		found := mappingFound(mappingWorld(t, mappingPool, c.vms...), findings.MappingOversubscribed)
		if len(found) != 1 || found[0].Severity != findings.Warning || !strings.Contains(found[0].Sentence, c.says) ||
			strings.Contains(found[0].Sentence, c.not) || !strings.Contains(strings.Join(found[0].Remedy, "\n"), c.does) {
			t.Errorf("%s: %+v", name, found)
		}
	}
}

// TestMappingNodeUnread: what follows from the configurations alone is said of nodes
// whose devices were not read.
func TestMappingNodeUnread(t *testing.T) {
	raw := func(id int, line string, more ...string) mappingVM {
		return mappingVM{ID: id, Config: mappingHost(line, more...)}
	}
	for name, c := range map[string]struct {
		code findings.Code
		vms  []mappingVM
		want string
	}{
		"one entry":           {findings.MappingOversubscribed, []mappingVM{mappingUser(101), mappingUser(102)}, "warning"},
		"one entry, at boot":  {findings.MappingOversubscribed, []mappingVM{mappingUser(101, "onboot", "1"), mappingUser(102, "onboot", "1")}, "error"},
		"one user":            {findings.MappingOversubscribed, []mappingVM{mappingUser(101)}, ""},
		"slices of one entry": {findings.MappingOversubscribed, []mappingVM{raw(101, "mapping=gpu,mdev=nvidia-63"), raw(102, "mapping=gpu,mdev=nvidia-63")}, ""},
		"same address":        {findings.DeviceShared, []mappingVM{raw(101, "01:00,pcie=1"), raw(102, "0000:01:00")}, "warning"},
		"same, at boot":       {findings.DeviceShared, []mappingVM{raw(101, "01:00", "onboot", "1"), raw(102, "01:00", "onboot", "1")}, "error"},
		"address and mapping": {findings.DeviceShared, []mappingVM{mappingUser(101), raw(102, "01:00.0")}, "warning"},
		"both by the mapping": {findings.DeviceShared, []mappingVM{mappingUser(101), mappingUser(102)}, ""},
		"other function":      {findings.DeviceShared, []mappingVM{raw(101, "01:00.0"), raw(102, "01:00.1")}, ""},
		"no device can be so": {findings.DeviceShared, []mappingVM{raw(101, "00000:01:00.0"), raw(102, "00000:01:00.0")}, ""},
		"twice in one VM":     {findings.DeviceShared, []mappingVM{raw(101, "01:00.0", "hostpci1", "01:00.0")}, ""},
		"slices":              {findings.DeviceShared, []mappingVM{raw(101, "01:00.0,mdev=nvidia-63"), raw(102, "01:00.0,mdev=nvidia-63")}, ""},
		"a template":          {findings.DeviceShared, []mappingVM{raw(101, "01:00.0"), {ID: 102, Template: true, Config: mappingHost("01:00.0")}}, ""},
		"on different nodes":  {findings.DeviceShared, []mappingVM{raw(101, "01:00.0"), {ID: 102, Node: "pve-b", Config: mappingHost("01:00.0")}}, ""},
	} {
		s := mappingWorld(t, mappingGood, c.vms...)
		mappingUnread("pve-a")(s)
		found := mappingFound(s, c.code)
		switch {
		case c.want == "" && len(found) > 0:
			t.Errorf("%s: nothing was to be said: %+v", name, found)
		case c.want != "" && (len(found) != 1 || found[0].Severity.String() != c.want):
			t.Errorf("%s: %+v", name, found)
		}
	}
	s := mappingWorld(t, "", raw(101, "01:00.0"), raw(102, "01:00.0"), raw(103, "02:00.0"))
	mappingUnread("pve-a")(s)
	report := atlas.Build(s)
	for i, want := range []int{1, 1, 0} {
		if got := len(findings.OfVM(mappingFound(s, findings.DeviceShared), &report.Nodes[0], report.VMs[i])); got != want {
			t.Errorf("VM %d finds %d", report.VMs[i].VMID, got)
		}
	}
}

// TestMappingRemedyKeepsOptions: a command writes the whole line.
func TestMappingRemedyKeepsOptions(t *testing.T) {
	s := mappingWorld(t, "", mappingVM{ID: 101, Config: mappingHost("mapping=gpu,pcie=1,x-vga=1")})
	found := mappingFound(s, findings.MappingNotFound)
	if len(found) != 1 || !strings.HasSuffix(found[0].Remedy[0], "qm set 101 --hostpci0 'mapping=NAME,pcie=1,x-vga=1'") {
		t.Errorf("%+v", found)
	}
}
