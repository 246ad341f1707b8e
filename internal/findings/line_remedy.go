package findings

import (
	"slices"
	"strings"
)

// lineRelocated gives the commands that write a line of addresses anew, with all its
// other parts and options: with a word in place of each address that is missing, and
// without these. Of a line of nothing else the second removes all.
func lineRelocated(l *line, missing []deviceMissing) (with, without string) {
	parts := strings.Split(l.Value.Host, ";")
	kept := make([]string, 0, len(parts))
	for i, part := range parts {
		if slices.ContainsFunc(missing, func(m deviceMissing) bool { return m.line == l && m.selector.String() == part }) {
			parts[i] = "ADDRESS"
		} else {
			kept = append(kept, part)
		}
	}
	value := l.Value
	value.Host = strings.Join(parts, ";")
	with = mappingQMSet(l, value)
	if len(kept) == 0 {
		return with, "qm set " + l.vm.number() + " --delete " + l.key()
	}
	value.Host = strings.Join(kept, ";")
	return with, mappingQMSet(l, value)
}

// lineWithType gives the command that writes a line anew with a word in place of its
// type of mediated device.
func lineWithType(l *line) string {
	value := l.Value
	value.Mdev = "TYPE"
	return mappingQMSet(l, value)
}
