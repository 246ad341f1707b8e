package findings

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/pve"
)

// lineInEffect tells whether a section of a VM's file is about the VM itself and
// not about a snapshot.
func lineInEffect(section string) bool { return section == "" || section == "pending" }

// lineIgnored finds hostpci lines of the file that Proxmox VE drops; those that
// name a mapping where an address belongs are found as that, too.
func lineIgnored(w *world) []Finding {
	var found []Finding
	for _, v := range w.vms {
		if v.Config == nil {
			continue
		}
		for i := range v.Config.Dropped {
			dropped := &v.Config.Dropped[i]
			if !strings.HasPrefix(dropped.Key, "hostpci") || !lineInEffect(dropped.Section) {
				continue
			}
			if name, fixed := lineMappingName(w, dropped.Text); name != "" {
				found = append(found, lineNamesMapping(v, dropped, name, fixed))
			}
			found = append(found, lineDropped(v, dropped))
		}
	}
	return found
}

// lineDroppedFinding begins a finding about a line that Proxmox VE drops.
func lineDroppedFinding(v *vm, dropped *pve.DroppedLine, code Code, severity Severity) Finding {
	subject, params := v.subject(), lineParams(v)
	if slot, ok := pve.ParseSlotKey(dropped.Key); ok {
		subject.Slot = slot
	}
	params["key"], params["line"], params["reason"] = lineShort(dropped.Key), strconv.Itoa(dropped.Line), dropped.Reason
	return Finding{
		Code: code, Severity: severity, Subject: subject, Params: params,
		Evidence: []string{fmt.Sprintf("VM %d, line %d of the file, %s: %s", v.VMID, dropped.Line,
			lineShort(dropped.Key), lineShort(dropped.Text))},
	}
}

func lineDropped(v *vm, dropped *pve.DroppedLine) Finding {
	f := lineDroppedFinding(v, dropped, HostPCILineIgnored, Warning)
	key := lineShort(dropped.Key)
	f.Sentence = fmt.Sprintf("Proxmox VE drops line %d of VM %d on %s, %s: %s.", dropped.Line, v.VMID, v.Node, key,
		lineShort(strings.TrimSuffix(dropped.Reason, ".")))
	if item, ok := v.Config.Get(dropped.Key); ok {
		if value, set := item.Future(); set {
			f.Sentence += " It takes another line of the key."
			f.Evidence = append(f.Evidence, lineQuote(v, dropped.Key, value, item.Pending != nil))
		}
	}
	option := "hostpciN (N is 0 to 15)"
	if f.Subject.Slot != atlas.NoSlot {
		option = key
	}
	f.Remedy = []string{fmt.Sprintf("Write the line anew as qm set %d --%s … accepts it, or remove it from the file.", v.VMID, option)}
	if others := lineAlsoNamed(v, dropped); others != "" {
		f.Sentence += " Do not just correct it: " + others + "."
		f.Remedy = []string{"Remove the line from the file, or write it anew and remove the other one: a VM must not name a function twice."}
	}
	return f
}

// lineAlsoNamed says which other slots of the VM name functions that a dropped
// line seems to mean; they would be assigned twice once it is corrected.
func lineAlsoNamed(v *vm, dropped *pve.DroppedLine) string {
	var told []string
	selectors := pve.ReadRefused(dropped.Text).Selectors
	for _, s := range lineValues(v) {
		if s.key() == dropped.Key || !s.exclusive() || len(s.choices) != 1 {
			continue
		}
		for _, function := range s.choices[0].functions {
			for _, selector := range selectors {
				text := s.key() + " already names " + function.Address.String()
				if selector.Names(function.Address) && !slices.Contains(told, text) {
					told = append(told, text)
				}
			}
		}
	}
	return lineList(told)
}

// lineMappingName gives the mapping that a refused value names as its host, and
// the value with the mapping in the right place, "" if that is refused as well.
func lineMappingName(w *world, text string) (name, fixed string) {
	if len(pve.ReadRefused(text).Selectors) > 0 {
		return "", ""
	}
	parts := strings.Split(text, ",")
	for i, part := range parts {
		candidate := strings.TrimSpace(part)
		if key, value, keyed := strings.Cut(candidate, "="); keyed {
			if strings.TrimSpace(key) != "host" {
				continue
			}
			candidate = strings.TrimSpace(value)
		}
		if lineMapping(w, candidate) == nil {
			continue
		}
		parts[i] = "mapping=" + candidate
		if value, err := pve.ParseHostPCI(strings.Join(parts, ",")); err == nil {
			fixed = value.String()
		}
		return candidate, fixed
	}
	return "", ""
}

func lineNamesMapping(v *vm, dropped *pve.DroppedLine, name, fixed string) Finding {
	f := lineDroppedFinding(v, dropped, HostPCIHostIsMappingName, Error)
	f.Params["mapping"] = name
	f.Evidence = append(f.Evidence, "mapping "+name+" exists")
	f.Sentence = fmt.Sprintf("%s of VM %d on %s names %q where only an address may stand, so Proxmox VE drops the line. "+
		"A mapping of that name exists: write mapping=%s.", lineShort(dropped.Key), v.VMID, v.Node, name, name)
	if _, ok := pve.ParseSlotKey(dropped.Key); ok && fixed != "" {
		f.Remedy = []string{fmt.Sprintf("qm set %d --%s %s", v.VMID, dropped.Key, lineShell(fixed))}
	}
	return f
}

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
		if v.Config == nil || v.Template || !v.Config.Args.MentionsVFIO || !lineSet(v, v.Config.Args) {
			continue
		}
		found = append(found, Finding{
			Code: ArgsPassesDevice, Severity: Warning, Subject: v.subject(), Params: lineParams(v),
			Sentence: fmt.Sprintf("Custom arguments of VM %d on %s mention vfio-pci; which device they pass is not examined. "+
				"Proxmox VE neither binds nor reserves it, nor sees it before a move to another node.", v.VMID, v.Node),
			Evidence: []string{fmt.Sprintf("VM %d args: set, mentions vfio-pci", v.VMID)},
			Remedy:   []string{fmt.Sprintf("Use a hostpci line instead: qm set %d --hostpciN ADDRESS, and take the device out of args.", v.VMID)},
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
			if !slices.ContainsFunc(slots, func(s *lineSlot) bool { return lineSameSource(s.value, &old.value) }) {
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
	params["slot"], params["snapshots"] = key, strings.Join(old.snapshots, " ")
	f := Finding{Code: SnapshotRestoresDevice, Severity: Info, Subject: subject, Params: params}
	noun := "Snapshot " + old.snapshots[0] + " of VM %d on %s holds"
	if len(old.snapshots) > 1 {
		noun = "Snapshots " + lineList(old.snapshots) + " of VM %d on %s hold"
	}
	what := "mapping " + old.value.Mapping
	if old.value.Host != "" {
		what = "the raw address " + old.value.Host
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
		f.Sentence = strings.TrimSuffix(f.Sentence, ".") + ", and this mapping does not exist any more."
		f.Evidence = append(f.Evidence, "no mapping "+old.value.Mapping)
	}
	f.Remedy = []string{
		fmt.Sprintf("After a rollback, look at the lines before the VM starts: qm config %d", v.VMID),
	}
	return f
}
