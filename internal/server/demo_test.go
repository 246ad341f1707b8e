package server_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"pciatlas/internal/server"
)

// TestDemoClusters: each cluster of the demo is registered and can be read, and
// each of its desktops is a VM that is there.
func TestDemoClusters(t *testing.T) {
	began := time.Now()
	demo, err := server.StartDemo(t.Context(), server.DemoOptions{Listen: "127.0.0.1:0", Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("the demo starts in %s", time.Since(began))
	s := &site{Server: demo.Server, client: browser(t)}
	t.Cleanup(func() { _ = demo.Stop(t.Context()) })
	s.want(t, http.StatusOK, http.MethodPost, "/session", object{"name": "auditor", "password": server.DemoPassword})
	clusters, ok := s.want(t, http.StatusOK, http.MethodGet, "/clusters", nil)["clusters"].([]any)
	if !ok || len(clusters) != len(demo.Clusters) || demo.Clusters[0] != server.DemoCluster {
		t.Errorf("%v are started, %v are registered", demo.Clusters, clusters)
	}
	for _, name := range demo.Clusters {
		desktops, _ := s.want(t, http.StatusOK, http.MethodGet, "/clusters/"+name+"/desktops", nil)["desktops"].([]any)
		for _, desktop := range desktops {
			named, _ := desktop.(object)
			s.want(t, http.StatusOK, http.MethodGet, fmt.Sprintf("/clusters/%s/vms/%v", name, named["vmid"]), nil)
		}
		found, ok := s.want(t, http.StatusOK, http.MethodGet, "/clusters/"+name+"/findings", nil)["findings"].([]any)
		if !ok || len(found) == 0 {
			t.Errorf("%s: there are no findings: %v", name, found)
		}
	}
}
