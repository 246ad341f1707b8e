package server

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"pciatlas/internal/config"
	"pciatlas/internal/facts"
	"pciatlas/internal/fleet"
	"pciatlas/internal/httpapi"
	"pciatlas/internal/live"
	"pciatlas/internal/pveapi"
	"pciatlas/internal/store"
)

// clusters makes clients of the registered clusters.
type clusters struct {
	store    *store.Store
	settings *config.Config
	now      func() time.Time
	logger   *slog.Logger
	requests requestCounts
	ready    readiness
}

func newClusters(s *store.Store, settings *config.Config, now func() time.Time, logger *slog.Logger) *clusters {
	return &clusters{store: s, settings: settings, now: now, logger: logger}
}

// origin is a live.Source: a cluster is read in another way when its revision is
// another one, which no two states of it share.
func (c *clusters) origin(ctx context.Context, name string) (live.Origin, error) {
	cluster, err := c.find(ctx, name)
	if err != nil {
		return live.Origin{}, err
	}
	return live.Origin{
		Key:  strconv.FormatInt(cluster.Revision, 10),
		Open: func(ctx context.Context) (live.Reader, error) { return c.open(ctx, name) },
	}, nil
}

func (c *clusters) find(ctx context.Context, name string) (fleet.Cluster, error) {
	cluster, err := c.store.Cluster(ctx, name)
	return cluster, clusterMissing(name, err)
}

// clusterMissing gives the error of a cluster that is not there its code; others
// stay as they are.
func clusterMissing(name string, err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return &clusterError{"cluster_not_found", fmt.Sprintf("there is no cluster %q", name), err}
	}
	return err
}

// open makes a reader of a cluster as it is registered now.
func (c *clusters) open(ctx context.Context, name string) (live.Reader, error) {
	cluster, secret, err := c.store.ClusterWithSecret(ctx, name)
	if err != nil {
		return nil, clusterMissing(name, err)
	}
	options, err := c.clientOptions(cluster, secret)
	if err != nil {
		return nil, err
	}
	options.Observe = c.requests.observer(name)
	options.PassedOver = func(address string, failure *pveapi.Error) {
		c.logger.Warn("an entry node is of no use; another one is asked", "cluster", name, "entry", address, "error", failure)
	}
	client, err := pveapi.New(options)
	if err != nil {
		return nil, fmt.Errorf("cluster %s: %w", name, err)
	}
	return reader{client: client, cluster: name}, nil
}

// clientOptions say how a cluster is asked. An empty secret is for probing only.
func (c *clusters) clientOptions(cluster fleet.Cluster, secret string) (pveapi.Options, error) {
	options := pveapi.Options{
		Cluster: cluster.Name, Endpoints: cluster.Entries, NodeAddresses: cluster.NodeAddresses,
		Token:       pveapi.Token{ID: cluster.TokenID, Secret: secret},
		RefuseLocal: !c.settings.AllowLocalEndpoints,
		Limits:      limits(cluster.Limits, fleet.Limits(c.settings.Limits)), Now: c.now,
	}
	for _, text := range cluster.TLS.Fingerprints {
		fingerprint, err := pveapi.ParseFingerprint(text)
		if err != nil {
			return options, fmt.Errorf("cluster %s: %w", cluster.Name, err)
		}
		options.Fingerprints = append(options.Fingerprints, fingerprint)
	}
	if cluster.TLS.CAs != "" {
		options.CAs = x509.NewCertPool()
		if !options.CAs.AppendCertsFromPEM([]byte(cluster.TLS.CAs)) {
			return options, fmt.Errorf("cluster %s: its authorities hold no certificate in PEM form", cluster.Name)
		}
	}
	return options, nil
}

// limits gives the limits of a cluster; where it has none, those of the settings.
func limits(own, usual fleet.Limits) pveapi.Limits {
	first := func(value, fallback int) int {
		if value > 0 {
			return value
		}
		return fallback
	}
	return pveapi.Limits{
		VMsPerNode: first(own.VMsPerNode, usual.VMsPerNode), PerNode: first(own.PerNode, usual.PerNode),
		PerEntry: first(own.PerEntry, usual.PerEntry), PerCluster: first(own.PerCluster, usual.PerCluster),
		NodeBudget: time.Duration(first(int(own.NodeBudget), int(usual.NodeBudget))),
		Request:    time.Duration(first(int(own.Request), int(usual.Request))),
	}
}

// reader is a client as live wants it.
type reader struct {
	client  *pveapi.Client
	cluster string
}

var _ live.Reader = reader{}

// ReadCluster reads what belongs to no node, with what decides about moves: the
// findings that speak of them would otherwise need another read.
func (r reader) ReadCluster(ctx context.Context) (live.Base, error) {
	part, err := r.client.ReadCluster(ctx, true)
	if err != nil {
		return nil, publicError(r.cluster, err)
	}
	return part, nil
}

// ReadNodes reads nodes on top of a base.
func (r reader) ReadNodes(ctx context.Context, base live.Base, nodes []string, details bool) (facts.Snapshot, error) {
	part, ok := base.(*pveapi.ClusterPart)
	if !ok {
		return facts.Snapshot{}, fmt.Errorf("cluster %s: the base is of another reader", r.cluster)
	}
	snapshot, err := r.client.ReadNodes(ctx, part, nodes, details)
	return snapshot, publicError(r.cluster, err)
}

// Close ends idle connections.
func (r reader) Close() { r.client.Close() }

// reads is live as the interface wants it.
type reads struct {
	*live.Live

	clusters *clusters
}

var _ httpapi.Live = reads{}
