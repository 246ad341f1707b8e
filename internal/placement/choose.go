package placement

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/pci"
)

// told makes a reason for the VM of an attempt.
type told func(*attempt) Reason

// result is how the start ends for one way in which the other VMs may hold devices.
type result struct {
	chosen         map[int][]pci.Address
	refusals, open []told
	left           stock // of the types of NVIDIA's vGPUs
}

func (r *result) refuse(reason told) { r.refusals = append(r.refusals, reason) }

func (r *result) leave(reason told) { r.open = append(r.open, reason) }

// choosesAs tells whether the VM gets the same in two results.
func (r *result) choosesAs(other *result) bool {
	return maps.EqualFunc(r.chosen, other.chosen, slices.Equal)
}

// trial is how the start ends in all ways in which the other VMs may hold devices.
type trial struct {
	// whole is false if there are too many ways to look at; nothing else is known then.
	whole bool
	good  []*result // that choose differently
	bad   []world
	// slot and mapping are those of the first refusal, by are the others that take part.
	slot    int
	mapping string
	by      []*atlas.VM
}

// choose goes through choice, reservation and groups: once if it is told what the
// other VMs hold, and else for each way in which they may.
func (a *attempt) choose() {
	t := a.trial()
	switch {
	case !t.whole:
		a.bounded()
		return
	case len(t.good) == 0:
		reasons := a.failed(t.bad)
		if !a.refused() {
			a.stuck, a.chosen = t.bad, len(reasons)
		}
		a.add(reasons...)
		return
	case len(t.bad) > 0:
		a.add(a.mayHold(t.slot, t.mapping, t.by))
	}
	a.leaveOpen(t.good)
	a.outcome(t.good)
}

// trial lets the VM start in all worlds. VMs that are not on the node and want the same
// there share the answer.
func (a *attempt) trial() *trial {
	shared := a.Node != a.node.Name
	if known := a.node.trials[a.slots]; shared && known != nil {
		return known
	}
	t := &trial{}
	worlds, whole := a.worlds()
	t.whole = whole
	for _, w := range worlds {
		if r := a.result(w); len(r.refusals) > 0 {
			t.bad = append(t.bad, w)
		} else if !slices.ContainsFunc(t.good, r.choosesAs) {
			t.good = append(t.good, r)
		}
	}
	if len(t.bad) > 0 && len(t.good) > 0 {
		first := a.result(t.bad[0]).refusals[0](a)
		t.slot, t.mapping, t.by = first.Slot, first.Mapping, others(t.bad)
	}
	if shared {
		if a.node.trials == nil {
			a.node.trials = map[atlas.StartSlots]*trial{}
		}
		a.node.trials[a.slots] = t
	}
	return t
}

// failed gives why the VM starts in none of the worlds: what refuses in all of them, or
// that nothing is left in any.
func (a *attempt) failed(bad []world) []Reason {
	first := a.result(bad[0])
	common := a.made(first.refusals)
	if len(bad) == 1 {
		return append(common, a.made(first.open)...)
	}
	// What is left without those whose devices are not told says whether it is because of
	// them.
	for _, w := range append([]world{nil}, bad[1:]...) {
		others := a.made(a.result(w).refusals)
		common = slices.DeleteFunc(common, func(x Reason) bool {
			return !slices.ContainsFunc(others, func(y Reason) bool { return x.Sentence == y.Sentence })
		})
		if len(common) == 0 {
			return []Reason{a.noneLeft(bad)}
		}
	}
	return common
}

func (a *attempt) made(list []told) []Reason {
	reasons := make([]Reason, len(list))
	for i, reason := range list {
		reasons[i] = reason(a)
	}
	return reasons
}

// leaveOpen adds what is open with one of the choices.
func (a *attempt) leaveOpen(good []*result) {
	for i, r := range good {
		for _, reason := range a.made(r.open) {
			if i == 0 || !slices.ContainsFunc(a.reasons, func(known Reason) bool { return known.Sentence == reason.Sentence }) {
				a.add(reason)
			}
		}
	}
}

// result lets the VM start in one world.
func (a *attempt) result(w world) *result {
	r := &result{}
	chosen, err := a.slots.Choose(func(address pci.Address) bool { return w.holder(a, address) != nil })
	if err != nil {
		r.refuse(func(a *attempt) Reason { return a.notChosen(err, w) })
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
		r.refuse(func(a *attempt) Reason { return a.heldBy(slot, resolved, held, by) })
	}
	a.bind(r, slot, resolved, chosen)
	if len(grouped) > 0 {
		r.refuse(func(a *attempt) Reason { return a.groupHeldBy(slot, resolved, chosen, grouped, groupBy) })
	}
}

// lacksIOMMU tells whether the node is known to have no IOMMU.
func (n *node) lacksIOMMU() bool {
	return n.read.IOMMU.State == facts.OK && !n.read.IOMMU.Value.Present
}

// bind looks at the IOMMU and at what binds the functions.
func (a *attempt) bind(r *result, slot int, resolved *atlas.StartSlot, chosen []pci.Address) {
	if a.node.lacksIOMMU() {
		r.refuse(func(a *attempt) Reason { return a.noIOMMU(slot, resolved) })
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
	for _, address := range a.groupsUntold() {
		if !slices.Contains(chosen, address) {
			untold = appendAddress(untold, address)
		}
	}
	if len(lacking) > 0 {
		r.refuse(func(a *attempt) Reason { return a.noGroup(slot, resolved, lacking) })
	}
	if len(untold) > 0 {
		r.leave(func(a *attempt) Reason { return a.groupUnread(slot, resolved, untold) })
	}
	if resolved.Nvidia != "" {
		a.vgpu(r, slot, resolved, chosen)
		return
	}
	if resolved.Value.Driver == "keep" {
		a.keep(r, slot, resolved, chosen)
	}
	for _, address := range chosen {
		if user, sure := a.slicesOf(address); user != nil {
			r.leave(func(a *attempt) Reason { return a.sliced(slot, resolved, address, user, sure) })
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
		r.refuse(func(a *attempt) Reason { return a.keepUnbound(slot, resolved, bad) })
	}
	if len(untold) > 0 {
		r.leave(func(a *attempt) Reason { return a.driverUnread(slot, resolved, untold) })
	}
}

// slicesOf gives another VM that runs, or may, and has a mediated device of a function, or
// may have one; sure if it has.
func (a *attempt) slicesOf(address pci.Address) (vm *atlas.VM, sure bool) {
	for _, h := range a.node.holding() {
		if h.vm == a.VM || !slices.Contains(h.mdev, address) {
			continue
		}
		if len(h.mdev) == 1 && h.vm.Status == facts.Running {
			return h.vm, true
		}
		vm = h.vm
	}
	return vm, false
}

// notChosen is Proxmox VE's reason of the choice.
func (a *attempt) notChosen(err error, w world) Reason {
	refusal, ok := errors.AsType[*atlas.RefusalError](err)
	if !ok || refusal.Code != atlas.RefusedNoFreeDevice {
		slot := atlas.NoSlot
		if ok {
			slot = refusal.Slot
		}
		return a.assignedTwice(slot, err.Error())
	}
	return a.noFree(refusal.Slot, a.slots[refusal.Slot], refusal.Message, w)
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
	line := &atlas.Line{
		VM: a.VM, Slot: slot, Phase: atlas.Current, Mdev: resolved.Value.Mdev, Raw: a.next[slot], Value: resolved.Value, Next: true,
	}
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
