package hostfs

import (
	"slices"
	"strconv"
	"strings"

	"pciatlas/internal/facts"
	"pciatlas/internal/pci"
)

// vgaClass is the class, without programming interface, for which the kernel
// tells whether the function is the boot display. Of other classes a missing
// boot_vga says nothing.
const vgaClass = 0x0300

// hostFacts reads what only the node itself can tell of a function.
func (d *deviceFolder) hostFacts(class pci.Class) *facts.HostDevice {
	return &facts.HostDevice{
		Driver:       d.driver(),
		BusBelow:     d.has("pci_bus") || class.HasBusBelow(),
		BootDisplay:  d.bootDisplay(class),
		NUMA:         d.numa(),
		Reset:        d.has("reset"),
		ResetMethods: d.resetMethods(),
		Link: facts.Link{
			Speed: d.speed("current_link_speed"), Width: d.width("current_link_width"),
			MaxSpeed: d.speed("max_link_speed"), MaxWidth: d.width("max_link_width"),
		},
	}
}

// driver gives the name of the bound driver, "" for none.
func (d *deviceFolder) driver() string {
	driver := linked(d, "driver", d.fault, func(base string) (string, error) {
		if !showable(base) || base == "." || base == ".." || base == "/" {
			return "", malformed("")
		}
		return base, nil
	})
	if driver.Value == nil {
		return ""
	}
	return *driver.Value
}

func (d *deviceFolder) bootDisplay(class pci.Class) facts.Opt[bool] {
	if class>>8 != vgaClass {
		return facts.Opt[bool]{}
	}
	switch d.optional("boot_vga") {
	case "1":
		return facts.Told(true)
	case "0":
		return facts.Told(false)
	default:
		return facts.Opt[bool]{}
	}
}

func (d *deviceFolder) numa() facts.Opt[int] {
	node, err := strconv.ParseInt(d.optional("numa_node"), 10, 32)
	if err != nil || node < -1 {
		return facts.Opt[int]{}
	}
	return facts.Told(int(node))
}

// resetMethods gives the ways of reset in the kernel's order.
func (d *deviceFolder) resetMethods() []string {
	methods := strings.Fields(d.optional("reset_method"))
	methods = slices.DeleteFunc(methods, func(word string) bool { return !showable(word) })
	if len(methods) == 0 {
		return nil
	}
	return methods
}

// speed gives a link speed such as "16.0 GT/s PCIe", "" if it is unknown to the
// kernel.
func (d *deviceFolder) speed(name string) string {
	speed := d.optional(name)
	number, _, ok := strings.Cut(speed, " GT/s")
	if _, err := strconv.ParseFloat(number, 64); !ok || err != nil || !showable(speed) {
		return ""
	}
	return speed
}

// width gives a link width in lanes. The kernel writes 0 without a link and 255
// for a link it cannot read.
func (d *deviceFolder) width(name string) int {
	const unreadable = 255
	width, err := strconv.ParseUint(d.optional(name), 10, 8)
	if err != nil || width == unreadable {
		return 0
	}
	return int(width)
}
