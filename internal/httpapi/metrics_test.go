package httpapi

import (
	"errors"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"pciatlas/internal/atlas"
	"pciatlas/internal/pci"
)

// readOnce is a cluster that was read a while ago, one that could not be read
// lately, and one that never could. Nothing reads them.
type readOnce struct{ noLive }

func (readOnce) Stats() []ReadStatus {
	gpu := func(state atlas.State) DeviceGroup { return DeviceGroup{pci.Display, state} }
	return []ReadStatus{
		{
			Cluster: "lab", OK: true, Duration: 1500 * time.Millisecond, Succeeded: time.Unix(1_800_000_000, 5e8), Requests: map[string]uint64{"200": 7},
			Nodes: map[string]NodeCounts{
				"pve-a": {
					Began: time.Unix(1_799_999_000, 0), DevicesRead: true, Complete: true,
					Devices: map[DeviceGroup]int{gpu(atlas.Referenced): 2, gpu(atlas.NeedsReview): 1},
				},
				"pve-b": {Began: time.Unix(1_799_999_001, 0)},
			},
		},
		{Cluster: "away", Duration: time.Second, Succeeded: time.Unix(1_700_000_000, 0)},
		{Cluster: "never"},
	}
}

// metricLines are those of the program's own metrics.
func metricLines(text string) string {
	return regexp.MustCompile(`(?m)^(#|go_|process_|promhttp_).*\n`).ReplaceAllString(text, "")
}

func wantMetrics(t *testing.T, text string, wanted, unwanted []string) {
	t.Helper()
	for _, want := range wanted {
		if !strings.Contains(text, "\n"+want+"\n") {
			t.Errorf("no %s in\n%s", want, metricLines(text))
		}
	}
	for _, no := range unwanted {
		if strings.Contains(text, no) {
			t.Errorf("%s pretends to know", no)
		}
	}
}

// TestMetrics: they tell of the last reads, and read nothing.
func TestMetrics(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.Live, o.Version = readOnce{}, "1.2.3" })
	w.do("GET", "/metrics", "").want(http.StatusUnauthorized, codeUnauthenticated)
	text := w.do("GET", "/metrics", "", by("auditor")).want(http.StatusOK, "").Body.String()
	wantMetrics(t, text, []string{
		`pciatlas_build_info{version="1.2.3"} 1`,
		`pciatlas_cluster_up{cluster="lab"} 1`,
		`pciatlas_cluster_up{cluster="away"} 0`,
		`pciatlas_cluster_read_timestamp_seconds{cluster="lab"} 1.8000000005e+09`,
		`pciatlas_cluster_read_timestamp_seconds{cluster="away"} 1.7e+09`,
		`pciatlas_cluster_read_timestamp_seconds{cluster="never"} 0`,
		`pciatlas_cluster_read_duration_seconds{cluster="lab"} 1.5`,
		`pciatlas_devices{cluster="lab",kind="display",node="pve-a",state="referenced"} 2`,
		`pciatlas_devices{cluster="lab",kind="display",node="pve-a",state="needs_review"} 1`,
		`pciatlas_devices_read{cluster="lab",node="pve-a"} 1`,
		`pciatlas_devices_read{cluster="lab",node="pve-b"} 0`,
		`pciatlas_node_complete{cluster="lab",node="pve-a"} 1`,
		`pciatlas_node_read_timestamp_seconds{cluster="lab",node="pve-a"} 1.799999e+09`,
		`pciatlas_pve_requests_total{cluster="lab",status="200"} 7`,
	}, []string{`pciatlas_devices{cluster="away"`, `pciatlas_devices{cluster="lab",kind="display",node="pve-b"`, "pciatlas_findings{", "pciatlas_findings_timestamp_seconds{"})
	if !strings.Contains(text, "go_goroutines ") || !strings.Contains(text, "was not read since the start has no metrics at all") {
		t.Error("the process or the meaning of absence is not told")
	}
	w.do("POST", "/metrics", "", by("auditor")).want(http.StatusMethodNotAllowed, codeMethod)
}

// TestMetricsWithoutDatabase: those that are open need none; readiness does.
func TestMetricsWithoutDatabase(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.MetricsOpen, o.Live = true, readOnce{} })
	w.store.broken = errors.New("away")
	text := w.do("GET", "/metrics", "").want(http.StatusOK, "").Body.String()
	wantMetrics(t, text, []string{`pciatlas_cluster_up{cluster="lab"} 1`}, nil)
	w.do("GET", "/readyz", "").want(http.StatusServiceUnavailable, codeDatabase)
	w.do("GET", "/healthz", "").want(http.StatusOK, "")

	w = newWorld(t, func(o *Options) { o.Live = readOnce{} })
	w.store.broken = storeError(codeDatabase)
	w.do("GET", "/metrics", "", by("auditor")).want(http.StatusServiceUnavailable, codeDatabase)
}

// TestMetricsOfFindings: what was found is counted as long as the cluster is there.
func TestMetricsOfFindings(t *testing.T) {
	w, _, live := labWorld(t)
	findingsAt(t, w, "")
	asked := len(live.wants)
	live.stats = []ReadStatus{{Cluster: "default"}}
	text := func() string { return w.do("GET", "/metrics", "", by("auditor")).want(http.StatusOK, "").Body.String() }
	wantMetrics(t, text(), []string{
		`pciatlas_findings{cluster="default",code="device-not-present",severity="error"} 1`,
		`pciatlas_findings_timestamp_seconds{cluster="default"} 1.7943013265e+09`,
	}, nil)
	live.reports["default"] = labReport(t, "default")
	w.pass(time.Hour)
	wantMetrics(t, text(), []string{`pciatlas_findings{cluster="default",code="device-not-present",severity="error"} 1`}, nil)
	live.stats = nil
	wantMetrics(t, text(), nil, []string{"pciatlas_findings{"})
	live.stats = []ReadStatus{{Cluster: "default"}}
	wantMetrics(t, text(), nil, []string{"pciatlas_findings{"})
	if len(live.wants) != asked {
		t.Errorf("metrics read the cluster")
	}
}
