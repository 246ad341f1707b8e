package live

import (
	"context"
	"fmt"
)

// flight is one read that any number of callers wait for. Whoever waits has joined
// it before, under the lock of Live, and leaves it afterwards.
type flight[T any] struct {
	serial  int
	done    chan struct{}
	cancel  context.CancelFunc
	waiters int  // guarded by Live.mu
	ended   bool // guarded by Live.mu
	value   T    // once done
	err     error
}

// launch begins a read of a set; the caller holds the lock. end is called with the
// lock held when the read has ended, before anyone who waits goes on.
func launch[T any](s *set, read func(context.Context) (T, error), end func(*flight[T])) *flight[T] {
	l := s.live
	ctx, cancel := context.WithCancel(l.context)
	l.serial++
	f := &flight[T]{serial: l.serial, done: make(chan struct{}), cancel: cancel}
	l.running.Go(func() {
		defer close(f.done)
		f.value, f.err = guarded(ctx, read)
		cancel()
		l.mu.Lock()
		if f.err != nil && l.closed {
			f.err = &ClosedError{}
		}
		f.ended = true
		end(f)
		l.mu.Unlock()
		s.tidy()
	})
	return f
}

// guarded turns a panic into an error: one odd answer must not end the server.
func guarded[T any](ctx context.Context, read func(context.Context) (T, error)) (value T, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("the read ended in a fault of pciatlas: %v", fault)
		}
	}()
	return read(ctx)
}

// wait waits until the value is there.
func (f *flight[T]) wait(ctx context.Context) error {
	select {
	case <-f.done:
		return f.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// leave ends one caller's interest; the caller holds the lock. It tells whether the
// flight was given up because nobody is left.
func (f *flight[T]) leave() (givenUp bool) {
	f.waiters--
	if f.waiters > 0 || f.ended {
		return false
	}
	f.cancel()
	return true
}
