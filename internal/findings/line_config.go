package findings

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/pci"
	"pciatlas/internal/pve"
)

// lineInEffect tells whether a section of a VM's file is about the VM itself and
// not about a snapshot.
func lineInEffect(section string) bool { return section == "" || section == "pending" }

// lineRepeated finds hostpci keys that stand several times in one section.
func lineRepeated(w *world) []Finding {
	var found []Finding
	for _, v := range w.vms {
		if v.Config == nil {
			continue
		}
		last := map[[2]string]int{} // where the finding about section and key is
		for _, repeated := range v.Config.Repeated {
			slot, ok := pve.ParseSlotKey(repeated.Key)
			if !ok || !lineInEffect(repeated.Section) {
				continue
			}
			place := [2]string{repeated.Section, repeated.Key}
			evidence := fmt.Sprintf("VM %d, line %d of the file: %s again", v.VMID, repeated.Line, repeated.Key)
			if at, known := last[place]; known {
				found[at].Evidence = append(found[at].Evidence, evidence)
				continue
			}
			last[place] = len(found)
			subject, params := v.subject(), lineParams(v)
			subject.Slot, params["slot"] = slot, repeated.Key
			f := Finding{
				Code: HostPCILineRepeated, Severity: Info, Subject: subject, Params: params,
				Sentence: fmt.Sprintf("%s stands more than once in the file of VM %d on %s; Proxmox VE takes the last one.",
					repeated.Key, v.VMID, v.Node),
				Evidence: []string{evidence},
				Remedy:   []string{"Remove the other lines from the file, so that nobody takes them for settings."},
			}
			found = append(found, f)
		}
	}
	return found
}

// lineTemplates finds lines of templates.
func lineTemplates(w *world) []Finding {
	var found []Finding
	for _, v := range w.vms {
		if v.Config == nil || !v.Template {
			continue
		}
		for _, s := range lineValues(v) {
			found = append(found, Finding{
				Code: TemplateReference, Severity: Info, Subject: s.subject(), Params: s.params(),
				Sentence: fmt.Sprintf("Template %d on %s names a device in %s: it holds nothing itself, but its clones inherit the line.",
					v.VMID, v.Node, s.key()),
				Evidence: []string{s.evidence(), fmt.Sprintf("VM %d is a template", v.VMID)},
			})
		}
	}
	return found
}

// lineArgs finds VMs whose custom arguments mention vfio-pci.
func lineArgs(w *world) []Finding {
	var found []Finding
	for _, v := range w.vms {
		if v.Config == nil || !v.Config.Args.MentionsVFIO || !lineSet(v, v.Config.Args) {
			continue
		}
		who, clones := "VM", ""
		params := lineParams(v)
		params["variant"] = "vm"
		if v.Template {
			who, clones = "template", " Its clones inherit them."
			params["variant"] = "template"
		}
		found = append(found, Finding{
			Code: ArgsPassesDevice, Severity: Warning, Subject: v.subject(), Params: params,
			Sentence: fmt.Sprintf("Custom arguments of %s %d on %s mention vfio-pci; which device they pass is not examined. "+
				"Proxmox VE neither binds nor reserves it, nor sees it before a move to another node.%s", who, v.VMID, v.Node, clones),
			Evidence: []string{fmt.Sprintf("VM %d args: set, mentions vfio-pci", v.VMID)},
			Remedy:   []string{fmt.Sprintf("Take the device out of args and use a hostpci line instead: qm set %d --hostpciN ADDRESS", v.VMID)},
		})
	}
	return found
}

// lineHook finds VMs with a hook script.
func lineHook(w *world) []Finding {
	var found []Finding
	for _, v := range w.vms {
		if v.Config == nil || v.Template || !lineSet(v, v.Config.Hook) {
			continue
		}
		found = append(found, Finding{
			Code: HookscriptSet, Severity: Info, Subject: v.subject(), Params: lineParams(v),
			Sentence: fmt.Sprintf("VM %d on %s has a hook script; devices that it binds or passes cannot be seen from here.", v.VMID, v.Node),
			Evidence: []string{fmt.Sprintf("VM %d hookscript: set", v.VMID)},
		})
	}
	return found
}

// lineSet tells whether a key is set for the next start, or may be for the VM
// that runs now.
func lineSet(v *vm, phases facts.Phases) bool {
	return phases.Pending || phases.Current && (!phases.Removal || v.Status != facts.Stopped)
}

// lineOld is one hostpci line of one or several snapshots of a VM.
type lineOld struct {
	slot      int
	raw       string
	value     pve.HostPCI
	snapshots []string
}

// lineSnapshots finds lines of snapshots that the VM does not have any more.
func lineSnapshots(w *world) []Finding {
	var found []Finding
	for _, v := range w.vms {
		if v.Config == nil || v.Template || !v.Config.Snapshots.State.Answered() {
			continue
		}
		slots := lineSlots(v)
		for _, old := range lineOldLines(v.Config.Snapshots.Value) {
			if !lineStillNamed(v, old, slots) {
				found = append(found, lineRestored(v, old))
			}
		}
	}
	return found
}

// lineOldLines gives the lines of all snapshots that Proxmox VE accepts, equal
// ones once.
func lineOldLines(snapshots []facts.VMSnapshot) []*lineOld {
	var lines []*lineOld
	for _, snapshot := range snapshots {
		for _, line := range snapshot.HostPCI {
			slot, ok := pve.ParseSlotKey(line.Key)
			value, err := pve.ParseHostPCI(line.Value)
			if !ok || err != nil || value.Source() == pve.SourceNone {
				continue
			}
			at := slices.IndexFunc(lines, func(l *lineOld) bool { return l.slot == slot && l.raw == line.Value })
			if at < 0 {
				at = len(lines)
				lines = append(lines, &lineOld{slot: slot, raw: line.Value, value: value})
			}
			lines[at].snapshots = append(lines[at].snapshots, snapshot.Name)
		}
	}
	slices.SortFunc(lines, func(a, b *lineOld) int { return cmp.Or(a.slot-b.slot, strings.Compare(a.raw, b.raw)) })
	for _, line := range lines {
		slices.Sort(line.snapshots)
	}
	return lines
}

// lineStillNamed tells whether the VM's lines name exactly what an old line names:
// the same text, or the same functions in one line or in several.
func lineStillNamed(v *vm, old *lineOld, slots []*lineSlot) bool {
	if slices.ContainsFunc(slots, func(s *lineSlot) bool { return lineSameSource(s.value, &old.value) }) {
		return true
	}
	before := &lineSlot{vm: v, slot: old.slot, value: &old.value}
	before.choices = lineChoices(before)
	if !v.node.DevicesRead && old.value.Source() == pve.SourceHost {
		return lineMayBeNamed(&old.value, slots)
	}
	wanted, ok := lineCertain(before)
	if !ok || old.value.Source() != pve.SourceHost { // which mapping it is makes a difference
		return false
	}
	named := map[*atlas.Device]bool{}
	for _, s := range slots {
		functions, ok := lineCertain(s)
		if !ok || s.value.Mdev != old.value.Mdev || s.value.Source() != old.value.Source() ||
			slices.ContainsFunc(functions, func(d *atlas.Device) bool { return !slices.Contains(wanted, d) }) {
			continue
		}
		for _, function := range functions {
			named[function] = true
		}
	}
	return len(named) == len(wanted)
}

// lineMayBeNamed tells whether an old line may name what the VM's lines name, as far
// as addresses alone tell: the same slots of the bus.
func lineMayBeNamed(old *pve.HostPCI, slots []*lineSlot) bool {
	return !slices.ContainsFunc(old.Selectors, func(selector pci.Selector) bool {
		return !slices.ContainsFunc(slots, func(s *lineSlot) bool {
			return s.value.Mdev == old.Mdev && slices.ContainsFunc(s.value.Selectors, func(other pci.Selector) bool {
				return other.First().Slot() == selector.First().Slot()
			})
		})
	})
}

// lineCertain gives the functions of a slot, each once; ok is false where they are
// not known for certain.
func lineCertain(s *lineSlot) (functions []*atlas.Device, ok bool) {
	if len(s.choices) != 1 || !s.choices[0].whole {
		return nil, false
	}
	for _, function := range s.choices[0].functions {
		if !slices.Contains(functions, function) {
			functions = append(functions, function)
		}
	}
	return functions, true
}

// lineSameSource tells whether two values name the same, however written.
func lineSameSource(a, b *pve.HostPCI) bool {
	if a.Mapping != b.Mapping || a.Mdev != b.Mdev || len(a.Selectors) != len(b.Selectors) {
		return false
	}
	for i := range a.Selectors {
		x, y := a.Selectors[i], b.Selectors[i]
		if x.First() != y.First() || x.WholeSlot() != y.WholeSlot() || x.NamesNothing() != y.NamesNothing() {
			return false
		}
	}
	return true
}

func lineRestored(v *vm, old *lineOld) Finding {
	key := pve.SlotKey(old.slot)
	subject, params := v.subject(), lineParams(v)
	subject.Slot, subject.Mapping = old.slot, old.value.Mapping
	params["slot"], params["snapshots"] = key, joined(old.snapshots)
	f := Finding{
		Code: SnapshotRestoresDevice, Severity: Info, Subject: subject, Params: params,
		devices: devicesOf(v.node, v.node.namedByAny(old.value.Selectors)...),
	}
	noun := "Snapshot " + old.snapshots[0] + " of VM %d on %s holds"
	if len(old.snapshots) > 1 {
		noun = "Snapshots " + lineList(old.snapshots) + " of VM %d on %s hold"
	}
	what := "mapping " + old.value.Mapping
	if old.value.Host != "" {
		what = "the raw address " + old.value.Host
		params["variant"], params["address"] = "address", old.value.Host
	} else {
		params["variant"], params["mapping"] = "mapping", old.value.Mapping
	}
	f.Sentence = fmt.Sprintf(noun+" another %s: a rollback brings back %s without any check.", v.VMID, v.Node, key, what)
	for _, name := range old.snapshots {
		f.Evidence = append(f.Evidence, fmt.Sprintf("VM %d, snapshot %s, %s: %s", v.VMID, name, key, lineShort(old.raw)))
	}
	f.Evidence = append(f.Evidence, lineKey(v, key))
	report := v.node.world.report
	switch {
	case old.value.Host != "":
		f.Severity = Warning
	case report.MappingScope.State == atlas.Proven && lineMapping(v.node.world, old.value.Mapping) == nil:
		f.Severity = Warning
		params["variant"] = "mapping_gone"
		f.Sentence = strings.TrimSuffix(f.Sentence, ".") + ", and this mapping does not exist any more."
		f.Evidence = append(f.Evidence, "no mapping "+old.value.Mapping)
	}
	f.Remedy = []string{
		fmt.Sprintf("After a rollback, look at the lines before the VM starts: qm config %d", v.VMID),
	}
	return f
}
