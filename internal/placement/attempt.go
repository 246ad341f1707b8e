package placement

import (
	"errors"
	"slices"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/pci"
	"pciatlas/internal/pve"
)

// attempt is the start of one VM on one node, step by step as Proxmox VE goes.
// Where a step refuses, the others are looked at all the same, as far as they can
// be: people want to know all that is in the way.
type attempt struct {
	*guest
	node *node

	slots   atlas.StartSlots // those that could be resolved
	reasons []Reason
	swap    []Swap
	// stuck are the worlds in none of which the choice succeeds, chosen is the number of
	// reasons for that; none where something else refuses before.
	stuck  []world
	chosen int
}

func (a *attempt) run() {
	switch {
	case a.Config == nil:
		a.add(a.configUnread())
	case a.node.off():
		a.add(a.nodeOff())
	default:
		a.before()
		if a.parse() > 0 {
			a.choose()
			a.slices()
			a.unseen()
			a.doubt()
		}
		a.around()
		a.findSwap()
	}
	a.order()
}

func (a *attempt) add(reasons ...Reason) { a.reasons = append(a.reasons, reasons...) }

// before is what Proxmox VE looks at before the lines.
func (a *attempt) before() {
	if a.Template {
		a.add(a.isTemplate())
	}
	// A suspended VM is started to be resumed.
	if lock := a.Config.Current("lock"); lock != "" && lock != "suspended" {
		a.add(a.locked(lock))
	}
}

// parse resolves all slots, as PVE::QemuServer::PCI::parse_hostpci_devices does, and
// gives how many of them could be.
func (a *attempt) parse() int {
	count, legacySeen := 0, false
	for i, value := range a.next {
		known := a.node.resolve(value)
		if known.err != nil {
			a.refusedSlot(i, value, known.err)
			continue
		}
		if known.slot == nil {
			continue
		}
		if err := known.slot.Check(a.future, a.q35, legacySeen); err != nil {
			a.add(a.lineRefused(i, err))
		}
		legacySeen = legacySeen || known.slot.Value.LegacyIGD == "1"
		a.untold(i, known.slot)
		a.slots[i] = known.slot
		count++
	}
	return count
}

// refusedSlot adds why a slot could not be resolved.
func (a *attempt) refusedSlot(slot int, value string, err error) {
	refusal, ok := errors.AsType[*atlas.RefusalError](err)
	if !ok {
		a.add(a.lineRefused(slot, err))
		return
	}
	parsed, _ := pve.ParseHostPCI(value) // one that does not parse has no mapping
	mapping := a.node.hardware.Mappings[parsed.Mapping]
	switch refusal.Code {
	case atlas.RefusedNoDevice:
		if a.report.DevicesWhole(a.node.Node) {
			a.add(a.notPresent(slot, parsed.Mapping, refusal.Message))
		} else {
			a.add(a.devicesUnread(slot, parsed.Mapping))
		}
	case atlas.RefusedNoMapping:
		switch {
		case mapping != nil:
			a.add(a.noEntry(slot, parsed.Mapping, refusal.Message))
		case a.report.MappingsShown():
			a.add(a.noMapping(slot, parsed.Mapping, refusal.Message))
		default:
			a.add(a.mappingInvisible(slot, parsed.Mapping))
		}
	case atlas.RefusedMapping:
		for _, entry := range mapping.On(a.node.Name) {
			if check := a.report.CheckEntry(a.node.Node, mapping, &entry); len(check.Faults) > 0 {
				a.add(a.entryInvalid(slot, mapping.ID, &entry, check.Faults))
			}
		}
	default:
		a.add(a.lineRefused(slot, refusal))
	}
}

// untold adds what of a slot could not be compared.
func (a *attempt) untold(slot int, resolved *atlas.StartSlot) {
	if a.node.entriesUntold(resolved.Value.Mapping) {
		a.add(a.entryUntold(slot, resolved.Value.Mapping))
	}
	unread := func(alternative []pci.Address) bool { return slices.ContainsFunc(alternative, a.node.unreadSlot) }
	if slices.ContainsFunc(resolved.Alternatives, unread) {
		a.add(a.devicesUnread(slot, resolved.Value.Mapping))
	}
}

// entriesUntold tells whether an entry of a mapping for the node could not be
// compared with all of the hardware.
func (n *node) entriesUntold(id string) bool {
	mapping := n.hardware.Mappings[id]
	if mapping == nil {
		return false
	}
	untold, known := n.untold[id]
	if !known {
		for _, entry := range mapping.On(n.Name) {
			untold = untold || n.report.CheckEntry(n.Node, mapping, &entry).Untold
		}
		if n.untold == nil {
			n.untold = map[string]bool{}
		}
		n.untold[id] = untold
	}
	return untold
}

// around is what stops a VM with passthrough beside its devices.
func (a *attempt) around() {
	if args := a.Config.Args; args.MentionsVFIO && (args.Pending || args.Current && !args.Removal) {
		a.add(a.ownArgs())
	}
	if memory := a.node.read.Memory; memory.State == facts.OK && a.pins() && a.memory() > memory.Value>>20 {
		a.add(a.memoryExceeds(memory.Value >> 20))
	}
	a.roms()
}

// roms looks for the ROM files that lines name.
func (a *attempt) roms() {
	for slot, resolved := range a.slots {
		if resolved == nil || resolved.Value.RomFile == "" {
			continue
		}
		told := false
		for _, file := range a.node.read.ROMFiles.Value {
			if file.Name == resolved.Value.RomFile && a.node.read.ROMFiles.State.Answered() {
				told = true
				if !file.There {
					a.add(a.romMissing(slot, file.Name))
				}
			}
		}
		if !told {
			a.add(a.romUnseen(slot, resolved.Value.RomFile))
		}
	}
}

// unseen adds why other VMs may hold what this one needs without being seen. It
// concerns whole functions only.
func (a *attempt) unseen() {
	if !a.exclusive() {
		return
	}
	if a.node.Scope.State == atlas.Unproven {
		a.add(a.scopeUnproven())
	}
	for i := range a.node.Issues {
		switch issue := &a.node.Issues[i]; issue.Code {
		case atlas.IssueVMHidden, atlas.IssueVMLimit, atlas.IssueTimeBudget, atlas.IssueNodeUnreachable:
			if issue.VMID != a.VMID {
				a.add(a.openIssue(issue))
			}
		default:
		}
	}
	for _, h := range a.node.holding() {
		if h.vm != a.VM && h.hidden != "" {
			a.add(a.hiddenHolder(h))
		}
	}
}

// ofTheChosen are refusals of what was chosen: another choice may not meet them.
var ofTheChosen = []ReasonCode{NoGroup, GroupHeldByVM, KeepUnbound, TypeUnknown, TypeExhausted}

// doubt leaves open what refuses only because of what was chosen where a VM that was not
// seen may hold just that, or another slot that is not known may take it: Proxmox VE would
// choose another then.
func (a *attempt) doubt() {
	hidden := []ReasonCode{
		ScopeUnproven, VMsUnseen, VMUnread, VMArgs, VMHook, VMMappingGone, MappingInvisible, DevicesUnread, EntryUntold,
	}
	if !slices.ContainsFunc(a.reasons, func(r Reason) bool { return slices.Contains(hidden, r.Code) }) {
		return
	}
	for i := range a.reasons {
		r := &a.reasons[i]
		if r.Effect == Refuses && slices.Contains(ofTheChosen, r.Code) && a.choosesElse(r.Slot) {
			r.Effect = Open
		}
	}
}

// choosesElse tells whether a slot has several choices, one of which does not fail by
// itself.
func (a *attempt) choosesElse(slot int) bool {
	if slot == atlas.NoSlot || a.slots[slot] == nil || a.slots[slot].Mdev != "" || len(a.slots[slot].Alternatives) < 2 {
		return false
	}
	return slices.ContainsFunc(a.slots[slot].Alternatives, func(alternative []pci.Address) bool {
		alone := &result{}
		a.take(alone, nil, slot, a.slots[slot], alternative)
		return len(alone.refusals) == 0
	})
}

// exclusive tells whether a slot takes whole functions.
func (a *attempt) exclusive() bool {
	return slices.ContainsFunc(a.slots[:], func(slot *atlas.StartSlot) bool { return slot != nil && slot.Mdev == "" })
}

// device gives a function of the node, which has it.
func (a *attempt) device(address pci.Address) *atlas.Device { return a.node.Device(address) }
