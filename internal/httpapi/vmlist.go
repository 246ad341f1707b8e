package httpapi

import (
	"context"
	"fmt"
	"slices"
	"time"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/findings"
	"pciatlas/internal/pci"
)

// VMs is the list of the VMs of a cluster.
type VMs struct {
	Cluster string      `json:"cluster"`
	ReadAt  *time.Time  `json:"read_at" doc:"When the oldest read began; null if nothing was read."`
	Nodes   []NodeScope `json:"nodes" doc:"How much of each node was read."`
	VMs     []VMRow     `json:"vms" doc:"By number and node."`
}

// VMRow is what a list shows of a VM.
type VMRow struct {
	VMID       int          `json:"vmid"`
	Name       *string      `json:"name"`
	Node       string       `json:"node"`
	Status     facts.Status `json:"status"`
	Template   *bool        `json:"template" doc:"Null: not told."`
	Managed    *bool        `json:"managed" doc:"Null: its tags are not told, and the tag rule of the cluster may apply."`
	Desktop    *string      `json:"desktop"`
	ConfigRead bool         `json:"config_read"`
	Lines      []VMRowLine  `json:"lines"`
	// Findings is null unless it is asked for.
	Findings OrNull[VMFindings] `json:"findings" doc:"Null: not asked for."`
}

// VMRowLine is one hostpci value with what it names.
type VMRowLine struct {
	Slot     string             `json:"slot" example:"hostpci0"`
	Phase    atlas.Phase        `json:"phase"`
	Value    string             `json:"value" doc:"As it stands in the configuration."`
	Via      *atlas.Via         `json:"via" doc:"Null: neither or both, or refused."`
	Mapping  *string            `json:"mapping"`
	MdevType *string            `json:"mdev_type"`
	Devices  []VMRowDevice      `json:"devices"`
	Unplaced []atlas.VMUnplaced `json:"unplaced" doc:"Parts that name no device that is known."`
}

// VMRowDevice is one function that a line names.
type VMRowDevice struct {
	Address    pci.Address     `json:"address"`
	DeviceName *string         `json:"device_name"`
	State      atlas.State     `json:"state"`
	Certainty  atlas.Certainty `json:"certainty"`
}

// VMFindings counts the findings about a VM and about what its lines name.
type VMFindings struct {
	Count int                `json:"count"`
	Worst *findings.Severity `json:"worst" doc:"Null if there are none."`
}

type vmsInput struct {
	Conditional
	ClusterPath
	FindingsChoice

	Node        string `query:"node" maxLength:"63" doc:"Only those on this node, which alone is read."`
	Passthrough bool   `query:"passthrough" doc:"Only VMs with hostpci lines, and those whose configuration was not read."`
}

func (x *inventory) listVMs(ctx context.Context, input *vmsInput) (*renderedOutput, error) {
	plain := Want{}
	if input.Node != "" {
		plain.Nodes = []string{input.Node}
	}
	v, err := x.lookAt(ctx, input.Cluster, input.want(plain))
	if err != nil {
		return nil, err
	}
	if input.Node != "" {
		if _, err := v.node(input.Node); err != nil {
			return nil, err
		}
	}
	what := fmt.Sprintf("vms %t %t %q", input.Passthrough, input.Findings, input.Node)
	return x.answer(ctx, v, input.Conditional, what, func(s *subject) (any, error) {
		return x.vms(v, s, input)
	})
}

func (x *inventory) vms(v view, s *subject, input *vmsInput) (VMs, error) {
	list := VMs{
		Cluster: v.report.Cluster, ReadAt: v.readAt(), Nodes: v.scopes(), VMs: []VMRow{},
	}
	if input.Node != "" {
		list.Nodes = slices.DeleteFunc(list.Nodes, func(scope NodeScope) bool { return scope.Node != input.Node })
		list.ReadAt = list.Nodes[0].ReadAt
	}
	count := func(*atlas.VM) *VMFindings { return nil }
	if input.Findings {
		found, err := x.findings(v)
		if err != nil {
			return VMs{}, err
		}
		about := findings.ByVM(v.report, found)
		count = func(vm *atlas.VM) *VMFindings { return countFindings(found, about[vm]) }
	}
	told := v.templatesTold()
	for _, vm := range v.report.VMs {
		row := v.vmRow(vm, s, told)
		if (input.Node != "" && vm.Node != input.Node) || (input.Passthrough && row.ConfigRead && len(row.Lines) == 0) {
			continue
		}
		row.Findings.Value = count(vm)
		list.VMs = append(list.VMs, row)
	}
	return list, nil
}

func (v view) vmRow(vm *atlas.VM, s *subject, told map[guestKey]bool) VMRow {
	row := VMRow{VMID: vm.VMID, Name: textOrNull(vm.Name), Node: vm.Node, Status: vm.Status, ConfigRead: vm.Config != nil}
	row.Managed, row.Desktop = s.managed(vm, told)
	if tagsTold(vm, told) {
		row.Template = &vm.Template
	}
	if vm.Config == nil {
		return row
	}
	row.Lines = []VMRowLine{}
	for _, line := range v.report.VMAnswer(vm).Lines {
		row.Lines = append(row.Lines, toVMRowLine(&line))
	}
	return row
}

func toVMRowLine(line *atlas.VMLine) VMRowLine {
	wire := VMRowLine{
		Slot: line.Slot, Phase: line.Phase, Value: line.Value, Via: line.Via, Mapping: line.Mapping, MdevType: line.MdevType,
		Devices: make([]VMRowDevice, len(line.Functions)), Unplaced: line.Unplaced,
	}
	for i := range line.Functions {
		f := &line.Functions[i]
		wire.Devices[i] = VMRowDevice{f.Address, f.DeviceName, f.State, f.Certainty}
	}
	return wire
}

// countFindings counts the findings at these places.
func countFindings(found []findings.Finding, places []int) *VMFindings {
	count := &VMFindings{Count: len(places)}
	for _, i := range places {
		if count.Worst == nil || found[i].Severity > *count.Worst {
			count.Worst = &found[i].Severity
		}
	}
	return count
}
