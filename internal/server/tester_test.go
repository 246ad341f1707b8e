package server_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"pciatlas/internal/pvesim"
	"pciatlas/internal/server"
)

// TestUnknownToken: what nobody said about the token is not said, and the version
// that was told is told. However many entry nodes hang, it does not take longer.
func TestUnknownToken(t *testing.T) {
	t.Parallel()
	s := begin(t, server.Options{Config: settings(t.TempDir())})
	s.setUp(t)
	for name, test := range map[string]struct {
		answer  http.HandlerFunc
		entries int
		ok      any
		version any
	}{
		"500":     {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }, 1, nil, nil},
		"HTML":    {func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, "<html>") }, 1, nil, nil},
		"refused": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }, 1, false, nil},
		"hangs":   {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, 16, nil, nil},
		"version only": {func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/version") {
				_, _ = fmt.Fprint(w, `{"data":{"version":"9.0.3"}}`)
				return
			}
			<-r.Context().Done()
		}, 3, true, "9.0.3"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			given := connection("")
			var entries, fingerprints []string
			for range test.entries {
				entry, err := pvesim.NewTLSServer(test.answer)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(entry.Close)
				entries, fingerprints = append(entries, entry.URL), append(fingerprints, entry.Fingerprint)
			}
			given["entries"], given["tls"] = entries, object{"fingerprints": fingerprints}
			began := time.Now()
			got := s.want(t, http.StatusOK, http.MethodPost, "/cluster-test", given)
			if took := time.Since(began); took > 15*time.Second { // 12 s, and a busy machine
				t.Errorf("took %s", took)
			}
			if got["token"].(object)["ok"] != test.ok || got["version"] != test.version || got["problem"] == nil || !isTrue(got["reachable"]) {
				t.Errorf("%v", got)
			}
		})
	}
}
