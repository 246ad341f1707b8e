package httpapi

import (
	"context"
	"fmt"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/findings"
)

// VM is everything known of one VM, and how complete the check of its node is.
// What was not read is null.
type VM struct {
	atlas.VMAnswer

	Template   *bool          `json:"template" doc:"Null: not told."`
	Tags       []string       `json:"tags"`
	Managed    *bool          `json:"managed" doc:"Registered as a managed desktop, or by the tag rule of the cluster; null: its tags are not told, and the rule may apply."`
	Desktop    *string        `json:"desktop" doc:"The name of the desktop; null for none."`
	Args       *bool          `json:"custom_args" doc:"Null: the configuration was not read."`
	Hookscript *bool          `json:"hookscript" doc:"Null: the configuration was not read."`
	Lines      []atlas.VMLine `json:"lines"`
	Complete   bool           `json:"complete" doc:"All references to devices of the node are known."`
	// NodeIssues and Issues together are all that the node has.
	NodeIssues  []atlas.AnswerIssue `json:"node_issues" doc:"What else could not be read or resolved on the node: about no VM in particular, or about others."`
	DevicesRead bool                `json:"devices_read" doc:"Whether the devices of the node were read; if not, it is not told what the lines name."`
	VisibleVMs  int                 `json:"visible_vms"`
	CheckedVMs  int                 `json:"checked_vms"`
	Findings    []findings.Finding  `json:"findings"`
}

// VMDetail is a VM, with others of its number.
type VMDetail struct {
	VM

	Others []VM `json:"others" doc:"VMs with the same number on other nodes; only a damaged cluster file system has any."`
}

type vmInput struct {
	Conditional
	ClusterPath
	FindingsChoice

	VMID int `path:"vmid" minimum:"100" maximum:"999999999"`
}

func (x *inventory) registerVMs() {
	read[VMs](x, huma.Operation{
		OperationID: "list-vms", Path: "/clusters/{cluster}/vms", Tags: []string{tagInventory},
		Summary:     "VMs with what their configuration refers to",
		Description: "All nodes are read, or the one that is named. A VM that is not here may not have been visible: the scope of its node tells.",
	}, x.listVMs)
	read[VMDetail](x, huma.Operation{
		OperationID: "get-vm", Path: "/clusters/{cluster}/vms/{vmid}", Tags: []string{tagInventory},
		Summary: "One VM: what it refers to, and what else is known", Description: "Only its node is read, unless findings are asked for.",
	}, x.getVM)
}

func (x *inventory) getVM(ctx context.Context, input *vmInput) (*renderedOutput, error) {
	v, err := x.lookAtVM(ctx, input)
	if err != nil {
		return nil, err
	}
	vms := v.report.FindVM(input.VMID)
	if len(vms) == 0 {
		return nil, v.noVM(input.VMID)
	}
	return x.answer(ctx, v, input.Conditional, fmt.Sprintf("vm %d %t", input.VMID, input.Findings), func(s *subject) (any, error) {
		all := make([]VM, len(vms))
		for i, vm := range vms {
			all[i] = v.vm(vm, s)
			if !input.Findings {
				continue
			}
			found, err := x.findings(v)
			if err != nil {
				return nil, err
			}
			all[i].Findings = noneAsEmpty(findings.OfVM(found, v.report.Node(vm.Node), vm))
		}
		return VMDetail{all[0], all[1:]}, nil
	})
}

// lookAtVM reads the nodes where a VM is, and follows it if it moves meanwhile; no
// node if it is nowhere. With findings it reads all nodes.
func (x *inventory) lookAtVM(ctx context.Context, input *vmInput) (view, error) {
	v, err := x.lookAt(ctx, input.Cluster, input.want(Want{NoNodes: true}))
	if err != nil || input.Findings {
		return v, err
	}
	const moves = 3
	var read []string
	for range moves {
		nodes := v.nodesOf(input.VMID)
		if !slices.ContainsFunc(nodes, func(node string) bool { return !slices.Contains(read, node) }) {
			break
		}
		read = nodes
		if v, err = x.look(ctx, v.cluster, Want{Nodes: nodes, Details: true}); err != nil {
			return view{}, err
		}
	}
	return v, nil
}

// nodesOf are the nodes where a VM is; more than one only if the cluster file
// system is damaged.
func (v view) nodesOf(vmid int) []string {
	var nodes []string
	for _, vm := range v.report.FindVM(vmid) {
		nodes = append(nodes, vm.Node)
	}
	return nodes
}

func (v view) vm(vm *atlas.VM, s *subject) VM {
	node := v.report.Node(vm.Node)
	wire := VM{
		VMAnswer: v.report.VMAnswer(vm), Complete: node.Complete, VisibleVMs: node.VisibleVMs, CheckedVMs: node.CheckedVMs,
		NodeIssues: issuesBeside(node, vm), DevicesRead: node.DevicesRead,
	}
	told := v.templatesTold()
	wire.Managed, wire.Desktop = s.managed(vm, told)
	if vm.Config != nil {
		args, hook := vm.Config.Args.Any(), vm.Config.Hook.Any()
		wire.Args, wire.Hookscript, wire.Lines = &args, &hook, wire.VMAnswer.Lines
	}
	// The list of VMs may tell these two without the configuration.
	if tagsTold(vm, told) {
		wire.Template = &vm.Template
	}
	if vm.Config != nil || len(vm.Tags) > 0 {
		wire.Tags = append([]string{}, vm.Tags...)
	}
	return wire
}

// issuesBeside gives the issues of a node that are not about a VM.
func issuesBeside(node *atlas.Node, vm *atlas.VM) []atlas.AnswerIssue {
	return slices.DeleteFunc(node.AnswerIssues(), func(issue atlas.AnswerIssue) bool {
		return issue.VMID != nil && *issue.VMID == vm.VMID
	})
}

type guestKey struct {
	node string
	vmid int
}

// templatesTold are the VMs of which the list of VMs tells whether they are
// templates.
func (v view) templatesTold() map[guestKey]bool {
	told := map[guestKey]bool{}
	for i := range v.report.Facts.Guests.Value {
		if guest := &v.report.Facts.Guests.Value[i]; guest.Kind == facts.QEMU && guest.Template.Told {
			told[guestKey{guest.Node, guest.VMID}] = true
		}
	}
	return told
}

// noVM says how sure it is that a VM does not exist.
func (v view) noVM(vmid int) *Problem {
	guests := v.report.Facts.Guests.Value
	i := slices.IndexFunc(guests, func(guest facts.Guest) bool { return guest.VMID == vmid && guest.Kind == facts.LXC })
	if i >= 0 {
		return notFound("vm", fmt.Sprintf("%d is a container on node %s, not a VM; only VMs refer to PCI devices.", vmid, guests[i].Node))
	}
	if len(v.report.Nodes) == 0 {
		return notFound("vm", fmt.Sprintf("Nothing was read about any node, so it is not known whether there is a VM %d.", vmid))
	}
	for i := range v.report.Nodes {
		if scope := &v.report.Nodes[i].Scope; scope.State != atlas.Proven {
			return notFound("vm", fmt.Sprintf("VM %d is not among the %d visible VMs; whether all VMs were visible is not proven: %s",
				vmid, len(v.report.VMs), sentence(scope.Reason)))
		}
	}
	return notFound("vm", fmt.Sprintf("There is no VM %d among the %d VMs of cluster %s.", vmid, len(v.report.VMs), v.cluster.Name))
}
