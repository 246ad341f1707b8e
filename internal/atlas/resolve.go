package atlas

import (
	"fmt"
	"slices"
	"strings"

	"pciatlas/internal/facts"
	"pciatlas/internal/pci"
	"pciatlas/internal/pve"
)

// countLines makes room for all lines of the node at once, so that pointers to
// them stay good.
func (b *nodeBuilder) countLines(vms []*VM) {
	count := 0
	for _, vm := range vms {
		if vm.Config == nil {
			continue
		}
		for i := range vm.Config.Items {
			if _, ok := pve.ParseSlotKey(vm.Config.Items[i].Key); ok {
				count += 2
			}
		}
	}
	b.lines = make([]Line, 0, count)
}

// checkVM finds the references of one VM, or notes why it could not.
func (b *nodeBuilder) checkVM(vm *VM) {
	if vm.read == facts.OK {
		b.node.CheckedVMs++
	} else if !isCollected(vm.Unread) && !vm.moving {
		b.issue(Issue{Code: IssueVMUnreadable, VMID: vm.VMID, Slot: NoSlot, Message: fmt.Sprintf(
			"The configuration of VM %d could not be read; %s", vm.VMID,
			firstMessage(vm.Unread, "it was not asked for."))})
	}
	if vm.Config == nil {
		return
	}
	config := vm.Config
	if config.Args.Any() {
		b.issue(Issue{Code: IssueCustomArgs, VMID: vm.VMID, Slot: NoSlot, Message: fmt.Sprintf(
			"VM %d has custom arguments; what they reference is not examined.", vm.VMID)})
	}
	if config.Hook.Any() {
		b.issue(Issue{Code: IssueHookscript, VMID: vm.VMID, Slot: NoSlot, Message: fmt.Sprintf(
			"VM %d has a hook script; what it does with devices is not examined.", vm.VMID)})
	}
	for i := range config.Items {
		if slot, ok := pve.ParseSlotKey(config.Items[i].Key); ok {
			b.checkItem(vm, slot, &config.Items[i])
		}
	}
	for i := range config.Dropped {
		b.checkDropped(vm, &config.Dropped[i])
	}
}

func (b *nodeBuilder) checkItem(vm *VM, slot int, item *pve.Item) {
	var current *Line
	if item.Current != nil {
		phase := Current
		if item.Delete != pve.Keep {
			phase = PendingRemoval
		}
		current = b.checkValue(vm, slot, phase, *item.Current)
	}
	if item.Pending == nil {
		return
	}
	if pending := b.checkValue(vm, slot, Pending, *item.Pending); pending != nil && current != nil {
		current.Next = false
	}
}

// checkValue turns one value into references. It gives nil for a value that names
// nothing because Proxmox VE refuses it.
func (b *nodeBuilder) checkValue(vm *VM, slot int, phase Phase, raw string) *Line {
	value, err := pve.ParseHostPCI(raw)
	if err != nil {
		b.invalid(vm, "", slot, raw, err.Error())
		return nil
	}
	b.lines = append(b.lines, Line{
		VM: vm, Slot: slot, Phase: phase, Mdev: value.Mdev, Raw: raw, Value: value, Next: phase != PendingRemoval,
	})
	line := &b.lines[len(b.lines)-1]
	switch value.Source() {
	case pve.SourceHost:
		line.Via = ViaAddress
		b.placeSelectors(line, Exact, value.Selectors)
	case pve.SourceMapping:
		line.Via, line.Mapping = ViaMapping, value.Mapping
		b.placeMapping(line)
	case pve.SourceBoth:
		b.invalid(vm, "", slot, raw, pve.MessageBothSources)
		return nil
	case pve.SourceNone:
		b.invalid(vm, "", slot, raw, pve.MessageNoSource)
		return nil
	}
	return line
}

// placeSelectors finds the functions that selectors name.
func (b *nodeBuilder) placeSelectors(line *Line, certainty Certainty, selectors []pci.Selector) {
	for i, selector := range selectors {
		if repeated(selectors[:i], selector) {
			continue
		}
		b.placeSelector(line, certainty, selector)
	}
}

func repeated(before []pci.Selector, selector pci.Selector) bool {
	for i := range before {
		if before[i].String() == selector.String() {
			return true
		}
	}
	return false
}

func (b *nodeBuilder) placeSelector(line *Line, certainty Certainty, selector pci.Selector) {
	if !b.node.DevicesRead {
		b.unplaced(line, certainty, selector.String(), DevicesNotRead)
		return
	}
	devices := named(b.node.Devices, selector)
	switch {
	case b.namesUnread(selector):
		b.unplaced(line, certainty, selector.String(), DevicesNotRead)
	case len(devices) > 0:
	case b.devicesWhole:
		b.unplaced(line, certainty, selector.String(), DeviceNotPresent)
	default:
		b.unplaced(line, certainty, selector.String(), DevicesNotRead)
	}
	for i := range devices {
		device := &devices[i]
		if !alreadyNamed(device, line) {
			device.References = append(device.References,
				Reference{Line: line, Certainty: certainty, Selector: selector.String()})
		}
	}
}

// namesUnread tells whether a selector names a function that is there and could
// not be read.
func (b *nodeBuilder) namesUnread(selector pci.Selector) bool {
	return !selector.NamesNothing() && slices.ContainsFunc(b.unread, selector.Names)
}

func alreadyNamed(device *Device, line *Line) bool {
	n := len(device.References)
	return n > 0 && device.References[n-1].Line == line
}

// named gives the functions that a selector names; they stand side by side.
func named(devices []Device, selector pci.Selector) []Device {
	if selector.NamesNothing() {
		return nil
	}
	from, _ := findDevice(devices, selector.First())
	to := from
	for to < len(devices) && selector.Names(devices[to].Address) {
		to++
	}
	return devices[from:to]
}

func (b *nodeBuilder) unplaced(line *Line, certainty Certainty, selector string, reason Reason) {
	b.node.Unplaced = append(b.node.Unplaced,
		Unplaced{Line: line, Certainty: certainty, Selector: selector, Reason: reason})
}

// placeMapping resolves a mapping: one entry on the node is exact, several are
// alternatives.
func (b *nodeBuilder) placeMapping(line *Line) {
	mapping, reason := b.findMapping(line.Mapping)
	if mapping == nil {
		b.mappingMissing(line, reason)
		return
	}
	entries := mapping.On(b.node.Name)
	if len(entries) == 0 {
		b.unplaced(line, Exact, "", MappingNoEntryForNode)
		b.lineIssue(line, IssueMappingNoEntry, fmt.Sprintf(
			"Resource mapping %s has no entry for node %s; VM %d cannot get a device from it there.",
			line.Mapping, b.node.Name, line.VM.VMID))
		return
	}
	certainty := Exact
	if len(entries) > 1 {
		certainty = Candidate
		b.ambiguous(line, entries)
	}
	for i := range entries {
		b.placeEntry(line, certainty, entries[:i], &entries[i])
	}
}

// placeEntry finds the functions of one entry. Parts that an earlier entry has
// as well are not reported twice.
func (b *nodeBuilder) placeEntry(line *Line, certainty Certainty, earlier []pve.Entry, entry *pve.Entry) {
	for i, part := range entry.Paths() {
		if slices.Contains(entry.Paths()[:i], part) || inEntries(earlier, part) {
			continue
		}
		selector, ok := pve.PathSelector(part)
		switch {
		case ok:
			b.placeSelector(line, certainty, selector)
		case b.devicesWhole:
			b.unplaced(line, certainty, part, DeviceNotPresent)
		default:
			b.unplaced(line, certainty, part, DevicesNotRead)
		}
	}
}

func inEntries(entries []pve.Entry, part string) bool {
	for i := range entries {
		if slices.Contains(entries[i].Paths(), part) {
			return true
		}
	}
	return false
}

// findMapping gives a mapping, or the reason why it is not there. Only a list
// that is known to be whole can tell that a mapping does not exist.
func (b *builder) findMapping(id string) (*pve.Mapping, Reason) {
	if mapping := b.mappings[id]; mapping != nil {
		return mapping, ""
	}
	if b.mappingsShown() {
		return nil, MappingNotFound
	}
	return nil, MappingInvisible
}

func (b *nodeBuilder) mappingMissing(line *Line, reason Reason) {
	b.unplaced(line, Exact, "", reason)
	if reason == MappingNotFound {
		b.lineIssue(line, IssueMappingNotFound, fmt.Sprintf(
			"VM %d names resource mapping %s, which does not exist%s.",
			line.VM.VMID, line.Mapping, b.whyNoMapping(line.Mapping)))
		return
	}
	why := "whether it exists is not known."
	if b.snapshot.Mappings.State == facts.Failed || b.snapshot.Mappings.State == facts.Partial {
		why = "the mappings could not be read: " + firstMessage(b.snapshot.Mappings.Problems, "no reason was given.")
	}
	b.lineIssue(line, IssueMappingInvisible, fmt.Sprintf(
		"VM %d names resource mapping %s, which is not visible here; %s",
		line.VM.VMID, line.Mapping, why))
}

// whyNoMapping says what the mapping file holds instead of a mapping.
func (b *nodeBuilder) whyNoMapping(id string) string {
	for i := range b.snapshot.MappingLines {
		if dropped := &b.snapshot.MappingLines[i]; dropped.Section == id {
			return fmt.Sprintf(": Proxmox VE drops line %d of mapping/pci.cfg (%s)", dropped.Line, strings.TrimSuffix(dropped.Reason, "."))
		}
	}
	return "; names are case-sensitive"
}

func (b *nodeBuilder) lineIssue(line *Line, code IssueCode, message string) {
	b.issue(Issue{Code: code, VMID: line.VM.VMID, Slot: line.Slot, Mapping: line.Mapping, Message: message})
}

// ambiguous notes that a mapping has several entries on the node. Only its
// candidates are concerned.
func (b *nodeBuilder) ambiguous(line *Line, entries []pve.Entry) {
	issue := Issue{Code: IssueMappingAmbiguous, VMID: line.VM.VMID, Slot: line.Slot, Mapping: line.Mapping}
	issue.Message = fmt.Sprintf(
		"Resource mapping %s has %d entries on node %s; which of them VM %d gets is decided when it starts.",
		line.Mapping, len(entries), b.node.Name, line.VM.VMID)
	if b.node.DevicesRead {
		issue.Limited, issue.Devices = true, b.functionsOf(entries)
	}
	b.issue(issue)
}

// functionsOf gives the functions of entries that are there, sorted.
func (b *nodeBuilder) functionsOf(entries []pve.Entry) []pci.Address {
	addresses := []pci.Address{}
	for i := range entries {
		for _, part := range entries[i].Paths() {
			if selector, ok := pve.PathSelector(part); ok {
				addresses = b.addNamed(addresses, selector)
			}
		}
	}
	return sortUnique(addresses)
}

func (b *nodeBuilder) addNamed(addresses []pci.Address, selector pci.Selector) []pci.Address {
	devices := named(b.node.Devices, selector)
	for i := range devices {
		addresses = append(addresses, devices[i].Address)
	}
	return addresses
}

func sortUnique(addresses []pci.Address) []pci.Address {
	slices.SortFunc(addresses, pci.Address.Compare)
	return slices.Compact(addresses)
}

// checkDropped notes a hostpci line of the file that Proxmox VE drops.
func (b *nodeBuilder) checkDropped(vm *VM, dropped *pve.DroppedLine) {
	if !strings.HasPrefix(dropped.Key, "hostpci") || (dropped.Section != "" && dropped.Section != "pending") {
		return
	}
	slot, ok := pve.ParseSlotKey(dropped.Key)
	if !ok {
		slot = NoSlot
	}
	b.invalid(vm, shorten(dropped.Key), slot, dropped.Text, "Proxmox VE drops the line ("+dropped.Reason+")")
}

// invalid notes a hostpci value that Proxmox VE refuses. Its reach is what the
// value can still be read to name.
func (b *nodeBuilder) invalid(vm *VM, key string, slot int, raw, reason string) {
	subject := key
	if slot != NoSlot {
		subject = pve.SlotKey(slot)
	}
	issue := Issue{Code: IssueHostPCIInvalid, VMID: vm.VMID, Slot: slot, Message: fmt.Sprintf(
		"VM %d: %s is not usable; %q is refused: %s.", vm.VMID, subject, shorten(raw), strings.TrimSuffix(reason, "."))}
	issue.Devices, issue.Limited = b.reachOf(raw)
	b.issue(issue)
}

// reachOf gives the functions that a refused value names, or false if it cannot
// be told.
func (b *nodeBuilder) reachOf(raw string) ([]pci.Address, bool) {
	readable := pve.ReadRefused(raw)
	if !b.node.DevicesRead || len(readable.Selectors)+len(readable.Mappings) == 0 {
		return nil, false
	}
	addresses := []pci.Address{}
	for _, selector := range readable.Selectors {
		addresses = b.addNamed(addresses, selector)
	}
	for _, id := range readable.Mappings {
		mapping := b.mappings[id]
		if mapping == nil || len(mapping.On(b.node.Name)) == 0 {
			return nil, false
		}
		addresses = append(addresses, b.functionsOf(mapping.On(b.node.Name))...)
	}
	return sortUnique(addresses), true
}

// shorten keeps messages readable whatever a line holds.
func shorten(s string) string {
	const limit = 120
	if runes := []rune(s); len(runes) > limit {
		return string(runes[:limit]) + "…"
	}
	return s
}
