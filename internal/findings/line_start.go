package findings

import (
	"fmt"
	"slices"
	"strings"

	"pciatlas/internal/pci"
	"pciatlas/internal/pve"
)

// Sentences of PVE::QemuServer::PCI at VM start.
const (
	lineSaysQ35           = "q35 machine model is not enabled"
	lineSaysMdevFunctions = "cannot use mediated device with multifunction device"
	lineSaysIGD           = "legacy IGD assignment "
)

// lineRefusal is one reason of Proxmox VE not to start a VM. evidence and remedy
// are what is to be added to the value itself.
type lineRefusal struct {
	code     Code
	message  string
	evidence []string
	remedy   []string
}

// lineStartRefused gives everything that Proxmox VE refuses at the next start
// about the options of a line. It itself stops at the first.
func lineStartRefused(w *world) []Finding {
	var found []Finding
	for _, v := range w.vms {
		slots := lineSlots(v)
		var legacy *lineSlot
		for _, s := range slots {
			refusals := lineOptionsRefused(s, slots)
			if s.value.LegacyIGD == "1" {
				refusals = slices.Concat(refusals, lineIGDRefused(s, slots, legacy))
				if legacy == nil {
					legacy = s
				}
			}
			for _, refusal := range refusals {
				found = append(found, lineRefused(s, refusal))
			}
		}
	}
	return found
}

func lineRefused(s *lineSlot, refusal lineRefusal) Finding {
	params := s.params()
	params["message"] = refusal.message
	f := Finding{
		Code: refusal.code, Severity: Error, Subject: s.subject(),
		Sentence: fmt.Sprintf("%s: Proxmox VE refuses %s with %q.", lineCannot(s.vm), s.key(), strings.TrimSuffix(refusal.message, ".")),
		Params:   params,
		Evidence: append([]string{s.evidence()}, refusal.evidence...),
		Remedy:   refusal.remedy,
		devices:  devicesOf(s.vm.node, s.vm.node.namedByAny(s.value.Selectors)...),
	}
	f.sayRunning(s.vm)
	return f
}

// lineOptionsRefused are the refusals of any line.
func lineOptionsRefused(s *lineSlot, slots []*lineSlot) []lineRefusal {
	var refusals []lineRefusal
	if s.value.Source() == pve.SourceBoth {
		byMapping, byHost := *s.value, *s.value
		byMapping.Host, byHost.Mapping = "", ""
		refusals = append(refusals, lineRefusal{
			code: HostAndMapping, message: pve.MessageBothSources,
			remedy: []string{"Keep one of them: " + s.set(byMapping), "or: " + s.set(byHost)},
		})
	}
	if s.value.PCIe == "1" && !s.vm.isQ35() {
		refusals = append(refusals, lineQ35Missing(s, slots))
	}
	if s.value.Mdev != "" {
		if functions := lineMultifunction(s); functions != "" {
			refusals = append(refusals, lineRefusal{
				code: MdevMultifunction, message: lineSaysMdevFunctions, evidence: []string{functions},
				remedy: []string{"Name the one function that offers the mediated devices, with its function number."},
			})
		}
	}
	return refusals
}

func lineQ35Missing(s *lineSlot, slots []*lineSlot) lineRefusal {
	conventional := *s.value
	conventional.PCIe = ""
	refusal := lineRefusal{code: Q35Missing, message: lineSaysQ35, evidence: []string{lineKey(s.vm, "machine")}}
	if legacy := lineWith(slots, func(v *pve.HostPCI) bool { return v.LegacyIGD == "1" }); legacy != "" {
		refusal.evidence = append(refusal.evidence, fmt.Sprintf("VM %d %s has legacy-igd=1, which does not work with q35", s.vm.VMID, legacy))
		refusal.remedy = []string{s.set(conventional)}
		return refusal
	}
	refusal.remedy = []string{fmt.Sprintf("qm set %d --machine q35", s.vm.VMID), "or, without PCI Express: " + s.set(conventional)}
	return refusal
}

// lineWith gives the keys of the slots with a property, "" for none.
func lineWith(slots []*lineSlot, has func(*pve.HostPCI) bool) string {
	var keys []string
	for _, s := range slots {
		if has(s.value) {
			keys = append(keys, s.key())
		}
	}
	return lineList(keys)
}

// lineMultifunction says which functions one alternative gives together, "" if
// none is known to give several.
func lineMultifunction(s *lineSlot) string {
	for _, choice := range s.choices {
		if len(choice.functions) > 1 {
			return fmt.Sprintf("%s names %s on %s", s.key(), lineList(lineAddresses(choice)), s.vm.Node)
		}
	}
	return ""
}

func lineAddresses(choice lineChoice) []string {
	addresses := make([]string, len(choice.functions))
	for i, function := range choice.functions {
		addresses[i] = function.Address.String()
	}
	return addresses
}

// lineIGDRefused are the refusals of a line with legacy-igd=1. before is an
// earlier such line.
func lineIGDRefused(s *lineSlot, slots []*lineSlot, before *lineSlot) []lineRefusal {
	var refusals []lineRefusal
	refuse := func(code Code, message, evidence string, remedy ...string) {
		var list []string
		if evidence != "" {
			list = []string{evidence}
		}
		refusals = append(refusals, lineRefusal{code, message, list, remedy})
	}
	changed := func(change func(*pve.HostPCI)) string {
		value := *s.value
		change(&value)
		return s.set(value)
	}
	modern := changed(func(v *pve.HostPCI) { v.LegacyIGD = "" })
	if before != nil {
		refuse(LegacyIGDTwice, "only one device can be assigned in legacy-igd mode", before.evidence(), modern)
	}
	if s.vm.future("vga") != "none" {
		refuse(LegacyIGDVGA, lineSaysIGD+"requires VGA mode to be 'none'", lineKey(s.vm, "vga"),
			fmt.Sprintf("qm set %d --vga none", s.vm.VMID), "or, without legacy mode: "+modern)
	}
	if s.value.RomBar == "0" {
		refuse(LegacyIGDROMBar, lineSaysIGD+"requires rombar to be enabled", "",
			changed(func(v *pve.HostPCI) { v.RomBar = "" }))
	}
	if s.value.XVGA == "1" {
		refuse(LegacyIGDXVGA, lineSaysIGD+"is not compatible with x-vga", "",
			changed(func(v *pve.HostPCI) { v.XVGA = "" }))
	}
	if s.value.Mdev != "" {
		refuse(LegacyIGDMdev, lineSaysIGD+"is not compatible with mdev", "",
			"For a mediated device: "+modern, "for the whole device: "+changed(func(v *pve.HostPCI) { v.Mdev = "" }))
	}
	if s.vm.isQ35() {
		refuse(LegacyIGDQ35, lineSaysIGD+"is not compatible with q35", lineKey(s.vm, "machine"), lineToI440FX(s, slots, modern)...)
	}
	if functions := lineMultifunction(s); functions != "" {
		refuse(LegacyIGDMultifunction, lineSaysIGD+"is not compatible with multifunction devices", functions,
			"Name only the graphics function, 0000:00:02.0.")
	}
	if len(s.choices) > 1 {
		refuse(LegacyIGDAlternatives, lineSaysIGD+"is not compatible with alternate devices",
			fmt.Sprintf("mapping %s has %d entries for %s", s.value.Mapping, len(s.choices), s.vm.Node),
			"Use a mapping with one entry for the node, the graphics function 0000:00:02.0.")
	}
	if address, misplaced := lineIGDAddress(s); misplaced {
		refuse(LegacyIGDAddress, lineSaysIGD+"only works for devices on host bus 00:02.0",
			"the first function is "+address, modern)
	}
	return refusals
}

// lineToI440FX says how to leave q35, which other lines may need.
func lineToI440FX(s *lineSlot, slots []*lineSlot, modern string) []string {
	remedy := []string{"Without legacy mode, which keeps q35: " + modern}
	for _, other := range slots {
		if other.value.PCIe == "1" {
			value := *other.value
			value.PCIe = ""
			if other == s {
				remedy = append(remedy, "With legacy mode, pcie=1 must go as well: "+other.set(value))
			} else {
				remedy = append(remedy, "With legacy mode, "+other.key()+" must lose pcie=1, which needs q35: "+other.set(value))
			}
		}
	}
	return append(remedy, fmt.Sprintf("With legacy mode, the machine must be i440fx: qm set %d --machine pc", s.vm.VMID))
}

// lineIGDAddress gives the first function of a line in legacy mode, and whether
// it is there and at a place that Proxmox VE refuses. The bus is not compared.
func lineIGDAddress(s *lineSlot) (string, bool) {
	if len(s.choices) == 0 || s.choices[0].first == nil {
		return "", false
	}
	address := *s.choices[0].first
	return address.String(), address.Device != 2 || address.Function != 0
}

// lineTwice are the functions that two slots of a VM, or one slot twice, take.
type lineTwice struct {
	first, again *lineSlot
	functions    []pci.Address
}

// lineAssignedTwice finds functions that one VM takes twice at its next start.
// Slots of mediated devices share a function.
func lineAssignedTwice(w *world) []Finding {
	var found []Finding
	for _, v := range w.vms {
		slots := lineSlots(v)
		for _, twice := range lineDoubles(slots) {
			found = append(found, lineTwiceFinding(twice))
		}
	}
	return found
}

// lineDoubles chooses the functions of each slot as Proxmox VE does where no
// other VM holds any, and gives what comes twice, by the slots that take it.
func lineDoubles(slots []*lineSlot) []*lineTwice {
	owner := map[pci.Address]*lineSlot{}
	var doubles []*lineTwice
	note := func(first, again *lineSlot, address pci.Address) {
		at := slices.IndexFunc(doubles, func(t *lineTwice) bool { return t.first == first && t.again == again })
		if at < 0 {
			at = len(doubles)
			doubles = append(doubles, &lineTwice{first: first, again: again})
		}
		if !slices.Contains(doubles[at].functions, address) {
			doubles[at].functions = append(doubles[at].functions, address)
		}
	}
	for _, s := range slots {
		if !s.exclusive() {
			continue
		}
		for _, function := range lineChosen(s, owner) {
			if first := owner[function]; first != nil {
				note(first, s, function)
				continue
			}
			owner[function] = s
		}
	}
	return doubles
}

// lineChosen gives the functions that a slot gets: of several alternatives the
// first of which no earlier slot has any. Nothing, where that is not known.
func lineChosen(s *lineSlot, owner map[pci.Address]*lineSlot) []pci.Address {
	for i := range s.choices {
		var functions []pci.Address
		free := true
		for _, function := range s.choices[i].functions {
			functions = append(functions, function.Address)
			free = free && owner[function.Address] == nil
		}
		switch {
		case len(s.choices) == 1:
			return functions
		case !s.choices[i].whole:
			return nil
		case free:
			return functions
		}
	}
	return nil
}

func lineTwiceFinding(t *lineTwice) Finding {
	v := t.first.vm
	names := make([]string, len(t.functions))
	for i, function := range t.functions {
		names[i] = function.String()
	}
	message := fmt.Sprintf("device '%s' assigned more than once", names[0])
	subject := v.subject()
	subject.Device = &t.functions[0]
	params := lineParams(v)
	params["variant"], params["slot"] = "one_line", t.first.key()
	params["devices"], params["message"] = joined(names), message
	f := Finding{
		Code: AssignedTwice, Severity: Error, Subject: subject, Params: params, Evidence: []string{t.first.evidence()},
		devices: devicesOf(v.node, slices.Concat(t.first.functions(), t.again.functions())...),
	}
	who := t.first.key() + " names " + lineList(names) + " twice"
	if t.first != t.again {
		who = t.first.key() + " and " + t.again.key() + " both name " + lineList(names)
		params["variant"], params["other_slot"] = "two_lines", t.again.key()
		f.Evidence = append(f.Evidence, t.again.evidence())
	}
	for _, s := range []*lineSlot{t.first, t.again} {
		if mapping := lineMapping(v.node.world, s.value.Mapping); mapping != nil && len(f.Evidence) < 4 {
			for _, entry := range mapping.On(v.Node) {
				f.Evidence = append(f.Evidence, "mapping "+mapping.ID+": "+entry.String())
			}
		}
	}
	f.Sentence = fmt.Sprintf("%s: %s, and Proxmox VE refuses with %q.", lineCannot(v), who, message)
	f.Remedy = lineTwiceRemedy(t)
	f.sayRunning(v)
	return f
}

// lineTwiceRemedy removes the slot that adds nothing, if one of them does not.
func lineTwiceRemedy(t *lineTwice) []string {
	if t.first == t.again {
		return []string{"Write each function once; an address without a function number already is every function of its slot."}
	}
	if len(t.first.choices) > 1 {
		return []string{fmt.Sprintf("Give the line of %s a slot before that of %s: Proxmox VE chooses in the order of the slots, "+
			"and takes what no earlier slot has.", t.again.key(), t.first.key())}
	}
	for _, s := range []*lineSlot{t.again, t.first} {
		if len(s.choices) == 1 && !slices.ContainsFunc(lineAddresses(s.choices[0]), func(a string) bool {
			return !slices.ContainsFunc(t.functions, func(f pci.Address) bool { return f.String() == a })
		}) {
			return []string{fmt.Sprintf("qm set %d --delete %s", t.first.vm.VMID, s.key())}
		}
	}
	return []string{fmt.Sprintf("Name the function in one of %s and %s only.", t.first.key(), t.again.key())}
}
