package placement

import (
	"errors"
	"slices"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/pci"
	"pciatlas/internal/pve"
)

// holder is another VM that runs on the node, or may run there, with what it holds.
type holder struct {
	vm *atlas.VM
	// fixed is what it holds for certain.
	fixed []pci.Address
	// pools are its slots with several choices: it holds one choice of each. An empty
	// choice stands for nothing.
	pools [][][]pci.Address
	// mdev are the functions that it has mediated devices of, or one of them.
	mdev []pci.Address
	// hidden says why it may hold anything beside that; "" if it does not.
	hidden ReasonCode
	// unread are functions that its lines name, and that are not among those of the node,
	// which were not all read.
	unread []pci.Address
}

// holding gives the VMs that hold functions of the node, or may.
func (n *node) holding() []*holder {
	if n.known {
		return n.holders
	}
	n.known = true
	for _, vm := range n.vms {
		if vm.Template || vm.Status == facts.Stopped {
			continue
		}
		if h := n.holder(vm); h != nil {
			n.holders = append(n.holders, h)
		}
	}
	n.addReservedByOthers()
	return n.holders
}

// addReservedByOthers adds what the node says that VMs have reserved that are not among
// those that are shown there.
func (n *node) addReservedByOthers() {
	if !n.read.Holding.State.Answered() {
		return
	}
	for _, holding := range n.read.Holding.Value {
		if slices.ContainsFunc(n.vms, func(vm *atlas.VM) bool { return vm.VMID == holding.VMID }) {
			continue
		}
		i := slices.IndexFunc(n.holders, func(h *holder) bool { return h.vm.VMID == holding.VMID })
		if i < 0 {
			i = len(n.holders)
			n.holders = append(n.holders, &holder{vm: &atlas.VM{VMID: holding.VMID, Node: n.Name, Status: facts.Running}})
		}
		n.holders[i].fixed = append(n.holders[i].fixed, holding.Address)
	}
}

// holder gives what a VM holds, nil if it holds nothing.
func (n *node) holder(vm *atlas.VM) *holder {
	h := &holder{vm: vm}
	if vm.Config == nil {
		h.hidden = VMUnread
		return h
	}
	switch {
	case vm.Config.Args.Current:
		h.hidden = VMArgs
	case vm.Config.Hook.Current:
		h.hidden = VMHook
	}
	for i := range vm.Config.Items {
		item := &vm.Config.Items[i]
		if _, ok := pve.ParseSlotKey(item.Key); ok && item.Current != nil {
			n.addHeld(h, *item.Current)
		}
	}
	n.asReserved(h)
	if h.hidden == "" && len(h.fixed)+len(h.pools)+len(h.mdev)+len(h.unread) == 0 {
		return nil
	}
	if vm.Status != facts.Running {
		h.unsure()
	}
	return h
}

// unsure makes everything that the VM holds something that it may hold: whether it
// runs is not told.
func (h *holder) unsure() {
	if len(h.fixed) > 0 {
		h.pools = append(h.pools, [][]pci.Address{h.fixed})
		h.fixed = nil
	}
	for i := range h.pools {
		h.pools[i] = append(slices.Clone(h.pools[i]), nil)
	}
}

// addHeld adds what one value that is in force names.
func (n *node) addHeld(h *holder, value string) {
	known := n.resolve(value)
	if known.err != nil {
		n.addUnsettled(h, value, known.err)
		return
	}
	slot := known.slot
	if slot != nil && slot.Mdev == "" {
		for _, address := range slices.Concat(slot.Alternatives...) {
			n.addUnreadMates(h, address)
		}
	}
	switch {
	case slot == nil:
	case slot.Mdev != "":
		for _, alternative := range slot.Alternatives {
			h.mdev = append(h.mdev, alternative[0])
		}
	case len(slot.Alternatives) == 1:
		h.fixed = append(h.fixed, slot.Alternatives[0]...)
	default:
		h.pools = append(h.pools, slot.Alternatives)
	}
}

// addUnreadMates adds the functions of a slot that could not be read: a line that names
// the slot names them, too.
func (n *node) addUnreadMates(h *holder, address pci.Address) {
	for _, unread := range n.read.Unread {
		if unread.Slot() == address.Slot() {
			h.unread = appendAddress(h.unread, unread)
		}
	}
}

// addUnsettled adds a value that could not be resolved now, although the VM runs:
// it was started before something changed, or not everything was read.
func (n *node) addUnsettled(h *holder, value string, err error) {
	refusal, ok := errors.AsType[*atlas.RefusalError](err)
	parsed, parseErr := pve.ParseHostPCI(value)
	switch {
	case !ok || parseErr != nil || parsed.Mdev != "":
	case refusal.Code == atlas.RefusedNoMapping && h.hidden == "":
		h.hidden = VMMappingGone
	case refusal.Code == atlas.RefusedMapping, refusal.Code == atlas.RefusedNoDevice:
		choices := [][]pci.Address{nil}
		if parsed.Source() == pve.SourceMapping {
			for _, entry := range n.hardware.Mappings[parsed.Mapping].On(n.Name) {
				choices = append(choices, n.there(h, entry.Paths()))
			}
		} else {
			texts := make([]string, len(parsed.Selectors))
			for i, selector := range parsed.Selectors {
				texts[i] = selector.String()
			}
			choices = append(choices, n.there(h, texts))
		}
		h.pools = append(h.pools, choices)
	}
}

// there gives the functions that some selectors of a holder name and that are there.
func (n *node) there(h *holder, selectors []string) []pci.Address {
	var addresses []pci.Address
	for _, text := range selectors {
		selector, ok := pve.PathSelector(text)
		if !ok {
			selector, ok = pci.ParseSelector(text)
		}
		if !ok || selector.NamesNothing() {
			continue
		}
		before := len(addresses)
		for i := range n.Devices {
			if selector.Names(n.Devices[i].Address) {
				addresses = append(addresses, n.Devices[i].Address)
			}
		}
		if len(addresses) == before && !n.report.DevicesWhole(n.Node) {
			h.unread = append(h.unread, selector.First())
		}
	}
	return addresses
}

// groupsUntold gives functions that other VMs hold, or may, and of which it is not told
// which group they are in: it may be that of any function.
func (a *attempt) groupsUntold() []pci.Address {
	n := a.node
	if n.loose == nil {
		n.loose = map[int][]pci.Address{}
		for _, h := range n.holding() {
			if untold := n.untoldOf(h); len(untold) > 0 {
				n.loose[h.vm.VMID] = untold
			}
		}
	}
	if len(n.loose) == 0 {
		return nil
	}
	var all []pci.Address
	for _, h := range n.holding() {
		if h.vm.VMID != a.VMID {
			all = append(all, n.loose[h.vm.VMID]...)
		}
	}
	return all
}

// untoldOf gives those of one VM.
func (n *node) untoldOf(h *holder) []pci.Address {
	untold := h.unread
	look := func(addresses []pci.Address) {
		for _, address := range addresses {
			if device := n.Device(address); device != nil && !device.Device.Group.Told {
				untold = appendAddress(untold, address)
			}
		}
	}
	look(h.fixed)
	for _, choices := range h.pools {
		for _, choice := range choices {
			look(choice)
		}
	}
	return untold
}

// asReserved replaces what a VM may hold by what the node says that it has reserved,
// where that was read. Mediated devices are not reserved.
func (n *node) asReserved(h *holder) {
	if n.read.Holding.State != facts.OK || h.vm.Status != facts.Running {
		return
	}
	h.fixed, h.pools, h.unread = nil, nil, nil
	for _, holding := range n.read.Holding.Value {
		if holding.VMID == h.vm.VMID {
			h.fixed = append(h.fixed, holding.Address)
			if n.Device(holding.Address) == nil && !n.report.DevicesWhole(n.Node) {
				h.unread = append(h.unread, holding.Address)
			}
		}
	}
	if h.hidden == VMMappingGone {
		h.hidden = ""
	}
}
