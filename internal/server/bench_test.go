package server_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"pciatlas/internal/pvesim"
	"pciatlas/internal/server"
)

// The budgets. They are checked where a benchmark ran often enough to tell.
const (
	startBudget       = 300 * time.Millisecond
	answerBudget      = 5 * time.Millisecond // 95 of 100
	notModifiedBudget = time.Millisecond     // 95 of 100
	enough            = 20                   // runs
)

// BenchmarkStart measures from New to the first answer of /readyz.
func BenchmarkStart(b *testing.B) {
	start := func(b *testing.B, folder string) {
		b.Helper()
		s, err := server.New(server.Options{Config: settings(folder)})
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Start(b.Context()); err != nil {
			b.Fatal(err)
		}
		response, err := http.Get(s.URL() + "/readyz") //nolint:noctx // bounded by the benchmark
		if err != nil || response.StatusCode != http.StatusOK {
			b.Fatalf("%v, %v", response, err)
		}
		_ = response.Body.Close()
		b.StopTimer()
		http.DefaultClient.CloseIdleConnections()
		if err := s.Stop(b.Context()); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
	check := func(b *testing.B) {
		b.Helper()
		if each := b.Elapsed() / time.Duration(b.N); b.N >= enough && each > startBudget {
			b.Errorf("a start takes %s", each)
		}
	}
	b.Run("fresh", func(b *testing.B) {
		for b.Loop() {
			start(b, b.TempDir())
		}
		check(b)
	})
	b.Run("again", func(b *testing.B) {
		folder := b.TempDir()
		start(b, folder)
		b.ResetTimer()
		for b.Loop() {
			start(b, folder)
		}
		check(b)
	})
}

// bigWorld has 16 nodes with 8 GPUs and 200 VMs each.
func bigWorld() *pvesim.World {
	demo := pvesim.Demo()
	world := &pvesim.World{Cluster: "big", UserCfg: demo.UserCfg, Secrets: demo.Secrets}
	for n := range 16 {
		name := fmt.Sprintf("pve-%02d", n)
		node := pvesim.Node{Name: name}
		for slot := 1; slot <= 8; slot++ {
			node.Devices = append(node.Devices,
				pvesim.Device{Address: fmt.Sprintf("0000:%02x:00.0", slot), Vendor: "10de", Device: "2204", Class: "030000", Group: 10 + slot, Driver: "vfio-pci"},
				pvesim.Device{Address: fmt.Sprintf("0000:%02x:00.1", slot), Vendor: "10de", Device: "1aef", Class: "040300", Group: 10 + slot, Driver: "vfio-pci"})
		}
		world.Nodes = append(world.Nodes, node)
		for v := range 200 {
			world.Guests = append(world.Guests, pvesim.Guest{
				VMID: 100 + n*200 + v, Kind: pvesim.QEMU, Node: name, Config: fmt.Sprintf("name: vm-%d\nmachine: q35\n", v) + line(v),
			})
		}
	}
	return world
}

// line gives one VM in ten a GPU.
func line(v int) string {
	if v%10 != 0 {
		return ""
	}
	return fmt.Sprintf("hostpci0: 0000:%02x:00,pcie=1\n", v/10%8+1)
}

// startBig starts a server that reads the big world.
func startBig(b *testing.B) *site {
	b.Helper()
	lab := newLab(b, &pvesim.Server{World: bigWorld(), RelayLimit: -1})
	s := begin(b, server.Options{Config: settings(b.TempDir())})
	s.setUp(b)
	s.register(b, "big", connection(lab.tls.URL, lab.tls.Fingerprint))
	return s
}

// BenchmarkInventory measures answers about 128 GPUs and 3,200 VMs over the whole
// stack, while the read is shared.
func BenchmarkInventory(b *testing.B) {
	s := startBig(b)
	for name, path := range map[string]string{"node": "/resources/gpus?node=pve-07", "all nodes": "/clusters/big/inventory"} {
		first, err := s.call(b.Context(), http.MethodGet, path, nil)
		if err != nil || first.status != http.StatusOK {
			b.Fatalf("%d, %v: %s", first.status, err, first.body)
		}
		b.Run(name, func(b *testing.B) {
			p95 := measure(b, s, http.StatusOK, path)
			b.ReportMetric(float64(len(first.body)), "answer-B")
			if b.N >= enough && p95 > answerBudget {
				b.Errorf("95 of 100 answers take up to %s", p95)
			}
		})
		b.Run(name+" unchanged", func(b *testing.B) {
			p95 := measure(b, s, http.StatusNotModified, path, "If-None-Match", first.header.Get("ETag"))
			if b.N >= enough && p95 > notModifiedBudget {
				b.Errorf("95 of 100 answers take up to %s", p95)
			}
		})
	}
}

// measure gives how long 95 of 100 answers take at most.
func measure(b *testing.B, s *site, status int, path string, header ...string) time.Duration {
	b.Helper()
	var times []time.Duration
	for b.Loop() {
		began := time.Now()
		answer, err := s.call(b.Context(), http.MethodGet, path, nil, header...)
		times = append(times, time.Since(began))
		if err != nil || answer.status != status {
			b.Fatalf("%d, %v: %s", answer.status, err, answer.body)
		}
	}
	slices.Sort(times)
	median, p95 := times[len(times)/2], times[len(times)*95/100]
	b.ReportMetric(float64(median.Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(p95.Microseconds())/1000, "p95-ms")
	return p95
}

// BenchmarkRead measures a read of the whole big cluster through the server.
func BenchmarkRead(b *testing.B) {
	lab := newLab(b, &pvesim.Server{World: bigWorld(), RelayLimit: -1})
	impatient := settings(b.TempDir())
	impatient.Share = 0
	s := begin(b, server.Options{Config: impatient})
	s.setUp(b)
	s.register(b, "big", connection(lab.tls.URL, lab.tls.Fingerprint))
	for b.Loop() {
		s.want(b, http.StatusOK, http.MethodGet, "/clusters/big/inventory", nil)
	}
}

// BenchmarkBurst measures how long 200 clients wait who ask for one node at once,
// for which it is read once.
func BenchmarkBurst(b *testing.B) {
	lab := newLab(b, &pvesim.Server{World: pvesim.Demo(), MuteDelay: time.Millisecond})
	for b.Loop() {
		b.StopTimer()
		s := begin(b, server.Options{Config: settings(b.TempDir())})
		s.setUp(b)
		s.register(b, "lab", connection(lab.tls.URL, lab.tls.Fingerprint))
		lab.ResetStats()
		b.StartTimer()
		burst(b, s, 200)
		b.StopTimer()
		if reads := lab.Stats().Paths["/nodes/pve-a/hardware/pci"]; reads != 1 {
			b.Errorf("%d reads", reads)
		}
		s.stop(b)
		b.StartTimer()
	}
}
