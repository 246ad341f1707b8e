package pveapi_test

import (
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"pciatlas/internal/pveapi"
	"pciatlas/internal/pvesim"
)

// latency is that of each answer, as over a slow network.
const latency = 20 * time.Millisecond

// bigWorld is a cluster of so many nodes and VMs a node.
func bigWorld(nodes, vms int) *pvesim.World {
	demo := pvesim.Demo()
	world := &pvesim.World{Cluster: "big", UserCfg: demo.UserCfg, Secrets: demo.Secrets}
	for n := range nodes {
		name := fmt.Sprintf("pve-%02d", n)
		world.Nodes = append(world.Nodes, pvesim.Node{Name: name, Devices: demo.Nodes[0].Devices})
		for v := range vms {
			world.Guests = append(world.Guests, pvesim.Guest{
				VMID: 100 + n*vms + v, Kind: pvesim.QEMU, Node: name,
				Config: fmt.Sprintf("name: vm-%d\ncores: 4\nmemory: 8192\nmachine: q35\nscsi0: local-lvm:vm-disk-0,size=32G\nhostpci0: 0000:0%d:00,pcie=1\n", v, v%4+1),
			})
		}
	}
	return world
}

func bigServer(b *testing.B, nodes, vms int) (*pvesim.Server, *pvesim.TLSServer) {
	b.Helper()
	simulated := &pvesim.Server{World: bigWorld(nodes, vms), RelayLimit: -1}
	simulated.Inject(&pvesim.Fault{Kind: pvesim.FaultLatency, Delay: latency})
	return simulated, serve(b, simulated)
}

// BenchmarkRead compares a read with a bare loop of the same requests under the
// same limits, and with the time that the latency alone takes.
func BenchmarkRead(b *testing.B) {
	for _, size := range []struct{ nodes, vms, atOnce int }{{1, 200, 4}, {16, 200, 12}} {
		b.Run(fmt.Sprintf("%dx%d", size.nodes, size.vms), func(b *testing.B) {
			simulated, server := bigServer(b, size.nodes, size.vms)
			var ours, bare time.Duration
			var client *pveapi.Client
			for b.Loop() {
				client = newClient(b, pveapi.Limits{}, server)
				began := time.Now()
				snapshot, err := client.Read(b.Context(), pveapi.Request{})
				if err != nil || len(snapshot.Guests.Value) != size.nodes*size.vms {
					b.Fatal(err)
				}
				ours += time.Since(began)
				client.Close()
				began = time.Now()
				bareLoop(b, server, size.nodes, size.vms, size.atOnce)
				bare += time.Since(began)
			}
			requests := size.nodes * (size.vms + 1)
			ideal := time.Duration((requests+size.atOnce-1)/size.atOnce+3) * latency * time.Duration(b.N)
			b.ReportMetric(float64(ours.Milliseconds())/float64(b.N), "ms/read")
			b.ReportMetric(float64(ours)/float64(bare), "x-bare-loop")
			b.ReportMetric(float64(ours)/float64(ideal), "x-rounds")
			stats := simulated.Stats()
			b.ReportMetric(float64(stats.MaxPerNode["pve-00"]), "max-at-node")
			b.ReportMetric(float64(stats.MaxInFlight), "max-at-once")
		})
	}
}

// bareLoop asks the same with nothing but net/http: three rounds for the cluster,
// then the nodes with the same limits, without reading what comes.
func bareLoop(b *testing.B, server *pvesim.TLSServer, nodes, vms, atOnce int) {
	b.Helper()
	transport := &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: server.Pool, MinVersion: tls.VersionTLS12}, MaxIdleConnsPerHost: 20, MaxConnsPerHost: 20,
	}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	get := func(path string) {
		request, err := http.NewRequestWithContext(b.Context(), http.MethodGet, server.URL+"/api2/json"+path, http.NoBody)
		if err != nil {
			b.Fatal(err)
		}
		request.Header.Set("Authorization", "PVEAPIToken="+pvesim.DemoToken)
		response, err := client.Do(request)
		if err != nil {
			b.Error(err)
			return
		}
		_, _ = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
	}
	get("/version")
	get("/access/permissions")
	get("/access/acl")
	entry := semaphore.NewWeighted(int64(atOnce))
	var all errgroup.Group
	for n := range nodes {
		all.Go(func() error {
			var node errgroup.Group
			node.SetLimit(4)
			ask := func(path string) {
				node.Go(func() error {
					if err := entry.Acquire(b.Context(), 1); err != nil {
						return err
					}
					defer entry.Release(1)
					get(path)
					return nil
				})
			}
			ask(fmt.Sprintf("/nodes/pve-%02d/hardware/pci?verbose=1&pci-class-blacklist=", n))
			for v := range vms {
				ask(fmt.Sprintf("/nodes/pve-%02d/qemu/%d/pending", n, 100+n*vms+v))
			}
			return node.Wait()
		})
	}
	if err := all.Wait(); err != nil {
		b.Error(err)
	}
}
