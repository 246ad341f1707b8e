package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/findings"
	"pciatlas/internal/plan"
)

const (
	formatCommands  format = "commands"
	formatTerraform format = "terraform"
)

type mappingOptions struct {
	source source
	output string
}

func newMapping(env Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "mapping",
		Short: "Show, check, propose and change PCI resource mappings",
		Long: `Shows the PCI resource mappings of a cluster on all its nodes, checks their
entries against the hardware as Proxmox VE does before a start, and proposes
mappings for the hardware that has none.

create, set, delete, convert and fix show a plan first: what changes, with which
commands, who may run them, and the way back. They change something only with
--yes, or when the name that they ask for is typed.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newMappingList(env), newMappingCheck(env), newMappingSuggest(env))
	cmd.AddCommand(newMappingCreate(env), newMappingSet(env), newMappingDelete(env), newMappingConvert(env), newMappingFix(env), newMappingApply(env))
	return cmd
}

func newMappingList(env Env) *cobra.Command {
	var options mappingOptions
	cmd := &cobra.Command{
		Use:   "list [NAME]",
		Short: "Show the mappings and what they are worth on each node",
		Long: `Shows each mapping on each node: whether its entries fit the hardware, how many
VMs can have a device of it at a time and how many refer to it. With a name,
its entries, users and findings are shown, too.

-o commands, terraform and json write the mappings down; json is everything that
is known of them.`,
		Example: "  pciatlas mapping list\n  pciatlas mapping list gpu-pool\n  pciatlas mapping list -o terraform > mappings.tf",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runMappingList(cmd.Context(), env, &options, args)
		},
	}
	options.source.addFlags(cmd)
	addFormat(cmd, &options.output, formatTable, formatJSON, formatYAML, formatCommands, formatTerraform)
	return cmd
}

func runMappingList(ctx context.Context, env Env, options *mappingOptions, args []string) error {
	output, err := checkFormat(options.output, formatTable, formatJSON, formatYAML, formatCommands, formatTerraform)
	if err != nil {
		return err
	}
	report, _, err := options.source.report(ctx, env, nil, true)
	if err != nil {
		return err
	}
	if !report.MappingsRead.Answered() {
		return failed(mappingsUnread(report))
	}
	name := ""
	if len(args) > 0 {
		name = args[0]
		matrix := report.Matrix()
		if matrix.Row(name) == nil {
			return failed(mappingNotFound(report, name))
		}
	}
	switch output {
	case formatJSON:
		err = writeJSON(env.Stdout, oneMapping(report.MatrixAnswer(), name))
	case formatYAML:
		err = writeYAML(env.Stdout, oneMapping(report.MatrixAnswer(), name))
	case formatCommands, formatTerraform:
		err = writeExport(env.Stdout, plan.Format(output), oneExport(plan.ExportExisting(report), name))
	default:
		p := &printer{w: env.Stdout, width: tableLimit(env)}
		if name == "" {
			err = writeMatrix(env, p, report)
		} else {
			err = writeMapping(p, report, name)
		}
	}
	if err != nil {
		return failed(err)
	}
	return nil
}

// mappingsUnread says why there is no list of mappings.
func mappingsUnread(report *atlas.Report) error {
	read := report.Facts.Mappings
	if len(read.Problems) > 0 {
		return fmt.Errorf("the resource mappings could not be read: %s", clean(read.Problems[0].Message))
	}
	return fmt.Errorf("the resource mappings were not read")
}

func mappingNotFound(report *atlas.Report, name string) error {
	if !report.MappingsShown() {
		return fmt.Errorf("resource mapping %q is not visible; whether it exists is not known", clean(name))
	}
	return fmt.Errorf("there is no resource mapping %q; names are case-sensitive", clean(name))
}

func oneMapping(answer atlas.MatrixAnswer, name string) atlas.MatrixAnswer {
	if name != "" {
		answer.Mappings = slices.DeleteFunc(answer.Mappings, func(m atlas.MatrixMapping) bool { return m.ID != name })
	}
	return answer
}

func oneExport(list []plan.Exported, name string) []plan.Exported {
	if name != "" {
		list = slices.DeleteFunc(list, func(m plan.Exported) bool { return m.ID != name })
	}
	return list
}

func writeExport(w io.Writer, form plan.Format, list []plan.Exported) error {
	text, err := plan.Export(form, list)
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, text)
	return err
}

// writeMatrix writes a table of mappings and nodes.
func writeMatrix(env Env, p *printer, report *atlas.Report) error {
	answer := report.MatrixAnswer()
	if len(answer.Mappings) == 0 {
		p.line("No resource mapping is visible.")
		mappingScope(p, report)
		return p.err
	}
	t := table{limit: p.width, colour: useColour(env), columns: []column{{title: "MAPPING", late: true}}}
	for _, node := range answer.Nodes {
		t.columns = append(t.columns, column{title: clean(node.Node), shrink: true, minWidth: 12})
	}
	t.columns = append(t.columns, column{title: "VMS", right: true})
	for i := range answer.Mappings {
		row := &answer.Mappings[i]
		about := strings.Join(row.Models, ", ")
		if about == "" {
			about = "entries: " + strconv.Itoa(row.Entries)
		}
		cells := []cell{lines([]string{row.ID, about})}
		for j := range row.Cells {
			cells = append(cells, lines(cellWords(&row.Cells[j])))
		}
		t.add(append(cells, text(strconv.Itoa(row.VMs)))...)
	}
	if p.err = t.write(p.w); p.err != nil {
		return p.err
	}
	mappingScope(p, report)
	return p.err
}

// cellWords says in lines what a mapping is worth on a node.
func cellWords(cell *atlas.MatrixCell) []string {
	words := []string{string(cell.Verdict)}
	if cell.Verdict == atlas.CellMissing && cell.Demand.VMs+cell.Demand.Templates == 0 {
		return words
	}
	if cell.Verdict != atlas.CellMissing {
		capacity := "capacity not known"
		if cell.Capacity != nil {
			capacity = "capacity " + strconv.Itoa(*cell.Capacity)
		}
		words = append(words, capacity+", demand "+strconv.Itoa(cell.Demand.Slots))
	}
	if who := demandWords(&cell.Demand); who != "" {
		words = append(words, who)
	}
	if cell.Agrees != nil && !*cell.Agrees {
		words = append(words, "Proxmox VE says otherwise")
	}
	return words
}

func demandWords(d *atlas.MatrixDemand) string {
	var words []string
	for _, part := range []struct {
		count int
		word  string
	}{
		{d.Running, "running"}, {d.Starting, "starts by itself"}, {d.Stopped, "stopped"}, {d.Templates, "template"}, {d.Untold, "run state unknown"},
	} {
		if part.count > 0 {
			words = append(words, strconv.Itoa(part.count)+" "+part.word)
		}
	}
	return strings.Join(words, ", ")
}

// mappingScope says how sure it is that all mappings are shown.
func mappingScope(p *printer, report *atlas.Report) {
	p.line("")
	switch {
	case report.MappingsRead != facts.OK:
		p.line("Not all mappings could be read.")
	case report.MappingScope.State == atlas.Proven:
		p.line("All mappings of the cluster are shown.")
	default:
		p.line("Whether all mappings are shown is %s: %s", report.MappingScope.State, report.MappingScope.Reason)
	}
}

// writeMapping writes everything that is known of one mapping.
func writeMapping(p *printer, report *atlas.Report, name string) error {
	row := &oneMapping(report.MatrixAnswer(), name).Mappings[0]
	p.line("Resource mapping %s", row.ID)
	if row.Description != nil {
		p.fact("description", *row.Description)
	}
	p.fact("mdev", yesNo(&row.Mdev))
	p.fact("live migration", map[bool]string{true: "declared", false: "not declared"}[row.LiveMigration])
	for i := range row.Cells {
		writeCell(p, &row.Cells[i])
	}
	if len(row.Users) > 0 {
		p.line("\nUsed by:")
	}
	for i := range row.Users {
		user := &row.Users[i]
		note := string(user.Status)
		if user.Template {
			note = "template"
		}
		if word := phaseWord(user.Phase); word != "" {
			note += ", " + word
		}
		p.line("  VM %d %s  %s on %s, %s", user.VMID, orEmpty(user.Name), user.Slot, user.Node, note)
	}
	switch {
	case row.Snapshots == nil:
		p.line("\nNot all snapshots were read.")
	case len(row.Users)+len(row.Snapshots) == 0:
		p.line("\nNo VM, template or snapshot that was read refers to it.")
	}
	for _, saved := range row.Snapshots {
		p.line("  snapshot %s of VM %d holds %s with it", saved.Snapshot, saved.VMID, saved.Slot)
	}
	writeFindings(p, slices.DeleteFunc(findings.Find(report), func(f findings.Finding) bool { return f.Subject.Mapping != name }))
	mappingScope(p, report)
	return p.err
}

func writeCell(p *printer, cell *atlas.MatrixCell) {
	if cell.Verdict == atlas.CellMissing && cell.Demand.VMs == 0 {
		return
	}
	p.line("\n%s: %s", cell.Node, strings.Join(cellWords(cell), "; "))
	for i := range cell.Entries {
		entry := &cell.Entries[i]
		p.line("  entry %d  %s", entry.Number, entry.Map)
		for _, device := range entry.Devices {
			p.line("    %s  %s", device.Address, orEmpty(device.DeviceName))
		}
		for _, fault := range entry.Faults {
			p.line("    does not fit: %s", fault.Message)
		}
		if entry.Untold {
			p.line("    not all of the hardware was read")
		}
	}
	for _, check := range cell.PVE {
		p.line("  Proxmox VE: %s: %s", check.Severity, check.Message)
	}
}
