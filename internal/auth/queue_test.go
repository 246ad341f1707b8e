package auth_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"pciatlas/internal/auth"
)

func TestQueue(t *testing.T) {
	var q auth.Queue
	for _, step := range []struct {
		address string
		at      time.Duration
		want    time.Duration
	}{
		{"a", 0, 0},
		{"b", 0, 2 * time.Second},
		{"b", time.Second, time.Second}, // keeps its place
		{"c", time.Second, 3 * time.Second},
		{"a", time.Second, 5 * time.Second},
		{"b", 2 * time.Second, 0},
		{"c", 64 * time.Second, 0},
		{"a", 67 * time.Second, 0}, // its turn has gone, and the next is free
		{"d", 68 * time.Second, time.Second},
		{"d", -3 * time.Hour, 0}, // the clock was set back
	} {
		if got := q.Turn(step.address, noon.Add(step.at)); got != step.want {
			t.Fatalf("%s at %v: %v, want %v", step.address, step.at, got, step.want)
		}
	}
	if q.Idle(noon.Add(-3*time.Hour)) || !q.Idle(noon.Add(-3*time.Hour+auth.QueuePace)) {
		t.Error("idle too early or too late")
	}
}

func TestQueueIsBounded(t *testing.T) {
	var q auth.Queue
	for i := range 2 * auth.QueueLimit {
		q.Turn(fmt.Sprint(i), noon)
	}
	if wait := q.Turn("late", noon); wait != auth.QueueGrace {
		t.Errorf("waits %v", wait)
	}
	if wait := q.Turn("late", noon.Add(auth.QueueGrace+auth.QueuePace+time.Second)); wait <= auth.QueueGrace {
		t.Errorf("no place behind the others: %v", wait)
	}
}

// TestQueueIsFair: whatever strangers do, an address gets its turn with its second
// try, no later than all strangers together could delay it; and all of them together
// get no more turns than the pace allows.
func TestQueueIsFair(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q auth.Queue
		var turns int
		strangers := rapid.IntRange(0, 40).Draw(t, "strangers")
		until, now := noon, noon
		flood := func() {
			for now.Before(until) {
				for range rapid.IntRange(0, 20).Draw(t, "attempts") {
					if q.Turn(fmt.Sprint(rapid.IntRange(0, strangers).Draw(t, "stranger")), now) == 0 {
						turns++
					}
				}
				now = now.Add(time.Duration(rapid.IntRange(1, 3000).Draw(t, "ms")) * time.Millisecond)
			}
			now = until
		}
		until = noon.Add(time.Duration(rapid.IntRange(0, 90).Draw(t, "before")) * time.Second)
		flood()
		wait := q.Turn("owner", now)
		if most := time.Duration(strangers+2) * auth.QueuePace; wait > most {
			t.Fatalf("%d strangers delay the owner by %v, more than %v", strangers, wait, most)
		}
		if wait > 0 {
			until = now.Add(wait)
			flood()
			if again := q.Turn("owner", now); again != 0 {
				t.Fatalf("the owner came back in time and has to wait %v more", again)
			}
		}
		if most := int((now.Sub(noon)+auth.QueueGrace)/auth.QueuePace) + 1; turns > most {
			t.Fatalf("strangers got %d turns in %v, more than %d", turns, now.Sub(noon), most)
		}
	})
}
