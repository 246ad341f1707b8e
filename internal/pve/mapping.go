package pve

import (
	"slices"
	"strings"

	"pciatlas/internal/pci"
)

// Entry is one map string of a mapping: one choice of device on one node. Values
// are kept as text, because Proxmox VE compares them as text: group "01" is not
// group 1, and 10DE:2204 is not 10de:2204. Group and Subsystem are empty if not
// given.
type Entry struct {
	Node        string
	ID          string // vendor:device
	Path        string // selectors joined by ";", all given together
	Group       string // iommugroup
	Subsystem   string // subsystem-id
	Description string

	raw string
}

const (
	entryNode = iota
	entryID
	entryPath
	entryGroup
	entrySubsystem
	entryDescription
	entryOptions
)

// entryFormat follows $map_fmt of PVE::Mapping::PCI.
var entryFormat = format{
	entryNode:        {name: "node", required: true, valid: validNodeName, code: FaultBadNodeName, message: badNodeName},
	entryID:          {name: "id", required: true, valid: validIDPair},
	entryPath:        {name: "path", required: true, valid: validPath},
	entryGroup:       {name: "iommugroup", kind: integer},
	entrySubsystem:   {name: "subsystem-id", valid: validIDPair},
	entryDescription: {name: "description", maxLength: 4096},
}

// ParseEntry reads one map string as Proxmox VE does. The error is a
// *FormatError.
func ParseEntry(s string) (Entry, error) {
	var values [entryOptions]string
	if err := entryFormat.parse(s, values[:]); err != nil {
		return Entry{}, err
	}
	return Entry{
		Node: values[entryNode], ID: values[entryID], Path: values[entryPath],
		Group: values[entryGroup], Subsystem: values[entrySubsystem],
		Description: values[entryDescription], raw: s,
	}, nil
}

// Options gives the options that are set in the order Proxmox VE writes them,
// which is that of their names.
func (e Entry) Options() []Option {
	var list []Option
	for _, option := range []Option{
		{"description", e.Description},
		{"id", e.ID},
		{"iommugroup", e.Group},
		{"node", e.Node},
		{"path", e.Path},
		{"subsystem-id", e.Subsystem},
	} {
		if option.Value != "" {
			list = append(list, option)
		}
	}
	return list
}

// String gives the map string: the one that was read, or for an entry that was
// put together the one Proxmox VE would write.
func (e Entry) String() string {
	if e.raw != "" {
		return e.raw
	}
	var b strings.Builder
	for i, option := range e.Options() {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(option.Name + "=" + option.Value)
	}
	return b.String()
}

// Paths gives the parts of the path. All of them are given to the VM together.
func (e Entry) Paths() []string { return strings.Split(e.Path, ";") }

// MarshalText writes the map string.
func (e Entry) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// UnmarshalText reads a map string that Proxmox VE accepts.
func (e *Entry) UnmarshalText(text []byte) error {
	parsed, err := ParseEntry(string(text))
	if err != nil {
		return err
	}
	*e = parsed
	return nil
}

// Mapping is a PCI resource mapping. Description, Mdev and LiveMigration are nil
// if not set in the file; for Mdev and LiveMigration that means off.
type Mapping struct {
	ID            string  `json:"id"`
	Description   *string `json:"description,omitempty"`
	Mdev          *bool   `json:"mdev,omitempty"`
	LiveMigration *bool   `json:"live-migration-capable,omitempty"`
	Entries       []Entry `json:"map"`
	// Digest is that of the whole mapping file, the same in all its mappings.
	// No snapshot file holds it: it would tell whether a guess at names is right.
	Digest string `json:"-"`
}

// On gives the entries for a node, in their order. Names of nodes are compared
// with regard to case, as Proxmox VE does.
func (m *Mapping) On(node string) []Entry {
	var entries []Entry
	for _, entry := range m.Entries {
		if entry.Node == node {
			entries = append(entries, entry)
		}
	}
	return entries
}

// Names tells whether a part of the entry's path names the function.
func (e Entry) Names(address pci.Address) bool {
	return slices.ContainsFunc(e.Paths(), func(part string) bool {
		selector, ok := PathSelector(part)
		return ok && selector.Names(address)
	})
}

// HasMdev tells whether the mapping is for mediated devices.
func (m *Mapping) HasMdev() bool { return m.Mdev != nil && *m.Mdev }

// validPath mirrors the pattern of path. Its dot is not escaped in Proxmox VE,
// so any character may stand before the function's digit; such a path is
// accepted and then names no device.
func validPath(s string) bool {
	for part := range strings.SplitSeq(s, ";") {
		if !validPathPart(part) {
			return false
		}
	}
	return true
}

func validPathPart(s string) bool {
	domain, rest, found := strings.Cut(s, ":")
	if !found || len(domain) < 4 || !isLowerHex(domain) {
		return false
	}
	if len(rest) < 5 || rest[2] != ':' || !isLowerHex(rest[:2]) || !isLowerHex(rest[3:5]) {
		return false
	}
	runes := []rune(rest[5:])
	return len(runes) == 0 || len(runes) == 2 && runes[0] != '\n' && isLowerHex(string(runes[1]))
}

func isLowerHex(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return s != ""
}

func validIDPair(s string) bool {
	return len(s) == 9 && s[4] == ':' && isHexDigits(s[:4]) && isHexDigits(s[5:])
}

// validNodeName mirrors the format pve-node: one DNS label.
func validNodeName(s string) bool {
	for i := range len(s) {
		c := s[i]
		inner := c == '-' && i > 0 && i < len(s)-1
		if !isLetter(c) && (c < '0' || c > '9') && !inner {
			return false
		}
	}
	return s != ""
}

// ValidNodeName tells whether Proxmox VE accepts a text as the name of a node.
func ValidNodeName(s string) bool { return validNodeName(s) }

func badNodeName(string) string { return "value does not look like a valid node name" }

// PathSelector reads one part of an entry's path as a selector. ok is false for
// the parts that PVE's pattern accepts but that name no device.
func PathSelector(part string) (sel pci.Selector, ok bool) { return pci.ParseSelector(part) }
