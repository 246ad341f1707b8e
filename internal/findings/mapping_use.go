package findings

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/pve"
)

// choices gives the entries of the place that give distinct devices, as they are
// written: one whose device is not there stops every start and is a finding of
// its own.
func (p *mappingPlace) choices() []pve.Entry {
	if p.chosen == nil {
		p.chosen = p.readChoices()
	}
	return p.chosen
}

// readChoices works out what choices gives.
func (p *mappingPlace) readChoices() []pve.Entry {
	var choices []pve.Entry
	var paths []string
	used := map[*atlas.Device]bool{}
	for _, entry := range p.entries {
		functions := p.functions(entry)
		if slices.ContainsFunc(functions, func(d *atlas.Device) bool { return used[d] }) || slices.Contains(paths, entry.Path) {
			continue
		}
		for _, function := range functions {
			used[function] = true
		}
		paths = append(paths, entry.Path)
		choices = append(choices, entry)
	}
	return choices
}

// otherwise gives the line that takes the entry's device for certain and is not
// of this mapping, nil if there is none.
func (p *mappingPlace) otherwise(entry pve.Entry, counts func(*line) bool) *line {
	var first *line
	for _, device := range p.functions(entry) {
		for _, l := range p.node.linesOf(device) {
			if first != nil && l.order >= first.order {
				break
			}
			if l.Mapping != p.mapping.ID && l.exclusive() && counts(l) {
				first = l
				break
			}
		}
	}
	return first
}

// mappingSlots counts the slots of the VM that take a whole device of the mapping.
func (v *vm) mappingSlots(id string, counts func(*line) bool) int {
	slots := map[int]bool{}
	for _, l := range v.lines {
		if l.Mapping == id && l.exclusive() && counts(l) {
			slots[l.Slot] = true
		}
	}
	return len(slots)
}

// mappingStarts tells whether it is known that the VM starts by itself.
func (v *vm) mappingStarts() bool {
	yes, ok := v.startsByItself()
	return yes && ok
}

// mappingNowhere finds mappings some of whose VMs fit on no other node, although
// other nodes have entries: too few, or the devices are in other hands. What
// other VMs of the same mapping take is plain to see and not counted.
func mappingNowhere(w *world) []Finding {
	var found []Finding
	places := map[*pve.Mapping][]*mappingPlace{}
	for _, p := range w.mappingPlaces() {
		places[p.mapping] = append(places[p.mapping], p)
	}
	for _, mapping := range w.mappingList() {
		var texts, plain, evidence, entries, held []string
		var vms []vmOn
		var devices []deviceOn
		for _, v := range w.usersOf(mapping.ID) {
			count := v.mappingSlots(mapping.ID, (*line).next)
			if v.Template || count == 0 {
				continue
			}
			reasons, taken := v.nowhere(places[mapping], count)
			if len(reasons) == 0 {
				continue
			}
			vms, devices = append(vms, vmsOf(v)...), append(devices, taken.devices...)
			vms = append(vms, vmsOfLines(taken.lines...)...)
			texts = append(texts, fmt.Sprintf("VM %d needs %d (%s)", v.VMID, count, strings.Join(reasons, ", ")))
			plain = append(plain, with(v.number(), strconv.Itoa(count)))
			entries, held = append(entries, taken.entries...), append(held, taken.held...)
			for _, l := range v.lines {
				if l.Mapping == mapping.ID && l.next() {
					evidence = append(evidence, mappingLineEvidence(l))
				}
			}
			evidence = append(evidence, taken.evidence...)
		}
		if len(texts) == 0 {
			continue
		}
		f := Finding{
			Code: MappingOversubscribed, Severity: Warning, Subject: Subject{Slot: atlas.NoSlot, Mapping: mapping.ID},
			Sentence: fmt.Sprintf("No other node has enough devices of resource mapping %s: %s. A move passes Proxmox VE's check, "+
				"and the start on the other node fails.", mapping.ID, strings.Join(few(texts), "; ")),
			Params:   map[string]string{"variant": "elsewhere", "mapping": mapping.ID, "vms": joined(plain)},
			Evidence: mappingUnique(evidence),
			Remedy:   []string{"Add entries for more devices on another node, or plan the outage of this node for these VMs."},
			vms:      vms, devices: devices,
		}
		f.alsoOf("elsewhere_entries", "nodes", entries)
		f.alsoOf("elsewhere_taken", "taken", held)
		found = append(found, f)
	}
	return found
}

func mappingUnique(texts []string) []string {
	var unique []string
	for _, text := range texts {
		if !slices.Contains(unique, text) {
			unique = append(unique, text)
		}
	}
	return unique
}

// holders gives for each choice the line of a VM that has its device or takes it
// by itself, nil if there is none.
func (p *mappingPlace) holders() []*line {
	if p.held == nil {
		p.held = make([]*line, 0, len(p.entries))
		for _, entry := range p.choices() {
			p.held = append(p.held, p.otherwise(entry, func(l *line) bool {
				return l.vm.running() && l.now() || l.next() && l.vm.mappingStarts()
			}))
		}
	}
	return p.held
}

// mappingTaken is what others have of a mapping on other nodes.
type mappingTaken struct {
	evidence []string
	entries  []string // in no language: the nodes with their number of choices
	held     []string // and who takes what
	lines    []*line
	devices  []deviceOn
}

// nowhere says for each other place of a mapping why the VM does not fit there;
// nothing if it fits on one of them.
func (v *vm) nowhere(places []*mappingPlace, count int) (reasons []string, taken mappingTaken) {
	for _, p := range places {
		if p.node == v.node || p.node.away {
			continue
		}
		choices := p.choices()
		free, held := len(choices), []string(nil)
		for i, l := range p.holders() {
			if l == nil || l.vm == v {
				continue
			}
			free--
			held = append(held, fmt.Sprintf("VM %d takes %s", l.vm.VMID, choices[i].Path))
			taken.held = append(taken.held, with(l.vm.number(), p.node.Name+" "+choices[i].Path))
			taken.evidence = append(taken.evidence, mappingLineEvidence(l))
			taken.lines = append(taken.lines, l)
			taken.devices = append(taken.devices, devicesOf(p.node, p.functions(choices[i])...)...)
		}
		if count <= free {
			return nil, mappingTaken{}
		}
		reasons = append(reasons, strings.Join(append([]string{fmt.Sprintf("node %s has %d", p.node.Name, len(choices))}, held...), ", "))
		taken.entries = append(taken.entries, with(p.node.Name, strconv.Itoa(len(choices))))
		taken.evidence = append(taken.evidence, fmt.Sprintf("mapping %s, distinct entries for node %s: %d", p.mapping.ID, p.node.Name, len(choices)))
	}
	return reasons, taken
}

// mappingPartialNode finds VMs that HA may recover to a node where their mapping
// has no valid entry.
func mappingPartialNode(w *world) []Finding {
	var found []Finding
	for _, v := range w.vms {
		targets := v.moveHATargets()
		if len(targets) == 0 || !v.mappingHAStarts() {
			continue
		}
		var seen []string
		for _, l := range v.lines {
			mapping := w.mappingOf(l.Mapping)
			if mapping == nil || !l.next() || slices.Contains(seen, l.Mapping) {
				continue
			}
			seen = append(seen, l.Mapping)
			if f, ok := l.partialNode(mapping, targets); ok {
				found = append(found, f)
			}
		}
	}
	return found
}

// mappingHAStarts tells whether HA keeps the VM running.
func (v *vm) mappingHAStarts() bool {
	resource, ok := v.moveHA()
	return ok && (resource.State == "started" || resource.State == "enabled")
}

func (l *line) partialNode(mapping *pve.Mapping, targets []*node) (Finding, bool) {
	var bad, names, lacking, invalid []string
	var devices []deviceOn
	evidence := []string{mappingLineEvidence(l), fmt.Sprintf("HA resource vm:%d: %s", l.vm.VMID, l.vm.moveHAState()), mappingEntriesOn(mapping)}
	for _, n := range targets {
		p := n.place(mapping)
		if len(p.entries) == 0 {
			bad, names, lacking = append(bad, n.Name+" (no entry)"), append(names, n.Name), append(lacking, n.Name)
			continue
		}
		for _, entry := range p.entries {
			if faults := p.faults(entry); len(faults) > 0 {
				bad, names, invalid = append(bad, n.Name+" (invalid entry)"), append(names, n.Name), append(invalid, n.Name)
				evidence = append(evidence, fmt.Sprintf("%s: %s", n.Name, faults[0].Message))
				devices = append(devices, devicesOf(n, p.functions(entry)...)...)
				break
			}
		}
	}
	f := Finding{
		Code: MappingPartialNode, Severity: Warning, Subject: l.subject(),
		Sentence: fmt.Sprintf("HA may recover VM %d to %s, where resource mapping %s of %s has no valid entry; it does not start there.",
			l.vm.VMID, mappingJoin(bad), l.Mapping, l.key()),
		Params: map[string]string{
			"vmid": l.vm.number(), "slot": l.key(), "mapping": l.Mapping, "nodes": joined(names),
		},
		Evidence: evidence,
		devices:  devices,
		Remedy: []string{fmt.Sprintf("Add valid entries for these nodes to mapping %s, or keep the VM to the others with a strict node affinity rule: "+
			"ha-manager rules add node-affinity RULE --resources vm:%d --nodes NODE --strict 1", l.Mapping, l.vm.VMID)},
	}
	f.alsoOf("no_entry", "lacking", lacking)
	f.alsoOf("invalid_entry", "invalid", invalid)
	return f, len(bad) > 0
}

// mappingUnused finds mappings that nothing refers to. It needs a whole list of
// mappings, the whole configuration of every VM, and its snapshots. Where only
// nothing speaks against that, it says so.
func mappingUnused(w *world) []Finding {
	seen := weakest(w.report.MappingScope.State, w.mappingSeen())
	if w.report.MappingsRead != facts.OK || seen == atlas.Unproven {
		return nil
	}
	variant, head, evidence := "proven", "Nothing", "all VMs and templates were read with their snapshots; none names it"
	if seen != atlas.Proven {
		variant, head, evidence = "token", "As far as Proxmox VE shows this token, nothing", "all VMs and templates that were shown were read with their snapshots; none names it"
		if w.facts.Files.State != facts.NotAsked {
			variant, head = "files", "As far as these files show, nothing"
		}
	}
	var found []Finding
	mentioned := w.mappingMentions()
	for _, mapping := range w.mappingList() {
		if mentioned[mapping.ID] {
			continue
		}
		found = append(found, Finding{
			Code: MappingUnused, Severity: Info, Subject: Subject{Slot: atlas.NoSlot, Mapping: mapping.ID},
			Sentence: fmt.Sprintf("%s refers to resource mapping %s: no VM, no template and no snapshot.", head, mapping.ID),
			Params:   map[string]string{"variant": variant, "mapping": mapping.ID},
			Evidence: []string{mappingEntriesOn(mapping), evidence},
			Remedy:   []string{"If nobody is going to use it, neither for another VM nor for one that is to move here: pvesh delete /cluster/mapping/pci/" + mapping.ID},
		})
	}
	return found
}

// weakest gives the state of two that proves less.
func weakest(a, b atlas.ScopeState) atlas.ScopeState {
	for _, state := range []atlas.ScopeState{atlas.Unproven, atlas.Assumed} {
		if a == state || b == state {
			return state
		}
	}
	return atlas.Proven
}

// mappingSeen tells how sure it is that every VM of every node was read with its
// snapshots. It is unproven if one is known to be hidden or could not be read.
func (w *world) mappingSeen() atlas.ScopeState {
	seen := atlas.Proven
	for _, n := range w.nodes {
		seen = weakest(seen, n.Scope.State)
		if n.CheckedVMs != n.VisibleVMs ||
			slices.ContainsFunc(n.Issues, func(i atlas.Issue) bool {
				return i.Code == atlas.IssueVMHidden || i.Code == atlas.IssueVMUnreadable || i.Code == atlas.IssueNodeUnreachable
			}) {
			return atlas.Unproven
		}
	}
	unread := func(v *vm) bool { return v.Config == nil || v.Config.Snapshots.State != facts.OK }
	if len(w.nodes) == 0 || slices.ContainsFunc(w.vms, unread) {
		return atlas.Unproven
	}
	return seen
}

// mappingValues goes through everything in the VM's configuration that may name a
// mapping: values in any phase, snapshots, and lines that Proxmox VE drops.
func (v *vm) mappingValues(each func(string)) {
	for i := range v.Config.Items {
		item := &v.Config.Items[i]
		if _, ok := pve.ParseSlotKey(item.Key); !ok {
			continue
		}
		for _, value := range []*string{item.Current, item.Pending} {
			if value != nil {
				each(*value)
			}
		}
	}
	for _, snapshot := range v.Config.Snapshots.Value {
		for _, kv := range snapshot.HostPCI {
			each(kv.Value)
		}
	}
	for i := range v.Config.Dropped {
		each(v.Config.Dropped[i].Text)
	}
}

// mappingMentions gives the mappings that anything in the configurations of the
// VMs names, where the name of a mapping or an address belongs. Every configuration
// was read.
func (w *world) mappingMentions() map[string]bool {
	if w.mentioned != nil {
		return w.mentioned
	}
	seen := map[string]bool{}
	w.mentioned = map[string]bool{}
	for _, v := range w.vms {
		v.mappingValues(func(value string) {
			if seen[value] {
				return
			}
			seen[value] = true
			for part := range strings.SplitSeq(value, ",") {
				w.mentionWords(part)
			}
		})
	}
	return w.mentioned
}

// mentionWords notes the mappings that a part of a line names, whether Proxmox VE
// accepts it or not.
func (w *world) mentionWords(part string) {
	text := part
	if name, value, keyed := strings.Cut(part, "="); keyed {
		if slices.Contains(mappingOtherOptions, strings.ToLower(strings.TrimSpace(name))) {
			return
		}
		text = value
	}
	for _, word := range strings.FieldsFunc(text, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r != '_' && r != '-'
	}) {
		if w.byID[word] != nil {
			w.mentioned[word] = true
			continue
		}
		for _, mapping := range w.mappings { // what is meant differs in the letters' case
			if strings.EqualFold(mapping.ID, word) {
				w.mentioned[mapping.ID] = true
			}
		}
	}
}

// mappingOtherOptions are the options of a line that name no mapping.
var mappingOtherOptions = []string{
	"rombar", "romfile", "pcie", "x-vga", "legacy-igd", "mdev", "driver", "vendor-id", "device-id", "sub-vendor-id", "sub-device-id",
}
