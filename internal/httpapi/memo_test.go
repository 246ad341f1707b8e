package httpapi

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func newTestMemo(room int) (*memo[string, string], *time.Time) {
	now := start
	return &memo[string, string]{now: func() time.Time { return now }, age: time.Second, room: room, size: func(s string) int { return len(s) }}, &now
}

// counted gives a value and counts how often it was computed.
func counted(count *int, value string) func() (string, error) {
	return func() (string, error) {
		*count++
		return value, nil
	}
}

func TestMemoAge(t *testing.T) {
	m, now := newTestMemo(100)
	count := 0
	for _, step := range []struct {
		pass time.Duration
		want int
	}{{0, 1}, {999 * time.Millisecond, 1}, {time.Millisecond, 2}, {-time.Minute, 3}, {0, 3}} {
		*now = now.Add(step.pass)
		if got, err := m.get("a", counted(&count, "x")); got != "x" || err != nil || count != step.want {
			t.Errorf("%v: %q, %v, computed %d times, want %d", step.pass, got, err, count, step.want)
		}
	}
}

func TestMemoRoom(t *testing.T) {
	m, _ := newTestMemo(10)
	counts := map[string]*int{"a": new(int), "b": new(int), "c": new(int)}
	get := func(key, value string) {
		if got, _ := m.get(key, counted(counts[key], value)); got != value {
			t.Errorf("%s: %q", key, got)
		}
	}
	get("a", "12345")
	get("b", "12345")
	get("a", "12345")
	get("c", "1")
	get("a", "12345")
	if *counts["a"] != 2 || *counts["b"] != 1 || *counts["c"] != 1 || m.used > 10 {
		t.Errorf("the oldest had to go: %d %d %d, %d bytes", *counts["a"], *counts["b"], *counts["c"], m.used)
	}
	get("b", "longer than the room")
	get("b", "longer than the room")
	if m.used != 0 || len(m.entries) != 0 || len(m.order) != 0 {
		t.Errorf("%d bytes in %d entries", m.used, len(m.entries))
	}
}

func TestMemoFailure(t *testing.T) {
	m, _ := newTestMemo(10)
	if _, err := m.get("a", func() (string, error) { return "", errors.New("no") }); err == nil {
		t.Error("no error")
	}
	func() {
		defer func() { _ = recover() }()
		_, _ = m.get("a", func() (string, error) { panic("defect") })
	}()
	count := 0
	if got, err := m.get("a", counted(&count, "x")); got != "x" || err != nil {
		t.Errorf("a failure was kept: %q, %v", got, err)
	}
}

func TestMemoSingleFlight(t *testing.T) {
	m, _ := newTestMemo(10)
	var computed atomic.Int32
	var begun, all sync.WaitGroup
	begun.Add(50)
	for range 50 {
		all.Go(func() {
			begun.Done()
			got, err := m.get("a", func() (string, error) {
				begun.Wait() // everybody is on the way
				computed.Add(1)
				return "x", nil
			})
			if got != "x" || err != nil {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
	all.Wait()
	if computed.Load() != 1 {
		t.Errorf("computed %d times", computed.Load())
	}
}
