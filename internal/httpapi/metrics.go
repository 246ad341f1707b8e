package httpapi

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// newMetrics returns the handler of the metrics, over a registry of its own.
func (a *API) newMetrics() http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(
		collector{a},
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{
		ErrorHandling: promhttp.ContinueOnError, MaxRequestsInFlight: 4, DisableCompression: true,
	})
}

// serveMetrics answers /metrics for every role, or for everybody if they are open.
func (a *API) serveMetrics(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		serveBytes(w, r, "", nil)
		return
	}
	if !a.MetricsOpen {
		if _, err := a.authenticate(r); err != nil {
			writeProblem(w, r, a.failed(r.Context(), err))
			return
		}
	}
	a.metrics.ServeHTTP(w, r)
}
