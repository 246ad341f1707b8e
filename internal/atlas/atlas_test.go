package atlas_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/pve"
)

// TestNoReferenceIsLost compares with an oracle that does the same by comparing
// texts: references in devices and unplaced together are all there are.
func TestNoReferenceIsLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		snapshot := drawSnapshot(t)
		report := atlas.Build(snapshot)
		for name, node := range snapshot.Nodes {
			answer := report.Answer(report.Node(name), atlas.AnswerOptions{AllDevices: true})
			if diff := cmp.Diff(oracleLines(snapshot, name, node), answerLines(&answer)); diff != "" {
				t.Fatalf("%s (-oracle +got):\n%s", name, diff)
			}
		}
	})
}

// answerLines writes every reference of an answer as a line.
func answerLines(answer *atlas.Answer) []string {
	lines := []string{}
	for _, device := range answer.Devices {
		for _, r := range device.References {
			lines = append(lines, strings.Join([]string{
				strconv.Itoa(r.VMID), r.Slot, string(r.Phase), string(r.Certainty), device.Address.String(),
			}, " "))
		}
	}
	for _, u := range answer.Unplaced {
		selector := "-"
		if u.Selector != nil {
			selector = *u.Selector
		}
		lines = append(lines, strings.Join([]string{
			strconv.Itoa(u.VMID), u.Slot, string(u.Phase), string(u.Certainty), selector, string(u.Reason),
		}, " "))
	}
	sort.Strings(lines)
	return lines
}

func oracleLines(s *facts.Snapshot, name string, node *facts.Node) []string {
	lines := map[string]bool{}
	for vmid, read := range node.VMs {
		for _, item := range read.Value.Items {
			if item.Current != nil {
				phase := "current"
				if item.Delete != pve.Keep {
					phase = "pending_removal"
				}
				oracleValue(lines, s, name, node, strings.Join([]string{strconv.Itoa(vmid), item.Key, phase}, " "), *item.Current)
			}
			if item.Pending != nil {
				oracleValue(lines, s, name, node, strings.Join([]string{strconv.Itoa(vmid), item.Key, "pending"}, " "), *item.Pending)
			}
		}
	}
	sorted := []string{}
	for line := range lines {
		sorted = append(sorted, line)
	}
	sort.Strings(sorted)
	return sorted
}

func oracleValue(lines map[string]bool, s *facts.Snapshot, name string, node *facts.Node, prefix, value string) {
	parsed, err := pve.ParseHostPCI(value)
	if err != nil || (parsed.Host == "") == (parsed.Mapping == "") {
		return
	}
	if parsed.Host != "" {
		oracleParts(lines, node, prefix+" exact", strings.Split(parsed.Host, ";"))
		return
	}
	at := slices.IndexFunc(s.Mappings.Value, func(m pve.Mapping) bool { return m.ID == parsed.Mapping })
	if at < 0 {
		reason := "mapping_invisible"
		if s.Mappings.State == facts.OK {
			reason = "mapping_not_found"
		}
		lines[prefix+" exact - "+reason] = true
		return
	}
	var entries []pve.Entry
	for _, entry := range s.Mappings.Value[at].Entries {
		if entry.Node == name {
			entries = append(entries, entry)
		}
	}
	certainty := " exact"
	if len(entries) > 1 {
		certainty = " candidate"
	}
	if len(entries) == 0 {
		lines[prefix+" exact - mapping_no_entry_for_node"] = true
	}
	for _, entry := range entries {
		oracleParts(lines, node, prefix+certainty, strings.Split(entry.Path, ";"))
	}
}

func oracleParts(lines map[string]bool, node *facts.Node, prefix string, parts []string) {
	for _, part := range parts {
		found := false
		for _, device := range node.Devices.Value {
			id := device.Address.String()
			if strings.HasPrefix(id, part) || strings.HasPrefix(id, "0000:"+part) {
				lines[prefix+" "+id] = true
				found = true
			}
		}
		switch {
		case !node.Devices.State.Answered():
			lines[prefix+" "+part+" devices_not_read"] = true
		case !found && node.Devices.State == facts.OK:
			lines[prefix+" "+part+" device_not_present"] = true
		case !found:
			lines[prefix+" "+part+" devices_not_read"] = true
		}
	}
}

// TestStateRules checks every device's state against the words of the rules.
func TestStateRules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		report := atlas.Build(drawSnapshot(t))
		for i := range report.Nodes {
			node := &report.Nodes[i]
			blocking := slices.ContainsFunc(node.Issues, func(issue atlas.Issue) bool { return issue.Code.Blocks() })
			if node.Complete != (node.DevicesRead && node.Scope.State != atlas.Unproven && !blocking) {
				t.Fatalf("%s: complete is %v", node.Name, node.Complete)
			}
			if node.CheckedVMs > node.VisibleVMs {
				t.Fatalf("%s: %d of %d VMs checked", node.Name, node.CheckedVMs, node.VisibleVMs)
			}
			for j := range node.Devices {
				if got, want := node.Devices[j].State, oracleState(node, &node.Devices[j]); got != want {
					t.Fatalf("%s %s: state %s, want %s", node.Name, node.Devices[j].Address, got, want)
				}
				if (node.Devices[j].State == atlas.NeedsReview) != (len(node.Devices[j].Review) > 0) {
					t.Fatalf("%s %s: %s with review %+v", node.Name, node.Devices[j].Address, node.Devices[j].State, node.Devices[j].Review)
				}
			}
		}
	})
}

func oracleState(node *atlas.Node, device *atlas.Device) atlas.State {
	exact, candidate := map[int]bool{}, false
	for _, reference := range device.References {
		if reference.Certainty == atlas.Exact {
			exact[reference.VM.VMID] = true
		} else {
			candidate = true
		}
	}
	reached := false
	for _, issue := range node.Issues {
		reached = reached || issue.Code.Blocks() && (!issue.Limited || slices.Contains(issue.Devices, device.Address))
	}
	switch {
	case len(exact) > 1:
		return atlas.MultiReferenced
	case len(exact) == 1:
		return atlas.Referenced
	case candidate, reached:
		return atlas.NeedsReview
	default:
		return atlas.Unreferenced
	}
}

// TestOrderDoesNotMatter shuffles everything that has an order in a snapshot:
// equal worlds give equal bytes.
func TestOrderDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		snapshot := drawSnapshot(t)
		before := encode(t, snapshot)
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		shuffle(random, snapshot.Guests.Value)
		shuffle(random, snapshot.Mappings.Value)
		for _, node := range snapshot.Nodes {
			shuffle(random, node.Devices.Value)
		}
		if after := encode(t, snapshot); before != after {
			t.Fatalf("order changes the answer:\n%s\n%s", before, after)
		}
	})
}

func shuffle[T any](random *rand.Rand, list []T) {
	random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
}

func encode(t *rapid.T, snapshot *facts.Snapshot) string {
	encoded, err := json.Marshal(atlas.Build(snapshot).Inventory(atlas.AnswerOptions{AllDevices: true}))
	if err != nil {
		t.Fatal(err)
	}
	return string(encoded)
}

// TestAnotherVMChangesNothing: a VM without passthrough leaves every state as it
// is.
func TestAnotherVMChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		snapshot := drawSnapshot(t)
		before := stateMap(atlas.Build(snapshot))
		snapshot.Guests.Value = append(snapshot.Guests.Value, facts.Guest{VMID: 999, Kind: facts.QEMU, Node: "pve-a"})
		snapshot.Nodes["pve-a"].VMs[999] = facts.Read[facts.VMConfig]{State: facts.OK}
		if diff := cmp.Diff(before, stateMap(atlas.Build(snapshot))); diff != "" {
			t.Fatalf("states (-before +after):\n%s", diff)
		}
	})
}

func stateMap(report *atlas.Report) map[string]atlas.State {
	states := map[string]atlas.State{}
	for i := range report.Nodes {
		for j := range report.Nodes[i].Devices {
			states[report.Nodes[i].Name+" "+report.Nodes[i].Devices[j].Address.String()] = report.Nodes[i].Devices[j].State
		}
	}
	return states
}

func TestFileScope(t *testing.T) {
	populated := func(mounted bool, quorate facts.Opt[bool]) facts.Read[facts.ClusterFiles] {
		return facts.Read[facts.ClusterFiles]{State: facts.OK, Value: facts.ClusterFiles{Populated: true, Mounted: mounted, Quorate: quorate}}
	}
	for name, test := range map[string]struct {
		files  facts.Read[facts.ClusterFiles]
		guests facts.ReadState
		want   atlas.ScopeState
	}{
		"mounted and quorate":   {populated(true, facts.Told(true)), facts.OK, atlas.Proven},
		"no quorum":             {populated(true, facts.Told(false)), facts.OK, atlas.Assumed},
		"quorum not told":       {populated(true, facts.Opt[bool]{}), facts.OK, atlas.Assumed},
		"a copy":                {populated(false, facts.Opt[bool]{}), facts.OK, atlas.Assumed},
		"not mounted":           {facts.Read[facts.ClusterFiles]{State: facts.OK}, facts.OK, atlas.Unproven},
		"unreadable":            {facts.Read[facts.ClusterFiles]{State: facts.Failed}, facts.Failed, atlas.Unproven},
		"not asked":             {facts.Read[facts.ClusterFiles]{}, facts.NotAsked, atlas.Unproven},
		"a folder not readable": {populated(true, facts.Told(true)), facts.Partial, atlas.Unproven},
		"guests not readable":   {populated(true, facts.Told(true)), facts.Failed, atlas.Unproven},
	} {
		snapshot := &facts.Snapshot{Files: test.files, Nodes: map[string]*facts.Node{"pve-a": {}}}
		snapshot.Guests.State = test.guests
		node := atlas.Build(snapshot).Node("pve-a")
		if node.Scope.State != test.want {
			t.Errorf("%s: got %+v, want %s", name, node.Scope, test.want)
		}
		unproven := len(node.Issues) == 1 && node.Issues[0].Code == atlas.IssueScopeUnproven
		if unproven != (test.want == atlas.Unproven) {
			t.Errorf("%s: issues %+v", name, node.Issues)
		}
	}
}

// TestAnswerShape compares the keys of the public object with those of the
// specification, so that none is left out or added by accident.
func TestAnswerShape(t *testing.T) {
	snapshot := bigSnapshot(1, 1, 1)
	report := atlas.Build(snapshot)
	encoded, err := json.Marshal(report.Answer(&report.Nodes[0], atlas.AnswerOptions{}))
	if err != nil {
		t.Fatal(err)
	}
	var object map[string]any
	if err := json.Unmarshal(encoded, &object); err != nil {
		t.Fatal(err)
	}
	wantKeys(t, "answer", object, "cluster node read_at source digest complete scope visible_vms checked_vms issues devices unplaced")
	device := object["devices"].([]any)[0].(map[string]any)
	wantKeys(t, "device", device, "address kind class class_name vendor_id vendor_name device_id device_name "+
		"subsystem_vendor_id subsystem_device_id iommu_group mdev_capable physical_function virtual_functions state review references")
	wantKeys(t, "reference", device["references"].([]any)[0].(map[string]any), "vmid vm_name vm_status template managed desktop "+
		"slot phase via mapping certainty selector mdev_type")
}

func wantKeys(t *testing.T, what string, object map[string]any, keys string) {
	t.Helper()
	var got []string
	for key := range object {
		got = append(got, key)
	}
	want := strings.Fields(keys)
	sort.Strings(got)
	sort.Strings(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("keys of %s (-want +got):\n%s", what, diff)
	}
}

func BenchmarkBuild(b *testing.B) {
	snapshot := bigSnapshot(16, 200, 8)
	b.ReportAllocs()
	for b.Loop() {
		_ = atlas.Build(snapshot)
	}
}
