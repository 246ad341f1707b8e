package test

import (
	"cmp"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/findings"
	"pciatlas/internal/hostfs"
	"pciatlas/internal/pci"
	"pciatlas/internal/pve"
)

// mustNotSentences is how many wrong conclusions all scenarios together name.
const mustNotSentences = 87

// wrongConclusion quotes a must_not sentence of a scenario. Its check fails if
// the program draws that conclusion.
type wrongConclusion struct {
	sentence string
	check    func(e *evidence)
}

// wrongConclusions are those of each scenario.
type wrongConclusions map[string][]wrongConclusion

// mustNotTables hold every sentence.
var mustNotTables = []wrongConclusions{mustNotOfLines, mustNotOfMappings, mustNotOfDevices, mustNotOfGroups, mustNotOfContainers}

// TestMustNotIsComplete counts: every sentence of every scenario stands verbatim
// in exactly one place, and nothing else does.
func TestMustNotIsComplete(t *testing.T) {
	t.Parallel()
	quoted := map[[2]string]int{}
	for _, table := range mustNotTables {
		for id, list := range table {
			for _, wrong := range list {
				quoted[[2]string{id, wrong.sentence}]++
			}
		}
	}
	total := 0
	for _, s := range readScenarios(t, "*.json") {
		for _, sentence := range s.Expected.MustNot {
			total++
			key := [2]string{s.ID, sentence}
			if quoted[key] != 1 {
				t.Errorf("%s: %q is quoted %d times, want once", s.ID, sentence, quoted[key])
			}
			delete(quoted, key)
		}
	}
	for key := range quoted {
		t.Errorf("%s: no scenario says %q", key[0], key[1])
	}
	if total != mustNotSentences {
		t.Errorf("the scenarios have %d sentences, want %d", total, mustNotSentences)
	}
}

// TestMustNot checks that no wrong conclusion is drawn, over the API and from the
// files of each node.
func TestMustNot(t *testing.T) {
	t.Parallel()
	for _, s := range readScenarios(t, "*.json") {
		var list []wrongConclusion
		for _, table := range mustNotTables {
			list = append(list, table[s.ID]...)
		}
		if len(list) == 0 {
			continue
		}
		t.Run(s.ID, func(t *testing.T) {
			t.Parallel()
			e := gather(t, &s)
			for _, wrong := range list {
				t.Run(wrong.sentence, func(t *testing.T) {
					e := *e
					e.T = t
					wrong.check(&e)
				})
			}
		})
	}
}

// view is what is concluded from one way of reading a scenario.
type view struct {
	way    string
	root   string // of the files, "" over the API
	report *atlas.Report
	found  []findings.Finding
}

// evidence is all that is concluded from a scenario.
type evidence struct {
	*testing.T // of the sentence that is being checked

	all   []*view // over the API first, then from the files of each node
	api   []*view // only the first
	files []*view // only the others
}

func gather(t *testing.T, s *scenario) *evidence {
	t.Helper()
	snapshot, err := readRecording(t, s.ID)
	if err != nil {
		t.Fatal(err)
	}
	e := &evidence{all: []*view{look("api", "", &snapshot)}}
	for _, local := range s.Nodes {
		root := t.TempDir()
		if err := s.Root[local].WriteTo(root); err != nil {
			t.Fatal(err)
		}
		snapshot, err := hostfs.Read(t.Context(), hostfs.Options{Root: root, Now: time.Now})
		if err != nil {
			t.Fatal(err)
		}
		e.all = append(e.all, look("files of "+local, root, &snapshot))
	}
	e.api, e.files = e.all[:1], e.all[1:]
	return e
}

func look(way, root string, snapshot *facts.Snapshot) *view {
	report := atlas.Build(snapshot)
	return &view{way: way, root: root, report: report, found: findings.Find(report)}
}

// on gives the views that see the devices of a node: the API and its own files.
func (e *evidence) on(node string) []*view {
	e.Helper()
	var views []*view
	for _, v := range e.all {
		if n := v.report.Node(node); n != nil && n.DevicesRead {
			views = append(views, v)
		}
	}
	if len(views) != 2 {
		e.Fatalf("%d views see %s, want 2", len(views), node)
	}
	return views
}

// wantLines compares which functions the lines of a VM name, each written
// "hostpci0 0000:01:00.0", with the mapping, certainty, phase and mdev type where
// they are not the plain ones.
func (e *evidence) wantLines(node string, vmid int, want ...string) {
	e.Helper()
	for _, v := range e.on(node) {
		var got []string
		for i := range v.report.Node(node).Devices {
			device := &v.report.Node(node).Devices[i]
			for j := range device.References {
				if r := &device.References[j]; r.VM.VMID == vmid {
					got = append(got, describe(device.Address, r))
				}
			}
		}
		compareSorted(e.T, fmt.Sprintf("%s: VM %d", v.way, vmid), slices.Clone(want), got)
	}
}

func describe(address pci.Address, r *atlas.Reference) string {
	words := []string{pve.SlotKey(r.Slot), address.String()}
	if r.Mapping != "" {
		words = append(words, r.Mapping)
	}
	if r.Certainty != atlas.Exact {
		words = append(words, string(r.Certainty))
	}
	if r.Phase != atlas.Current {
		words = append(words, string(r.Phase))
	}
	if r.Mdev != "" {
		words = append(words, r.Mdev)
	}
	return strings.Join(words, " ")
}

// wantUnplaced compares what of a VM lands on no device of the node, each written
// "hostpci0 c8:00.0 device_not_present".
func (e *evidence) wantUnplaced(node string, vmid int, want ...string) {
	e.Helper()
	for _, v := range e.on(node) {
		var got []string
		for _, u := range v.report.Node(node).Unplaced {
			if u.VM.VMID == vmid {
				got = append(got, pve.SlotKey(u.Slot)+" "+cmp.Or(u.Selector, u.Mapping)+" "+string(u.Reason))
			}
		}
		compareSorted(e.T, fmt.Sprintf("%s: VM %d, unplaced", v.way, vmid), slices.Clone(want), got)
	}
}

// wantUsers compares the state of a function and the VMs that name it.
func (e *evidence) wantUsers(node, address string, state atlas.State, want ...int) {
	e.Helper()
	for _, v := range e.on(node) {
		device := v.device(e.T, node, address)
		var got []int
		for i := range device.References {
			got = append(got, device.References[i].VM.VMID)
		}
		if device.State != state || !slices.Equal(slices.Compact(got), want) {
			e.Errorf("%s: %s is %s by %v, want %s by %v", v.way, address, device.State, got, state, want)
		}
	}
}

// wantReview checks that a function is kept in review by an issue of this code.
func (e *evidence) wantReview(node, address string, code atlas.IssueCode) {
	e.Helper()
	for _, v := range e.on(node) {
		device := v.device(e.T, node, address)
		if device.State != atlas.NeedsReview || !slices.ContainsFunc(device.Review, func(r atlas.Review) bool {
			return r.Issue != nil && r.Issue.Code == code
		}) {
			e.Errorf("%s: %s is %s because of %+v, want it in review because of %s", v.way, address, device.State, device.Review, code)
		}
	}
}

// wantDefaultList compares what a node's answer lists if nobody asks for more.
func (e *evidence) wantDefaultList(node string, want ...string) {
	e.Helper()
	for _, v := range e.on(node) {
		answer := v.report.Answer(v.report.Node(node), atlas.AnswerOptions{})
		var got []string
		for i := range answer.Devices {
			got = append(got, answer.Devices[i].Address.String())
		}
		if !slices.Equal(got, want) {
			e.Errorf("%s: the list of %s is %v, want %v", v.way, node, got, want)
		}
	}
}

func (v *view) device(t *testing.T, node, address string) *atlas.Device {
	t.Helper()
	device := v.report.Node(node).Device(parseAddress(t, address))
	if device == nil {
		t.Fatalf("%s: %s has no %s", v.way, node, address)
	}
	return device
}

func parseAddress(t *testing.T, s string) pci.Address {
	t.Helper()
	address, err := pci.ParseAddress(s)
	if err != nil {
		t.Fatal(err)
	}
	return address
}

// line gives the value of a slot as it was read.
func (v *view) line(t *testing.T, vmid, slot int) pve.HostPCI {
	t.Helper()
	for i := range v.report.Nodes {
		for j := range v.report.Nodes[i].Devices {
			for _, r := range v.report.Nodes[i].Devices[j].References {
				if r.VM.VMID == vmid && r.Slot == slot {
					return r.Value
				}
			}
		}
	}
	t.Fatalf("%s: no line %s of VM %d names a device", v.way, pve.SlotKey(slot), vmid)
	return pve.HostPCI{}
}

// nothingRefused checks that no line of a VM is refused or dropped.
func (e *evidence) nothingRefused(vmid int) {
	e.Helper()
	for _, v := range e.all {
		for i := range v.report.Nodes {
			for _, issue := range v.report.Nodes[i].Issues {
				if issue.VMID == vmid && issue.Code == atlas.IssueHostPCIInvalid {
					e.Errorf("%s: %s", v.way, issue.Message)
				}
			}
		}
		for _, vm := range v.report.FindVM(vmid) {
			if vm.Config != nil && len(vm.Config.Dropped) > 0 {
				e.Errorf("%s: VM %d has dropped lines %+v", v.way, vmid, vm.Config.Dropped)
			}
		}
	}
	e.none(e.all, code(findings.HostPCILineIgnored), ofVM(vmid))
}

// pick chooses findings.
type pick func(*findings.Finding) bool

func code(codes ...findings.Code) pick {
	return func(f *findings.Finding) bool { return slices.Contains(codes, f.Code) }
}

func notCode(codes ...findings.Code) pick {
	return func(f *findings.Finding) bool { return !slices.Contains(codes, f.Code) }
}

func severity(s findings.Severity) pick {
	return func(f *findings.Finding) bool { return f.Severity == s }
}

func worseThan(s findings.Severity) pick {
	return func(f *findings.Finding) bool { return f.Severity > s }
}

func ofVM(vmid int) pick { return func(f *findings.Finding) bool { return f.Subject.VMID == vmid } }

func ofSlot(vmid, slot int) pick {
	return func(f *findings.Finding) bool { return f.Subject.VMID == vmid && f.Subject.Slot == slot }
}

func ofMapping(id string) pick {
	return func(f *findings.Finding) bool { return f.Subject.Mapping == id }
}

// saying chooses what contains all the words.
func saying(words ...string) pick {
	return func(f *findings.Finding) bool {
		return !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(wording(f), word) })
	}
}

// wording is all that a finding tells people.
func wording(f *findings.Finding) string {
	return strings.Join(slices.Concat([]string{f.Sentence}, f.Evidence, f.Remedy), "\n")
}

func (v *view) choose(picks []pick) []*findings.Finding {
	var chosen []*findings.Finding
	for i := range v.found {
		if !slices.ContainsFunc(picks, func(p pick) bool { return !p(&v.found[i]) }) {
			chosen = append(chosen, &v.found[i])
		}
	}
	return chosen
}

// none checks that nothing is found that all picks choose.
func (e *evidence) none(views []*view, picks ...pick) {
	e.Helper()
	for _, v := range views {
		for _, f := range v.choose(picks) {
			e.Errorf("%s: %s %s: %s", v.way, f.Severity, f.Code, wording(f))
		}
	}
}

// some gives what all picks choose; each view must have found something.
func (e *evidence) some(views []*view, picks ...pick) []*findings.Finding {
	e.Helper()
	var all []*findings.Finding
	for _, v := range views {
		chosen := v.choose(picks)
		if len(chosen) == 0 {
			e.Errorf("%s: nothing of the kind is found", v.way)
		}
		all = append(all, chosen...)
	}
	return all
}

// together checks that the findings that all picks choose say all the words, be it
// each in another of them.
func (e *evidence) together(views []*view, words []string, picks ...pick) {
	e.Helper()
	for _, v := range views {
		var text strings.Builder
		for _, f := range v.choose(picks) {
			text.WriteString(wording(f) + "\n")
		}
		for _, word := range words {
			if !strings.Contains(text.String(), word) {
				e.Errorf("%s: %s is not told in %q", v.way, word, text.String())
			}
		}
	}
}

// table is what the shipped program prints of the files.
func (v *view) table(t *testing.T) string {
	t.Helper()
	output, err := exec.CommandContext(t.Context(), program(t), "scan", "--root", v.root, "--all-devices").Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(output)
}
