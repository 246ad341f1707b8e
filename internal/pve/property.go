// Package pve reads and prints the notations of Proxmox VE: property strings,
// hostpci values, mapping entries and their file, VM configuration files,
// pending lists and versions. It accepts and refuses what Proxmox VE accepts and
// refuses, for the same class of reason. It is pure and knows no device: what a
// value names on a node is decided in package atlas.
package pve

import (
	"slices"
	"strconv"
	"strings"
)

// Codes of faults in a property string. They are the class part of the vectors'
// parse_error_classes.
const (
	FaultPattern         = "pattern"
	FaultNotBoolean      = "not-boolean"
	FaultNotInteger      = "not-integer"
	FaultNotNumber       = "not-number"
	FaultNotInEnum       = "not-in-enum"
	FaultBadID           = "bad-id"
	FaultBadNodeName     = "bad-node-name"
	FaultBadFormat       = "bad-format"
	FaultTooLong         = "too-long"
	FaultTooSmall        = "too-small"
	FaultTooLarge        = "too-large"
	FaultUnknownKey      = "unknown-key"
	FaultMissingRequired = "missing-required"
	FaultMissingKey      = "missing-key-or-value"
	FaultDuplicateKey    = "duplicate-key"
	FaultNoDefaultKey    = "value-without-key"
)

// Fault is one reason why Proxmox VE refuses a property string. Option is empty
// where the reason is about the string as a whole. Message is PVE's sentence.
type Fault struct {
	Option  string
	Code    string
	Message string
}

// Class gives the fault as the vectors write it: option and code, or the code
// alone.
func (f Fault) Class() string {
	if f.Option == "" {
		return f.Code
	}
	return f.Option + ":" + f.Code
}

// FormatError says that Proxmox VE refuses a property string. Faults are in
// order of the option's name.
type FormatError struct {
	Faults []Fault
}

// Error gives all of PVE's sentences.
func (e *FormatError) Error() string {
	var b strings.Builder
	for i, f := range e.Faults {
		if i > 0 {
			b.WriteString("; ")
		}
		if f.Option != "" {
			b.WriteString(f.Option)
			b.WriteString(": ")
		}
		b.WriteString(f.Message)
	}
	return b.String()
}

type valueKind uint8

const (
	text valueKind = iota
	boolean
	integer
	number
)

// property is one option of a property string's format, after the schemas of
// PVE::JSONSchema.
type property struct {
	name      string
	kind      valueKind
	isDefault bool // a part without "=" is this option's value
	required  bool
	enum      []string
	valid     func(string) bool // nil: any text
	code      string            // of what valid refuses; FaultPattern if empty
	message   func(string) string
	maxLength int // 0: none
	min, max  int // both 0: no limits
	aliasOf   string
}

// format lists the options of one kind of property string.
type format []property

func (f format) find(name string) int {
	for i := range f {
		if f[i].name == name {
			return i
		}
	}
	return -1
}

func (f format) defaultKey() int {
	for i := range f {
		if f[i].isDefault {
			return i
		}
	}
	return -1
}

// parse splits a property string into values, one for each property of the
// format, "" where an option is not given (no option can have an empty value).
// It mirrors PVE::JSONSchema::parse_property_string: the first fault in the
// string's structure ends the reading, all other faults are collected.
func (f format) parse(s string, values []string) *FormatError {
	var unknown []string
	sawDefault := false
	for s != "" {
		var part string
		part, s, _ = strings.Cut(s, ",")
		if blank(part) {
			continue
		}
		key, value, hasEquals := strings.Cut(part, "=")
		switch {
		case !hasEquals:
			if fault := f.setDefault(part, values, sawDefault); fault != nil {
				return fault
			}
			sawDefault = true
		case key == "" || value == "" || strings.IndexByte(value, '\n') >= 0:
			return structural(FaultMissingKey, "missing key in comma-separated list property")
		default:
			index := f.find(key)
			if index < 0 {
				if slices.Contains(unknown, key) {
					return duplicate(key)
				}
				unknown = append(unknown, key)
				continue
			}
			if values[index] != "" {
				return duplicate(key)
			}
			values[f.target(index)] = f[index].normalise(value)
		}
	}
	return f.check(values, unknown)
}

// setDefault takes a part without a key. A default option that was given as "0"
// is overwritten, as PVE does.
func (f format) setDefault(part string, values []string, again bool) *FormatError {
	index := f.defaultKey()
	if index < 0 {
		return structural(FaultNoDefaultKey, "value without key, but schema does not define a default key")
	}
	if again || (values[index] != "" && values[index] != "0") {
		return duplicate(f[index].name)
	}
	values[index] = part
	return nil
}

func (f format) target(index int) int {
	if f[index].aliasOf == "" {
		return index
	}
	return f.find(f[index].aliasOf)
}

func (f format) check(values, unknown []string) *FormatError {
	var faults []Fault
	for i := range f {
		if fault, bad := f[i].check(values[i]); bad {
			faults = append(faults, fault)
		}
	}
	for _, key := range unknown {
		faults = append(faults, Fault{
			key, FaultUnknownKey,
			"property is not defined in schema and the schema does not allow additional properties",
		})
	}
	if faults == nil {
		return nil
	}
	sortFaults(faults)
	return &FormatError{Faults: faults}
}

func (p *property) normalise(value string) string {
	if p.kind != boolean {
		return value
	}
	if on, ok := ParseBool(value); ok {
		if on {
			return "1"
		}
		return "0"
	}
	return value
}

func (p *property) check(value string) (Fault, bool) {
	if value == "" {
		if p.required {
			return Fault{p.name, FaultMissingRequired, "property is missing and it is not optional"}, true
		}
		return Fault{}, false
	}
	if code, kind := p.checkKind(value); code != "" {
		return Fault{p.name, code, "type check ('" + kind + "') failed - got '" + value + "'"}, true
	}
	if p.valid != nil && !p.valid(value) {
		return p.refuse(value), true
	}
	if p.maxLength > 0 && len(value) > p.maxLength {
		return Fault{
			p.name, FaultTooLong,
			"value may only be " + strconv.Itoa(p.maxLength) + " characters long",
		}, true
	}
	if p.enum != nil && !slices.Contains(p.enum, value) {
		return Fault{
			p.name, FaultNotInEnum,
			"value '" + value + "' does not have a value in the enumeration '" + strings.Join(p.enum, ", ") + "'",
		}, true
	}
	return p.checkRange(value)
}

func (p *property) checkKind(value string) (code, kind string) {
	switch {
	case p.kind == boolean && value != "0" && value != "1":
		return FaultNotBoolean, "boolean"
	case p.kind == integer && !isInteger(value):
		return FaultNotInteger, "integer"
	case p.kind == number && !isNumber(value):
		return FaultNotNumber, "number"
	default:
		return "", ""
	}
}

func (p *property) checkRange(value string) (Fault, bool) {
	if p.min == 0 && p.max == 0 {
		return Fault{}, false
	}
	n, err := strconv.ParseFloat(value, 64)
	switch {
	case err != nil:
		return Fault{}, false
	case p.max != 0 && n > float64(p.max):
		return Fault{p.name, FaultTooLarge, "value must have a maximum value of " + strconv.Itoa(p.max)}, true
	case n < float64(p.min):
		return Fault{p.name, FaultTooSmall, "value must have a minimum value of " + strconv.Itoa(p.min)}, true
	default:
		return Fault{}, false
	}
}

func (p *property) refuse(value string) Fault {
	fault := Fault{p.name, FaultPattern, "value does not match the regex pattern"}
	if p.code != "" {
		fault.Code = p.code
	}
	if p.message != nil {
		fault.Message = "invalid format - " + p.message(value)
	}
	return fault
}

func structural(code, message string) *FormatError {
	return &FormatError{Faults: []Fault{{"", code, message}}}
}

func duplicate(key string) *FormatError {
	return structural(FaultDuplicateKey, "duplicate key in comma-separated list property: "+key)
}

func sortFaults(faults []Fault) {
	for i := 1; i < len(faults); i++ {
		for j := i; j > 0 && faults[j].Option < faults[j-1].Option; j-- {
			faults[j], faults[j-1] = faults[j-1], faults[j]
		}
	}
}

// ParseBool reads a boolean as configuration files may spell it: 1, on, yes,
// true, 0, off, no, false in any case. ok is false for everything else.
func ParseBool(s string) (on, ok bool) {
	switch {
	case s == "1", equalFold(s, "on"), equalFold(s, "yes"), equalFold(s, "true"):
		return true, true
	case s == "0", equalFold(s, "off"), equalFold(s, "no"), equalFold(s, "false"):
		return false, true
	default:
		return false, false
	}
}

// equalFold compares with a lower-case word, ignoring the case of ASCII letters
// only.
func equalFold(s, lower string) bool {
	if len(s) != len(lower) {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}

// isSpace tells what Perl's \s matches in a text of bytes.
func isSpace(c byte) bool {
	return c == ' ' || c >= '\t' && c <= '\r'
}

func blank(s string) bool {
	for i := range len(s) {
		if !isSpace(s[i]) {
			return false
		}
	}
	return true
}

func trimRight(s string) string {
	for s != "" && isSpace(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	return s
}

func trimLeft(s string) string {
	for s != "" && isSpace(s[0]) {
		s = s[1:]
	}
	return s
}

func isDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// isInteger mirrors PVE::JSONSchema::is_integer.
func isInteger(s string) bool {
	if s != "" && (s[0] == '+' || s[0] == '-') {
		s = s[1:]
	}
	return isDigits(s)
}

// isNumber mirrors PVE::JSONSchema::is_number.
func isNumber(s string) bool {
	if s != "" && (s[0] == '+' || s[0] == '-') {
		s = s[1:]
	}
	if mantissa, exponent, found := cutAny(s, "eE"); found {
		if !isInteger(exponent) {
			return false
		}
		s = mantissa
	}
	whole, fraction, dotted := strings.Cut(s, ".")
	if !dotted {
		return isDigits(whole)
	}
	return (whole == "" || isDigits(whole)) && (fraction == "" || isDigits(fraction)) && whole+fraction != ""
}

func cutAny(s, chars string) (before, after string, found bool) {
	if i := strings.IndexAny(s, chars); i >= 0 {
		return s[:i], s[i+1:], true
	}
	return s, "", false
}
