package findings

import (
	"fmt"
	"slices"
	"strings"

	"pciatlas/internal/atlas"
	"pciatlas/internal/pci"
	"pciatlas/internal/pve"
)

// mappingAlternatives finds entries of one node that are different parts of one
// card. Virtual functions and equal functions of one slot are true alternatives.
func mappingAlternatives(w *world) []Finding {
	var found []Finding
	places := w.mappingPlaces()
	for i := range places {
		if parts := places[i].cardParts(); len(parts) > 1 {
			found = append(found, places[i].alternatives(parts))
		}
	}
	return found
}

// cardParts gives functions of one slot that several entries of the place are
// about and that are of different kinds.
func (p *mappingPlace) cardParts() []*atlas.Device {
	if !p.node.DevicesRead || len(p.entries) < 2 {
		return nil
	}
	bySlot := map[pci.Address][]*atlas.Device{}
	var slots []pci.Address
	for _, entry := range p.entries {
		functions := p.functions(entry)
		if len(functions) != 1 || functions[0].Parent.Value != nil {
			continue
		}
		slot := functions[0].Address.Slot()
		if bySlot[slot] == nil {
			slots = append(slots, slot)
		}
		bySlot[slot] = append(bySlot[slot], functions[0])
	}
	for _, slot := range slots {
		parts := bySlot[slot]
		if slices.ContainsFunc(parts, func(d *atlas.Device) bool { return d.Class.Base() != parts[0].Class.Base() }) {
			slices.SortFunc(parts, func(a, b *atlas.Device) int { return a.Address.Compare(b.Address) })
			return parts
		}
	}
	return nil
}

func (p *mappingPlace) alternatives(parts []*atlas.Device) Finding {
	addresses := make([]string, 0, len(parts))
	evidence := make([]string, 0, len(parts)+len(p.entries))
	for _, entry := range p.entries {
		evidence = append(evidence, fmt.Sprintf("mapping %s: map %s", p.mapping.ID, entry))
	}
	for _, part := range parts {
		addresses = append(addresses, part.Address.String())
		evidence = append(evidence, fmt.Sprintf("%s: class %s", part.Address, part.Class))
	}
	slot := strings.TrimSuffix(parts[0].Address.Slot().String(), ".0")
	remedy := []string{fmt.Sprintf("Write the whole slot as one entry (path=%s).", slot)}
	if device := p.node.Device(parts[0].Address.Slot()); device != nil {
		whole := mappingEntryFor(pve.Entry{Node: p.node.Name, Path: slot}, device)
		entries := []pve.Entry{whole}
		for _, entry := range p.mapping.Entries {
			functions := p.functions(entry)
			if entry.Node != p.node.Name || len(functions) == 0 || functions[0].Address.Slot() != device.Address {
				entries = append(entries, entry)
			}
		}
		remedy = append(remedy, mappingSet(p.mapping.ID, "", entries))
	}
	return Finding{
		Code: MappingEntriesAreAlternatives, Severity: Warning, Subject: p.subject(),
		Sentence: fmt.Sprintf("The entries of resource mapping %s on node %s are parts of one card (%s), but several entries of a node are alternatives: "+
			"a VM gets only one of them, the first that is free.", p.mapping.ID, p.node.Name, mappingJoin(addresses)),
		Params:   map[string]string{"mapping": p.mapping.ID, "node": p.node.Name, "devices": joined(addresses)},
		Evidence: evidence, Remedy: remedy,
		devices: devicesOf(p.node, parts...),
	}
}

// mappingGroupUnchecked finds entries with functions of a group that Proxmox VE
// does not compare.
func mappingGroupUnchecked(w *world) []Finding {
	var found []Finding
	places := w.mappingPlaces()
	for i := range places {
		for _, entry := range places[i].entries {
			if f, ok := places[i].groupUnchecked(entry); ok {
				found = append(found, f)
			}
		}
	}
	return found
}

func (p *mappingPlace) groupUnchecked(entry pve.Entry) (Finding, bool) {
	paths := entry.Paths()
	if len(paths) < 2 {
		return Finding{}, false
	}
	var first *atlas.Device
	var others, plain, evidence []string
	var devices []*atlas.Device
	for i, part := range paths {
		selector, ok := pve.PathSelector(part)
		if !ok || selector.NamesNothing() {
			return Finding{}, false
		}
		device := p.node.Device(selector.First())
		if device == nil || !device.Device.Group.Told {
			return Finding{}, false
		}
		devices = append(devices, device)
		group := mappingGroup(device)
		evidence = append(evidence, fmt.Sprintf("%s: IOMMU group %s", device.Address, group))
		if i == 0 {
			first = device
		} else if group != mappingGroup(first) {
			others = append(others, fmt.Sprintf("%s (group %s)", device.Address, group))
			plain = append(plain, with(device.Address.String(), mappingPlainGroup(device)))
		}
	}
	return Finding{
		Code: MappingGroupUnchecked, Severity: Info, Subject: p.subject(),
		Sentence: fmt.Sprintf("Resource mapping %s on node %s has several paths in one entry; Proxmox VE compares the IOMMU group of the first path only, "+
			"not that of %s.", p.mapping.ID, p.node.Name, mappingJoin(others)),
		Params:   map[string]string{"mapping": p.mapping.ID, "node": p.node.Name, "devices": joined(plain)},
		Evidence: append([]string{fmt.Sprintf("mapping %s: map %s", p.mapping.ID, entry)}, evidence...),
		devices:  devicesOf(p.node, devices...),
	}, len(others) > 0
}

func mappingGroup(device *atlas.Device) string {
	if group := device.Device.Group.Value; group != nil {
		return fmt.Sprint(*group)
	}
	return "none"
}

// mappingPlainGroup is the group as parameters have it.
func mappingPlainGroup(device *atlas.Device) string {
	if device.Device.Group.Value == nil {
		return orDash("")
	}
	return mappingGroup(device)
}

// mappingOverlap finds functions that several mappings have, or a mapping and a
// line with the address itself. Functions with the same names make one finding.
func mappingOverlap(w *world) []Finding {
	var found []Finding
	for _, n := range w.nodes {
		seen := map[string]int{}
		var groups []overlapGroup
		named := n.mappingNamed()
		for i := range n.Devices {
			device := &n.Devices[i]
			places, direct := named[device], n.overlapLines(device)
			if at := slices.IndexFunc(groups, func(g overlapGroup) bool { return g.equals(places, direct) }); at >= 0 {
				found[groups[at].found].overlapToo(n, device)
				continue
			}
			f, ok := n.overlap(device, places, direct)
			if !ok {
				continue
			}
			key := f.Params["mappings"] + "|" + f.Params["lines"]
			if at, known := seen[key]; known {
				found[at].overlapToo(n, device)
				continue
			}
			seen[key] = len(found)
			groups = append(groups, overlapGroup{places, direct, len(found)})
			found = append(found, f)
		}
	}
	return found
}

// overlapToo adds a function to the finding about another that the same name.
func (f *Finding) overlapToo(n *node, device *atlas.Device) {
	f.Evidence = append(f.Evidence, device.Address.String()+": in the same")
	f.devices = append(f.devices, deviceOn{n.Name, device.Address})
}

// mappingNamed gives the mappings whose entries name each function of the node.
func (n *node) mappingNamed() map[*atlas.Device][]overlapEntry {
	named := make(map[*atlas.Device][]overlapEntry, len(n.Devices))
	for _, place := range n.mappingPlaces() {
		for i := range place.entries {
			for _, device := range place.functions(place.entries[i]) {
				known := named[device]
				if len(known) > 0 && known[len(known)-1].mapping == place.mapping {
					continue
				}
				named[device] = append(known, overlapEntry{place.mapping, &place.entries[i]})
			}
		}
	}
	return named
}

// overlapEntry is the first entry of a mapping on a node that names a function.
type overlapEntry struct {
	mapping *pve.Mapping
	entry   *pve.Entry
}

// overlapGroup is what names a function, and where the finding about it is.
type overlapGroup struct {
	places []overlapEntry
	direct []*line
	found  int
}

// equals tells whether the same mappings and lines name a function. Which of the
// entries of a mapping it is makes no difference.
func (g *overlapGroup) equals(places []overlapEntry, direct []*line) bool {
	return slices.Equal(g.direct, direct) &&
		slices.EqualFunc(g.places, places, func(a, b overlapEntry) bool { return a.mapping == b.mapping })
}

// overlapLines gives the lines that name a function by its address.
func (n *node) overlapLines(device *atlas.Device) []*line {
	naming := n.linesOf(device)
	lines := make([]*line, 0, len(naming))
	for _, l := range naming {
		if l.Via == atlas.ViaAddress && l.exclusive() && l.counts() {
			lines = append(lines, l)
		}
	}
	return lines
}

// overlap describes a function that the first entries of the places and some
// lines name.
func (n *node) overlap(device *atlas.Device, places []overlapEntry, direct []*line) (Finding, bool) {
	if len(places) == 0 || len(places)+len(direct) < 2 {
		return Finding{}, false
	}
	mappings, lines := make([]string, 0, len(places)), mappingNamesOf(direct)
	evidence := make([]string, 0, len(places)+len(direct)+1)
	for i := range places {
		mappings = append(mappings, places[i].mapping.ID)
		evidence = append(evidence, "mapping "+places[i].mapping.ID+": map "+places[i].entry.String())
	}
	for _, l := range direct {
		evidence = append(evidence, mappingLineEvidence(l))
	}
	params := map[string]string{"variant": "mappings", "device": device.Address.String(), "node": n.Name, "mappings": joined(mappings)}
	also := ""
	if len(lines) > 0 {
		params["variant"], params["lines"] = "lines", mappingPlainLines(direct)
		also = " and named by its address in " + mappingJoin(few(lines))
	}
	address := device.Address.String()
	remedy := []string{"Keep one of the mappings and change the VMs of the others to it."}
	if len(lines) > 0 {
		remedy = []string{fmt.Sprintf("Name the device by one mapping only, for example mapping=%s in place of the address.", mappings[0])}
	}
	return Finding{
		Code: MappingOverlap, Severity: Info, Subject: n.about(device.Address),
		Sentence: "Device " + address + " on node " + n.Name + " is in " + devicePlural(len(mappings), "resource mapping ", "the resource mappings ") +
			mappingJoin(mappings) + also + "; it is still one device, for one VM at a time.",
		Params: params, Evidence: evidence, Remedy: remedy,
	}, true
}

// mappingMixed finds mappings whose entries are about different devices. Parts of
// one card are another finding.
func mappingMixed(w *world) []Finding {
	var found []Finding
	for _, mapping := range w.mappingList() {
		var all []string
		oneNode := true
		for i := range mapping.Entries {
			oneNode = oneNode && mapping.Entries[i].Node == mapping.Entries[0].Node
			if id := strings.ToLower(mapping.Entries[i].ID); !slices.Contains(all, id) {
				all = append(all, id)
			}
		}
		slices.Sort(all)
		if len(all) < 2 || mappingIsCard(mapping) {
			continue
		}
		subject := Subject{Slot: atlas.NoSlot, Mapping: mapping.ID}
		which, variant := "the node where it starts", "by_node"
		if oneNode {
			subject.Node = mapping.Entries[0].Node
			which, variant = "what is free", "by_use"
		}
		found = append(found, Finding{
			Code: MappingMixed, Severity: Warning, Subject: subject,
			Sentence: fmt.Sprintf("Resource mapping %s has entries for different devices (%s): which of them a VM gets depends on %s.",
				mapping.ID, mappingJoin(all), which),
			Params:   map[string]string{"variant": variant, "mapping": mapping.ID, "ids": joined(all)},
			Evidence: moveMaps(mapping),
			Remedy:   []string{"Make one mapping for each kind of device, unless the VMs can do with any of them."},
		})
	}
	return found
}

// mappingIsCard tells whether entries of one node are about different functions
// of one slot, by what they say of themselves.
func mappingIsCard(mapping *pve.Mapping) bool {
	for i, entry := range mapping.Entries {
		device := mappingDeviceOf(entry.Path)
		if device == nil {
			continue
		}
		for _, other := range mapping.Entries[:i] {
			mate := mappingDeviceOf(other.Path)
			if mate != nil && other.Node == entry.Node && mate.Slot() == device.Slot() && !strings.EqualFold(other.ID, entry.ID) {
				return true
			}
		}
	}
	return false
}
