package httpapi

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

var (
	metricBuild   = describe("build_info", "The version of the program; always 1.", "version")
	metricUp      = describe("cluster_up", "Whether the last read of the cluster gave facts: 1 or 0. Clusters are read when somebody asks, never for metrics; one that was not read since the start has no metrics at all.", "cluster")
	metricReadAt  = describe("cluster_read_timestamp_seconds", "When the last read of the cluster began that gave facts, in Unix time; 0 if none did since the start. time() minus this is how old the counts may be.", "cluster")
	metricTook    = describe("cluster_read_duration_seconds", "How long the last read of the cluster took, with the slowest of its nodes.", "cluster")
	metricAsked   = describe("pve_requests_total", "Answers of Proxmox VE by HTTP status since the start; none: there was no answer.", "cluster", "status")
	metricNodeAt  = describe("node_read_timestamp_seconds", "When the read of the node began that its counts rest on, in Unix time.", "cluster", "node")
	metricListed  = describe("devices_read", "Whether the last read of the node gave its devices: 1 or 0. Without them there are no counts of devices.", "cluster", "node")
	metricWhole   = describe("node_complete", "Whether all references to devices of the node were known at its last read: 1 or 0.", "cluster", "node")
	metricDevices = describe("devices", "Functions by kind and state at the last read of their node; unreferenced means that no reference was found.", "cluster", "node", "kind", "state")
	metricFoundAt = describe("findings_timestamp_seconds", "When the read of all nodes began that the counts of findings rest on, in Unix time; absent if nobody asked for findings since the start.", "cluster")
	metricFound   = describe("findings", "Findings by code and severity, as found when somebody asked last; codes that were not found are left out.", "cluster", "code", "severity")
)

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("pciatlas_"+name, help, labels, nil)
}

// collector tells what is known of the last reads. It asks neither Proxmox VE nor
// the database, and names clusters and nodes, never VMs.
type collector struct{ *API }

// Describe names the metrics; prometheus calls it.
func (collector) Describe(out chan<- *prometheus.Desc) {
	for _, desc := range []*prometheus.Desc{
		metricBuild, metricUp, metricReadAt, metricTook, metricAsked, metricNodeAt,
		metricListed, metricWhole, metricDevices, metricFoundAt, metricFound,
	} {
		out <- desc
	}
}

// Collect gives the metrics; prometheus calls it.
func (c collector) Collect(out chan<- prometheus.Metric) {
	gauge(out, metricBuild, 1, c.Version)
	statuses := c.Live.Stats()
	for i := range statuses {
		status := &statuses[i]
		gauge(out, metricUp, number(status.OK), status.Cluster)
		gauge(out, metricReadAt, unix(status.Succeeded), status.Cluster)
		gauge(out, metricTook, status.Duration.Seconds(), status.Cluster)
		for code, count := range status.Requests {
			out <- prometheus.MustNewConstMetric(metricAsked, prometheus.CounterValue, float64(count), status.Cluster, code)
		}
		for name, node := range status.Nodes {
			collectNode(out, status.Cluster, name, node)
		}
	}
	c.collectFindings(out, statuses)
}

func collectNode(out chan<- prometheus.Metric, cluster, name string, node NodeCounts) {
	gauge(out, metricNodeAt, unix(node.Began), cluster, name)
	gauge(out, metricListed, number(node.DevicesRead), cluster, name)
	gauge(out, metricWhole, number(node.Complete), cluster, name)
	for group, count := range node.Devices {
		gauge(out, metricDevices, float64(count), cluster, name, string(group.Kind), string(group.State))
	}
}

// collectFindings tells the counts of the clusters that are still there.
func (c collector) collectFindings(out chan<- prometheus.Metric, statuses []ReadStatus) {
	for cluster, found := range c.tally.of(statuses) {
		gauge(out, metricFoundAt, unix(found.began), cluster)
		for kind, count := range found.counts {
			gauge(out, metricFound, float64(count), cluster, kind.code, kind.severity)
		}
	}
}

func gauge(out chan<- prometheus.Metric, desc *prometheus.Desc, value float64, labels ...string) {
	out <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value, labels...)
}

func number(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// unix is a time in seconds since 1970; 0 for the zero time.
func unix(t time.Time) float64 {
	if t.IsZero() {
		return 0
	}
	return float64(t.UnixMilli()) / 1000
}
