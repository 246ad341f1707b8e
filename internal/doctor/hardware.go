package doctor

import (
	"fmt"
	"slices"
	"strings"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
)

const lookAtIOMMU = "dmesg | grep -e DMAR -e IOMMU -e AMD-Vi"

// iommu looks whether the node has an IOMMU that is on.
func (p *patient) iommu() Check {
	c := Check{Code: CheckIOMMU, Commands: []string{lookAtIOMMU}, GoodCode: GoodIOMMU}
	groups, grouped, untold := map[int]bool{}, 0, 0
	for i := range p.node.Devices {
		switch group := p.node.Devices[i].Device.Group; {
		case !group.Told:
			untold++
		case group.Value != nil:
			groups[*group.Value] = true
			grouped++
		}
	}
	read := p.read.IOMMU
	switch {
	case read.State == facts.OK && read.Value.Present:
		c.State = Passed
		c.Readings = append(c.Readings, reading("iommu_present", fmt.Sprintf("Node %s has an IOMMU, and %d IOMMU %s.", p.node.Name, len(groups),
			verb(len(groups), "group", "groups")), "node", p.node.Name, "count", count(len(groups))))
	case read.State == facts.OK:
		return p.noIOMMU(c, "iommu_absent", fmt.Sprintf("/sys/class/iommu of node %s is empty: its IOMMU is off.", p.node.Name))
	case grouped > 0:
		c.State = Passed
		c.Readings = append(c.Readings, reading("iommu_groups", fmt.Sprintf("Node %s tells %d IOMMU %s.", p.node.Name, len(groups),
			verb(len(groups), "group", "groups")), "node", p.node.Name, "count", count(len(groups))))
	case untold == 0 && len(p.node.Devices) > 0 && p.report.DevicesWhole(p.node):
		return p.noIOMMU(c, "iommu_no_groups", fmt.Sprintf("No function of node %s has an IOMMU group: its IOMMU is off.", p.node.Name))
	default:
		c.State = Unseen
		c.Readings = append(c.Readings, reading("iommu_unseen", fmt.Sprintf("Whether node %s has an IOMMU was not read.", p.node.Name), "node", p.node.Name))
	}
	if words := read.Value.CommandLine; read.State == facts.OK && len(words) > 0 {
		c.Readings = append(c.Readings, reading("command_line", "The kernel command line has "+strings.Join(words, " ")+".", "words", strings.Join(words, " ")))
	}
	return c
}

// noIOMMU fails the check, and says how to switch the IOMMU on.
func (p *patient) noIOMMU(c Check, code ReadingCode, sentence string) Check {
	c.State, c.Stops = Failed, true
	c.Readings = append(c.Readings, reading(code, sentence, "node", p.node.Name))
	words := p.read.IOMMU.Value.CommandLine
	if len(words) > 0 {
		c.Readings = append(c.Readings, reading("command_line", "The kernel command line has "+strings.Join(words, " ")+".", "words", strings.Join(words, " ")))
	}
	parameters := "intel_iommu=on iommu=pt"
	if p.maker() == "amd" {
		parameters = "iommu=pt"
	}
	c.Fixes = []Fix{
		{Code: FixFirmwareIOMMU, Text: "VT-d (Intel) or AMD-Vi / IOMMU (AMD): Enabled"},
		{Code: FixGRUB, File: "/etc/default/grub", Text: `GRUB_CMDLINE_LINUX_DEFAULT="quiet ` + parameters + `"`},
		{Code: FixRun, Text: "update-grub"},
		{Code: FixSystemdBoot, File: "/etc/kernel/cmdline", Text: parameters},
		{Code: FixRun, Text: "proxmox-boot-tool refresh"},
	}
	return c
}

// maker tells whose processor the node has, by its host bridge: intel, amd or "".
func (p *patient) maker() string {
	for i := range p.node.Devices {
		device := &p.node.Devices[i]
		if device.Class>>8 != 0x0600 {
			continue
		}
		switch device.IDs.Vendor {
		case 0x8086:
			return "intel"
		case 0x1022:
			return "amd"
		}
	}
	return ""
}

// devices looks whether what the lines name is there.
func (p *patient) devices() Check {
	c := Check{Code: CheckDevices, State: Passed}
	for _, device := range p.named {
		name := device.ReadableNames().Device
		if name == "" {
			name = device.IDs.Pair.String()
		}
		c.Readings = append(c.Readings, reading("present", fmt.Sprintf("%s is there: %s (%s).", device.Address, name, className(device)),
			"device", device.Address.String(), "name", name, "class", className(device)))
	}
	for i := range p.node.Unplaced {
		u := &p.node.Unplaced[i]
		if p.vm == nil || u.VM != p.vm || !u.Next {
			continue
		}
		switch u.Reason {
		case atlas.DeviceNotPresent:
			c.State, c.Stops = Failed, true
			c.Readings = append(c.Readings, reading("absent", fmt.Sprintf("Node %s has no device %s, which %s names.", p.node.Name, u.Selector, slotKey(u.Slot)),
				"node", p.node.Name, "selector", u.Selector, "slot", slotKey(u.Slot)))
		case atlas.DevicesNotRead:
			if c.State == Passed {
				c.State = Unseen
			}
			c.Readings = append(c.Readings, reading("devices_unread", fmt.Sprintf("Whether node %s has %s was not read.", p.node.Name, u.Selector),
				"node", p.node.Name, "selector", u.Selector, "slot", slotKey(u.Slot)))
		default: // of the mapping
		}
	}
	if c.State != Passed {
		c.Commands = []string{"lspci -Dnn"}
		c.GoodCode = GoodDevice
	}
	if len(c.Readings) == 0 {
		c.State = Unseen
		if p.vm != nil && p.vm.Config == nil {
			c.Readings = append(c.Readings, p.configUnread())
		} else {
			c.Readings = append(c.Readings, reading("nothing_named", "No line names a device that could be looked for."))
		}
		if p.vm != nil {
			c.Commands, c.GoodCode = []string{fmt.Sprintf("qm config %d --current", p.vm.VMID)}, GoodLines
		}
	}
	return c
}

// groups looks at what else goes with the functions.
func (p *patient) groups() Check {
	c := Check{Code: CheckGroups, State: Passed}
	var lacking, untold []*atlas.Device
	for _, device := range p.named {
		switch group := device.Device.Group; {
		case !group.Told:
			untold = append(untold, device)
		case group.Value == nil:
			lacking = append(lacking, device)
		default:
			p.group(&c, device)
		}
	}
	if len(lacking) > 0 {
		c.State, c.Stops = Failed, true
		c.Readings = append(c.Readings, reading("no_group", fmt.Sprintf("%s %s no IOMMU group; without one nothing can be passed.", list(lacking), verb(len(lacking), "has", "have")),
			"devices", list(lacking)))
	}
	if len(untold) > 0 {
		c.unseen(reading("groups_unread", fmt.Sprintf("The IOMMU %s of %s %s not read.", verb(len(untold), "group", "groups"), list(untold),
			verb(len(untold), "was", "were")), "devices", list(untold)))
	}
	p.orNoDevice(&c)
	if c.State != Passed && len(c.Commands) == 0 {
		c.Commands = append(c.Commands, "find /sys/kernel/iommu_groups -type l", "lspci -nnk", "lsblk -o NAME,MOUNTPOINTS,HCTL,TRAN")
		c.GoodCode = GoodGroup
	}
	return c
}

// group adds the reading of the group of one function, once for each group.
func (p *patient) group(c *Check, device *atlas.Device) {
	number := *device.Device.Group.Value
	key := count(number)
	if slices.ContainsFunc(c.Readings, func(r Reading) bool { return r.Params["group"] == key }) {
		return
	}
	var others, lost, used []*atlas.Device
	for _, member := range p.node.Group(device) {
		if slices.Contains(p.named, member.Device) {
			continue
		}
		others = append(others, member.Device)
		if member.Lost && !slices.Contains(p.node.Companions(device), member.Device) {
			lost = append(lost, member.Device)
			if len(member.HostUses()) > 0 {
				used = append(used, member.Device)
			}
		}
	}
	switch {
	case len(used) > 0:
		c.State = Failed
		c.Readings = append(c.Readings, reading("group_takes_used", fmt.Sprintf("IOMMU group %d holds %s, which the host uses: a start takes it away.", number, described(used)),
			"group", key, "devices", described(used)))
		c.Fixes = append(c.Fixes, Fix{Code: FixOtherSlot, Text: "Put the card into another slot, or switch on ACS in the firmware."})
	case len(lost) > 0:
		if c.State == Passed {
			c.State = Unseen // whether the host needs them
		}
		c.Readings = append(c.Readings, reading("group_takes", fmt.Sprintf("IOMMU group %d holds %s, which the host loses at a start; whether it needs that cannot be seen from here.", number, described(lost)),
			"group", key, "devices", described(lost)))
	case len(others) > 0:
		c.Readings = append(c.Readings, reading("group_harmless", fmt.Sprintf("IOMMU group %d holds %s beside it, nothing that the host would miss.", number, described(others)),
			"group", key, "devices", described(others)))
	default:
		c.Readings = append(c.Readings, reading("group_alone", fmt.Sprintf("IOMMU group %d holds nothing else.", number), "group", key))
	}
}

// described gives functions with their class.
func described(devices []*atlas.Device) string {
	texts := make([]string, len(devices))
	for i, device := range devices {
		texts[i] = device.Address.String() + " (" + className(device) + ")"
	}
	return strings.Join(texts, ", ")
}
