package plan

import (
	"encoding/json"
	"fmt"
	"strings"

	"pciatlas/internal/pve"
)

// ExportPlan writes a plan down: as commands, as resources of Terraform, or as JSON,
// from which it can be applied later.
func ExportPlan(format Format, p *Plan) (string, error) {
	switch format {
	case Commands:
		return p.scripted(), nil
	case Terraform:
		return p.terraform(), nil
	case JSON:
		data, err := json.MarshalIndent(p.Answer(), "", "  ")
		if err != nil {
			return "", fmt.Errorf("write the plan as JSON: %w", err)
		}
		return string(data) + "\n", nil
	default:
		return "", fmt.Errorf("there is no format %q: write commands, terraform or json", format)
	}
}

// remarks gives what a person has to know before, each on a line of its own that no
// program reads.
func (p *Plan) remarks() string {
	var b strings.Builder
	for _, note := range p.Notes {
		b.WriteString("# " + comment(note.Sentence) + "\n")
	}
	for i := range p.Findings {
		b.WriteString("# " + p.Findings[i].Severity + ": " + comment(p.Findings[i].Sentence) + "\n")
	}
	for i := range p.Users {
		user := &p.Users[i]
		fmt.Fprintf(&b, "# used by VM %d on node %s, %s\n", user.VM.VMID, comment(user.VM.Node), pve.SlotKey(user.Slot))
	}
	for _, saved := range p.Snapshots {
		fmt.Fprintf(&b, "# held by snapshot %s of VM %d, %s\n", comment(saved.Snapshot), saved.VM.VMID, pve.SlotKey(saved.Slot))
	}
	return b.String()
}

// scripted gives the commands as a script that ends at the first that fails, and
// remarks about the way back. A plan that is stopped is written as remarks alone.
func (p *Plan) scripted() string {
	var b strings.Builder
	b.WriteString(p.remarks())
	if p.Stopped() {
		b.WriteString("# The plan is stopped, so there are no commands.\n")
		return b.String()
	}
	b.WriteString("set -e\n" + p.commands())
	if back := p.wayBack(); back != "" {
		b.WriteString("# The way back:\n")
		for line := range strings.SplitSeq(strings.TrimSuffix(back, "\n"), "\n") {
			b.WriteString("# " + line + "\n")
		}
	}
	return b.String()
}

// terraform gives the mappings as they will be. What there is no resource for is a
// remark: mappings that go, and lines of VMs.
func (p *Plan) terraform() string {
	var b strings.Builder
	var list []Exported
	b.WriteString(p.remarks())
	if p.Stopped() {
		b.WriteString("# The plan is stopped, so there are no resources.\n")
		return b.String()
	}
	for i := range p.Steps {
		step := &p.Steps[i]
		switch step.Action {
		case CreateMapping, ChangeMapping:
			list = append(list, Exported{Mapping: step.After, Exists: step.Before != nil})
		case DeleteMapping:
			fmt.Fprintf(&b, "# Remove the resource %s.%s; without one: %s\n", resourceType, step.Mapping, comment(step.Command))
		case SetVM:
			for _, line := range step.Lines {
				fmt.Fprintf(&b, "# VM %d on node %s, hostpci%d: %s becomes %s\n", step.VMID, comment(step.Node), line.Slot, comment(line.Before), comment(line.After))
			}
		case RestartVM:
			fmt.Fprintf(&b, "# VM %d has to be stopped and started fully: %s\n", step.VMID, comment(step.Command))
		}
	}
	return b.String() + exportTerraform(list)
}
