package httpapi

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"pciatlas/internal/auth"
	"pciatlas/internal/fleet"
)

// Cluster is a registered cluster. The secret of its token is never answered.
type Cluster struct {
	Name          string            `json:"name"`
	Entries       []string          `json:"entries" doc:"Addresses of entry nodes, the preferred one first."`
	NodeAddresses map[string]string `json:"node_addresses" doc:"Addresses of nodes that are asked directly, by node."`
	TLS           ClusterTLS        `json:"tls"`
	TokenID       string            `json:"token_id" example:"atlas@pve!reader"`
	Changes       bool              `json:"changes" doc:"This server may change resource mappings of the cluster."`
	DesktopTag    *string           `json:"desktop_tag" doc:"VMs with this tag are managed desktops; null for no such rule."`
	Limits        ClusterLimits     `json:"limits"`
	Revision      int64             `json:"revision" doc:"Grows with every change; an update names the one that it was made from."`
	CreatedAt     time.Time         `json:"created_at"`
	UpdatedAt     time.Time         `json:"updated_at"`
}

// ClusterTLS says which certificates are trusted.
type ClusterTLS struct {
	CAs          string   `json:"cas" doc:"Certificates in PEM; empty for those of the system."`
	Fingerprints []string `json:"fingerprints" doc:"SHA-256 of certificates; if there are any, nothing else is trusted."`
}

// ClusterLimits bound what reading does to a cluster; 0 is the default.
type ClusterLimits struct {
	VMsPerNode   int   `json:"vms_per_node" doc:"VMs that are read of one node."`
	PerNode      int   `json:"per_node" doc:"Requests at a time for one node."`
	PerEntry     int   `json:"per_entry" doc:"Requests at a time at one address that relays for others."`
	PerCluster   int   `json:"per_cluster" doc:"Requests at a time in all."`
	NodeBudgetMS int64 `json:"node_budget_ms" doc:"Time that one node may keep a reader waiting, in milliseconds."`
	RequestMS    int64 `json:"request_ms" doc:"Time for one request that is not for a node, in milliseconds."`
}

// Clusters is the list of registered clusters.
type Clusters struct {
	Clusters []Cluster `json:"clusters" doc:"By name."`
}

// DeletedCluster says what went with a cluster.
type DeletedCluster struct {
	Name     string `json:"name"`
	Desktops int    `json:"desktops" doc:"Managed desktops that were removed with it."`
}

type clusterOutput struct {
	ETag string `header:"ETag" doc:"The revision, for If-Match."`
	Body Cluster
}

type deleteClusterInput struct {
	ClusterPath

	Confirm string `query:"confirm" maxLength:"40" doc:"The name of the cluster once more."`
}

const tagClusters = "Clusters"

func (a *API) registerClusters() {
	register(a, huma.Operation{
		OperationID: "list-clusters", Method: http.MethodGet, Path: "/clusters", Tags: []string{tagClusters},
		Summary: "All registered clusters",
	}, auth.Auditor, a.listClusters)
	register(a, huma.Operation{
		OperationID: "get-cluster", Method: http.MethodGet, Path: "/clusters/{cluster}", Tags: []string{tagClusters},
		Summary: "One registered cluster", Errors: []int{http.StatusNotFound},
	}, auth.Auditor, a.getCluster)
	change(a, huma.Operation{
		OperationID: "create-cluster", Method: http.MethodPost, Path: "/clusters", Tags: []string{tagClusters},
		Summary: "Register a cluster", Description: "Nothing is asked of the cluster; test the connection before.",
		DefaultStatus: http.StatusCreated, Errors: []int{http.StatusConflict},
	}, auth.Admin, "cluster.create", a.createCluster)
	change(a, huma.Operation{
		OperationID: "update-cluster", Method: http.MethodPut, Path: "/clusters/{cluster}", Tags: []string{tagClusters},
		Summary: "Replace the settings of a cluster",
		Description: "Names the revision that it was made from, as If-Match or in the body. What is left out takes its default; only the secret stays. " +
			"Where another address, certificate or token would get the secret, it has to be given again.",
		Errors: []int{http.StatusNotFound, http.StatusConflict, http.StatusPreconditionFailed, http.StatusPreconditionRequired},
	}, auth.Admin, "cluster.update", a.updateCluster)
	change(a, huma.Operation{
		OperationID: "delete-cluster", Method: http.MethodDelete, Path: "/clusters/{cluster}", Tags: []string{tagClusters},
		Summary:     "Remove a cluster with its token and its managed desktops",
		Description: "Nothing changes in the cluster itself.", DefaultStatus: http.StatusOK,
		Errors: []int{http.StatusNotFound},
	}, auth.Admin, "cluster.delete", a.deleteCluster)
}

func toCluster(c fleet.Cluster) Cluster {
	wire := Cluster{
		Name: c.Name, Entries: append([]string{}, c.Entries...), NodeAddresses: map[string]string{},
		TLS:     ClusterTLS{CAs: c.TLS.CAs, Fingerprints: append([]string{}, c.TLS.Fingerprints...)},
		TokenID: c.TokenID, Changes: c.Changes, DesktopTag: textOrNull(c.DesktopTag),
		Limits: ClusterLimits{
			VMsPerNode: c.Limits.VMsPerNode, PerNode: c.Limits.PerNode, PerEntry: c.Limits.PerEntry, PerCluster: c.Limits.PerCluster,
			NodeBudgetMS: c.Limits.NodeBudget.Milliseconds(), RequestMS: c.Limits.Request.Milliseconds(),
		},
		Revision: c.Revision, CreatedAt: timestamp(c.CreatedAt), UpdatedAt: timestamp(c.UpdatedAt),
	}
	maps.Copy(wire.NodeAddresses, c.NodeAddresses)
	return wire
}

func toClusterOutput(c fleet.Cluster) *clusterOutput {
	return &clusterOutput{revisionTag(c.Revision), toCluster(c)}
}

func revisionTag(revision int64) string { return `"` + strconv.FormatInt(revision, 10) + `"` }

func (a *API) listClusters(ctx context.Context, _ *struct{}) (*body[Clusters], error) {
	all, err := a.Store.Clusters(ctx)
	if err != nil {
		return nil, err
	}
	output := &body[Clusters]{Clusters{[]Cluster{}}}
	for _, cluster := range all {
		output.Body.Clusters = append(output.Body.Clusters, toCluster(cluster))
	}
	return output, nil
}

func (a *API) getCluster(ctx context.Context, input *ClusterPath) (*clusterOutput, error) {
	cluster, err := a.findCluster(ctx, input.Cluster)
	if err != nil {
		return nil, err
	}
	return toClusterOutput(cluster), nil
}

func (a *API) deleteCluster(ctx context.Context, input *deleteClusterInput) (*body[DeletedCluster], error) {
	cluster, err := a.findCluster(ctx, input.Cluster)
	if err != nil {
		return nil, err
	}
	desktops, err := a.Store.Desktops(ctx, cluster.Name)
	if err != nil && !isNotFound(err) {
		return nil, err
	}
	if input.Confirm != cluster.Name {
		return nil, invalid("confirm", fmt.Sprintf(
			"With cluster %s go its API token and its %d managed desktops. To remove it, repeat the request with confirm=%s.",
			cluster.Name, len(desktops), cluster.Name))
	}
	entry := a.audit(ctx, "cluster "+cluster.Name)
	entry.Before = clusterValues(cluster)
	entry.Before["desktops"] = len(desktops)
	err = a.Store.DeleteCluster(ctx, cluster.Name, entry)
	if isNotFound(err) {
		err = noCluster()
	}
	if err != nil {
		return nil, err
	}
	return &body[DeletedCluster]{DeletedCluster{cluster.Name, len(desktops)}}, nil
}
