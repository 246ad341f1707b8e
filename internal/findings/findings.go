// Package findings says what is worth acting on in a report, and nothing else: a
// closed list of codes, each with its rule, its severity, a sentence, what the
// sentence rests on, and what to do. It is pure; it may import atlas, rights,
// facts, pve and pci, and what presents findings imports it.
package findings

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"pciatlas/internal/atlas"
	"pciatlas/internal/pci"
	"pciatlas/internal/pve"
)

// Severity of a finding.
type Severity int

// The severities. An error cannot work as it stands; a warning fails or hurts
// under a stated condition.
const (
	Info Severity = iota
	Warning
	Error
)

var severities = [...]string{"info", "warning", "error"}

// String gives the word of a severity.
func (s Severity) String() string { return severities[s] }

// MarshalText writes the word.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads the word.
func (s *Severity) UnmarshalText(text []byte) error {
	i := slices.Index(severities[:], string(text))
	if i < 0 {
		return errors.New("a severity is info, warning or error")
	}
	*s = Severity(i)
	return nil
}

// Subject says what a finding is about. What does not apply is zero; Slot is
// atlas.NoSlot then.
type Subject struct {
	Node    string
	VMID    int
	Slot    int
	Mapping string
	Device  *pci.Address
}

// MarshalJSON leaves out the keys that do not apply.
func (s Subject) MarshalJSON() ([]byte, error) {
	wire := struct {
		Node    string       `json:"node,omitempty"`
		VMID    int          `json:"vmid,omitempty"`
		Slot    string       `json:"slot,omitempty"`
		Mapping string       `json:"mapping,omitempty"`
		Device  *pci.Address `json:"device,omitempty"`
	}{s.Node, s.VMID, "", s.Mapping, s.Device}
	if s.Slot != atlas.NoSlot {
		wire.Slot = pve.SlotKey(s.Slot)
	}
	return json.Marshal(wire)
}

// Finding is one thing worth acting on. Sentence is English; Code and Params say
// the same for translation, and Params hold no language: see Wording. A translation
// that lacks a message for the code, the variant or a word of also shows Sentence.
type Finding struct {
	Code     Code              `json:"code"`
	Severity Severity          `json:"severity"`
	Subject  Subject           `json:"subject"`
	Sentence string            `json:"sentence"`
	Params   map[string]string `json:"params,omitempty"`
	// Evidence names what was read, and the value. It is not nil, and not longer
	// than people read: what is left out is counted. The same holds for Remedy.
	Evidence []string `json:"evidence"`
	// Remedy are commands to copy or steps to take.
	Remedy []string `json:"remedy"`

	// What the finding speaks of beside its subject, see about.go: a rule that names
	// further VMs or functions sets them, so that who looks at one of these finds it.
	vms     []vmOn
	devices []deviceOn
}

// Find gives the findings of a report, the worst first, then by node, VM, slot,
// mapping and device. None says the same of the same as another.
func Find(report *atlas.Report) []Finding {
	w := newWorld(report)
	var parts [][]Finding
	total := 0
	for _, family := range Families() {
		for _, rule := range family.rules {
			part := rule(w)
			parts, total = append(parts, part), total+len(part)
		}
	}
	if total == 0 {
		return nil
	}
	order := make([]*Finding, 0, total)
	for _, part := range parts {
		for i := range part {
			order = append(order, &part[i])
		}
	}
	slices.SortStableFunc(order, compare)
	found := make([]Finding, 0, total)
	for _, f := range order {
		if last := len(found) - 1; last >= 0 && compare(&found[last], f) == 0 {
			continue
		}
		f.Evidence = bounded(f.Evidence, mostEvidence, "and %d more like these")
		f.Remedy = bounded(f.Remedy, mostRemedies, "and %d more steps like these, for the rest of what is named here")
		found = append(found, *f)
	}
	return found
}

// How many lines of evidence and remedies a finding has.
const (
	mostEvidence = 20
	mostRemedies = 10
)

// bounded gives the first texts of a list, and after them how many are left out.
// The list stays as it is; nil becomes an empty one.
func bounded(texts []string, most int, more string) []string {
	switch {
	case texts == nil:
		return []string{}
	case len(texts) <= most:
		return texts
	default:
		return append(slices.Clone(texts[:most]), fmt.Sprintf(more, len(texts)-most))
	}
}

func compare(a, b *Finding) int {
	if a.Severity != b.Severity {
		return cmp.Compare(b.Severity, a.Severity)
	}
	if c := cmp.Compare(a.Code, b.Code); c != 0 {
		return c
	}
	if c := compareSubjects(&a.Subject, &b.Subject); c != 0 {
		return c
	}
	return cmp.Compare(a.Sentence, b.Sentence)
}

func compareSubjects(a, b *Subject) int {
	if c := cmp.Compare(a.Node, b.Node); c != 0 {
		return c
	}
	if c := cmp.Or(cmp.Compare(a.VMID, b.VMID), cmp.Compare(a.Slot, b.Slot)); c != 0 {
		return c
	}
	if c := cmp.Compare(a.Mapping, b.Mapping); c != 0 {
		return c
	}
	return compareDevices(a.Device, b.Device)
}

func compareDevices(a, b *pci.Address) int {
	switch {
	case a == nil || b == nil:
		return cmp.Compare(number(a != nil), number(b != nil))
	default:
		return a.Compare(*b)
	}
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

// rule finds everything of one or several codes.
type rule func(*world) []Finding
