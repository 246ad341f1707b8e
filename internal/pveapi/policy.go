package pveapi

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"pciatlas/internal/facts"
	"pciatlas/internal/pve"
)

// readHA asks what the high-availability manager looks after, and by which
// rules: Proxmox VE 9 has rules, earlier releases groups.
func (r *reader) readHA(ctx context.Context) {
	from := r.client.options.Now()
	path, convert := "/cluster/ha/rules", haRuleRow
	if r.version != (pve.Version{}) && !r.version.AtLeast(9, 0, 0) {
		path, convert = "/cluster/ha/groups", haGroupRow
	}
	var rules rowsRead[facts.HARule]
	var group errgroup.Group
	group.Go(func() error {
		rules = askRows(ctx, r, path, convert)
		return nil
	})
	resources := askRows(ctx, r, "/cluster/ha/resources", haResourceRow)
	_ = group.Wait() // a failure is in the rows
	read := facts.Read[facts.HA]{
		State: resources.state(), Value: facts.HA{Resources: resources.rows, Rules: rules.rows},
		Problems: slices.Concat(resources.problems, rules.problems), Stamp: r.stamp(from),
	}
	if read.State == facts.OK && len(rules.problems) > 0 {
		read.State = facts.Partial
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.snapshot.HA = read
}

func (r *reader) readBackups(ctx context.Context) {
	from := r.client.options.Now()
	jobs := askRows(ctx, r, "/cluster/backup", backupRow)
	read := facts.Read[[]facts.BackupJob]{State: jobs.state(), Value: jobs.rows, Problems: jobs.problems, Stamp: r.stamp(from)}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.snapshot.Backups = read
}

func (r *reader) readReplication(ctx context.Context) {
	from := r.client.options.Now()
	jobs := askRows(ctx, r, "/cluster/replication", replicationRow)
	read := facts.Read[[]facts.ReplicationJob]{State: jobs.state(), Value: jobs.rows, Problems: jobs.problems, Stamp: r.stamp(from)}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.snapshot.Replication = read
}

// rowsRead is a list with what went wrong; failed tells that there is none.
type rowsRead[T any] struct {
	rows     []T
	problems []facts.Problem
	failed   bool
}

func (r rowsRead[T]) state() facts.ReadState {
	if r.failed {
		return facts.Failed
	}
	return rowState(r.problems)
}

func askRows[T any](ctx context.Context, r *reader, path string, convert func(json.RawMessage) (T, error)) rowsRead[T] {
	request := "GET " + path
	data, err := r.cluster(ctx, path, nil)
	var read rowsRead[T]
	if err == nil {
		read.rows, read.problems, err = decodeRows(request, data, convert)
	}
	if err != nil {
		return rowsRead[T]{problems: []facts.Problem{problemOf(request, err)}, failed: true}
	}
	return read
}

func haResourceRow(row json.RawMessage) (facts.HAResource, error) {
	var wire struct{ SID, State, Group scalar }
	if err := json.Unmarshal(row, &wire); err != nil {
		return facts.HAResource{}, err
	}
	kind, vmid, err := parseSID(wire.SID.text)
	if err != nil {
		return facts.HAResource{}, err
	}
	state := wire.State.text
	if state == "" {
		state = "started"
	}
	return facts.HAResource{VMID: vmid, Kind: kind, State: state, Group: wire.Group.text}, nil
}

// parseSID reads the id of a resource of HA: vm:100 or ct:100.
func parseSID(sid string) (facts.GuestKind, int, error) {
	kind, digits, _ := strings.Cut(sid, ":")
	vmid, err := strconv.Atoi(digits)
	switch {
	case err == nil && kind == "vm":
		return facts.QEMU, vmid, nil
	case err == nil && kind == "ct":
		return facts.LXC, vmid, nil
	default:
		return "", 0, errors.New("it names no guest")
	}
}

func haRuleRow(row json.RawMessage) (facts.HARule, error) {
	var wire struct{ Rule, Type, Resources, Nodes, Strict, Disable scalar }
	if err := json.Unmarshal(row, &wire); err != nil {
		return facts.HARule{}, err
	}
	rule := facts.HARule{ID: wire.Rule.text, Type: wire.Type.text, Nodes: nodesOf(wire.Nodes.text), Strict: wire.Strict.flag(), Disabled: wire.Disable.flag()}
	for _, sid := range pve.SplitList(wire.Resources.text) {
		_, vmid, err := parseSID(sid)
		if err != nil {
			return facts.HARule{}, err
		}
		rule.VMIDs = append(rule.VMIDs, vmid)
	}
	return rule, nil
}

func haGroupRow(row json.RawMessage) (facts.HARule, error) {
	var wire struct{ Group, Nodes, Restricted scalar }
	if err := json.Unmarshal(row, &wire); err != nil {
		return facts.HARule{}, err
	}
	return facts.HARule{ID: wire.Group.text, Type: "group", Nodes: nodesOf(wire.Nodes.text), Strict: wire.Restricted.flag()}, nil
}

// nodesOf reads a list of nodes, which may carry priorities: pve-a:2,pve-b.
func nodesOf(list string) []string {
	var nodes []string
	for _, word := range pve.SplitList(list) {
		name, _, _ := strings.Cut(word, ":")
		nodes = append(nodes, name)
	}
	return nodes
}

func backupRow(row json.RawMessage) (facts.BackupJob, error) {
	var wire struct{ ID, Enabled, All, VMID, Exclude, Pool, Node, Mode scalar }
	if err := json.Unmarshal(row, &wire); err != nil {
		return facts.BackupJob{}, err
	}
	job := facts.BackupJob{
		ID: wire.ID.text, Enabled: !wire.Enabled.set || wire.Enabled.flag(), All: wire.All.flag(),
		Pool: wire.Pool.text, Node: wire.Node.text, Mode: wire.Mode.text,
	}
	var err error
	if job.VMIDs, err = numbersOf(wire.VMID.text); err != nil {
		return facts.BackupJob{}, err
	}
	job.Exclude, err = numbersOf(wire.Exclude.text)
	return job, err
}

func numbersOf(list string) ([]int, error) {
	var numbers []int
	for _, word := range pve.SplitList(list) {
		n, err := strconv.Atoi(word)
		if err != nil {
			return nil, errors.New("a guest's number is expected")
		}
		numbers = append(numbers, n)
	}
	return numbers, nil
}

func replicationRow(row json.RawMessage) (facts.ReplicationJob, error) {
	var wire struct{ ID, Guest, Target, Disable scalar }
	if err := json.Unmarshal(row, &wire); err != nil {
		return facts.ReplicationJob{}, err
	}
	vmid, err := wire.Guest.number()
	return facts.ReplicationJob{ID: wire.ID.text, VMID: vmid, Target: wire.Target.text, Disabled: wire.Disable.flag()}, err
}
