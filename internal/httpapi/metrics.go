package httpapi

import "net/http"

func (a *API) newMetrics() http.Handler { return http.NotFoundHandler() }

// serveMetrics answers /metrics for every role, or for everybody if they are open.
func (a *API) serveMetrics(w http.ResponseWriter, r *http.Request) {
	if !a.MetricsOpen {
		if _, err := a.authenticate(r); err != nil {
			writeProblem(w, r, a.failed(r.Context(), err))
			return
		}
	}
	a.metrics.ServeHTTP(w, r)
}
