package live_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"runtime"
	"sync"
	"testing"
	"time"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/live"
	"pciatlas/internal/pveapi"
	"pciatlas/internal/pvesim"
)

// pveReader is the reader of a real client, as the server wires it.
type pveReader struct{ *pveapi.Client }

func (r pveReader) ReadCluster(ctx context.Context) (live.Base, error) {
	return r.Client.ReadCluster(ctx, true)
}

func (r pveReader) ReadNodes(ctx context.Context, base live.Base, nodes []string, details bool) (facts.Snapshot, error) {
	return r.Client.ReadNodes(ctx, base.(*pveapi.ClusterPart), nodes, details)
}

// overTLS gives a Live that reads a simulated cluster over TLS.
func overTLS(t testing.TB, handler http.Handler, share time.Duration) *live.Live {
	t.Helper()
	server, err := pvesim.NewTLSServer(handler)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	fingerprint, err := pveapi.ParseFingerprint(server.Fingerprint)
	if err != nil {
		t.Fatal(err)
	}
	token, err := pveapi.ParseToken(pvesim.DemoToken)
	if err != nil {
		t.Fatal(err)
	}
	source := func(context.Context, string) (live.Origin, error) {
		return live.Origin{Key: "1", Open: func(context.Context) (live.Reader, error) {
			client, err := pveapi.New(pveapi.Options{
				Cluster: "lab", Endpoints: []string{server.URL}, Fingerprints: []pveapi.Fingerprint{fingerprint}, Token: token,
			})
			return pveReader{client}, err
		}}, nil
	}
	l := live.New(live.Options{Source: source, Share: share})
	t.Cleanup(l.Close)
	return l
}

// TestOneReadOverTLS counts the requests where they arrive.
func TestOneReadOverTLS(t *testing.T) {
	before := runtime.NumGoroutine()
	simulated := &pvesim.Server{World: pvesim.Demo()}
	simulated.Inject(&pvesim.Fault{Kind: pvesim.FaultLatency, Delay: 10 * time.Millisecond})
	l := overTLS(t, simulated, time.Minute)
	ask := func(nodes ...string) {
		if _, err := l.Report(t.Context(), "lab", live.Want{Nodes: nodes}); err != nil {
			t.Error(err)
		}
	}
	var all sync.WaitGroup
	for range 200 {
		all.Go(func() { ask("pve-a") })
	}
	all.Wait()
	paths := simulated.Stats().Paths
	for path, count := range paths {
		if most := map[string]int{"/cluster/resources": 3}[path]; count > max(most, 1) {
			t.Errorf("%s was asked for %d times", path, count)
		}
	}
	if paths["/nodes/pve-a/hardware/pci"] != 1 || paths["/nodes/pve-b/hardware/pci"] != 0 {
		t.Errorf("devices: %v", paths)
	}
	for range 12 {
		all.Go(func() { ask() })
		all.Go(func() { ask("pve-b") })
		all.Go(func() { ask("pve-a", "pve-c") })
	}
	all.Wait()
	for path, count := range simulated.Stats().Paths {
		if path != "/cluster/resources" && count > 1 {
			t.Errorf("%s was asked for %d times", path, count)
		}
	}
	l.Close()
	for deadline := time.After(time.Minute); runtime.NumGoroutine() > before+10; {
		select {
		case <-deadline:
			t.Fatalf("%d goroutines before, %d after", before, runtime.NumGoroutine())
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// TestMoveOverTLS moves a VM between two nodes while both are read: it is reported
// once, with its configuration, on the node where it was or where it is now; and
// the next read has it where it is now.
func TestMoveOverTLS(t *testing.T) {
	simulated := &pvesim.Server{World: pvesim.Demo()}
	simulated.Inject(&pvesim.Fault{Kind: pvesim.FaultLatency, Delay: 3 * time.Millisecond})
	l := overTLS(t, simulated, time.Nanosecond)
	places := []string{"pve-a", "pve-b"}
	seen := map[bool]int{}
	took := 100 * time.Millisecond
	for round := range 12 {
		from, to := places[round%2], places[1-round%2]
		var moved sync.WaitGroup
		moved.Go(func() {
			<-time.After(rand.N(took * 3 / 2))
			simulated.Update(func(w *pvesim.World) {
				for i := range w.Guests {
					if w.Guests[i].VMID == 100 {
						w.Guests[i].Node = to
					}
				}
			})
		})
		began := time.Now()
		during := place(t, l, 100)
		took = time.Since(began)
		moved.Wait()
		if during != from && during != to {
			t.Fatalf("VM 100 is on %q", during)
		}
		seen[during == to]++
		if now := place(t, l, 100, places...); now != to {
			t.Fatalf("VM 100 is on %s after it moved to %s", now, to)
		}
	}
	if len(seen) != 2 {
		t.Errorf("all %v reads saw the same", seen)
	}
}

// place gives the node of a VM, which must be there once and with its
// configuration.
func place(t *testing.T, l *live.Live, vmid int, nodes ...string) string {
	t.Helper()
	report, err := l.Report(t.Context(), "lab", live.Want{Nodes: nodes})
	if err != nil {
		t.Fatal(err)
	}
	vms := report.FindVM(vmid)
	if len(vms) != 1 || vms[0].Config == nil {
		t.Fatalf("VM %d is there %d times: %+v", vmid, len(vms), vms)
	}
	for i := range report.Nodes {
		for _, issue := range report.Nodes[i].Issues {
			if issue.VMID == vmid && (issue.Code == atlas.IssueVMUnreadable || issue.Code == atlas.IssueVMHidden) {
				t.Errorf("%s: %s", report.Nodes[i].Name, issue.Message)
			}
		}
	}
	return vms[0].Node
}

// bigWorld is a cluster of 16 nodes with 200 VMs each.
func bigWorld() *pvesim.World {
	demo := pvesim.Demo()
	world := &pvesim.World{Cluster: "big", UserCfg: demo.UserCfg, Secrets: demo.Secrets}
	for n := range 16 {
		name := fmt.Sprintf("pve-%02d", n)
		world.Nodes = append(world.Nodes, pvesim.Node{Name: name, Devices: demo.Nodes[0].Devices})
		for v := range 200 {
			world.Guests = append(world.Guests, pvesim.Guest{
				VMID: 100 + n*200 + v, Kind: pvesim.QEMU, Node: name,
				Config: fmt.Sprintf("name: vm-%d\nmachine: q35\nhostpci0: 0000:0%d:00,pcie=1\n", v, v%4+1),
			})
		}
	}
	return world
}

// BenchmarkReport measures what callers get from reads that are shared: another
// caller of a report, and a report that nobody asked for before.
func BenchmarkReport(b *testing.B) {
	l := overTLS(b, &pvesim.Server{World: bigWorld(), RelayLimit: -1}, time.Hour)
	ask := func(b *testing.B, nodes ...string) *atlas.Report {
		b.Helper()
		report, err := l.Report(b.Context(), "lab", live.Want{Nodes: nodes})
		if err != nil {
			b.Fatal(err)
		}
		return report
	}
	names := ask(b).Nodes
	b.Run("all nodes again", func(b *testing.B) {
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				ask(b)
			}
		})
	})
	b.Run("one node again", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			ask(b, "pve-07")
		}
	})
	b.Run("other nodes each time", func(b *testing.B) {
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			var some []string
			for at := range names {
				if i>>at&1 == 0 {
					some = append(some, names[at].Name)
				}
			}
			ask(b, some...)
		}
	})
}

// TestRenew: what changed since the last read is seen by who asks next, however long
// reads are shared.
func TestRenew(t *testing.T) {
	simulated := &pvesim.Server{World: pvesim.DemoOffice(), MuteDelay: -1}
	l := overTLS(t, simulated, time.Hour)
	reads := func() (told []bool) {
		report, err := l.Report(t.Context(), "lab", live.Want{Details: true})
		if err != nil {
			t.Fatal(err)
		}
		for i := range report.Nodes {
			told = append(told, report.Nodes[i].DevicesRead)
		}
		return told
	}
	before := reads()
	simulated.Update(func(w *pvesim.World) { w.Nodes[1].Offline = true })
	shared := reads()
	l.Renew("lab")
	after := reads()
	if !before[1] || !shared[1] || after[1] || !after[0] {
		t.Errorf("read %v, shared %v, anew %v", before, shared, after)
	}
}
