package plan_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/pci"
	"pciatlas/internal/plan"
	"pciatlas/internal/pve"
)

func readVectors(t testing.TB, name string, into any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "testdata", "vectors", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}

// vectorFacts gives the nodes and mappings of the vectors.
func vectorFacts(t testing.TB) *facts.Snapshot {
	t.Helper()
	var file struct {
		Nodes map[string][]struct {
			ID         pci.Address
			Vendor     pci.ID
			Device     pci.ID
			Class      pci.Class
			Subsystem  *string
			Group      *int     `json:"iommu_group"`
			MdevTypes  []string `json:"mdev_types"`
			NvidiaVGPU bool     `json:"nvidia_vgpu_directory"`
		}
		MappingCfg string `json:"mapping_pci_cfg"`
	}
	readVectors(t, "nodes.json", &file)
	mappings, _ := pve.ParseMappingFile(file.MappingCfg)
	s := &facts.Snapshot{
		Schema: facts.Schema, Cluster: "lab", Nodes: map[string]*facts.Node{}, Guests: facts.Read[[]facts.Guest]{State: facts.OK},
		Mappings: facts.Read[[]pve.Mapping]{State: facts.OK, Value: mappings},
		Files: facts.Read[facts.ClusterFiles]{State: facts.OK, Value: facts.ClusterFiles{
			Populated: true, Mounted: true, Quorate: facts.Told(true),
		}},
	}
	for name, list := range file.Nodes {
		node := &facts.Node{Devices: facts.Read[[]facts.Device]{State: facts.OK}, VMs: map[int]facts.Read[facts.VMConfig]{}}
		for _, d := range list {
			device := facts.Device{
				Address: d.ID, Class: d.Class, Group: facts.Told(d.Group), NvidiaVGPU: d.NvidiaVGPU,
				Mdev: facts.Told(len(d.MdevTypes) > 0 || d.NvidiaVGPU),
			}
			device.IDs.Vendor, device.IDs.Device = d.Vendor, d.Device
			if d.Subsystem != nil {
				vendor, id, _ := strings.Cut(*d.Subsystem, ":")
				left, _ := pci.ParseID(vendor)
				right, _ := pci.ParseID(id)
				device.IDs.Subsystem = &pci.Pair{Vendor: left, Device: right}
			}
			node.Devices.Value = append(node.Devices.Value, device)
		}
		s.Nodes[name] = node
	}
	return s
}

// withLine gives a cluster whose VM 100 on pve-a has one line.
func withLine(t testing.TB, value string) *facts.Snapshot {
	t.Helper()
	s := vectorFacts(t)
	s.Guests.Value = []facts.Guest{{VMID: 100, Kind: facts.QEMU, Node: "pve-a", Status: facts.Stopped, Name: "one", Template: facts.Told(false)}}
	digest := "d1"
	s.Nodes["pve-a"].VMs[100] = facts.Read[facts.VMConfig]{State: facts.OK, Value: facts.ReduceVM([]pve.Item{
		{Key: "digest", Current: &digest}, {Key: "hostpci0", Current: &value}, {Key: "machine", Current: new("q35")},
	})}
	return s
}

// TestConvertKeepsFunctions converts every line of the vectors that Proxmox VE
// resolves: what a start gives the VM is the same before and after, or a note says
// that it is not; and the mapping that is made passes Proxmox VE's check.
func TestConvertKeepsFunctions(t *testing.T) {
	var vectors struct {
		Values []struct{ Input string }
	}
	readVectors(t, "hostpci.json", &vectors)
	converted, told := 0, 0
	for _, v := range vectors.Values {
		s := withLine(t, v.Input)
		report := atlas.Build(s)
		before, err := report.Hardware(report.Node("pve-a")).ResolveSlot(v.Input)
		if err != nil || before == nil || before.Value.Host == "" {
			continue
		}
		p, err := plan.Make(report, plan.Intent{Kind: plan.Convert, VMs: []int{100}, Force: true})
		if err != nil {
			t.Fatal(err)
		}
		if p.Stopped() {
			told++
			continue
		}
		line, made := converted1(t, p)
		if made != nil {
			s.Mappings.Value = append(s.Mappings.Value, *made)
		}
		after, err := atlas.Build(s).Hardware(report.Node("pve-a")).ResolveSlot(line.After)
		if err != nil {
			t.Errorf("%q became %q, which does not start: %v", v.Input, line.After, err)
			continue
		}
		same := len(after.Alternatives) == 1 && slices.Equal(once(before.Alternatives[0]), once(after.Alternatives[0]))
		warned := slices.ContainsFunc(p.Notes, func(n plan.Note) bool { return n.Code == plan.NoteOtherFunctions })
		if same == warned {
			t.Errorf("%q became %q: %v, then %v; said to differ: %t", v.Input, line.After, before.Alternatives, after.Alternatives, warned)
		}
		if before.Mdev != after.Mdev || before.Nvidia != after.Nvidia {
			t.Errorf("%q became %q: another mediated device", v.Input, line.After)
		}
		converted++
	}
	if converted < 15 || told == 0 {
		t.Errorf("%d lines were converted, %d not", converted, told)
	}
}

func converted1(t *testing.T, p *plan.Plan) (line plan.LineChange, made *pve.Mapping) {
	t.Helper()
	for i := range p.Steps {
		if p.Steps[i].Action == plan.CreateMapping {
			made = p.Steps[i].After
		}
		if p.Steps[i].Action == plan.SetVM {
			line = p.Steps[i].Lines[0]
		}
	}
	if line.After == "" {
		t.Fatalf("no line was converted: %+v", p.Notes)
	}
	return line, made
}

// once gives the functions in their order, without those that are named again.
func once(list []pci.Address) []pci.Address {
	var first []pci.Address
	for _, address := range list {
		if !slices.Contains(first, address) {
			first = append(first, address)
		}
	}
	return first
}

// TestPlanStops names what keeps each plan from being applied.
func TestPlanStops(t *testing.T) {
	locked := withLine(t, "0000:01:00.0")
	config := locked.Nodes["pve-a"].VMs[100]
	config.Value.Items = append(config.Value.Items, pve.Item{Key: "lock", Current: new("backup")})
	slices.SortFunc(config.Value.Items, func(a, b pve.Item) int { return strings.Compare(a.Key, b.Key) })
	locked.Nodes["pve-a"].VMs[100] = config
	unread := withLine(t, "0000:01:00.0")
	unread.Nodes["pve-a"].Devices = facts.Read[[]facts.Device]{State: facts.Failed}
	noVM := withLine(t, "0000:01:00.0")
	noVM.Nodes["pve-a"].VMs[100] = facts.Read[facts.VMConfig]{State: facts.Failed}
	noList := withLine(t, "0000:01:00.0")
	noList.Mappings = facts.Read[[]pve.Mapping]{State: facts.Failed}
	convert := plan.Intent{Kind: plan.Convert, VMs: []int{100}}
	for _, c := range []struct {
		name   string
		facts  *facts.Snapshot
		intent plan.Intent
		code   plan.NoteCode
		forced bool // force helps
	}{
		{"locked", locked, convert, plan.NoteVMLocked, false},
		{"devices unread", unread, convert, plan.NoteDevicesUnread, false},
		{"VM unread", noVM, convert, plan.NoteVMUnread, false},
		{"mappings unread", noList, convert, plan.NoteMappingsUnread, false},
		{"no device", withLine(t, "0000:fe:00.0"), convert, plan.NoteNoDevice, false},
		{"no VM", withLine(t, "0000:01:00.0"), plan.Intent{Kind: plan.Convert, VMs: []int{999}}, plan.NoteNoVM, false},
		{"another mapping", withLine(t, "0000:01:00.0"), plan.Intent{Kind: plan.Convert, VMs: []int{100}, Mapping: "gpu-b"}, plan.NoteOtherFunctions, true},
		{"in use", withLine(t, "mapping=gpu-a"), plan.Intent{Kind: plan.Delete, Mapping: "gpu-a"}, plan.NoteInUse, true},
		{"not there", withLine(t, "mapping=gpu-a"), plan.Intent{Kind: plan.Delete, Mapping: "GPU-A"}, plan.NoteNoMapping, false},
		{"old address", withLine(t, "mapping=gpu-a"), plan.Intent{Kind: plan.Fix, Mapping: "gpu-a", Moves: []plan.Move{{Node: "pve-a", From: "0000:55:00", To: "0000:02:00"}}}, plan.NoteNotFound, false},
		{"another device", withLine(t, "0000:01:00.0"), plan.Intent{
			Kind: plan.Create, Mapping: "new", Entries: []string{"id=10de:ffff,node=pve-a,path=0000:01:00.0"},
		}, plan.NoteEntryFaulty, true},
	} {
		for _, force := range []bool{false, true} {
			c.intent.Force = force
			p, err := plan.Make(atlas.Build(c.facts), c.intent)
			if err != nil {
				t.Fatal(err)
			}
			said := slices.ContainsFunc(p.Notes, func(n plan.Note) bool { return n.Code == c.code && n.Forceable == c.forced })
			if !said || p.Stopped() == (force && c.forced) {
				t.Errorf("%s, force %t: %+v", c.name, force, p.Notes)
			}
		}
	}
}

// TestDigestOfPlans: the same intent and state give the same digest; another state or
// intent gives another one.
func TestDigestOfPlans(t *testing.T) {
	digest := func(s *facts.Snapshot, intent plan.Intent) string {
		p, err := plan.Make(atlas.Build(s), intent)
		if err != nil {
			t.Fatal(err)
		}
		return p.Digest()
	}
	convert := plan.Intent{Kind: plan.Convert, VMs: []int{100}}
	first := digest(withLine(t, "0000:01:00.0"), convert)
	running := withLine(t, "0000:01:00.0")
	running.Guests.Value[0].Status = facts.Running
	if first != digest(withLine(t, "0000:01:00.0"), convert) {
		t.Error("the digest is not that of the plan")
	}
	for name, other := range map[string]string{
		"a line": digest(withLine(t, "0000:01:00.0,pcie=1"), convert), "a running VM": digest(running, convert),
		"a name": digest(withLine(t, "0000:01:00.0"), plan.Intent{Kind: plan.Convert, VMs: []int{100}, Mapping: "other"}),
	} {
		if first == other {
			t.Errorf("%s makes no difference", name)
		}
	}
}

// TestFixOfAUsedMapping: a broken entry is corrected without force, and who uses the
// mapping is listed; another device takes force.
func TestFixOfAUsedMapping(t *testing.T) {
	s := withLine(t, "mapping=gpu-x")
	entry, err := pve.ParseEntry("id=10de:2204,iommugroup=20,node=pve-a,path=0000:fe:00.0,subsystem-id=1458:403b")
	if err != nil {
		t.Fatal(err)
	}
	s.Mappings.Value = append(s.Mappings.Value, pve.Mapping{ID: "gpu-x", Entries: []pve.Entry{entry}})
	var to string
	for _, device := range s.Nodes["pve-a"].Devices.Value {
		if device.IDs.Pair.String() == "10de:2204" && to == "" {
			to = device.Address.String()
		}
	}
	p, err := plan.Make(atlas.Build(s), plan.Intent{Kind: plan.Fix, Mapping: "gpu-x", Moves: []plan.Move{{Node: "pve-a", From: "0000:fe:00.0", To: to}}})
	if err != nil || p.Stopped() || len(p.Users) != 1 || p.Steps[0].After.Entries[0].Path != to {
		t.Errorf("%v %+v", err, p)
	}
	other, err := plan.Make(atlas.Build(s), plan.Intent{Kind: plan.Fix, Mapping: "gpu-x", Moves: []plan.Move{{Node: "pve-a", From: "0000:fe:00.0", To: "0000:00:00.0"}}})
	if err != nil || !other.Stopped() {
		t.Errorf("%v %+v", err, other)
	}
}

// TestNeedsOfWhatIsPending: the line in effect counts, too, while another one is
// pending.
func TestNeedsOfWhatIsPending(t *testing.T) {
	s := withLine(t, "mapping=gpu-a")
	config := s.Nodes["pve-a"].VMs[100]
	for i := range config.Value.Items {
		if config.Value.Items[i].Key == "hostpci0" {
			config.Value.Items[i].Pending = new("0000:02:00.0")
		}
	}
	s.Guests.Value[0].Status = facts.Running
	p, err := plan.Make(atlas.Build(s), plan.Intent{Kind: plan.Convert, VMs: []int{100}})
	if err != nil || p.Stopped() {
		t.Fatalf("%v %+v", err, p.Notes)
	}
	needs := p.Steps[len(p.Steps)-2].Needs
	if !slices.ContainsFunc(needs, func(n plan.Need) bool { return n.Path == "/mapping/pci/gpu-a" && n.Privilege == pve.MappingUse }) {
		t.Errorf("%+v", needs)
	}
}

// TestNothingIsSkippedSilently: a line that cannot be converted is named, and so is one
// that Proxmox VE would drop with the change.
func TestNothingIsSkippedSilently(t *testing.T) {
	lacking := withLine(t, "0000:01:00") // a slot whose function 0 is not there
	node := lacking.Nodes["pve-a"]
	node.Devices.Value = slices.DeleteFunc(node.Devices.Value, func(d facts.Device) bool { return d.Address.String() == "0000:01:00.0" })
	dropped := withLine(t, "0000:01:00.0")
	config := dropped.Nodes["pve-a"].VMs[100]
	config.Value.Dropped = []pve.DroppedLine{{Line: 9, Key: "hostpci3", Text: "0000:02:00,newer=1", Reason: "unknown"}}
	dropped.Nodes["pve-a"].VMs[100] = config
	p, err := plan.Make(atlas.Build(lacking), plan.Intent{Kind: plan.Convert, VMs: []int{100}})
	if err != nil || len(p.Steps) == 0 && !p.Stopped() {
		t.Errorf("%v: a line was passed over: %+v", err, p)
	}
	p, err = plan.Make(atlas.Build(dropped), plan.Intent{Kind: plan.Convert, VMs: []int{100}})
	if err != nil || !p.Stopped() || p.Notes[0].Code != plan.NoteLosesVMLines {
		t.Errorf("%v: a line would be lost: %+v", err, p.Notes)
	}
}

// TestChainedMoves: a place that one device leaves and another one takes is written
// once.
func TestChainedMoves(t *testing.T) {
	s := withLine(t, "0000:01:00.0")
	var entries []pve.Entry
	for _, path := range []string{"0000:0a:00.0", "0000:0b:00.0"} {
		entry, err := pve.ParseEntry("id=10de:1bb3,node=pve-a,path=" + path)
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, entry)
	}
	s.Mappings.Value = append(s.Mappings.Value, pve.Mapping{ID: "chain", Entries: entries})
	p, err := plan.Make(atlas.Build(s), plan.Intent{Kind: plan.Fix, Mapping: "chain", Force: true, Moves: []plan.Move{
		{Node: "pve-a", From: "0000:0a:00.0", To: "0000:01:00.0"}, {Node: "pve-a", From: "0000:0b:00.0", To: "0000:02:00.0"},
	}})
	if err != nil || p.Stopped() || p.Steps[0].After.Entries[0].Path != "0000:01:00.0" || p.Steps[0].After.Entries[1].Path != "0000:02:00.0" {
		t.Errorf("%v %+v", err, p)
	}
	p, err = plan.Make(atlas.Build(s), plan.Intent{Kind: plan.Fix, Mapping: "chain", Force: true, Moves: []plan.Move{
		{Node: "pve-a", From: "0000:0a:00.0", To: "0000:02:00.0"}, {Node: "pve-a", From: "0000:02:00.0", To: "0000:01:00.0"},
	}})
	if err != nil || !p.Stopped() { // 0000:02:00.0 is no old place
		t.Errorf("%v %+v", err, p)
	}
}

// TestFixKeepsTheNumberOfFunctions: a whole slot does not become one function, or the
// other way round, without a word.
func TestFixKeepsTheNumberOfFunctions(t *testing.T) {
	s := withLine(t, "0000:01:00")
	p, err := plan.Make(atlas.Build(s), plan.Intent{Kind: plan.Fix, VMs: []int{100}, Moves: []plan.Move{{Node: "pve-a", From: "0000:01:00", To: "0000:02:00.0"}}})
	if err != nil || !p.Stopped() {
		t.Errorf("%v %+v", err, p.Notes)
	}
}

// TestPartlyReadDevices: of a node whose devices were read in part, nothing is said
// about what a line or an address names there.
func TestPartlyReadDevices(t *testing.T) {
	s := withLine(t, "0000:01:00")
	s.Nodes["pve-a"].Devices.State = facts.Partial
	for _, intent := range []plan.Intent{
		{Kind: plan.Convert, VMs: []int{100}},
		{Kind: plan.Fix, VMs: []int{100}, Moves: []plan.Move{{Node: "pve-a", From: "0000:01:00", To: "0000:fe:00"}}},
	} {
		p, err := plan.Make(atlas.Build(s), intent)
		if err != nil || len(p.Notes) == 0 || p.Notes[0].Code != plan.NoteDevicesUnread || !p.Stopped() {
			t.Errorf("%s: %v %+v", intent.Kind, err, p.Notes)
		}
	}
}
