package findings

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pciatlas/internal/atlas"
	"pciatlas/internal/pci"
	"pciatlas/internal/pve"
)

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
	params["key"], params["line"] = lineShort(dropped.Key), strconv.Itoa(dropped.Line)
	params["message"] = lineShorter(strings.TrimSuffix(dropped.Reason, "."), 400)
	return Finding{
		Code: code, Severity: severity, Subject: subject, Params: params,
		Evidence: []string{fmt.Sprintf("VM %d, line %d of the file, %s: %s", v.VMID, dropped.Line,
			lineShort(dropped.Key), lineShort(dropped.Text))},
		devices: devicesOf(v.node, v.node.namedByAny(pve.ReadRefused(dropped.Text).Selectors)...),
	}
}

func lineDropped(v *vm, dropped *pve.DroppedLine) Finding {
	f := lineDroppedFinding(v, dropped, HostPCILineIgnored, Warning)
	key, reasons := lineShort(dropped.Key), lineWhyDropped(dropped)
	texts := make([]string, len(reasons))
	for i, reason := range reasons {
		texts[i] = reason.text
		f.sayReason(reason)
	}
	f.Sentence = fmt.Sprintf("Proxmox VE drops line %d of VM %d on %s, %s: %s.", dropped.Line, v.VMID, v.Node, key, strings.Join(texts, "; "))
	f.Evidence = append(f.Evidence, "Proxmox VE says: "+f.Params["message"])
	taken := false
	if item, ok := v.Config.Get(dropped.Key); ok {
		if value, set := item.Future(); set {
			taken = true
			f.Sentence += " It takes another line of the key."
			f.also("another_line", nil)
			f.Evidence = append(f.Evidence, lineQuote(v, dropped.Key, value, item.Pending != nil))
		}
	}
	f.Remedy = []string{fmt.Sprintf("Remove the line from the file, or write it anew as one of hostpci0 to hostpci15: qm set %d --hostpciN …", v.VMID)}
	if f.Subject.Slot != atlas.NoSlot {
		f.Remedy = []string{fmt.Sprintf("Remove the line from the file, or write it anew: qm set %d --%s …", v.VMID, key)}
	}
	if fixed := lineRespelled(dropped.Text); fixed != "" && f.Subject.Slot != atlas.NoSlot && !taken {
		f.Remedy = []string{fmt.Sprintf("The line as Proxmox VE accepts it: qm set %d --%s %s", v.VMID, dropped.Key, lineShell(fixed))}
	}
	if others := lineAlsoNamed(v, dropped); len(others) > 0 {
		told := make([]string, len(others))
		for i, other := range others {
			told[i] = other.key + " already names " + other.address
			f.alsoOf("named_already", "named", []string{with(other.key, other.address)})
		}
		f.Sentence += " Do not just correct it: " + lineList(told) + "."
		f.Remedy = []string{"Remove the line from the file, or write it anew and remove the other one: a VM must not name a function twice."}
	}
	return f
}

// lineRespelled gives a refused value without the white space around its options and
// with its addresses in lower case, "" if it is refused even then.
func lineRespelled(text string) string {
	parts := strings.Split(text, ",")
	for i, part := range parts {
		name, value, keyed := strings.Cut(strings.TrimSpace(part), "=")
		switch {
		case !keyed:
			parts[i] = strings.ToLower(name)
		case name == "host":
			parts[i] = "host=" + strings.ToLower(value)
		default:
			parts[i] = name + "=" + value
		}
	}
	value, err := pve.ParseHostPCI(strings.Join(parts, ","))
	if err != nil || value.Source() == pve.SourceNone {
		return ""
	}
	return value.String()
}

// lineReason is one reason why Proxmox VE drops a line: in plain words, as the word
// of an addition, and the option that it is about, "" for none.
type lineReason struct{ text, word, option string }

// sayReason adds a reason for translation.
func (f *Finding) sayReason(reason lineReason) {
	if reason.option == "" {
		f.also(reason.word, nil)
		return
	}
	f.alsoOf(reason.word, additions[reason.word], []string{reason.option})
}

// lineWhyDropped says why Proxmox VE drops a line.
func lineWhyDropped(dropped *pve.DroppedLine) []lineReason {
	if _, ok := pve.ParseSlotKey(dropped.Key); !ok {
		return []lineReason{{"the slots of a VM are hostpci0 to hostpci15", "bad_slot", ""}}
	}
	_, err := pve.ParseHostPCI(dropped.Text)
	refused, ok := errors.AsType[*pve.FormatError](err)
	if !ok {
		return []lineReason{{lineShort(strings.TrimSuffix(dropped.Reason, ".")), "said", ""}}
	}
	reasons := make([]lineReason, 0, len(refused.Faults))
	for _, fault := range refused.Faults {
		if reason := lineFault(fault, dropped.Text); !slices.Contains(reasons, reason) {
			reasons = append(reasons, reason)
		}
	}
	return reasons
}

// lineFault says one fault of a refused value.
func lineFault(fault pve.Fault, text string) lineReason {
	option := lineShort(strings.TrimSpace(fault.Option))
	switch fault.Code {
	case pve.FaultUnknownKey:
		if strings.TrimSpace(fault.Option) != fault.Option {
			return lineReason{"white space around an option is not accepted", "white_space", ""}
		}
		return lineReason{"it does not know the option " + option, "unknown_option", orDash(option)}
	case pve.FaultMissingKey:
		return lineReason{"an option without a name or a value is not accepted", "no_value", ""}
	case pve.FaultDuplicateKey:
		return lineReason{"an option must not stand twice in a line", "option_twice", ""}
	case pve.FaultNotBoolean:
		return lineReason{option + " must be 1 or 0", "not_boolean", option}
	case pve.FaultNotInEnum:
		return lineReason{option + " has a value that it does not know", "unknown_value", option}
	case pve.FaultBadID:
		return lineReason{"no mapping can have the name that stands there", "bad_mapping_name", ""}
	case pve.FaultPattern:
		return linePattern(option, text)
	default:
		return lineReason{lineShort(fault.Message), "said", ""}
	}
}

// lineHost gives what stands where the address of a value belongs.
func lineHost(text string) string {
	for part := range strings.SplitSeq(text, ",") {
		name, value, keyed := strings.Cut(strings.TrimSpace(part), "=")
		if !keyed {
			return name
		}
		if name == "host" {
			return value
		}
	}
	return ""
}

// linePattern says why the value of an option is not written as it must be.
func linePattern(option, text string) lineReason {
	_, remark := pve.CutRemark(text)
	switch {
	case option == "romfile":
		return lineReason{"the name of a ROM file must not hold a semicolon", "romfile_semicolon", ""}
	case option == "mdev":
		return lineReason{"a type of mediated device holds no slash, dot or colon", "mdev_characters", ""}
	case option != "host":
		return lineReason{option + " must be 0x and four hexadecimal digits", "not_hexadecimal", option}
	case remark:
		return lineReason{"a remark behind the value is not accepted", "remark", ""}
	case len(pve.ReadRefused(text).Selectors) == 0:
		return lineReason{"what stands where the address belongs is no address", "no_address", ""}
	case pci.ValidSelectors(strings.ToLower(lineHost(text))):
		return lineReason{"upper-case letters in an address are not accepted", "upper_case", ""}
	default:
		return lineReason{"what stands where the address belongs is not an address alone", "not_address_alone", ""}
	}
}

// lineNamedToo is a function that another slot of the VM names.
type lineNamedToo struct{ key, address string }

// lineAlsoNamed says which other slots of the VM name functions that a dropped
// line seems to mean; they would be assigned twice once it is corrected.
func lineAlsoNamed(v *vm, dropped *pve.DroppedLine) []lineNamedToo {
	var named []lineNamedToo
	selectors := pve.ReadRefused(dropped.Text).Selectors
	for _, s := range lineValues(v) {
		if s.key() == dropped.Key || !s.exclusive() || len(s.choices) != 1 {
			continue
		}
		for _, function := range s.choices[0].functions {
			for _, selector := range selectors {
				other := lineNamedToo{s.key(), function.Address.String()}
				if selector.Names(function.Address) && !slices.Contains(named, other) {
					named = append(named, other)
				}
			}
		}
	}
	return named
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
	switch _, ok := pve.ParseSlotKey(dropped.Key); {
	case ok && fixed != "":
		f.Remedy = []string{fmt.Sprintf("qm set %d --%s %s", v.VMID, dropped.Key, lineShell(fixed))}
	case ok:
		f.Remedy = []string{fmt.Sprintf("Write mapping=%s with the options that Proxmox VE accepts: qm set %d --%s …", name, v.VMID, dropped.Key)}
	default:
		f.Remedy = []string{fmt.Sprintf("Write mapping=%s into one of the lines hostpci0 to hostpci15.", name)}
	}
	return f
}
