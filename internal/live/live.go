// Package live keeps one current snapshot per cluster for all who ask: what is
// asked for at the same time, or shortly after, is read once. It may be imported
// by the server's wiring; it imports pure packages only and gets the readers of
// clusters handed in.
package live

import (
	"context"
	"slices"
	"sync"
	"time"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
)

// Base is the part of a cluster's facts that belongs to no node. It never changes.
type Base interface {
	// Snapshot gives the facts, without nodes; they must not be changed.
	Snapshot() facts.Snapshot
	// NodeNames gives the names of the nodes that can be read, sorted. It is called
	// for every caller, and its result must not be changed.
	NodeNames() []string
}

// Reader reads one cluster; several reads may be under way at once.
type Reader interface {
	ReadCluster(ctx context.Context) (Base, error)
	// ReadNodes reads nodes on top of a base of this reader. The snapshot holds the
	// base with what changed meanwhile as far as it concerns these nodes, and
	// Guests.Stamp.To is when that was looked for last. VMs that left one of the
	// nodes meanwhile may be there under their new node, which holds nothing else.
	ReadNodes(ctx context.Context, base Base, nodes []string, details bool) (facts.Snapshot, error)
	// Close is called once, after all reads have ended.
	Close()
}

// Origin says how a cluster is read now.
type Origin struct {
	// Key changes when the cluster is to be read in another way; what was read in
	// the old way is not shared any more.
	Key string
	// Open makes a reader. It is called when there is none for the key yet, and
	// again if it failed.
	Open func(ctx context.Context) (Reader, error)
}

// Source finds a cluster by name. Its errors are passed on as they are.
type Source func(ctx context.Context, cluster string) (Origin, error)

// Options of New. Source is needed.
type Options struct {
	Source Source
	// Share is how long after a read began its answer still serves others; 0 means
	// 5 s.
	Share time.Duration
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Want says what a report is for.
type Want struct {
	// Nodes to read, empty for all. Names that the cluster does not know are passed
	// over; the report has no such node then.
	Nodes []string
	// Details also reads what only findings need.
	Details bool
	// NoNodes reads what belongs to no node, whatever Nodes says: the report tells
	// which VMs there are and where, and nothing of their configuration.
	NoNodes bool
}

func (w Want) all() bool { return len(w.Nodes) == 0 && !w.NoNodes }

// named are the nodes that are named and wanted.
func (w Want) named() []string {
	if w.NoNodes {
		return nil
	}
	return w.Nodes
}

// Live reads clusters for many callers at once. Close ends it.
type Live struct {
	options Options
	context context.Context //nolint:containedctx // reads live as long as Live, not as long as who asked first
	cancel  context.CancelFunc
	running sync.WaitGroup // reads

	mu     sync.Mutex // guards what follows and all sets and parts
	closed bool
	sets   map[string]*set
	status map[string]*Status
	serial int
}

// New makes a Live that has read nothing yet.
func New(options Options) *Live {
	if options.Share <= 0 {
		options.Share = 5 * time.Second
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	ctx, cancel := context.WithCancel(context.Background())
	return &Live{options: options, context: ctx, cancel: cancel, sets: map[string]*set{}, status: map[string]*Status{}}
}

// Report gives the report of nodes of a cluster. Callers who want the same get the
// same report, which must not be changed, as long as its first read began less
// than Share ago. Where reads of a node take longer than that and overlap already,
// they join the newer one instead of beginning yet another. Errors are those of the source and the reader, ctx's, or
// a *ClosedError; they are never kept for later callers.
func (l *Live) Report(ctx context.Context, cluster string, want Want) (*atlas.Report, error) {
	p, leave, err := l.enter(ctx, cluster, want.named(), want.all())
	if err != nil {
		return nil, err
	}
	defer leave()
	if err := p.base.wait(ctx); err != nil {
		return nil, err
	}
	names := p.base.value.NodeNames()
	if !want.all() {
		names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !slices.Contains(want.named(), name) })
	}
	return p.readNodes(ctx, names, want.Details)
}

// Nodes gives the list of nodes; no node is asked for that.
func (l *Live) Nodes(ctx context.Context, cluster string) (facts.Read[[]facts.Member], error) {
	p, leave, err := l.enter(ctx, cluster, nil, false)
	if err != nil {
		return facts.Read[[]facts.Member]{}, err
	}
	defer leave()
	if err := p.base.wait(ctx); err != nil {
		return facts.Read[[]facts.Member]{}, err
	}
	return p.base.value.Snapshot().Members, nil
}

// Renew keeps what was read of a cluster until now from being shared any more, so
// that whoever asks next finds what was changed just before.
func (l *Live) Renew(cluster string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s := l.sets[cluster]; s != nil {
		s.current = nil
	}
}

// Close ends all reads and waits for them; who still waits gets a *ClosedError. It
// may be called more than once.
func (l *Live) Close() {
	l.mu.Lock()
	sets := l.sets
	l.closed, l.sets = true, map[string]*set{}
	l.mu.Unlock()
	l.cancel()
	l.running.Wait()
	for _, s := range sets {
		s.timer.Stop()
		s.closeReader()
	}
}

// ClosedError says that the server is stopping.
type ClosedError struct{}

func (*ClosedError) Error() string { return "The server is stopping. Try again in a moment." }

// ErrorCode gives the stable code.
func (*ClosedError) ErrorCode() string { return "unavailable" }
