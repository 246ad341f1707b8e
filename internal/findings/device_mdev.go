package findings

import (
	"fmt"
	"slices"
	"strconv"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
)

// deviceSlices gives the lines whose next start makes a mediated device of one
// certain function. A running VM has made its own already.
func deviceSlices(w *world) []*line {
	var lines []*line
	for _, v := range w.vms {
		for _, l := range v.lines {
			if v.Template || l.Mdev == "" || len(l.exact) != 1 || len(l.unplaced) > 0 || !l.next() || l.now() && v.running() {
				continue
			}
			lines = append(lines, l)
		}
	}
	return lines
}

// deviceType looks up a type of mediated device.
func deviceType(device *atlas.Device, name string) (facts.MdevType, bool) {
	i := slices.IndexFunc(device.Types.Value, func(t facts.MdevType) bool { return t.Type == name })
	if i < 0 {
		return facts.MdevType{}, false
	}
	return device.Types.Value[i], true
}

// deviceTypesEvidence is what was read of the types of a function.
func deviceTypesEvidence(device *atlas.Device) string {
	var types []string
	for _, t := range device.Types.Value {
		types = append(types, fmt.Sprintf("%s (%d available)", t.Type, t.Available))
	}
	slices.Sort(types)
	if len(types) == 0 {
		return device.Address.String() + ": no types of mediated device"
	}
	return device.Address.String() + ": types of mediated device: " + deviceWords(types)
}

// findMdevTypeUnknown finds lines with a type that the function does not offer.
func findMdevTypeUnknown(w *world) []Finding {
	var found []Finding
	for _, l := range deviceSlices(w) {
		device := l.exact[0]
		var why, variant, evidence string
		switch {
		case device.Mdev.Told && !device.Mdev.Value:
			why, variant = "the function offers no mediated devices at all", "no_mdev"
			evidence = device.Address.String() + ": no mediated devices"
		case device.NvidiaVGPU && deviceIsNvidiaType(l.Mdev):
			continue // the list of NVIDIA's driver has only what can be made now
		case device.NvidiaVGPU:
			why, variant = "with NVIDIA's vGPU driver for kernel 6.8 and later types are written nvidia- and a number", "not_nvidia"
			evidence = device.Address.String() + ": vGPUs of NVIDIA's driver for kernel 6.8 and later"
		case deviceLacksType(device, l.Mdev):
			why, variant = "the function has no such type", "no_type"
			evidence = deviceTypesEvidence(device)
		default:
			continue
		}
		subject := l.subject()
		subject.Device = &device.Address
		found = append(found, Finding{
			Code: MdevTypeUnknown, Severity: Error, Subject: subject,
			Sentence: fmt.Sprintf("%s of VM %d asks %s for a mediated device of type %s: %s. The VM does not start.",
				l.key(), l.vm.VMID, device.Address, l.Mdev, why),
			Params: map[string]string{
				"variant": variant, "node": l.vm.Node, "vmid": l.vm.number(), "slot": l.key(),
				"device": device.Address.String(), "type": l.Mdev,
			},
			Evidence: []string{deviceLineEvidence(l), evidence},
			Remedy: []string{
				fmt.Sprintf("See what is offered: pvesh get /nodes/%s/hardware/pci/%s/mdev", l.vm.Node, device.Address),
				"Then set the line with such a type: " + lineWithType(l),
			},
		})
	}
	return found
}

// deviceLacksType tells whether the types of a function were read and the one
// asked for is not among them. Over the API an empty list also means that the
// question was not understood.
func deviceLacksType(device *atlas.Device, name string) bool {
	if device.Types.State != facts.OK || len(device.Types.Value) == 0 && device.Host == nil {
		return false
	}
	_, ok := deviceType(device, name)
	return !ok
}

// findMdevExhausted finds VMs that want more instances of a type than can be made
// now: one finding for each VM, function and type. A function that the VM takes
// twice is an error of its own.
func findMdevExhausted(w *world) []Finding {
	type want struct {
		vm     *vm
		device *atlas.Device
		name   string
	}
	var order []want
	lines := map[want][]*line{}
	for _, l := range deviceSlices(w) {
		key := want{l.vm, l.exact[0], l.Mdev}
		if lines[key] == nil {
			order = append(order, key)
		}
		lines[key] = append(lines[key], l)
	}
	var found []Finding
	for _, key := range order {
		available, ok := deviceAvailable(key.device, key.name)
		if ok && available < len(lines[key]) && !deviceTakenTwice(key.vm, key.device) {
			found = append(found, deviceExhausted(lines[key], available))
		}
	}
	return found
}

// deviceTakenTwice tells whether the next start of a VM takes a function of NVIDIA's
// driver for kernel 6.8 and later in two slots, by vGPUs or whole.
func deviceTakenTwice(v *vm, device *atlas.Device) bool {
	slots := 0
	for _, l := range v.node.linesOf(device) {
		if l.vm == v && l.next() && (l.exclusive() || deviceIsNvidiaType(l.Mdev)) {
			slots++
		}
	}
	return device.NvidiaVGPU && slots > 1
}

// deviceAvailable gives how many instances of a type can be made now. The list of
// NVIDIA's driver for kernel 6.8 and later leaves out what cannot be made.
func deviceAvailable(device *atlas.Device, name string) (int, bool) {
	if device.Types.State != facts.OK {
		return 0, false
	}
	if device.NvidiaVGPU {
		_, ok := deviceType(device, name)
		return number(ok), deviceIsNvidiaType(name) && (device.Host != nil || len(device.Types.Value) > 0)
	}
	t, ok := deviceType(device, name)
	return t.Available, ok
}

func deviceExhausted(lines []*line, available int) Finding {
	l := lines[0]
	device := l.exact[0]
	subject := l.subject()
	subject.Device = &device.Address
	evidence := make([]string, 0, len(lines)+1)
	for _, each := range lines {
		evidence = append(evidence, deviceLineEvidence(each))
	}
	return Finding{
		Code: MdevExhausted, Severity: Warning, Subject: subject,
		Sentence: fmt.Sprintf("VM %d wants %d %s of type %s from %s, and %d can be made now; the VM does not start until more are free.",
			l.vm.VMID, len(lines), devicePlural(len(lines), "mediated device", "mediated devices"), l.Mdev, device.Address, available),
		Params: map[string]string{
			"node": l.vm.Node, "vmid": l.vm.number(), "slot": l.key(), "device": device.Address.String(),
			"type": l.Mdev, "wanted": strconv.Itoa(len(lines)), "available": strconv.Itoa(available),
		},
		Evidence: append(evidence, deviceTypesEvidence(device)),
		Remedy:   []string{"Stop a VM that has a mediated device of the same function, or choose another function or a smaller type."},
	}
}

// findMdevAndWhole finds functions that one VM wants as a whole and another VM in
// slices: one finding for each function.
func findMdevAndWhole(w *world) []Finding {
	var found []Finding
	for _, n := range w.nodes {
		for i := range n.Devices {
			device := &n.Devices[i]
			var wholes, parts []*vm
			var evidence []string
			lines := n.linesOf(device)
			if !slices.ContainsFunc(lines, func(l *line) bool { return !l.exclusive() }) {
				continue
			}
			for _, l := range lines {
				if !l.counts() {
					continue
				}
				if l.exclusive() {
					wholes = deviceAppendVM(wholes, l.vm)
				} else {
					parts = deviceAppendVM(parts, l.vm)
				}
				evidence = append(evidence, deviceLineEvidence(l))
			}
			if len(wholes) == 0 || len(parts) == 0 || len(wholes) == 1 && len(parts) == 1 && wholes[0] == parts[0] {
				continue
			}
			found = append(found, Finding{
				Code: MdevAndWhole, Severity: Warning, Subject: n.about(device.Address),
				Sentence: fmt.Sprintf("%s %s the whole of %s, %s a mediated device of it; both at a time cannot be: "+
					"the function has no mediated devices once it is bound to vfio-pci.",
					deviceVMWords(wholes), devicePlural(len(wholes), "wants", "want"), device.Address, deviceVMWords(parts)),
				Params: map[string]string{
					"node": n.Name, "device": device.Address.String(),
					"wholes": joined(deviceNumbers(wholes)), "parts": joined(deviceNumbers(parts)),
				},
				Evidence: append(evidence, deviceEvidence(device)),
				Remedy:   []string{"Decide on one use of the function: either every VM gets a mediated device of it, or one VM gets it whole."},
				vms:      vmsOf(slices.Concat(wholes, parts)...),
			})
		}
	}
	return found
}
