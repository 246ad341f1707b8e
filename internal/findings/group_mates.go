package findings

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pciatlas/internal/atlas"
	"pciatlas/internal/pci"
)

// groupUse is what one VM claims of one IOMMU group: functions for certain, and
// functions of pools that lie in the group as a whole. Of these the VM gets one that
// no other VM has.
type groupUse struct {
	claim   deviceClaim
	devices []*atlas.Device
	pool    []*atlas.Device
}

// names gives the functions of the use as a sentence does.
func (u *groupUse) names() string {
	names := deviceNames(u.devices)
	if len(u.pool) > 0 {
		names = append(names, "one of "+deviceWords(deviceNames(u.pool)))
	}
	return deviceWords(names)
}

// plain gives the same in no language: "a + b | c" for a and one of b and c.
func (u *groupUse) plain() string {
	names := deviceNames(u.devices)
	if len(u.pool) > 0 {
		names = append(names, strings.Join(deviceNames(u.pool), " | "))
	}
	return strings.Join(names, " + ")
}

// all gives the functions of the use.
func (u *groupUse) all() []*atlas.Device { return slices.Concat(u.devices, u.pool) }

// groupOfPool gives the group in which all the functions lie that a line with
// several alternatives may get, nil if there is none.
func groupOfPool(l *line) *int {
	if len(l.exact) > 0 || len(l.candidates) == 0 || len(l.unplaced) > 0 {
		return nil
	}
	group := l.candidates[0].Device.Group.Value
	for _, device := range l.candidates {
		if other := device.Device.Group.Value; group == nil || other == nil || *other != *group {
			return nil
		}
	}
	return group
}

// findGroupShared finds groups whose functions are spread over several VMs.
func findGroupShared(w *world) []Finding {
	var found []Finding
	for _, n := range w.nodes {
		uses := groupUses(n)
		for i := range n.Devices {
			group := n.Devices[i].Device.Group.Value
			if group == nil || len(uses[*group]) == 0 {
				continue
			}
			if f, ok := groupSharing(n, *group, uses[*group]); ok {
				found = append(found, f)
			}
			delete(uses, *group)
		}
	}
	return found
}

// groupCount counts VMs that come in their order.
type groupCount struct {
	vms  int
	last *vm
}

func (c *groupCount) add(v *vm) {
	if c.last != v {
		c.vms, c.last = c.vms+1, v
	}
}

func groupAdd(groups map[int]*groupCount, group int, v *vm) {
	if groups[group] == nil {
		groups[group] = &groupCount{}
	}
	groups[group].add(v)
}

// groupApart gives the groups none of whose functions all the VMs have that claim
// a function of the group.
func groupApart(n *node) map[int]bool {
	groups, devices := map[int]*groupCount{}, map[*atlas.Device]*groupCount{}
	for _, v := range n.vms {
		for _, l := range v.lines {
			if !l.counts() || !l.exclusive() {
				continue
			}
			for _, device := range l.exact {
				group := device.Device.Group.Value
				if group == nil {
					continue
				}
				count := devices[device]
				if count == nil {
					count = &groupCount{}
					devices[device] = count
				}
				groupAdd(groups, *group, v)
				count.add(v)
			}
			if group := groupOfPool(l); group != nil {
				groupAdd(groups, *group, v)
			}
		}
	}
	apart := make(map[int]bool, len(groups))
	for group := range groups {
		apart[group] = true
	}
	for device, count := range devices {
		if group := *device.Device.Group.Value; count.vms == groups[group].vms {
			delete(apart, group)
		}
	}
	return apart
}

// groupUses gives who claims functions of the groups that no function unites, by
// VM.
func groupUses(n *node) map[int][]*groupUse {
	uses, apart := map[int][]*groupUse{}, groupApart(n)
	if len(apart) == 0 {
		return nil
	}
	for _, v := range n.vms {
		for _, l := range v.lines {
			if !l.counts() || !l.exclusive() {
				continue
			}
			for _, device := range l.exact {
				if group := device.Device.Group.Value; group != nil && apart[*group] {
					use := groupAddUse(uses, *group, l)
					use.devices = deviceAppend(use.devices, device)
				}
			}
			if group := groupOfPool(l); group != nil && apart[*group] {
				use := groupAddUse(uses, *group, l)
				for _, device := range l.candidates {
					use.pool = deviceAppend(use.pool, device)
				}
			}
		}
	}
	return uses
}

// groupAddUse adds a line to the uses of a group, and gives that of its VM. Lines
// come by VM.
func groupAddUse(all map[int][]*groupUse, group int, l *line) *groupUse {
	uses := all[group]
	if len(uses) == 0 || uses[len(uses)-1].claim.vm != l.vm {
		uses = append(uses, &groupUse{claim: deviceClaim{vm: l.vm}})
		all[group] = uses
	}
	use := uses[len(uses)-1]
	use.claim.now = use.claim.now || l.now()
	use.claim.next = use.claim.next || l.next()
	if !slices.Contains(use.claim.lines, l) {
		use.claim.lines = append(use.claim.lines, l)
	}
	return use
}

// groupSharing makes the finding of one group, if two VMs claim different
// functions of it. VMs with a function in common are a shared device.
func groupSharing(n *node, group int, uses []*groupUse) (Finding, bool) {
	apart := make([]bool, len(uses))
	severity := Warning
	for i, a := range uses {
		for j, b := range uses[:i] {
			if slices.ContainsFunc(a.devices, func(d *atlas.Device) bool { return slices.Contains(b.devices, d) }) {
				continue
			}
			apart[i], apart[j] = true, true
			if deviceCollide(&a.claim, &b.claim) {
				severity = Error
			}
		}
	}
	var vms []*vm
	var claims []*deviceClaim
	var functions []*atlas.Device
	var names, plain, lines, states, devices []string
	for i, use := range uses {
		if !apart[i] {
			continue
		}
		vms = append(vms, use.claim.vm)
		claims = append(claims, &use.claim)
		names = append(names, fmt.Sprintf("VM %d %s", use.claim.vm.VMID, use.names()))
		plain = append(plain, with(use.claim.vm.number(), use.plain()))
		functions = append(functions, use.all()...)
		for _, l := range use.claim.lines {
			lines = append(lines, deviceLineEvidence(l))
		}
		states = append(states, deviceStatusEvidence(use.claim.vm))
		devices = append(devices, deviceEvidenceOf(use.all())...)
	}
	if len(vms) == 0 {
		return Finding{}, false
	}
	slices.Sort(devices)
	message := fmt.Sprintf("failed to open /dev/vfio/%d: Device or resource busy", group)
	f := Finding{
		Code: GroupShared, Severity: severity, Subject: n.about(groupFirst(uses, apart)),
		Sentence: fmt.Sprintf("%s share IOMMU group %d on node %s: %s. Only one of them can run at a time; Proxmox VE does not notice, "+
			"and QEMU fails with %q.", deviceVMWords(vms), group, n.Name, deviceWords(few(names)), message),
		Params: map[string]string{
			"node": n.Name, "group": strconv.Itoa(group), "vms": joined(deviceNumbers(vms)), "uses": joined(plain), "message": message,
		},
		Evidence: slices.Concat(lines, states, slices.Compact(devices)),
		Remedy:   []string{"Run only one of these VMs at a time, give all functions of the group to one VM, or move a card to another slot."},
		vms:      vmsOf(vms...), devices: devicesOf(n, functions...),
	}
	if severity == Error {
		f.sayByItself(claims)
	}
	return f, true
}

// groupFirst gives the address of the first function that one of the VMs names.
func groupFirst(uses []*groupUse, apart []bool) pci.Address {
	var first *atlas.Device
	for i, use := range uses {
		for _, device := range use.all() {
			if apart[i] && (first == nil || device.Address.Compare(first.Address) < 0) {
				first = device
			}
		}
	}
	return first.Address
}

// findGroupTaken finds lines whose groups take more from the host than they name.
func findGroupTaken(w *world) []Finding {
	var found []Finding
	for _, n := range w.nodes {
		if !deviceLinesKnown(n) {
			continue // an unread VM may have taken the other members from the host
		}
		for _, v := range n.vms {
			found = append(found, groupTakenBy(v)...)
		}
	}
	return found
}

// groupTakenBy gives what the lines of a VM take along. What two of them take is
// said once, of the first line that is sure to take it, or else of the first.
func groupTakenBy(v *vm) []Finding {
	var found []Finding
	var said []*atlas.Device
	for _, certain := range []bool{true, false} {
		for _, l := range v.lines {
			if !l.TakesGroups() || (len(l.candidates) == 0) != certain || !groupMayLose(v.node, l) {
				continue
			}
			take := v.node.TakenWith(l.Line, l.all())
			take.Without(said)
			if len(take.Lost) == 0 {
				continue
			}
			for i := range take.Lost {
				said = append(said, take.Lost[i].Device)
			}
			found = append(found, groupTaken(l, &take))
		}
	}
	return found
}

// groupMayLose tells whether a group of the line may have members that its start
// takes from the host.
func groupMayLose(n *node, l *line) bool {
	for _, device := range l.all() {
		for _, member := range n.groupOf(device) {
			if member.Lost || member.Taken && member.ForVMs() && l.vm.running() {
				return true
			}
		}
	}
	return false
}

func groupTaken(l *line, take *atlas.StartTake) Finding {
	groups := make([]string, len(take.Groups))
	for i, group := range take.Groups {
		groups[i] = strconv.Itoa(group)
	}
	named := slices.DeleteFunc(slices.Clone(l.all()), func(d *atlas.Device) bool {
		group := d.Device.Group.Value
		return group == nil || !slices.Contains(take.Groups, *group)
	})
	lost, harmless := make([]*atlas.Device, len(take.Lost)), true
	var used, uses []string
	var broken []*line
	for i := range take.Lost {
		lost[i] = take.Lost[i].Device
		broken = append(broken, groupBroken(l, lost[i])...)
		harmless = harmless && take.Lost[i].Harmless
		if known := lost[i].HostUses(); len(known) > 0 {
			used = append(used, fmt.Sprintf("%s (%s)", deviceUseWords(known), lost[i].Address))
			uses = append(uses, deviceUseEvidence(lost[i])...)
		}
	}
	may, variant := "", "certain"
	if len(l.candidates) > 0 {
		may, variant = " may", "maybe"
	}
	f := Finding{
		Code: GroupTakesHostDevice, Severity: Warning, Subject: l.subject(),
		Sentence: fmt.Sprintf("Starting VM %d%s %s more than %s names from the host, because %s in IOMMU group %s: %s. "+
			"Proxmox VE binds %s to vfio-pci, and %s not given back when the VM stops.",
			l.vm.VMID, may, devicePlural(number(may == ""), "takes", "take"), l.key(), devicePlural(len(lost), "it is", "they are"),
			deviceWords(groups), deviceWords(deviceLabels(lost)), devicePlural(len(lost), "it", "them"), devicePlural(len(lost), "it is", "they are")),
		Params: map[string]string{
			"variant": variant, "node": l.vm.Node, "vmid": l.vm.number(), "slot": l.key(),
			"groups": joined(groups), "taken": devicePlain(lost),
		},
		Evidence: slices.Concat([]string{deviceLineEvidence(l)}, deviceEvidenceOf(named), deviceEvidenceOf(lost), uses),
		Remedy: []string{
			"Move the card to another slot of the board so that it has a group of its own.",
			fmt.Sprintf("If the host needs %s: qm set %d --delete %s",
				devicePlural(len(lost), "this device", "one of these devices"), l.vm.VMID, l.key()),
		},
		devices: devicesOf(l.vm.node, slices.Concat(named, lost)...),
	}
	if harmless {
		f.Code, f.Severity, f.Remedy = GroupMateBound, Info, nil
		f.Sentence = fmt.Sprintf("Starting VM %d%s %s %s of IOMMU group %s to vfio-pci, too, beside what %s names.",
			l.vm.VMID, may, devicePlural(number(may == ""), "binds", "bind"), deviceWords(deviceLabels(lost)),
			deviceWords(groups), l.key())
		return f
	}
	if len(used) > 0 {
		f.Sentence += " The host uses this now and loses " + deviceWords(used) + "."
		for _, device := range lost {
			f.sayLoss(device.HostUses())
		}
		if may == "" {
			f.Severity = Error
		}
	}
	if len(broken) > 0 {
		f.sayBroken(broken)
	}
	return f
}

// groupBroken gives the lines of other VMs that may want a function, which the
// start of a line takes along: mediated devices of it and alternatives. What the
// device itself shows as shared or as wanted whole is left out.
func groupBroken(l *line, lost *atlas.Device) []*line {
	if !lost.Claimed() {
		return nil
	}
	var broken []*line
	for _, v := range l.vm.node.vms {
		for _, other := range v.lines {
			if other.counts() && (other.vm != l.vm || !other.exclusive()) && slices.Contains(other.all(), lost) {
				broken = append(broken, other)
			}
		}
	}
	return broken
}

// sayBroken says what lines of VMs lose with the functions that are taken.
func (f *Finding) sayBroken(lines []*line) {
	slices.SortStableFunc(lines, func(a, b *line) int { return a.order - b.order })
	lines = slices.Compact(lines)
	var texts []string
	for _, l := range lines {
		word, name := "others_mdev", l.vm.number()+" "+l.key()
		switch {
		case l.exclusive():
			word, name = "others_pool", with(name, l.Mapping)
			texts = append(texts, fmt.Sprintf("VM %d, which may get it by resource mapping %s (%s), cannot start with it", l.vm.VMID, l.Mapping, l.key()))
		case l.vm.running() && l.now():
			word = "others_mdev_runs"
			texts = append(texts, fmt.Sprintf("VM %d is running with a mediated device of it (%s) and loses that", l.vm.VMID, l.key()))
		default:
			texts = append(texts, fmt.Sprintf("VM %d gets no mediated device of it (%s) any more", l.vm.VMID, l.key()))
		}
		f.alsoOf(word, additions[word], []string{name})
		f.Evidence = append(f.Evidence, deviceLineEvidence(l), deviceStatusEvidence(l.vm))
	}
	f.Sentence += " Other VMs want it, too: " + strings.Join(few(texts), "; ") + "."
	f.vms = append(f.vms, vmsOfLines(lines...)...)
}
