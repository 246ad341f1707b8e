package live_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"pciatlas/internal/atlas"
	"pciatlas/internal/live"
)

// TestOneRead: however many ask for a node, it is read once, and all get the same
// report.
func TestOneRead(t *testing.T) {
	reader := newReader(time.Second, time.Second)
	inBubble(t, reader, func(d *desk) {
		t := d.t
		reports := make([]*atlas.Report, 200)
		var all sync.WaitGroup
		for i := range reports {
			all.Go(func() { reports[i] = d.report("a") })
		}
		all.Wait()
		for _, report := range reports {
			if report != reports[0] {
				t.Fatal("reports differ")
			}
		}
		if reader.bases != 1 || reader.nodes["a"] != 1 || len(reader.nodes) != 1 {
			t.Errorf("%d bases, nodes %v", reader.bases, reader.nodes)
		}
		node := reports[0].Node("a")
		if node == nil || !node.DevicesRead || node.CheckedVMs != 1 {
			t.Errorf("%+v", node)
		}
	})
}

// TestAllAndSingle: a report of all nodes and reports of single nodes are made of
// the same reads.
func TestAllAndSingle(t *testing.T) {
	reader := newReader(time.Second, time.Second)
	inBubble(t, reader, func(d *desk) {
		t := d.t
		var all sync.WaitGroup
		for _, nodes := range [][]string{nil, {"a"}, {"b"}, {"a", "c"}, nil, {"elsewhere"}} {
			all.Go(func() {
				report := d.report(nodes...)
				for _, name := range nodes {
					if node := report.Node(name); (node != nil) != (name != "elsewhere") || node != nil && !node.DevicesRead {
						t.Errorf("%v: %+v", nodes, node)
					}
				}
			})
		}
		all.Wait()
		if fmt.Sprint(reader.bases, reader.nodes) != "1 map[a:1 b:1 c:1]" {
			t.Errorf("%d bases, nodes %v", reader.bases, reader.nodes)
		}
		bare, err := d.Report(t.Context(), "lab", live.Want{Nodes: []string{"a"}, NoNodes: true})
		if err != nil || len(bare.VMs) != 3 || bare.Node("a").DevicesRead {
			t.Errorf("without nodes: %v, %+v", err, bare)
		}
		members, err := d.Nodes(t.Context(), "lab")
		if err != nil || len(members.Value) != 3 || reader.bases != 1 {
			t.Errorf("%v: %+v", err, members)
		}
	})
}

// TestSharing: 5 s count from when the first read of the answer began.
func TestSharing(t *testing.T) {
	reader := newReader(time.Second, 2*time.Second)
	inBubble(t, reader, func(d *desk) {
		t := d.t
		first := d.report("a") // until 3 s
		later(1999 * time.Millisecond)
		if d.report("a") != first {
			t.Error("not shared after 4.999 s")
		}
		later(time.Millisecond)
		if d.report("a") == first || reader.bases != 2 {
			t.Error("shared after 5 s")
		}
	})
}

// TestNeverMixed: all nodes of a report stand on one base.
func TestNeverMixed(t *testing.T) {
	reader := newReader(time.Second, 2*time.Second)
	inBubble(t, reader, func(d *desk) {
		t := d.t
		var all sync.WaitGroup
		for range 40 {
			for _, nodes := range [][]string{{"a"}, nil, {"b", "c"}} {
				all.Go(func() {
					report := d.report(nodes...)
					for _, vm := range report.VMs {
						if vm.Name != report.VMs[0].Name {
							t.Errorf("VMs of bases %s and %s", vm.Name, report.VMs[0].Name)
						}
					}
				})
			}
			later(700 * time.Millisecond)
		}
		all.Wait()
		if reader.bases < 5 {
			t.Errorf("%d bases in 28 s", reader.bases)
		}
	})
}

// TestErrors are shared with those who waited, and not kept.
func TestErrors(t *testing.T) {
	refused := errors.New("refused")
	reader := newReader(time.Second, time.Second)
	reader.fail = refused
	inBubble(t, reader, func(d *desk) {
		t := d.t
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() {
				if _, err := d.Report(t.Context(), "lab", live.Want{}); !errors.Is(err, refused) {
					t.Errorf("%v", err)
				}
			})
		}
		all.Wait()
		if reader.bases != 1 {
			t.Errorf("%d reads", reader.bases)
		}
		reader.fail = nil
		if report := d.report(); report == nil || reader.bases != 2 {
			t.Errorf("%d reads", reader.bases)
		}
		reader.fault = "index out of range"
		later(5 * time.Second)
		if _, err := d.Report(t.Context(), "lab", live.Want{}); err == nil || !strings.Contains(err.Error(), "index out of range") {
			t.Errorf("a fault gave %v", err)
		}
		reader.fault = nil
		d.report()
	})
}

// TestLeaving: who leaves disturbs nobody; the last one ends the read.
func TestLeaving(t *testing.T) {
	for _, when := range []time.Duration{time.Second, 3 * time.Second} { // while the base is read, and the node
		reader := newReader(2*time.Second, 2*time.Second)
		inBubble(t, reader, func(d *desk) {
			t := d.t
			leaver, leave := context.WithCancel(t.Context())
			defer leave()
			ask := func() {
				if _, err := d.Report(leaver, "lab", live.Want{Nodes: []string{"a"}}); !errors.Is(err, context.Canceled) {
					t.Errorf("%v", err)
				}
			}
			var all sync.WaitGroup
			all.Go(ask)
			all.Go(func() { d.report("a") })
			later(when)
			leave()
			all.Wait()
			if reader.gaveUp != 0 || reader.bases != 1 || reader.nodes["a"] != 1 {
				t.Errorf("gave up %d of %d bases and %d nodes", reader.gaveUp, reader.bases, reader.nodes["a"])
			}
			later(5 * time.Second)
			leaver, leave = context.WithCancel(t.Context())
			defer leave()
			all.Go(ask)
			all.Go(ask)
			later(when)
			leave()
			all.Wait()
			synctest.Wait()
			if reader.gaveUp != 1 {
				t.Errorf("gave up %d reads", reader.gaveUp)
			}
			if report := d.report("a"); !report.Node("a").DevicesRead {
				t.Error("the read that was given up is used")
			}
		})
	}
}

// TestChangedKey: what was read in the old way is not shared any more; who waits
// for it gets it, and then its reader is closed.
func TestChangedKey(t *testing.T) {
	before, after := newReader(time.Second, 3*time.Second), newReader(time.Second, time.Second)
	inBubble(t, before, func(d *desk) {
		t := d.t
		var all sync.WaitGroup
		all.Go(func() { d.report("a") })
		later(2 * time.Second)
		d.change("2", after)
		all.Go(func() { d.report("a") })
		later(time.Second)
		if before.count(&before.closed) != 0 {
			t.Error("closed while it reads")
		}
		all.Wait()
		synctest.Wait()
		if before.closed != 1 || before.gaveUp != 0 || after.bases != 1 || after.closed != 0 {
			t.Errorf("closed %d and %d, gave up %d, %d reads in the new way", before.closed, after.closed, before.gaveUp, after.bases)
		}
		d.Close()
		if after.closed != 1 {
			t.Errorf("closed %d times", after.closed)
		}
	})
}

// TestLastReadOfOldKey: the reader of an old key is closed although its last read
// ends after all callers have left.
func TestLastReadOfOldKey(t *testing.T) {
	before := newReader(time.Second, time.Hour)
	before.stubborn = time.Second
	inBubble(t, before, func(d *desk) {
		ctx, cancel := context.WithTimeout(d.t.Context(), 3*time.Second)
		defer cancel()
		var all sync.WaitGroup
		all.Go(func() { _, _ = d.Report(ctx, "lab", live.Want{Nodes: []string{"a"}}) }) // only its end matters
		later(2 * time.Second)
		d.change("2", newReader(time.Second, time.Second))
		d.report("a")
		all.Wait()
		later(3 * time.Second)
		if before.count(&before.closed) != 1 || before.gaveUp != 1 {
			d.t.Errorf("closed %d times, gave up %d reads", before.closed, before.gaveUp)
		}
	})
}

// TestHangingNode: the other nodes answer while one does not.
func TestHangingNode(t *testing.T) {
	reader := newReader(time.Second, time.Second)
	reader.hang["b"] = 12 * time.Second
	inBubble(t, reader, func(d *desk) {
		t := d.t
		var all sync.WaitGroup
		all.Go(func() { d.report() })
		later(time.Millisecond)
		began := time.Now()
		d.report("a")
		d.report("c", "a")
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("took %v", took)
		}
		all.Wait()
	})
}

// TestPilingUp: reads that take longer than they are shared do not become more and
// more, and a node that is not concerned is read anew.
func TestPilingUp(t *testing.T) {
	reader := newReader(time.Second, time.Second)
	reader.hang["b"] = 30 * time.Second
	inBubble(t, reader, func(d *desk) {
		t := d.t
		var all sync.WaitGroup
		for range 28 {
			all.Go(func() { d.report("b") })
			later(time.Second)
		}
		if reader.count(&reader.bases) != 2 {
			t.Errorf("%d reads of a node that hangs", reader.bases)
		}
		d.report("a")
		if reader.count(&reader.bases) != 3 {
			t.Errorf("%d bases: an old one serves a node that answers", reader.bases)
		}
		all.Wait()
	})
}

// TestClose ends reads and whoever waits for them.
func TestClose(t *testing.T) {
	for _, when := range []time.Duration{time.Second, 3 * time.Second, 20 * time.Second} {
		reader := newReader(2*time.Second, 2*time.Second)
		reader.hang["b"] = time.Hour
		inBubble(t, reader, func(d *desk) {
			t := d.t
			var all sync.WaitGroup
			for range 3 {
				all.Go(func() {
					_, err := d.Report(t.Context(), "lab", live.Want{})
					if _, ok := errors.AsType[*live.ClosedError](err); !ok {
						t.Errorf("%v", err)
					}
				})
			}
			later(when)
			began := time.Now()
			d.Close()
			d.Close()
			all.Wait()
			if _, err := d.Report(t.Context(), "lab", live.Want{}); err == nil || time.Since(began) > 0 || reader.closed != 1 {
				t.Errorf("%v, after %v, closed %d times", err, time.Since(began), reader.closed)
			}
			if len(d.Stats()) > 1 || reader.gaveUp == 0 {
				t.Errorf("gave up %d reads", reader.gaveUp)
			}
		})
	}
}

// TestDetails: a read with details serves those who do not need them.
func TestDetails(t *testing.T) {
	reader := newReader(time.Second, time.Second)
	inBubble(t, reader, func(d *desk) {
		t := d.t
		detailed := func() {
			if _, err := d.Report(t.Context(), "lab", live.Want{Nodes: []string{"a"}, Details: true}); err != nil {
				t.Error(err)
			}
		}
		detailed()
		d.report("a")
		d.report("b")
		if fmt.Sprint(reader.nodes, reader.details) != "map[b:1] map[a:1]" {
			t.Errorf("nodes %v, with details %v", reader.nodes, reader.details)
		}
		later(3 * time.Second)
		plain := d.report("a")
		detailed()
		if d.report("a") != plain {
			t.Error("the report changes within the time of sharing")
		}
	})
}

// TestNothingStays: at rest no report is held, later no reader.
func TestNothingStays(t *testing.T) {
	reader := newReader(time.Second, time.Second)
	inBubble(t, reader, func(d *desk) {
		t := d.t
		report := weak.Make(d.report())
		kept := func() bool {
			runtime.GC()
			return report.Value() != nil
		}
		if !kept() {
			t.Error("it is dropped at once")
		}
		later(6 * time.Second)
		if kept() {
			t.Error("it is kept for longer than it is shared")
		}
		if reader.count(&reader.closed) != 0 {
			t.Error("the reader is closed at once")
		}
		later(time.Hour)
		if reader.count(&reader.closed) != 1 {
			t.Errorf("the reader was closed %d times", reader.closed)
		}
		d.change("1", newReader(time.Second, time.Second))
		d.report()
	})
}

type codedError struct{}

func (codedError) Error() string     { return "no answer in time" }
func (codedError) ErrorCode() string { return "pve_timeout" }

// TestStats tell of the last read.
func TestStats(t *testing.T) {
	reader := newReader(time.Second, 2*time.Second)
	inBubble(t, reader, func(d *desk) {
		t := d.t
		began := time.Now()
		d.report("a")
		s := d.Stats()
		if len(s) != 1 || !s[0].Began.Equal(began) || s[0].Duration != 3*time.Second || s[0].Outcome != live.OutcomeOK ||
			len(s[0].Nodes) != 1 || !s[0].Nodes["a"].DevicesRead || !s[0].Nodes["a"].Began.Equal(began) || len(s[0].Nodes["a"].Devices) != 1 {
			t.Errorf("%+v", s)
		}
		later(10 * time.Second)
		reader.fail = codedError{}
		_, _ = d.Report(t.Context(), "lab", live.Want{}) // the status tells
		s = d.Stats()
		if s[0].Outcome != "pve_timeout" || !s[0].Succeeded.Equal(began) || s[0].Duration != time.Second || len(s[0].Nodes) != 1 {
			t.Errorf("%+v", s)
		}
		d.Forget("lab")
		if len(d.Stats()) != 0 {
			t.Error("not forgotten")
		}
	})
}
