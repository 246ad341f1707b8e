package live

import (
	"context"
	"time"
)

// keepReader is how long a reader stays that nobody needs: it remembers which entry
// node answers.
const keepReader = 10 * time.Minute

// set is a cluster that is read in one way. Live.mu guards it.
type set struct {
	live    *Live
	cluster string
	origin  Origin
	reader  Reader         // nil until it is needed
	current *part          // what new callers may share; nil if there is nothing
	users   int            // callers who are under way
	busy    map[string]int // reads that are under way, of all parts, by node
	retired bool           // another set took its place
	timer   *time.Timer
	used    time.Time
}

// enter finds the part that serves a caller, who wants some nodes or all, and joins
// its base. leave ends that.
func (l *Live) enter(ctx context.Context, cluster string, nodes []string, all bool) (p *part, leave func(), err error) {
	origin, err := l.options.Source(ctx, cluster)
	if err != nil {
		return nil, nil, err //nolint:wrapcheck // the contract passes the source's errors on as they are
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, nil, &ClosedError{}
	}
	s := l.setOf(cluster, origin)
	p = s.partNow(l.options.Now(), nodes, all)
	s.users++
	p.base.waiters++
	return p, func() {
		l.mu.Lock()
		if p.base.leave() && s.current == p {
			s.current = nil
		}
		s.users--
		l.mu.Unlock()
		s.tidy()
	}, nil
}

// setOf gives the set of a cluster, and puts a new one in the place of one that
// reads in another way.
func (l *Live) setOf(cluster string, origin Origin) *set {
	old := l.sets[cluster]
	if old != nil && old.origin.Key == origin.Key {
		return old
	}
	s := &set{live: l, cluster: cluster, origin: origin, busy: map[string]int{}}
	s.timer = time.AfterFunc(l.options.Share, s.tend)
	l.sets[cluster] = s
	if old != nil {
		old.retired, old.current = true, nil
		old.timer.Stop()
		l.running.Go(old.tidy) // not here: it takes the lock
	}
	return s
}

// partNow gives the part that a caller of now shares. A read that began too long
// ago is not shared, unless reads of the same node pile up.
func (s *set) partNow(now time.Time, nodes []string, all bool) *part {
	s.used = now
	if p := s.current; p != nil && (s.isFresh(p, now) || p.crowded(nodes, all)) {
		return p
	}
	s.current = newPart(s, now)
	s.timer.Reset(s.live.options.Share)
	return s.current
}

func (s *set) isFresh(p *part, now time.Time) bool {
	age := now.Sub(p.began)
	return age >= 0 && age < s.live.options.Share
}

// tend drops what nobody may share any more, later the reader too.
func (s *set) tend() {
	l := s.live
	l.mu.Lock()
	now := l.options.Now()
	switch {
	case l.closed || s.retired:
	case s.current != nil && (len(s.current.busy) > 0 || s.isFresh(s.current, now)):
		s.timer.Reset(l.options.Share)
	case s.users > 0 || len(s.busy) > 0 || now.Sub(s.used) < keepReader:
		s.current = nil
		s.timer.Reset(keepReader)
	default:
		s.current, s.retired = nil, true
		delete(l.sets, s.cluster)
	}
	l.mu.Unlock()
	s.tidy()
}

// tidy closes the reader of a set that is not needed any more.
func (s *set) tidy() {
	s.live.mu.Lock()
	needless := s.retired && s.users == 0 && len(s.busy) == 0
	s.live.mu.Unlock()
	if needless {
		s.closeReader()
	}
}

func (s *set) closeReader() {
	s.live.mu.Lock()
	reader := s.reader
	s.reader = nil
	s.live.mu.Unlock()
	if reader != nil {
		reader.Close()
	}
}

// open gives the reader; the first read makes it.
func (s *set) open(ctx context.Context) (Reader, error) {
	s.live.mu.Lock()
	reader := s.reader
	s.live.mu.Unlock()
	if reader != nil {
		return reader, nil
	}
	opened, err := s.origin.Open(ctx)
	if err != nil {
		return nil, err //nolint:wrapcheck // the contract passes the source's errors on as they are
	}
	s.live.mu.Lock()
	if s.reader == nil {
		s.reader = opened
	}
	reader = s.reader
	s.live.mu.Unlock()
	if reader != opened {
		opened.Close() // another read was first
	}
	return reader, nil
}
