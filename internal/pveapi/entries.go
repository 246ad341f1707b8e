package pveapi

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"pciatlas/internal/facts"
)

// How long an entry node may be silent before the next one is asked too, and how
// long one that was of no use is asked last.
const (
	firstPatience = 2 * time.Second // the first question of a read is a small one
	patience      = 4 * time.Second
	badFor        = 2 * time.Minute
)

// standing remembers which entry nodes were of no use lately.
type standing struct {
	mu     sync.Mutex
	active int // the one that was of use last
	bad    map[int]badEntry
}

// badEntry is why an entry node is asked last, and until when.
type badEntry struct {
	failure *Error
	until   time.Time
}

// order gives the entry nodes in the order in which they are asked: the one that
// was of use last, the others by preference, those that were of no use last.
func (s *standing) order(count int, now time.Time) []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	var order, last []int
	for i := range count {
		at := (s.active + i) % count
		if entry, bad := s.bad[at]; bad && now.Before(entry.until) {
			last = append(last, at)
		} else {
			order = append(order, at)
		}
	}
	return append(order, last...)
}

// prefer remembers an entry node that was of use where others were not.
func (s *standing) prefer(at int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.active = at
	delete(s.bad, at)
}

// avoid remembers an entry node that was of no use, and tells whether that is news.
func (s *standing) avoid(at int, failure *Error, now time.Time) (news bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bad == nil {
		s.bad = map[int]badEntry{}
	}
	before, known := s.bad[at]
	s.bad[at] = badEntry{failure, now.Add(badFor)}
	return !known || before.failure.Code != failure.Code
}

// avoided gives why entry nodes are asked last now, by their index.
func (s *standing) avoided(now time.Time) map[int]*Error {
	s.mu.Lock()
	defer s.mu.Unlock()
	failures := map[int]*Error{}
	for at, entry := range s.bad {
		if now.Before(entry.until) {
			failures[at] = entry.failure
		}
	}
	return failures
}

// entry gives the address of the entry node that was of use last.
func (c *Client) entry() string {
	c.standing.mu.Lock()
	defer c.standing.mu.Unlock()
	return c.endpoints[c.standing.active]
}

// passedOver says which entry nodes were passed over lately, and why.
func (c *Client) passedOver() []facts.Problem {
	avoided := c.standing.avoided(c.options.Now())
	var problems []facts.Problem
	for at, base := range c.endpoints {
		if failure := avoided[at]; failure != nil {
			problem := failure.problem()
			problem.Message = "the entry node " + hostOf(base) + " is passed over: " + problem.Message
			problems = append(problems, problem)
		}
	}
	return problems
}

func hostOf(base string) string { return strings.TrimPrefix(base, "https://") }

// attempt is what one entry node gave to a question; failure is nil for an answer
// of use. Weak is an answer that is whole, but not what Proxmox VE sends.
type attempt struct {
	at      int
	data    json.RawMessage
	failure *Error
	weak    bool
}

// hedge asks the entry nodes one question, each in a goroutine of its own.
type hedge struct {
	client *Client
	q      *question
	order  []int
	came   chan attempt
	failed []attempt
	begun  int
}

// askEntries asks the entry nodes in their order: the next one as soon as one is of
// no use, or takes its time, until one gives an answer of use.
func (c *Client) askEntries(ctx context.Context, q *question) (json.RawMessage, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // those who still wait for an answer
	h := &hedge{client: c, q: q, order: c.standing.order(len(c.endpoints), c.options.Now())}
	h.came = make(chan attempt, len(h.order))
	wait := q.patience(c.options.Limits.Request, len(h.order))
	timer := time.NewTimer(wait)
	defer timer.Stop()
	h.next(ctx)
	for len(h.failed) < h.begun {
		select {
		case <-timer.C:
			h.next(ctx)
		case a := <-h.came:
			if a.failure == nil || !q.passesOn(a.failure) {
				h.won(a.at)
				return a.data, orNil(a.failure)
			}
			h.failed = append(h.failed, a)
			h.next(ctx)
		}
		timer.Reset(wait)
	}
	return h.lost()
}

// next asks the next entry node, if there is one and time left.
func (h *hedge) next(ctx context.Context) {
	if h.begun == len(h.order) || h.begun > 0 && ctx.Err() != nil {
		return
	}
	at := h.order[h.begun]
	h.begun++
	go func() {
		data, failure := h.client.ask(ctx, h.client.endpoints[at], h.q)
		a := attempt{at: at, data: data, failure: failure}
		if failure == nil {
			a.failure = h.q.check(data)
			a.weak = a.failure != nil
		}
		h.came <- a
	}()
}

// won remembers who was of use, and those before it who were not.
func (h *hedge) won(at int) {
	changed := false
	for _, a := range h.failed {
		if h.q.tells(a.failure) {
			h.client.avoid(a.at, a.failure)
			changed = true
		}
	}
	for _, silent := range h.order[:slices.Index(h.order, at)] {
		if !slices.ContainsFunc(h.failed, func(a attempt) bool { return a.at == silent }) {
			h.client.avoid(silent, &Error{
				Code: CodeTimeout, Request: h.q.request, Problem: facts.ProblemTimeout,
				Err: errors.New("another entry node was faster"),
			})
			changed = true
		}
	}
	if changed {
		h.client.standing.prefer(at)
	}
}

// lost gives what is left when no entry node was of use: a weak answer, whose
// reader says what is wrong with it, or the failure that a person should see.
func (h *hedge) lost() (json.RawMessage, error) {
	var failures []*Error
	for _, at := range h.order {
		for _, a := range h.failed {
			if a.at != at {
				continue
			}
			if a.weak {
				return a.data, nil
			}
			failures = append(failures, a.failure)
		}
	}
	return nil, worst(failures)
}

// avoid remembers an entry node that was of no use, and reports it if that is news.
func (c *Client) avoid(at int, failure *Error) {
	if c.standing.avoid(at, failure, c.options.Now()) && c.options.PassedOver != nil {
		c.options.PassedOver(hostOf(c.endpoints[at]), failure)
	}
}
