package httpapi

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// readyTime is how long the database may take to show that it can be used.
const readyTime = 2 * time.Second

// isProbe says whether a path is asked all the time by machines.
func isProbe(path string) bool {
	return path == "/healthz" || path == "/readyz" || path == "/metrics"
}

// serveHealth answers the addresses that machines watch; false for others.
func (a *API) serveHealth(w http.ResponseWriter, r *http.Request) bool {
	if !isProbe(r.URL.Path) {
		return false
	}
	w.Header().Set("Cache-Control", "no-store")
	switch r.URL.Path {
	case "/healthz":
		serveBytes(w, r, "text/plain; charset=utf-8", []byte("ok\n"))
	case "/readyz":
		a.serveReady(w, r)
	default:
		a.serveMetrics(w, r)
	}
	return true
}

func (a *API) serveReady(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), readyTime)
	defer cancel()
	if err := a.Store.Ping(ctx); err != nil {
		writeProblem(w, r, a.failed(r.Context(), withCause(notReady(err), err)))
		return
	}
	serveBytes(w, r, "text/plain; charset=utf-8", []byte("ready\n"))
}

// notReady says why the server is not ready: what the error has for everybody, else
// that it is the database. The status is one that load balancers heed.
func notReady(err error) *Problem {
	var told interface {
		ErrorCode() string
		PublicDetail() string
	}
	if errors.As(err, &told) && statuses[told.ErrorCode()] == http.StatusServiceUnavailable {
		return newProblem(told.ErrorCode(), told.PublicDetail())
	}
	return newProblem(codeDatabase, "The database cannot be used at the moment.")
}
