package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"pciatlas/internal/atlas"
	"pciatlas/internal/findings"
	"pciatlas/internal/pci"
)

type scanOptions struct {
	source          source
	nodes           []string
	allDevices      bool
	requireComplete bool
	output          string
}

func newScan(env Env) *cobra.Command {
	var options scanOptions
	cmd := &cobra.Command{
		Use:   "scan",
		Short: "List GPUs and accelerators with the VMs that name them",
		Long: `Lists the displays and accelerators of the nodes with every VM that names them:
running, stopped, templates, current and pending. The last line of a node says
how many VMs were checked and what makes the check incomplete.

With exactly one --node, JSON and YAML hold that node's object, otherwise
{cluster, nodes}. Exit code 3 with --require-complete if a check is incomplete.`,
		Example: `  pciatlas scan
  pciatlas scan --node pve-a -o json
  pciatlas scan --root /mnt/node-files --all-devices`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runScan(cmd.Context(), env, &options) },
	}
	options.source.addFlags(cmd)
	cmd.Flags().StringArrayVar(&options.nodes, "node", nil, "show only this `node` (may be repeated)")
	cmd.Flags().BoolVar(&options.allDevices, "all-devices", false, "show every PCI function, not only displays and accelerators")
	cmd.Flags().BoolVar(&options.requireComplete, "require-complete", false, "exit with 3 if a check is incomplete")
	addFormat(cmd, &options.output, formatTable, formatWide, formatJSON, formatCSV, formatYAML)
	return cmd
}

func runScan(ctx context.Context, env Env, options *scanOptions) error {
	output, err := checkFormat(options.output, formatTable, formatWide, formatJSON, formatCSV, formatYAML)
	if err != nil {
		return err
	}
	report, _, err := options.source.report(ctx, env, options.nodes, output == formatWide)
	if err != nil {
		return err
	}
	nodes, err := selectNodes(report, options.nodes)
	if err != nil {
		return err
	}
	if err := checkNodes(nodes); err != nil {
		return err
	}
	if err := writeScan(env, output, report, nodes, options); err != nil {
		return failed(err)
	}
	return requireComplete(nodes, options.requireComplete)
}

func writeScan(env Env, output format, report *atlas.Report, nodes []*atlas.Node, options *scanOptions) error {
	answerOptions := atlas.AnswerOptions{AllDevices: options.allDevices}
	switch output {
	case formatJSON:
		return writeJSON(env.Stdout, scanObject(report, nodes, options, answerOptions))
	case formatYAML:
		return writeYAML(env.Stdout, scanObject(report, nodes, options, answerOptions))
	case formatCSV:
		for _, node := range nodes {
			fmt.Fprintln(env.Stderr, clean(node.Name+": "+scopeLine(node)))
		}
		return writeCSV(env.Stdout, scanRows(report, nodes, answerOptions))
	default:
		return writeScanTable(env, report, nodes, options, output == formatWide)
	}
}

// scanObject gives the object of one node if exactly one was asked for.
func scanObject(report *atlas.Report, nodes []*atlas.Node, options *scanOptions, answerOptions atlas.AnswerOptions) any {
	if len(options.nodes) == 1 {
		return report.Answer(nodes[0], answerOptions)
	}
	inventory := atlas.Inventory{Cluster: report.Cluster, Nodes: []atlas.Answer{}}
	for _, node := range nodes {
		inventory.Nodes = append(inventory.Nodes, report.Answer(node, answerOptions))
	}
	return inventory
}

// checkNodes fails if there is no node to show.
func checkNodes(nodes []*atlas.Node) error {
	if len(nodes) == 0 {
		return failed(errors.New("nothing was read about any node, so nothing can be said about devices or VMs"))
	}
	return nil
}

// selectNodes gives the nodes of these names in the report's order; all if no
// name is given.
func selectNodes(report *atlas.Report, names []string) ([]*atlas.Node, error) {
	var nodes []*atlas.Node
	for i := range report.Nodes {
		if node := &report.Nodes[i]; len(names) == 0 || slices.Contains(names, node.Name) {
			nodes = append(nodes, node)
		}
	}
	for _, name := range names {
		switch {
		case report.Node(name) != nil:
		case len(report.Nodes) == 0:
			return nil, failed(fmt.Errorf("there is no node %q here: nothing was read about any node", name))
		default:
			return nil, failed(fmt.Errorf("there is no node %q here; known are: %s (names are case-sensitive)",
				name, strings.Join(nodeNames(report), ", ")))
		}
	}
	return nodes, nil
}

func nodeNames(report *atlas.Report) []string {
	names := make([]string, len(report.Nodes))
	for i := range report.Nodes {
		names[i] = report.Nodes[i].Name
	}
	return names
}

func requireComplete(nodes []*atlas.Node, required bool) error {
	for _, node := range nodes {
		if required && !node.Complete {
			return &exitError{code: exitIncomplete}
		}
	}
	return nil
}

func writeScanTable(env Env, report *atlas.Report, nodes []*atlas.Node, options *scanOptions, wide bool) error {
	view := scanView{
		env: env, out: &printer{w: env.Stdout, width: tableLimit(env)}, several: len(report.Nodes) > 1, wide: wide,
	}
	rows := view.rows(nodes, options.allDevices)
	for _, row := range rows {
		view.nodeColumn = view.nodeColumn || row.node != rows[0].node
	}
	if len(rows) > 0 {
		t := view.table()
		for _, row := range rows {
			view.addRow(t, row)
		}
		if err := t.write(env.Stdout); err != nil {
			return err
		}
	}
	view.writeNotes(nodes, options.allDevices)
	if err := view.writeUnplaced(nodes); err != nil {
		return err
	}
	view.writeMappingLines(report)
	if wide {
		view.writeIssues(nodes)
		view.writeFindings(report, options.nodes)
	}
	view.out.line("")
	for _, node := range nodes {
		view.writeScope(node)
	}
	return view.out.err
}

// scanView presents nodes as a table for people.
type scanView struct {
	env        Env
	out        *printer
	several    bool // there are several nodes
	nodeColumn bool // the devices are of several nodes
	wide       bool
}

type scanRow struct {
	node   *atlas.Node
	device *atlas.Device
}

// rows gives the devices in the order people look for them: what needs a look
// first, then by node and address.
func (v *scanView) rows(nodes []*atlas.Node, all bool) []scanRow {
	var rows []scanRow
	for _, node := range nodes {
		for i := range node.Devices {
			if device := &node.Devices[i]; all || device.Class.Kind() != pci.Other {
				rows = append(rows, scanRow{node, device})
			}
		}
	}
	slices.SortStableFunc(rows, func(a, b scanRow) int {
		return cmp.Or(
			cmp.Compare(stateOrder(a.device.State), stateOrder(b.device.State)),
			cmp.Compare(a.node.Name, b.node.Name),
			a.device.Address.Compare(b.device.Address),
		)
	})
	return rows
}

func (v *scanView) table() *table {
	t := &table{colour: useColour(v.env)}
	if !v.wide {
		t.limit = tableLimit(v.env)
	}
	t.columns = []column{{title: "STATE", late: true}, {title: "ADDRESS"}, {title: "DEVICE", shrink: true, minWidth: 16}}
	if v.nodeColumn {
		t.columns = append(t.columns, column{title: "NODE", late: true})
	}
	t.columns = append(t.columns,
		column{title: "REFERENCED BY", shrink: true, minWidth: 16},
		column{title: "VIA", shrink: true, minWidth: 10},
		column{title: "GROUP", right: true})
	if v.wide {
		t.columns = append(t.columns, column{title: "IDS"}, column{title: "CLASS"}, column{title: "DRIVER"}, column{title: "WHY"})
	}
	return t
}

// addRow adds a device with its references side by side with how they name it.
func (v *scanView) addRow(t *table, row scanRow) {
	device := row.device
	names := device.ReadableNames()
	by, via := v.referenceLines(device)
	cells := []cell{
		styled(stateWord(device.State), stateStyle(device.State)),
		text(device.Address.String()),
		text(modelName(names, device.IDs)),
	}
	if v.nodeColumn {
		cells = append(cells, text(row.node.Name))
	}
	t.pair = [2]int{len(cells), len(cells) + 1}
	cells = append(cells, lines(by), lines(via), text(groupWord(device)))
	if v.wide {
		cells = append(cells, text(device.IDs.String()), text(strings.TrimSpace(device.Class.String()+" "+names.Class)),
			text(driverWord(device)), lines(reviewLines(device)))
	}
	t.add(cells...)
}

func stateStyle(state atlas.State) style {
	switch state {
	case atlas.Referenced:
		return blue
	case atlas.MultiReferenced:
		return amber
	case atlas.NeedsReview:
		return violet
	default:
		return faint
	}
}

// maxReferenceLines is how many VMs a row names before it counts the rest.
const maxReferenceLines = 3

// referenceLines gives the VMs that name a device, and beside each how.
func (v *scanView) referenceLines(device *atlas.Device) (by, via []string) {
	for i := range device.References {
		if !v.wide && i == maxReferenceLines {
			return append(by, fmt.Sprintf("+%d more", len(device.References)-i)), via
		}
		reference := &device.References[i]
		how := slotLabel(reference.Line)
		if v.wide {
			how += " (" + reference.Selector + ")"
		}
		by, via = append(by, referenceLabel(reference)), append(via, how)
	}
	if by == nil {
		by = []string{"–"}
	}
	return by, via
}

func referenceLabel(reference *atlas.Reference) string {
	label := vmLabel(reference.VM)
	var marks []string
	if reference.VM.Template {
		marks = append(marks, "template")
	}
	if reference.Certainty == atlas.Candidate {
		marks = append(marks, "candidate")
	}
	if word := phaseWord(reference.Phase); word != "" {
		marks = append(marks, word)
	}
	if len(marks) > 0 {
		label += " [" + strings.Join(marks, ", ") + "]"
	}
	return label
}

func slotLabel(line *atlas.Line) string {
	label := "hostpci" + strconv.Itoa(line.Slot)
	if line.Via == atlas.ViaMapping {
		label += " " + line.Mapping
	}
	return label
}

func groupWord(device *atlas.Device) string {
	switch group := device.Device.Group; {
	case !group.Told:
		return "not told"
	case group.Value == nil:
		return "none"
	default:
		return strconv.Itoa(*group.Value)
	}
}

func driverWord(device *atlas.Device) string {
	switch {
	case device.Host == nil:
		return "not told"
	case device.Host.Driver == "":
		return "none"
	default:
		return device.Host.Driver
	}
}

// reviewLines says what keeps a device in review. That a mapping has several
// entries is not said again where the mapping itself is named.
func reviewLines(device *atlas.Device) []string {
	var reasons []string
	named := map[string]bool{}
	for i := range device.Review {
		review := &device.Review[i]
		switch {
		case review.Issue == nil:
			named[review.Mapping] = true
			reasons = append(reasons, fmt.Sprintf("mapping %s may give it to VM %d", review.Mapping, review.Line.VM.VMID))
		case review.Issue.Code != atlas.IssueMappingAmbiguous || !named[review.Issue.Mapping]:
			reasons = append(reasons, issueReason(review.Issue))
		}
	}
	return reasons
}

// writeNotes says why nodes have no rows.
func (v *scanView) writeNotes(nodes []*atlas.Node, all bool) {
	var failed, unread []string
	for _, node := range nodes {
		switch {
		case !node.DevicesRead && (hasIssue(node, atlas.IssueDevicesUnreadable) || hasIssue(node, atlas.IssueNodeUnreachable)):
			failed = append(failed, node.Name)
		case !node.DevicesRead:
			unread = append(unread, node.Name)
		case len(v.rows([]*atlas.Node{node}, all)) == 0:
			v.out.line("\n%s has no display or accelerator among its %d PCI functions (--all-devices shows them).",
				node.Name, len(node.Devices))
		}
	}
	if len(failed) > 0 {
		v.out.line("\nThe devices of %s could not be read; the last lines say why.", strings.Join(failed, ", "))
	}
	if len(unread) > 0 {
		v.out.line("\nNot read: the devices of %s. A node shows only its own hardware; run pciatlas there, too.",
			strings.Join(unread, ", "))
	}
}

func (v *scanView) writeUnplaced(nodes []*atlas.Node) error {
	t := &table{colour: useColour(v.env), limit: tableLimit(v.env), columns: []column{
		{title: "VM", shrink: true, minWidth: 14},
		{title: "NODE", late: true},
		{title: "VIA", shrink: true, minWidth: 10},
		{title: "SELECTOR", shrink: true, minWidth: 12},
		{title: "PROBLEM", shrink: true, minWidth: 14},
	}}
	for _, node := range nodes {
		for i := range node.Unplaced {
			unplaced := &node.Unplaced[i]
			label := referenceLabel(&atlas.Reference{Line: unplaced.Line, Certainty: unplaced.Certainty})
			t.add(text(label), text(node.Name), text(slotLabel(unplaced.Line)),
				text(cmp.Or(unplaced.Selector, "–")), text(reasonWord(unplaced.Reason)))
		}
	}
	if len(t.rows) == 0 {
		return nil
	}
	v.out.line("\nReferences that land on no device:")
	return cmp.Or(v.out.err, t.write(v.env.Stdout))
}

// writeMappingLines lists what Proxmox VE drops of the file of mappings, so that
// nobody takes for there what stands in it.
func (v *scanView) writeMappingLines(report *atlas.Report) {
	for i := range report.MappingLines {
		dropped := &report.MappingLines[i]
		if i == 0 {
			v.out.line("\nLines of mapping/pci.cfg that Proxmox VE drops:")
		}
		subject := fmt.Sprintf("line %d", dropped.Line)
		if dropped.Section != "" {
			subject += " of " + dropped.Section
		}
		v.out.line("  %s: %s", subject, dropped.Reason)
	}
}

func (v *scanView) writeFindings(report *atlas.Report, nodes []string) {
	found := findings.OfNodes(findings.Find(report), nodes)
	if len(found) > 0 {
		wide := &printer{w: v.env.Stdout}
		wide.line("\nFindings:")
		writeFindings(wide, found)
	}
}

func (v *scanView) writeIssues(nodes []*atlas.Node) {
	wide := &printer{w: v.env.Stdout}
	for _, node := range nodes {
		for i := range node.Issues {
			if i == 0 {
				wide.line("\nIssues of %s:", node.Name)
			}
			wide.line("  %s: %s", node.Issues[i].Code, node.Issues[i].Message)
		}
	}
}

func (v *scanView) writeScope(node *atlas.Node) {
	parts := scopeParts(node)
	if v.several {
		parts[0] = node.Name + ": " + parts[0]
	}
	line := wrapParts(parts, tableLimit(v.env))
	if useColour(v.env) && !node.Complete {
		line = "\x1b[" + string(violet) + "m" + line + "\x1b[0m"
	}
	v.out.write(line)
}

var scanHeader = []string{
	"cluster", "node", "address", "kind", "class", "class_name", "vendor_id", "vendor_name", "device_id", "device_name",
	"subsystem_vendor_id", "subsystem_device_id", "iommu_group", "mdev_capable", "state",
	"vmid", "vm_name", "vm_status", "template", "slot", "phase", "via", "mapping", "certainty", "selector", "mdev_type",
	"reason",
}

// scanRows gives one row for each reference, one for each device without any,
// and one for each reference that lands on no device.
func scanRows(report *atlas.Report, nodes []*atlas.Node, options atlas.AnswerOptions) [][]string {
	rows := [][]string{scanHeader}
	for _, node := range nodes {
		answer := report.Answer(node, options)
		for i := range answer.Devices {
			device := deviceCells(&answer, &answer.Devices[i])
			for j := range answer.Devices[i].References {
				rows = append(rows, slices.Concat(device, referenceCells(&answer.Devices[i].References[j]), []string{""}))
			}
			if len(answer.Devices[i].References) == 0 {
				rows = append(rows, slices.Concat(device, make([]string, 12)))
			}
		}
		for i := range answer.Unplaced {
			unplaced := &answer.Unplaced[i]
			device := append([]string{answer.Cluster, answer.Node}, make([]string, 13)...)
			rows = append(rows, slices.Concat(device, referenceCells(&unplaced.AnswerReference), []string{string(unplaced.Reason)}))
		}
	}
	return rows
}

func deviceCells(answer *atlas.Answer, d *atlas.AnswerDevice) []string {
	return []string{
		answer.Cluster, answer.Node, d.Address.String(), string(d.Kind), d.Class.String(), orEmpty(d.ClassName),
		d.VendorID.String(), orEmpty(d.VendorName), d.DeviceID.String(), orEmpty(d.DeviceName),
		orEmpty(d.SubsystemVendorID), orEmpty(d.SubsystemDeviceID), orEmpty(d.IOMMUGroup), orEmpty(d.MdevCapable),
		string(d.State),
	}
}

func referenceCells(r *atlas.AnswerReference) []string {
	return []string{
		strconv.Itoa(r.VMID), orEmpty(r.VMName), string(r.VMStatus), strconv.FormatBool(r.Template), r.Slot,
		string(r.Phase), string(r.Via), orEmpty(r.Mapping), string(r.Certainty), r.Selector, orEmpty(r.MdevType),
	}
}

func orEmpty[T any](value *T) string {
	if value == nil {
		return ""
	}
	return fmt.Sprint(*value)
}
