package findings

//go:generate go run pciatlas/scripts/findingsdoc ../../docs/findings.md ../../web/src/i18n/finding-wordings.json

import "slices"

// Entry documents one code for people.
type Entry struct {
	Code Code
	// Severity says which severity a finding has, and when it has another.
	Severity string
	// When says under which conditions there is a finding, and when there is none.
	When string
	// Why says what happens otherwise, in PVE's own words where it has some.
	Why string
	// Remedy says what to do.
	Remedy string
	// Source names the part of Proxmox VE or the kernel that behaves so.
	Source string
	// ToCome: no rule gives the code yet, because the facts for it are not read.
	ToCome bool
}

// Family is a group of codes that belong together.
type Family struct {
	Title   string
	Entries []Entry
	rules   []rule
}

// Families are all families. A new code goes into the one that looks at the same
// facts.
func Families() []Family {
	return []Family{
		{"Lines of a VM", lineEntries, lineRules},
		{"Devices", deviceEntries, deviceRules},
		{"IOMMU groups", groupEntries, groupRules},
		{"Resource mappings", mappingEntries, mappingRules},
		{"Moves, boot and backup", moveEntries, moveRules},
		{"Containers", containerEntries, containerRules},
	}
}

// Registry gives the entries of all codes, by family.
func Registry() []Entry {
	var entries []Entry
	for _, family := range Families() {
		entries = slices.Concat(entries, family.Entries)
	}
	return entries
}
