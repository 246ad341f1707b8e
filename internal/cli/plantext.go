package cli

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pciatlas/internal/plan"
	"pciatlas/internal/pve"
)

// writePlan writes everything that a person has to know before.
func writePlan(p *printer, made *plan.Plan) {
	p.line("Plan: %s", clean(describe(&made.Intent)))
	for i := range made.Notes {
		note := &made.Notes[i]
		mark := "note"
		if note.Stops {
			mark = "stops"
		} else if note.Forceable {
			mark = "forced"
		}
		p.line("  %s: %s", mark, clean(note.Sentence))
	}
	for i := range made.Findings {
		p.line("  %s: %s (%s)", made.Findings[i].Severity, clean(made.Findings[i].Sentence), made.Findings[i].Code)
	}
	for i := range made.Users {
		user := &made.Users[i]
		word := phaseWord(user.Phase)
		if user.VM.Template {
			word = strings.TrimPrefix(word+", template", ", ")
		}
		p.line("  used by VM %d %s, %s on %s %s", user.VM.VMID, clean(user.VM.Name), pve.SlotKey(user.Slot), clean(user.VM.Node), word)
	}
	for _, saved := range made.Snapshots {
		p.line("  held by snapshot %s of VM %d, %s", clean(saved.Snapshot), saved.VM.VMID, pve.SlotKey(saved.Slot))
	}
	for i := range made.Steps {
		writeStep(p, i+1, &made.Steps[i])
	}
	if back := made.Answer().WayBack; back != "" {
		p.line("\nThe way back:")
		for line := range strings.SplitSeq(strings.TrimSuffix(back, "\n"), "\n") {
			p.plain("  ", line)
		}
	}
}

// describe says what an intent asks for.
func describe(i *plan.Intent) string {
	vms := make([]string, len(i.VMs))
	for n, vmid := range i.VMs {
		vms[n] = strconv.Itoa(vmid)
	}
	switch {
	case i.Kind == plan.Convert:
		return "convert VM " + strings.Join(vms, ", ") + " to mappings"
	case i.Kind == plan.Fix && len(vms) > 0:
		return "write the new address of a device into VM " + strings.Join(vms, ", ")
	case i.Kind == plan.Fix:
		return "write the new address of a device into mapping " + i.Mapping
	default:
		return string(i.Kind) + " mapping " + i.Mapping
	}
}

func writeStep(p *printer, number int, step *plan.Step) {
	title := map[plan.Action]string{
		plan.CreateMapping: "create mapping " + step.Mapping, plan.ChangeMapping: "change mapping " + step.Mapping,
		plan.DeleteMapping: "delete mapping " + step.Mapping, plan.SetVM: fmt.Sprintf("change VM %d %s on %s", step.VMID, step.VMName, step.Node),
		plan.RestartVM: fmt.Sprintf("stop and start VM %d fully, when it suits; until then it keeps what it has", step.VMID),
	}[step.Action]
	p.line("\n%d. %s", number, clean(title))
	for _, line := range step.Lines {
		p.line("   - %s: %s", pve.SlotKey(line.Slot), clean(line.Before))
		p.line("   + %s: %s", pve.SlotKey(line.Slot), clean(line.After))
	}
	writeEntries(p, step)
	for line := range strings.SplitSeq(step.Command, "\n") {
		p.plain("   ", line)
	}
	for _, need := range step.Needs {
		p.line("   who may: %s%s", needWords(need), heldWords(need.Held))
	}
	if words := map[plan.GuardKind]string{
		plan.GuardNone: "", plan.GuardFileDigest: "refused if the file of the mappings has changed", plan.GuardVMDigest: "refused if the configuration has changed",
		plan.GuardReadBack: "read right before and after; Proxmox VE takes no digest here, so that a race remains",
	}[step.Guard.Kind]; words != "" {
		p.line("   guard: %s", words)
	}
}

// writeEntries writes which entries go and which come.
func writeEntries(p *printer, step *plan.Step) {
	texts := func(m *pve.Mapping) []string {
		if m == nil {
			return nil
		}
		list := make([]string, len(m.Entries))
		for i := range m.Entries {
			list[i] = m.Entries[i].String()
		}
		return list
	}
	before, after := texts(step.Before), texts(step.After)
	for _, text := range before {
		if !slices.Contains(after, text) {
			p.line("   - map %s", clean(text))
		}
	}
	for _, text := range after {
		if !slices.Contains(before, text) {
			p.line("   + map %s", clean(text))
		}
	}
}

func needWords(need plan.Need) string {
	switch need.RootOnly {
	case plan.RootRawLine:
		return "only the user root@pam, never a token: a line names an address"
	case plan.RootROMFile:
		return "only the user root@pam, never a token: the line has a ROM file"
	default:
		return need.Privilege + " on " + clean(need.Path)
	}
}

func heldWords(held *bool) string {
	switch {
	case held == nil:
		return " (whether the present credential has it is not told)"
	case *held:
		return " (the present credential has it)"
	default:
		return " (the present credential does not have it)"
	}
}
