package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"pciatlas/internal/atlas"
	"pciatlas/internal/doctor"
	"pciatlas/internal/facts"
	"pciatlas/internal/pci"
)

func newDoctor(env Env) *cobra.Command {
	var options placeOptions
	cmd := &cobra.Command{
		Use:   "doctor [VM|ADDRESS]",
		Short: "Make the checks for a VM that does not start with its PCI devices",
		Long: `Makes, in their order, the checks that a good colleague would make: IOMMU, devices,
groups, drivers, mappings, the VM's options, who else holds the devices, reset and
firmware. What cannot be seen from here comes with the command to run and with
what good output looks like. Without an argument, all VMs with PCI devices are
looked at, and those with a failed check are shown. Nothing is changed.`,
		Example: "  pciatlas doctor\n  pciatlas doctor 100\n  pciatlas doctor 0000:01:00.0 --node pve-a -o json",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runDoctor(cmd.Context(), env, &options, args)
		},
	}
	options.source.addFlags(cmd)
	cmd.Flags().StringVar(&options.node, "node", "", "the `node` that is meant")
	addFormat(cmd, &options.output, formatText, formatJSON, formatYAML)
	return cmd
}

func runDoctor(ctx context.Context, env Env, options *placeOptions, args []string) error {
	output, err := checkFormat(options.output, formatText, formatJSON, formatYAML)
	if err != nil {
		return err
	}
	if err := checkEmpty(options.source.flags, "node"); err != nil {
		return err
	}
	subject := ""
	if len(args) > 0 {
		subject = args[0]
	}
	if err := checkSubject(subject, len(args) > 0); err != nil {
		return err
	}
	report, snapshot, err := options.source.report(ctx, env, nil, true)
	if err != nil {
		return err
	}
	if options.node != "" {
		if _, err := selectNodes(report, []string{options.node}); err != nil {
			return err
		}
	}
	list, err := diagnose(report, snapshot, subject, options.node)
	if err != nil {
		return err
	}
	answers := make([]doctor.Answer, len(list))
	for i := range list {
		answers[i] = list[i].Answer(report.Cluster)
	}
	switch {
	case output == formatText:
		err = writeDiagnoses(&printer{w: env.Stdout, width: tableLimit(env)}, list, subject == "")
	case output == formatJSON && subject != "" && len(answers) == 1:
		err = writeJSON(env.Stdout, answers[0])
	case output == formatJSON:
		err = writeJSON(env.Stdout, answers)
	case subject != "" && len(answers) == 1:
		err = writeYAML(env.Stdout, answers[0])
	default:
		err = writeYAML(env.Stdout, answers)
	}
	if err != nil {
		return failed(err)
	}
	return nil
}

// checkSubject refuses what is neither a VM nor an address, before anything is read.
func checkSubject(subject string, given bool) error {
	if !given {
		return nil
	}
	if _, err := strconv.Atoi(subject); err == nil {
		_, err := parseVMID(subject)
		return err
	}
	if _, ok := addressOf(subject); !ok {
		return usage("%q is neither the number of a VM nor the address of a PCI function; write 100 or 0000:01:00.0", clean(subject))
	}
	return nil
}

func addressOf(text string) (pci.Address, bool) {
	selector, ok := pci.ParseSelector(strings.ToLower(text))
	if !ok || selector.WholeSlot() || selector.NamesNothing() {
		return pci.Address{}, false
	}
	return selector.First(), true
}

func diagnose(report *atlas.Report, snapshot *facts.Snapshot, subject, node string) ([]doctor.Diagnosis, error) {
	if address, ok := addressOf(subject); ok {
		return diagnoseDevice(report, snapshot, address, node)
	}
	vms := report.VMs
	if subject != "" {
		vmid, err := parseVMID(subject)
		if err != nil {
			return nil, err
		}
		if vms = report.FindVM(vmid); len(vms) == 0 {
			return nil, failed(vmNotFound(report, snapshot, vmid))
		}
	}
	var list []doctor.Diagnosis
	for _, vm := range vms {
		if (node == "" || vm.Node == node) && (subject != "" || passesThrough(vm)) {
			list = append(list, doctor.VM(report, vm))
		}
	}
	if subject != "" && len(list) == 0 {
		return nil, failed(fmt.Errorf("VM %s is not on node %s, but on %s", subject, node, vms[0].Node))
	}
	return list, nil
}

// passesThrough tells whether a VM has hostpci lines, or could have some that were
// not read. Templates never start.
func passesThrough(vm *atlas.VM) bool {
	if vm.Template {
		return false
	}
	if vm.Config == nil {
		return true
	}
	for i := range vm.Config.Items {
		if strings.HasPrefix(vm.Config.Items[i].Key, "hostpci") {
			return true
		}
	}
	for i := range vm.Config.Dropped {
		if strings.HasPrefix(vm.Config.Dropped[i].Key, "hostpci") {
			return true
		}
	}
	return false
}

func diagnoseDevice(report *atlas.Report, snapshot *facts.Snapshot, address pci.Address, node string) ([]doctor.Diagnosis, error) {
	var names []string
	if node != "" {
		names = []string{node}
	}
	nodes, err := selectNodes(report, names)
	if err != nil {
		return nil, err
	}
	switch found := findFunction(nodes, address); len(found) {
	case 0:
		return nil, failed(deviceNotFound(snapshot, nodes, address))
	case 1:
		return []doctor.Diagnosis{doctor.Device(report, found[0].node, found[0].device)}, nil
	default:
		return nil, usage("%s is on several nodes; say which with --node: %s", address, strings.Join(rowNodes(found), ", "))
	}
}

var checkTitles = map[doctor.CheckCode]string{
	doctor.CheckIOMMU: "IOMMU", doctor.CheckDevices: "Devices exist", doctor.CheckGroups: "Group members", doctor.CheckDriver: "Driver",
	doctor.CheckMapping: "Mapping entries", doctor.CheckConfig: "VM configuration", doctor.CheckHeld: "Who else holds it",
	doctor.CheckReset: "Reset", doctor.CheckBIOS: "Firmware",
}

var checkStates = map[doctor.State]string{doctor.Passed: "passed", doctor.Failed: "FAILED", doctor.Unseen: "unseen"}

// writeDiagnoses writes all checks of each subject, or of many only those of VMs with
// a failed check.
func writeDiagnoses(p *printer, list []doctor.Diagnosis, many bool) error {
	shown := 0
	for i := range list {
		if many && list[i].Count(doctor.Failed) == 0 {
			continue
		}
		if shown > 0 {
			p.line("")
		}
		shown++
		writeDiagnosis(p, &list[i])
	}
	if many {
		if shown > 0 {
			p.line("")
		}
		p.line("%s with PCI devices looked at, %d with a failed check.", plural(len(list), "VM"), shown)
	}
	return p.err
}

func writeDiagnosis(p *printer, d *doctor.Diagnosis) {
	if d.VM != nil {
		name := d.VM.Name
		p.line("VM %d%s on node %s", d.VM.VMID, inBrackets(&name), d.Node)
	} else {
		p.line("%s on node %s", d.Device.Address, d.Node)
	}
	p.line("%d passed, %d failed, %d cannot be seen from here", d.Count(doctor.Passed), d.Count(doctor.Failed), d.Count(doctor.Unseen))
	if first := d.First(); first != nil {
		p.line("Begin with: %s", checkTitles[first.Code])
	}
	for i := range d.Checks {
		writeDoctorCheck(p, &d.Checks[i])
	}
}

func writeDoctorCheck(p *printer, c *doctor.Check) {
	p.line("")
	p.line("%s  %s", checkStates[c.State], checkTitles[c.Code])
	for _, r := range c.Readings {
		p.line("        %s", r.Sentence)
	}
	if c.State == doctor.Passed {
		return
	}
	for _, command := range c.Commands {
		p.line("        run:  %s", command)
	}
	if c.Good != "" && len(c.Commands) > 0 {
		p.line("        good: %s", c.Good)
	}
	for _, fix := range c.Fixes {
		if fix.File != "" {
			p.line("        into %s:", fix.File)
			p.write(indented(cleanText(fix.Text), "          "))
			continue
		}
		p.line("        fix:  %s", fix.Text)
	}
}

// indented puts blanks before each line.
func indented(text, blanks string) string {
	return blanks + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n"+blanks)
}

// cleanText cleans each line of a text.
func cleanText(text string) string {
	list := strings.Split(text, "\n")
	for i := range list {
		list[i] = clean(list[i])
	}
	return strings.Join(list, "\n")
}
