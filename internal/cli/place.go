package cli

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"pciatlas/internal/atlas"
	"pciatlas/internal/placement"
	"pciatlas/internal/plan"
)

type placeOptions struct {
	source source
	node   string
	output string
}

func newPlace(env Env) *cobra.Command {
	var options placeOptions
	cmd := &cobra.Command{
		Use:   "place VM",
		Short: "Say on which nodes a VM can start, or why it cannot",
		Long: `Goes through the start of a VM on each node as Proxmox VE itself would, with all
pending changes applied, and says whether it would succeed and what stands
against it. Only PCI devices are judged. What was not read gives "unknown".

Below that it says what a move would meet: while the VM is powered off, and while
it runs.`,
		Example: "  pciatlas place 100\n  pciatlas place 100 --node pve-b -o json",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runPlace(cmd.Context(), env, &options, args[0])
		},
	}
	options.source.addFlags(cmd)
	cmd.Flags().StringVar(&options.node, "node", "", "only this `node`")
	addFormat(cmd, &options.output, formatText, formatJSON, formatYAML)
	return cmd
}

func runPlace(ctx context.Context, env Env, options *placeOptions, id string) error {
	output, err := checkFormat(options.output, formatText, formatJSON, formatYAML)
	if err != nil {
		return err
	}
	vmid, err := parseVMID(id)
	if err != nil {
		return err
	}
	if err := checkEmpty(options.source.flags, "node"); err != nil {
		return err
	}
	report, snapshot, err := options.source.report(ctx, env, nil, true)
	if err != nil {
		return err
	}
	vms := report.FindVM(vmid)
	if len(vms) == 0 {
		return failed(vmNotFound(report, snapshot, vmid))
	}
	if options.node != "" {
		if _, err := selectNodes(report, []string{options.node}); err != nil {
			return err
		}
	}
	places := placement.New(report)
	wanted := plan.Wanted(report)
	for i, vm := range vms {
		placed, supposed := places.Place(vm), places.Suppose(vm, wanted)
		placed.Only(options.node)
		supposed.Only(options.node)
		answer := placed.Answer(report.Cluster)
		answer.Suggested = supposed.Answer()
		switch output {
		case formatJSON:
			err = writeJSON(env.Stdout, answer)
		case formatYAML:
			err = writeYAML(env.Stdout, answer)
		default:
			if i > 0 {
				fmt.Fprintln(env.Stdout)
			}
			err = writePlacement(&printer{w: env.Stdout, width: tableLimit(env)}, &answer)
		}
		if err != nil {
			return failed(err)
		}
	}
	return nil
}

// parseVMID reads the number of a VM.
func parseVMID(id string) (int, error) {
	vmid, err := strconv.Atoi(id)
	if err != nil || vmid < 100 {
		return 0, usage("%q is not the number of a VM; numbers begin at 100", clean(id))
	}
	return vmid, nil
}

func writePlacement(p *printer, answer *placement.Answer) error {
	p.line("VM %d%s on node %s, %s", answer.VMID, inBrackets(answer.Name), answer.Node, statusWord(string(answer.Status)))
	if len(answer.Slots) == 0 && !ownArgs(answer) {
		p.line("It names no PCI device at its next start, so PCI devices do not keep it from any node.")
	}
	for i := range answer.Nodes {
		p.line("")
		writeVerdict(p, &answer.Nodes[i])
	}
	if answer.Suggested != nil {
		writeSupposed(p, answer.Suggested)
	}
	return p.err
}

// ownArgs tells whether the VM has custom arguments that may bring devices.
func ownArgs(answer *placement.Answer) bool {
	return slices.ContainsFunc(answer.Nodes, func(node placement.AnswerNode) bool {
		return slices.ContainsFunc(node.Reasons, func(r placement.AnswerReason) bool { return r.Code == placement.OwnArgs })
	})
}

// writeSupposed writes what would be with the mappings that are suggested.
func writeSupposed(p *printer, s *placement.AnswerSupposed) {
	mappings := make([]string, len(s.Mappings))
	for i, m := range s.Mappings {
		mappings[i] = m.ID + " in " + strings.Join(m.Slots, ", ")
	}
	p.line("")
	p.line("With the suggested mapping %s (pciatlas mapping suggest):", strings.Join(mappings, ", "))
	for i := range s.Nodes {
		node := &s.Nodes[i]
		p.hang(4, "  %s: %s%s", node.Node, verdictWords[node.Verdict], whyNot(node))
	}
	if len(s.Raw) > 0 {
		p.hang(4, "  %s still %s an address.", strings.Join(s.Raw, ", "), nameVerb(s.Raw))
	}
}

// whyNot gives the first reason against a start, or what it gets, after a colon.
func whyNot(node *placement.AnswerNode) string {
	for i := range node.Reasons {
		if effect := node.Reasons[i].Effect; effect != placement.Remarked {
			return ": " + node.Reasons[i].Sentence
		}
	}
	return ""
}

func inBrackets(name *string) string {
	if name == nil {
		return ""
	}
	return " (" + *name + ")"
}

var verdictWords = map[placement.Verdict]string{
	placement.CanStart: "can start", placement.CannotStart: "cannot start", placement.Unknown: "unknown",
}

var effectWords = map[placement.Effect]string{
	placement.Refuses: "no", placement.Open: "open", placement.Outcome: "start", placement.Remarked: "note",
}

func writeVerdict(p *printer, node *placement.AnswerNode) {
	here := ""
	if node.Here {
		here = " (where it is)"
	}
	p.line("%s%s: %s", node.Node, here, verdictWords[node.Verdict])
	for i := range node.Reasons {
		reason := &node.Reasons[i]
		p.hang(9, "  %-5s  %s", effectWords[reason.Effect], reason.Sentence)
	}
	if len(node.Swap) > 0 {
		moves := make([]string, len(node.Swap))
		for i, swap := range node.Swap {
			moves[i] = "the value of " + swap.From + " into " + swap.To
		}
		p.hang(9, "  do     It can choose with %s.", strings.Join(moves, ", "))
	}
	if node.MoveOff != nil {
		p.hang(9, "  move   powered off: %s", moveWords(node.MoveOff))
		if node.MoveLive.Verdict != placement.MoveNone {
			p.hang(9, "  move   running: %s", moveWords(node.MoveLive))
		}
	}
}

func moveWords(move *placement.AnswerMove) string {
	var words string
	switch move.Verdict {
	case placement.MoveAllowed:
		words = "yes"
	case placement.MoveRootOnly:
		words = "only root@pam can force it"
	case placement.MoveBlocked:
		words = "no"
	case placement.MoveUnverified:
		words = "Proxmox VE allows it; whether device and driver can do it cannot be verified from here"
	default:
		words = "unknown"
	}
	if move.Code != nil {
		words += ": " + moveReason(move)
	}
	if move.HA != nil && *move.HA {
		words += "; HA moves it by force, whatever stands against it"
	}
	return words
}

// nameVerb is what one slot or several do.
func nameVerb(slots []string) string {
	if len(slots) == 1 {
		return "names"
	}
	return "name"
}

func moveReason(move *placement.AnswerMove) string {
	slots := strings.Join(move.Slots, ", ")
	mapping := orEmpty(move.Mapping)
	switch *move.Code {
	case placement.MoveRaw:
		return slots + " " + nameVerb(move.Slots) + " an address"
	case placement.MoveNoEntry:
		return "mapping " + mapping + " (" + slots + ") has no entry there"
	case placement.MoveNoMapping:
		return "mapping " + mapping + " (" + slots + ") does not exist"
	case placement.MoveInvisible:
		return "mapping " + mapping + " (" + slots + ") is not visible"
	case placement.MoveNoLiveFlag:
		return "mapping " + mapping + " (" + slots + ") is not marked live-migration-capable"
	case placement.MoveNodeOff:
		return "the node is off"
	default:
		return "the configuration was not read"
	}
}

func newEvacuate(env Env) *cobra.Command {
	var options placeOptions
	cmd := &cobra.Command{
		Use:   "evacuate NODE",
		Short: "Say which VMs cannot simply leave a node, and where each could go",
		Long: `Lists the VMs that keep a node from being emptied, because of their PCI devices:
those that name addresses, that run on devices which do not migrate, or whose
mappings have no valid entry elsewhere; and for each where it could start.`,
		Example: "  pciatlas evacuate pve-a\n  pciatlas evacuate pve-a -o json",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runEvacuate(cmd.Context(), env, &options, args[0])
		},
	}
	options.source.addFlags(cmd)
	addFormat(cmd, &options.output, formatText, formatJSON, formatYAML)
	return cmd
}

func runEvacuate(ctx context.Context, env Env, options *placeOptions, name string) error {
	output, err := checkFormat(options.output, formatText, formatJSON, formatYAML)
	if err != nil {
		return err
	}
	report, _, err := options.source.report(ctx, env, nil, true)
	if err != nil {
		return err
	}
	if _, err := selectNodes(report, []string{name}); err != nil {
		return err
	}
	evacuation, _ := placement.New(report).Evacuate(name)
	answer := evacuation.Answer(report.Cluster)
	switch output {
	case formatJSON:
		err = writeJSON(env.Stdout, answer)
	case formatYAML:
		err = writeYAML(env.Stdout, answer)
	default:
		err = writeEvacuation(&printer{w: env.Stdout, width: tableLimit(env)}, report, &answer)
	}
	if err != nil {
		return failed(err)
	}
	return nil
}

func writeEvacuation(p *printer, report *atlas.Report, e *placement.EvacuationAnswer) error {
	switch {
	case e.VMs == 0:
		p.line("No VM is visible on node %s.", e.Node)
	case len(e.Stay) == 0:
		p.line("No PCI device keeps one of the %d visible VMs on node %s.", e.VMs, e.Node)
	default:
		p.line("%d of %s cannot simply leave node %s; PCI devices do not keep %s.", len(e.Stay), plural(e.VMs, "visible VM"), e.Node,
			plural(e.VMs-len(e.Stay), "other"))
	}
	if len(report.Nodes) < 2 && len(e.Stay) > 0 {
		p.line("There is no other node.")
	}
	for i := range e.Stay {
		writeLeaving(p, &e.Stay[i])
	}
	writeTogether(p, &e.Together)
	for i := range e.Leave {
		if i == 0 {
			p.line("\nThese have PCI devices and can leave:")
		}
		vm := &e.Leave[i]
		if vm.Template {
			p.line("  VM %d%s, a template, which never starts: moves to %s", vm.VMID, inBrackets(vm.Name), strings.Join(placesOf(vm), ", "))
			continue
		}
		p.line("  VM %d%s, %s: %s", vm.VMID, inBrackets(vm.Name), statusWord(string(vm.Status)), strings.Join(placesOf(vm), ", "))
	}
	p.line("")
	p.parts(scopeParts(report.Node(e.Node)))
	return p.err
}

// writeTogether says where several VMs could start at the same time.
func writeTogether(p *printer, t *placement.AnswerTogether) {
	if len(t.VMs) < 2 {
		return
	}
	p.line("\nAll together, counting PCI devices only:")
	for i := range t.VMs {
		vm := &t.VMs[i]
		switch {
		case vm.Node != nil:
			p.line("  VM %d%s: %s", vm.VMID, inBrackets(vm.Name), *vm.Node)
		case vm.Alone:
			p.line("  VM %d%s: no place beside the others", vm.VMID, inBrackets(vm.Name))
		default:
			p.line("  VM %d%s: no node is known on which it can start", vm.VMID, inBrackets(vm.Name))
		}
	}
	if t.Cut {
		p.line("  There are too many arrangements to look at all; a better one may exist.")
	}
}

// placesOf gives the nodes to which a VM can move and where it can start, if it ever does.
func placesOf(vm *placement.AnswerLeaving) []string {
	var names []string
	for i := range vm.Nodes {
		node := &vm.Nodes[i]
		if vm.Template && node.MoveOff.Verdict == placement.MoveAllowed || !vm.Template && node.Verdict == placement.CanStart {
			names = append(names, node.Node)
		}
	}
	return names
}

func writeLeaving(p *printer, vm *placement.AnswerLeaving) {
	p.line("\nVM %d%s, %s", vm.VMID, inBrackets(vm.Name), statusWord(string(vm.Status)))
	for i := range vm.Nodes {
		node := &vm.Nodes[i]
		move := node.MoveOff
		if vm.Status != "stopped" {
			move = node.MoveLive
		}
		why := ""
		for j := range node.Reasons {
			if effect := node.Reasons[j].Effect; effect == placement.Refuses || effect == placement.Open {
				why = ": " + node.Reasons[j].Sentence
				break
			}
		}
		p.hang(4, "  %s  %s%s", node.Node, verdictWords[node.Verdict], why)
		p.hang(6, "    move: %s", moveWords(move))
	}
}
