package pci

import (
	"fmt"
	"strconv"
	"strings"
)

// Class is the 24-bit class code of a function: base class, subclass and
// programming interface, for example 0x030000 for a VGA controller.
type Class uint32

// ParseClass reads a class as sysfs and the API of Proxmox VE write it: 0x and
// six hexadecimal digits.
func ParseClass(s string) (Class, error) {
	digits, ok := strings.CutPrefix(s, "0x")
	n, err := strconv.ParseUint(digits, 16, 24)
	if !ok || err != nil || len(digits) != 6 {
		return 0, fmt.Errorf("%q is not a PCI class such as 0x030000", s)
	}
	return Class(n), nil
}

// String gives the class as sysfs writes it.
func (c Class) String() string { return fmt.Sprintf("0x%06x", uint32(c)) }

// Base gives the base class, for example 0x03 for display controllers.
func (c Class) Base() uint8 { return uint8(c >> 16) }

// Kind sorts functions into what this product is about and the rest.
type Kind string

// The kinds of function.
const (
	Display     Kind = "display"     // base class 03
	Accelerator Kind = "accelerator" // base class 12, processing accelerators
	Other       Kind = "other"
)

// Kind tells which kind the class belongs to.
func (c Class) Kind() Kind {
	switch c.Base() {
	case 0x03:
		return Display
	case 0x12:
		return Accelerator
	default:
		return Other
	}
}

// HasBusBelow tells, by class alone, whether the kernel gives the function a
// pci_bus folder: PCI, semi-transparent PCI and CardBus bridges. Proxmox VE
// never takes such a function when it takes a group over.
func (c Class) HasBusBelow() bool {
	switch c >> 8 {
	case 0x0604, 0x0607, 0x0609:
		return true
	default:
		return false
	}
}

// MarshalText writes the class as sysfs does.
func (c Class) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (c *Class) UnmarshalText(text []byte) error {
	parsed, err := ParseClass(string(text))
	if err != nil {
		return err
	}
	*c = parsed
	return nil
}
