package httpapi

import (
	"context"
	"net/http"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"pciatlas/internal/atlas"
	"pciatlas/internal/auth"
	"pciatlas/internal/facts"
	"pciatlas/internal/pci"
)

// ClusterNodes is the list of the nodes of a cluster.
type ClusterNodes struct {
	Cluster  string       `json:"cluster"`
	ReadAt   *time.Time   `json:"read_at"`
	Complete bool         `json:"complete" doc:"Whether these are all nodes for certain."`
	Problem  *string      `json:"problem" doc:"Why it is not complete."`
	Nodes    []NodeStatus `json:"nodes"`
}

// NodeStatus is a node of a cluster.
type NodeStatus struct {
	Name   string `json:"name"`
	Online *bool  `json:"online" doc:"Null: not told."`
}

type nodeInput struct {
	Conditional
	ClusterPath
	DeviceChoice

	Node string `path:"node" maxLength:"63"`
}

func (x *inventory) registerNodes() {
	schemaOf(x.huma.OpenAPI().Components.Schemas, reflect.TypeFor[ClusterNodes]())
	register(x.API, huma.Operation{
		OperationID: "list-nodes", Method: http.MethodGet, Path: "/clusters/{cluster}/nodes", Tags: []string{tagInventory},
		Summary: "Nodes of a cluster", Description: "What an entry node tells; no node is read for that.",
		Errors: []int{http.StatusNotFound, http.StatusBadGateway, http.StatusGatewayTimeout},
	}, auth.Auditor, x.listNodes)
	read[NodeAnswer](x, huma.Operation{
		OperationID: "get-node", Path: "/clusters/{cluster}/nodes/{node}", Tags: []string{tagInventory},
		Summary: "Devices of one node with every VM that refers to them", Description: "Only this node is read.",
	}, x.getNode)
}

func (x *inventory) getNode(ctx context.Context, input *nodeInput) (*renderedOutput, error) {
	cluster, err := x.findCluster(ctx, input.Cluster)
	if err != nil {
		return nil, err
	}
	return x.answerNode(ctx, cluster, input.Node, "node "+input.Class, input.Conditional, func(v view, node *atlas.Node, s *subject) any {
		s.options.AllDevices = input.Class == "all"
		return NodeAnswer{v.report.Answer(node, s.options), hostDisplays(node)}
	})
}

// NodeAnswer is the object of a node, with what its own screen shows.
type NodeAnswer struct {
	atlas.Answer

	HostDisplays []HostDisplay `json:"host_displays"`
}

// HostDisplay says whether a display is the host's own: that of its management
// controller, or the one that it started on.
type HostDisplay struct {
	Address     pci.Address `json:"address"`
	BMC         bool        `json:"bmc" doc:"By its ids it is the display of a management controller."`
	BootDisplay *bool       `json:"boot_display" doc:"Null: not told; Proxmox VE does not tell it over its interface, only the node itself does."`
}

// hostDisplays tells of each display of a node whether it is the host's own; nil if
// its devices were not read.
func hostDisplays(node *atlas.Node) []HostDisplay {
	if !node.DevicesRead {
		return nil
	}
	displays := []HostDisplay{}
	for i := range node.Devices {
		device := &node.Devices[i]
		if device.Class.Kind() != pci.Display || device.IsVirtual() {
			continue
		}
		display := HostDisplay{Address: device.Address, BMC: device.IsBMC()}
		if is, told := device.IsBootDisplay(); told {
			display.BootDisplay = &is
		}
		displays = append(displays, display)
	}
	return displays
}

func (x *inventory) listNodes(ctx context.Context, input *ClusterPath) (*body[ClusterNodes], error) {
	cluster, err := x.findCluster(ctx, input.Cluster)
	if err != nil {
		return nil, err
	}
	members, err := x.Live.Nodes(ctx, cluster.Name)
	if err != nil {
		return nil, err
	}
	return &body[ClusterNodes]{toClusterNodes(cluster.Name, members)}, nil
}

func toClusterNodes(cluster string, members facts.Read[[]facts.Member]) ClusterNodes {
	wire := ClusterNodes{Cluster: cluster, ReadAt: timestampOrNull(members.Stamp.From), Complete: members.State == facts.OK}
	if !wire.Complete {
		wire.Problem = textOrNull("The list of nodes could not be read completely.")
		if len(members.Problems) > 0 {
			wire.Problem = textOrNull(members.Problems[0].Message)
		}
	}
	if !members.State.Answered() {
		return wire
	}
	wire.Nodes = make([]NodeStatus, len(members.Value))
	for i := range members.Value {
		wire.Nodes[i] = NodeStatus{Name: members.Value[i].Name}
		if members.Value[i].Online.Told {
			wire.Nodes[i].Online = &members.Value[i].Online.Value
		}
	}
	return wire
}
