package atlas

// GroupMember is one function of an IOMMU group.
type GroupMember struct {
	*Device
	// Taken: when a VM that names any function of the group starts, Proxmox VE
	// binds this one to vfio-pci, too, and the host loses it. Only functions with a
	// bus below them are left alone. Nothing is given back when the VM stops.
	Taken bool
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
		if group := member.Device.Group.Value; group != nil && *group == *device.Device.Group.Value {
			members = append(members, GroupMember{Device: member, Taken: !member.leftAlone()})
		}
	}
	return members
}

// leftAlone tells whether Proxmox VE skips the function when it takes its group.
func (d *Device) leftAlone() bool {
	if d.Host != nil {
		return d.Host.BusBelow
	}
	return d.Class.HasBusBelow()
}

// SlotMates gives the other functions of the device's PCI slot, by address.
func (n *Node) SlotMates(device *Device) []*Device {
	var mates []*Device
	for i := range n.Devices {
		mate := &n.Devices[i]
		if mate.Address.Slot() == device.Address.Slot() && mate.Address != device.Address {
			mates = append(mates, mate)
		}
	}
	return mates
}
