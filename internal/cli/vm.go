package cli

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/findings"
)

type vmOptions struct {
	source source
	output string
}

func newVM(env Env) *cobra.Command {
	var options vmOptions
	cmd := &cobra.Command{
		Use:     "vm ID",
		Short:   "Show one VM: what it names, and what else is known",
		Example: "  pciatlas vm 100\n  pciatlas vm 100 -o json",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runVM(cmd.Context(), env, &options, args[0])
		},
	}
	options.source.addFlags(cmd)
	addFormat(cmd, &options.output, formatText, formatJSON, formatYAML)
	return cmd
}

func runVM(ctx context.Context, env Env, options *vmOptions, id string) error {
	output, err := checkFormat(options.output, formatText, formatJSON, formatYAML)
	if err != nil {
		return err
	}
	vmid, err := strconv.Atoi(id)
	if err != nil || vmid < 100 {
		return usage("%q is not the number of a VM; numbers begin at 100", id)
	}
	report, snapshot, err := options.source.report(ctx, env, nil, true)
	if err != nil {
		return err
	}
	vms := report.FindVM(vmid)
	if len(vms) == 0 {
		return failed(vmNotFound(report, snapshot, vmid))
	}
	for i, vm := range vms {
		switch output {
		case formatJSON:
			err = writeJSON(env.Stdout, newVMObject(report, snapshot, vm))
		case formatYAML:
			err = writeYAML(env.Stdout, newVMObject(report, snapshot, vm))
		default:
			if i > 0 {
				fmt.Fprintln(env.Stdout)
			}
			answer := report.VMAnswer(vm)
			err = writeVM(&printer{w: env.Stdout, width: tableLimit(env)}, report, &answer, findingsOfVM(report, vm))
		}
		if err != nil {
			return failed(err)
		}
	}
	return nil
}

// vmObject is the JSON object of vm: the VM, and how complete the check of its node
// is. What was not read is null.
type vmObject struct {
	atlas.VMAnswer
	Template   *bool          `json:"template"`
	Tags       []string       `json:"tags"`
	Args       *bool          `json:"custom_args"`
	Hookscript *bool          `json:"hookscript"`
	Lines      []atlas.VMLine `json:"lines"`
	Complete   bool           `json:"complete"`
	VisibleVMs int            `json:"visible_vms"`
	CheckedVMs int            `json:"checked_vms"`
	// Findings are those about the VM and about what its lines name.
	Findings []findings.Finding `json:"findings"`
}

func newVMObject(report *atlas.Report, snapshot *facts.Snapshot, vm *atlas.VM) vmObject {
	node := report.Node(vm.Node)
	object := vmObject{
		VMAnswer: report.VMAnswer(vm), Complete: node.Complete, VisibleVMs: node.VisibleVMs, CheckedVMs: node.CheckedVMs,
		Findings: findingsOfVM(report, vm),
	}
	if vm.Config != nil {
		args, hook := vm.Config.Args.Any(), vm.Config.Hook.Any()
		object.Args, object.Hookscript, object.Lines = &args, &hook, object.VMAnswer.Lines
	}
	// The list of VMs may tell these two without the configuration.
	if vm.Config != nil || templateTold(snapshot, vm) {
		object.Template = &vm.Template
	}
	if vm.Config != nil || len(vm.Tags) > 0 {
		object.Tags = append([]string{}, vm.Tags...)
	}
	return object
}

func templateTold(snapshot *facts.Snapshot, vm *atlas.VM) bool {
	return slices.ContainsFunc(snapshot.Guests.Value, func(guest facts.Guest) bool {
		return guest.Kind == facts.QEMU && guest.VMID == vm.VMID && guest.Node == vm.Node && guest.Template.Told
	})
}

// vmNotFound says how sure it is that the VM does not exist.
func vmNotFound(report *atlas.Report, snapshot *facts.Snapshot, vmid int) error {
	for _, guest := range snapshot.Guests.Value {
		if guest.VMID == vmid && guest.Kind == facts.LXC {
			return fmt.Errorf("%d is a container on node %s, not a VM; only VMs name PCI devices", vmid, guest.Node)
		}
	}
	if len(report.Nodes) == 0 {
		return fmt.Errorf("nothing was read about any node, so it is not known whether there is a VM %d", vmid)
	}
	for i := range report.Nodes {
		if report.Nodes[i].Scope.State != atlas.Proven {
			return fmt.Errorf("VM %d is not among the %d visible VMs; whether all VMs were visible is not proven (%s)",
				vmid, len(report.VMs), clean(report.Nodes[i].Scope.Reason))
		}
	}
	return fmt.Errorf("there is no VM %d among the %d VMs of this cluster", vmid, len(report.VMs))
}

func findingsOfVM(report *atlas.Report, vm *atlas.VM) []findings.Finding {
	return append([]findings.Finding{}, findings.OfVM(findings.Find(report), report.Node(vm.Node), vm)...)
}

func writeVM(p *printer, report *atlas.Report, vm *atlas.VMAnswer, found []findings.Finding) error {
	title := fmt.Sprintf("VM %d", vm.VMID)
	if vm.Name != nil {
		title += " (" + *vm.Name + ")"
	}
	kind := ""
	if vm.Template {
		kind = ", template"
	}
	p.line("%s on node %s, %s%s", title, vm.Node, statusWord(string(vm.Status)), kind)
	if !vm.ConfigRead {
		p.line("Its configuration could not be read.")
	}
	p.fact("machine", orEmpty(vm.Machine))
	p.fact("bios", orEmpty(vm.BIOS))
	p.fact("tags", strings.Join(vm.Tags, " "))
	if vm.ConfigRead && len(vm.Lines) == 0 {
		p.line("No hostpci line is in effect.")
	}
	for i := range vm.Lines {
		writeVMLine(p, &vm.Lines[i])
	}
	for _, dropped := range vm.Dropped {
		if dropped.Text != "" {
			p.line("\nLine %d of the file is dropped by Proxmox VE: %s: %s\n    %s", dropped.Line, dropped.Key, dropped.Text, dropped.Reason)
		}
	}
	for _, line := range vm.Snapshots {
		p.line("\nSnapshot %s holds %s: %s", line.Snapshot, line.Slot, line.Value)
	}
	writeFindings(p, found)
	for i := range vm.Issues {
		if i == 0 {
			p.line("\nWhat makes the check incomplete:")
		}
		p.line("  %s", vm.Issues[i].Message)
	}
	p.line("")
	p.parts(scopeParts(report.Node(vm.Node)))
	return p.err
}

func statusWord(status string) string {
	if status == "unknown" {
		return "run state unknown"
	}
	return status
}

func writeVMLine(p *printer, line *atlas.VMLine) {
	phase := ""
	if word := phaseWord(line.Phase); word != "" {
		phase = " [" + word + "]"
	}
	p.line("")
	p.hang(4, "%s%s: %s", line.Slot, phase, line.Value)
	for i := range line.Functions {
		f := &line.Functions[i]
		name := orEmpty(f.DeviceName)
		if name == "" {
			name = orEmpty(f.ClassName)
		}
		note := ""
		if f.Certainty == atlas.Candidate {
			note = ", candidate: one of several entries of mapping " + orEmpty(line.Mapping)
		}
		if len(f.OtherVMs) > 0 {
			note += ", also named by VM " + joinInts(f.OtherVMs)
		}
		p.line("    %s  %s%s", f.Address, name, note)
	}
	for _, unplaced := range line.Unplaced {
		p.line("    %s", strings.TrimSpace(orEmpty(unplaced.Selector)+"  "+reasonWord(unplaced.Reason)))
	}
}

func joinInts(numbers []int) string {
	words := make([]string, len(numbers))
	for i, n := range numbers {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, ", ")
}
