package atlas

import (
	"slices"
	"strings"

	"pciatlas/internal/facts"
	"pciatlas/internal/pci"
)

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

// Companions gives the companion functions of a graphics card or accelerator, by
// address: sound, USB and the like of its maker in the same slot, and sound of the
// same subsystem on the next bus, where cards with a switch of their own have it,
// unless it may belong to another card.
func (n *Node) Companions(device *Device) []*Device {
	var companions []*Device
	for i := range n.Devices {
		if mate := &n.Devices[i]; n.isCompanion(device, mate) {
			companions = append(companions, mate)
		}
	}
	return companions
}

// isCompanion tells whether a function is one of the companions of a device.
func (n *Node) isCompanion(device, mate *Device) bool {
	return device.mayHaveCompanion(mate) && (mate.Address.Slot() == device.Address.Slot() ||
		device.hasSoundOnNextBus(mate) && !n.ownedByOther(device, mate))
}

// ownedByOther tells whether sound on the next bus of a card is in the slot of
// another, or on the next bus of another, too.
func (n *Node) ownedByOther(device, sound *Device) bool {
	return slices.ContainsFunc(n.Devices, func(other Device) bool {
		slot := other.Address.Slot()
		return slot != device.Address.Slot() && other.Class.Kind() != pci.Other &&
			(slot == sound.Address.Slot() || other.mayHaveCompanion(sound) && other.hasSoundOnNextBus(sound))
	})
}

// mayHaveCompanion tells whether the function is a graphics card or accelerator and
// a function, wherever it is, one that such a card of this maker brings along.
func (d *Device) mayHaveCompanion(mate *Device) bool {
	return mate.Address != d.Address && d.Class.Kind() != pci.Other && isCompanionClass(mate.Class) &&
		mate.IDs.Vendor == d.IDs.Vendor && !d.IsVirtual() && !mate.IsVirtual()
}

// isCompanionClass tells whether a class is one that graphics cards bring along:
// sound, USB and what belongs to USB-C, serial ports.
func isCompanionClass(class pci.Class) bool {
	switch class >> 8 {
	case 0x0401, 0x0403, 0x0700, 0x0780, 0x0c03, 0x0c80:
		return true
	default:
		return false
	}
}

func (d *Device) hasSoundOnNextBus(mate *Device) bool {
	a, b := d.IDs.Subsystem, mate.IDs.Subsystem
	return a != nil && b != nil && *a == *b && *a != (pci.Pair{}) &&
		mate.Class>>8 == 0x0403 && d.Address.Bus != 0 &&
		mate.Address.Domain == d.Address.Domain && int(mate.Address.Bus) == int(d.Address.Bus)+1
}

// IsVirtual tells whether the function is told to be a virtual one.
func (d *Device) IsVirtual() bool { return d.Parent.Told && d.Parent.Value != nil }

// IsBMC tells, by its ids, whether the function is the display of a server's
// management controller: what a remote console shows.
func (d *Device) IsBMC() bool {
	if d.Class.Base() != 0x03 {
		return false
	}
	switch d.IDs.Vendor {
	case 0x1a03: // ASPEED
		return true
	case 0x102b: // Matrox; the others of it are cards
		return slices.Contains(bmcMatrox, d.IDs.Device)
	default:
		return false
	}
}

// IsBootDisplay tells whether the node is known to have started on the display; told
// is false where nothing tells. Only the node itself does, and only of class 0300.
func (d *Device) IsBootDisplay() (is, told bool) {
	if d.Host == nil {
		return false, false
	}
	return d.Host.BootDisplay.Told && d.Host.BootDisplay.Value, d.Host.BootDisplay.Told
}

// bmcMatrox are the device ids of the G200 in management controllers: SE A and B,
// EV, eW, EH, ER2, eW3, eH3 and eH5.
var bmcMatrox = []pci.ID{0x0522, 0x0524, 0x0530, 0x0532, 0x0533, 0x0534, 0x0536, 0x0538, 0x053a}

// ForVMs tells whether a driver is known to be bound that holds functions for VMs,
// so that the host does not use it. Only the node itself tells.
func (d *Device) ForVMs() bool {
	return d.Host != nil && (strings.HasPrefix(d.Host.Driver, "vfio") || d.Host.Driver == "pci-stub")
}

// Claimed tells whether a line of a VM names the function, for certain or as an
// alternative, that can hold it now or after the VM's next start.
func (d *Device) Claimed() bool {
	for i := range d.References {
		if d.References[i].Counts() {
			return true
		}
	}
	return false
}

// HostUses gives what the host is seen to use the function for; nil for nothing
// and where it is not told.
func (d *Device) HostUses() []facts.Use {
	if d.Host == nil {
		return nil
	}
	return d.Host.Uses.Value
}
