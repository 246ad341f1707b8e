package doctor

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/pci"
	"pciatlas/internal/pve"
)

// mapping compares the entries of mappings with the hardware.
func (p *patient) mapping() Check {
	c := Check{Code: CheckMapping, State: Passed}
	if p.vm == nil {
		p.mappingsOfDevice(&c)
	} else {
		p.mappingsOfVM(&c)
	}
	c.Commands = []string{"pvesh get /cluster/mapping/pci --check-node " + p.node.Name}
	c.GoodCode = GoodMapping
	return c
}

func (p *patient) mappingsOfVM(c *Check) {
	var seen []string
	for slot, value := range p.slots {
		parsed, err := pve.ParseHostPCI(value)
		if value == "" || err != nil || parsed.Mapping == "" || slices.Contains(seen, parsed.Mapping) {
			continue
		}
		seen = append(seen, parsed.Mapping)
		mapping := p.hardware.Mappings[parsed.Mapping]
		switch {
		case mapping == nil && p.report.MappingsShown():
			c.State, c.Stops = Failed, true
			c.Readings = append(c.Readings, reading("mapping_not_found", fmt.Sprintf("Resource mapping %s of %s does not exist.", parsed.Mapping, slotKey(slot)),
				"mapping", parsed.Mapping, "slot", slotKey(slot)))
		case mapping == nil:
			c.unseen(reading("mapping_invisible", fmt.Sprintf("Resource mapping %s of %s is not visible here.", parsed.Mapping, slotKey(slot)),
				"mapping", parsed.Mapping, "slot", slotKey(slot)))
		case len(mapping.On(p.node.Name)) == 0:
			c.State, c.Stops = Failed, true
			c.Readings = append(c.Readings, reading("mapping_no_entry", fmt.Sprintf("Resource mapping %s of %s has no entry for node %s.", parsed.Mapping, slotKey(slot), p.node.Name),
				"mapping", parsed.Mapping, "slot", slotKey(slot), "node", p.node.Name))
		default:
			p.entries(c, mapping, nil)
		}
	}
}

// mappingsOfDevice looks at the entries that name the function.
func (p *patient) mappingsOfDevice(c *Check) {
	address := p.named[0].Address
	for i := range p.report.Mappings {
		p.entries(c, &p.report.Mappings[i], &address)
	}
	if len(c.Readings) == 0 {
		c.Readings = append(c.Readings, reading("not_mapped", fmt.Sprintf("No resource mapping that is visible here names %s.", address), "device", address.String()))
		if !p.report.MappingsShown() {
			c.State = Unseen
		}
	}
}

// entries checks the entries of a mapping for the node, or those that name one
// function.
func (p *patient) entries(c *Check, mapping *pve.Mapping, only *pci.Address) {
	for i := range mapping.Entries {
		entry := &mapping.Entries[i]
		if entry.Node != p.node.Name || only != nil && !entry.Names(*only) {
			continue
		}
		check := p.report.CheckEntry(p.node, mapping, entry)
		params := []string{"mapping", mapping.ID, "entry", count(i + 1), "path", entry.Path}
		switch {
		case len(check.Faults) > 0:
			c.State, c.Stops = Failed, true
			message := check.Faults[0].Message
			c.Readings = append(c.Readings, reading("entry_invalid", fmt.Sprintf("Entry %d of %s (%s) does not fit: %q. Proxmox VE checks every entry and stops.",
				i+1, mapping.ID, entry.Path, message), append(params, "message", message)...))
		case check.Untold:
			c.unseen(reading("entry_unread", fmt.Sprintf("Whether entry %d of %s (%s) fits was not read in full.", i+1, mapping.ID, entry.Path), params...))
		default:
			c.Readings = append(c.Readings, reading("entry_fits", fmt.Sprintf("Entry %d of %s (%s) fits the hardware.", i+1, mapping.ID, entry.Path), params...))
		}
	}
}

// unseen adds a reading of something that was not seen.
func (c *Check) unseen(r Reading) {
	if c.State == Passed {
		c.State = Unseen
	}
	c.Readings = append(c.Readings, r)
}

// orNoDevice says that there was nothing to look at, if nothing was, and how to see what the
// VM names.
func (p *patient) orNoDevice(c *Check) {
	if len(c.Readings) > 0 {
		return
	}
	c.unseen(reading("no_device", "No device is known that could be looked at."))
	if p.vm != nil {
		c.Commands, c.GoodCode = []string{fmt.Sprintf("qm config %d --current", p.vm.VMID)}, GoodLines
	}
}

// unseenIssue says what could not be read or resolved. What it is about has its own
// parameters, those that apply.
func unseenIssue(issue *atlas.Issue) Reading {
	r := reading("unseen", "Not everything was seen: "+issue.Message, "issue", string(issue.Code), "message", issue.Message, "node", issue.Node)
	if issue.VMID != 0 {
		r.Params["issue_vmid"] = count(issue.VMID)
	}
	if issue.Slot != atlas.NoSlot {
		r.Params["issue_slot"] = slotKey(issue.Slot)
	}
	if issue.Mapping != "" {
		r.Params["issue_mapping"] = issue.Mapping
	}
	return r
}

// config looks at the VM's options together.
func (p *patient) config() Check {
	c := Check{Code: CheckConfig, State: Passed}
	vm := p.vm
	c.Commands = []string{fmt.Sprintf("qm config %d --current", vm.VMID), fmt.Sprintf("qm pending %d", vm.VMID)}
	c.GoodCode = GoodConfig
	if vm.Config == nil {
		c.unseen(p.configUnread())
		return c
	}
	p.refusals(&c)
	for i := range vm.Config.Dropped {
		dropped := &vm.Config.Dropped[i]
		if strings.HasPrefix(dropped.Key, "hostpci") && (dropped.Section == "" || dropped.Section == "pending") {
			c.State = Failed
			c.Readings = append(c.Readings, reading("line_dropped", fmt.Sprintf("Proxmox VE drops line %d of the VM's file (%s): %s.", dropped.Line, dropped.Key, strings.TrimSuffix(dropped.Reason, ".")),
				"line", count(dropped.Line), "key", dropped.Key, "message", dropped.Reason))
		}
	}
	if lock := vm.Config.Current("lock"); lock != "" && lock != "suspended" {
		c.State, c.Stops = Failed, true
		c.Readings = append(c.Readings, reading("locked", fmt.Sprintf("VM %d is locked (%s).", vm.VMID, lock), "vmid", count(vm.VMID), "lock", lock))
		c.Fixes = append(c.Fixes, Fix{Code: FixUnlock, Text: fmt.Sprintf("qm unlock %d", vm.VMID)})
	}
	if vm.Template {
		c.State, c.Stops = Failed, true
		c.Readings = append(c.Readings, reading("template", fmt.Sprintf("VM %d is a template, which never starts.", vm.VMID), "vmid", count(vm.VMID)))
	}
	if vm.Config.Args.Any() {
		c.unseen(reading("custom_args", fmt.Sprintf("VM %d has custom arguments, which are not examined.", vm.VMID), "vmid", count(vm.VMID)))
	}
	if vm.Config.Hook.Any() {
		c.unseen(reading("hookscript", fmt.Sprintf("VM %d has a hook script, which is not examined.", vm.VMID), "vmid", count(vm.VMID)))
	}
	if len(c.Readings) == 0 {
		c.Readings = append(c.Readings, reading("config_fine", "No combination of options that Proxmox VE refuses."))
	}
	return c
}

// ofOtherChecks are refusals that the checks of devices and mappings give.
var ofOtherChecks = []string{atlas.RefusedNoMapping, atlas.RefusedMapping, atlas.RefusedNoDevice}

// refusals adds what Proxmox VE refuses about the options of the lines.
func (p *patient) refusals(c *Check) {
	future := func(key string) string {
		if slot, ok := pve.ParseSlotKey(key); ok {
			return p.slots[slot]
		}
		item, _ := p.vm.Config.Get(key)
		value, _ := item.Future()
		return value
	}
	legacySeen := false
	var slots atlas.StartSlots
	for slot, value := range p.slots {
		resolved, err := p.hardware.ResolveSlot(value)
		if err == nil && resolved != nil {
			slots[slot] = resolved
			err = resolved.Check(future, pve.IsQ35(future("machine")), legacySeen)
			legacySeen = legacySeen || resolved.Value.LegacyIGD == "1"
		}
		if refusal, ok := errors.AsType[*atlas.RefusalError](err); ok && !slices.Contains(ofOtherChecks, refusal.Code) {
			c.refuse(slotKey(slot), refusal.Message)
		}
	}
	if _, err := slots.Choose(nil); err != nil {
		c.refuse("", err.Error())
	}
}

func (c *Check) refuse(slot, message string) {
	c.State, c.Stops = Failed, true
	message = strings.TrimSuffix(message, "\n")
	if slot == "" {
		c.Readings = append(c.Readings, reading("start_refused", fmt.Sprintf("Proxmox VE refuses to start the VM: %q.", message), "message", message))
		return
	}
	c.Readings = append(c.Readings, reading("refused", fmt.Sprintf("Proxmox VE refuses %s: %q.", slot, message), "slot", slot, "message", message))
}

func (p *patient) configUnread() Reading {
	return reading("config_unread", fmt.Sprintf("The configuration of VM %d was not read.", p.vm.VMID), "vmid", count(p.vm.VMID))
}

// held looks whether another VM has the functions, or others of their groups.
func (p *patient) held() Check {
	c := Check{Code: CheckHeld, State: Passed, Commands: []string{"qm list", "cat /run/qemu-server/pci-id-reservations"}, GoodCode: GoodHeld}
	if p.running() {
		c.Readings = append(c.Readings, reading("runs", fmt.Sprintf("VM %d runs, so it has what it needs.", p.vm.VMID), "vmid", count(p.vm.VMID)))
		return c
	}
	if len(p.named) == 0 {
		c.Commands = nil
		p.orNoDevice(&c)
		return c
	}
	sure, may, grouped, later := p.holders()
	if len(sure) > 0 {
		c.State, c.Stops = Failed, true
		c.Readings = append(c.Readings, reading("held", fmt.Sprintf("VM %s %s and %s one of the devices.", numbers(sure), verb(len(sure), "runs", "run"), verb(len(sure), "holds", "hold")), "vms", numbers(sure)))
	}
	if len(grouped) > 0 {
		c.State, c.Stops = Failed, true
		c.Readings = append(c.Readings, reading("group_held", fmt.Sprintf("VM %s %s and %s another function of the same IOMMU group.", numbers(grouped), verb(len(grouped), "runs", "run"), verb(len(grouped), "holds", "hold")),
			"vms", numbers(grouped)))
	}
	if len(may) > 0 {
		c.unseen(reading("may_be_held", fmt.Sprintf("VM %s may hold one of the devices; which of its choices it got is not told.", numbers(may)), "vms", numbers(may)))
	}
	if p.vm != nil {
		p.slices(&c)
	}
	for i := range p.node.Issues {
		issue := &p.node.Issues[i]
		concerns := slices.ContainsFunc(p.named, func(d *atlas.Device) bool { return issue.Reaches(d.Address) })
		own := p.vm != nil && issue.VMID == p.vm.VMID
		if issue.Code.Blocks() && concerns && !own && issue.Code != atlas.IssueMappingAmbiguous && !p.stopped(issue.VMID) {
			c.unseen(unseenIssue(issue))
		}
	}
	if len(later) > 0 {
		c.Readings = append(c.Readings, reading("named_by_others", fmt.Sprintf("VM %s %s one of them, too, and is stopped.", numbers(later), verb(len(later), "names", "name")), "vms", numbers(later)))
	}
	if len(c.Readings) == 0 {
		c.Readings = append(c.Readings, reading("not_held", fmt.Sprintf("No other VM names one of them; %d of %d visible VMs of the node were checked.", p.node.CheckedVMs, p.node.VisibleVMs),
			"checked", count(p.node.CheckedVMs), "visible", count(p.node.VisibleVMs)))
	}
	return c
}

// stopped tells whether a VM is known not to run.
func (p *patient) stopped(vmid int) bool {
	return slices.ContainsFunc(p.report.FindVM(vmid), func(vm *atlas.VM) bool { return vm.Status == facts.Stopped || vm.Template })
}

// holders gives the other VMs that hold one of the functions, may hold one, hold
// another of a group, and that only name one.
func (p *patient) holders() (sure, may, grouped, later []*atlas.VM) {
	for i := range p.node.Devices {
		device := &p.node.Devices[i]
		own := slices.Contains(p.named, device)
		if !own && !slices.ContainsFunc(p.named, func(d *atlas.Device) bool { return sameGroup(d, device) }) {
			continue
		}
		for _, r := range device.References {
			if r.VM == p.vm || r.VM.Template || r.Mdev != "" {
				continue
			}
			now := r.Phase != atlas.Pending && r.VM.Status != facts.Stopped
			switch {
			case now && r.Certainty == atlas.Exact && r.VM.Status == facts.Running && own:
				sure = appendVM(sure, r.VM)
			case now && r.Certainty == atlas.Exact && r.VM.Status == facts.Running && !p.shares(r.VM):
				grouped = appendVM(grouped, r.VM)
			case now && own:
				may = appendVM(may, r.VM)
			case own && r.Next:
				later = appendVM(later, r.VM)
			}
		}
	}
	return sure, may, grouped, later
}

// shares tells whether a VM holds one of the functions itself.
func (p *patient) shares(vm *atlas.VM) bool {
	return slices.ContainsFunc(p.named, func(d *atlas.Device) bool {
		return slices.ContainsFunc(d.References, func(r atlas.Reference) bool { return r.VM == vm })
	})
}

func sameGroup(a, b *atlas.Device) bool {
	x, y := a.Device.Group.Value, b.Device.Group.Value
	return x != nil && y != nil && *x == *y
}

func appendVM(vms []*atlas.VM, vm *atlas.VM) []*atlas.VM {
	if slices.Contains(vms, vm) {
		return vms
	}
	return append(vms, vm)
}
