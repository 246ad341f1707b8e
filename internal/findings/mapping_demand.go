package findings

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pciatlas/internal/pve"
)

// mappingDemand is what the VMs of a node want of a mapping there.
type mappingDemand struct {
	place   *mappingPlace
	choices []pve.Entry
	// wanted counts all uses, starting those of VMs that start by themselves.
	wanted, starting int
	texts, evidence  []string
	plain            []string // texts in no language
	vms              []*vm
	own              map[*vm]int // uses of the VM's next start
}

// mappingOversubscribed finds mappings with fewer devices than the VMs of their node
// want. A mapping with one entry is no pool: its device is shared, which the device
// itself shows if the node's devices were read.
func mappingOversubscribed(w *world) []Finding {
	var found []Finding
	for _, p := range w.mappingPlaces() {
		if len(p.entries) < 2 && p.node.DevicesRead {
			continue
		}
		if d := p.demand(); d.wanted > len(d.choices) {
			found = append(found, d.finding())
		}
	}
	return found
}

func (p *mappingPlace) demand() *mappingDemand {
	d := &mappingDemand{place: p, choices: p.choices()}
	d.evidence = []string{fmt.Sprintf("mapping %s, distinct entries for node %s: %d", p.mapping.ID, p.node.Name, len(d.choices))}
	for _, v := range p.node.world.usersOf(p.mapping.ID) {
		if v.node == p.node {
			d.addVM(v)
		}
	}
	for _, entry := range d.choices {
		if l := p.otherwise(entry, (*line).counts); l != nil && d.wanted > 0 {
			d.addLine(l, entry)
		}
	}
	return d
}

// addVM counts the slots of a VM that take a device of the mapping.
func (d *mappingDemand) addVM(v *vm) {
	id := d.place.mapping.ID
	count := v.mappingSlots(id, (*line).counts)
	if count == 0 {
		return
	}
	next := v.mappingSlots(id, (*line).next)
	d.wanted += count
	if v.mappingStarts() {
		d.starting += next
	}
	d.texts = append(d.texts, fmt.Sprintf("VM %d (%s, %d)", v.VMID, v.Status, count))
	d.plain = append(d.plain, with(v.number(), strconv.Itoa(count)))
	d.uses(v, next)
	for _, l := range v.lines {
		if l.Mapping == id && l.counts() {
			d.evidence = append(d.evidence, mappingLineEvidence(l))
		}
	}
}

// addLine counts a line that takes the device of an entry otherwise.
func (d *mappingDemand) addLine(l *line, entry pve.Entry) {
	next := 0
	if l.next() {
		next = 1
	}
	d.wanted++
	if l.vm.mappingStarts() {
		d.starting += next
	}
	d.texts = append(d.texts, fmt.Sprintf("VM %d (%s, %s as %s)", l.vm.VMID, l.vm.Status, entry.Path, l.key()))
	d.plain = append(d.plain, with(l.vm.number(), entry.Path+" → "+l.key()))
	d.evidence = append(d.evidence, mappingLineEvidence(l))
	d.uses(l.vm, next)
}

func (d *mappingDemand) uses(v *vm, next int) {
	if d.own == nil {
		d.own = make(map[*vm]int, 2)
	}
	if !slices.Contains(d.vms, v) {
		d.vms = append(d.vms, v)
	}
	d.own[v] += next
}

func (d *mappingDemand) finding() Finding {
	p, count := d.place, len(d.choices)
	params := map[string]string{
		"variant": "fewer", "mapping": p.mapping.ID, "node": p.node.Name, "devices": strconv.Itoa(count),
		"wanted": strconv.Itoa(d.wanted), "vms": joined(d.plain),
	}
	severity, end := Warning, "the last to start fails: \"could not find a free device\""
	if count == 1 {
		end, params["variant"] = "only one of them can run at a time", "single"
	}
	if d.starting > count {
		params["variant"], params["starting"] = "starting", strconv.Itoa(d.starting)
		severity, end = Error, fmt.Sprintf("those that start by themselves want %d, so one of them does not start", d.starting)
	}
	f := Finding{
		Code: MappingOversubscribed, Severity: severity, Subject: p.subject(),
		Sentence: fmt.Sprintf("Resource mapping %s has %s on node %s, but VMs want %d (%s); %s.",
			p.mapping.ID, mappingDevices(count), p.node.Name, d.wanted, strings.Join(few(d.texts), ", "), end),
		Params:   params,
		Evidence: d.evidence,
		Remedy:   []string{"Add a device to the mapping, move a VM to another node, or see that they do not run at the same time."},
		vms:      vmsOf(d.vms...),
	}
	for _, entry := range d.choices {
		f.devices = append(f.devices, devicesOf(p.node, p.functions(entry)...)...)
	}
	if alone := d.alone(); len(alone) > 0 {
		f.sayAlone(d, alone)
	}
	return f
}

// alone gives the VMs that ask for more devices than there are, whoever else runs.
func (d *mappingDemand) alone() []*vm {
	return slices.DeleteFunc(slices.Clone(d.vms), func(v *vm) bool { return d.own[v] <= len(d.choices) })
}

// sayAlone says that some VMs can never start, which nobody else has a part in.
func (f *Finding) sayAlone(d *mappingDemand, alone []*vm) {
	count := len(d.choices)
	texts, remedy := make([]string, len(alone)), make([]string, 0, len(alone)+1)
	f.Params = map[string]string{
		"variant": "alone", "mapping": d.place.mapping.ID, "node": d.place.node.Name, "devices": strconv.Itoa(count),
	}
	plain := make([]string, len(alone))
	for i, v := range alone {
		texts[i] = fmt.Sprintf("VM %d alone asks for %d of %s of resource mapping %s on node %s",
			v.VMID, d.own[v], mappingDevices(count), d.place.mapping.ID, d.place.node.Name)
		plain[i] = with(v.number(), strconv.Itoa(d.own[v]))
		if keys := v.mappingKeys(d.place.mapping.ID); len(keys) > 0 {
			remedy = append(remedy, fmt.Sprintf("Take lines of VM %d away, for example: qm set %d --delete %s", v.VMID, v.VMID, keys[len(keys)-1]))
		}
	}
	f.Sentence = strings.Join(few(texts), "; ") + ", and never starts: \"could not find a free device\"."
	f.Params["alone"] = joined(plain)
	if len(d.vms) > len(alone) {
		f.also("together", map[string]string{"wanted": strconv.Itoa(d.wanted), "vms": joined(d.plain)})
		f.Sentence += fmt.Sprintf(" All VMs together want %d (%s).", d.wanted, strings.Join(few(d.texts), ", "))
	}
	remedy = append(remedy, fmt.Sprintf("Or add devices to the mapping, if node %s has more of them.", d.place.node.Name))
	f.Remedy = remedy
}

// mappingKeys gives the slots of the VM's next start that name a mapping.
func (v *vm) mappingKeys(id string) []string {
	var keys []string
	for _, l := range v.lines {
		if l.Mapping == id && l.next() && l.exclusive() {
			keys = append(keys, l.key())
		}
	}
	return keys
}

func mappingDevices(count int) string {
	return fmt.Sprint(count) + devicePlural(count, " device", " devices")
}
