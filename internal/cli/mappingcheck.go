package cli

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"pciatlas/internal/findings"
	"pciatlas/internal/plan"
)

func newMappingCheck(env Env) *cobra.Command {
	var options checkOptions
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Say what is worth acting on about mappings, as a monitoring plugin",
		Long: `Lists the findings that are about resource mappings, and nothing else. Exit codes
and output are those of pciatlas check.`,
		Example: "  pciatlas mapping check\n  pciatlas mapping check --node pve-a -o json",
		Args: func(cmd *cobra.Command, args []string) error {
			if err := cobra.NoArgs(cmd, args); err != nil {
				return &exitError{checkUnknown, err}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			return unknownOnFailure(runCheckOf(cmd.Context(), env, &options, ofMapping))
		},
	}
	options.addFlags(cmd)
	return cmd
}

// ofMapping tells whether a finding is about a mapping.
func ofMapping(f *findings.Finding) bool { return f.Subject.Mapping != "" }

func newMappingSuggest(env Env) *cobra.Command {
	var options mappingOptions
	cmd := &cobra.Command{
		Use:   "suggest",
		Short: "Propose mappings for the displays and accelerators of all nodes",
		Long: `Proposes one mapping for all equal displays or accelerators that no mapping has,
with an entry for each: the whole slot where all of it belongs to the card. Where
a mapping has some of them already, it proposes that mapping with more entries.

Displays of management controllers are left out, and on a node itself its boot
display; over the API it is not told which display that is. Nothing is changed:
-o commands, terraform and json write down what to apply.`,
		Example: "  pciatlas mapping suggest\n  pciatlas mapping suggest -o commands",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runMappingSuggest(cmd.Context(), env, &options)
		},
	}
	options.source.addFlags(cmd)
	addFormat(cmd, &options.output, formatText, formatJSON, formatYAML, formatCommands, formatTerraform)
	return cmd
}

func runMappingSuggest(ctx context.Context, env Env, options *mappingOptions) error {
	output, err := checkFormat(options.output, formatText, formatJSON, formatYAML, formatCommands, formatTerraform)
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
	suggestions := plan.Suggest(report)
	switch output {
	case formatJSON:
		err = writeJSON(env.Stdout, suggestions.Answer(report))
	case formatYAML:
		err = writeYAML(env.Stdout, suggestions.Answer(report))
	case formatCommands, formatTerraform:
		err = writeExport(env.Stdout, plan.Format(output), suggestions.ExportSuggested())
	default:
		err = writeSuggestions(&printer{w: env.Stdout, width: tableLimit(env)}, suggestions.Answer(report))
	}
	if err != nil {
		return failed(err)
	}
	return nil
}

func writeSuggestions(p *printer, s plan.SuggestionsAnswer) error {
	if len(s.Mappings) == 0 {
		p.line("Nothing is proposed: no display or accelerator that was read lacks a mapping.")
	}
	for i := range s.Mappings {
		if i > 0 {
			p.line("")
		}
		writeSuggestion(p, &s.Mappings[i])
	}
	writeLeft(p, &s)
	if s.Reason != nil {
		p.line("\nWhether all mappings are shown is %s, and one that is hidden may have a device that is proposed here: %s", s.Scope, clean(*s.Reason))
	}
	return p.err
}

func writeSuggestion(p *printer, m *plan.AnswerSuggestion) {
	title := orEmpty(m.Model)
	if title == "" {
		title = m.IDs
	}
	if m.Changes {
		p.line("%s: more entries for the mapping that is there (%s)", m.ID, title)
	} else {
		p.line("%s: a new mapping (%s)", m.ID, title)
	}
	for i, text := range m.Map {
		mark := "  "
		if slices.Contains(m.Added, i) {
			mark = "+ "
		}
		p.line("  %s%s", mark, text)
	}
	if m.NoGroup {
		p.line("  Some of these have no IOMMU group; until they have, nothing starts with them.")
	}
	for _, raw := range m.Raw {
		p.line("  VM %d %s on %s names one of these by address in %s", raw.VMID, orEmpty(raw.Name), raw.Node, raw.Slot)
	}
	p.line("  do:")
	p.write(indented(cleanText(m.Commands), "    "))
}

func writeLeft(p *printer, s *plan.SuggestionsAnswer) {
	for i := range s.Left {
		if i == 0 {
			p.line("\nNot proposed:")
		}
		left := &s.Left[i]
		p.line("  %s %s  %s: %s", left.Node, left.Address, orEmpty(left.Model), leftWords(left))
	}
	for _, node := range s.Unread {
		p.line("\nThe devices of node %s were not all read; it may have more.", node)
	}
	for i, node := range s.BootDisplaysUntold {
		if i == 0 {
			p.line("\nWhich display a node shows its console on is not told here; do not map one that it needs:")
		}
		p.line("  %s", node)
	}
}

func leftWords(left *plan.AnswerLeft) string {
	switch left.Reason {
	case plan.LeftCovered:
		return "mapping " + orEmpty(left.Mapping) + " has it"
	case plan.LeftFaulty:
		return "mapping " + orEmpty(left.Mapping) + " names it with an entry that does not fit; correct that one"
	case plan.LeftBMC:
		return "the display of the management controller"
	case plan.LeftBootDisplay:
		return "the node shows its console on it"
	case plan.LeftHasVFs:
		return "its virtual functions are what can be shared"
	default:
		return "not everything that an entry must say was told"
	}
}
