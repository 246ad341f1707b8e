package pvesim_test

import (
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"pciatlas/internal/pvesim"
)

// bigWorld has a node with many VMs.
func bigWorld(nodes, guests int) *pvesim.World {
	world := &pvesim.World{Cluster: "big"}
	for n := range nodes {
		name := fmt.Sprintf("n%d", n)
		world.Nodes = append(world.Nodes, pvesim.Node{Name: name, Devices: pvesim.Demo().Nodes[0].Devices})
		for g := range guests {
			world.Guests = append(world.Guests, pvesim.Guest{
				VMID: 1000*(n+1) + g, Kind: pvesim.QEMU, Node: name, Config: fmt.Sprintf("cores: 4\nhostpci0: 0000:01:00\nmachine: q35\nmemory: 8192\nname: vm-%d-%d\n", n, g),
			})
		}
	}
	return world
}

// BenchmarkPending reads the pending lists of 200 VMs, four at a time, at 20 ms
// latency: what a bare client reaches.
func BenchmarkPending(b *testing.B) {
	for _, latency := range []time.Duration{0, 20 * time.Millisecond} {
		b.Run(latency.String(), func(b *testing.B) {
			server := &pvesim.Server{World: bigWorld(1, 200)}
			server.Inject(&pvesim.Fault{Kind: pvesim.FaultLatency, Delay: latency})
			front := start(b, server)
			c := front.Client()
			transport, ok := c.Transport.(*http.Transport)
			if !ok {
				b.Fatal("no transport")
			}
			transport.MaxIdleConnsPerHost = 4
			for b.Loop() {
				readAll(b, c, front.URL)
			}
			if most := server.Stats().MaxPerNode["n0"]; most > 4 {
				b.Errorf("%d at once", most)
			}
		})
	}
}

func readAll(b *testing.B, c *http.Client, url string) {
	b.Helper()
	work := make(chan int)
	var running sync.WaitGroup
	for range 4 {
		running.Go(func() {
			for vmid := range work {
				request, err := http.NewRequestWithContext(b.Context(), http.MethodGet, fmt.Sprintf("%s/api2/json/nodes/n0/qemu/%d/pending", url, vmid), http.NoBody)
				if err != nil {
					b.Error(err)
					return
				}
				request.Header.Set("Authorization", pvesim.Authorization(pvesim.RootToken))
				response, err := c.Do(request)
				if err != nil {
					b.Error(err)
					continue
				}
				if _, err := io.Copy(io.Discard, response.Body); err != nil || response.StatusCode != http.StatusOK {
					b.Errorf("%s %v", response.Status, err)
				}
				response.Body.Close()
			}
		})
	}
	for n := range 200 {
		work <- 1000 + n
	}
	close(work)
	running.Wait()
}

// BenchmarkDevices reads the verbose device list.
func BenchmarkDevices(b *testing.B) {
	server := &pvesim.Server{World: pvesim.Demo()}
	front := start(b, server)
	c := client(b, front)
	for b.Loop() {
		send(b, c, "GET", front.URL+"/api2/json/nodes/pve-a/hardware/pci?verbose=1&pci-class-blacklist=", auth(pvesim.DemoToken))
	}
}
