package findings

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pciatlas/internal/atlas"
	"pciatlas/internal/pci"
	"pciatlas/internal/pve"
)

var mappingRules = []rule{
	mappingInvalid, mappingNotFound, mappingNoEntryForNode,
	mappingAlternatives, mappingGroupUnchecked, mappingOverlap, mappingOversubscribed,
	mappingNowhere, mappingMixed, mappingPartialNode, mappingUnused, mappingSameAddress,
}

// mappingPlace is one mapping on one node that has entries for it.
type mappingPlace struct {
	mapping *pve.Mapping
	node    *node
	entries []pve.Entry
	checks  []entryCheck // of the entries; none for a place that is not in the index
	lacking []*node      // targets without entries, see moveLacking
	held    []*line      // see holders
	chosen  []pve.Entry  // see choices
	ids     []string     // see moveEntryIDs
	differs *moveDiffers
	fails   []*moveFails // by type of mediated device
	known   bool         // lacking was looked for

	room [1]entryCheck // of checks, for the usual number of them
}

// entryCheck keeps what functions and faults give for an entry.
type entryCheck struct {
	functions []*atlas.Device
	faults    []pve.EntryFault
	resolved  bool
	checked   bool
}

// check gives what is kept of an entry, nil if it is none of the place.
func (p *mappingPlace) check(entry *pve.Entry) *entryCheck {
	for i := range p.checks {
		if p.entries[i] == *entry {
			return &p.checks[i]
		}
	}
	return nil
}

// users gives the VMs of the node that have a line of the mapping.
func (p *mappingPlace) users() []*vm {
	return slices.DeleteFunc(slices.Clone(p.node.world.usersOf(p.mapping.ID)), func(v *vm) bool { return v.node != p.node })
}

// all gives the functions of all entries.
func (p *mappingPlace) all() []*atlas.Device {
	var devices []*atlas.Device
	for _, entry := range p.entries {
		for _, device := range p.functions(entry) {
			devices = deviceAppend(devices, device)
		}
	}
	return devices
}

func (p *mappingPlace) subject() Subject {
	return Subject{Node: p.node.Name, Slot: atlas.NoSlot, Mapping: p.mapping.ID}
}

// mappingList gives the mappings by name; a source may list them in any order.
func (w *world) mappingList() []*pve.Mapping { return w.mappings }

// mappingPlaces gives all mappings on all nodes that they have entries for, by
// name and node.
func (w *world) mappingPlaces() []*mappingPlace { return w.places }

// mappingPlaces gives the mappings that have entries for the node, by name.
func (n *node) mappingPlaces() []*mappingPlace { return n.places }

// mappingOf gives the mapping of a name, nil if none is shown.
func (w *world) mappingOf(id string) *pve.Mapping { return w.byID[id] }

// mappingFaults gives the faults of an entry that the facts prove.
func (p *mappingPlace) faults(entry pve.Entry) []pve.EntryFault {
	known := p.check(&entry)
	if known == nil {
		return p.readFaults(entry)
	}
	if !known.checked {
		known.faults, known.checked = p.readFaults(entry), true
	}
	return known.faults
}

// readFaults works out what faults gives.
func (p *mappingPlace) readFaults(entry pve.Entry) []pve.EntryFault {
	return p.node.world.report.CheckEntry(p.node.Node, p.mapping, &entry).Faults
}

// mappingFunctions gives the functions of an entry that are there, by address.
func (p *mappingPlace) functions(entry pve.Entry) []*atlas.Device {
	known := p.check(&entry)
	if known == nil {
		return p.readFunctions(entry)
	}
	if !known.resolved {
		known.functions, known.resolved = p.readFunctions(entry), true
	}
	return known.functions
}

// readFunctions works out what functions gives.
func (p *mappingPlace) readFunctions(entry pve.Entry) []*atlas.Device {
	var devices []*atlas.Device
	for part := range strings.SplitSeq(entry.Path, ";") {
		selector, ok := pve.PathSelector(part)
		if !ok || selector.NamesNothing() {
			continue
		}
		named := p.node.named(selector)
		if devices == nil {
			devices = named
			continue
		}
		for _, device := range named {
			if !slices.Contains(devices, device) {
				devices = append(devices, device)
			}
		}
	}
	slices.SortFunc(devices, func(a, b *atlas.Device) int { return a.Address.Compare(b.Address) })
	return devices
}

// mappingDeviceOf gives the function that a part of a path names, nil for a
// whole slot.
func mappingDeviceOf(part string) *pci.Address {
	selector, ok := pve.PathSelector(part)
	if !ok || selector.WholeSlot() {
		return nil
	}
	address := selector.First()
	return &address
}

func mappingInvalid(w *world) []Finding {
	var found []Finding
	places := w.mappingPlaces()
	for i := range places {
		for _, entry := range places[i].entries {
			if faults := places[i].faults(entry); len(faults) > 0 {
				found = append(found, places[i].invalid(entry, faults))
			}
		}
	}
	return found
}

// invalid describes one entry at fault.
func (p *mappingPlace) invalid(entry pve.Entry, faults []pve.EntryFault) Finding {
	subject := p.subject()
	subject.Device = mappingDeviceOf(entry.Paths()[0])
	for _, part := range entry.Paths() {
		if device := mappingDeviceOf(part); device != nil && device.String() == faults[0].Device {
			subject.Device = device
		}
	}
	evidence := []string{fmt.Sprintf("mapping %s: map %s", p.mapping.ID, entry)}
	differences := make([]string, 0, len(faults))
	for _, fault := range faults {
		differences = append(differences, mappingDifference(fault))
		evidence = append(evidence, mappingEvidence(fault))
	}
	sentence := fmt.Sprintf("Entry %s of resource mapping %s on node %s does not fit the hardware: %s. "+
		"No VM with this mapping starts there: %q.",
		entry.Path, p.mapping.ID, p.node.Name, strings.Join(differences, "; "), faults[0].StartRefusal())
	f := Finding{
		Code: MappingInvalid, Severity: Error, Subject: subject, Sentence: sentence,
		Params: map[string]string{
			"mapping": p.mapping.ID, "node": p.node.Name, "path": entry.Path, "message": faults[0].StartRefusal(),
		},
		Evidence: evidence, Remedy: p.correction(entry, faults),
		vms: vmsOf(p.users()...), devices: devicesOf(p.node, p.functions(entry)...),
	}
	for _, fault := range faults {
		if fault.Property == "" {
			f.alsoOf("entry_no_device", "missing", []string{fault.Device})
			continue
		}
		f.alsoOf("entry_differs", "differences", []string{
			with(fault.Property+": "+orDash(fault.Configured)+" ≠ "+orDash(fault.Actual), fault.Device),
		})
	}
	return f
}

func mappingDifference(fault pve.EntryFault) string {
	switch fault.Code {
	case pve.EntryDeviceNotFound:
		return "there is no device " + fault.Device
	case pve.EntryMissingProperty:
		return fmt.Sprintf("%s is not configured, device %s has %s", fault.Property, fault.Device, fault.Actual)
	case pve.EntryUnexpectedProperty:
		return fmt.Sprintf("%s %s is configured, device %s has none", fault.Property, fault.Configured, fault.Device)
	default:
		return fmt.Sprintf("%s %s is configured, device %s has %s", fault.Property, fault.Configured, fault.Device, fault.Actual)
	}
}

func mappingEvidence(fault pve.EntryFault) string {
	if fault.Property == "" {
		return fault.Device + ": not in the device list of the node"
	}
	actual := fault.Actual
	if actual == "" {
		actual = "none"
	}
	return fmt.Sprintf("%s: %s %s", fault.Device, fault.Property, actual)
}

// mappingEntryFor gives the entry with the properties of a function.
func mappingEntryFor(entry pve.Entry, device *atlas.Device) pve.Entry {
	fixed := pve.Entry{
		Node: entry.Node, Path: entry.Path, Description: entry.Description,
		ID: device.IDs.String(), Group: entry.Group,
	}
	if device.Device.Group.Told {
		fixed.Group = ""
		if group := device.Device.Group.Value; group != nil {
			fixed.Group = strconv.Itoa(*group)
		}
	}
	if device.IDs.Subsystem != nil {
		fixed.Subsystem = device.IDs.Subsystem.String()
	}
	return fixed
}

func mappingIDs(ids pci.IDs) string {
	if ids.Subsystem == nil {
		return ids.String()
	}
	return ids.String() + "/" + ids.Subsystem.String()
}

func mappingSet(id, options string, entries []pve.Entry) string {
	var b strings.Builder
	b.WriteString("pvesh set /cluster/mapping/pci/" + id + options)
	for _, entry := range entries {
		b.WriteString(" --map " + shellQuoted(entry.String()))
	}
	return b.String()
}

// mappingRunning gives the running VMs with a line of a mapping.
func (w *world) mappingRunning(id string) []int {
	var vmids []int
	for _, v := range w.usersOf(id) {
		if v.running() && slices.ContainsFunc(v.lines, func(l *line) bool { return l.Mapping == id && l.now() }) {
			vmids = append(vmids, v.VMID)
		}
	}
	return vmids
}

// mappingNumbers lists VMs: "VM 101", "VMs 101 and 102".
func mappingNumbers(vmids []int) string {
	texts := make([]string, len(vmids))
	for i, vmid := range vmids {
		texts[i] = strconv.Itoa(vmid)
	}
	if len(texts) == 1 {
		return "VM " + texts[0]
	}
	return "VMs " + mappingJoin(few(texts))
}

// mappingJoin lists texts as a sentence does.
func mappingJoin(texts []string) string {
	if len(texts) < 2 {
		return strings.Join(texts, "")
	}
	last := len(texts) - 1
	return strings.Join(texts[:last], ", ") + " and " + texts[last]
}

func mappingLineEvidence(l *line) string {
	if l.quote == "" {
		l.quote = "VM " + l.vm.number() + " " + l.key() + ": " + l.Raw
		if l.Phase != atlas.Current {
			l.quote += " (" + strings.ReplaceAll(string(l.Phase), "_", " ") + ")"
		}
	}
	return l.quote
}
