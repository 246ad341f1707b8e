package pci

import (
	"fmt"
	"strconv"
	"strings"
)

// ID is a 16-bit vendor or device id.
type ID uint16

// ParseID reads four hexadecimal digits, with or without 0x before them.
func ParseID(s string) (ID, error) {
	digits := strings.TrimPrefix(s, "0x")
	n, err := strconv.ParseUint(digits, 16, 16)
	if err != nil || len(digits) != 4 {
		return 0, fmt.Errorf("%q is not a PCI id of four hexadecimal digits", s)
	}
	return ID(n), nil
}

// String gives the id as four lower-case hexadecimal digits.
func (id ID) String() string {
	return string([]byte{
		hexDigits[id>>12], hexDigits[id>>8&0xf], hexDigits[id>>4&0xf], hexDigits[id&0xf],
	})
}

// MarshalText writes the id as String does.
func (id ID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (id *ID) UnmarshalText(text []byte) error {
	parsed, err := ParseID(string(text))
	if err != nil {
		return err
	}
	*id = parsed
	return nil
}

// Pair is a vendor id with one of that vendor's device ids.
type Pair struct {
	Vendor ID `json:"vendor"`
	Device ID `json:"device"`
}

// String gives the pair as mapping entries write it, for example 10de:2204.
func (p Pair) String() string { return p.Vendor.String() + ":" + p.Device.String() }

// IDs is what a function says of its maker and model. Subsystem is nil if the
// function has no subsystem ids; 0000:0000 is a subsystem.
type IDs struct {
	Pair
	Subsystem *Pair `json:"subsystem"`
}
