package placement

import (
	"maps"
	"slices"

	"pciatlas/internal/atlas"
	"pciatlas/internal/pci"
)

// world is one way in which the other VMs of the node may hold its functions, as far
// as these matter to the VM that is placed: beside what they hold for certain.
type world map[pci.Address]*atlas.VM

// holder gives the other VM that holds a function, nil if none does.
func (w world) holder(a *attempt, address pci.Address) *atlas.VM {
	if vm := w[address]; vm != nil {
		return vm
	}
	if vm := a.node.certain()[address]; vm != nil && vm.VMID != a.VMID {
		return vm
	}
	return nil
}

// certain gives what VMs hold for certain.
func (n *node) certain() map[pci.Address]*atlas.VM {
	if n.sure == nil {
		n.sure = map[pci.Address]*atlas.VM{}
		for _, h := range n.holding() {
			for _, address := range h.fixed {
				n.sure[address] = h.vm
			}
		}
	}
	return n.sure
}

// pool is one slot of another VM with several choices.
type pool struct {
	number  int // among those of the node
	vm      *atlas.VM
	choices [][]pci.Address
}

// ways is what worlds gives.
type ways struct {
	worlds []world
	whole  bool
}

// mostWorlds bounds how many ways are looked at one by one.
const mostWorlds = 2000

// worlds gives all ways in which the others may hold what matters to the VM. A pool
// that cannot hold anything in any of them contradicts what else was read; it is
// left out then. whole is false if there are too many ways.
func (a *attempt) worlds() (worlds []world, whole bool) {
	pools := a.pools()
	key := make([]byte, 0, 2*len(pools))
	for _, p := range pools {
		key = append(key, byte(p.number>>8), byte(p.number))
	}
	known, ok := a.node.ways[string(key)]
	if !ok {
		known.worlds, known.whole = a.worldsOf(pools)
		if a.node.ways == nil {
			a.node.ways = map[string]ways{}
		}
		a.node.ways[string(key)] = known
	}
	return known.worlds, known.whole
}

// worldsOf works out what worlds gives.
func (a *attempt) worldsOf(pools []*pool) (worlds []world, whole bool) {
	states := []world{{}}
	for _, p := range pools {
		var next []world
		seen := map[string]bool{}
		for _, state := range states {
			for _, w := range a.extend(state, p) {
				key := w.key()
				if !seen[key] {
					seen[key] = true
					next = append(next, w)
				}
			}
		}
		if len(next) > mostWorlds {
			return nil, false
		}
		if len(next) > 0 {
			states = next
		}
	}
	return states, true
}

// extend adds each choice of a pool to a state. A choice that is held
// already cannot be the one.
func (a *attempt) extend(state world, p *pool) []world {
	var next []world
	for _, choice := range p.choices {
		held := slices.ContainsFunc(choice, func(address pci.Address) bool {
			return state[address] != nil || a.node.certain()[address] != nil
		})
		if held {
			continue
		}
		w := make(world, len(state)+len(choice))
		maps.Copy(w, state)
		for _, address := range choice {
			w[address] = p.vm
		}
		next = append(next, w)
	}
	return next
}

// key tells worlds apart by what is held, whoever holds it.
func (w world) key() string {
	addresses := make([]pci.Address, 0, len(w))
	for address := range w {
		addresses = append(addresses, address)
	}
	slices.SortFunc(addresses, pci.Address.Compare)
	key := make([]byte, 0, len(addresses)*7)
	for _, address := range addresses {
		key = append(key, byte(address.Domain>>24), byte(address.Domain>>16), byte(address.Domain>>8), byte(address.Domain),
			address.Bus, address.Device, address.Function)
	}
	return string(key)
}

// pools gives the pools of other VMs that may hold something that matters to the
// VM: a function that a slot may take or one of its group, or what another such
// pool may hold.
func (a *attempt) pools() []*pool {
	open := slices.DeleteFunc(slices.Clone(a.node.openPools()), func(p *pool) bool { return p.vm == a.VM })
	if len(open) == 0 {
		return nil
	}
	matters := a.matters()
	var pools []*pool
	for {
		before := len(pools)
		open = slices.DeleteFunc(open, func(p *pool) bool {
			if !p.touches(matters) {
				return false
			}
			pools = append(pools, p)
			for _, choice := range p.choices {
				for _, address := range choice {
					matters[address] = true
				}
			}
			return true
		})
		if len(pools) == before {
			return pools
		}
	}
}

// openPools gives the pools of all VMs.
func (n *node) openPools() []*pool {
	if n.pools == nil {
		n.pools = []*pool{}
		for _, h := range n.holding() {
			for _, choices := range h.pools {
				n.pools = append(n.pools, &pool{number: len(n.pools), vm: h.vm, choices: choices})
			}
		}
	}
	return n.pools
}

func (p *pool) touches(matters map[pci.Address]bool) bool {
	return slices.ContainsFunc(p.choices, func(choice []pci.Address) bool {
		return slices.ContainsFunc(choice, func(address pci.Address) bool { return matters[address] })
	})
}

// matters gives the functions that the VM may take, and all of their groups.
func (a *attempt) matters() map[pci.Address]bool {
	matters := map[pci.Address]bool{}
	for _, slot := range a.slots {
		if slot == nil || slot.Mdev != "" {
			continue
		}
		for _, alternative := range slot.Alternatives {
			for _, address := range alternative {
				for _, mate := range a.node.mates(a.device(address)) {
					matters[mate.Address] = true
				}
			}
		}
	}
	return matters
}

// bounded decides by counting where there are too many ways to look at: a slot gets
// a device in all of them if more choices are left than the others can take at most,
// and in none if they take all at least.
func (a *attempt) bounded() {
	pools := a.pools()
	for slot, resolved := range a.slots {
		if resolved == nil || resolved.Mdev != "" {
			continue
		}
		several := len(resolved.Alternatives) > 1
		switch {
		case several && a.surelyLeft(slot, pools):
			a.boundedLeft(slot, resolved, pools)
		case several && a.surelyGone(slot, pools):
			a.add(a.noneLeftOf(slot, resolved, pools))
		case a.untouched(resolved, pools):
			alone := &result{}
			a.take(alone, nil, slot, resolved, resolved.Alternatives[0])
			a.add(a.made(alone.refusals)...)
			a.add(a.made(alone.open)...)
		default:
			a.add(a.tooManyWays(slot, resolved, pools))
		}
	}
}

// boundedLeft says what comes of a slot that gets one of its choices in every way.
func (a *attempt) boundedLeft(slot int, resolved *atlas.StartSlot, pools []*pool) {
	var all []pci.Address
	var results []*result
	refused := 0
	for _, alternative := range resolved.Alternatives {
		r := &result{}
		a.bind(r, slot, resolved, alternative)
		results = append(results, r)
		if len(r.refusals) > 0 {
			refused++
		}
		for _, address := range alternative {
			all = appendAddress(all, address)
		}
	}
	switch refused {
	case 0:
		a.leaveOpen(results)
		a.add(a.mayGet(slot, resolved, all))
	case len(results):
		a.add(a.made(results[0].refusals)...)
	default:
		a.add(a.tooManyWays(slot, resolved, pools))
	}
}

// untouched tells whether a slot has one choice, which no pool has to do with.
func (a *attempt) untouched(slot *atlas.StartSlot, pools []*pool) bool {
	if len(slot.Alternatives) > 1 {
		return false
	}
	matters := map[pci.Address]bool{}
	for _, address := range slot.Alternatives[0] {
		for _, mate := range a.node.mates(a.device(address)) {
			matters[mate.Address] = true
		}
	}
	return !slices.ContainsFunc(pools, func(p *pool) bool { return p.touches(matters) })
}

// surelyLeft tells whether a slot with several choices gets one in every way: each
// pool takes as many of them as its widest choice touches, and the other slots of
// the VM take some of those that they share. Groups must not make a choice fail that
// nobody holds.
func (a *attempt) surelyLeft(slot int, pools []*pool) bool {
	alternatives := a.slots[slot].Alternatives
	left := 0
	for _, alternative := range alternatives {
		held := a.anyHeld(alternative)
		if !held {
			left++
		}
		for _, address := range alternative {
			for _, mate := range a.node.mates(a.device(address)) {
				if slices.Contains(alternative, mate.Address) {
					continue
				}
				own := map[pci.Address]bool{mate.Address: true}
				if !held && a.anyHeld([]pci.Address{mate.Address}) ||
					slices.ContainsFunc(pools, func(p *pool) bool { return p.touches(own) }) {
					return false
				}
			}
		}
	}
	for _, p := range pools {
		left -= widest(p.choices, alternatives)
	}
	for other, resolved := range a.slots {
		if other != slot && resolved != nil && resolved.Mdev == "" {
			left -= widest(resolved.Alternatives, alternatives)
		}
	}
	return left > 0
}

// surelyGone tells whether a slot with several choices gets none in any way: each
// pool holds exactly one of them, and there are as many as are left of the others.
func (a *attempt) surelyGone(slot int, pools []*pool) bool {
	alternatives := a.slots[slot].Alternatives
	left := 0
	for _, alternative := range alternatives {
		if !a.anyHeld(alternative) {
			left++
		}
	}
	for _, p := range pools {
		inside := !slices.ContainsFunc(p.choices, func(choice []pci.Address) bool {
			return !slices.ContainsFunc(alternatives, func(other []pci.Address) bool { return slices.Equal(choice, other) })
		})
		if inside {
			left--
		}
	}
	return left <= 0
}

// anyHeld tells whether another VM holds one of some functions for certain.
func (a *attempt) anyHeld(addresses []pci.Address) bool {
	return slices.ContainsFunc(addresses, func(address pci.Address) bool { return world(nil).holder(a, address) != nil })
}

// widest gives how many of the sets one choice touches at most.
func widest(choices, sets [][]pci.Address) int {
	most := 0
	for _, choice := range choices {
		count := 0
		for _, set := range sets {
			if slices.ContainsFunc(choice, func(address pci.Address) bool { return slices.Contains(set, address) }) {
				count++
			}
		}
		most = max(most, count)
	}
	return most
}
