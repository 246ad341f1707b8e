package test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/findings"
	"pciatlas/internal/pve"
)

// findingKeys gives each finding as its code and subject; with more, with all of it.
func findingKeys(t *testing.T, s *facts.Snapshot, whole bool) []string {
	t.Helper()
	keys := []string{}
	for _, f := range findings.Find(atlas.Build(s)) {
		if !whole {
			f = findings.Finding{Code: f.Code, Subject: f.Subject}
		}
		text, err := json.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, string(text))
	}
	return keys
}

// everySnapshot calls do with what is read of each field case, both ways.
func everySnapshot(t *testing.T, do func(t *testing.T, s *facts.Snapshot, random *rand.Rand)) {
	t.Helper()
	for i, s := range readScenarios(t, "FC-*.json") {
		t.Run(s.ID, func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(uint64(i), 7))
			for _, local := range s.Nodes {
				snapshot := readRoot(t, s.Root[local])
				do(t, &snapshot, random)
			}
			snapshot, err := readRecording(t, s.ID)
			if err != nil {
				t.Fatal(err)
			}
			do(t, &snapshot, random)
		})
	}
}

// copyOf gives a copy that may be changed.
func copyOf(t *testing.T, s *facts.Snapshot) *facts.Snapshot {
	t.Helper()
	text, err := facts.Encode(s)
	if err != nil {
		t.Fatal(err)
	}
	decoded, err := facts.Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	return &decoded
}

// TestFindingsInAnyOrder: the order of lists changes nothing.
func TestFindingsInAnyOrder(t *testing.T) {
	t.Parallel()
	everySnapshot(t, func(t *testing.T, s *facts.Snapshot, random *rand.Rand) {
		t.Helper()
		want := findingKeys(t, s, true)
		shuffled := copyOf(t, s)
		shuffle(random, shuffled.Guests.Value)
		shuffle(random, shuffled.Members.Value)
		shuffle(random, shuffled.HA.Value.Resources)
		shuffle(random, shuffled.Backups.Value)
		for _, node := range shuffled.Nodes {
			shuffle(random, node.Devices.Value)
		}
		shuffle(random, shuffled.Mappings.Value)
		if diff := cmp.Diff(want, findingKeys(t, shuffled, true)); diff != "" {
			t.Errorf("(-before +after):\n%s", diff)
		}
	})
}

func shuffle[T any](random *rand.Rand, list []T) {
	random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
}

// TestFindingsBesideAnotherVM: a VM without devices changes nothing.
func TestFindingsBesideAnotherVM(t *testing.T) {
	t.Parallel()
	everySnapshot(t, func(t *testing.T, s *facts.Snapshot, _ *rand.Rand) {
		t.Helper()
		want := findingKeys(t, s, true)
		more := copyOf(t, s)
		for name, node := range more.Nodes {
			if node.VMs == nil || !more.Guests.State.Answered() {
				continue
			}
			const vmid = 999_000_001
			more.Guests.Value = append(more.Guests.Value, facts.Guest{VMID: vmid, Kind: facts.QEMU, Node: name, Name: "other", Status: facts.Stopped})
			node.VMs[vmid] = facts.Read[facts.VMConfig]{State: facts.OK, Value: facts.VMConfig{
				Items: []pve.Item{{Key: "name", Current: new("other")}}, Snapshots: facts.Read[[]facts.VMSnapshot]{State: facts.OK},
			}}
			break
		}
		if diff := cmp.Diff(want, findingKeys(t, more, true)); diff != "" {
			t.Errorf("(-before +after):\n%s", diff)
		}
	})
}

// TestFindingsOfUnreadFacts: a read that fails takes findings away and brings
// none: nothing is concluded from what was not read.
func TestFindingsOfUnreadFacts(t *testing.T) {
	t.Parallel()
	everySnapshot(t, func(t *testing.T, s *facts.Snapshot, random *rand.Rand) {
		t.Helper()
		want := findingKeys(t, s, false)
		for range 40 {
			less := copyOf(t, s)
			what := failReads(less, random)
			for _, key := range findingKeys(t, less, false) {
				if !slices.Contains(want, key) && !followsFromLines(t, key, what) {
					t.Fatalf("without %v: %s", what, key)
				}
			}
		}
	})
}

// followsFromLines tells whether a finding is one that the lines of VMs prove where
// the devices of their node were not read. With the devices it is said of these.
func followsFromLines(t *testing.T, key string, unread []string) bool {
	t.Helper()
	var f struct {
		Code    findings.Code
		Subject struct{ Node string }
	}
	if err := json.Unmarshal([]byte(key), &f); err != nil {
		t.Fatal(err)
	}
	return slices.Contains([]findings.Code{findings.DeviceShared, findings.MappingOversubscribed}, f.Code) &&
		slices.Contains(unread, "devices of "+f.Subject.Node)
}

// failReads makes some reads of a snapshot fail and says which.
func failReads(s *facts.Snapshot, random *rand.Rand) []string {
	var failed []string
	hit := func(name string) bool {
		if random.IntN(3) > 0 {
			return false
		}
		failed = append(failed, name)
		return true
	}
	unread := []facts.Problem{{Code: facts.ProblemIO, Message: "unread"}}
	if hit("mappings") {
		s.Mappings = facts.Read[[]pve.Mapping]{State: facts.Failed, Problems: unread}
	}
	if hit("HA") {
		s.HA = facts.Read[facts.HA]{State: facts.Failed, Problems: unread}
	}
	if hit("backups") {
		s.Backups = facts.Read[[]facts.BackupJob]{State: facts.Failed, Problems: unread}
	}
	if hit("replication") {
		s.Replication = facts.Read[[]facts.ReplicationJob]{State: facts.Failed, Problems: unread}
	}
	for name, node := range s.Nodes {
		if hit("devices of " + name) {
			node.Devices = facts.Read[[]facts.Device]{State: facts.Failed, Problems: unread}
		}
		if hit("IOMMU of " + name) {
			node.IOMMU = facts.Read[facts.IOMMU]{State: facts.Failed, Problems: unread}
		}
		for vmid, read := range node.VMs {
			switch {
			case hit("a VM of " + name):
				node.VMs[vmid] = facts.Read[facts.VMConfig]{State: facts.Failed, Problems: unread}
			case hit("snapshots of a VM of " + name):
				read.Value.Snapshots = facts.Read[[]facts.VMSnapshot]{State: facts.Failed, Problems: unread}
				node.VMs[vmid] = read
			}
		}
	}
	return failed
}
