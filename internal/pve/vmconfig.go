package pve

import (
	"net/url"
	"strings"
)

// KeyValue is one key of a configuration section with its value as the API shows
// it: booleans as 1 or 0, integers without zeros in front.
type KeyValue struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// Section is the content of one section of a VM configuration file, each key
// once, in order of first appearance.
type Section []KeyValue

// Get gives the value of a key.
func (s Section) Get(key string) (value string, ok bool) {
	if found := s.find(key); found != nil {
		return found.Value, true
	}
	return "", false
}

func (s Section) find(key string) *KeyValue {
	for i := range s {
		if s[i].Key == key {
			return &s[i]
		}
	}
	return nil
}

func (s *Section) set(key, value string) (replaced bool) {
	if found := s.find(key); found != nil {
		found.Value = value
		return true
	}
	*s = append(*s, KeyValue{key, value})
	return false
}

// NamedSection is the section of a snapshot.
type NamedSection struct {
	Name string
	Section
}

// RepeatedKey is a key that stands several times in one section; Proxmox VE
// takes the last one.
type RepeatedKey struct {
	Line    int    `json:"line"` // of the later one, counted from 1
	Section string `json:"section,omitempty"`
	Key     string `json:"key"`
}

// VMConfig is a VM configuration file as Proxmox VE reads it. It holds every
// value, secrets included: what leaves the process is chosen by the reader that
// makes facts of it.
type VMConfig struct {
	Digest    string
	Main      Section
	Pending   Section
	Deletions []Deletion
	Snapshots []NamedSection
	Dropped   []DroppedLine
	Repeated  []RepeatedKey
}

// Deletion is one key that the pending section asks to remove.
type Deletion struct {
	Key   string
	Force bool
}

const (
	sectionMain    = ""
	sectionPending = "pending"
)

// ParseVMConfig reads the text of a qemu-server/VMID.conf file as
// PVE::QemuServer::parse_vm_config does. It never fails: lines that Proxmox VE
// drops are listed, those about hostpci with their text.
func ParseVMConfig(content string) VMConfig {
	reader := vmReader{config: VMConfig{Digest: Digest(content), Main: make(Section, 0, 24)}}
	reader.section = &reader.config.Main
	number := 0
	for content != "" {
		var line string
		line, content, _ = strings.Cut(content, "\n")
		number++
		reader.line = number
		reader.read(line)
	}
	reader.finishDescription()
	return reader.config
}

type vmReader struct {
	config      VMConfig
	line        int
	name        string   // of the section
	section     *Section // nil: the lines of an unknown section are skipped
	unchecked   bool     // in a special section: values are not ours
	description strings.Builder
	described   bool
	snapshots   map[string]int // where a snapshot's section is
}

func (r *vmReader) read(line string) {
	if blank(line) {
		return
	}
	if line[0] == '[' && r.header(trimRight(line)) {
		return
	}
	if r.section == nil || r.unchecked {
		if key, value, ok := splitKey(line); ok && strings.HasPrefix(key, "hostpci") {
			r.drop(key, value, "in a section that Proxmox VE does not take lines from")
		}
		return
	}
	if line[0] == '#' {
		r.describe(unescape(line[1:]) + "\n")
		return
	}
	key, value, ok := splitKey(line)
	switch {
	case ok && key == "description" && !blank(value):
		r.describe(unescape(value))
	case isSnapState(line):
		if ok && strings.HasPrefix(key, "hostpci") {
			r.drop(key, value, "taken for the mark of an unfinished snapshot")
		}
	case ok && key == "delete" && !blank(value):
		r.delete(value)
	case ok && key == "args" && !blank(value):
		r.set(key, value)
	case ok:
		r.take(key, value)
	default:
		r.drop("", line, "unable to parse config")
	}
}

// header changes the section. It reports false for lines that are no header.
func (r *vmReader) header(line string) bool {
	name, ok := strings.CutSuffix(line[1:], "]")
	if !ok || strings.Contains(name, "]") {
		return false
	}
	r.finishDescription()
	r.unchecked = false
	switch {
	case equalFold(name, sectionPending):
		r.name = sectionPending
		r.config.Pending, r.config.Deletions = nil, nil
		r.section = &r.config.Pending
	case equalFold(name, "special:cloudinit"), equalFold(name, "special:fleecing"):
		r.name, r.unchecked = name, true
	case validConfigID(name):
		r.name = name
		r.section = r.snapshot(name)
	default:
		r.name, r.section = name, nil
	}
	return true
}

// snapshot starts the section of a snapshot; a second one of the same name
// replaces the first.
func (r *vmReader) snapshot(name string) *Section {
	if i, ok := r.snapshots[name]; ok {
		r.config.Snapshots[i].Section = nil
		return &r.config.Snapshots[i].Section
	}
	if r.snapshots == nil {
		r.snapshots = map[string]int{}
	}
	r.snapshots[name] = len(r.config.Snapshots)
	r.config.Snapshots = append(r.config.Snapshots, NamedSection{Name: name})
	return &r.config.Snapshots[len(r.config.Snapshots)-1].Section
}

// splitKey reads "key: value". The value has no white space around it, but it is
// never empty: of a value of nothing but white space one character stays.
func splitKey(line string) (key, value string, ok bool) {
	key, value, found := strings.Cut(line, ":")
	if !found || value == "" || !isKey(key) {
		return "", "", false
	}
	if trimmed := trimRight(trimLeft(value)); trimmed != "" {
		return key, trimmed, true
	}
	return key, value[len(value)-1:], true
}

func isKey(key string) bool {
	stem := strings.TrimRight(key, "0123456789")
	for i := range len(stem) {
		c := stem[i]
		if (c < 'a' || c > 'z') && (i == 0 || c != '_' && c != '-') {
			return false
		}
	}
	return stem != ""
}

// isSnapState recognises the marks of an unfinished snapshot, wherever in the
// line they stand.
func isSnapState(line string) bool {
	line = trimRight(line)
	for _, state := range []string{"prepare", "delete"} {
		if rest, ok := strings.CutSuffix(line, state); ok && strings.HasSuffix(trimRight(rest), "snapstate:") {
			return true
		}
	}
	return false
}

func (r *vmReader) take(key, value string) {
	spec, known := lookupVMKey(key)
	if !known {
		r.drop(key, value, "unknown setting '"+key+"'")
		return
	}
	value, reason := spec.read(value)
	if reason != "" {
		r.drop(key, value, reason)
		return
	}
	if key == "cdrom" {
		key = "ide2"
	}
	r.set(key, value)
}

func (r *vmReader) set(key, value string) {
	if r.section.set(key, value) {
		r.config.Repeated = append(r.config.Repeated, RepeatedKey{Line: r.line, Section: r.name, Key: key})
	}
}

// read mirrors PVE::QemuServer::check_type: it gives the value as the API shows
// it, or the reason of refusal.
func (s keySpec) read(value string) (read, reason string) {
	if strings.IndexByte(value, '\r') >= 0 {
		return value, "property contains a line feed"
	}
	switch s.kind {
	case boolean:
		on, ok := ParseBool(value)
		if !ok {
			return value, "type check ('boolean') failed"
		}
		return flag(on), ""
	case integer:
		if !isDigits(value) {
			return value, "type check ('integer') failed"
		}
		return trimZeros(value), ""
	case number:
		whole, fraction, dotted := strings.Cut(value, ".")
		if !isDigits(whole) || dotted && !isDigits(fraction) {
			return value, "type check ('number') failed"
		}
		return value, ""
	case text:
	}
	if s.check == nil {
		return unquote(value), ""
	}
	if err := s.check(value); err != nil {
		return value, err.Error()
	}
	return value, ""
}

func trimZeros(digits string) string {
	trimmed := strings.TrimLeft(digits, "0")
	if trimmed == "" {
		return "0"
	}
	return trimmed
}

func unquote(s string) string {
	if len(s) >= 2 && s[0] == '"' && s[len(s)-1] == '"' {
		return s[1 : len(s)-1]
	}
	return s
}

func (r *vmReader) delete(value string) {
	if r.name != sectionPending {
		r.drop("delete", "", "property 'delete' is only allowed in [PENDING]")
		return
	}
	r.config.Deletions = parseDeletions(value)
}

// parseDeletions mirrors PVE::AbstractConfig::parse_pending_delete: one ! before
// a key forces its removal; the last mention of a key counts.
func parseDeletions(value string) []Deletion {
	var list []Deletion
	at := map[string]int{}
	for _, word := range SplitList(value) {
		key, force := strings.CutPrefix(word, "!")
		if i, ok := at[key]; ok {
			list[i].Force = force
			continue
		}
		at[key] = len(list)
		list = append(list, Deletion{Key: key, Force: force})
	}
	return list
}

// drop notes a line that Proxmox VE does not take. The text is kept only of
// lines about hostpci; a reason never repeats the text of others.
func (r *vmReader) drop(key, value, reason string) {
	dropped := DroppedLine{Line: r.line, Section: r.name, Reason: reason}
	if key == "" {
		key, value = splitMalformed(value)
	}
	if strings.HasPrefix(key, "hostpci") {
		dropped.Key, dropped.Text = key, value
	} else if _, known := lookupVMKey(key); known {
		dropped.Key = key
		dropped.Reason = "value not accepted"
	} else {
		dropped.Reason = "line not accepted"
	}
	r.config.Dropped = append(r.config.Dropped, dropped)
}

// splitMalformed takes a line apart that is no "key: value" but seems to mean a
// hostpci key, which comes in lower case; of other lines nothing is given.
func splitMalformed(line string) (key, value string) {
	const stem = "hostpci"
	line = strings.TrimSpace(line)
	if len(line) < len(stem) || !equalFold(line[:len(stem)], stem) {
		return "", ""
	}
	rest := strings.TrimLeft(line[len(stem):], "0123456789")
	key = strings.ToLower(line[:len(line)-len(rest)])
	rest = strings.TrimSpace(rest)
	if after, ok := strings.CutPrefix(rest, ":"); ok {
		rest = strings.TrimSpace(after)
	}
	return key, rest
}

func (r *vmReader) describe(s string) {
	r.description.WriteString(s)
	r.described = true
}

func (r *vmReader) finishDescription() {
	if !r.described {
		return
	}
	if r.section != nil && !r.unchecked {
		r.section.set("description", trimRight(r.description.String()))
	}
	r.description.Reset()
	r.described = false
}

func unescape(s string) string {
	if decoded, err := url.PathUnescape(s); err == nil {
		return decoded
	}
	return s
}
