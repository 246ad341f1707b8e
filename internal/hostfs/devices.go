package hostfs

import (
	"path"
	"slices"
	"time"

	"pciatlas/internal/facts"
	"pciatlas/internal/pci"
)

const devicesFolder = "sys/bus/pci/devices"

// deviceReader reads the PCI functions of the local node.
type deviceReader struct {
	*reader
	folder *folder // devicesFolder
	names  func(pci.IDs, pci.Class) pci.Names

	found []facts.Device
	// unread are functions of which it could not be read what they are.
	unread []pci.Address
	total  int // functions that are there
	// faults are why a function is missing in found, or is not what it says there.
	faults []facts.Problem
	// misnamed are of names that are no addresses; remarks are of what is not told.
	misnamed, remarks remarks
	// types are the reads of types of mediated device that told not all.
	types map[string]facts.Read[[]facts.MdevType]
}

// readDevices reads all PCI functions of the local node. The list is Partial if a
// function is left out of it or misses something that it has. What a function
// does not tell (its group, its parent) leaves the list OK, with a problem.
func (r *reader) readDevices(names *pci.Database, node *facts.Node) {
	from := r.now()
	folder, err := r.top.open(devicesFolder)
	if err != nil {
		node.Devices = failedSince[[]facts.Device](r, from, problemOf(devicesFolder, err))
		return
	}
	defer folder.close()
	listed, err := folder.list(".", r.limits.Entries)
	if err != nil && len(listed) == 0 {
		node.Devices = failedSince[[]facts.Device](r, from, problemOf(devicesFolder, err))
		return
	}
	d := deviceReader{
		reader: r, folder: folder, names: memoised(names),
		found: make([]facts.Device, 0, len(listed)), total: len(listed),
	}
	if err != nil {
		d.faults = append(d.faults, problemOf(devicesFolder, err))
	}
	for _, name := range listed {
		d.read(name)
	}
	slices.SortFunc(d.unread, pci.Address.Compare)
	slices.SortFunc(d.found, func(a, b facts.Device) int { return a.Address.Compare(b.Address) })
	d.faults = append(d.faults, d.misnamed.problems()...)
	unseen := r.readUses(d.found)
	node.Unread, node.MdevTypes = d.unread, d.types
	node.Devices = facts.Read[[]facts.Device]{
		State: stateOf(d.faults), Value: d.found, Got: len(d.found), Total: d.total,
		Stamp: r.stamp(from), Problems: slices.Concat(d.faults, d.remarks.problems(), unseen),
	}
}

// read takes in one name of the folder. A function that is gone when something of
// it cannot be read was unplugged after it was listed.
func (d *deviceReader) read(name string) {
	address, err := pci.ParseAddress(name)
	if err != nil {
		d.misnamed.add(problem(facts.ProblemMalformed, path.Join(devicesFolder, name),
			"does not have the address of a PCI function as its name"))
		return
	}
	from := d.now()
	device, folder := d.readOne(address)
	if len(folder.faults)+len(folder.remarks) > 0 {
		if there, err := d.folder.there(name); !there && err == nil {
			d.total--
			return
		}
	}
	if device != nil {
		device.Names = d.names(device.IDs, device.Class)
		d.found = append(d.found, *device)
		d.noteTypes(device, from, folder.untoldTypes)
	} else {
		d.unread = append(d.unread, address)
	}
	d.faults = append(d.faults, folder.faults...)
	for _, remark := range folder.remarks {
		d.remarks.add(remark)
	}
}

// noteTypes keeps why not all types of mediated device of a function are known.
func (d *deviceReader) noteTypes(device *facts.Device, from time.Time, problems []facts.Problem) {
	if len(problems) == 0 {
		return
	}
	if d.types == nil {
		d.types = map[string]facts.Read[[]facts.MdevType]{}
	}
	d.types[device.Address.String()] = facts.Read[[]facts.MdevType]{
		State: facts.Partial, Value: device.Host.MdevTypes, Problems: problems, Stamp: d.stamp(from),
	}
}

// readOne reads a function. The device is nil if what it is could not be read;
// the faults of the folder say why.
func (d *deviceReader) readOne(address pci.Address) (*facts.Device, *deviceFolder) {
	name := address.String()
	dir, err := d.open(name)
	if err != nil {
		return nil, &deviceFolder{faults: []facts.Problem{problemOf(path.Join(devicesFolder, name), err)}}
	}
	defer dir.close()
	device := dir.device(address)
	return device, dir
}

func (d *deviceReader) open(name string) (*deviceFolder, error) {
	dir, err := d.folder.open(name)
	if err != nil {
		return nil, err
	}
	list, err := dir.list(".", d.limits.Entries)
	if err != nil {
		dir.close()
		return nil, err
	}
	names := make(map[string]bool, len(list))
	for _, name := range list {
		names[name] = true
	}
	return &deviceFolder{folder: dir, limit: d.limits.SysFile, names: names}, nil
}
