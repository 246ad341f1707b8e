package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pciatlas/internal/atlas"
	"pciatlas/internal/findings"
)

// The exit codes of check, those of a monitoring plugin.
const (
	checkOK = iota
	checkWarning
	checkCritical
	checkUnknown
)

var checkWords = [...]string{checkOK: "ok", checkWarning: "warning", checkCritical: "critical", checkUnknown: "unknown"}

type checkOptions struct {
	source source
	nodes  []string
	strict bool
	output string
}

func newCheck(env Env) *cobra.Command {
	var options checkOptions
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Say what is worth acting on, as a monitoring plugin",
		Long: `Lists the findings: what cannot work as it stands, what fails or hurts under a
condition, what is good to know. docs/findings.md explains each code.

Exit codes are those of a monitoring plugin: 0 OK, 1 warning, 2 critical (an
error was found), 3 unknown: something could not be read, policies of the cluster
among it, and nothing that was read is worse. On a node itself, the devices of
other nodes are not asked for, which is no failure. With --strict, whatever leaves
the check of a node incomplete counts as unknown: custom arguments, hook scripts,
mappings with several entries, lines that cannot be used.`,
		Example: `  pciatlas check
  pciatlas check --endpoint https://pve-a.example.com:8006 --token-file token -o json`,
		Args: func(cmd *cobra.Command, args []string) error {
			if err := cobra.NoArgs(cmd, args); err != nil {
				return &exitError{checkUnknown, err}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			return unknownOnFailure(runCheck(cmd.Context(), env, &options))
		},
	}
	options.addFlags(cmd)
	return cmd
}

func (options *checkOptions) addFlags(cmd *cobra.Command) {
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &exitError{checkUnknown, err} })
	options.source.addFlags(cmd)
	cmd.Flags().StringArrayVar(&options.nodes, "node", nil, "check only this `node` (may be repeated)")
	cmd.Flags().BoolVar(&options.strict, "strict", false, "whatever leaves the check of a node incomplete makes it unknown")
	addFormat(cmd, &options.output, formatText, formatJSON)
}

// unknownOnFailure gives failures the exit code that a monitoring system does not
// take for a warning.
func unknownOnFailure(err error) error {
	exit, ok := errors.AsType[*exitError](err)
	if ok && exit.err != nil {
		return &exitError{checkUnknown, exit.err}
	}
	return err
}

func runCheck(ctx context.Context, env Env, options *checkOptions) error {
	return runCheckOf(ctx, env, options, nil)
}

// runCheckOf tells only the findings that belong; nil is all.
func runCheckOf(ctx context.Context, env Env, options *checkOptions, belongs func(*findings.Finding) bool) error {
	output, err := checkFormat(options.output, formatText, formatJSON)
	if err != nil {
		return err
	}
	report, _, err := options.source.report(ctx, env, options.nodes, true)
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
	found := findings.OfNodes(findings.Find(report), options.nodes)
	if belongs != nil {
		found = slices.DeleteFunc(found, func(f findings.Finding) bool { return !belongs(&f) })
	}
	code := checkStatus(nodes, found, options.strict)
	if output == formatJSON {
		err = writeJSON(env.Stdout, checkObject(nodes, found, code))
	} else {
		err = writeCheck(env, nodes, found, code)
	}
	switch {
	case err != nil:
		return failed(err)
	case code != checkOK:
		return &exitError{code: code}
	default:
		return nil
	}
}

// checkStatus gives the exit code. What is incomplete counts only where nothing
// that was found is worse.
func checkStatus(nodes []*atlas.Node, found []findings.Finding, strict bool) int {
	if len(found) > 0 && found[0].Severity == findings.Error { // the worst comes first
		return checkCritical
	}
	if len(found) > 0 && found[0].Severity == findings.Warning {
		return checkWarning
	}
	if !slices.ContainsFunc(nodes, func(node *atlas.Node) bool { return node.DevicesRead }) {
		return checkUnknown
	}
	for _, node := range nodes {
		if unreadCounts(node, strict) {
			return checkUnknown
		}
	}
	return checkOK
}

// unreadCounts tells whether a node's answer is too incomplete to be called OK. A
// device list that nobody asked for is no failure and has no issue; strictly, every
// issue that blocks counts.
func unreadCounts(node *atlas.Node, strict bool) bool {
	if node.Scope.State == atlas.Unproven {
		return true
	}
	return slices.ContainsFunc(node.Issues, func(issue atlas.Issue) bool {
		return strict && issue.Code.Blocks() || isReadFailure(issue.Code)
	})
}

// isReadFailure tells that an issue is about something that was asked for and could
// not be read. The others are about what was read: configurations that a finding
// names or that cannot be judged from here, and what this Proxmox VE does not have.
func isReadFailure(code atlas.IssueCode) bool {
	switch code {
	case atlas.IssueCustomArgs, atlas.IssueHookscript, atlas.IssueMappingAmbiguous,
		atlas.IssueHostPCIInvalid, atlas.IssueMappingNotFound, atlas.IssueMappingNoEntry, atlas.IssueTooOld:
		return false
	default:
		return true
	}
}

func checkObject(nodes []*atlas.Node, found []findings.Finding, code int) any {
	object := struct {
		Status   string             `json:"status"`
		Scope    []string           `json:"scope"`
		Findings []findings.Finding `json:"findings"`
	}{Status: checkWords[code], Findings: append([]findings.Finding{}, found...)}
	for _, node := range nodes {
		object.Scope = append(object.Scope, clean(node.Name+": "+scopeLine(node)))
	}
	return object
}

// writeCheck writes the line that a monitoring system shows, then everything.
func writeCheck(env Env, nodes []*atlas.Node, found []findings.Finding, code int) error {
	out := &printer{w: env.Stdout, width: tableLimit(env)}
	out.line("%s: %s", strings.ToUpper(checkWords[code]), checkSummary(nodes, found))
	writeFindings(out, found)
	out.write("")
	for _, node := range nodes {
		parts := scopeParts(node)
		parts[0] = node.Name + ": " + parts[0]
		out.parts(parts)
	}
	return out.err
}

func checkSummary(nodes []*atlas.Node, found []findings.Finding) string {
	var count [findings.Error + 1]int
	for i := range found {
		count[found[i].Severity]++
	}
	checked, visible := 0, 0
	for _, node := range nodes {
		checked += node.CheckedVMs
		visible += node.VisibleVMs
	}
	return fmt.Sprintf("%s, %s, %s; %d of %d visible VMs checked",
		plural(count[findings.Error], "error"), plural(count[findings.Warning], "warning"), plural(count[findings.Info], "note"),
		checked, visible)
}

func plural(n int, word string) string {
	if n != 1 {
		word += "s"
	}
	return fmt.Sprintf("%d %s", n, word)
}

// writeFindings lists findings with what they rest on and what to do.
func writeFindings(out *printer, found []findings.Finding) {
	for i := range found {
		f := &found[i]
		out.write("")
		out.hang(2, "%s %s", f.Severity, strings.Join(append([]string{string(f.Code)}, subjectWords(f.Subject)...), " · "))
		out.line("  %s", f.Sentence)
		for _, evidence := range f.Evidence {
			out.quote("    seen: ", evidence)
		}
		for _, remedy := range f.Remedy {
			out.line("    do:   %s", remedy)
		}
	}
}

func subjectWords(s findings.Subject) []string {
	var words []string
	if s.Node != "" {
		words = append(words, s.Node)
	}
	if s.VMID != 0 {
		words = append(words, fmt.Sprintf("VM %d", s.VMID))
	}
	if s.Slot != atlas.NoSlot {
		words = append(words, fmt.Sprintf("hostpci%d", s.Slot))
	}
	if s.Mapping != "" {
		words = append(words, "mapping "+s.Mapping)
	}
	if s.Device != nil {
		words = append(words, s.Device.String())
	}
	return words
}
