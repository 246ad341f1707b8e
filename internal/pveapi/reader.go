package pveapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"pciatlas/internal/facts"
	"pciatlas/internal/pve"
)

// Request says what one read is for.
type Request struct {
	// Nodes whose devices and VM configurations are read; empty for all.
	Nodes []string
	// Policy also reads HA, backup jobs and replication.
	Policy bool
	// Details also reads what snapshots of VMs hold, the types of mediated device and
	// the containers: one request more for each VM, each snapshot, each capable
	// function and each container.
	Details bool
}

// Read fills a snapshot. It fails only if no entry node answers, the credential
// is refused, or nothing at all could be read; everything else that fails
// becomes the state of the read concerned. The error is an *Error, or that of
// the context.
func (c *Client) Read(ctx context.Context, request Request) (facts.Snapshot, error) {
	part, err := c.ReadCluster(ctx, request.Policy)
	if err != nil {
		return facts.Snapshot{}, err
	}
	snapshot, err := c.ReadNodes(ctx, part, request.Nodes, request.Details)
	if err != nil {
		return facts.Snapshot{}, err
	}
	asked := part.pick(request.Nodes)
	maps.DeleteFunc(snapshot.Nodes, func(name string, _ *facts.Node) bool { return !slices.Contains(asked, name) })
	return snapshot, nil
}

// reader is one step of a read: that of the cluster or that of nodes.
type reader struct {
	client  *Client
	request Request
	via     string

	mu sync.Mutex
	// core is the first failure of the lists without which there is nothing to
	// report on.
	core     *Error
	snapshot facts.Snapshot
	version  pve.Version // zero if not known
	// memory is that of the nodes that tell it.
	memory map[string]facts.Read[int64]
}

// cluster asks for something that belongs to no node.
func (r *reader) cluster(ctx context.Context, path string, query url.Values) (json.RawMessage, error) {
	data, err := r.client.get(ctx, "", path, query, func() time.Duration { return r.client.options.Limits.Request })
	if failure, ok := errors.AsType[*Error](err); ok && (path == pathNodes || path == pathResources) {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.core == nil || failure.Status == 401 {
			r.core = failure
		}
	}
	return data, err
}

// node asks a node within its budget.
func (r *reader) node(ctx context.Context, b *budget, node, path string, query url.Values) (json.RawMessage, error) {
	return r.onNode(ctx, b, node, "/nodes/"+url.PathEscape(node)+path, query)
}

// onNode asks a question, whatever its path, that the node has to answer.
func (r *reader) onNode(ctx context.Context, b *budget, node, path string, query url.Values) (json.RawMessage, error) {
	end := func() {}
	data, err := r.client.get(ctx, node, path, query, func() (left time.Duration) {
		left, end = b.begin()
		return left
	})
	end()
	return data, err
}

func (r *reader) stamp(from time.Time) facts.Stamp {
	return facts.Stamp{Source: facts.SourceAPI, Via: r.via, From: from, To: r.client.options.Now()}
}

// failedRead makes the read of a request that failed.
func failedRead[T any](r *reader, from time.Time, request string, err error) facts.Read[T] {
	return facts.Read[T]{State: facts.Failed, Stamp: r.stamp(from), Problems: []facts.Problem{problemOf(request, err)}}
}

// readVersion asks the first question. What fails here for good fails the read;
// any other failure is the state of that read.
func (r *reader) readVersion(ctx context.Context) error {
	from := r.client.options.Now()
	version, err := r.askVersion(ctx)
	r.via = r.client.entry()
	failure, ok := errors.AsType[*Error](err)
	switch {
	case err == nil:
		r.version = version
		r.snapshot.Version = facts.Read[pve.Version]{State: facts.OK, Value: version, Stamp: r.stamp(from)}
		return nil
	case !ok || failure.Status == 0 || failure.Status == 401:
		return err
	default:
		r.snapshot.Version = failedRead[pve.Version](r, from, "GET /version", err)
		return nil
	}
}

func (r *reader) askVersion(ctx context.Context) (pve.Version, error) {
	data, err := r.cluster(ctx, pathVersion, nil)
	if err != nil {
		return pve.Version{}, err
	}
	return decodeVersion(data)
}

func decodeVersion(data json.RawMessage) (pve.Version, error) {
	const request = "GET " + pathVersion
	var answer struct{ Version scalar }
	if err := json.Unmarshal(data, &answer); err != nil {
		return pve.Version{}, malformed(request, errors.New(plainJSON(err)))
	}
	version, err := pve.ParseVersion(answer.Version.text)
	if err != nil {
		return pve.Version{}, malformed(request, errors.New("it names no version"))
	}
	return version, nil
}

// readCluster asks everything that belongs to no node, side by side.
func (r *reader) readCluster(ctx context.Context) {
	var group errgroup.Group
	for _, read := range r.clusterReads() {
		group.Go(func() error {
			read(ctx)
			return nil
		})
	}
	_ = group.Wait() // no read fails the others
}

func (r *reader) clusterReads() []func(context.Context) {
	reads := []func(context.Context){r.readRights, r.readGuests, r.readMembers, r.readMappings}
	if r.request.Policy {
		reads = append(reads, r.readHA, r.readBackups, r.readReplication)
	}
	return reads
}

// nothingRead tells that neither guests nor nodes are known: a report of nothing
// would look like an empty cluster.
func (r *reader) nothingRead() error {
	if r.core != nil && r.core.Status == 401 {
		return r.core
	}
	if len(r.snapshot.Members.Value) > 0 || len(r.snapshot.Guests.Value) > 0 {
		return nil
	}
	if r.core != nil {
		return r.core
	}
	problems := append(slices.Clone(r.snapshot.Members.Problems), r.snapshot.Guests.Problems...)
	failure := &Error{
		Code: CodeRefused, Request: "GET /nodes", Problem: facts.ProblemRefused,
		Err: errors.New("neither nodes nor guests could be read, so there is nothing to report on"),
	}
	if len(problems) > 0 {
		failure.Err = fmt.Errorf("neither nodes nor guests could be read: %s: %s", problems[0].Subject, problems[0].Message)
		if problems[0].Code == facts.ProblemTimeout {
			failure.Code, failure.Problem = CodeTimeout, facts.ProblemTimeout
		}
	}
	return failure
}

// readNodes reads nodes side by side; the limits keep order.
func (r *reader) readNodes(ctx context.Context, names []string) {
	var group errgroup.Group
	for _, name := range names {
		group.Go(func() error {
			node := r.readNode(ctx, name)
			r.mu.Lock()
			defer r.mu.Unlock()
			r.snapshot.Nodes[name] = node
			return nil
		})
	}
	_ = group.Wait() // no node fails the others
}

// readNode reads the devices of a node and its VM configurations.
func (r *reader) readNode(ctx context.Context, name string) *facts.Node {
	node := &facts.Node{VMs: map[int]facts.Read[facts.VMConfig]{}, Memory: r.memory[name]}
	limits := r.client.options.Limits
	b := newBudget(limits.NodeBudget, limits.PerNode)
	vmids := r.vmsOn(name)
	for _, vmid := range vmids[min(len(vmids), limits.VMsPerNode):] {
		node.VMs[vmid] = facts.Read[facts.VMConfig]{State: facts.Failed, Problems: []facts.Problem{{
			Code: facts.ProblemLimit, Message: fmt.Sprintf("only the first %d VMs of a node are read", limits.VMsPerNode),
		}}}
	}
	vmids = vmids[:min(len(vmids), limits.VMsPerNode)]
	if r.knownOff(name) {
		// One question tells whether the node is really off.
		node.Devices = r.readDevices(ctx, b, name)
		if isUnreachable(node.Devices.Problems) {
			for _, vmid := range vmids {
				node.VMs[vmid] = facts.Read[facts.VMConfig]{State: facts.Failed, Stamp: node.Devices.Stamp, Problems: node.Devices.Problems}
			}
			return node
		}
	}
	r.readNodeParts(ctx, b, name, node, vmids)
	return node
}

func (r *reader) readNodeParts(ctx context.Context, b *budget, name string, node *facts.Node, vmids []int) {
	var group errgroup.Group
	group.SetLimit(r.client.options.Limits.PerNode)
	if node.Devices.State == facts.NotAsked {
		group.Go(func() error {
			devices := r.readDevices(ctx, b, name)
			r.mu.Lock()
			defer r.mu.Unlock()
			node.Devices = devices
			return nil
		})
	}
	for _, vmid := range vmids {
		group.Go(func() error {
			config := r.readPending(ctx, b, name, vmid)
			r.mu.Lock()
			defer r.mu.Unlock()
			node.VMs[vmid] = config
			return nil
		})
	}
	_ = group.Wait() // no read fails the others
	if r.request.Details {
		r.readDetails(ctx, b, name, node)
	}
}

func (r *reader) knownOff(name string) bool {
	for _, member := range r.snapshot.Members.Value {
		if member.Name == name {
			return member.Online.Told && !member.Online.Value
		}
	}
	return false
}

// vmsOn gives the numbers of a node's VMs, ascending.
func (r *reader) vmsOn(name string) []int {
	var vmids []int
	for _, guest := range r.snapshot.Guests.Value {
		if guest.Node == name && guest.Kind == facts.QEMU {
			vmids = append(vmids, guest.VMID)
		}
	}
	slices.Sort(vmids)
	return vmids
}

func hasProblem(problems []facts.Problem, code string) bool {
	return slices.ContainsFunc(problems, func(p facts.Problem) bool { return p.Code == code })
}

func isUnreachable(problems []facts.Problem) bool {
	return hasProblem(problems, facts.ProblemUnreachable) || hasProblem(problems, facts.ProblemTimeout)
}

func number(n int) string { return strconv.Itoa(n) }
