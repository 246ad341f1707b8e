package placement

import (
	"maps"
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

// plenty is what may be left of a type that was not read: enough for every slot.
const plenty = 1 << 20

// mostShares bounds in how many ways it is looked at on which functions the VM itself has
// its mediated devices now.
const mostShares = 500

// slices makes the mediated devices of all slots that want one: of each slot on the first
// function that can. What is not told makes two ends: the least that is left, and the most.
// More of a type never makes a start fail, so that nothing else has to be looked at.
func (a *attempt) slices() {
	wanted := a.wanted()
	if len(wanted) == 0 {
		return
	}
	if a.node.lacksIOMMU() {
		for _, slot := range wanted {
			a.add(a.noIOMMU(slot, a.slots[slot]))
		}
		return
	}
	least, most := stock{}, stock{}
	for _, slot := range wanted {
		for _, alternative := range a.slots[slot].Alternatives {
			key := stockKey{alternative[0], a.slots[slot].Mdev}
			least[key], most[key] = a.left(key)
		}
	}
	outcomes := a.makeSlices(wanted, least, most)
	for i, slot := range wanted {
		a.addSlice(slot, outcomes[i])
	}
}

// wanted gives the slots that want a mediated device.
func (a *attempt) wanted() []int {
	var slots []int
	for slot, resolved := range a.slots {
		if resolved != nil && resolved.Mdev != "" {
			slots = append(slots, slot)
		}
	}
	return slots
}

// sliceOutcome is what comes of one slot: whether it finds a device with the least that is
// left, and whether with the most, in all ways and in some. on are the functions that may
// give it.
type sliceOutcome struct {
	always, ever bool
	on           []pci.Address
}

// makeSlices goes through all ways in which the VM itself may have its devices now.
func (a *attempt) makeSlices(wanted []int, least, most stock) []sliceOutcome {
	outcomes := make([]sliceOutcome, len(wanted))
	for i := range outcomes {
		outcomes[i].always = true
	}
	shares := a.shares()
	for _, share := range shares {
		low, high := maps.Clone(least), maps.Clone(most)
		for _, key := range share {
			high[key]++
			if a.Status == facts.Running {
				low[key]++
			}
		}
		for i, slot := range wanted {
			o := &outcomes[i]
			sure, found := a.takeSlice(slot, low)
			o.always = o.always && found
			for _, alternative := range a.slots[slot].Alternatives {
				address := alternative[0]
				if high[stockKey{address, a.slots[slot].Mdev}] > 0 {
					o.on = appendAddress(o.on, address)
				}
				if found && address == sure {
					break
				}
			}
			_, found = a.takeSlice(slot, high)
			o.ever = o.ever || found
		}
	}
	if len(shares) == mostShares {
		for i := range outcomes {
			outcomes[i].always, outcomes[i].ever = false, true
		}
	}
	return outcomes
}

// takeSlice takes a device for a slot.
func (a *attempt) takeSlice(slot int, left stock) (on pci.Address, found bool) {
	for _, alternative := range a.slots[slot].Alternatives {
		if key := (stockKey{alternative[0], a.slots[slot].Mdev}); left[key] > 0 {
			left[key]--
			return key.address, true
		}
	}
	return pci.Address{}, false
}

// addSlice says what comes of one slot.
func (a *attempt) addSlice(slot int, o sliceOutcome) {
	resolved := a.slots[slot]
	name := resolved.Mdev
	if o.always {
		a.add(a.getsSlice(slot, resolved, name, o.on))
		return
	}
	var tried []pci.Address
	worst, unread := sliceMissing, false
	for _, alternative := range resolved.Alternatives {
		tried = appendAddress(tried, alternative[0])
		state := a.sliceOn(alternative[0], name)
		worst = min(worst, state)
		unread = unread || state == sliceUntold
	}
	switch {
	case o.ever && unread:
		a.add(a.typesUnread(slot, resolved, name, tried))
	case o.ever:
		a.add(a.mayHold(slot, via(resolved), []*atlas.VM{a.VM}))
	case worst == sliceHeld:
		a.add(a.parentHeld(slot, resolved, name, tried))
	case worst == sliceMissing:
		a.add(a.typeUnknown(slot, resolved, name, tried))
	default:
		a.add(a.typeExhausted(slot, resolved, name, tried))
	}
}

// vgpu looks at a vGPU of NVIDIA on the function that was chosen for it.
func (a *attempt) vgpu(r *result, slot int, resolved *atlas.StartSlot, chosen []pci.Address) {
	if r.left == nil {
		r.left = stock{}
	}
	name := "nvidia-" + resolved.Nvidia
	switch a.vgpuOn(chosen[0], name, r.left) {
	case sliceUntold:
		r.leave(func(a *attempt) Reason { return a.typesUnread(slot, resolved, name, chosen) })
	case sliceGone:
		r.refuse(func(a *attempt) Reason { return a.typeExhausted(slot, resolved, name, chosen) })
	case sliceMissing:
		r.refuse(func(a *attempt) Reason { return a.typeUnknown(slot, resolved, name, chosen) })
	case sliceHeld, sliceLeft:
		r.left[stockKey{chosen[0], name}]--
	}
}

// vgpuOn does the same for a vGPU, of which others may have been taken.
func (a *attempt) vgpuOn(address pci.Address, name string, taken stock) sliceState {
	key := stockKey{address, name}
	least, most := a.left(key)
	switch {
	case least+taken[key] > 0:
		return sliceLeft
	case most+taken[key] > 0:
		return sliceUntold
	default:
		return max(a.sliceOn(address, name), sliceGone)
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

// sliceOn tells what is known of a type on a function, without what the VM itself has.
func (a *attempt) sliceOn(address pci.Address, name string) sliceState {
	device := a.device(address)
	if vm := world(nil).holder(a, address); vm != nil && !device.NvidiaVGPU {
		return sliceHeld
	}
	if device.Mdev.Told && !device.Mdev.Value {
		return sliceMissing
	}
	i := slices.IndexFunc(device.Types.Value, func(t facts.MdevType) bool { return t.Type == name })
	switch {
	case i >= 0 && device.Types.Value[i].Available > 0:
		return sliceLeft
	case device.Types.State != facts.OK, device.Host == nil && len(device.Types.Value) == 0:
		return sliceUntold // over the API an empty list also means that it cannot be told
	case i >= 0 || device.NvidiaVGPU: // whose list leaves out what cannot be made now
		return sliceGone
	default:
		return sliceMissing
	}
}

// left gives how many devices of a type are left at least, and at most, once the VM itself
// has stopped. What it has on one of several functions is not counted.
func (a *attempt) left(key stockKey) (least, most int) {
	device := a.device(key.address)
	switch a.sliceOn(key.address, key.name) {
	case sliceHeld:
		return 0, 0
	case sliceUntold:
		most = plenty
	case sliceLeft:
		i := slices.IndexFunc(device.Types.Value, func(t facts.MdevType) bool { return t.Type == key.name })
		least = device.Types.Value[i].Available
		if most = least; device.Types.State != facts.OK {
			most = plenty
		}
	case sliceGone, sliceMissing:
	}
	own := a.ownSlices(key)
	if most += own; a.Status == facts.Running {
		least += own
	}
	spent := a.node.spent[key]
	return least - spent, most - spent
}

// hasOwn tells whether the VM may have mediated devices of the node now.
func (a *attempt) hasOwn() bool { return a.Node == a.node.Name && a.Status != facts.Stopped }

// ownSlices counts what the VM itself has of a type now, for certain if it runs, which its
// stop gives back.
func (a *attempt) ownSlices(key stockKey) int {
	count := 0
	for _, value := range a.now {
		if value == "" || !a.hasOwn() {
			continue
		}
		known := a.node.resolve(value)
		if known.err == nil && known.slot != nil && known.slot.Value.Mdev == key.name && len(known.slot.Alternatives) == 1 &&
			known.slot.Alternatives[0][0] == key.address {
			count++
		}
	}
	return count
}

// shares gives the ways in which the VM has the devices of its lines with several
// functions, one function for each line.
func (a *attempt) shares() [][]stockKey {
	shares := [][]stockKey{nil}
	for _, value := range a.now {
		if value == "" || !a.hasOwn() {
			continue
		}
		known := a.node.resolve(value)
		if known.err != nil || known.slot == nil || known.slot.Mdev == "" || len(known.slot.Alternatives) < 2 {
			continue
		}
		var next [][]stockKey
		for _, share := range shares {
			for _, alternative := range known.slot.Alternatives {
				next = append(next, append(slices.Clone(share), stockKey{alternative[0], known.slot.Mdev}))
			}
		}
		if shares = next; len(shares) >= mostShares {
			return shares[:mostShares]
		}
	}
	return shares
}
