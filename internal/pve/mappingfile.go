package pve

import (
	"crypto/sha1" //nolint:gosec // Proxmox VE's digests are SHA-1; nothing is protected by it here.
	"encoding/hex"
	"strconv"
	"strings"
)

// DroppedLine is a line of a configuration file that Proxmox VE does not take,
// silently except for its own log.
//
// Text is kept only where the line is about passthrough (a hostpci line, a line
// of the mapping file), so that no other content of a file can leave through it.
type DroppedLine struct {
	Line    int    `json:"line"`              // counted from 1
	Section string `json:"section,omitempty"` // "" main, "pending", the snapshot's or the mapping's name
	Key     string `json:"key,omitempty"`     // as far as it can be told
	Text    string `json:"text,omitempty"`    // the value, or the whole line if it has no key
	Reason  string `json:"reason"`
}

// ParseMappingFile reads mapping/pci.cfg as PVE::SectionConfig and
// PVE::Mapping::PCI do: a section begins with an id at the start of a line, its
// properties are indented, an empty line ends it. Mappings without a valid entry
// do not exist for Proxmox VE. Mappings come sorted by id.
func ParseMappingFile(content string) ([]Mapping, []DroppedLine) {
	reader := mappingReader{lines: strings.Split(content, "\n"), byID: map[string]*Mapping{}}
	reader.read()
	digest := Digest(content)
	mappings := make([]Mapping, 0, len(reader.byID))
	for _, id := range sortedKeys(reader.byID) {
		if mapping := reader.byID[id]; mapping != nil {
			mapping.Digest = digest
			mappings = append(mappings, *mapping)
		}
	}
	return mappings, reader.dropped
}

// Digest gives the digest that Proxmox VE shows for a configuration file.
func Digest(content string) string {
	sum := sha1.Sum([]byte(content)) //nolint:gosec // see the import
	return hex.EncodeToString(sum[:])
}

type mappingReader struct {
	lines   []string
	at      int // number of lines read
	byID    map[string]*Mapping
	dropped []DroppedLine
}

// next gives the next line that is no comment; ok is false at the end.
func (r *mappingReader) next() (line string, ok bool) {
	for r.at < len(r.lines) {
		line = r.lines[r.at]
		r.at++
		if !strings.HasPrefix(trimLeft(line), "#") {
			return line, true
		}
	}
	return "", false
}

func (r *mappingReader) read() {
	for {
		line, ok := r.next()
		if !ok {
			return
		}
		if line == "" || line == "0" {
			continue
		}
		id := trimRight(line)
		if strings.IndexFunc(id, func(c rune) bool { return c < 128 && isSpace(byte(c)) }) >= 0 || id == "" {
			r.drop("", "", line, "no section begins with this line")
			continue
		}
		r.section(id)
	}
}

// section reads the properties of one mapping.
func (r *mappingReader) section(id string) {
	mapping := &Mapping{ID: id}
	skip := !validConfigID(id)
	if skip {
		r.drop(id, "", id, badConfigID(id))
	}
	first := r.at
	for {
		line, ok := r.next()
		if !ok || line == "" || line == "0" {
			break
		}
		if skip {
			continue
		}
		key, value, indented := splitProperty(line)
		if !indented {
			r.drop(id, "", line, "a property must be indented")
			continue
		}
		if reason := mapping.set(key, value); reason != "" {
			r.drop(id, key, value, reason)
		}
	}
	switch {
	case skip:
	case len(mapping.Entries) == 0:
		r.dropped = append(r.dropped, DroppedLine{
			Line: first, Section: id, Text: id, Reason: "missing value for required option 'map'",
		})
		r.byID[id] = nil
	default:
		r.byID[id] = mapping
	}
}

func (r *mappingReader) drop(section, key, text, reason string) {
	r.dropped = append(r.dropped, DroppedLine{
		Line: r.at, Section: section, Key: key, Text: strings.TrimSpace(text), Reason: reason,
	})
}

// splitProperty reads one indented line: a key, and after white space a value.
func splitProperty(line string) (key, value string, ok bool) {
	if line == "" || !isSpace(line[0]) {
		return "", "", false
	}
	body := trimRight(trimLeft(line))
	for i := range len(body) {
		if isSpace(body[i]) {
			return body[:i], trimLeft(body[i:]), true
		}
	}
	return body, "", body != ""
}

// set takes one property. It gives the reason why Proxmox VE does not take it,
// or "".
func (m *Mapping) set(key, value string) string {
	if strings.ContainsRune(value, '\r') {
		return "property contains a line feed"
	}
	switch key {
	case "map":
		if value == "" {
			return "got undefined value"
		}
		entry, err := ParseEntry(value)
		if err != nil {
			return "invalid format - format error: " + err.Error()
		}
		m.Entries = append(m.Entries, entry)
		return ""
	case "description":
		return m.setDescription(value)
	case "mdev":
		return setFlag(&m.Mdev, value)
	case "live-migration-capable":
		return setFlag(&m.LiveMigration, value)
	case "id":
		return "unexpected property 'id'"
	default:
		return "unknown property type"
	}
}

const maxDescription = 4096

func (m *Mapping) setDescription(value string) string {
	switch {
	case m.Description != nil:
		return "duplicate attribute"
	case value == "":
		return "got undefined value"
	case len(value) > maxDescription:
		return "value may only be " + strconv.Itoa(maxDescription) + " characters long"
	default:
		m.Description = &value
		return ""
	}
}

// setFlag takes a boolean, for which only 1, 0 and nothing (1) are accepted.
func setFlag(flag **bool, value string) string {
	if *flag != nil {
		return "duplicate attribute"
	}
	if value != "" && value != "0" && value != "1" {
		return "type check ('boolean') failed - got '" + value + "'"
	}
	on := value != "0"
	*flag = &on
	return ""
}
