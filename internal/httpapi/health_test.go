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
