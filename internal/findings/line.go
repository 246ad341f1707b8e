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

// lineRules are about a VM's own configuration: what Proxmox VE refuses, drops
// or treats otherwise than the text suggests.
var lineRules = []rule{
	lineStartRefused, lineAssignedTwice,
	lineIgnored, lineRepeated, lineSnapshots, lineTemplates, lineArgs, lineHook,
	lineROMRemark, lineROMMissing, lineDriverKeep, lineXVGA, lineMemoryPinned,
}

// lineSlot is one hostpci value as the next start of its VM reads it. Values
// that the format refuses are none.
type lineSlot struct {
	vm      *vm
	slot    int
	raw     string
	value   *pve.HostPCI // shared
	pending bool
	// choices are the alternatives, as far as they are known: one for addresses,
	// one for each entry of a mapping on the node, none for both or neither.
	choices []lineChoice
}

// lineChoice is what one alternative gives.
type lineChoice struct {
	// functions are in the order of the parts, duplicates kept.
	functions []*atlas.Device
	// whole: every part names at least one function. first is the function that
	// the first part names first; nil if it names none that is known.
	whole bool
	first *pci.Address
}

// lineSlots gives the values of a VM for its next start, by slot. A template and
// a VM whose configuration was not read have none.
func lineSlots(v *vm) []*lineSlot {
	if v.Config == nil || v.Template {
		return nil
	}
	return lineValues(v)
}

// lineValues gives the same for any VM with a configuration.
func lineValues(v *vm) []*lineSlot {
	if !v.slotsRead {
		v.slots, v.slotsRead = lineReadValues(v), true
	}
	return v.slots
}

// lineReadValues works out what lineValues gives.
func lineReadValues(v *vm) []*lineSlot {
	slots := v.slotRoom[:0]
	for i := range v.Config.Items {
		item := &v.Config.Items[i]
		number, ok := pve.ParseSlotKey(item.Key)
		if !ok {
			continue
		}
		raw, set := item.Future()
		if !set || raw == "" || raw == "0" {
			continue
		}
		value, ok := lineParse(v, number, raw)
		if !ok {
			continue
		}
		s := v.node.world.slot()
		*s = lineSlot{vm: v, slot: number, raw: raw, value: value, pending: item.Pending != nil}
		s.choices = lineChoices(s)
		slots = append(slots, s)
	}
	slices.SortFunc(slots, func(a, b *lineSlot) int { return a.slot - b.slot })
	return slots
}

// lineParse reads a value of a slot; ok is false if the format refuses it.
func lineParse(v *vm, slot int, raw string) (value *pve.HostPCI, ok bool) {
	for _, l := range v.lines {
		if l.Slot == slot && l.Raw == raw {
			return &l.Value, true
		}
	}
	parsed, err := pve.ParseHostPCI(raw)
	return &parsed, err == nil
}

// lineSource is what the choices of a slot on a node follow from.
type lineSource struct{ host, mapping string }

// lineChoices gives the choices of a slot; slots of a node with the same source
// share them.
func lineChoices(s *lineSlot) []lineChoice {
	n, source := s.vm.node, lineSource{s.value.Host, s.value.Mapping}
	choices, known := n.choices[source]
	if !known {
		choices = lineReadChoices(s)
		if n.choices == nil {
			n.choices = make(map[lineSource][]lineChoice, len(n.places))
		}
		n.choices[source] = choices
	}
	return choices
}

// lineReadChoices works out what lineChoices gives.
func lineReadChoices(s *lineSlot) []lineChoice {
	n := s.vm.node
	switch s.value.Source() {
	case pve.SourceHost:
		return []lineChoice{lineChoose(n, s.value.Host)}
	case pve.SourceMapping:
		mapping := lineMapping(n.world, s.value.Mapping)
		if mapping == nil {
			return nil
		}
		var choices []lineChoice
		for _, entry := range mapping.On(n.Name) {
			choices = append(choices, lineChoose(n, entry.Path))
		}
		return choices
	case pve.SourceNone, pve.SourceBoth:
	}
	return nil
}

// lineChoose gives what a path, its parts joined by ";", names.
func lineChoose(n *node, path string) lineChoice {
	choice := lineChoice{whole: true}
	first := true
	for part := range strings.SplitSeq(path, ";") {
		devices := lineNamed(n, part)
		choice.functions = append(choice.functions, devices...)
		switch {
		case len(devices) == 0:
			choice.whole = false
		case first:
			choice.first = &devices[0].Address
		}
		first = false
	}
	return choice
}

// lineNamed gives the functions of the node that a part of a line names.
func lineNamed(n *node, part string) []*atlas.Device {
	selector, ok := pci.ParseSelector(part)
	if !ok || selector.NamesNothing() {
		return nil
	}
	return n.named(selector)
}

func lineMapping(w *world, id string) *pve.Mapping { return w.byID[id] }

// exclusive tells whether the slot takes whole functions, as the start of a VM
// counts them: a vGPU of NVIDIA's driver for kernel 6.8 and later does, too.
func (s *lineSlot) exclusive() bool {
	if s.value.Mdev == "" {
		return true
	}
	number, ok := strings.CutPrefix(s.value.Mdev, "nvidia-")
	if _, err := strconv.ParseUint(number, 10, 32); !ok || err != nil {
		return false
	}
	return slices.ContainsFunc(s.choices, func(c lineChoice) bool {
		return len(c.functions) == 1 && c.functions[0].NvidiaVGPU
	})
}

// functions gives every function that the slot names or may get.
func (s *lineSlot) functions() []*atlas.Device {
	var devices []*atlas.Device
	for i := range s.choices {
		for _, device := range s.choices[i].functions {
			devices = deviceAppend(devices, device)
		}
	}
	return devices
}

func (s *lineSlot) key() string { return pve.SlotKey(s.slot) }

func (s *lineSlot) subject() Subject {
	return Subject{Node: s.vm.Node, VMID: s.vm.VMID, Slot: s.slot, Mapping: s.value.Mapping}
}

// evidence quotes the value.
func (s *lineSlot) evidence() string { return lineQuote(s.vm, s.key(), s.raw, s.pending) }

// set gives the command that writes another value to the slot.
func (s *lineSlot) set(value pve.HostPCI) string {
	return fmt.Sprintf("qm set %d --%s %s", s.vm.VMID, s.key(), lineShell(value.String()))
}

// params begins the parameters of a finding about the slot.
func (s *lineSlot) params() map[string]string {
	p := lineParams(s.vm)
	p["slot"] = s.key()
	return p
}

func lineParams(v *vm) map[string]string {
	return map[string]string{"vmid": strconv.Itoa(v.VMID), "node": v.Node}
}

// lineQuote says what a configuration holds.
func lineQuote(v *vm, key, value string, pending bool) string {
	text := fmt.Sprintf("VM %d %s: %s", v.VMID, key, value)
	if pending {
		text += " (pending)"
	}
	return text
}

// lineKey quotes a key as the next start sees it, or says that it is not set.
func lineKey(v *vm, key string) string {
	value := v.future(key)
	if value == "" {
		for _, dropped := range v.Config.Dropped {
			if dropped.Key == key && (dropped.Section == "" || dropped.Section == "pending") {
				return fmt.Sprintf("VM %d %s: not set; Proxmox VE does not accept line %d of the file (%s)",
					v.VMID, key, dropped.Line, dropped.Reason)
			}
		}
		return fmt.Sprintf("VM %d %s: not set", v.VMID, key)
	}
	item, _ := v.Config.Get(key)
	return lineQuote(v, key, value, item.Pending != nil)
}

// lineCannot begins the sentence about a VM that Proxmox VE will not start, see
// sayRunning.
func lineCannot(v *vm) string {
	if v.running() {
		return fmt.Sprintf("VM %d on %s runs, but cannot start again", v.VMID, v.Node)
	}
	return fmt.Sprintf("VM %d on %s cannot start", v.VMID, v.Node)
}

// sayRunning says for translation that a VM which cannot start runs now.
func (f *Finding) sayRunning(v *vm) {
	if v.running() {
		f.also("running", nil)
	}
}

// lineShell quotes an argument for a shell where that is needed.
func lineShell(s string) string {
	plain := func(r rune) bool {
		return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || strings.ContainsRune(":.,=_-/+", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return shellQuoted(s)
}

// shellQuoted quotes an argument for a shell.
func shellQuoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// lineShort keeps what is quoted from a file readable.
func lineShort(s string) string { return lineShorter(s, 120) }

// lineShorter keeps at most limit characters, and does not cut a word where words are
// of a usual length.
func lineShorter(s string, limit int) string {
	const word = 40
	runes := []rune(s)
	if len(runes) <= limit {
		return s
	}
	end := limit
	for end > limit-word && runes[end] != ' ' {
		end--
	}
	if runes[end] != ' ' {
		end = limit
	}
	return strings.TrimRight(string(runes[:end]), " ,;:") + "…"
}

// lineList writes "a", "a and b" or "a, b and c".
func lineList(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}
