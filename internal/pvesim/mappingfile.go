package pvesim

import (
	"maps"
	"slices"
	"strings"

	"pciatlas/internal/pve"
)

// mappingFile is mapping/pci.cfg as PVE holds it between reading and writing:
// what it drops while reading is gone after writing. Texts are strings of Perl,
// in which each byte of the file is a character.
type mappingFile struct {
	order    []string
	sections map[string]mappingSection // nil for one without a valid entry
}

// mappingSection holds the properties of a mapping; all but map have one value.
type mappingSection map[string][]string

// mappingProperties are the properties in the order in which PVE writes them:
// what is required first.
var mappingProperties = []string{"map", "description", "live-migration-capable", "mdev"}

func parseMappingSections(text string, r release) *mappingFile {
	f := &mappingFile{sections: map[string]mappingSection{}}
	for _, id := range sectionOrder(text) {
		f.order = slices.DeleteFunc(f.order, func(other string) bool { return other == id })
		f.order, f.sections[id] = append(f.order, id), nil
	}
	list, _ := pve.ParseMappingFile(text)
	for i := range list {
		f.sections[list[i].ID] = sectionOf(&list[i], r)
	}
	return f
}

func sectionOf(m *pve.Mapping, r release) mappingSection {
	section := mappingSection{}
	for _, entry := range m.Entries {
		section["map"] = append(section["map"], latin1(entry.String()))
	}
	if m.Description != nil {
		section["description"] = []string{latin1(*m.Description)}
	}
	if m.Mdev != nil {
		section["mdev"] = []string{flagText(*m.Mdev)}
	}
	if m.LiveMigration != nil && r.liveMigration() {
		section["live-migration-capable"] = []string{flagText(*m.LiveMigration)}
	}
	return section
}

func flagText(on bool) string {
	if on {
		return "1"
	}
	return "0"
}

// sectionOrder gives the ids at which sections begin, in the order of the file.
func sectionOrder(text string) []string {
	var ids []string
	inside := false
	for line := range strings.SplitSeq(text, "\n") {
		switch {
		case strings.HasPrefix(strings.TrimLeft(line, " \t"), "#"):
		case line == "":
			inside = false
		case !inside:
			id := strings.TrimRight(line, " \t\r\f\v")
			inside = id != "" && !strings.ContainsAny(id, " \t")
			if inside && pve.ValidMappingID(id) {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// text writes the file as PVE::SectionConfig does. A section that lost all its
// entries has no type any more, with which PVE refuses to write anything.
func (f *mappingFile) text() (string, *apiError) {
	var out strings.Builder
	for _, id := range f.order {
		section := f.sections[id]
		if section == nil {
			return "", failure("unknown section type ''")
		}
		out.WriteString(id + "\n")
		for _, key := range mappingProperties {
			for _, value := range section[key] {
				if value != "" {
					out.WriteString("\t" + key + " " + value + "\n")
				}
			}
		}
		out.WriteString("\n")
	}
	return perlBytes(out.String()), nil
}

// set puts a mapping in its place, or at the end if it is new.
func (f *mappingFile) set(id string, section mappingSection) {
	if !slices.Contains(f.order, id) {
		f.order = append(f.order, id)
	}
	f.sections[id] = section
}

// merge sets some properties of a mapping.
func (f *mappingFile) merge(id string, section mappingSection) {
	merged := maps.Clone(f.sections[id])
	maps.Copy(merged, section)
	f.sections[id] = merged
}

func (f *mappingFile) remove(id string) {
	if f.sections[id] == nil {
		return // one without entries stays, as it does not exist for PVE
	}
	delete(f.sections, id)
	f.order = slices.DeleteFunc(f.order, func(other string) bool { return other == id })
}

// perlBytes writes a string of Perl to a file: a byte for each character, or all
// of it as UTF-8 if one does not fit.
func perlBytes(text string) string {
	out := make([]byte, 0, len(text))
	for _, c := range text {
		if c > 0xff {
			return text
		}
		out = append(out, byte(c))
	}
	return string(out)
}
