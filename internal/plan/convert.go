package plan

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/pci"
	"pciatlas/internal/pve"
)

// convert plans that lines of VMs name mappings where they name addresses now.
func (m *maker) convert() {
	for _, vmid := range m.plan.Intent.VMs {
		if vm, node := m.vm(vmid); vm != nil {
			m.convertVM(vm, node)
		}
	}
	m.confirmVM()
}

// confirmVM makes the name of the one VM what is to be typed.
func (m *maker) confirmVM() {
	var vms []*Step
	for i := range m.plan.Steps {
		if m.plan.Steps[i].Action == SetVM {
			vms = append(vms, &m.plan.Steps[i])
		}
	}
	switch {
	case m.plan.Intent.Mapping != "" && m.plan.Intent.Kind == Fix:
	case len(vms) == 1:
		m.plan.Confirm = cmp.Or(vms[0].VMName, decimal(vms[0].VMID))
	default:
		m.plan.Confirm = decimal(len(vms))
	}
}

// vm gives a VM whose lines can be planned, and its node, or says why not.
func (m *maker) vm(vmid int) (*atlas.VM, *atlas.Node) {
	about := params("vmid", decimal(vmid))
	vms := m.report.FindVM(vmid)
	if len(vms) != 1 {
		m.stop(NoteNoVM, false, about, "There is no VM %d among those that are visible, or more than one.", vmid)
		return nil, nil
	}
	vm := vms[0]
	about["node"] = vm.Node
	node := m.report.Node(vm.Node)
	switch {
	case vm.Config == nil || len(vm.Unread) > 0:
		m.stop(NoteVMUnread, false, about, "The configuration of VM %d was not read whole.", vmid)
		return nil, nil
	case node == nil || !m.report.DevicesWhole(node): // a slot may have more functions than were read
		m.stop(NoteDevicesUnread, false, about, "The devices of node %s were not all read, so what VM %d names cannot be told.", vm.Node, vmid)
		return nil, nil
	}
	if lock := vm.Config.Current("lock"); lock != "" {
		about["lock"] = lock
		m.stop(NoteVMLocked, false, about, "VM %d is locked (%s); Proxmox VE refuses changes until it is not.", vmid, lock)
	}
	m.losesLines(vm)
	for _, snapshot := range vm.Config.Snapshots.Value {
		if slices.ContainsFunc(snapshot.HostPCI, func(kv pve.KeyValue) bool { _, raw := pve.HostOf(kv.Value); return raw }) {
			m.note(NoteSnapshotHolds, params("vmid", decimal(vmid), "snapshot", snapshot.Name),
				"Snapshot %s of VM %d holds a line with an address; a rollback brings it back.", snapshot.Name, vmid)
		}
	}
	return vm, node
}

// losesLines stops for lines that Proxmox VE cannot read: with any change it writes
// the file without them. Only files tell of them.
func (m *maker) losesLines(vm *atlas.VM) {
	var keys []string
	for _, dropped := range vm.Config.Dropped {
		keys = append(keys, cmp.Or(dropped.Key, "line "+decimal(dropped.Line)))
	}
	if len(keys) > 0 {
		m.stop(NoteLosesVMLines, true, params("vmid", decimal(vm.VMID), "node", vm.Node, "lines", strings.Join(keys, ", ")),
			"With any change Proxmox VE writes the configuration of VM %d anew, without what it cannot read: %s.", vm.VMID, strings.Join(keys, ", "))
	}
}

// convertVM plans the lines of one VM.
func (m *maker) convertVM(vm *atlas.VM, node *atlas.Node) {
	var lines []LineChange
	for slot := range pve.MaxHostPCI {
		if slots := m.plan.Intent.Slots; len(slots) > 0 && !slices.Contains(slots, pve.SlotKey(slot)) {
			continue
		}
		item, set := vm.Config.Get(pve.SlotKey(slot))
		if value, ok := item.Future(); set && ok {
			if line, changed := m.convertLine(vm, node, slot, value); changed {
				lines = append(lines, line)
			}
		}
	}
	m.setVM(vm, lines)
}

// convertLine plans one line.
func (m *maker) convertLine(vm *atlas.VM, node *atlas.Node, slot int, value string) (LineChange, bool) {
	about := params("vmid", decimal(vm.VMID), "node", vm.Node, "slot", pve.SlotKey(slot))
	host, raw := pve.HostOf(value)
	if !raw {
		if parsed, err := pve.ParseHostPCI(value); err != nil || parsed.Source() != pve.SourceMapping {
			m.stop(NoteLineUnclear, false, about, "%s of VM %d cannot be converted: it names neither addresses nor a mapping alone.", pve.SlotKey(slot), vm.VMID)
		}
		return LineChange{}, false
	}
	selectors, ok := pci.ParseSelectors(host)
	if !ok {
		m.stop(NoteLineUnclear, false, about, "%s of VM %d cannot be converted: its address is not understood.", pve.SlotKey(slot), vm.VMID)
		return LineChange{}, false
	}
	named, missing := functionsOf(node, selectors)
	if missing != "" {
		about["address"] = missing
		m.stop(NoteNoDevice, false, about, "%s of VM %d names %s, and node %s has no such device: what it means cannot be told. Fix the address first.",
			pve.SlotKey(slot), vm.VMID, missing, vm.Node)
		return LineChange{}, false
	}
	id, ok := m.target(&wantedLine{vm: vm, node: node, slot: slot, selectors: selectors, named: named, about: about})
	if !ok {
		return LineChange{}, false
	}
	after, ok := pve.WithMapping(value, id)
	if !ok {
		m.stop(NoteLineUnclear, false, about, "%s of VM %d cannot be converted: its address is not understood.", pve.SlotKey(slot), vm.VMID)
		return LineChange{}, false
	}
	line := LineChange{Slot: slot, Before: value, After: after}
	for _, device := range named {
		line.Functions = append(line.Functions, Function{Address: device.Address.String(), Class: device.Class.String()})
	}
	return line, true
}

func hasOption(value, name string) bool {
	return slices.ContainsFunc(strings.Split(value, ","), func(part string) bool { return strings.HasPrefix(part, name+"=") })
}

// functionsOf gives the functions that a line names, in its order, each once, or the
// first address that names none.
func functionsOf(node *atlas.Node, selectors []pci.Selector) (named []*atlas.Device, missing string) {
	for _, selector := range selectors {
		found := false
		for i := range node.Devices {
			device := &node.Devices[i]
			if !selector.Names(device.Address) {
				continue
			}
			found = true
			if !slices.Contains(named, device) {
				named = append(named, device)
			}
		}
		if !found {
			return nil, selector.String()
		}
	}
	return named, ""
}

// wantedLine is a line with an address that is to name a mapping.
type wantedLine struct {
	vm        *atlas.VM
	node      *atlas.Node
	slot      int
	selectors []pci.Selector
	named     []*atlas.Device
	about     map[string]string
}

// target gives the mapping that a line is to name: the one that was asked for, or one
// that gives exactly its functions, or a new one.
func (m *maker) target(line *wantedLine) (id string, ok bool) {
	if asked := m.plan.Intent.Mapping; asked != "" {
		if mapping := m.mapping(asked); mapping != nil {
			return asked, m.fits(mapping, line)
		}
		return m.newMapping(asked, line)
	}
	var ids []string
	for _, list := range [][]pve.Mapping{m.report.Mappings, m.made} {
		for i := range list {
			if m.givesJust(&list[i], line) {
				ids = append(ids, list[i].ID)
			}
		}
	}
	if len(ids) > 0 {
		return slices.Min(ids), true
	}
	return m.newMapping("", line)
}

// givesJust tells whether the only entry of a mapping for the node is valid, and
// gives just the functions of the line.
func (m *maker) givesJust(mapping *pve.Mapping, line *wantedLine) bool {
	entries := mapping.On(line.node.Name)
	if len(entries) != 1 || isOn(mapping.LiveMigration) { // with the flag QEMU may refuse to start
		return false
	}
	check := m.report.CheckEntry(line.node, mapping, &entries[0])
	return len(check.Faults) == 0 && !check.Untold && slices.Equal(devicesOf(line.node, &entries[0]), line.named)
}

func devicesOf(node *atlas.Node, entry *pve.Entry) []*atlas.Device {
	var selectors []pci.Selector
	for _, part := range entry.Paths() {
		selector, ok := pve.PathSelector(part)
		if !ok {
			return nil
		}
		selectors = append(selectors, selector)
	}
	devices, _ := functionsOf(node, selectors)
	return devices
}

// fits says what keeps a line from naming a mapping that is there, and what changes
// with it.
func (m *maker) fits(mapping *pve.Mapping, line *wantedLine) bool {
	about := with(line.about, "mapping", mapping.ID)
	entries := mapping.On(line.node.Name)
	if len(entries) == 0 {
		m.stop(NoteNoEntry, false, about, "Mapping %s has no entry for node %s, so VM %d would not start there.", mapping.ID, line.node.Name, line.vm.VMID)
		return false
	}
	if isOn(mapping.LiveMigration) {
		m.note(NoteLiveFlag, about, "Mapping %s declares live migration: QEMU refuses to start VM %d with it if the device or its driver cannot do that.",
			mapping.ID, line.vm.VMID)
	}
	same := 0
	for i := range mapping.Entries {
		if entry := &mapping.Entries[i]; entry.Node == line.node.Name {
			m.checkEntry(mapping, i)
			if slices.Equal(devicesOf(line.node, entry), line.named) {
				same++
			}
		}
	}
	switch {
	case same == 0:
		m.stop(NoteOtherFunctions, true, with(about, "before", addresses(line.named), "after", addresses(devicesOf(line.node, &entries[0]))),
			"%s of VM %d names %s, and no entry of mapping %s gives just that.", pve.SlotKey(line.slot), line.vm.VMID, addresses(line.named), mapping.ID)
	case len(entries) > 1:
		m.note(NoteMayGetOther, with(about, "count", decimal(len(entries)), "before", addresses(line.named)),
			"Mapping %s has %d entries for node %s: VM %d gets the first that nobody holds, which may not be %s.",
			mapping.ID, len(entries), line.node.Name, line.vm.VMID, addresses(line.named))
	}
	return true
}

func with(about map[string]string, pairs ...string) map[string]string {
	all := params(pairs...)
	maps.Copy(all, about)
	return all
}

func addresses(devices []*atlas.Device) string {
	texts := make([]string, len(devices))
	for i, device := range devices {
		texts[i] = device.Address.String()
	}
	return strings.Join(texts, ", ")
}

// newMapping plans a mapping for the functions of a line.
func (m *maker) newMapping(id string, line *wantedLine) (string, bool) {
	entry, ok := m.entryFor(line)
	if !ok {
		return "", false
	}
	mapping := pve.Mapping{ID: id, Entries: []pve.Entry{entry}}
	if line.named[0].Mdev.Value { // Proxmox VE compares it with the hardware, whatever the line wants
		on := true
		mapping.Mdev = &on
	}
	if id == "" {
		mapping.ID = m.nameFor(line.named[0])
	}
	if !pve.ValidMappingID(mapping.ID) {
		m.refused(mapping.ID, "id: invalid format - invalid configuration ID '"+mapping.ID+"'")
		return "", false
	}
	m.checkEntry(&mapping, 0)
	m.addCreate(mapping)
	return mapping.ID, true
}

// inOrder tells whether functions are in the order in which a whole slot gives them.
func inOrder(devices []*atlas.Device) bool {
	return slices.IsSortedFunc(devices, func(a, b *atlas.Device) int { return a.Address.Compare(b.Address) })
}

// entryFor writes the one entry that gives the functions of a line. Functions of one
// slot with different ids are given by the whole slot alone: Proxmox VE compares each
// part of a path with the ids of the entry.
func (m *maker) entryFor(line *wantedLine) (pve.Entry, bool) {
	first := line.named[0]
	if !first.Device.Group.Told || !first.Mdev.Told {
		m.note(NoteEntryUntold, with(line.about, "mapping", "", "path", first.Address.String(), "entry", "1"),
			"What an entry has to say of %s on node %s was not all told.", first.Address, line.node.Name)
	}
	at := Located{Node: line.node.Name, Device: first}
	if len(line.named) == 1 && !line.selectors[0].WholeSlot() {
		return entryOf(at), true
	}
	slot := slotOf(line.node, first)
	oneSlot := !slices.ContainsFunc(line.named, func(d *atlas.Device) bool { return d.Address.Slot() != first.Address.Slot() })
	switch {
	case oneSlot && len(slot) == len(line.named) && slot[0].Address.Function == 0 && inOrder(line.named):
		at.WholeSlot = true
		return entryOf(at), true
	case !slices.ContainsFunc(line.named, func(d *atlas.Device) bool { return d.IDs.String() != first.IDs.String() }):
		entry := entryOf(at)
		entry.Path = strings.ReplaceAll(addresses(line.named), ", ", ";")
		return entry, true
	case oneSlot && slot[0].Address.Function == 0:
		m.stop(NoteOtherFunctions, true, with(line.about, "mapping", "", "before", addresses(line.named), "after", addresses(slot)),
			"%s of VM %d names %s; no entry can give just these, because their ids differ. The whole slot gives %s.",
			pve.SlotKey(line.slot), line.vm.VMID, addresses(line.named), addresses(slot))
		return entryOf(Located{Node: line.node.Name, Device: slot[0], WholeSlot: true}), true
	default:
		m.stop(NoteNoValidEntry, false, with(line.about, "before", addresses(line.named)),
			"%s of VM %d names %s; no entry of a mapping can give them together, because their ids differ.",
			pve.SlotKey(line.slot), line.vm.VMID, addresses(line.named))
		return pve.Entry{}, false
	}
}

// slotOf gives all functions of a function's slot, by address.
func slotOf(node *atlas.Node, device *atlas.Device) []*atlas.Device {
	var devices []*atlas.Device
	for i := range node.Devices {
		if node.Devices[i].Address.Slot() == device.Address.Slot() {
			devices = append(devices, &node.Devices[i])
		}
	}
	return devices
}

// nameFor gives a name for the mapping of one device: its model and its bus.
func (m *maker) nameFor(device *atlas.Device) string {
	base := slug(model(device.ReadableNames().Device))
	if !pve.ValidMappingID(base) {
		base = "pci-" + device.IDs.Pair.Vendor.String() + "-" + device.IDs.Pair.Device.String()
	}
	base += fmt.Sprintf("-%02x", device.Address.Bus)
	id := base
	for n := 2; m.mapping(id) != nil; n++ {
		id = base + "-" + decimal(n)
	}
	return id
}

// setVM adds the step that writes lines of a VM, and the one that makes them real.
func (m *maker) setVM(vm *atlas.VM, lines []LineChange) {
	if len(lines) == 0 {
		return
	}
	step := Step{
		Action: SetVM, Node: vm.Node, VMID: vm.VMID, VMName: nameOf(vm), Lines: lines,
		Running: vm.Status != facts.Stopped && !vm.Template,
		Request: vmRequest(vm), Undo: vmRequest(vm),
		Guard: Guard{Kind: GuardVMDigest, Digest: vm.Config.Digest},
	}
	for _, line := range lines {
		key := pve.SlotKey(line.Slot)
		step.Request.Params = append(step.Request.Params, Param{key, line.After})
		step.Undo.Params = append(step.Undo.Params, Param{key, line.Before})
		values := []string{line.Before, line.After}
		// Proxmox VE looks at what is in effect, too, while something else is pending.
		if item, _ := vm.Config.Get(key); item.Current != nil {
			values = append(values, *item.Current)
		}
		for _, value := range values {
			step.Needs = m.needsOf(step.Needs, vm, value)
		}
	}
	m.add(step)
	if step.Running {
		m.plan.Steps = append(m.plan.Steps, Step{
			Action: RestartVM, Node: vm.Node, VMID: vm.VMID, VMName: nameOf(vm), Running: true, Guard: Guard{Kind: GuardNone},
			Command: "qm shutdown " + decimal(vm.VMID) + " && qm start " + decimal(vm.VMID),
		})
	}
}

// nameOf gives the name of a VM, "" for the one that Proxmox VE makes of its number.
func nameOf(vm *atlas.VM) string {
	if vm.Name == "VM "+decimal(vm.VMID) {
		return ""
	}
	return vm.Name
}

func vmRequest(vm *atlas.VM) *Request {
	return &Request{Method: methodChange, Node: vm.Node, Path: "/nodes/" + vm.Node + "/qemu/" + decimal(vm.VMID) + "/config"}
}

// needsOf adds what it takes to take away a line, or to write one.
func (m *maker) needsOf(needs []Need, vm *atlas.VM, value string) []Need {
	add := func(need Need) {
		if !slices.ContainsFunc(needs, func(n Need) bool {
			return n.Privilege == need.Privilege && n.Path == need.Path && n.RootOnly == need.RootOnly
		}) {
			needs = append(needs, need)
		}
	}
	if _, raw := pve.HostOf(value); raw {
		add(m.rootOnly(RootRawLine))
	}
	if hasOption(value, "romfile") {
		add(m.rootOnly(RootROMFile))
	}
	if parsed, err := pve.ParseHostPCI(value); err == nil && parsed.Mapping != "" {
		add(m.need("/vms/"+decimal(vm.VMID), pve.VMConfigHWType))
		add(m.need(mappingsPathOf(parsed.Mapping), pve.MappingUse))
	}
	return needs
}
