package httpapi

import (
	"errors"
	"net/http"
	"strings"
	"testing"
)

func TestHealth(t *testing.T) {
	w := newWorld(t)
	w.do("GET", "/healthz", "").want(http.StatusOK, "")
	w.do("GET", "/readyz", "").want(http.StatusOK, "")
	w.do("POST", "/healthz", "").want(http.StatusMethodNotAllowed, codeMethod)
	w.store.broken = errors.New("postgres://user:hunter2@db is away")
	w.do("GET", "/healthz", "").want(http.StatusOK, "")
	got := w.do("GET", "/readyz", "").want(http.StatusServiceUnavailable, codeDatabase)
	if strings.Contains(got.Body.String(), "hunter2") || !strings.Contains(w.logged(), "is away") {
		t.Errorf("answer %s, log %s", got.Body, w.logged())
	}
}

// toldError is one that says of itself what everybody may read.
type toldError struct{ code string }

func (*toldError) Error() string        { return "CANARY" }
func (e *toldError) ErrorCode() string  { return e.code }
func (*toldError) PublicDetail() string { return "The keyring does not fit." }

// TestNotReady names what is wrong, and always with a status that load balancers heed.
func TestNotReady(t *testing.T) {
	w := newWorld(t)
	for code, want := range map[string]string{codeKeyring: codeKeyring, "no_key": codeDatabase, "": codeDatabase} {
		w.store.broken = &toldError{code}
		got := w.do("GET", "/readyz", "").want(http.StatusServiceUnavailable, want)
		if strings.Contains(got.Body.String(), "CANARY") || strings.Contains(got.Body.String(), "keyring does not fit") != (want == codeKeyring) {
			t.Errorf("%q: %s", code, got.Body)
		}
	}
}
