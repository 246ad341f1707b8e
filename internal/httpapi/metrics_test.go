package httpapi

import (
	"context"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/fleet"
	"pciatlas/internal/pci"
)

// twoClusters are one that can be read and one that cannot.
type twoClusters struct {
	noLive
	noClusters
}

func (twoClusters) Clusters(context.Context) ([]fleet.Cluster, error) {
	return []fleet.Cluster{{Name: "lab"}, {Name: "away"}}, nil
}

func (twoClusters) Report(_ context.Context, cluster string, _ Want) (*atlas.Report, error) {
	if cluster == "away" {
		return nil, storeError("pve_unreachable")
	}
	gpu := func(state atlas.State) atlas.Device {
		return atlas.Device{Device: &facts.Device{Class: pci.Class(0x030000)}, State: state}
	}
	return &atlas.Report{Facts: &facts.Snapshot{}, Cluster: "lab", Nodes: []atlas.Node{
		{Name: "pve-a", DevicesRead: true, Complete: true, Devices: []atlas.Device{gpu(atlas.Referenced), gpu(atlas.Referenced), gpu(atlas.NeedsReview)}},
		{Name: "pve-b"},
	}}, nil
}

func (twoClusters) Stats() []ReadStatus {
	return []ReadStatus{
		{Cluster: "lab", Duration: 1500 * time.Millisecond, Succeeded: start.Add(-4 * time.Second), Requests: map[string]uint64{"200": 7}},
		{Cluster: "away", Duration: time.Second},
	}
}

func TestMetrics(t *testing.T) {
	w := newWorld(t, func(o *Options) {
		o.Live, o.Version = twoClusters{}, "1.2.3"
	})
	w.store.ClusterStore = twoClusters{}
	w.do("GET", "/metrics", "").want(http.StatusUnauthorized, codeUnauthenticated)
	text := w.do("GET", "/metrics", "", by("auditor")).want(http.StatusOK, "").Body.String()
	for _, want := range []string{
		`pciatlas_build_info{version="1.2.3"} 1`,
		`pciatlas_cluster_up{cluster="lab"} 1`,
		`pciatlas_cluster_up{cluster="away"} 0`,
		`pciatlas_devices{cluster="lab",kind="display",node="pve-a",state="referenced"} 2`,
		`pciatlas_devices{cluster="lab",kind="display",node="pve-a",state="needs_review"} 1`,
		`pciatlas_devices_read{cluster="lab",node="pve-a"} 1`,
		`pciatlas_devices_read{cluster="lab",node="pve-b"} 0`,
		`pciatlas_node_complete{cluster="lab",node="pve-a"} 1`,
		`pciatlas_read_duration_seconds{cluster="lab"} 1.5`,
		`pciatlas_read_age_seconds{cluster="lab"} 4`,
		`pciatlas_pve_requests_total{cluster="lab",status="200"} 7`,
		"go_goroutines ",
	} {
		if !strings.Contains(text, want+"\n") && !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, regexp.MustCompile(`(?m)^(#|go_|process_).*\n`).ReplaceAllString(text, ""))
		}
	}
	for _, unwanted := range []string{`pciatlas_devices{cluster="away"`, `pciatlas_read_age_seconds{cluster="away"`, `node="pve-b",state`} {
		if strings.Contains(text, unwanted) {
			t.Errorf("%s pretends to know", unwanted)
		}
	}
	w.do("POST", "/metrics", "", by("auditor")).want(http.StatusMethodNotAllowed, codeMethod)

	open := newWorld(t, func(o *Options) { o.MetricsOpen = true })
	open.do("GET", "/metrics", "").want(http.StatusOK, "")
}
