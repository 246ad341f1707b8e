package atlas

import (
	"slices"

	"pciatlas/internal/facts"
)

// GroupMember is one function of an IOMMU group.
type GroupMember struct {
	*Device
	// Taken: when a VM that names any function of the group starts, Proxmox VE
	// binds this one to vfio-pci, too, and the host loses it. Only functions with a
	// bus below them are left alone. Nothing is given back when the VM stops.
	Taken bool
	// Lost: it is taken, and the host has it now: no VM claims it whole and for
	// certain, and no driver for VMs is known to hold it.
	Lost bool
}

// Group gives the members of the IOMMU group that a function belongs to, itself
// included, by address. It is nil if the function has no group or the group is
// not told.
func (n *Node) Group(device *Device) []GroupMember {
	if device.Device.Group.Value == nil {
		return nil
	}
	var members []GroupMember
	for i := range n.Devices {
		member := &n.Devices[i]
		if member.sharesGroup(device) {
			members = append(members, member.member())
		}
	}
	return members
}

func (d *Device) member() GroupMember {
	taken := d.taken()
	return GroupMember{Device: d, Taken: taken, Lost: taken && !d.claimedFor(nil) && !d.ForVMs()}
}

// claimedFor tells whether the function is not the host's to lose when the VM
// starts: a VM claims it whole and for certain, or the VM itself may get it as an
// alternative. A mediated device needs the host's driver, an alternative of another
// VM stays with the host while that one has another, and a template claims nothing.
// Without a VM only the claims that are certain count.
func (d *Device) claimedFor(vm *VM) bool {
	for i := range d.References {
		r := &d.References[i]
		if r.Counts() && r.Mdev == "" && (r.Certainty == Exact || r.VM == vm) {
			return true
		}
	}
	return false
}

// sharesGroup tells whether two functions of a node are told to be in one group.
func (d *Device) sharesGroup(other *Device) bool {
	a, b := d.Device.Group.Value, other.Device.Group.Value
	return a != nil && b != nil && *a == *b
}

// taken tells whether Proxmox VE takes the function with its group: it skips those
// with a pci_bus folder (PVE::SysFSTools::pci_dev_group_bind_to_vfio). Where only
// the node itself could tell, the class decides.
func (d *Device) taken() bool {
	if d.Host != nil {
		return !d.Host.BusBelow
	}
	return !d.Class.HasBusBelow()
}

// StartTake is what the start of a VM takes from the host beyond what one of its
// lines names, because it shares an IOMMU group with that. The host does not get
// it back when the VM stops.
type StartTake struct {
	// Certainty is Candidate if the line has several alternatives, so that the VM
	// may as well get another one.
	Certainty Certainty
	// Groups are the IOMMU groups that something is lost with, in the order of the
	// functions that the line names.
	Groups []int
	// Lost is by address.
	Lost []LostDevice
}

// LostDevice is one function that the host loses. Its class and, read on the
// node, its driver before the start are those of the Device.
type LostDevice struct {
	*Device
	// Harmless: the host is not known to use it and is not likely to miss it. It is
	// a companion of a function that the line, or another line that takes its group
	// for the same VM, names, or of a class that no driver of the host works with, as
	// host bridges and memory.
	Harmless bool
}

// StartTake gives what a line takes from the host beyond the functions that it
// names. What a VM claims whole and for certain is not the host's to lose, nor is
// what already waits for VMs; but what a running VM holds because of its own line
// counts. A VM whose configuration was not read may name some of it. A line takes
// nothing if its VM never starts with it or if it claims no group.
func (n *Node) StartTake(line *Line) StartTake {
	if !line.TakesGroups() {
		return StartTake{}
	}
	var named []*Device
	certainty := Exact
	for i := range n.Devices {
		device := &n.Devices[i]
		for j := range device.References {
			if device.References[j].Line == line {
				named = append(named, device)
				if device.References[j].Certainty == Candidate {
					certainty = Candidate
				}
			}
		}
	}
	take := n.TakenWith(line, named)
	take.Certainty = certainty
	return take
}

// TakenWith does the same for a caller who knows which functions of the node the
// line names, by address. Certainty is left out.
func (n *Node) TakenWith(line *Line, named []*Device) StartTake {
	var take StartTake
	if !line.TakesGroups() {
		return take
	}
	for i := range n.Devices {
		member := &n.Devices[i]
		if !slices.ContainsFunc(named, member.sharesGroup) || !member.taken() || member.claimedFor(line.VM) ||
			member.ForVMs() && line.VM.Status != facts.Running {
			continue
		}
		take.Lost = append(take.Lost, LostDevice{Device: member, Harmless: n.harmless(line.VM, named, member)})
	}
	for _, device := range named {
		shares := func(lost LostDevice) bool { return lost.sharesGroup(device) }
		if slices.ContainsFunc(take.Lost, shares) && !slices.Contains(take.Groups, *device.Device.Group.Value) {
			take.Groups = append(take.Groups, *device.Device.Group.Value)
		}
	}
	return take
}

// Without takes functions out of what is lost.
func (t *StartTake) Without(devices []*Device) {
	t.Lost = slices.DeleteFunc(t.Lost, func(lost LostDevice) bool { return slices.Contains(devices, lost.Device) })
	t.Groups = slices.DeleteFunc(t.Groups, func(group int) bool {
		return !slices.ContainsFunc(t.Lost, func(lost LostDevice) bool { return *lost.Device.Device.Group.Value == group })
	})
}

// harmless decides LostDevice.Harmless.
func (n *Node) harmless(vm *VM, named []*Device, lost *Device) bool {
	if len(lost.HostUses()) > 0 || lost.sliced() {
		return false
	}
	if slices.ContainsFunc(named, func(device *Device) bool { return n.isCompanion(device, lost) }) ||
		isCompanionClass(lost.Class) && n.besideOwn(vm, lost) {
		return true
	}
	switch lost.Class.Base() {
	case 0x01, 0x02, 0x03, 0x04, 0x07, 0x09, 0x0c, 0x0d, 0x12:
		return false
	case 0x06:
		return lost.Class>>8 == 0x0600
	default:
		return true
	}
}

// besideOwn tells whether a function is a companion of one that the VM takes for
// certain at its next start.
func (n *Node) besideOwn(vm *VM, lost *Device) bool {
	for i := range n.Devices {
		device := &n.Devices[i]
		own := func(r Reference) bool { return r.VM == vm && r.Certainty == Exact && r.TakesGroups() }
		if n.isCompanion(device, lost) && slices.ContainsFunc(device.References, own) {
			return true
		}
	}
	return false
}

// sliced tells whether a VM has or wants a mediated device of the function.
func (d *Device) sliced() bool {
	return slices.ContainsFunc(d.References, func(r Reference) bool { return r.Mdev != "" && r.Counts() })
}
