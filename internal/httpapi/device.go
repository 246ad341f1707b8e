package httpapi

import (
	"context"
	"fmt"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/findings"
	"pciatlas/internal/pci"
)

// DeviceDetail is everything known of one PCI function, and how complete the
// check of its node is.
type DeviceDetail struct {
	atlas.DeviceAnswer

	Complete bool                `json:"complete"`
	Issues   []atlas.AnswerIssue `json:"issues" doc:"What could not be read or resolved on the node."`
	Findings []findings.Finding  `json:"findings"`
}

type deviceInput struct {
	Conditional
	ClusterPath
	FindingsChoice

	Node    string `path:"node" maxLength:"63"`
	Address string `path:"address" maxLength:"20" doc:"Of one function. Without domain it is in 0000, as in Proxmox VE." example:"0000:01:00.0"`
}

func (x *inventory) registerDevices() {
	read[DeviceDetail](x, huma.Operation{
		OperationID: "get-device", Path: "/clusters/{cluster}/nodes/{node}/devices/{address}", Tags: []string{tagInventory},
		Summary:     "One PCI function: who refers to it, and what belongs to it",
		Description: "Only its node is read, unless findings are asked for.",
	}, x.getDevice)
}

func (x *inventory) getDevice(ctx context.Context, input *deviceInput) (*renderedOutput, error) {
	address, err := parseFunction("address", input.Address)
	if err != nil {
		return nil, err
	}
	v, err := x.lookAt(ctx, input.Cluster, input.want(Want{Nodes: []string{input.Node}}))
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
	what := fmt.Sprintf("device %s %s %t", node.Name, device.Address, input.Findings)
	return x.answer(ctx, v, input.Conditional, what, func(s *subject) (any, error) {
		detail := DeviceDetail{
			DeviceAnswer: v.report.DeviceAnswer(node, device, s.options),
			Complete:     node.Complete, Issues: node.AnswerIssues(),
		}
		if !input.Findings {
			return detail, nil
		}
		found, err := x.findings(v)
		detail.Findings = noneAsEmpty(findings.OfDevice(found, node, device))
		return detail, err
	})
}

// parseFunction reads the address of one function.
func parseFunction(field, text string) (pci.Address, error) {
	selector, ok := pci.ParseSelector(strings.ToLower(text))
	if !ok || selector.WholeSlot() || selector.NamesNothing() {
		return pci.Address{}, invalid(field, "This is not the address of a PCI function; write it as 0000:01:00.0 or 01:00.0.")
	}
	return selector.First(), nil
}

// noDevice says that a function does not exist only if the list of the node was
// read completely.
func (v view) noDevice(node *atlas.Node, address pci.Address) *Problem {
	read := v.report.Facts.Nodes[node.Name]
	reason := ""
	if read != nil && len(read.Devices.Problems) > 0 {
		reason = " " + sentence(read.Devices.Problems[0].Message)
	}
	switch {
	case !node.DevicesRead || read == nil:
		return newProblem(codeDevices, "The devices of node "+node.Name+" were not read, so it is not known whether there is a function "+address.String()+"."+reason)
	case read.Devices.State != facts.OK:
		return newProblem(codeDevices, "The devices of node "+node.Name+" were not read completely, so it is not known whether there is a function "+address.String()+"."+reason)
	default:
		return notFound("device", "There is no PCI function "+address.String()+" on node "+node.Name+".")
	}
}
