package pvesim

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// sectionRow is one section of a file in the format of PVE::SectionConfig.
type sectionRow struct {
	kind, id string
	values   map[string]string
}

// parseSections reads "kind: id" lines, each with indented properties up to an
// empty line.
func parseSections(text string) []sectionRow {
	var rows []sectionRow
	var current *sectionRow
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n\t ")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case line[0] != '\t' && line[0] != ' ':
			kind, id, _ := strings.Cut(line, ":")
			rows = append(rows, sectionRow{kind: kind, id: strings.TrimSpace(id), values: map[string]string{}})
			current = &rows[len(rows)-1]
		case current != nil:
			key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
			current.values[key] = strings.TrimSpace(value)
		}
	}
	return rows
}

// sectionNumbers are the keys of policy files that the API shows as numbers.
var sectionNumbers = map[string]bool{
	"all": true, "bwlimit": true, "disable": true, "enabled": true, "failback": true, "max_relocate": true,
	"max_restart": true, "nofailback": true, "protected": true, "rate": true, "remove": true, "repeat-missed": true,
	"restricted": true, "strict": true, "zstd": true,
}

// row gives the section's properties with their JSON types.
func (s sectionRow) row() map[string]any {
	row := map[string]any{}
	for _, key := range slices.Sorted(maps.Keys(s.values)) {
		value := s.values[key]
		if value == "" {
			value = "1" // a flag that stands alone
		}
		row[key] = value
		if n, err := strconv.Atoi(value); err == nil && sectionNumbers[key] {
			row[key] = n
		}
	}
	return row
}
