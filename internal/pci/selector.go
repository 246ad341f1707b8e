package pci

import "strings"

// Selector is one address as it may stand in the host option of a hostpci line
// or in the path of a mapping entry: with or without domain, with or without
// function.
//
// It names what Proxmox VE's PVE::SysFSTools::lspci finds for the same text: a
// missing domain means 0000, a missing function means every function of the
// slot (virtual functions in it included), and a domain written with more zeros
// than Linux writes names nothing, because the comparison is one of text.
type Selector struct {
	text        string
	first       Address
	hasDomain   bool
	hasFunction bool
	canonical   bool // the domain is written as Linux writes it
}

// ParseSelector reads one selector. It accepts what Proxmox VE accepts: an
// optional domain of at least four digits, lower-case hexadecimal digits only,
// one digit of function. It reports false for everything else.
func ParseSelector(s string) (Selector, bool) {
	sel, rest, ok := cutSelector(s)
	if !ok || rest != "" {
		return Selector{}, false
	}
	return sel, true
}

// ParseSelectors reads selectors joined by semicolons. It reports false if one
// of them is not a selector; an empty text is none.
func ParseSelectors(s string) ([]Selector, bool) {
	list := make([]Selector, 0, strings.Count(s, ";")+1)
	for {
		part, rest, more := strings.Cut(s, ";")
		sel, ok := ParseSelector(part)
		if !ok {
			return nil, false
		}
		list = append(list, sel)
		if !more {
			return list, true
		}
		s = rest
	}
}

// ValidSelectors reports whether ParseSelectors accepts the text.
func ValidSelectors(s string) bool {
	for {
		part, rest, more := strings.Cut(s, ";")
		if _, ok := ParseSelector(part); !ok {
			return false
		}
		if !more {
			return true
		}
		s = rest
	}
}

func cutSelector(s string) (sel Selector, rest string, ok bool) {
	digits := countHex(s)
	sel.canonical = true
	at := 0
	if digits >= 4 && digits < len(s) && s[digits] == ':' {
		sel.hasDomain = true
		sel.first.Domain, sel.canonical = parseDomain(s[:digits])
		at = digits + 1
	}
	if len(s) < at+5 || countHex(s[at:at+2]) != 2 || s[at+2] != ':' || countHex(s[at+3:at+5]) != 2 {
		return Selector{}, s, false
	}
	sel.first.Bus = hexByte(s[at], s[at+1])
	sel.first.Device = hexByte(s[at+3], s[at+4])
	at += 5
	if len(s) >= at+2 && s[at] == '.' && isHex(s[at+1]) {
		sel.hasFunction = true
		sel.first.Function = hexValue(s[at+1])
		at += 2
	}
	sel.text = s[:at]
	return sel, s[at:], true
}

// parseDomain reads the domain's digits. The second result is false if Linux
// would not write that number this way, or if it does not fit 32 bits.
func parseDomain(digits string) (uint32, bool) {
	if len(digits) > 8 || (len(digits) > 4 && digits[0] == '0') {
		return 0, false
	}
	var n uint32
	for i := range len(digits) {
		n = n<<4 | uint32(hexValue(digits[i]))
	}
	return n, true
}

// String gives the selector as it was written.
func (s Selector) String() string { return s.text }

// First gives the address that the selector names, with function 0 if it names
// a whole slot.
func (s Selector) First() Address { return s.first }

// HasDomain tells whether the domain was written.
func (s Selector) HasDomain() bool { return s.hasDomain }

// WholeSlot tells whether the selector names every function of its slot.
func (s Selector) WholeSlot() bool { return !s.hasFunction }

// Names tells whether the selector names the function at the given address.
func (s Selector) Names(a Address) bool {
	if !s.canonical {
		return false
	}
	if s.hasFunction {
		return a == s.first
	}
	return a.Slot() == s.first
}

// NamesNothing tells that the selector's domain is spelled in a way that no
// device can have, such as 00000:01:00.0.
func (s Selector) NamesNothing() bool { return !s.canonical }

// FindSelectors collects everything in a text that reads as a selector, in
// upper or lower case. It serves one purpose: to tell which devices a value that
// Proxmox VE refuses is likely to be about.
func FindSelectors(s string) []Selector {
	var found []Selector
	lower := strings.ToLower(s)
	for at := 0; at < len(lower); {
		if at > 0 && isWordByte(lower[at-1]) {
			at++
			continue
		}
		sel, rest, ok := cutSelector(lower[at:])
		if !ok || (rest != "" && isWordByte(rest[0])) {
			at++
			continue
		}
		found = append(found, sel)
		at += len(sel.text)
	}
	return found
}

func isWordByte(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c == ':' || c == '_' || c == '-'
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' }

func countHex(s string) int {
	for i := range len(s) {
		if !isHex(s[i]) {
			return i
		}
	}
	return len(s)
}

func hexValue(c byte) uint8 {
	if c >= 'a' {
		return c - 'a' + 10
	}
	return c - '0'
}

func hexByte(high, low byte) uint8 { return hexValue(high)<<4 | hexValue(low) }
