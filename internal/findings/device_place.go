package findings

import (
	"fmt"
	"slices"

	"pciatlas/internal/atlas"
	"pciatlas/internal/pci"
)

// deviceMissing is one address of a line of a VM that names nothing.
type deviceMissing struct {
	line     *line
	selector pci.Selector
}

// deviceMissingOf gives the addresses that the next start of a VM, or of a clone of
// a template, looks for and does not find. What entries of mappings name is checked
// with the mapping.
func deviceMissingOf(v *vm) []deviceMissing {
	var missing []deviceMissing
	for _, l := range v.lines {
		if !l.next() || l.Via != atlas.ViaAddress {
			continue
		}
		for _, unplaced := range l.unplaced {
			if unplaced.Reason != atlas.DeviceNotPresent {
				continue
			}
			if selector, ok := pci.ParseSelector(unplaced.Selector); ok {
				missing = append(missing, deviceMissing{l, selector})
			}
		}
	}
	return missing
}

// findDeviceNotPresent finds addresses without a device: one finding for each VM.
func findDeviceNotPresent(w *world) []Finding {
	var found []Finding
	for _, v := range w.vms {
		if missing := deviceMissingOf(v); len(missing) > 0 {
			found = append(found, deviceNotPresent(v, missing))
		}
	}
	return found
}

func deviceNotPresent(v *vm, missing []deviceMissing) Finding {
	subject := v.subject()
	subject.Slot = missing[0].line.Slot
	var keys, selectors, evidence []string
	var near deviceNearby
	var resembling []*atlas.Device
	for _, m := range missing {
		if m.line.Slot != subject.Slot {
			subject.Slot = atlas.NoSlot
		}
		if !slices.Contains(keys, m.line.key()) {
			keys = append(keys, m.line.key())
			evidence = append(evidence, deviceLineEvidence(m.line))
		}
		selectors = append(selectors, m.selector.String())
		resembling = append(resembling, deviceResembling(v.node, m.selector)...)
		near.look(v.node, m.selector)
	}
	evidence = append(evidence, fmt.Sprintf("the list of PCI devices of node %s, %s: none for %s",
		v.Node, deviceCount(v.node), deviceWords(selectors)))
	who, end, variant := "VM", "the VM does not start", "vm"
	if v.Template {
		who, end, variant = "template", "no clone of it starts", "template"
	}
	message := fmt.Sprintf("no PCI device found for '%s'", selectors[0])
	sentence := fmt.Sprintf("%s of %s %d %s %s, which %s not there on node %s; %s: %s.",
		deviceWords(keys), who, v.VMID, devicePlural(len(keys), "names", "name"),
		deviceWords(selectors), devicePlural(len(selectors), "is", "are"), v.Node, end, message)
	remedy := []string{"Look for the device on the node: lspci -nnD"}
	for i, m := range missing {
		if i > 0 && m.line == missing[i-1].line {
			continue
		}
		with, without := lineRelocated(m.line, missing)
		remedy = append(remedy, "As root, with the address it has now: "+with, "or without the device: "+without)
	}
	f := Finding{
		Code: DeviceNotPresent, Severity: Error, Subject: subject, Sentence: sentence,
		Params: map[string]string{
			"variant": variant, "node": v.Node, "vmid": v.number(), "slots": joined(keys), "addresses": joined(selectors), "message": message,
		},
		Evidence: evidence, Remedy: remedy,
		devices: devicesOf(v.node, resembling...),
	}
	f.sayNear(near)
	return f
}

// sayNear says what resembles the addresses.
func (f *Finding) sayNear(near []deviceHint) {
	for _, hint := range near {
		f.Sentence += " " + hint.text
		f.alsoOf(hint.word, additions[hint.word], hint.those)
	}
}

// deviceResembling gives the functions that deviceNearby speaks of.
func deviceResembling(n *node, selector pci.Selector) []*atlas.Device {
	var resembling []*atlas.Device
	for i := range n.Devices {
		address := n.Devices[i].Address
		same := address
		same.Domain = selector.First().Domain
		if address.Slot() == selector.First().Slot() || selector.Names(same) {
			resembling = append(resembling, &n.Devices[i])
		}
	}
	return resembling
}

// deviceHint says what resembles an address that names nothing: in words, and as
// the word of an addition with those that it is about.
type deviceHint struct {
	text, word string
	those      []string
}

// deviceNearby is what resembles some addresses.
type deviceNearby []deviceHint

func (d *deviceNearby) add(word string, those []string, text string) {
	*d = append(*d, deviceHint{text, word, those})
}

// look adds what resembles an address that names nothing.
func (d *deviceNearby) look(n *node, selector pci.Selector) {
	first := selector.First()
	if selector.NamesNothing() {
		if device := n.Device(first); device != nil {
			d.add("other_spelling", deviceNames([]*atlas.Device{device}),
				fmt.Sprintf("%s is there, but Proxmox VE compares the text, and %s is spelled otherwise.", device.Address, selector))
		}
		return
	}
	slot, domains := deviceAlike(n, selector)
	switch is := devicePlural(len(domains), "is", "are"); {
	case len(domains) == 0:
	case selector.HasDomain():
		d.add("other_domain", domains, fmt.Sprintf("%s %s there in another domain.", deviceWords(domains), is))
	default:
		d.add("zero_domain", domains, fmt.Sprintf("Without a domain, %s means 0000 only; %s %s there.", selector, deviceWords(domains), is))
	}
	if len(slot) > 0 {
		d.add("same_slot", slot, fmt.Sprintf("In the slot of %s there %s only %s.", selector, devicePlural(len(slot), "is", "are"), deviceWords(slot)))
		if physical := n.Device(first.Slot()); first.Function != 0 && physical != nil && deviceMayHaveVFs(physical) {
			d.add("vf_again", []string{selector.String()},
				fmt.Sprintf("If %s was a virtual function, it has to be made again before the VM starts.", selector))
		}
	}
	if nodes := deviceElsewhere(n, selector); len(nodes) > 0 {
		d.add("elsewhere", nodes, fmt.Sprintf("%s %s a device with that address; a line counts on the node where the VM is.",
			deviceWords(nodes), devicePlural(len(nodes), "has", "have")))
	}
}

// deviceAlike gives what is in the slot of an address, and what has the address in
// another domain.
func deviceAlike(n *node, selector pci.Selector) (slot, domains []string) {
	first := selector.First()
	for i := range n.Devices {
		address := n.Devices[i].Address
		same := address
		same.Domain = first.Domain
		switch {
		case address.Slot() == first.Slot():
			slot = append(slot, address.String())
		case address.Domain != first.Domain && selector.Names(same):
			domains = append(domains, address.String())
		}
	}
	return slot, domains
}

// deviceMayHaveVFs tells whether virtual functions are usual for a function.
func deviceMayHaveVFs(device *atlas.Device) bool {
	return len(device.VFs.Value) > 0 || deviceIsGPU(device.Class) || device.Class.Base() == 0x02 || device.Class>>8 == 0x0108
}

// deviceElsewhere names the other nodes where the address exists.
func deviceElsewhere(n *node, selector pci.Selector) []string {
	var nodes []string
	for _, other := range n.world.nodes {
		if other != n && slices.ContainsFunc(other.Devices, func(d atlas.Device) bool { return selector.Names(d.Address) }) {
			nodes = append(nodes, other.Name)
		}
	}
	return nodes
}

// deviceUnexpected names the options of a line by address that fit none of the
// functions it names, nil if all fit. Of a running VM the lines have proved
// themselves.
func deviceUnexpected(l *line) []string {
	if l.Via != atlas.ViaAddress || len(l.exact) == 0 || l.vm.Template || !l.next() || l.now() && l.vm.running() {
		return nil
	}
	fits := func(fit func(*atlas.Device) bool) bool { return slices.ContainsFunc(l.exact, fit) }
	display := fits(func(d *atlas.Device) bool { return d.Class.Kind() == pci.Display })
	var options []string
	if l.Value.XVGA == "1" && !display {
		options = append(options, "x-vga")
	}
	if l.Value.RomFile != "" && !fits(deviceHasROM) {
		options = append(options, "romfile")
	}
	if l.Value.LegacyIGD == "1" && !display {
		options = append(options, "legacy-igd")
	}
	if l.Mdev != "" && !fits(deviceMayHaveMdev) {
		options = append(options, "mdev")
	}
	return options
}

// deviceHasROM tells whether a ROM file is usual for a function: graphics cards
// with their sound, network cards, and storage controllers that systems boot from.
func deviceHasROM(device *atlas.Device) bool {
	switch device.Class >> 8 {
	case 0x0100, 0x0104, 0x0107, 0x0401, 0x0403:
		return true
	default:
		return deviceIsGPU(device.Class) || device.Class.Base() == 0x02
	}
}

// deviceMayHaveMdev tells whether mediated devices cannot be ruled out by class.
func deviceMayHaveMdev(device *atlas.Device) bool {
	if device.Mdev.Told && device.Mdev.Value {
		return true
	}
	return deviceIsGPU(device.Class) || !device.Mdev.Told || device.Class.Base() == 0x0b || device.Class.Base() == 0x10
}

// findDeviceClassUnexpected finds lines whose options tell that another device was
// meant.
func findDeviceClassUnexpected(w *world) []Finding {
	var found []Finding
	for _, v := range w.vms {
		for _, l := range v.lines {
			options := deviceUnexpected(l)
			if options == nil {
				continue
			}
			subject := l.subject()
			if len(l.exact) == 1 {
				subject.Device = &l.exact[0].Address
			}
			found = append(found, Finding{
				Code: DeviceClassUnexpected, Severity: Warning, Subject: subject,
				Sentence: fmt.Sprintf("%s of VM %d names %s, but its %s %s meant for another kind of device: "+
					"it seems that something else has taken the address. An address says nothing about what is there.",
					l.key(), v.VMID, deviceWords(deviceLabels(l.exact)), deviceWords(options),
					devicePlural(len(options), "is", "are")),
				Params: map[string]string{
					"node": v.Node, "vmid": v.number(), "slot": l.key(), "devices": devicePlain(l.exact), "options": joined(options),
				},
				Evidence: append([]string{deviceLineEvidence(l)}, deviceEvidenceOf(l.exact)...),
				Remedy: []string{
					"Look for the device that was meant on the node: lspci -nnD",
					fmt.Sprintf("Do not start VM %d before that: the device at this address would be taken from the host.", v.VMID),
				},
			})
		}
	}
	return found
}
