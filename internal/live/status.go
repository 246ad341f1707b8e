package live

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"pciatlas/internal/atlas"
	"pciatlas/internal/pci"
)

// OutcomeOK is the outcome of a read that gave facts.
const OutcomeOK = "ok"

// Status says how a cluster was read last, for metrics. It holds no facts.
type Status struct {
	Cluster string
	// Began is when the last read began, Duration what its base and the slowest of
	// its nodes took, and Outcome OutcomeOK, or the code of its error, "failed" for
	// one without. Reads that were given up do not count.
	Began    time.Time
	Duration time.Duration
	Outcome  string
	// Succeeded is when the last read began that gave facts; zero if none did.
	Succeeded time.Time
	// Nodes are what the last report for each node said. It must not be changed.
	Nodes map[string]NodeStatus

	base time.Duration
}

// NodeStatus counts what was read of a node. It holds no facts.
type NodeStatus struct {
	Began       time.Time // when the read began that it rests on
	DevicesRead bool
	Complete    bool // all references to devices of the node were known
	// Devices counts functions; none if they could not be read.
	Devices map[DeviceGroup]int
}

// DeviceGroup is what devices are counted by.
type DeviceGroup struct {
	Kind  pci.Kind
	State atlas.State
}

// Stats gives the status of each cluster that was read, sorted by name.
func (l *Live) Stats() []Status {
	l.mu.Lock()
	defer l.mu.Unlock()
	stats := make([]Status, 0, len(l.status))
	for _, status := range l.status {
		copied := *status
		copied.Nodes = maps.Clone(status.Nodes)
		stats = append(stats, copied)
	}
	slices.SortFunc(stats, func(a, b Status) int { return strings.Compare(a.Cluster, b.Cluster) })
	return stats
}

// Forget drops the status of a cluster that is there no more.
func (l *Live) Forget(cluster string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.status, cluster)
}

func (l *Live) statusOf(cluster string) *Status {
	status := l.status[cluster]
	if status == nil {
		status = &Status{Cluster: cluster, Nodes: map[string]NodeStatus{}}
		l.status[cluster] = status
	}
	return status
}

// noteBase notes how the read of a base ended; the caller holds the lock.
func (l *Live) noteBase(p *part, err error) {
	if _, closed := errors.AsType[*ClosedError](err); closed || errors.Is(err, context.Canceled) {
		return
	}
	status := l.statusOf(p.set.cluster)
	if p.began.Before(status.Began) {
		return
	}
	status.Began, status.Outcome = p.began, outcomeOf(err)
	status.base = l.options.Now().Sub(p.began)
	status.Duration = status.base
	if err == nil {
		status.Succeeded = p.began
	}
}

// noteNode notes how long the read of a node took; the caller holds the lock.
func (l *Live) noteNode(p *part, took time.Duration) {
	if status := l.status[p.set.cluster]; status != nil && status.Began.Equal(p.began) {
		status.Duration = max(status.Duration, status.base+took)
	}
}

// noteReport takes the counts of the nodes that a report is for.
func (l *Live) noteReport(p *part, names []string, report *atlas.Report) {
	counts := make(map[string]NodeStatus, len(names))
	for _, name := range names {
		counts[name] = countNode(report.Node(name), p.began)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	status := l.statusOf(p.set.cluster)
	for name, count := range counts {
		if !p.began.Before(status.Nodes[name].Began) {
			status.Nodes[name] = count
		}
	}
	maps.DeleteFunc(status.Nodes, func(name string, _ NodeStatus) bool { return report.Node(name) == nil })
}

func countNode(node *atlas.Node, began time.Time) NodeStatus {
	status := NodeStatus{Began: began, Devices: map[DeviceGroup]int{}}
	if node == nil {
		return status
	}
	status.DevicesRead, status.Complete = node.DevicesRead, node.Complete
	for i := range node.Devices {
		status.Devices[DeviceGroup{node.Devices[i].Class.Kind(), node.Devices[i].State}]++
	}
	return status
}

func outcomeOf(err error) string {
	if err == nil {
		return OutcomeOK
	}
	if coded, ok := errors.AsType[interface {
		error
		ErrorCode() string
	}](err); ok {
		return coded.ErrorCode()
	}
	return "failed"
}
