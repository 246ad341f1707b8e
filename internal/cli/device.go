package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/findings"
	"pciatlas/internal/pci"
)

type deviceOptions struct {
	source source
	node   string
	output string
}

func newDevice(env Env) *cobra.Command {
	var options deviceOptions
	cmd := &cobra.Command{
		Use:   "device ADDRESS",
		Short: "Show one PCI function: who names it, and what belongs to it",
		Long: `Shows one PCI function, for example 0000:01:00.0 or 01:00.0. Addresses are only
unique on one node; where several nodes were read, --node says which is meant.`,
		Example: "  pciatlas device 01:00.0\n  pciatlas device 0000:01:00.0 --node pve-a -o json",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runDevice(cmd.Context(), env, &options, args[0])
		},
	}
	options.source.addFlags(cmd)
	cmd.Flags().StringVar(&options.node, "node", "", "the `node` that the device is in")
	addFormat(cmd, &options.output, formatText, formatJSON, formatYAML)
	return cmd
}

func runDevice(ctx context.Context, env Env, options *deviceOptions, address string) error {
	output, err := checkFormat(options.output, formatText, formatJSON, formatYAML)
	if err != nil {
		return err
	}
	selector, ok := pci.ParseSelector(strings.ToLower(address))
	if !ok || selector.WholeSlot() || selector.NamesNothing() {
		return usage("%q is not the address of a PCI function; write it as 0000:01:00.0 or 01:00.0", clean(address))
	}
	if err := checkEmpty(options.source.flags, "node"); err != nil {
		return err
	}
	var names []string
	if options.node != "" {
		names = []string{options.node}
	}
	report, snapshot, err := options.source.report(ctx, env, names, true)
	if err != nil {
		return err
	}
	nodes, err := selectNodes(report, names)
	if err != nil {
		return err
	}
	found := findFunction(nodes, selector.First())
	switch len(found) {
	case 0:
		return failed(deviceNotFound(snapshot, nodes, selector.First()))
	case 1:
	default:
		return usage("%s is on several nodes; say which with --node: %s", selector.First(), strings.Join(rowNodes(found), ", "))
	}
	answer := newDeviceObject(report, found[0])
	switch output {
	case formatJSON:
		err = writeJSON(env.Stdout, answer)
	case formatYAML:
		err = writeYAML(env.Stdout, answer)
	default:
		err = writeDevice(&printer{w: env.Stdout, width: tableLimit(env)}, found[0], &answer)
	}
	if err != nil {
		return failed(err)
	}
	return nil
}

// deviceObject is the JSON object of device: the function, and how complete the
// check of its node is.
type deviceObject struct {
	atlas.DeviceAnswer
	Complete bool                `json:"complete"`
	Issues   []atlas.AnswerIssue `json:"issues"`
	// Findings are those about the function and about the lines that name it.
	Findings []findings.Finding `json:"findings"`
}

func newDeviceObject(report *atlas.Report, row scanRow) deviceObject {
	options := atlas.AnswerOptions{}
	return deviceObject{
		DeviceAnswer: report.DeviceAnswer(row.node, row.device, options),
		Complete:     row.node.Complete,
		Issues:       report.Answer(row.node, options).Issues,
		Findings:     append([]findings.Finding{}, findings.OfDevice(findings.Find(report), row.node, row.device)...),
	}
}

func findFunction(nodes []*atlas.Node, address pci.Address) []scanRow {
	var found []scanRow
	for _, node := range nodes {
		if device := node.Device(address); device != nil {
			found = append(found, scanRow{node, device})
		}
	}
	return found
}

func rowNodes(rows []scanRow) []string {
	names := make([]string, len(rows))
	for i, row := range rows {
		names[i] = row.node.Name
	}
	return names
}

// deviceNotFound says that a function does not exist only if every list that it
// could be in was read completely.
func deviceNotFound(snapshot *facts.Snapshot, nodes []*atlas.Node, address pci.Address) error {
	var complete, partial, unread []string
	for _, node := range nodes {
		read := snapshot.Nodes[node.Name]
		switch {
		case !node.DevicesRead || read == nil:
			unread = append(unread, node.Name)
		case read.Devices.State == facts.OK:
			complete = append(complete, node.Name)
		default:
			partial = append(partial, node.Name)
		}
	}
	var gaps []string
	if len(nodes) == 0 {
		gaps = append(gaps, "nothing was read about any node")
	}
	if len(unread) > 0 {
		gaps = append(gaps, "the devices of "+strings.Join(unread, ", ")+" were not read")
	}
	if len(partial) > 0 {
		gaps = append(gaps, "the devices of "+strings.Join(partial, ", ")+" were not read completely")
	}
	const hint = "(pciatlas scan --all-devices lists those that are there)"
	where := strings.Join(complete, ", ")
	switch {
	case len(gaps) == 0:
		return fmt.Errorf("there is no PCI function %s on %s %s", address, where, hint)
	case len(complete) == 0:
		return fmt.Errorf("%s, so it is not known whether %s exists", strings.Join(gaps, ", and "), address)
	default:
		return fmt.Errorf("%s, so it is not known whether %s exists there; it is not on %s %s",
			strings.Join(gaps, ", and "), address, where, hint)
	}
}

func writeDevice(p *printer, row scanRow, answer *deviceObject) error {
	d := &answer.DeviceAnswer
	p.line("%s on node %s: %s", d.Address, d.Node, modelName(row.device.ReadableNames(), row.device.IDs))
	p.line("%s\n", stateSentence(row))
	p.fact("state", stateWord(d.State))
	p.fact("class", d.Class.String()+" "+orEmpty(d.ClassName))
	p.fact("vendor", d.VendorID.String()+" "+orEmpty(d.VendorName))
	p.fact("device", d.DeviceID.String()+" "+orEmpty(d.DeviceName))
	if d.SubsystemVendorID != nil {
		p.fact("subsystem", d.SubsystemVendorID.String()+":"+d.SubsystemDeviceID.String()+" "+row.device.ReadableNames().Subsystem)
	}
	p.fact("IOMMU group", groupWord(row.device))
	p.fact("mdev capable", yesNo(d.MdevCapable))
	writeFunctions(p, d)
	writeHost(p, d.Host)
	writeReferences(p, row)
	writeContainers(p, d.Containers)
	writeMembers(p, fmt.Sprintf("IOMMU group %s goes to a VM as a whole:", groupWord(row.device)), d)
	for i := range d.Review {
		if i == 0 {
			p.line("\nWhy it needs review:")
		}
		p.line("  %s", d.Review[i].Message)
	}
	writeFindings(p, answer.Findings)
	p.line("")
	p.parts(scopeParts(row.node))
	return p.err
}

// stateSentence says what the state means for this device.
func stateSentence(row scanRow) string {
	node, device := row.node, row.device
	checked := fmt.Sprintf("%d of %d visible VMs were checked.", node.CheckedVMs, node.VisibleVMs)
	switch device.State {
	case atlas.Unreferenced:
		return fmt.Sprintf("No reference found in %d of %d visible VMs. This does not mean it can be assigned.",
			node.CheckedVMs, node.VisibleVMs)
	case atlas.NeedsReview:
		return "Needs review: " + strings.Join(counted(reviewLines(device), maxNamed), "; ") + "."
	default:
		return referencesSentence(device) + " " + checked
	}
}

// maxNamed is how many VMs or reasons a sentence names before it counts the rest.
const maxNamed = 3

// referencesSentence names the first VMs that certainly name a device.
func referencesSentence(device *atlas.Device) string {
	var parts []string
	vms := map[int]bool{}
	for i := range device.References {
		reference := &device.References[i]
		if reference.Certainty != atlas.Exact {
			continue
		}
		vms[reference.VM.VMID] = true
		if len(vms) <= maxNamed {
			parts = append(parts, referenceSentence(reference))
		}
	}
	sentence := strings.Join(parts, " ")
	if len(vms) > maxNamed {
		sentence = fmt.Sprintf("%s, and %d more name it (all are listed below).", strings.TrimSuffix(sentence, "."), len(vms)-maxNamed)
	}
	return sentence
}

func referenceSentence(reference *atlas.Reference) string {
	name := fmt.Sprintf("VM %d", reference.VM.VMID)
	if reference.VM.Name != "" {
		name += " (" + reference.VM.Name + ")"
	}
	switch reference.Phase {
	case atlas.Pending:
		return fmt.Sprintf("%s will name this device in hostpci%d from its next start on.", name, reference.Slot)
	case atlas.PendingRemoval:
		return fmt.Sprintf("%s names this device in hostpci%d until it is fully stopped.", name, reference.Slot)
	default:
		return fmt.Sprintf("%s names this device in hostpci%d.", name, reference.Slot)
	}
}

func yesNo(b *bool) string {
	switch {
	case b == nil:
		return "not told"
	case *b:
		return "yes"
	default:
		return "no"
	}
}

func writeFunctions(p *printer, d *atlas.DeviceAnswer) {
	if d.PhysicalFunction != nil {
		p.fact("virtual of", d.PhysicalFunction.String())
	}
	if len(d.VirtualFunctions) > 0 {
		words := make([]string, len(d.VirtualFunctions))
		for i, address := range d.VirtualFunctions {
			words[i] = address.String()
		}
		p.fact("VFs", strings.Join(words, " "))
	}
	for i, mate := range d.SlotMates {
		name := ""
		if i == 0 {
			name = "same slot"
		}
		p.hang(factIndent, "  %-14s %s  %s", name, mate.Address, memberName(mate))
	}
}

func memberName(member atlas.DeviceMember) string {
	if member.DeviceName != nil {
		return orEmpty(member.ClassName) + ", " + *member.DeviceName
	}
	return orEmpty(member.ClassName)
}

func writeHost(p *printer, host *atlas.DeviceHost) {
	if host == nil {
		return
	}
	driver := "none"
	if host.Driver != nil {
		driver = *host.Driver
	}
	p.fact("driver", driver)
	if host.BootDisplay != nil && *host.BootDisplay {
		p.fact("boot display", "yes: the host shows its console on it")
	}
	if host.NUMANode != nil && *host.NUMANode >= 0 {
		p.fact("NUMA node", strconv.Itoa(*host.NUMANode))
	}
	reset := "not offered"
	if host.Reset {
		reset = "yes " + strings.Join(host.ResetMethods, " ")
	}
	p.fact("reset", reset)
	if host.Link != nil {
		p.fact("link", fmt.Sprintf("x%d at %s (up to x%d at %s)", host.Link.Width, host.Link.Speed, host.Link.MaxWidth, host.Link.MaxSpeed))
	}
	writeUses(p, host.Uses)
	for _, mdev := range host.MdevTypes {
		p.fact("mdev type", fmt.Sprintf("%s %s, %d available", mdev.Type, mdev.Name, mdev.Available))
	}
}

// writeUses says what the host is seen to use the function for; nil is not told.
func writeUses(p *printer, uses []facts.Use) {
	if uses != nil && len(uses) == 0 {
		p.fact("host use", "none: a driver for VMs holds it")
	}
	for i := range uses {
		p.fact("host use", useText(&uses[i]))
	}
}

func useText(use *facts.Use) string {
	switch {
	case use.Kind == facts.UseStorage && use.Name == facts.UseSwap:
		return fmt.Sprintf("swap space on %s (/%s)", use.Through, use.File)
	case use.Kind == facts.UseStorage:
		return fmt.Sprintf("%s mounted on %s (/%s)", use.Through, use.Name, use.File)
	case use.Kind == facts.UseNetwork:
		return fmt.Sprintf("%s serves %s (/%s)", use.Through, use.Name, use.File)
	case use.Kind == facts.UseConsole:
		return fmt.Sprintf("console %s (/%s)", use.Name, use.File)
	default:
		return fmt.Sprintf("%s %s (/%s)", use.Kind, use.Name, use.File)
	}
}

func writeReferences(p *printer, row scanRow) {
	for i := range row.device.References {
		if i == 0 {
			p.line("\nReferences:")
		}
		reference := &row.device.References[i]
		p.line("  %s, %s: %s", referenceLabel(reference), slotLabel(reference.Line), reference.Raw)
	}
}

// writeContainers lists the containers that use the function through the host's
// driver.
func writeContainers(p *printer, containers []atlas.ContainerAnswer) {
	for i := range containers {
		if i == 0 {
			p.line("\nContainers that use it through the driver of the host:")
		}
		c := &containers[i]
		name := fmt.Sprintf("container %d", c.VMID)
		if c.Name != nil {
			name += " (" + clean(*c.Name) + ")"
		}
		if !c.Certain {
			name += ", perhaps"
		}
		p.line("  %s, %s: %s", name, c.Status, strings.Join(counted(c.Lines, maxNamed), "; "))
	}
}

func writeMembers(p *printer, title string, d *atlas.DeviceAnswer) {
	if len(d.GroupMembers) < 2 {
		return
	}
	p.line("\n%s", title)
	for _, member := range d.GroupMembers {
		note := ""
		if !member.Taken {
			note = "  (stays with the host)"
		}
		p.line("  %s  %s%s", member.Address, memberName(member), note)
	}
}
