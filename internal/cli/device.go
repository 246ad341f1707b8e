package cli

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"pciatlas/internal/atlas"
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
	var names []string
	if options.node != "" {
		names = []string{options.node}
	}
	report, err := options.source.report(ctx, env, names)
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
		return failed(deviceNotFound(nodes, selector.First()))
	case 1:
	default:
		return usage("%s is on several nodes; say which with --node: %s", selector.First(), strings.Join(rowNodes(found), ", "))
	}
	answer := report.DeviceAnswer(found[0].node, found[0].device, atlas.AnswerOptions{})
	switch output {
	case formatJSON:
		err = writeJSON(env.Stdout, answer)
	case formatYAML:
		err = writeYAML(env.Stdout, answer)
	default:
		err = writeDevice(env.Stdout, found[0], &answer)
	}
	if err != nil {
		return failed(err)
	}
	return nil
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

func deviceNotFound(nodes []*atlas.Node, address pci.Address) error {
	var read, unread []string
	for _, node := range nodes {
		if node.DevicesRead {
			read = append(read, node.Name)
		} else {
			unread = append(unread, node.Name)
		}
	}
	message := fmt.Sprintf("there is no PCI function %s", address)
	if len(read) > 0 {
		message += " on " + strings.Join(read, ", ")
	}
	if len(unread) > 0 {
		message += "; the devices of " + strings.Join(unread, ", ") + " were not read"
	}
	return fmt.Errorf("%s (pciatlas scan --all-devices lists those that are there)", message)
}

func writeDevice(w io.Writer, row scanRow, d *atlas.DeviceAnswer) error {
	p := &printer{w: w}
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
	writeMembers(p, fmt.Sprintf("IOMMU group %s goes to a VM as a whole:", groupWord(row.device)), d)
	for i := range d.Review {
		if i == 0 {
			p.line("\nWhy it needs review:")
		}
		p.line("  %s", d.Review[i].Message)
	}
	p.line("\n%s", wrapParts(scopeParts(row.node), 100))
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
		return "Needs review: " + strings.Join(reviewLines(device), "; ") + "."
	default:
		var parts []string
		for i := range device.References {
			reference := &device.References[i]
			if reference.Certainty == atlas.Exact {
				parts = append(parts, referenceSentence(reference))
			}
		}
		return strings.Join(parts, " ") + " " + checked
	}
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
		p.line("  %-14s %s  %s", name, mate.Address, memberName(mate))
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
	for _, mdev := range host.MdevTypes {
		p.fact("mdev type", fmt.Sprintf("%s %s, %d available", mdev.Type, mdev.Name, mdev.Available))
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
