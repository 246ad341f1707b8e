package facts_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pciatlas/internal/facts"
	"pciatlas/internal/pci"
	"pciatlas/internal/pve"
)

func TestReduceVMKeepsOnlyWhatMatters(t *testing.T) {
	const canary = "CANARY-4711"
	config := facts.ReduceVM([]pve.Item{
		{Key: "vga", Current: new("none")},
		{Key: "digest", Current: new("abc")},
		{Key: "args", Current: new("-device vfio-pci " + canary), Delete: pve.Remove},
		{Key: "hookscript", Pending: new("local:snippets/" + canary)},
		{Key: "cipassword", Current: new(canary)},
		{Key: "sshkeys", Current: new(canary)},
		{Key: "description", Current: new(canary)},
		{Key: "net0", Current: new(canary)},
		{Key: "scsi0", Current: new("local-lvm:" + canary)},
		{Key: "hostpci10", Current: new("01:00.0")},
		{Key: "hostpci2", Pending: new("02:00.0")},
		{Key: "hostpci16", Current: new(canary)},
		{Key: "", Current: new(canary)},
	})
	want := facts.VMConfig{
		Digest: "abc", HasDisk: true,
		Args: facts.Phases{Current: true, Removal: true, MentionsVFIO: true},
		Hook: facts.Phases{Pending: true},
		Items: []pve.Item{
			{Key: "hostpci10", Current: new("01:00.0")},
			{Key: "hostpci2", Pending: new("02:00.0")},
			{Key: "vga", Current: new("none")},
		},
	}
	if diff := cmp.Diff(want, config); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if encoded, err := json.Marshal(config); err != nil || strings.Contains(string(encoded), canary) {
		t.Errorf("a secret gets through: %s, %v", encoded, err)
	}
	if item, ok := config.Get("hostpci2"); !ok || *item.Pending != "02:00.0" || config.Current("vga") != "none" || config.Current("name") != "" {
		t.Errorf("items are not found: %+v", item)
	}
}

// TestHasDisk: what a backup of the VM as it is now holds.
func TestHasDisk(t *testing.T) {
	for value, want := range map[string]bool{
		"local-lvm:vm-1-disk-0,size=32G": true, "file=local-lvm:x": true, "none": false, "cdrom": false,
		"local:iso/x.iso,media=cdrom": false, "none,media=cdrom": false,
		"local-lvm:x,backup=0": false, "local-lvm:x,backup=no,size=1G": false, "local-lvm:x,size=1G,backup=Off": false,
		"local-lvm:x,backup=1": true,
	} {
		if got := facts.ReduceVM([]pve.Item{{Key: "ide2", Current: &value}}).HasDisk; got != want {
			t.Errorf("%q: disk is %v", value, got)
		}
	}
	value := "local-lvm:vm-1-disk-0"
	for key, want := range map[string]bool{
		"scsi30": true, "scsi31": false, "efidisk0": false, "tpmstate0": true, "unused0": false, "virtio15": true, "sata6": false,
	} {
		if got := facts.ReduceVM([]pve.Item{{Key: key, Current: &value}}).HasDisk; got != want {
			t.Errorf("%s: disk is %v", key, got)
		}
		if facts.ReduceVM([]pve.Item{{Key: key, Pending: &value}}).HasDisk {
			t.Errorf("%s: a disk to come counts", key)
		}
	}
	for bios, want := range map[string]bool{"ovmf": true, "seabios": false} {
		items := []pve.Item{{Key: "efidisk0", Current: &value}, {Key: "bios", Current: &bios}}
		if got := facts.ReduceVM(items).HasDisk; got != want {
			t.Errorf("efidisk0 with %s: disk is %v", bios, got)
		}
	}
}

// TestSnapshotRoundTrip: what is told, told to be none, and not told stay apart
// in the file.
func TestSnapshotRoundTrip(t *testing.T) {
	group, parent := 0, pci.Address{Bus: 8}
	at := time.Date(2026, 11, 10, 9, 0, 0, 0, time.UTC)
	snapshot := facts.Snapshot{
		Schema: facts.Schema, Cluster: "lab",
		Guests: facts.Read[[]facts.Guest]{
			State: facts.Partial, Got: 1, Total: 2, Stamp: facts.Stamp{Source: facts.SourceHost, From: at, To: at},
			Value:    []facts.Guest{{VMID: 100, Kind: facts.QEMU, Node: "pve-a", Status: facts.Stopped, Template: facts.Told(false)}},
			Problems: []facts.Problem{{Code: facts.ProblemIO, Subject: "x", Message: "y"}},
		},
		Nodes: map[string]*facts.Node{"pve-a": {
			Devices: facts.Read[[]facts.Device]{State: facts.OK, Value: []facts.Device{
				{
					Address: pci.Address{Bus: 1}, Group: facts.Told(&group), Mdev: facts.Told(false), VFs: facts.Told([]pci.Address{}),
					Parent: facts.Told[*pci.Address](nil), Host: &facts.HostDevice{NUMA: facts.Told(-1)},
				},
				{Address: pci.Address{Bus: 2}, Group: facts.Told[*int](nil), Parent: facts.Told(&parent)},
				{Address: pci.Address{Domain: 0x10000, Bus: 2}},
			}},
			VMs: map[int]facts.Read[facts.VMConfig]{100: {State: facts.OK, Value: facts.VMConfig{
				Items: []pve.Item{{Key: "hostpci0", Current: new("01:00.0"), Delete: pve.Remove}},
			}}},
		}},
	}
	encoded, err := json.Marshal(snapshot)
	if err != nil {
		t.Fatal(err)
	}
	var decoded facts.Snapshot
	if err := json.Unmarshal(encoded, &decoded); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(snapshot, decoded); diff != "" {
		t.Errorf("(-before +after):\n%s\n%s", diff, encoded)
	}
}

// TestDecodeContradictions: a file that somebody cut is refused, not taken for a
// smaller world.
func TestDecodeContradictions(t *testing.T) {
	const whole = `{"schema":1,"cluster":"lab","guests":{"state":"ok","got":1,"value":[{"vmid":100,"kind":"qemu","node":"a","status":"stopped"}]},` +
		`"mappings":{"state":"ok"},"nodes":{"a":{"devices":{"state":"ok"},"vms":{"100":{"state":"ok","value":{"items":null}}}}}}`
	if _, err := facts.Decode([]byte(whole)); err != nil {
		t.Fatal(err)
	}
	for _, change := range [][2]string{
		{`"got":1`, `"got":2`},
		{`"mappings":{"state":"ok"}`, `"mappings":{"state":"ok","got":1}`},
		{`"devices":{"state":"ok"}`, `"devices":{"state":"ok","got":3}`},
		{`"vms":{"100"`, `"vms":{"101"`},
		{`"node":"a"`, `"node":"b"`},
		{`"nodes":{"a":`, `"nodes":{"b":null,"a":`},
	} {
		text := strings.Replace(whole, change[0], change[1], 1)
		if _, err := facts.Decode([]byte(text)); err == nil || !strings.Contains(err.Error(), "damaged") {
			t.Errorf("%s is accepted: %v", text, err)
		}
	}
	if _, err := facts.Decode([]byte(`{"schema":1}`)); err == nil {
		t.Error("a snapshot of nothing is accepted")
	}
}

// TestFileTellsNoDigests: a digest of a whole file lets others try guesses at
// what was left out.
func TestFileTellsNoDigests(t *testing.T) {
	encoded, err := facts.Encode(&facts.Snapshot{
		Mappings: facts.Read[[]pve.Mapping]{Value: []pve.Mapping{{ID: "gpu", Digest: "CANARY"}}},
		Nodes: map[string]*facts.Node{"a": {VMs: map[int]facts.Read[facts.VMConfig]{
			100: {State: facts.OK, Value: facts.VMConfig{Digest: "CANARY"}},
		}}},
	})
	if err != nil || strings.Contains(string(encoded), "CANARY") {
		t.Errorf("%v: %s", err, encoded)
	}
}

// TestAnonymiseFreeText: names that people give can stand in more places than
// those that are names.
func TestAnonymiseFreeText(t *testing.T) {
	value := "custom-ACME,flags=+aes"
	snapshot := facts.Snapshot{Schema: facts.Schema, Nodes: map[string]*facts.Node{"a": {
		IOMMU: facts.Read[facts.IOMMU]{State: facts.OK, Value: facts.IOMMU{CommandLine: []string{
			"intel_iommu=on", "vfio-pci.ids=10de:2204,10de:1aef", "pcie_acs_override=ACME", "vfio_acme=ACME", "video=efifb:off",
		}}},
		VMs: map[int]facts.Read[facts.VMConfig]{100: {State: facts.OK, Value: facts.VMConfig{Items: []pve.Item{
			{Key: "bios", Current: new("ACME")}, {Key: "cpu", Current: &value}, {Key: "lock", Pending: new("ACME")},
		}}}},
	}}}
	hidden, err := facts.Anonymise(&snapshot)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := facts.Encode(&hidden)
	if err != nil || strings.Contains(string(encoded), "ACME") {
		t.Errorf("%v: %s", err, encoded)
	}
	for _, kept := range []string{"intel_iommu=on", "vfio-pci.ids=10de:2204,10de:1aef", "video=efifb:off", "flags=+aes"} {
		if !strings.Contains(string(encoded), kept) {
			t.Errorf("%s is gone: %s", kept, encoded)
		}
	}
}

// TestFindMentions: a guest that something names and the list lacks.
func TestFindMentions(t *testing.T) {
	snapshot := facts.Snapshot{
		Guests: facts.Read[[]facts.Guest]{State: facts.OK, Value: []facts.Guest{{VMID: 100}}},
		HA: facts.Read[facts.HA]{Value: facts.HA{
			Resources: []facts.HAResource{{VMID: 100}, {VMID: 777}}, Rules: []facts.HARule{{ID: "r", VMIDs: []int{776}}},
		}},
		Backups:     facts.Read[[]facts.BackupJob]{Value: []facts.BackupJob{{ID: "b", VMIDs: []int{100, 778, 5}, Exclude: []int{775}}}},
		Replication: facts.Read[[]facts.ReplicationJob]{Value: []facts.ReplicationJob{{ID: "779-0", VMID: 779}}},
	}
	var got []int
	for _, mention := range facts.FindMentions(&snapshot) {
		if mention.Hidden() {
			got = append(got, mention.VMID)
		}
	}
	if diff := cmp.Diff([]int{776, 777, 778, 779}, got); diff != "" {
		t.Error(diff)
	}
	snapshot.Guests.State = facts.Failed
	if facts.FindMentions(&snapshot) != nil {
		t.Error("without a list of guests every number would be hidden")
	}
}

func TestReadStates(t *testing.T) {
	for state, answered := range map[facts.ReadState]bool{
		facts.NotAsked: false, facts.OK: true, facts.Partial: true, facts.Filtered: true, facts.Failed: false,
	} {
		word, err := state.MarshalText()
		var again facts.ReadState
		if err != nil || again.UnmarshalText(word) != nil || again != state || state.Answered() != answered {
			t.Errorf("%s comes back as %s; answered %v", word, again, state.Answered())
		}
	}
	var state facts.ReadState
	if err := state.UnmarshalText([]byte("fine")); err == nil {
		t.Error("an unknown state is accepted")
	}
	if reflect.ValueOf(facts.Read[int]{}).FieldByName("State").Int() != int64(facts.NotAsked) {
		t.Error("the zero read was asked")
	}
}

func FuzzSnapshot(f *testing.F) {
	f.Add([]byte(`{"schema":1,"cluster":"lab","nodes":{"pve-a":{"devices":{"state":"ok","value":[{"address":"0000:01:00.0","ids":{"vendor":"10de","device":"2204","subsystem":null},"class":"0x030000"}]}}}}`))
	f.Fuzz(func(_ *testing.T, data []byte) {
		var snapshot facts.Snapshot
		_ = json.Unmarshal(data, &snapshot)
	})
}

// TestAnonymiseKeepsReasons: what could not be read, and why a value is refused, is
// still said, without a name.
func TestAnonymiseKeepsReasons(t *testing.T) {
	values := []string{
		"mapping=zqx_ACME!", "01:00.0,mapping=ACME!", "01:00.0,ACME=1", "ACME", "01:00.0 ACME", "01:00.0,pcie=ACME", "mapping=acme,mdev=AC/ME",
		"01:00.0,romfile=ACME;x", "01:00.0,02:00.0", "mapping=", "01:00.0,ACME=1,ACME=2", "host=ACME", "01:00.0,driver=ACME", "=ACME", "01:00.0,\nx=\nACME",
	}
	var items []pve.Item
	for i, value := range values {
		items = append(items, pve.Item{Key: fmt.Sprintf("hostpci%d", i), Current: &value})
	}
	snapshot := facts.Snapshot{Schema: facts.Schema, Nodes: map[string]*facts.Node{"a": {
		Devices: facts.Read[[]facts.Device]{State: facts.Failed, Problems: []facts.Problem{
			{Code: facts.ProblemUnreachable, Subject: "GET /nodes/ACME/hardware/pci", Message: "no answer (ACME)"},
			{Code: facts.ProblemPermission, Subject: "etc/ACME", Message: "etc/ACME cannot be read."},
		}},
		VMs: map[int]facts.Read[facts.VMConfig]{100: {State: facts.OK, Value: facts.VMConfig{Items: items}}},
	}}}
	hidden, err := facts.Anonymise(&snapshot)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := facts.Encode(&hidden)
	if err != nil || strings.Contains(strings.ToLower(string(encoded)), "acme") {
		t.Errorf("%v: %s", err, encoded)
	}
	node := hidden.Nodes["node-1"]
	want := []facts.Problem{
		{Code: facts.ProblemUnreachable, Subject: "a read", Message: "got no answer"},
		{Code: facts.ProblemPermission, Subject: "a read", Message: "It was refused for want of rights."},
	}
	if diff := cmp.Diff(want, node.Devices.Problems); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	kinds := func(value string) string {
		_, err := pve.ParseHostPCI(value)
		var list []string
		if refused, ok := errors.AsType[*pve.FormatError](err); ok {
			for _, fault := range refused.Faults {
				list = append(list, fault.Code)
			}
		}
		return strings.Join(list, " ")
	}
	for i, item := range node.VMs[100].Value.Items {
		if got := *item.Current; got == "" || got[0] == ',' || kinds(got) != kinds(values[i]) || kinds(got) == "" {
			t.Errorf("%q becomes %q: %q, not %q", values[i], got, kinds(got), kinds(values[i]))
		}
	}
}

// TestAnonymiseUses: where a disk is mounted and what an interface is called are
// names that people give.
func TestAnonymiseUses(t *testing.T) {
	uses := []facts.Use{
		{Kind: facts.UseStorage, Name: "/", Through: "/dev/mapper/acme-root", File: "proc/mounts"},
		{Kind: facts.UseStorage, Name: "/mnt/acme", Through: "/dev/sda3", File: "proc/mounts"},
		{Kind: facts.UseStorage, Name: facts.UseSwap, Through: "/dev/nvme0n1p3", File: "proc/swaps"},
		{Kind: facts.UseNetwork, Name: "acmebr", Through: "acme0", File: "sys/class/net/acme0/master"},
		{Kind: facts.UseNetwork, Name: "acme1.7", Through: "acme1", File: "sys/class/net/acme1/upper_acme1.7"},
		{Kind: facts.UseConsole, Name: "fb0", File: "sys/class/graphics/fb0"},
		{Kind: "acme", Name: "acme", Through: "acme", File: "acme"},
	}
	snapshot := facts.Snapshot{Schema: facts.Schema, Nodes: map[string]*facts.Node{"a": {
		Memory: facts.Read[int64]{State: facts.OK, Value: 64 << 30},
		Devices: facts.Read[[]facts.Device]{State: facts.OK, Got: 2, Value: []facts.Device{
			{Host: &facts.HostDevice{Uses: facts.Told(uses)}}, {Host: &facts.HostDevice{}},
		}},
	}}}
	hidden, err := facts.Anonymise(&snapshot)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := facts.Encode(&hidden)
	if err != nil || strings.Contains(strings.ToLower(string(encoded)), "acme") {
		t.Errorf("%v: %s", err, encoded)
	}
	node := hidden.Nodes["node-1"]
	want := []facts.Use{
		{Kind: facts.UseStorage, Name: "/", Through: "/dev/disk-1", File: "proc/mounts"},
		{Kind: facts.UseStorage, Name: "/mount-1", Through: "/dev/sda3", File: "proc/mounts"},
		{Kind: facts.UseStorage, Name: facts.UseSwap, Through: "/dev/nvme0n1p3", File: "proc/swaps"},
		{Kind: facts.UseNetwork, Name: "interface-1", Through: "interface-2", File: "sys/class/net/interface-2/master"},
		{Kind: facts.UseNetwork, Name: "interface-3", Through: "interface-4", File: "sys/class/net/interface-4/upper_interface-3"},
		{Kind: facts.UseConsole, Name: "fb0", File: "sys/class/graphics/fb0"},
		{Kind: "other", Name: "use-1"},
	}
	if diff := cmp.Diff(want, node.Devices.Value[0].Host.Uses.Value); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if node.Devices.Value[1].Host.Uses.Told || node.Memory.Value != 64<<30 {
		t.Errorf("%+v", node)
	}
}

// TestAnonymiseKeepsRemarks: a remark that was swallowed into the name of a ROM file
// is still one, and says nothing.
func TestAnonymiseKeepsRemarks(t *testing.T) {
	for value, want := range map[string]string{
		"01:00,romfile=secret.rom # from secret": "01:00,romfile=rom-1 # remark",
		"01:00,romfile=secret.rom\t#x,pcie=1":    "01:00,romfile=rom-1 # remark,pcie=1",
		"01:00,romfile=secret#2.rom":             "01:00,romfile=rom-1",
		"01:00,romfile=# secret":                 "01:00,romfile=rom-1",
		"01:00,romfile=secret;x # y,foo=1":       "01:00,romfile=rom-1 # remark;,option-1=1",
	} {
		s := facts.Snapshot{Nodes: map[string]*facts.Node{"pve-a": {VMs: map[int]facts.Read[facts.VMConfig]{101: {
			State: facts.OK, Value: facts.VMConfig{Items: []pve.Item{{Key: "hostpci0", Current: &value}}},
		}}}}}
		hidden, err := facts.Anonymise(&s)
		if err != nil {
			t.Fatal(err)
		}
		vm := hidden.Nodes["node-1"].VMs[101]
		if got := vm.Value.Current("hostpci0"); got != want {
			t.Errorf("%q gives %q", value, got)
		}
	}
}

// TestAnonymiseKeepsMappingAsHost: the id of a mapping where an address belongs
// stays the id of that mapping; no other word becomes one.
func TestAnonymiseKeepsMappingAsHost(t *testing.T) {
	for text, want := range map[string]string{
		"acme":             "mapping-1",
		"acme,pcie=1":      "mapping-1,pcie=1",
		"host=acme":        "host=mapping-1",
		" host = acme ":    " host = mapping-1 ",
		"Mapping = acme":   "Mapping = mapping-1",
		"face":             "mapping-1", // could be digits of an address
		"other":            "refused",
		"host=Acme,pcie=1": "host=refused,pcie=1",
	} {
		s := facts.Snapshot{Nodes: map[string]*facts.Node{"a": {VMs: map[int]facts.Read[facts.VMConfig]{101: {
			State: facts.OK, Value: facts.VMConfig{Dropped: []pve.DroppedLine{{Line: 1, Key: "hostpci0", Text: text}}},
		}}}}}
		s.Mappings.Value = []pve.Mapping{{ID: "acme"}, {ID: "face"}}
		hidden, err := facts.Anonymise(&s)
		if err != nil {
			t.Fatal(err)
		}
		if got := hidden.Nodes["node-1"].VMs[101].Value.Dropped[0].Text; got != want {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
		if first := hidden.Mappings.Value[0].ID == "mapping-1"; first == (text == "face") {
			t.Errorf("%q is not the mapping %+v", text, hidden.Mappings.Value)
		}
	}
}

func TestAnonymiseMappingChecks(t *testing.T) {
	s := facts.Snapshot{Schema: facts.Schema, Cluster: "lab", Nodes: map[string]*facts.Node{"pve-a": {
		MappingChecks: facts.Read[map[string][]pve.Check]{State: facts.OK, Value: map[string][]pve.Check{
			"canary-mapping": {{Severity: "warning", Message: "No mapping for node canary-node."}},
		}},
	}}}
	clone, err := facts.Anonymise(&s)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := facts.Encode(&clone)
	if err != nil || strings.Contains(string(encoded), "canary") {
		t.Errorf("%v\n%s", err, encoded)
	}
}
