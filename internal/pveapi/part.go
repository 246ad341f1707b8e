package pveapi

import (
	"context"
	"slices"

	"pciatlas/internal/facts"
	"pciatlas/internal/pve"
)

// ClusterPart is what was read of a cluster that belongs to no node: version,
// rights, members, guests, mappings, mentions and, if asked for, policy. The reads
// of nodes start from it, several at once if need be, and do not change it.
type ClusterPart struct {
	snapshot facts.Snapshot // without nodes
	names    []string
	looks    *lookout
	memory   map[string]facts.Read[int64] // by node, of those that tell it
}

// Snapshot gives what was read, without nodes. It shares memory with the part and
// must not be changed.
func (p *ClusterPart) Snapshot() facts.Snapshot { return p.snapshot }

// NodeNames gives the nodes that the list of nodes or a guest names, sorted. The
// list must not be changed.
func (p *ClusterPart) NodeNames() []string { return p.names }

// namesOf gives the nodes that the list of nodes or a guest names, sorted.
func namesOf(s *facts.Snapshot) []string {
	var names []string
	for _, member := range s.Members.Value {
		names = append(names, member.Name)
	}
	for i := range s.Guests.Value {
		names = append(names, s.Guests.Value[i].Node)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// pick gives those of the asked nodes that are known; all if none is asked for.
func (p *ClusterPart) pick(asked []string) []string {
	if len(asked) == 0 {
		return p.names
	}
	return slices.DeleteFunc(slices.Clone(p.names), func(name string) bool { return !slices.Contains(asked, name) })
}

// Version asks an entry node for its version, as the first question of a read does.
// Its errors are those of Read.
func (c *Client) Version(ctx context.Context) (pve.Version, error) {
	return (&reader{client: c}).askVersion(ctx)
}

// ReadCluster reads what belongs to no node; policy also reads HA, backup jobs and
// replication. Its errors are those of Read.
func (c *Client) ReadCluster(ctx context.Context, policy bool) (*ClusterPart, error) {
	r := &reader{client: c, request: Request{Policy: policy}, via: c.entry()}
	r.snapshot = facts.Snapshot{Schema: facts.Schema, Cluster: c.options.Cluster}
	if err := r.readVersion(ctx); err != nil {
		return nil, err
	}
	r.readCluster(ctx)
	for range c.endpoints[1:] {
		if r.via == c.entry() {
			break
		}
		// The entry node turned out to be of no use: nothing that it said counts.
		r.via, r.core = c.entry(), nil
		r.readCluster(ctx)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := r.nothingRead(); err != nil {
		return nil, err
	}
	r.snapshot.Version.Problems = append(r.snapshot.Version.Problems, c.passedOver()...)
	r.readMentions(ctx)
	r.findNewborn(ctx)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return &ClusterPart{snapshot: r.snapshot, names: namesOf(&r.snapshot), looks: newLookout(), memory: r.memory}, nil
}

// ReadNodes reads nodes on top of a cluster part: those that are named, as far as
// they are known, or all for none; details as in Request. The snapshot holds the
// part with what changed meanwhile: where it read nodes by name, or missed a VM, it
// looks once more where the guests are, and Guests.Stamp.To is when. The new place
// of a VM that left one of these nodes is read too, so there may be further nodes
// that hold nothing but such configurations. The only error is the context's.
func (c *Client) ReadNodes(ctx context.Context, part *ClusterPart, nodes []string, details bool) (facts.Snapshot, error) {
	r := &reader{
		client: c, request: Request{Nodes: nodes, Details: details}, via: c.entry(),
		snapshot: part.snapshot, version: part.snapshot.Version.Value, memory: part.memory,
	}
	r.snapshot.Nodes = map[string]*facts.Node{}
	r.readNodes(ctx, part.pick(nodes))
	r.lookAgain(ctx, part.looks)
	if err := ctx.Err(); err != nil {
		return facts.Snapshot{}, err
	}
	return r.snapshot, nil
}
