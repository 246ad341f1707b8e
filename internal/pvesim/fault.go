package pvesim

import (
	"cmp"
	"net/http"
	"path"
	"strings"
	"sync/atomic"
	"time"
)

// FaultKind is one way in which an answer goes wrong.
type FaultKind int

// The kinds of fault. All but FaultLatency take the place of the answer or spoil
// it; of several that fit a request the first one does, and latencies add up.
const (
	// FaultLatency delays the true answer by Delay.
	FaultLatency FaultKind = iota
	// FaultUnauthorized answers 401 as for a wrong token, after the usual delay.
	FaultUnauthorized
	// FaultForbidden answers 403.
	FaultForbidden
	// FaultInternal answers 500.
	FaultInternal
	// FaultRefused answers 595 at once, as for a node that is off.
	FaultRefused
	// FaultTimedOut answers 596 after the usual delay, as for a mute node.
	FaultTimedOut
	// FaultNotImplemented answers 501, as for a PVE that does not know the path.
	FaultNotImplemented
	// FaultHang sends nothing until the client goes away.
	FaultHang
	// FaultDrop closes the connection before any byte.
	FaultDrop
	// FaultCut announces the whole body and sends half of it.
	FaultCut
	// FaultSlow sends the body byte by byte, Delay (or 10 ms) apart.
	FaultSlow
	// FaultOversize sends a list without end.
	FaultOversize
	// FaultHTML answers 200 with a page, as a proxy in between may.
	FaultHTML
	// FaultGarbage answers 200 with JSON that breaks off in the middle.
	FaultGarbage
	// FaultNull answers 200 with {"data":null}.
	FaultNull
	// FaultStringData answers 200 with a string where the data belong.
	FaultStringData
	// FaultStringRows has a string in place of every second row of a list, or of
	// every second value of an object.
	FaultStringRows
	// FaultSwappedTypes sends numbers as strings and numeric strings as numbers.
	FaultSwappedTypes
	// FaultRedirect answers 302 to Location.
	FaultRedirect
)

var faultNames = [...]string{
	"latency", "unauthorized", "forbidden", "internal", "refused", "timed-out", "not-implemented", "hang", "drop", "cut",
	"slow", "oversize", "html", "garbage", "null", "string-data", "string-rows", "swapped-types", "redirect",
}

// String gives a short name for tests.
func (k FaultKind) String() string {
	if k < 0 || int(k) >= len(faultNames) {
		return "unknown"
	}
	return faultNames[k]
}

// FaultKinds are all kinds of fault.
func FaultKinds() []FaultKind {
	kinds := make([]FaultKind, len(faultNames))
	for i := range kinds {
		kinds[i] = FaultKind(i)
	}
	return kinds
}

// Effect is what becomes of a request that writes and is hit by a fault.
type Effect int

// The effects.
const (
	// EffectUsual: a fault that takes the place of the answer keeps the change
	// from being made, one that spoils the answer does not.
	EffectUsual Effect = iota
	// EffectDone: the change is made, whatever is answered.
	EffectDone
	// EffectLost: the change is not made, whatever is answered. With FaultLatency
	// the answer is that of a success.
	EffectLost
)

// Fault makes the answers to some requests go wrong. It may be shared by
// goroutines; its fields must not change while it is injected.
type Fault struct {
	Kind FaultKind
	// Path selects requests by their path below /api2/json, as path.Match does
	// (/nodes/*/hardware/pci); /** at the end stands for everything below. "" is
	// every path.
	Path string
	// Node selects requests about one node, Method those of one method; "" is
	// every request.
	Node, Method string
	// Effect says what becomes of a change that is hit.
	Effect Effect
	// Skip lets so many of the selected requests pass first, Times is how many
	// are hit then; 0 is all.
	Skip, Times int
	// Delay is the time of FaultLatency and FaultSlow; the other kinds wait for it
	// in addition to their own delay.
	Delay time.Duration
	// Reason is the text of a refusal, "" a usual one.
	Reason string
	// Location is where FaultRedirect leads; "" is https://elsewhere.invalid/.
	Location string

	seen, hits atomic.Int64
}

// Hits is how many answers went wrong so far.
func (f *Fault) Hits() int { return int(f.hits.Load()) }

// strikes counts a request that fits and tells whether it is hit.
func (f *Fault) strikes(method, where, node string) bool {
	if f.Node != "" && f.Node != node || f.Method != "" && f.Method != method || !fits(f.Path, where) {
		return false
	}
	n := int(f.seen.Add(1))
	if n <= f.Skip || f.Times > 0 && n > f.Skip+f.Times {
		return false
	}
	f.hits.Add(1)
	return true
}

func fits(pattern, where string) bool {
	if above, ok := strings.CutSuffix(pattern, "/**"); ok {
		depth := strings.Count(above, "/")
		parts := strings.SplitN(where, "/", depth+2)
		if len(parts) < depth+2 {
			return false
		}
		pattern, where = above, strings.Join(parts[:depth+1], "/")
	}
	if pattern == "" {
		return true
	}
	ok, err := path.Match(pattern, where)
	return ok && err == nil
}

// Inject adds faults; they count from now on.
func (f *Instruments) Inject(faults ...*Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults = append(f.faults, faults...)
}

// ClearFaults takes all faults away.
func (f *Instruments) ClearFaults() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults = nil
}

// withFaults gives the answer to a request with what is to go wrong about it.
func (f *Instruments) withFaults(req *request, set settings, answer func(*request) reply) reply {
	_, where := req.split()
	where = plainPath(where)
	f.callBefore(req.method, where)
	latency, lost, fault := f.strike(req, where)
	req.undone = lost || fault != nil && fault.Effect == EffectLost
	if fault == nil {
		rep := answer(req)
		rep.delay += latency
		return rep
	}
	rep := fault.apply(req, set, answer)
	rep.delay += latency
	if fault.Kind != FaultSlow {
		rep.delay += fault.Delay
	}
	return rep
}

// strike gives the latencies and the first other fault that hit a request; lost
// is whether one of the latencies takes its effect away.
func (f *Instruments) strike(req *request, where string) (latency time.Duration, lost bool, hit *Fault) {
	f.mu.Lock()
	faults := f.faults
	f.mu.Unlock()
	for _, fault := range faults {
		switch {
		case fault.Kind == FaultLatency && fault.strikes(req.method, where, req.target()):
			latency += fault.Delay
			lost = lost || fault.Effect == EffectLost
		case fault.Kind != FaultLatency && hit == nil && fault.strikes(req.method, where, req.target()):
			hit = fault
		}
	}
	return latency, lost, hit
}

// apply gives the answer that takes the place of the true one.
func (f *Fault) apply(req *request, set settings, answer func(*request) reply) reply {
	if f.Effect == EffectDone {
		done := answer(req)
		answer = func(*request) reply { return done }
	}
	switch f.Kind {
	case FaultUnauthorized:
		rep := emptyReply(http.StatusUnauthorized, cmp.Or(f.Reason, "Authentication failed!"))
		rep.delay = set.auth
		return rep
	case FaultForbidden:
		return f.refuse(set, http.StatusForbidden, "Permission check failed")
	case FaultInternal:
		return f.refuse(set, http.StatusInternalServerError, "got timeout")
	case FaultNotImplemented:
		_, where := req.split()
		return notImplemented(req.method, where).reply(set.release)
	case FaultRefused:
		return emptyReply(statusRefused, cmp.Or(f.Reason, "Connection refused"))
	case FaultTimedOut:
		rep := emptyReply(statusTimedOut, cmp.Or(f.Reason, "Connection timed out"))
		rep.delay = set.mute
		return rep
	case FaultRedirect:
		return reply{status: http.StatusFound, location: cmp.Or(f.Location, "https://elsewhere.invalid/")}
	case FaultHang:
		return inMode(dataReply([]any{}), wireHang)
	case FaultDrop:
		return inMode(dataReply([]any{}), wireDrop)
	case FaultOversize:
		return inMode(dataReply([]any{}), wireOversize)
	case FaultCut:
		return inMode(answer(req), wireCut)
	case FaultSlow:
		rep := inMode(answer(req), wireSlow)
		rep.pace = cmp.Or(f.Delay, 10*time.Millisecond)
		return rep
	case FaultLatency, FaultHTML, FaultGarbage, FaultNull, FaultStringData, FaultStringRows, FaultSwappedTypes:
	}
	return f.spoil(answer(req))
}

func inMode(rep reply, mode wireMode) reply {
	rep.mode = mode
	return rep
}

func (f *Fault) refuse(set settings, status int, usual string) reply {
	refusal := &apiError{status: status, message: cmp.Or(f.Reason, usual) + "\n"}
	return refusal.reply(set.release)
}
