package live_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/live"
	"pciatlas/internal/pci"
)

// fakeBase is one read of the fake cluster; its number is the name of its VMs.
type fakeBase struct{ snapshot facts.Snapshot }

func (b *fakeBase) Snapshot() facts.Snapshot { return b.snapshot }

func (b *fakeBase) NodeNames() []string { return []string{"a", "b", "c"} }

// fakeReader reads a cluster of three nodes with a VM and a device each.
type fakeReader struct {
	base, node time.Duration            // how long the reads take
	hang       map[string]time.Duration // nodes that take longer
	fail       error
	stubborn   time.Duration // how long a read goes on that was given up
	fault      any           // what the read of a node panics with

	mu                      sync.Mutex
	bases, gaveUp, closed   int
	nodes, details, running map[string]int
}

func newReader(base, node time.Duration) *fakeReader {
	return &fakeReader{base: base, node: node, nodes: map[string]int{}, details: map[string]int{}, running: map[string]int{}, hang: map[string]time.Duration{}}
}

func (r *fakeReader) wait(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		later(r.stubborn)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.gaveUp++
		return ctx.Err()
	}
}

func (r *fakeReader) ReadCluster(ctx context.Context) (live.Base, error) {
	r.mu.Lock()
	r.bases++
	number, fail := r.bases, r.fail
	r.mu.Unlock()
	from := time.Now()
	if err := r.wait(ctx, r.base); err != nil {
		return nil, err
	}
	if fail != nil {
		return nil, fail
	}
	stamp := facts.Stamp{Source: facts.SourceAPI, From: from, To: time.Now()}
	s := facts.Snapshot{Schema: facts.Schema, Cluster: "lab"}
	s.Guests = facts.Read[[]facts.Guest]{State: facts.OK, Stamp: stamp}
	s.Members = facts.Read[[]facts.Member]{State: facts.OK, Stamp: stamp}
	for i, name := range []string{"a", "b", "c"} {
		s.Members.Value = append(s.Members.Value, facts.Member{Name: name, Online: facts.Told(true)})
		s.Guests.Value = append(s.Guests.Value, facts.Guest{VMID: 100 + i, Kind: facts.QEMU, Node: name, Name: fmt.Sprint(number)})
	}
	return &fakeBase{s}, nil
}

func (r *fakeReader) ReadNodes(ctx context.Context, base live.Base, nodes []string, details bool) (facts.Snapshot, error) {
	name := nodes[0]
	r.mu.Lock()
	if details {
		r.details[name]++
	} else {
		r.nodes[name]++
	}
	fault := r.fault
	delay := max(r.node, r.hang[name])
	r.mu.Unlock()
	if fault != nil {
		panic(fault)
	}
	stamp := facts.Stamp{Source: facts.SourceAPI, From: time.Now()}
	if err := r.wait(ctx, delay); err != nil {
		return facts.Snapshot{}, err
	}
	stamp.To = time.Now()
	s := base.Snapshot()
	address, _ := pci.ParseAddress("0000:01:00.0")
	node := &facts.Node{VMs: map[int]facts.Read[facts.VMConfig]{100 + int(name[0]-'a'): {State: facts.OK, Stamp: stamp}}}
	node.Devices = facts.Read[[]facts.Device]{State: facts.OK, Value: []facts.Device{{Address: address}}, Stamp: stamp}
	s.Nodes = map[string]*facts.Node{name: node}
	s.Guests.Stamp.To = stamp.To
	return s, nil
}

func (r *fakeReader) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed++
}

// count gives one of the counters.
func (r *fakeReader) count(counter *int) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return *counter
}

// desk is a Live over fake readers, in a bubble of synctest.
type desk struct {
	*live.Live
	t       *testing.T
	mu      sync.Mutex
	key     string
	readers map[string]*fakeReader
}

// inBubble runs a test with a Live over a reader, whose key is "1". Whatever stays
// behind fails the test.
func inBubble(t *testing.T, reader *fakeReader, test func(*desk)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		d := &desk{t: t, key: "1", readers: map[string]*fakeReader{"1": reader}}
		d.Live = live.New(live.Options{Source: d.source})
		defer d.Close()
		test(d)
	})
}

func (d *desk) source(context.Context, string) (live.Origin, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	reader := d.readers[d.key]
	return live.Origin{Key: d.key, Open: func(context.Context) (live.Reader, error) { return reader, nil }}, nil
}

func (d *desk) change(key string, reader *fakeReader) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.key, d.readers[key] = key, reader
}

// report asks for nodes, all for none, and expects no error.
func (d *desk) report(nodes ...string) *atlas.Report {
	d.t.Helper()
	report, err := d.Report(d.t.Context(), "lab", live.Want{Nodes: nodes})
	if err != nil {
		d.t.Error(err)
	}
	return report
}

// later lets the time of the bubble pass.
func later(d time.Duration) { <-time.After(d) }
