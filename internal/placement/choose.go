package placement

import (
	"errors"
	"slices"
	"strings"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/pci"
	"pciatlas/internal/pve"
)

// result is how the start ends for one way in which the other VMs may hold devices.
type result struct {
	chosen   map[int][]pci.Address
	refusals []Reason
	open     []Reason
}

// choose goes through choice, reservation and groups: once if it is told what the
// other VMs hold, and else for each way in which they may.
func (a *attempt) choose() {
	worlds, whole := a.worlds()
	if !whole {
		a.bounded()
		return
	}
	var good, bad []*result
	var badWorlds []world
	for _, w := range worlds {
		r := a.result(w)
		if len(r.refusals) == 0 {
			good = append(good, r)
		} else {
			bad, badWorlds = append(bad, r), append(badWorlds, w)
		}
	}
	switch {
	case len(worlds) == 1 && len(bad) == 1:
		if code := bad[0].refusals[0].Code; (code == NoFreeDevice || code == AssignedTwice) && !a.refused() {
			a.findSwap(worlds[0])
		}
		a.add(bad[0].refusals...)
		a.add(bad[0].open...)
	case len(good) == 0:
		a.add(a.noneLeft(badWorlds))
	case len(bad) > 0:
		a.add(a.mayBeHeld(badWorlds))
	}
	if len(good) > 0 {
		a.add(good[0].open...)
		a.outcome(good)
	}
}

// result lets the VM start in one world.
func (a *attempt) result(w world) *result {
	r := &result{}
	chosen, err := a.slots.Choose(func(address pci.Address) bool { return w.holder(a, address) != nil })
	if err != nil {
		r.refusals = append(r.refusals, a.notChosen(err))
		return r
	}
	r.chosen = chosen
	for slot, resolved := range a.slots {
		if resolved != nil && resolved.Mdev == "" {
			a.take(r, w, slot, resolved, chosen[slot])
		}
	}
	return r
}

// take reserves what was chosen for a slot, binds its groups and opens them.
func (a *attempt) take(r *result, w world, slot int, resolved *atlas.StartSlot, chosen []pci.Address) {
	var held, grouped []pci.Address
	var by, groupBy []*atlas.VM
	for _, address := range chosen {
		if vm := w.holder(a, address); vm != nil {
			held, by = append(held, address), appendVM(by, vm)
			continue
		}
		for _, mate := range a.node.mates(a.device(address)) {
			if vm := w.holder(a, mate.Address); vm != nil && !slices.Contains(chosen, mate.Address) {
				grouped, groupBy = appendAddress(grouped, mate.Address), appendVM(groupBy, vm)
			}
		}
	}
	if len(held) > 0 {
		r.refusals = append(r.refusals, a.heldBy(slot, resolved, held, by))
	}
	a.bind(r, slot, resolved, chosen)
	if len(grouped) > 0 {
		r.refusals = append(r.refusals, a.groupHeldBy(slot, resolved, chosen, grouped, groupBy))
	}
}

// bind looks at the IOMMU and at what binds the functions.
func (a *attempt) bind(r *result, slot int, resolved *atlas.StartSlot, chosen []pci.Address) {
	if read := a.node.read.IOMMU; read.State == facts.OK && !read.Value.Present {
		r.refusals = append(r.refusals, a.noIOMMU(slot, resolved))
		return
	}
	var lacking, untold []pci.Address
	for _, address := range chosen {
		switch group := a.device(address).Device.Group; {
		case !group.Told:
			untold = append(untold, address)
		case group.Value == nil:
			lacking = append(lacking, address)
		}
	}
	if len(lacking) > 0 {
		r.refusals = append(r.refusals, a.noGroup(slot, resolved, lacking))
	}
	if len(untold) > 0 {
		r.open = append(r.open, a.groupUnread(slot, resolved, untold))
	}
	if resolved.Value.Driver == "keep" {
		a.keep(r, slot, resolved, chosen)
	}
	for _, address := range chosen {
		if user := a.slicesOf(address); user != nil {
			r.open = append(r.open, a.sliced(slot, resolved, address, user))
		}
	}
}

// keep looks at a line with driver=keep: Proxmox VE binds nothing, and QEMU wants
// the functions and their group bound.
func (a *attempt) keep(r *result, slot int, resolved *atlas.StartSlot, chosen []pci.Address) {
	var bad, untold []pci.Address
	for _, address := range chosen {
		for _, mate := range a.node.mates(a.device(address)) {
			own := slices.Contains(chosen, mate.Address)
			switch {
			case mate.Host == nil:
				if own {
					untold = appendAddress(untold, mate.Address)
				}
			case own && !strings.Contains(mate.Host.Driver, "vfio"),
				!own && !mate.Host.BusBelow && mate.Host.Driver != "" && mate.Host.Driver != "pci-stub" && !strings.Contains(mate.Host.Driver, "vfio"):
				bad = appendAddress(bad, mate.Address)
			}
		}
	}
	if len(bad) > 0 {
		r.refusals = append(r.refusals, a.keepUnbound(slot, resolved, bad))
	}
	if len(untold) > 0 {
		r.open = append(r.open, a.driverUnread(slot, resolved, untold))
	}
}

// slicesOf gives a running VM that has a mediated device of a function, if one does
// for certain.
func (a *attempt) slicesOf(address pci.Address) *atlas.VM {
	for _, h := range a.node.holding() {
		if h.vm != a.VM && len(h.mdev) == 1 && h.mdev[0] == address && h.vm.Status == facts.Running {
			return h.vm
		}
	}
	return nil
}

// notChosen is Proxmox VE's reason of the choice.
func (a *attempt) notChosen(err error) Reason {
	refusal, ok := errors.AsType[*atlas.RefusalError](err)
	if !ok || refusal.Code != atlas.RefusedNoFreeDevice {
		slot := atlas.NoSlot
		if ok {
			slot = refusal.Slot
		}
		return a.assignedTwice(slot, err.Error())
	}
	return a.noFree(refusal.Slot, a.slots[refusal.Slot], refusal.Message)
}

// outcome says what the VM gets, and what its start takes from the host.
func (a *attempt) outcome(good []*result) {
	for slot, resolved := range a.slots {
		if resolved == nil || resolved.Mdev != "" {
			continue
		}
		sure := true
		got := good[0].chosen[slot]
		all := slices.Clone(got)
		for _, other := range good[1:] {
			sure = sure && slices.Equal(got, other.chosen[slot])
			for _, address := range other.chosen[slot] {
				all = appendAddress(all, address)
			}
		}
		if !sure {
			a.add(a.mayGet(slot, resolved, all))
			continue
		}
		a.add(a.gets(slot, resolved, got))
		a.takes(slot, resolved, got)
	}
}

// takes says what the host loses with the groups of a slot.
func (a *attempt) takes(slot int, resolved *atlas.StartSlot, got []pci.Address) {
	named := make([]*atlas.Device, len(got))
	for i, address := range got {
		named[i] = a.device(address)
	}
	line := &atlas.Line{VM: a.VM, Slot: slot, Phase: atlas.Current, Raw: a.next[slot], Value: resolved.Value, Next: true}
	take := a.node.TakenWith(line, named)
	var lost []pci.Address
	for _, device := range take.Lost {
		if !device.Harmless && !slices.Contains(got, device.Address) {
			lost = append(lost, device.Address)
		}
	}
	if len(lost) > 0 {
		a.add(a.groupTakes(slot, resolved, take.Groups, lost))
	}
}

func appendVM(vms []*atlas.VM, vm *atlas.VM) []*atlas.VM {
	if slices.Contains(vms, vm) {
		return vms
	}
	return append(vms, vm)
}

func appendAddress(addresses []pci.Address, address pci.Address) []pci.Address {
	if slices.Contains(addresses, address) {
		return addresses
	}
	return append(addresses, address)
}

// findSwap looks for slots that have to change places where the order in which
// Proxmox VE chooses fails and another order does not.
func (a *attempt) findSwap(w world) {
	starts := func(values atlas.StartSlots) bool {
		b := *a
		b.slots = values
		return len(b.result(w).refusals) == 0
	}
	set := make([]int, 0, pve.MaxHostPCI)
	for slot, resolved := range a.slots {
		if resolved != nil && resolved.Mdev == "" {
			set = append(set, slot)
		}
	}
	for i, x := range set {
		for _, y := range set[:i] {
			values := a.slots
			values[x], values[y] = values[y], values[x]
			if starts(values) {
				a.swap = []Swap{{From: y, To: x}, {From: x, To: y}}
				return
			}
		}
	}
	if len(set) <= mostPermuted {
		a.permute(set, starts)
	}
}

// mostPermuted is the number of slots whose orders are all tried: 720 orders.
const mostPermuted = 6

// permute tries all orders of the slots.
func (a *attempt) permute(set []int, starts func(atlas.StartSlots) bool) {
	order := slices.Clone(set)
	var try func(k int) bool
	try = func(k int) bool {
		if k == len(order) {
			values := a.slots
			for i, from := range order {
				values[set[i]] = a.slots[from]
			}
			return starts(values)
		}
		for i := k; i < len(order); i++ {
			order[k], order[i] = order[i], order[k]
			if try(k + 1) {
				return true
			}
			order[k], order[i] = order[i], order[k]
		}
		return false
	}
	if !try(0) {
		return
	}
	for i, from := range order {
		if from != set[i] {
			a.swap = append(a.swap, Swap{From: from, To: set[i]})
		}
	}
}
