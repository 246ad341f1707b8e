package pve

import "strings"

// FileSection is one section of a file that PVE::SectionConfig reads, such as
// jobs.cfg or ha/resources.cfg: "type: id", and indented properties below.
type FileSection struct {
	Type, ID   string
	Properties map[string]string
}

// Flag reads a boolean property; otherwise is for one that is not there. A
// property without a value, as in replication.cfg, is on.
func (s FileSection) Flag(key string, otherwise bool) bool {
	value, ok := s.Properties[key]
	if !ok {
		return otherwise
	}
	on, known := ParseBool(value)
	return on || !known
}

// ParseSectionFile reads the sections of such a file. Properties are not checked.
// Refused counts lines that neither begin a section nor belong to one.
func ParseSectionFile(content string) (sections []FileSection, refused int) {
	var current *FileSection
	for line := range strings.Lines(content) {
		line = trimRight(line)
		switch {
		case line == "":
			current = nil
		case strings.HasPrefix(trimLeft(line), "#"):
		case isSpace(line[0]) && current != nil:
			key, value, _ := splitProperty(line)
			current.Properties[key] = trimLeft(value)
		default:
			kind, id, found := strings.Cut(line, ":")
			id = trimLeft(id)
			if !found || kind == "" || id == "" || strings.ContainsAny(kind+id, " \t") {
				refused++
				current = nil
				continue
			}
			sections = append(sections, FileSection{Type: kind, ID: id, Properties: map[string]string{}})
			current = &sections[len(sections)-1]
		}
	}
	return sections, refused
}
