package placement

import (
	"slices"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/pci"
)

// stock is what is left of the types of mediated device of the node's functions.
type stock map[stockKey]int

type stockKey struct {
	address pci.Address
	name    string
}

// slices makes the mediated devices of all slots that want one: of each slot on the
// first function that can.
func (a *attempt) slices() {
	left := stock{}
	for slot, resolved := range a.slots {
		if resolved == nil || resolved.Mdev == "" && resolved.Nvidia == "" {
			continue
		}
		name := resolved.Mdev
		if resolved.Nvidia != "" {
			name = "nvidia-" + resolved.Nvidia
		}
		a.slice(slot, resolved, name, left)
	}
}

// sliceState is what is known of a type on one function.
type sliceState int

const (
	sliceLeft sliceState = iota
	sliceUntold
	sliceGone    // there is the type, and nothing left of it
	sliceHeld    // another VM holds the whole function
	sliceMissing // there is no such type
)

// slice makes one mediated device.
func (a *attempt) slice(slot int, resolved *atlas.StartSlot, name string, left stock) {
	var tried []pci.Address
	worst := sliceMissing
	for _, alternative := range resolved.Alternatives {
		address := alternative[0]
		tried = appendAddress(tried, address)
		switch state := a.sliceOn(address, name, left); state {
		case sliceLeft:
			left[stockKey{address, name}]--
			if worst != sliceUntold {
				tried = []pci.Address{address}
			}
			a.add(a.getsSlice(slot, resolved, name, tried))
			return
		default:
			worst = min(worst, state)
		}
	}
	switch worst {
	case sliceUntold:
		a.add(a.typesUnread(slot, resolved, name, tried))
	case sliceGone:
		a.add(a.typeExhausted(slot, resolved, name, tried))
	case sliceHeld:
		a.add(a.parentHeld(slot, resolved, name, tried))
	default:
		a.add(a.typeUnknown(slot, resolved, name, tried))
	}
}

// sliceOn tells whether a function has an instance of a type left.
func (a *attempt) sliceOn(address pci.Address, name string, left stock) sliceState {
	device := a.device(address)
	if vm := world(nil).holder(a, address); vm != nil && !device.NvidiaVGPU {
		return sliceHeld
	}
	if device.Mdev.Told && !device.Mdev.Value {
		return sliceMissing
	}
	if device.Types.State != facts.OK {
		return sliceUntold
	}
	i := slices.IndexFunc(device.Types.Value, func(t facts.MdevType) bool { return t.Type == name })
	if i < 0 {
		return sliceMissing
	}
	key := stockKey{address, name}
	count, known := left[key]
	if !known {
		count = device.Types.Value[i].Available + a.ownSlices(address, name) - a.node.spent[key]
		left[key] = count
	}
	if count <= 0 {
		return sliceGone
	}
	return sliceLeft
}

// ownSlices counts what the VM itself has of a type now, which its stop gives back.
func (a *attempt) ownSlices(address pci.Address, name string) int {
	if !a.runsOn(a.node) {
		return 0
	}
	count := 0
	for _, value := range a.now {
		known := a.node.resolve(value)
		if known.slot == nil || known.err != nil || known.slot.Value.Mdev != name || len(known.slot.Alternatives) > 1 {
			continue
		}
		if known.slot.Alternatives[0][0] == address {
			count++
		}
	}
	return count
}
