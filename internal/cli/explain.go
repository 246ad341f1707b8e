package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"pciatlas/internal/pci"
	"pciatlas/internal/pve"
)

func newExplain(env Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "explain",
		Short: "Say what Proxmox VE reads in a hostpci value or a mapping entry",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return usage("explain needs to know what to read: pciatlas explain hostpci VALUE, or pciatlas explain mapping VALUE")
		},
	}
	cmd.AddCommand(
		newExplainOne(env, "hostpci", "01:00,pcie=1", explainHostPCI),
		newExplainOne(env, "mapping", "id=10de:2204,node=pve-a,path=0000:01:00.0", explainEntry),
	)
	return cmd
}

// explanation is the JSON object of explain.
type explanation struct {
	Value     string              `json:"value"`
	Valid     bool                `json:"valid"`
	Options   map[string]string   `json:"options"` // null if refused
	Selectors []explainedSelector `json:"selectors"`
	Errors    []explainedFault    `json:"errors"`

	remarks []string
}

type explainedSelector struct {
	Text     string  `json:"text"`
	Domain   *string `json:"domain"`
	PCISlot  *string `json:"pci_slot"`
	Function *string `json:"function"` // null: every function of the slot
}

type explainedFault struct {
	Option  *string `json:"option"`
	Code    string  `json:"code"`
	Message string  `json:"message"`
}

func newExplainOne(env Env, what, example string, explain func(string) explanation) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:     what + " VALUE",
		Short:   "Say what Proxmox VE reads in the value of a " + what + " line",
		Example: fmt.Sprintf("  pciatlas explain %s '%s'", what, example),
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			format, err := checkFormat(output, formatText, formatJSON)
			if err != nil {
				return err
			}
			result := explain(args[0])
			if format == formatJSON {
				return failedIf(writeJSON(env.Stdout, result))
			}
			return failedIf(result.write(&printer{w: env.Stdout}))
		},
	}
	addFormat(cmd, &output, formatText, formatJSON)
	return cmd
}

func explainHostPCI(value string) explanation {
	parsed, err := pve.ParseHostPCI(value)
	result := explained(value, parsed.Options(), err)
	for _, selector := range parsed.Selectors {
		result.Selectors = append(result.Selectors, explainSelector(selector.String()))
	}
	if err != nil {
		return result
	}
	switch parsed.Source() {
	case pve.SourceBoth:
		result.remarks = append(result.remarks, "The format allows it, but the VM does not start: "+pve.MessageBothSources)
	case pve.SourceNone:
		result.remarks = append(result.remarks, "The format allows it, but the VM does not start: "+pve.MessageNoSource)
	case pve.SourceMapping:
		result.remarks = append(result.remarks, fmt.Sprintf(
			"The device comes from resource mapping %s; names of mappings are case-sensitive.", parsed.Mapping))
	case pve.SourceHost:
	}
	return result
}

func explainEntry(value string) explanation {
	parsed, err := pve.ParseEntry(value)
	result := explained(value, parsed.Options(), err)
	if err != nil {
		return result
	}
	for _, part := range parsed.Paths() {
		result.Selectors = append(result.Selectors, explainSelector(part))
	}
	if len(parsed.Paths()) > 1 {
		result.remarks = append(result.remarks, "All paths of one entry are given together; alternatives are separate entries.")
	}
	return result
}

func explained(value string, options []pve.Option, err error) explanation {
	result := explanation{Value: value, Valid: err == nil, Selectors: []explainedSelector{}, Errors: []explainedFault{}}
	if refused, ok := errors.AsType[*pve.FormatError](err); ok {
		for _, fault := range refused.Faults {
			explained := explainedFault{Code: fault.Code, Message: fault.Message}
			if fault.Option != "" {
				explained.Option = &fault.Option
			}
			result.Errors = append(result.Errors, explained)
		}
		return result
	}
	result.Options = map[string]string{}
	for _, option := range options {
		result.Options[option.Name] = option.Value
	}
	return result
}

// explainSelector takes a selector apart. Of a path that names no device
// whatever the hardware, only the text is given.
func explainSelector(part string) explainedSelector {
	result := explainedSelector{Text: part}
	selector, ok := pci.ParseSelector(part)
	if !ok {
		return result
	}
	domain, rest := "0000", part
	if selector.HasDomain() {
		domain, rest, _ = strings.Cut(part, ":")
	}
	slot, function, found := strings.Cut(rest, ".")
	result.Domain, result.PCISlot = &domain, &slot
	if found {
		result.Function = &function
	}
	return result
}

func (e *explanation) write(p *printer) error {
	if !e.Valid {
		p.line("Proxmox VE refuses this value:")
		for _, fault := range e.Errors {
			if fault.Option != nil {
				p.line("  %s: %s", *fault.Option, fault.Message)
			} else {
				p.line("  %s", fault.Message)
			}
		}
		return p.err
	}
	p.line("Proxmox VE accepts this value.")
	for _, name := range sortedNames(e.Options) {
		p.line("  %-14s %s", name, e.Options[name])
	}
	for _, selector := range e.Selectors {
		p.line("%s", selector.sentence())
	}
	for _, remark := range e.remarks {
		p.line("%s", remark)
	}
	return p.err
}

func (s *explainedSelector) sentence() string {
	selector, ok := pci.ParseSelector(s.Text)
	switch {
	case !ok:
		return s.Text + " names no device: the format allows it, but no address is written like this."
	case selector.NamesNothing():
		return s.Text + " names no device: Linux writes domain " + *s.Domain + " with fewer zeros."
	case selector.WholeSlot():
		return fmt.Sprintf("%s names every function of slot %s:%s, virtual functions in it included.", s.Text, *s.Domain, *s.PCISlot)
	case !selector.HasDomain():
		return fmt.Sprintf("%s names %s (a missing domain means 0000).", s.Text, selector.First())
	default:
		return fmt.Sprintf("%s names one function.", s.Text)
	}
}
