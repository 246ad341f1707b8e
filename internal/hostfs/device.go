package hostfs

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"pciatlas/internal/facts"
	"pciatlas/internal/pci"
)

// deviceFolder is one function in sysfs: its folder.
type deviceFolder struct {
	*folder
	limit int
	names map[string]bool // what stands in it
	// faults are why something that the facts state is not so; remarks are why
	// something is not told.
	faults, remarks []facts.Problem
	// untoldTypes are those of the remarks that are about types of mediated device.
	untoldTypes []facts.Problem
}

// device reads the function in the folder, nil if what it is cannot be read.
func (d *deviceFolder) device(address pci.Address) *facts.Device {
	device := &facts.Device{Address: address}
	device.IDs.Vendor = required(d, "vendor", pci.ParseID)
	device.IDs.Device = required(d, "device", pci.ParseID)
	device.Class = required(d, "class", pci.ParseClass)
	if len(d.faults) > 0 {
		return nil
	}
	device.IDs.Subsystem = d.subsystem()
	device.Group = d.group()
	device.Parent = d.parent()
	device.VFs = d.virtualFunctions()
	device.Host = d.hostFacts(device.Class)
	d.readMdev(device)
	return device
}

func (d *deviceFolder) has(name string) bool { return d.names[name] }

// fault notes that something of the function is there and could not be read, so
// that the facts do not hold it although it is.
func (d *deviceFolder) fault(name string, err error) {
	d.faults = append(d.faults, problemOf(path.Join(d.path, name), err))
}

// remark notes that something could not be read that the facts do not tell then,
// or that decides nothing.
func (d *deviceFolder) remark(name string, err error) {
	d.remarks = append(d.remarks, problemOf(path.Join(d.path, name), err))
}

// required reads a value without which nobody knows what the function is.
func required[T any](d *deviceFolder, name string, parse func(string) (T, error)) T {
	text, err := d.read(name, d.limit)
	var value T
	if err == nil {
		if value, err = parse(strings.TrimSpace(text)); err != nil {
			err = malformed("does not hold what the kernel writes there")
		}
	}
	if err != nil {
		d.fault(name, err)
	}
	return value
}

// optional gives the text of a file that not every function has, or "". What
// cannot be read is not told.
func (d *deviceFolder) optional(name string) string {
	if !d.has(name) {
		return ""
	}
	text, err := d.read(name, d.limit)
	if err != nil {
		return ""
	}
	return keep(strings.TrimSpace(text))
}

// subsystem gives the subsystem ids, nil if the function has none.
func (d *deviceFolder) subsystem() *pci.Pair {
	if !d.has("subsystem_vendor") || !d.has("subsystem_device") {
		return nil
	}
	before := len(d.faults)
	pair := pci.Pair{
		Vendor: required(d, "subsystem_vendor", pci.ParseID),
		Device: required(d, "subsystem_device", pci.ParseID),
	}
	if len(d.faults) > before {
		return nil
	}
	return &pair
}

// group gives the IOMMU group: the last part of the link iommu_group.
func (d *deviceFolder) group() facts.Opt[*int] {
	return linked(d, "iommu_group", d.fault, func(base string) (int, error) {
		group, err := strconv.ParseUint(base, 10, 31)
		return int(group), err
	})
}

// parent gives the physical function of a virtual one.
func (d *deviceFolder) parent() facts.Opt[*pci.Address] {
	return linked(d, "physfn", d.remark, pci.ParseAddress)
}

// linked reads a fact from the last part of a link's target. No link means told
// and none; a link of another shape is noted and not told.
func linked[T any](
	d *deviceFolder, name string, note func(string, error), parse func(string) (T, error),
) facts.Opt[*T] {
	if !d.has(name) {
		return facts.Told[*T](nil)
	}
	base, err := d.link(name)
	if errors.Is(err, fs.ErrNotExist) {
		return facts.Told[*T](nil)
	}
	var value T
	if err == nil {
		if value, err = parse(base); err != nil {
			err = malformed("is a link that does not look like the kernel's")
		}
	}
	if err != nil {
		note(name, err)
		return facts.Opt[*T]{}
	}
	return facts.Told(&value)
}

// virtualFunctions gives the targets of the links virtfn0, virtfn1 and so on.
func (d *deviceFolder) virtualFunctions() facts.Opt[[]pci.Address] {
	list := []pci.Address{}
	for name := range d.names {
		number, ok := strings.CutPrefix(name, "virtfn")
		if _, err := strconv.ParseUint(number, 10, 31); !ok || err != nil {
			continue
		}
		function := linked(d, name, d.remark, pci.ParseAddress)
		if !function.Told {
			return facts.Opt[[]pci.Address]{}
		}
		if function.Value != nil {
			list = append(list, *function.Value)
		}
	}
	slices.SortFunc(list, pci.Address.Compare)
	return facts.Told(slices.Compact(list))
}
