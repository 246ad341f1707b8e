package httpapi

import (
	"context"
	"strings"
	"time"
	"weak"

	"github.com/danielgtaylor/huma/v2"

	"pciatlas/internal/atlas"
	"pciatlas/internal/findings"
	"pciatlas/internal/fleet"
)

// How long and how much of what was computed from reports is kept. Reports are
// shared for a few seconds only.
const (
	keepAnswers  = 10 * time.Second
	answersRoom  = 32 << 20
	findingsRoom = 32 << 20
)

const tagInventory = "What was read"

// inventory is the operations on what was read, and what they share.
type inventory struct {
	*API

	answers memo[answerKey, rendered]
	found   memo[weak.Pointer[atlas.Report], []findings.Finding]

	applying applying
}

// registerInventory adds the operations on what was read, and on the clusters
// and desktops behind it.
func (a *API) registerInventory() {
	x := &inventory{
		API: a,
		answers: memo[answerKey, rendered]{
			now: a.Now, age: keepAnswers, room: answersRoom, size: func(r rendered) int { return len(r.body) },
		},
		found: memo[weak.Pointer[atlas.Report], []findings.Finding]{
			now: a.Now, age: keepAnswers, room: findingsRoom, size: sizeOfFindings,
		},
	}
	x.registerAnswers()
	x.registerNodes()
	x.registerDevices()
	x.registerVMs()
	x.registerFindings()
	x.registerMappings()
	x.registerPlacement()
	x.registerPlans()
	a.registerClusters()
	a.registerClusterTests()
	a.registerDesktops()
}

func (x *inventory) registerAnswers() {
	read[atlas.Answer](x, huma.Operation{
		OperationID: "list-gpus", Path: "/resources/gpus", Tags: []string{tagInventory},
		Summary:     "Displays and accelerators of one node with every VM that refers to them",
		Description: "Only this node is read. The check is complete only if complete says so; unreferenced means that no reference was found.",
	}, x.listGPUs)
	read[atlas.Inventory](x, huma.Operation{
		OperationID: "get-inventory", Path: "/clusters/{cluster}/inventory", Tags: []string{tagInventory},
		Summary: "Devices of all nodes with every VM that refers to them",
	}, x.getInventory)
}

// ClusterPath names a cluster.
type ClusterPath struct {
	Cluster string `path:"cluster" maxLength:"40"`
}

// DeviceChoice says which devices are shown.
type DeviceChoice struct {
	Class string `query:"class" enum:"gpu,all" default:"gpu" doc:"gpu: displays and accelerators; all: every PCI function."`
}

// FindingsChoice says whether findings are part of an answer about something else.
type FindingsChoice struct {
	Findings bool `query:"findings" doc:"Also tell the findings. They compare all nodes, so that all are read and the slowest one is waited for; without them GET /clusters/{cluster}/findings tells them afterwards."`
}

// want is what to read for an answer that needs no more than plain without findings.
func (c FindingsChoice) want(plain Want) Want {
	if c.Findings {
		return Want{Details: true}
	}
	return plain
}

type gpusInput struct {
	Conditional

	Node    string `query:"node" required:"true" minLength:"1" maxLength:"63"`
	Cluster string `query:"cluster" maxLength:"40" doc:"May be left out if there is one cluster."`
}

type inventoryInput struct {
	Conditional
	ClusterPath
	DeviceChoice
}

func (x *inventory) listGPUs(ctx context.Context, input *gpusInput) (*renderedOutput, error) {
	cluster, err := x.clusterOrOnly(ctx, input.Cluster)
	if err != nil {
		return nil, err
	}
	return x.answerNode(ctx, cluster, input.Node, "gpus", input.Conditional, func(v view, node *atlas.Node, s *subject) any {
		return v.report.Answer(node, s.options)
	})
}

// answerNode answers about one node, for which only this node is read. What names the
// operation and its parameters beside the node.
func (x *inventory) answerNode(
	ctx context.Context, cluster fleet.Cluster, name, what string, condition Conditional, compose func(view, *atlas.Node, *subject) any,
) (*renderedOutput, error) {
	v, err := x.look(ctx, cluster, Want{Nodes: []string{name}})
	if err != nil {
		return nil, err
	}
	node, err := v.node(name)
	if err != nil {
		return nil, err
	}
	return x.answer(ctx, v, condition, what+" "+name, func(s *subject) (any, error) {
		return compose(v, node, s), nil
	})
}

func (x *inventory) getInventory(ctx context.Context, input *inventoryInput) (*renderedOutput, error) {
	v, err := x.lookAt(ctx, input.Cluster, Want{})
	if err != nil {
		return nil, err
	}
	return x.answer(ctx, v, input.Conditional, "inventory "+input.Class, func(s *subject) (any, error) {
		s.options.AllDevices = input.Class == "all"
		return v.report.Inventory(s.options), nil
	})
}

// findCluster gives a registered cluster.
func (a *API) findCluster(ctx context.Context, name string) (fleet.Cluster, error) {
	cluster, err := a.Store.Cluster(ctx, name)
	if isNotFound(err) {
		return cluster, noCluster()
	}
	return cluster, err
}

// clusterOrOnly gives the cluster of a name, or the only one if no name is given.
func (a *API) clusterOrOnly(ctx context.Context, name string) (fleet.Cluster, error) {
	if name != "" {
		return a.findCluster(ctx, name)
	}
	clusters, err := a.Store.Clusters(ctx)
	if err != nil {
		return fleet.Cluster{}, err
	}
	switch len(clusters) {
	case 0:
		return fleet.Cluster{}, notFound("cluster", "No cluster is registered yet.")
	case 1:
		return clusters[0], nil
	}
	names := make([]string, len(clusters))
	for i := range clusters {
		names[i] = clusters[i].Name
	}
	return fleet.Cluster{}, invalid("cluster", "There are several clusters, so name one: "+strings.Join(names, ", ")+".")
}

func noCluster() *Problem {
	return notFound("cluster", "There is no cluster with this name. GET /clusters lists those that are registered.")
}
