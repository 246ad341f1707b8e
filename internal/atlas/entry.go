package atlas

import (
	"slices"

	"pciatlas/internal/facts"
	"pciatlas/internal/pci"
	"pciatlas/internal/pve"
)

// EntryCheck is what comes of comparing one entry of a mapping with its node.
type EntryCheck struct {
	// Faults are the differences that what was read proves, in the order in which
	// Proxmox VE looks for them; it stops at the first.
	Faults []pve.EntryFault
	// Untold: something that Proxmox VE compares was not read, so the entry may have
	// further faults, or some at all.
	Untold bool
}

// CheckEntry compares an entry with the hardware of the node that it is for, as
// Proxmox VE does before each start of a VM. Nothing is proven about a node whose
// devices were not read, and a device list that is not whole proves no absence.
func (r *Report) CheckEntry(node *Node, mapping *pve.Mapping, entry *pve.Entry) EntryCheck {
	if !node.DevicesRead {
		return EntryCheck{Untold: true}
	}
	var check EntryCheck
	faults := mapping.CheckEntry(*entry, func(address pci.Address) (pve.Hardware, bool) {
		device := node.Device(address)
		if device == nil {
			return pve.Hardware{}, false
		}
		check.Untold = check.Untold || !device.Device.Group.Told || !device.Mdev.Told && r.ChecksMdev()
		return HardwareOf(device), true
	})
	for _, fault := range faults {
		if r.proves(node, fault) {
			check.Faults = append(check.Faults, fault)
		} else {
			check.Untold = check.Untold || fault.Property != "mdev" || r.ChecksMdev()
		}
	}
	return check
}

// proves tells whether the fault rests on facts that were told.
func (r *Report) proves(node *Node, fault pve.EntryFault) bool {
	address, err := pci.ParseAddress(fault.Device)
	if fault.Property == "" {
		return r.DevicesWhole(node) && (err != nil || !slices.Contains(r.Facts.Nodes[node.Name].Unread, address))
	}
	if err != nil {
		return true
	}
	switch device := node.Device(address); fault.Property {
	case "iommugroup":
		return device.Device.Group.Told
	case "mdev":
		return device.Mdev.Told && r.ChecksMdev()
	default:
		return true
	}
}

// DevicesWhole tells whether a function that the node's list lacks is not there.
func (r *Report) DevicesWhole(node *Node) bool {
	read := r.Facts.Nodes[node.Name]
	return node.DevicesRead && read != nil && read.Devices.State == facts.OK
}

// ChecksMdev tells whether this Proxmox VE compares the mdev flag of a mapping with
// the hardware. An unknown version counts as a present one.
func (r *Report) ChecksMdev() bool {
	version := r.Facts.Version
	return version.State != facts.OK || version.Value.AtLeast(8, 3, 6)
}

// MappingsShown tells whether a mapping that the report lacks does not exist.
func (r *Report) MappingsShown() bool { return r.MappingScope.State == Proven }
