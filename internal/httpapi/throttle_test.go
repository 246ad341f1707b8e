package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"time"
)

// besieged is a world in which strangers guessed the password of the account admin
// from many addresses. Waiting passes the time of the world.
func besieged(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.api.sleep = func(_ context.Context, d time.Duration) error {
		w.pass(d)
		return nil
	}
	for i := range 1000 {
		_ = w.store.AddFailure(t.Context(), "admin", fmt.Sprint("198.51.100.", i), w.time())
	}
	return w
}

// attempt is one at the account admin.
func (w *world) attempt(address, password string) answer {
	w.t.Helper()
	return w.do("POST", sessionPath, credentials("admin", password), from(address))
}

// TestNobodyIsLockedOut: failures from elsewhere delay a right password from a new
// address, they do not keep it out.
func TestNobodyIsLockedOut(t *testing.T) {
	w := besieged(t)
	w.attempt("192.0.2.1:1", "wrong").want(http.StatusUnauthorized, codeSignIn)
	began := w.time()
	w.attempt("192.0.2.2:1", password).want(http.StatusOK, "")
	if waited := w.time().Sub(began); waited != 2*time.Second {
		t.Errorf("waited %v", waited)
	}
	began = w.time()
	w.attempt("192.0.2.2:1", password).want(http.StatusOK, "") // known now
	if waited := w.time().Sub(began); waited != 0 {
		t.Errorf("waited %v from a known address", waited)
	}
}

// TestCrowdTakesTurns: while strangers fill the queue, who comes back when told to
// gets in; the strangers' guesses have a bounded rate.
func TestCrowdTakesTurns(t *testing.T) {
	w := besieged(t)
	w.api.sleep = func(context.Context, time.Duration) error { return context.DeadlineExceeded } // they go away
	flood := func() {
		for i := range 30 {
			w.attempt(fmt.Sprintf("203.0.113.%d:1", i), "wrong")
		}
	}
	flood()
	got := w.attempt("192.0.2.2:1", password).want(http.StatusTooManyRequests, codeThrottled)
	seconds, err := strconv.Atoi(got.Header().Get("Retry-After"))
	if err != nil || seconds > 62 {
		t.Fatalf("Retry-After %q", got.Header().Get("Retry-After"))
	}
	flood()
	w.pass(time.Duration(seconds) * time.Second)
	before := w.verified
	flood()
	w.attempt("192.0.2.2:1", password).want(http.StatusOK, "")
	if guesses := w.verified - before - 1; guesses > 31 {
		t.Errorf("%d guesses in a minute", guesses)
	}
}

// TestFewAreHeld: requests that wait for their turn are few, too.
func TestFewAreHeld(t *testing.T) {
	w := besieged(t)
	for range maxHeld {
		w.api.queues.held <- struct{}{}
	}
	w.attempt("192.0.2.1:1", "wrong").want(http.StatusUnauthorized, codeSignIn)
	w.attempt("192.0.2.2:1", password).want(http.StatusTooManyRequests, codeThrottled)
	w.pass(2 * time.Second)
	w.attempt("192.0.2.2:1", password).want(http.StatusOK, "")
}
