// Package pci knows PCI addresses, the selectors that name them, identifiers,
// classes and their names. It is pure: it reads no file, no clock and no
// network, and everything else in the module may import it.
package pci

import (
	"cmp"
	"fmt"
)

// Address is the full address of one PCI function as Linux and Proxmox VE write
// it, for example 0000:01:00.0: domain, bus, device number and function.
//
// Domain has no fixed width: Intel VMD uses domains above ffff. Device and
// Function hold whatever the text said (up to ff and f), not only what the bus
// allows (up to 1f and 7), because Proxmox VE accepts such text and then finds
// no device for it.
type Address struct {
	Domain   uint32
	Bus      uint8
	Device   uint8
	Function uint8
}

// ParseAddress reads a full address in the one spelling that Linux uses: at
// least four lower-case hexadecimal digits of domain without superfluous zeros,
// two of bus, two of device, one of function.
func ParseAddress(s string) (Address, error) {
	sel, ok := ParseSelector(s)
	if !ok || !sel.hasDomain || !sel.hasFunction || !sel.canonical {
		return Address{}, fmt.Errorf("%q is not a full PCI address such as 0000:01:00.0", s)
	}
	return sel.first, nil
}

// String gives the address as Linux writes it.
func (a Address) String() string {
	var buf [16]byte
	return string(a.append(buf[:0]))
}

// Short gives the address without its domain if that is 0000, as people read it
// in narrow places.
func (a Address) Short() string {
	if a.Domain != 0 {
		return a.String()
	}
	return a.String()[len("0000:"):]
}

const hexDigits = "0123456789abcdef"

func (a Address) append(b []byte) []byte {
	for shift := 28; shift >= 0; shift -= 4 {
		if digit := a.Domain >> shift & 0xf; shift < 16 || a.Domain>>shift != 0 {
			b = append(b, hexDigits[digit])
		}
	}
	return append(b,
		':', hexDigits[a.Bus>>4], hexDigits[a.Bus&0xf],
		':', hexDigits[a.Device>>4], hexDigits[a.Device&0xf],
		'.', hexDigits[a.Function&0xf])
}

// Compare orders addresses numerically: domain, bus, device, function.
func (a Address) Compare(b Address) int {
	return cmp.Or(
		cmp.Compare(a.Domain, b.Domain),
		cmp.Compare(a.Bus, b.Bus),
		cmp.Compare(a.Device, b.Device),
		cmp.Compare(a.Function, b.Function),
	)
}

// Slot gives the address of function 0 of the same device number. Two functions
// belong to one PCI slot if their Slot is equal.
func (a Address) Slot() Address {
	a.Function = 0
	return a
}

// MarshalText writes the address as Linux does.
func (a Address) MarshalText() ([]byte, error) { return a.append(nil), nil }

// UnmarshalText reads what MarshalText writes.
func (a *Address) UnmarshalText(text []byte) error {
	parsed, err := ParseAddress(string(text))
	if err != nil {
		return err
	}
	*a = parsed
	return nil
}
