package httpapi

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"pciatlas/internal/atlas"
	"pciatlas/internal/auth"
	"pciatlas/internal/facts"
	"pciatlas/internal/pci"
)

// bigFacts are those of a cluster whose VMs name its graphics cards in turn.
func bigFacts(tb testing.TB, nodes, cards, vms int) *facts.Snapshot {
	tb.Helper()
	s := labFacts(tb, "default")
	s.Nodes, s.Guests.Value = map[string]*facts.Node{}, nil
	for n := range nodes {
		name := fmt.Sprintf("node-%02d", n)
		node := &facts.Node{Devices: facts.Read[[]facts.Device]{State: facts.OK, Stamp: stamp}}
		for card := range cards {
			group := card
			node.Devices.Value = append(node.Devices.Value, facts.Device{
				Address: pci.Address{Bus: uint8(card + 1)}, Class: 0x030000, Group: facts.Told(&group), Mdev: facts.Told(false),
				IDs: pci.IDs{Pair: pci.Pair{Vendor: 0x10de, Device: 0x2204}},
			})
		}
		s.Nodes[name] = node
		for v := range vms {
			addVM(tb, s, name, fmt.Sprintf("%d stopped desktop-%d", 1000+n*vms+v, v), fmt.Sprintf("hostpci0: 0000:%02x:00.0,pcie=1\nmachine: q35\n", v%cards+1))
		}
	}
	return s
}

// BenchmarkInventory asks for everything of 16 nodes with 128 graphics cards and
// 3,200 VMs over one connection that is kept. The report is there; the answer is
// rendered once.
func BenchmarkInventory(b *testing.B) {
	b.Run("answer", func(b *testing.B) { benchmarkGet(b, "/api/v1/clusters/default/inventory", false) })
	b.Run("unchanged", func(b *testing.B) { benchmarkGet(b, "/api/v1/clusters/default/inventory", true) })
	b.Run("node", func(b *testing.B) { benchmarkGet(b, "/api/v1/resources/gpus?node=node-07", false) })
	b.Run("vms", func(b *testing.B) { benchmarkGet(b, "/api/v1/clusters/default/vms?findings=true", false) })
}

func benchmarkGet(b *testing.B, path string, unchanged bool) {
	b.Helper()
	store := newFakeStore()
	addClusters(store, labCluster("default"))
	store.admins["auditor"] = auth.Administrator{Name: "auditor", Role: auth.Auditor}
	hash := auth.HashSecret("pa_auditor")
	store.tokens[hash] = auth.Token{ID: "id", Name: "bench", Owner: "auditor", Role: auth.Auditor, Hash: hash, CreatedAt: start, UsedAt: start}
	live := &fakeLive{reports: map[string]*atlas.Report{"default": atlas.Build(bigFacts(b, 16, 8, 200))}}
	handler, err := New(Options{Store: store, Live: live, Now: func() time.Time { return start }})
	if err != nil {
		b.Fatal(err)
	}
	server := httptest.NewServer(handler)
	defer server.Close()
	tag, size := "", int64(0)
	get := func() {
		r, err := http.NewRequestWithContext(b.Context(), http.MethodGet, server.URL+path, http.NoBody)
		if err != nil {
			b.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer pa_auditor")
		if unchanged && tag != "" {
			r.Header.Set("If-None-Match", tag)
		}
		response, err := server.Client().Do(r)
		if err != nil {
			b.Fatal(err)
		}
		size, err = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
		if want := tag != "" && unchanged; err != nil || want != (response.StatusCode == http.StatusNotModified) {
			b.Fatalf("status %d, %v", response.StatusCode, err)
		}
		tag = response.Header.Get("ETag")
	}
	began := time.Now()
	get()
	b.ReportMetric(float64(time.Since(began).Nanoseconds()), "first-ns")
	var took []time.Duration
	for b.Loop() {
		began := time.Now()
		get()
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*95/100].Nanoseconds()), "p95-ns")
	b.ReportMetric(float64(size), "answer-B")
}
