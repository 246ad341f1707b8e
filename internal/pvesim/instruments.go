package pvesim

import (
	"maps"
	"sync"
	"time"
)

// Statuses that pveproxy makes up when another node does not answer
// (AnyEvent::HTTP).
const (
	statusRefused  = 595
	statusTimedOut = 596
)

// settings are what the wire and the faults need to know of who answers.
type settings struct {
	keepAlive int
	idle      time.Duration
	auth      time.Duration
	mute      time.Duration
	release   release
}

// PVE's own numbers.
const (
	defaultKeepAlive = 100
	defaultIdle      = 5 * time.Second
	defaultAuthDelay = 3 * time.Second
	defaultMuteDelay = 30 * time.Second
)

// orDefault gives a duration field its meaning: 0 is PVE's own, below 0 is none.
func orDefault(d, usual time.Duration) time.Duration {
	switch {
	case d == 0:
		return usual
	case d < 0:
		return 0
	default:
		return d
	}
}

// Instruments are the knobs and counters of a Server or a Recording. They may be
// used while it serves. The zero value is ready.
type Instruments struct {
	mu     sync.Mutex
	faults []*Fault
	before func(method, path string)
	stats  Stats
	busy   map[string]int // requests in flight by node
}

// Before has a function called before each request is answered, with its method
// and its path below /api2/json: somebody else's change goes in there. It may
// call the server and send requests itself, for which it is called as well. nil
// is none.
func (f *Instruments) Before(hook func(method, path string)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.before = hook
}

func (f *Instruments) callBefore(method, path string) {
	f.mu.Lock()
	hook := f.before
	f.mu.Unlock()
	if hook != nil {
		hook(method, path)
	}
}

// Stats are counts of requests since the start or the last ResetStats.
type Stats struct {
	Requests    int
	Connections int
	// Paths counts requests by path below /api2/json, Queries by path and query
	// as they were sent.
	Paths, Queries map[string]int
	// InFlight is how many requests are being answered now, MaxInFlight the most
	// at once, MaxPerNode the same for the requests about one node. The key "" is
	// for those about the cluster.
	InFlight, MaxInFlight int
	MaxPerNode            map[string]int
}

// Stats gives a copy of the counts.
func (f *Instruments) Stats() Stats {
	f.mu.Lock()
	defer f.mu.Unlock()
	stats := f.stats
	stats.Paths, stats.Queries = maps.Clone(stats.Paths), maps.Clone(stats.Queries)
	stats.MaxPerNode = maps.Clone(stats.MaxPerNode)
	return stats
}

// ResetStats starts counting anew. What is in flight stays so.
func (f *Instruments) ResetStats() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stats = Stats{InFlight: f.stats.InFlight, MaxInFlight: f.stats.InFlight, MaxPerNode: maps.Clone(f.busy)}
}

func (f *Instruments) opened() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stats.Connections++
}

// begin counts a request; the function it gives ends it.
func (f *Instruments) begin(req *request) (end func()) {
	_, where := req.split()
	where, node := plainPath(where), req.target()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.prepare()
	f.stats.Requests++
	f.stats.Paths[where]++
	if req.query != "" {
		f.stats.Queries[where+"?"+req.query]++
	} else {
		f.stats.Queries[where]++
	}
	f.stats.InFlight++
	f.stats.MaxInFlight = max(f.stats.MaxInFlight, f.stats.InFlight)
	f.busy[node]++
	f.stats.MaxPerNode[node] = max(f.stats.MaxPerNode[node], f.busy[node])
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.stats.InFlight--
		f.busy[node]--
	}
}

func (f *Instruments) prepare() {
	if f.busy == nil {
		f.busy = map[string]int{}
	}
	for _, counts := range []*map[string]int{&f.stats.Paths, &f.stats.Queries, &f.stats.MaxPerNode} {
		if *counts == nil {
			*counts = map[string]int{}
		}
	}
}
