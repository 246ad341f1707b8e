package plan

import (
	"fmt"
	"slices"
	"strings"

	"pciatlas/internal/atlas"
	"pciatlas/internal/pci"
	"pciatlas/internal/pve"
)

// SuggestionsAnswer is the public JSON object of Suggestions. An empty list means
// none.
type SuggestionsAnswer struct {
	Cluster            string             `json:"cluster"`
	Mappings           []AnswerSuggestion `json:"mappings"`
	Left               []AnswerLeft       `json:"left_out"`
	Unread             []string           `json:"nodes_unread"`
	BootDisplaysUntold []string           `json:"boot_displays_untold"`
	// Scope says how sure it is that all mappings were visible: one that is hidden may
	// have a device that is proposed.
	Scope  atlas.ScopeState `json:"mapping_scope"`
	Fault  *string          `json:"mapping_scope_fault"`
	Reason *string          `json:"mapping_scope_reason"` // null: proven
}

// AnswerSuggestion is the public form of a Suggestion.
type AnswerSuggestion struct {
	ID       string           `json:"id"`
	Changes  bool             `json:"changes"` // the mapping exists, and lacks entries
	Mdev     bool             `json:"mdev"`
	Map      []string         `json:"map"`   // all entries
	Added    []int            `json:"added"` // indexes of map
	Vendor   *string          `json:"vendor_name"`
	Model    *string          `json:"device_name"`
	IDs      string           `json:"device_ids"`
	Devices  []AnswerLocation `json:"devices"`
	Raw      []AnswerRawLine  `json:"raw_lines"`
	NoGroup  bool             `json:"no_iommu_group"`
	Commands string           `json:"commands"` // for a shell of a node
}

// AnswerLocation is a function that an added entry gives.
type AnswerLocation struct {
	Node      string      `json:"node"`
	Address   pci.Address `json:"address"`
	WholeSlot bool        `json:"whole_slot"`
}

// AnswerRawLine is a line that names a device by address.
type AnswerRawLine struct {
	VMID int     `json:"vmid"`
	Name *string `json:"name"`
	Node string  `json:"node"`
	Slot string  `json:"slot"`
}

// AnswerLeft is the public form of a LeftOut.
type AnswerLeft struct {
	AnswerLocation
	Reason  LeftReason `json:"reason"`
	Mapping *string    `json:"mapping"`
	Model   *string    `json:"device_name"`
}

// Answer gives the public object of the suggestions for a report.
func (s *Suggestions) Answer(report *atlas.Report) SuggestionsAnswer {
	scope := &report.MappingScope
	answer := SuggestionsAnswer{
		Cluster: report.Cluster, Scope: scope.State, Fault: orNil(scope.Fault), Reason: orNil(scope.Reason),
		Mappings: make([]AnswerSuggestion, len(s.Mappings)), Left: make([]AnswerLeft, len(s.Left)),
		Unread: append([]string{}, s.Unread...), BootDisplaysUntold: append([]string{}, s.BootDisplaysUntold...),
	}
	for i := range s.Mappings {
		answer.Mappings[i] = s.Mappings[i].answer()
	}
	for i := range s.Left {
		left := &s.Left[i]
		answer.Left[i] = AnswerLeft{
			AnswerLocation: left.answer(), Reason: left.Reason, Mapping: orNil(left.Mapping),
			Model: orNil(left.Device.ReadableNames().Device),
		}
	}
	return answer
}

func (s *Suggestion) answer() AnswerSuggestion {
	answer := AnswerSuggestion{
		ID: s.Mapping.ID, Changes: s.Changes, Mdev: s.Mapping.HasMdev(), Added: append([]int{}, s.Added...),
		Vendor: orNil(s.Names.Vendor), Model: orNil(s.Names.Device), IDs: s.Devices[0].Device.IDs.Pair.String(),
		Map: make([]string, len(s.Mapping.Entries)), Devices: make([]AnswerLocation, len(s.Devices)), Raw: make([]AnswerRawLine, len(s.Raw)),
		NoGroup: s.NoGroup, Commands: command(s.Exported()),
	}
	for i := range s.Mapping.Entries {
		answer.Map[i] = s.Mapping.Entries[i].String()
	}
	for i := range s.Devices {
		answer.Devices[i] = s.Devices[i].answer()
	}
	for i, raw := range s.Raw {
		answer.Raw[i] = AnswerRawLine{VMID: raw.VM.VMID, Name: orNil(raw.VM.Name), Node: raw.VM.Node, Slot: pve.SlotKey(raw.Slot)}
	}
	return answer
}

// Exported gives what is written down of the suggestion.
func (s *Suggestion) Exported() Exported { return Exported{Mapping: &s.Mapping, Exists: s.Changes} }

// ExportSuggested gives what is written down of all suggestions, with what has to be known
// before they are applied.
func (s *Suggestions) ExportSuggested() []Exported {
	list := make([]Exported, len(s.Mappings))
	for i := range s.Mappings {
		list[i] = s.Mappings[i].Exported()
		list[i].Remarks = s.remarks(&s.Mappings[i])
	}
	return list
}

// remarks are what has to be known before a suggestion is applied.
func (s *Suggestions) remarks(m *Suggestion) []string {
	var remarks []string
	if s.Scope.State != atlas.Proven {
		remarks = append(remarks, fmt.Sprintf("Whether all mappings are shown is %s; one that is hidden may have these devices: %s", s.Scope.State, s.Scope.Reason))
	}
	if len(s.Unread) > 0 {
		remarks = append(remarks, fmt.Sprintf("The devices of %s were not all read; there may be more for this mapping.", strings.Join(s.Unread, ", ")))
	}
	if m.NoGroup {
		remarks = append(remarks, "Some of these devices have no IOMMU group; until they have, nothing starts with them, and the entries need the group then.")
	}
	var nodes []string
	for i := range m.Devices {
		at := &m.Devices[i]
		if at.bootDisplayUntold() && !slices.Contains(nodes, at.Node) {
			nodes = append(nodes, at.Node)
		}
	}
	if len(nodes) > 0 {
		remarks = append(remarks, fmt.Sprintf("Which display %s shows its console on is not told here; do not map one that the node needs.", strings.Join(nodes, ", ")))
	}
	return remarks
}

// ExportExisting gives what is written down of the mappings that are there, by name.
func ExportExisting(report *atlas.Report) []Exported {
	matrix := report.Matrix()
	list := make([]Exported, len(matrix.Rows))
	for i := range matrix.Rows {
		list[i] = Exported{Mapping: matrix.Rows[i].Mapping, Exists: true}
	}
	return list
}

func (l *Located) answer() AnswerLocation {
	return AnswerLocation{Node: l.Node, Address: l.Device.Address, WholeSlot: l.WholeSlot}
}

func orNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
