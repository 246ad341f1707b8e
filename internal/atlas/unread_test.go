package atlas_test

import (
	"testing"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/pci"
)

func problem(code string) []facts.Problem {
	return []facts.Problem{{Code: code, Subject: "GET /x", Message: "why"}}
}

func issuesOf(node *atlas.Node, code atlas.IssueCode) []atlas.Issue {
	var found []atlas.Issue
	for _, issue := range node.Issues {
		if issue.Code == code {
			found = append(found, issue)
		}
	}
	return found
}

// TestMdevTypesUnreadable: types that were asked for and not read are an issue of
// their functions that blocks nothing; what Proxmox VE cannot tell is none.
func TestMdevTypesUnreadable(t *testing.T) {
	type types = facts.Read[[]facts.MdevType]
	for name, c := range map[string]struct {
		reads map[string]types
		host  *facts.HostDevice
		want  int // issues
		reach int // functions of the first
	}{
		"not asked":   {},
		"read":        {reads: map[string]types{"0000:01:00.0": {State: facts.OK}}},
		"host":        {host: &facts.HostDevice{}},
		"unsupported": {reads: map[string]types{"0000:01:00.0": {State: facts.Failed, Problems: problem(facts.ProblemUnsupported)}}},
		"refused": {
			reads: map[string]types{"0000:01:00.0": {State: facts.Failed, Problems: problem(facts.ProblemPermission)}},
			want:  1, reach: 1,
		},
		"no reason": {reads: map[string]types{"0000:01:00.0": {State: facts.Failed}}, want: 1, reach: 1},
		"host in part": {
			reads: map[string]types{"0000:01:00.0": {State: facts.Partial, Problems: problem(facts.ProblemIO)}},
			host:  &facts.HostDevice{}, want: 1, reach: 1,
		},
		"two of one reason": {reads: map[string]types{
			"0000:01:00.0": {State: facts.Failed, Problems: problem(facts.ProblemTimeout)},
			"0000:02:00.0": {State: facts.Failed, Problems: problem(facts.ProblemTimeout)},
		}, want: 1, reach: 2},
	} {
		t.Run(name, func(t *testing.T) {
			snapshot := bigSnapshot(1, 1, 1)
			for _, node := range snapshot.Nodes {
				device := func(bus uint8) facts.Device {
					return facts.Device{Address: pci.Address{Bus: bus}, Class: 0x030000, Mdev: facts.Told(true), Host: c.host}
				}
				node.Devices = facts.Read[[]facts.Device]{State: facts.OK, Value: []facts.Device{device(1), device(2)}}
				node.MdevTypes = c.reads
			}
			node := atlas.Build(snapshot).Nodes[0]
			found := issuesOf(&node, atlas.IssueMdevTypesUnreadable)
			if len(found) != c.want || c.want > 0 && (!found[0].Limited || len(found[0].Devices) != c.reach || found[0].Code.Blocks()) {
				t.Errorf("%+v", found)
			}
		})
	}
}

// TestPolicyUnreadable: what Proxmox VE does not know it cannot tell; anything else
// was not read.
func TestPolicyUnreadable(t *testing.T) {
	for name, c := range map[string]struct {
		state          facts.ReadState
		problems       []facts.Problem
		unread, tooOld int
	}{
		"not asked":   {state: facts.NotAsked},
		"read":        {state: facts.OK},
		"refused":     {state: facts.Failed, problems: problem(facts.ProblemPermission), unread: 1},
		"no reason":   {state: facts.Failed, unread: 1},
		"unsupported": {state: facts.Failed, problems: problem(facts.ProblemUnsupported), tooOld: 1},
		"both": {
			state:    facts.Failed,
			problems: append(problem(facts.ProblemUnsupported), problem(facts.ProblemTimeout)...), unread: 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			snapshot := bigSnapshot(1, 1, 1)
			snapshot.Replication = facts.Read[[]facts.ReplicationJob]{State: c.state, Problems: c.problems}
			node := atlas.Build(snapshot).Nodes[0]
			unread, tooOld := issuesOf(&node, atlas.IssuePolicyUnreadable), issuesOf(&node, atlas.IssueTooOld)
			if len(unread) != c.unread || len(tooOld) != c.tooOld {
				t.Errorf("%+v", node.Issues)
			}
		})
	}
}
