// Package plan proposes and plans changes of resource mappings. Everything in it is a
// value, text until somebody applies it. It is pure: it may import atlas, rights,
// facts, pve and pci, and what presents or applies plans imports it.
package plan

import (
	"cmp"
	"slices"
	"strconv"

	"pciatlas/internal/atlas"
	"pciatlas/internal/pci"
	"pciatlas/internal/pve"
)

// Suggestions are the mappings that the hardware of all nodes asks for.
type Suggestions struct {
	// Mappings are by name.
	Mappings []Suggestion
	// Left are the displays and accelerators without a proposal, with why; by node and
	// address.
	Left []LeftOut
	// Unread are the nodes whose devices were not all read: they may have more.
	Unread []string
	// Scope says how sure it is that all mappings were visible: one that is hidden may have
	// a device that is proposed.
	Scope atlas.Scope
	// BootDisplaysUntold are the nodes of which it is not told which display is the boot
	// display; one that the node needs for itself may be among the proposals.
	BootDisplaysUntold []string
}

// Suggestion is one proposed mapping: a new one, or an existing one with more entries.
type Suggestion struct {
	// Mapping is what there would be, with all entries.
	Mapping pve.Mapping
	// Changes: the mapping exists, and Added are the entries that it lacks, as indexes
	// of Mapping.Entries. Of a new one all are added.
	Changes bool
	Added   []int
	// Names are those of the device.
	Names pci.Names
	// Devices are what the added entries give, in their order.
	Devices []Located
	// Raw are the lines that name one of these devices by address, by VM and slot.
	Raw []RawLine
	// NoGroup: some of the devices have no IOMMU group; until they have, nothing starts
	// with them.
	NoGroup bool
}

// Located is a function of a node. WholeSlot: its entry gives the whole slot.
type Located struct {
	Node      string
	Device    *atlas.Device
	WholeSlot bool
}

// RawLine is a line of a VM that names a device by address.
type RawLine struct {
	VM   *atlas.VM
	Slot int
}

// LeftReason says why a device is not proposed.
type LeftReason string

// The reasons.
const (
	LeftCovered     LeftReason = "covered"      // a mapping has it
	LeftFaulty      LeftReason = "faulty_entry" // a mapping names it with an entry that does not fit; correct that one
	LeftBMC         LeftReason = "bmc"          // it is what a remote console shows
	LeftBootDisplay LeftReason = "boot_display" // the node shows its console on it
	LeftHasVFs      LeftReason = "has_vfs"      // its virtual functions are what can be shared
	LeftUntold      LeftReason = "untold"       // what an entry must say of it was not told
)

// LeftOut is a display or accelerator that is not proposed.
type LeftOut struct {
	Located
	Reason LeftReason
	// Mapping is the one that covers it, "" for other reasons.
	Mapping string
}

// Suggest proposes mappings for the displays and accelerators of all nodes: one for
// all equal devices, with an entry for each. A device that a valid entry gives
// already is left alone.
func Suggest(report *atlas.Report) Suggestions {
	s := &suggester{report: report, ids: map[string]bool{}, extended: map[string]bool{}}
	s.result.Scope = report.MappingScope
	for i := range report.Mappings {
		s.ids[report.Mappings[i].ID] = true
	}
	for i := range report.Nodes {
		s.addNode(&report.Nodes[i])
	}
	for _, group := range s.groups {
		s.propose(group)
	}
	slices.SortFunc(s.result.Mappings, func(a, b Suggestion) int { return cmp.Compare(a.Mapping.ID, b.Mapping.ID) })
	return s.result
}

type suggester struct {
	report *atlas.Report
	ids    map[string]bool
	// extended are the mappings that get more entries.
	extended map[string]bool
	groups   []*equals
	result   Suggestions
}

// equals are equal devices, those that one mapping may hold: of the same ids, as a
// whole or as a virtual function, able to give mediated devices or not.
type equals struct {
	ids     pci.Pair
	mdev    bool
	virtual bool
	devices []Located
}

func (s *suggester) addNode(node *atlas.Node) {
	if !s.report.DevicesWhole(node) {
		s.result.Unread = append(s.result.Unread, node.Name)
	}
	untold := false
	for i := range node.Devices {
		device := &node.Devices[i]
		if device.Class.Kind() == pci.Other {
			continue
		}
		at := Located{Node: node.Name, Device: device, WholeSlot: wholeSlot(node, device)}
		if reason, mapping := s.leave(node, at); reason != "" {
			s.result.Left = append(s.result.Left, LeftOut{Located: at, Reason: reason, Mapping: mapping})
			continue
		}
		untold = untold || at.bootDisplayUntold()
		s.add(at)
	}
	if untold {
		s.result.BootDisplaysUntold = append(s.result.BootDisplaysUntold, node.Name)
	}
}

// bootDisplayUntold tells whether the device may be the boot display, which is not told.
func (l *Located) bootDisplayUntold() bool {
	device := l.Device
	return device.Class>>8 == 0x0300 && !device.IsVirtual() && (device.Host == nil || !device.Host.BootDisplay.Told)
}

// leave tells why a device is not proposed, "" if it is.
func (s *suggester) leave(node *atlas.Node, at Located) (reason LeftReason, mapping string) {
	device := at.Device
	switch {
	case device.IsBMC():
		return LeftBMC, ""
	case device.Host != nil && device.Host.BootDisplay.Value:
		return LeftBootDisplay, ""
	}
	if id, faulty := s.coveredBy(node, device); faulty {
		return LeftFaulty, id
	} else if id != "" {
		return LeftCovered, id
	}
	switch {
	case len(device.VFs.Value) > 0:
		return LeftHasVFs, ""
	case mayHaveVFs(node, device):
		return LeftUntold, ""
	case !device.Device.Group.Told || !device.Mdev.Told:
		return LeftUntold, ""
	default:
		return "", ""
	}
}

// mayHaveVFs tells whether a function may be the physical one of others, which is not told:
// then it is function 0 of a slot with more displays or accelerators of its maker. To pass
// it would take those away from everybody.
func mayHaveVFs(node *atlas.Node, device *atlas.Device) bool {
	return !device.VFs.Told && device.Address.Function == 0 && slices.ContainsFunc(node.SlotMates(device), func(mate *atlas.Device) bool {
		return mate.Class.Kind() != pci.Other && mate.IDs.Vendor == device.IDs.Vendor && !mate.Parent.Told
	})
}

// coveredBy gives the first mapping with an entry that gives the function, "" if there
// is none. One whose entry fits the node comes before those with a faulty one.
func (s *suggester) coveredBy(node *atlas.Node, device *atlas.Device) (id string, faulty bool) {
	for i := range s.report.Mappings {
		mapping := &s.report.Mappings[i]
		for _, entry := range mapping.On(node.Name) {
			if !entry.Names(device.Address) {
				continue
			}
			bad := len(s.report.CheckEntry(node, mapping, &entry).Faults) > 0
			if id == "" || faulty && !bad || faulty == bad && mapping.ID < id {
				id, faulty = mapping.ID, bad
			}
		}
	}
	return id, faulty
}

// wholeSlot tells whether the entry of a device gives its whole slot: it is function
// 0, does not give mediated devices, and all else in the slot belongs to the card.
func wholeSlot(node *atlas.Node, device *atlas.Device) bool {
	mates := node.SlotMates(device)
	if device.Address.Function != 0 || len(mates) == 0 || device.Mdev.Value || device.IsVirtual() {
		return false
	}
	companions := node.Companions(device)
	return !slices.ContainsFunc(mates, func(mate *atlas.Device) bool { return !slices.Contains(companions, mate) })
}

func (s *suggester) add(at Located) {
	ids, mdev, virtual := at.Device.IDs.Pair, at.Device.Mdev.Value, at.Device.IsVirtual()
	for _, group := range s.groups {
		if group.ids == ids && group.mdev == mdev && group.virtual == virtual {
			group.devices = append(group.devices, at)
			return
		}
	}
	s.groups = append(s.groups, &equals{ids: ids, mdev: mdev, virtual: virtual, devices: []Located{at}})
}

// propose makes the suggestion of equal devices.
func (s *suggester) propose(group *equals) {
	suggestion := Suggestion{Names: group.devices[0].Device.ReadableNames(), Devices: group.devices}
	if existing := s.existing(group); existing != nil {
		suggestion.Changes, suggestion.Mapping = true, *existing
		suggestion.Mapping.Entries = slices.Clone(existing.Entries)
	} else {
		suggestion.Mapping.ID = s.name(group, suggestion.Names)
		if group.mdev {
			on := true
			suggestion.Mapping.Mdev = &on
		}
	}
	for _, at := range group.devices {
		suggestion.Added = append(suggestion.Added, len(suggestion.Mapping.Entries))
		suggestion.Mapping.Entries = append(suggestion.Mapping.Entries, entryOf(at))
		suggestion.NoGroup = suggestion.NoGroup || at.Device.Device.Group.Value == nil
		suggestion.addRaw(at)
	}
	slices.SortFunc(suggestion.Raw, func(a, b RawLine) int {
		return cmp.Or(cmp.Compare(a.VM.VMID, b.VM.VMID), cmp.Compare(a.Slot, b.Slot))
	})
	suggestion.Raw = slices.Compact(suggestion.Raw)
	s.result.Mappings = append(s.result.Mappings, suggestion)
}

// existing gives the first mapping all of whose entries are for such devices and fit
// them as far as that was read, nil if there is none. It is not given twice.
func (s *suggester) existing(group *equals) *pve.Mapping {
	var found *pve.Mapping
	for i := range s.report.Mappings {
		mapping := &s.report.Mappings[i]
		if !s.extended[mapping.ID] && s.alike(mapping, group) && (found == nil || mapping.ID < found.ID) {
			found = mapping
		}
	}
	if found != nil {
		s.extended[found.ID] = true
	}
	return found
}

// alike tells whether a mapping holds devices like these and nothing else.
func (s *suggester) alike(mapping *pve.Mapping, group *equals) bool {
	return mapping.HasMdev() == group.mdev && !slices.ContainsFunc(mapping.Entries, func(entry pve.Entry) bool {
		node := s.report.Node(entry.Node)
		if entry.ID != group.ids.String() || node == nil || len(s.report.CheckEntry(node, mapping, &entry).Faults) > 0 {
			return true
		}
		return slices.ContainsFunc(node.Devices, func(device atlas.Device) bool {
			return device.Class.Kind() != pci.Other && entry.Names(device.Address) && device.IsVirtual() != group.virtual
		})
	})
}

// entryOf writes the entry of a device as Proxmox VE checks it.
func entryOf(at Located) pve.Entry {
	device := at.Device
	entry := pve.Entry{Node: at.Node, ID: device.IDs.Pair.String(), Path: device.Address.String()}
	if at.WholeSlot {
		entry.Path = entry.Path[:len(entry.Path)-len(".0")]
	}
	if group := device.Device.Group.Value; group != nil {
		entry.Group = strconv.Itoa(*group)
	}
	if device.IDs.Subsystem != nil {
		entry.Subsystem = device.IDs.Subsystem.String()
	}
	return entry
}

// addRaw adds the lines that name the device by address.
func (s *Suggestion) addRaw(at Located) {
	for i := range at.Device.References {
		if line := at.Device.References[i].Line; line.Via == atlas.ViaAddress {
			s.Raw = append(s.Raw, RawLine{VM: line.VM, Slot: line.Slot})
		}
	}
}
