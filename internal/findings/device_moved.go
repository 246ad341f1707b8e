package findings

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"pciatlas/internal/atlas"
	"pciatlas/internal/pci"
	"pciatlas/internal/pve"
)

// findDeviceMovedLines finds VMs whose lost addresses all reappear on buses that
// are shifted by one and the same number.
func findDeviceMovedLines(w *world) []Finding {
	var found []Finding
	for _, v := range w.vms {
		if !deviceListWhole(v.node) || len(deviceMissingOf(v)) == 0 {
			continue
		}
		if f, ok := deviceShifted(v); ok {
			found = append(found, f)
		}
	}
	return found
}

// deviceShifted looks for the one shift of buses that explains everything the VM
// has lost. One address alone proves nothing.
func deviceShifted(v *vm) (Finding, bool) {
	lost := deviceMissingOf(v)
	for _, l := range v.lines {
		if len(deviceUnexpected(l)) == 0 || len(l.unplaced) > 0 {
			continue
		}
		for _, selector := range l.Value.Selectors {
			lost = append(lost, deviceMissing{l, selector})
		}
	}
	slices.SortStableFunc(lost, func(a, b deviceMissing) int { return a.line.Slot - b.line.Slot })
	if !deviceDistinct(lost) {
		return Finding{}, false
	}
	var shifts []int
	for i := range v.node.Devices {
		shift := int(v.node.Devices[i].Address.Bus) - int(lost[0].selector.First().Bus)
		if shift != 0 && !slices.Contains(shifts, shift) && deviceExplains(v, lost, shift) {
			shifts = append(shifts, shift)
		}
	}
	if len(shifts) != 1 {
		return Finding{}, false
	}
	var from, to, evidence, remedy []string
	var targets []*atlas.Device
	for _, m := range lost {
		target := deviceShift(v.node, m.selector, shifts[0])
		targets = append(targets, target...)
		from = append(from, m.selector.String())
		to = append(to, devicePath(target[0].Address, m.selector.WholeSlot()))
		evidence = append(evidence, deviceLineEvidence(m.line))
		evidence = append(evidence, deviceEvidenceOf(target)...)
	}
	remedy = append(remedy, "Compare with lspci -nnD on the node, then, as root, write the new addresses into the lines (qm set "+
		deviceNumbers([]*vm{v})[0]+" --hostpciN …).",
		"Use resource mappings: they compare the ids of a device before a VM gets it.")
	return Finding{
		Code: DeviceMoved, Severity: Info, Subject: v.subject(),
		Sentence: fmt.Sprintf("What VM %d names as %s is likely to be at %s now: every bus number is shifted by %+d.",
			v.VMID, deviceWords(from), deviceWords(to), shifts[0]),
		Params: map[string]string{
			"variant": "shifted", "node": v.Node, "vmid": v.number(), "from": joined(from), "to": joined(to),
			"shift": fmt.Sprintf("%+d", shifts[0]),
		},
		Evidence: slices.Compact(evidence), Remedy: remedy,
		devices: devicesOf(v.node, targets...),
	}, true
}

// devicePath writes an address as a line or path does that names a function, or the
// whole slot of it.
func devicePath(address pci.Address, whole bool) string {
	if whole {
		return strings.TrimSuffix(address.Slot().String(), ".0")
	}
	return address.String()
}

// deviceDistinct tells whether at least two different addresses are lost.
func deviceDistinct(lost []deviceMissing) bool {
	return slices.ContainsFunc(lost, func(m deviceMissing) bool {
		return m.selector.First() != lost[0].selector.First()
	})
}

// deviceShift gives the functions that a selector would name with a shifted bus.
func deviceShift(n *node, selector pci.Selector, shift int) []*atlas.Device {
	var devices []*atlas.Device
	for i := range n.Devices {
		address := n.Devices[i].Address
		bus := int(address.Bus) - shift
		if bus < 0 || bus > 0xff {
			continue
		}
		address.Bus = uint8(bus)
		if selector.Names(address) {
			devices = append(devices, &n.Devices[i])
		}
	}
	return devices
}

// deviceExplains tells whether a shift leads every lost address to functions that
// nobody else names and that fit the options of the line.
func deviceExplains(v *vm, lost []deviceMissing, shift int) bool {
	for _, m := range lost {
		devices := deviceShift(v.node, m.selector, shift)
		if len(devices) == 0 {
			return false
		}
		display := slices.ContainsFunc(devices, func(d *atlas.Device) bool { return d.Class.Kind() == pci.Display })
		value := &m.line.Value
		if (value.XVGA == "1" || value.LegacyIGD == "1") && !display ||
			value.RomFile != "" && !slices.ContainsFunc(devices, deviceHasROM) ||
			value.Mdev != "" && !slices.ContainsFunc(devices, deviceMayHaveMdev) {
			return false
		}
		for _, device := range devices {
			if deviceIsBridge(device) || deviceNamedByOthers(v, device, lost) {
				return false
			}
		}
	}
	return true
}

// deviceNamedByOthers tells whether a function is named by another VM, or by a
// line of the VM that is not among the lost ones.
func deviceNamedByOthers(v *vm, device *atlas.Device, lost []deviceMissing) bool {
	return slices.ContainsFunc(device.References, func(r atlas.Reference) bool {
		return r.Line.VM != v.VM || !slices.ContainsFunc(lost, func(m deviceMissing) bool { return m.line.Line == r.Line })
	})
}

// deviceEntry is one entry of a mapping that does not find its device.
type deviceEntry struct {
	mapping *pve.Mapping
	entry   *pve.Entry
	equal   []*atlas.Device // with the ids of the entry, claimed by nobody
}

// findDeviceMovedEntries finds entries of mappings whose device is gone from its
// address while equal devices are there, unclaimed.
func findDeviceMovedEntries(w *world) []Finding {
	var found []Finding
	for _, n := range w.nodes {
		if !deviceListWhole(n) {
			continue
		}
		lost := deviceLostEntries(n)
		for _, e := range lost {
			rivals := 0
			for _, other := range lost {
				if slices.Contains(other.equal, e.equal[0]) {
					rivals++
				}
			}
			found = append(found, e.findings(n, rivals)...)
		}
	}
	return found
}

// deviceLostEntries gives the entries for the node whose device may be elsewhere,
// by mapping, equal ones once. Where functions go together, the new place of each
// would have to be known.
func deviceLostEntries(n *node) []*deviceEntry {
	var lost []*deviceEntry
	for _, p := range n.mappingPlaces() {
		for i := range p.entries {
			entry := &p.entries[i]
			if strings.Contains(entry.Path, ";") || slices.Contains(p.entries[:i], *entry) || deviceAtPath(n, entry) {
				continue
			}
			if equal := deviceEqual(n, p.mapping, entry); len(equal) > 0 {
				lost = append(lost, &deviceEntry{p.mapping, entry, equal})
			}
		}
	}
	return lost
}

// deviceAtPath tells whether the device of an entry is where the entry says.
func deviceAtPath(n *node, entry *pve.Entry) bool {
	selector, ok := pci.ParseSelector(entry.Path)
	if !ok {
		return false
	}
	device := n.Device(selector.First())
	return device != nil && deviceHasIDs(device, entry)
}

// deviceHasIDs compares the ids of a function with an entry's, whatever the case
// of the letters.
func deviceHasIDs(device *atlas.Device, entry *pve.Entry) bool {
	if !strings.EqualFold(device.IDs.String(), entry.ID) {
		return false
	}
	return entry.Subsystem == "" || device.IDs.Subsystem == nil ||
		strings.EqualFold(device.IDs.Subsystem.String(), entry.Subsystem)
}

// deviceEqual gives the functions that can be the lost one of an entry. A card
// that moves keeps the numbers of its functions, and what else is in the old slot
// has not moved: where a virtual function is gone, its physical one is no
// substitute.
func deviceEqual(n *node, mapping *pve.Mapping, entry *pve.Entry) []*atlas.Device {
	selector, ok := pci.ParseSelector(entry.Path)
	if !ok {
		return nil
	}
	lost := selector.First()
	var equal []*atlas.Device
	for i := range n.Devices {
		device := &n.Devices[i]
		address := device.Address
		if address.Slot() == lost.Slot() || address.Function != lost.Function {
			continue
		}
		if deviceHasIDs(device, entry) && !deviceClaimed(n, mapping, device) {
			equal = append(equal, device)
		}
	}
	return equal
}

// deviceClaimed tells whether a function is spoken for: by a VM other than through
// the mapping, or by an entry of any mapping that it fits.
func deviceClaimed(n *node, mapping *pve.Mapping, device *atlas.Device) bool {
	if slices.ContainsFunc(device.References, func(r atlas.Reference) bool { return r.Mapping != mapping.ID }) {
		return true
	}
	for i := range n.world.report.Mappings {
		entries := n.world.report.Mappings[i].On(n.Name)
		for j := range entries {
			if !deviceHasIDs(device, &entries[j]) {
				continue
			}
			for _, path := range entries[j].Paths() {
				if selector, ok := pci.ParseSelector(path); ok && selector.Names(device.Address) {
					return true
				}
			}
		}
	}
	return false
}

// places are where the device may be, in the shape of the entry's path.
func (e *deviceEntry) places() []string {
	selector, _ := pci.ParseSelector(e.entry.Path)
	places := make([]string, len(e.equal))
	for i, device := range e.equal {
		places[i] = devicePath(device.Address, selector.WholeSlot())
	}
	return places
}

// findings says where the device of an entry is likely to be. rivals is the
// number of entries that look for it.
func (e *deviceEntry) findings(n *node, rivals int) []Finding {
	places := deviceWords(e.places())
	moved := Finding{
		Code: DeviceMoved, Severity: Info,
		Subject: Subject{Node: n.Name, Slot: atlas.NoSlot, Mapping: e.mapping.ID},
		Params: map[string]string{
			"variant": "devices", "node": n.Name, "mapping": e.mapping.ID, "path": e.entry.Path, "id": e.entry.ID, "places": joined(e.places()),
		},
		Evidence: append([]string{fmt.Sprintf("mapping %s on %s: id=%s,path=%s", e.mapping.ID, n.Name, e.entry.ID, e.entry.Path)},
			deviceEvidenceOf(e.equal)...),
		devices: devicesOf(n, e.equal...),
	}
	if len(e.equal) == 1 && rivals == 1 {
		moved.Params["variant"] = "entry"
		moved.Sentence = fmt.Sprintf("The device %s that mapping %s expects at %s on node %s is likely to be at %s now: "+
			"it is the only one of these ids that nothing else names.", e.entry.ID, e.mapping.ID, e.entry.Path, n.Name, places)
		moved.Remedy = []string{fmt.Sprintf("Write path=%s into the entry for node %s, with the IOMMU group that the device has now.",
			places, n.Name)}
		return []Finding{moved}
	}
	moved.Sentence = fmt.Sprintf("The device %s that mapping %s expects at %s on node %s is not there. ",
		e.entry.ID, e.mapping.ID, e.entry.Path, n.Name)
	moved.Remedy = []string{"Tell the devices apart by slot or serial number (lspci -vv -s ADDRESS), then correct the entry."}
	if len(e.equal) == 1 {
		moved.Params["variant"], moved.Params["count"] = "entries", strconv.Itoa(rivals)
		moved.Sentence += fmt.Sprintf("The only device of these ids that nothing else names is %s, and %d entries look for it; "+
			"which of them means it cannot be told.", places, rivals)
		moved.Remedy = []string{fmt.Sprintf("Find out which entry %s belongs to (lspci -vv -s %s), and correct that one.", places, places)}
		return []Finding{moved}
	}
	moved.Sentence += fmt.Sprintf("Devices of these ids that nothing else names: %s; which of them is meant cannot be told.", places)
	identical := moved
	identical.Params = maps.Clone(moved.Params)
	delete(identical.Params, "variant")
	identical.Params["count"] = strconv.Itoa(len(e.equal))
	identical.Code, identical.Severity = IdenticalDevices, Warning
	identical.Sentence = fmt.Sprintf("Node %s has %d equal devices %s that nothing else names (%s); "+
		"which of them mapping %s means cannot be told from the ids.",
		n.Name, len(e.equal), e.entry.ID, places, e.mapping.ID)
	return []Finding{moved, identical}
}
