package httpapi

import (
	"context"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"pciatlas/internal/atlas"
	"pciatlas/internal/findings"
)

// scrapeTime is how long a scrape waits for the clusters.
const scrapeTime = 15 * time.Second

var (
	metricBuild    = describe("build_info", "The version of the program; always 1.", "version")
	metricUp       = describe("cluster_up", "Whether the cluster could be read now: 1 or 0. Without it there are no counts of devices and findings.", "cluster")
	metricRead     = describe("devices_read", "Whether the device list of the node could be read now: 1 or 0.", "cluster", "node")
	metricComplete = describe("node_complete", "Whether all references to devices of the node are known: 1 or 0.", "cluster", "node")
	metricDevices  = describe("devices", "Functions of the node by kind and state; unreferenced means that no reference was found.", "cluster", "node", "kind", "state")
	metricFindings = describe("findings", "Findings by code and severity; codes that were not found are left out.", "cluster", "code", "severity")
	metricDuration = describe("read_duration_seconds", "How long the last read took.", "cluster")
	metricAge      = describe("read_age_seconds", "How long ago the last read began that gave facts; left out if none did.", "cluster")
	metricRequests = describe("pve_requests_total", "Answers of Proxmox VE by HTTP status, since the start.", "cluster", "status")
)

func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("pciatlas_"+name, help, labels, nil)
}

// collector reads the clusters when it is asked, sharing reads like everybody.
// It names clusters and nodes, never VMs.
type collector struct{ *API }

// Describe names the metrics; prometheus calls it.
func (collector) Describe(out chan<- *prometheus.Desc) {
	for _, desc := range []*prometheus.Desc{
		metricBuild, metricUp, metricRead, metricComplete, metricDevices,
		metricFindings, metricDuration, metricAge, metricRequests,
	} {
		out <- desc
	}
}

// Collect reads all clusters side by side and counts; prometheus calls it.
func (c collector) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapeTime)
	defer cancel()
	gauge(out, metricBuild, 1, c.Version)
	clusters, err := c.Store.Clusters(ctx)
	if err != nil {
		out <- prometheus.NewInvalidMetric(metricUp, err)
		return
	}
	var all sync.WaitGroup
	for _, cluster := range clusters {
		all.Go(func() {
			report, err := c.Live.Report(ctx, cluster.Name, Want{Details: true})
			gauge(out, metricUp, number(err == nil), cluster.Name)
			if err == nil {
				collectReport(out, cluster.Name, report)
			}
		})
	}
	all.Wait()
	c.collectStats(out)
}

func collectReport(out chan<- prometheus.Metric, cluster string, report *atlas.Report) {
	for i := range report.Nodes {
		collectNode(out, cluster, &report.Nodes[i])
	}
	type kind struct{ code, severity string }
	counts := map[kind]int{}
	for _, finding := range findings.Find(report) {
		counts[kind{string(finding.Code), finding.Severity.String()}]++
	}
	for found, count := range counts {
		gauge(out, metricFindings, float64(count), cluster, found.code, found.severity)
	}
}

func collectNode(out chan<- prometheus.Metric, cluster string, node *atlas.Node) {
	gauge(out, metricRead, number(node.DevicesRead), cluster, node.Name)
	gauge(out, metricComplete, number(node.Complete), cluster, node.Name)
	type group struct{ kind, state string }
	counts := map[group]int{}
	for i := range node.Devices {
		device := &node.Devices[i]
		counts[group{string(device.Class.Kind()), string(device.State)}]++
	}
	for of, count := range counts {
		gauge(out, metricDevices, float64(count), cluster, node.Name, of.kind, of.state)
	}
}

func (c collector) collectStats(out chan<- prometheus.Metric) {
	now := c.Now()
	for _, status := range c.Live.Stats() {
		gauge(out, metricDuration, status.Duration.Seconds(), status.Cluster)
		if !status.Succeeded.IsZero() {
			gauge(out, metricAge, now.Sub(status.Succeeded).Seconds(), status.Cluster)
		}
		for code, count := range status.Requests {
			out <- prometheus.MustNewConstMetric(metricRequests, prometheus.CounterValue, float64(count), status.Cluster, code)
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
