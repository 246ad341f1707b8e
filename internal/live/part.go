package live

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"time"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
)

// part is one read of a cluster's base and the reads of nodes that stand on it.
// Reads of different parts never meet in one report. Live.mu guards it.
type part struct {
	set     *set
	began   time.Time
	base    *flight[Base]
	nodes   map[nodeKey]*flight[facts.Snapshot]
	reports map[string]func() *atlas.Report // by the reads that they are made of
	busy    map[string]int                  // reads that are under way, by node; "" is the base
}

type nodeKey struct {
	name    string
	details bool
}

// newPart begins to read a cluster.
func newPart(s *set, now time.Time) *part {
	p := &part{
		set: s, began: now, nodes: map[nodeKey]*flight[facts.Snapshot]{}, reports: map[string]func() *atlas.Report{},
		busy: map[string]int{},
	}
	p.count("", 1)
	p.base = launch(s, func(ctx context.Context) (Base, error) {
		reader, err := s.open(ctx)
		if err != nil {
			return nil, err
		}
		return reader.ReadCluster(ctx)
	}, func(f *flight[Base]) {
		p.count("", -1)
		if f.err != nil && s.current == p {
			s.current = nil
		}
		s.live.noteBase(p, f.err)
	})
	return p
}

// count counts reads of a node that begin (1) or end (-1).
func (p *part) count(node string, n int) {
	for _, busy := range []map[string]int{p.busy, p.set.busy} {
		if busy[node] += n; busy[node] == 0 {
			delete(busy, node)
		}
	}
}

// crowded tells whether one of the reads that a caller needs is under way here, and
// an older one of the same node besides. all stands for all nodes.
func (p *part) crowded(nodes []string, all bool) bool {
	for node, here := range p.busy {
		if needed := node == "" || all || slices.Contains(nodes, node); needed && p.set.busy[node] > here {
			return true
		}
	}
	return false
}

// readNodes reads nodes side by side, or waits for the reads that serve, and gives
// the report of them all.
func (p *part) readNodes(ctx context.Context, names []string, details bool) (*atlas.Report, error) {
	joined, leave, err := p.join(names, details)
	if err != nil {
		return nil, err
	}
	defer leave()
	for _, f := range joined {
		if err := f.wait(ctx); err != nil {
			return nil, err
		}
	}
	return p.report(names, joined)(), nil
}

// join joins the reads of nodes, and begins those that are not there. The base has
// been read.
func (p *part) join(names []string, details bool) (joined []*flight[facts.Snapshot], leave func(), err error) {
	l := p.set.live
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, nil, &ClosedError{}
	}
	keys := make([]nodeKey, len(names))
	for i, name := range names {
		keys[i] = p.choose(name, details)
		f := p.nodes[keys[i]]
		if f == nil {
			f = p.readNode(keys[i])
			p.nodes[keys[i]] = f
		}
		f.waiters++
		joined = append(joined, f)
	}
	return joined, func() {
		l.mu.Lock()
		for i, f := range joined {
			if f.leave() {
				p.forget(keys[i], f)
			}
		}
		l.mu.Unlock()
	}, nil
}

// choose says which read of a node serves: one with details serves those who do
// not need them too, but nobody waits for it who has an answer already.
func (p *part) choose(name string, details bool) nodeKey {
	plain, full := nodeKey{name, false}, nodeKey{name, true}
	if details {
		return full
	}
	if f := p.nodes[plain]; f != nil && f.ended || p.nodes[full] == nil {
		return plain
	}
	return full
}

// readNode begins to read one node.
func (p *part) readNode(key nodeKey) *flight[facts.Snapshot] {
	l := p.set.live
	began := l.options.Now()
	p.count(key.name, 1)
	return launch(p.set, func(ctx context.Context) (facts.Snapshot, error) {
		reader, err := p.set.open(ctx)
		if err != nil {
			return facts.Snapshot{}, err
		}
		return reader.ReadNodes(ctx, p.base.value, []string{key.name}, key.details)
	}, func(f *flight[facts.Snapshot]) {
		p.count(key.name, -1)
		if f.err != nil {
			p.forget(key, f)
			return
		}
		l.noteNode(p, l.options.Now().Sub(began))
	})
}

func (p *part) forget(key nodeKey, f *flight[facts.Snapshot]) {
	if p.nodes[key] == f {
		delete(p.nodes, key)
	}
}

// report gives what computes the report of a set of reads that have ended, once.
func (p *part) report(names []string, joined []*flight[facts.Snapshot]) func() *atlas.Report {
	var key []byte
	for _, f := range joined {
		key = append(strconv.AppendInt(key, int64(f.serial), 36), ' ')
	}
	l := p.set.live
	l.mu.Lock()
	defer l.mu.Unlock()
	build := p.reports[string(key)]
	if build == nil {
		build = sync.OnceValue(func() *atlas.Report {
			reads := make([]facts.Snapshot, len(joined))
			for i, f := range joined {
				reads[i] = f.value
			}
			snapshot := assemble(p.base.value.Snapshot(), names, reads)
			report := atlas.Build(&snapshot)
			l.noteReport(p, names, report)
			return report
		})
		p.reports[string(key)] = build
	}
	return build
}
