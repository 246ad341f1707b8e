package server

import (
	"context"
	"maps"
	"strconv"
	"sync"

	"pciatlas/internal/atlas"
	"pciatlas/internal/httpapi"
	"pciatlas/internal/live"
)

// Report gives the report of nodes of a cluster.
func (r reads) Report(ctx context.Context, cluster string, want httpapi.Want) (*atlas.Report, error) {
	return r.Live.Report(ctx, cluster, live.Want(want))
}

// Stats says how each cluster was read last, and what Proxmox VE answered.
func (r reads) Stats() []httpapi.ReadStatus {
	stats := r.Live.Stats()
	statuses := make([]httpapi.ReadStatus, 0, len(stats))
	for _, status := range stats {
		statuses = append(statuses, httpapi.ReadStatus{
			Cluster: status.Cluster, Duration: status.Duration, OK: status.Outcome == live.OutcomeOK, Succeeded: status.Succeeded,
			Nodes: nodeCounts(status.Nodes), Requests: r.clusters.requests.of(status.Cluster),
		})
	}
	return statuses
}

func nodeCounts(nodes map[string]live.NodeStatus) map[string]httpapi.NodeCounts {
	counts := make(map[string]httpapi.NodeCounts, len(nodes))
	for name, node := range nodes {
		devices := make(map[httpapi.DeviceGroup]int, len(node.Devices))
		for group, count := range node.Devices {
			devices[httpapi.DeviceGroup(group)] = count
		}
		counts[name] = httpapi.NodeCounts{Began: node.Began, DevicesRead: node.DevicesRead, Complete: node.Complete, Devices: devices}
	}
	return counts
}

// requestCounts counts the answers of Proxmox VE by cluster and status. The zero
// value is ready.
type requestCounts struct {
	mu     sync.Mutex
	counts map[string]map[string]uint64
}

// noAnswer is the status of a request without an answer.
const noAnswer = "none"

func (c *requestCounts) observer(cluster string) func(status int) {
	return func(status int) {
		text := noAnswer
		if status != 0 {
			text = strconv.Itoa(status)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.counts == nil {
			c.counts = map[string]map[string]uint64{}
		}
		if c.counts[cluster] == nil {
			c.counts[cluster] = map[string]uint64{}
		}
		c.counts[cluster][text]++
	}
}

// of gives a copy of the counts of a cluster.
func (c *requestCounts) of(cluster string) map[string]uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.counts[cluster])
}

func (c *requestCounts) forget(cluster string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.counts, cluster)
}
