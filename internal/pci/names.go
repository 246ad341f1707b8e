package pci

import (
	_ "embed"
	"strings"
	"sync"
)

// pciIDs is the list of names of the PCI ID Project. Its source and date stand
// in its head.
//
//go:embed pci.ids
var pciIDs string

// Names are the words for what a function is. An empty string means that the
// list has no name for it.
type Names struct {
	Vendor    string `json:"vendor,omitempty"`
	Device    string `json:"device,omitempty"`
	Subsystem string `json:"subsystem,omitempty"`
	Class     string `json:"class,omitempty"`
}

// Database answers names from one pci.ids text. It looks at the text only when
// a name is asked for, and only at the vendors asked for.
type Database struct {
	text  string
	index func() offsets
}

type offsets struct {
	vendors map[string]int // vendor id → where its line begins
	classes int            // where the class list begins
}

// BuiltinNames is the list that comes with the program.
var BuiltinNames = NewDatabase(pciIDs)

// NewDatabase takes the text of a pci.ids file. Lines that do not belong there
// are skipped.
func NewDatabase(text string) *Database {
	return &Database{text: text, index: sync.OnceValue(func() offsets { return indexNames(text) })}
}

// Date gives the day of the list's head as YYYY-MM-DD, or "" if it has none.
// Days compare as strings.
func (d *Database) Date() string {
	head := d.text[:min(len(d.text), 4096)]
	for line := range strings.Lines(head) {
		if rest, ok := strings.CutPrefix(line, "#\tDate:"); ok {
			day, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
			return day
		}
	}
	return ""
}

// Newer gives the one of two databases with the later date, d if they are equal.
func (d *Database) Newer(other *Database) *Database {
	if other != nil && other.Date() > d.Date() {
		return other
	}
	return d
}

// Lookup gives the names of a function.
func (d *Database) Lookup(ids IDs, class Class) Names {
	index := d.index()
	names := Names{Class: d.className(index, class)}
	at, ok := index.vendors[ids.Vendor.String()]
	if !ok {
		return names
	}
	names.Vendor, at = entryName(d.text, at)
	for block := range deviceBlocks(d.text[at:], 1, ids.Device.String()) {
		names.Device, _ = entryName(block, 1)
		if ids.Subsystem != nil {
			names.Subsystem = subsystemName(block, *ids.Subsystem)
		}
		break
	}
	return names
}

func (d *Database) className(index offsets, class Class) string {
	code := class.String()[2:]
	text := d.text[index.classes:]
	start := strings.Index(text, "C "+code[:2]+"  ")
	if start < 0 {
		return ""
	}
	base, end := entryName(text[start:], 2)
	for block := range deviceBlocks(text[start+end:], 1, code[2:4]) {
		name, _ := entryName(block, 1)
		return name
	}
	return base
}

// indexNames notes where each vendor and the class list begin.
func indexNames(text string) offsets {
	index := offsets{vendors: make(map[string]int, 2600), classes: len(text)}
	at := 0
	for line := range strings.Lines(text) {
		switch {
		case len(line) > 6 && countHex(line[:4]) == 4 && line[4:6] == "  ":
			index.vendors[line[:4]] = at
		case strings.HasPrefix(line, "C "):
			index.classes = at
			return index
		}
		at += len(line)
	}
	return index
}

// entryName gives the name in the line that begins at an offset (its id is
// indent bytes in, followed by two blanks) and the offset of the next line.
func entryName(text string, at int) (name string, next int) {
	line, _, found := strings.Cut(text[at:], "\n")
	next = at + len(line)
	if found {
		next++
	}
	_, name, _ = strings.Cut(line, "  ")
	return strings.TrimSpace(name), next
}

// deviceBlocks yields the line with the given id at the given depth and the
// deeper lines after it, within the entry that the text begins in.
func deviceBlocks(text string, depth int, id string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		at := 0
		for line := range strings.Lines(text) {
			if strings.TrimSpace(line) != "" && line[0] != '#' && indentOf(line) < depth {
				return
			}
			if indentOf(line) == depth && strings.HasPrefix(line[depth:], id+"  ") {
				if !yield(text[at : at+blockLength(text[at:], depth)]) {
					return
				}
			}
			at += len(line)
		}
	}
}

func blockLength(text string, depth int) int {
	length := 0
	for line := range strings.Lines(text) {
		if length > 0 && indentOf(line) <= depth && line[0] != '#' {
			return length
		}
		length += len(line)
	}
	return length
}

func indentOf(line string) int {
	return len(line) - len(strings.TrimLeft(line, "\t"))
}

func subsystemName(block string, sub Pair) string {
	wanted := sub.Vendor.String() + " " + sub.Device.String() + "  "
	for line := range strings.Lines(block) {
		if rest, ok := strings.CutPrefix(line, "\t\t"+wanted); ok {
			return strings.TrimSpace(rest)
		}
	}
	return ""
}
