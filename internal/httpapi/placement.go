package httpapi

import (
	"context"
	"fmt"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"pciatlas/internal/doctor"
	"pciatlas/internal/placement"
	"pciatlas/internal/plan"
)

// Placement is the nodes on which a VM can start.
type Placement struct {
	placement.Answer

	ReadAt *time.Time  `json:"read_at" doc:"When the oldest read began; null if nothing was read."`
	Scopes []NodeScope `json:"scopes" doc:"How much of each node was read."`
}

// Evacuation is where the VMs of a node could go.
type Evacuation struct {
	placement.EvacuationAnswer

	ReadAt *time.Time  `json:"read_at" doc:"When the oldest read began; null if nothing was read."`
	Scopes []NodeScope `json:"scopes" doc:"How much of each node was read."`
}

// Diagnosis is the checks of a VM or of a function.
type Diagnosis struct {
	doctor.Answer

	ReadAt *time.Time `json:"read_at" doc:"When the oldest read began; null if nothing was read."`
}

type placementInput struct {
	Conditional
	ClusterPath

	VMID int    `path:"vmid" minimum:"100" maximum:"999999999"`
	Node string `query:"node" maxLength:"63" doc:"Only this node."`
}

type evacuationInput struct {
	Conditional
	ClusterPath

	Node string `path:"node" maxLength:"63"`
}

type vmDoctorInput struct {
	Conditional
	ClusterPath

	VMID int `path:"vmid" minimum:"100" maximum:"999999999"`
}

type deviceDoctorInput struct {
	Conditional
	ClusterPath

	Node    string `path:"node" maxLength:"63"`
	Address string `path:"address" maxLength:"20" doc:"Of one function. Without domain it is in 0000, as in Proxmox VE." example:"0000:01:00.0"`
}

func (x *inventory) registerPlacement() {
	read[Placement](x, huma.Operation{
		OperationID: "get-placement", Path: "/clusters/{cluster}/vms/{vmid}/placement", Tags: []string{tagInventory},
		Summary:     "On which nodes a VM can start, or why it cannot",
		Description: "As the start of Proxmox VE itself would decide about PCI devices. What was not read gives unknown, never a verdict.",
	}, x.getPlacement)
	read[Evacuation](x, huma.Operation{
		OperationID: "get-evacuation", Path: "/clusters/{cluster}/nodes/{node}/evacuation", Tags: []string{tagInventory},
		Summary: "Which VMs cannot simply leave a node, and where each could go",
	}, x.getEvacuation)
	read[Diagnosis](x, huma.Operation{
		OperationID: "diagnose-vm", Path: "/clusters/{cluster}/vms/{vmid}/doctor", Tags: []string{tagInventory},
		Summary: "The checks to make when a VM does not start with its PCI devices",
	}, x.diagnoseVM)
	read[Diagnosis](x, huma.Operation{
		OperationID: "diagnose-device", Path: "/clusters/{cluster}/nodes/{node}/devices/{address}/doctor", Tags: []string{tagInventory},
		Summary: "The same checks for a PCI function, whoever names it",
	}, x.diagnoseDevice)
}

func (x *inventory) getPlacement(ctx context.Context, input *placementInput) (*renderedOutput, error) {
	v, err := x.lookAt(ctx, input.Cluster, Want{Details: true})
	if err != nil {
		return nil, err
	}
	vms := v.report.FindVM(input.VMID)
	if len(vms) == 0 {
		return nil, v.noVM(input.VMID)
	}
	if input.Node != "" {
		if _, err := v.node(input.Node); err != nil {
			return nil, err
		}
	}
	what := fmt.Sprintf("placement %d %s", input.VMID, input.Node)
	return x.answer(ctx, v, input.Conditional, what, func(*subject) (any, error) {
		places := placement.New(v.report)
		placed := places.Place(vms[0])
		placed.Only(input.Node)
		supposed := places.Suppose(vms[0], plan.Wanted(v.report))
		supposed.Only(input.Node)
		answer := placed.Answer(v.report.Cluster)
		answer.Suggested = supposed.Answer()
		return Placement{Answer: answer, ReadAt: v.readAt(), Scopes: v.scopes()}, nil
	})
}

func (x *inventory) getEvacuation(ctx context.Context, input *evacuationInput) (*renderedOutput, error) {
	v, err := x.lookAt(ctx, input.Cluster, Want{Details: true})
	if err != nil {
		return nil, err
	}
	if _, err := v.node(input.Node); err != nil {
		return nil, err
	}
	return x.answer(ctx, v, input.Conditional, "evacuation "+input.Node, func(*subject) (any, error) {
		evacuation, _ := placement.New(v.report).Evacuate(input.Node)
		return Evacuation{EvacuationAnswer: evacuation.Answer(v.report.Cluster), ReadAt: v.readAt(), Scopes: v.scopes()}, nil
	})
}

func (x *inventory) diagnoseVM(ctx context.Context, input *vmDoctorInput) (*renderedOutput, error) {
	v, err := x.lookAtVM(ctx, &vmInput{ClusterPath: input.ClusterPath, VMID: input.VMID})
	if err != nil {
		return nil, err
	}
	vms := v.report.FindVM(input.VMID)
	if len(vms) == 0 {
		return nil, v.noVM(input.VMID)
	}
	return x.answer(ctx, v, input.Conditional, fmt.Sprintf("doctor %d", input.VMID), func(*subject) (any, error) {
		diagnosis := doctor.VM(v.report, vms[0])
		return Diagnosis{Answer: diagnosis.Answer(v.report.Cluster), ReadAt: v.readAt()}, nil
	})
}

func (x *inventory) diagnoseDevice(ctx context.Context, input *deviceDoctorInput) (*renderedOutput, error) {
	address, err := parseFunction("address", input.Address)
	if err != nil {
		return nil, err
	}
	v, err := x.lookAt(ctx, input.Cluster, Want{Nodes: []string{input.Node}})
	if err != nil {
		return nil, err
	}
	node, err := v.node(input.Node)
	if err != nil {
		return nil, err
	}
	device := node.Device(address)
	if device == nil {
		return nil, v.noDevice(node, address)
	}
	return x.answer(ctx, v, input.Conditional, fmt.Sprintf("doctor %s %s", node.Name, address), func(*subject) (any, error) {
		diagnosis := doctor.Device(v.report, node, device)
		return Diagnosis{Answer: diagnosis.Answer(v.report.Cluster), ReadAt: v.readAt()}, nil
	})
}
