package findings

import (
	"fmt"
	"slices"

	"pciatlas/internal/atlas"
)

// findHostDevicePassed finds lines that name what the host uses, and lines by
// address that name what it is likely to need: a storage controller, the only
// network controller, the boot display, the display of the management controller. A
// device that a running VM has or that
// waits for VMs is the host's no more.
func findHostDevicePassed(w *world) []Finding {
	var found []Finding
	for _, n := range w.nodes {
		var held map[*atlas.Device]bool
		for _, v := range n.vms {
			for _, l := range v.lines {
				if !deviceTakes(l) {
					continue
				}
				for _, device := range l.exact {
					if !deviceMayBeHosts(n, l, device) {
						continue
					}
					if held == nil {
						held = deviceHeld(n)
					}
					if !held[device] {
						found = append(found, deviceHostPassed(n, l, device))
					}
				}
			}
		}
	}
	return found
}

// deviceMayBeHosts tells whether the host loses something with a function, as far
// as that shows. A mapping names a device for VMs on purpose, so only a use that is
// known counts there.
func deviceMayBeHosts(n *node, l *line, device *atlas.Device) bool {
	switch {
	case device.ForVMs():
		return false
	case len(device.HostUses()) > 0:
		return true
	default:
		_, loses := deviceLoss(n, device)
		return l.Via == atlas.ViaAddress && !device.IsVirtual() && loses
	}
}

// deviceHeld gives the functions that running VMs have.
func deviceHeld(n *node) map[*atlas.Device]bool {
	held := map[*atlas.Device]bool{}
	for device, claims := range deviceClaims(n) {
		held[device] = slices.ContainsFunc(claims, (*deviceClaim).deviceHolds)
	}
	return held
}

// deviceLosses say what the host loses with a function, by the variant of the
// finding.
var deviceLosses = map[string]string{
	"storage":      "disks of the host on it vanish",
	"network_only": "the host loses its only network controller",
	"network_last": "the host loses the last of its network controllers, because VMs take all of them",
	"boot_display": "the host loses its console",
	"management":   "the remote console of the server's management controller goes dark",
}

// deviceLoss gives what the host loses with a function by its looks, see
// deviceLosses; loses is false for nothing that shows.
func deviceLoss(n *node, device *atlas.Device) (loss string, loses bool) {
	switch {
	case device.Class.Base() == 0x01:
		return "storage", true
	case device.Class.Base() == 0x02:
		return deviceNetworkLoss(n)
	case device.Host != nil && device.Host.BootDisplay.Told && device.Host.BootDisplay.Value:
		return "boot_display", true
	case device.IsBMC():
		return "management", true
	default:
		return "", false
	}
}

// deviceNetworkLoss gives what the host loses with one of its network controllers
// when all VMs of the node have what they name, nothing if another controller stays
// or may be there. Virtual functions aside.
func deviceNetworkLoss(n *node) (loss string, loses bool) {
	if !deviceListWhole(n) {
		return "", false
	}
	count := 0
	for i := range n.Devices {
		device := &n.Devices[i]
		if device.Class.Base() != 0x02 || device.IsVirtual() {
			continue
		}
		if !device.ForVMs() && !slices.ContainsFunc(n.linesOf(device), deviceTakes) {
			return "", false
		}
		count++
	}
	if count == 1 {
		return "network_only", true
	}
	return "network_last", true
}

// deviceTakes tells whether the next start of a VM takes what the line names.
func deviceTakes(l *line) bool { return !l.vm.Template && l.next() && l.exclusive() }

func deviceHostPassed(n *node, l *line, device *atlas.Device) Finding {
	subject := l.subject()
	subject.Device = &device.Address
	f := Finding{
		Code: HostDevicePassed, Severity: Warning, Subject: subject,
		Params: map[string]string{
			"node": l.vm.Node, "vmid": l.vm.number(), "slot": l.key(), "device": device.Address.String(), "class": deviceClass(device),
		},
		Evidence: []string{deviceLineEvidence(l), deviceEvidence(device)},
		Remedy: []string{
			"Look on the node for what uses it: lspci -nnk -s " + device.Address.String() + "; lsblk -o NAME,TYPE,MOUNTPOINTS; ip -br link",
			fmt.Sprintf("If the host needs it: qm set %d --delete %s", l.vm.VMID, l.key()),
		},
		devices: devicesOf(n, l.all()...),
	}
	if uses := device.HostUses(); len(uses) > 0 {
		f.Severity, f.Params["variant"] = Error, "in_use"
		f.sayLoss(uses)
		f.Evidence = append(f.Evidence, deviceUseEvidence(device)...)
		f.Sentence = fmt.Sprintf("%s of VM %d passes %s, which the host uses: when the VM starts, the host loses %s.",
			l.key(), l.vm.VMID, deviceLabel(device), deviceUseWords(uses))
		return f
	}
	loss, _ := deviceLoss(n, device)
	f.Params["variant"] = loss
	f.Sentence = fmt.Sprintf("%s of VM %d passes %s: when the VM starts, %s. Whether the host uses it cannot be seen from here.",
		l.key(), l.vm.VMID, deviceLabel(device), deviceLosses[loss])
	return f
}

// findFunctionLeftBehind finds graphics cards whose sound, USB or serial functions
// stay behind.
func findFunctionLeftBehind(w *world) []Finding {
	var found []Finding
	for _, n := range w.nodes {
		if !deviceLinesKnown(n) {
			continue // an unread line may pass the other functions
		}
		for _, v := range n.vms {
			for _, l := range v.lines {
				if !deviceTakes(l) {
					continue
				}
				for _, device := range l.exact {
					left := slices.DeleteFunc(n.Companions(device), (*atlas.Device).Claimed)
					if len(left) > 0 {
						found = append(found, deviceLeftBehind(l, device, left))
					}
				}
			}
		}
	}
	return found
}

// deviceLinesKnown tells whether it is known what each line of the node names.
func deviceLinesKnown(n *node) bool {
	return n.CheckedVMs == n.VisibleVMs &&
		!slices.ContainsFunc(n.Unplaced, func(u atlas.Unplaced) bool {
			return u.Reason == atlas.MappingInvisible || u.Reason == atlas.DevicesNotRead
		})
}

func deviceLeftBehind(l *line, device *atlas.Device, left []*atlas.Device) Finding {
	subject := l.subject()
	subject.Device = &device.Address
	f := Finding{
		Code: FunctionLeftBehind, Severity: Info, Subject: subject,
		Sentence: fmt.Sprintf("%s of VM %d passes %s; %s of the same card %s not passed.",
			l.key(), l.vm.VMID, device.Address, deviceWords(deviceLabels(left)), devicePlural(len(left), "is", "are")),
		Params: map[string]string{
			"node": l.vm.Node, "vmid": l.vm.number(), "slot": l.key(),
			"device": device.Address.String(), "left": devicePlain(left),
		},
		Evidence: append([]string{deviceLineEvidence(l), deviceEvidence(device)}, deviceEvidenceOf(left)...),
		Remedy:   []string{"To pass the whole card, name the slot without a function, or give the VM another hostpci line for each part on another bus. Leaving it out is allowed."},
		devices:  devicesOf(l.vm.node, slices.Concat(l.all(), left)...),
	}
	return f
}

// findPFTakenWithVFs finds physical functions that a VM takes while their virtual
// functions are named, too: they vanish with it.
func findPFTakenWithVFs(w *world) []Finding {
	var found []Finding
	for _, n := range w.nodes {
		for i := range n.Devices {
			device := &n.Devices[i]
			found = append(found, deviceWholeWithSlice(n, device)...)
			users := deviceLines(n, deviceVFs(n, device), func(l *line) []*atlas.Device { return l.all() })
			if len(users) == 0 {
				continue
			}
			for _, l := range n.linesOf(device) {
				if l.counts() && l.exclusive() && l.next() {
					found = append(found, devicePFTaken(n, l, device, users))
				}
			}
		}
	}
	return found
}

// deviceWholeWithSlice finds VMs whose next start takes a function whole and makes
// mediated devices of it. The vGPUs of NVIDIA's driver for kernel 6.8 and later take
// their function, which is assigned twice then.
func deviceWholeWithSlice(n *node, device *atlas.Device) []Finding {
	var found []Finding
	lines := n.linesOf(device)
	if !slices.ContainsFunc(lines, func(l *line) bool { return !l.exclusive() }) {
		return nil
	}
	for _, whole := range lines {
		if !deviceTakes(whole) {
			continue
		}
		parts := slices.DeleteFunc(slices.Clone(lines), func(l *line) bool {
			return l.vm != whole.vm || l.exclusive() || !l.next() || device.NvidiaVGPU && deviceIsNvidiaType(l.Mdev)
		})
		if len(parts) > 0 {
			found = append(found, deviceWholeAndSlice(whole, parts, device))
		}
	}
	return found
}

func deviceWholeAndSlice(whole *line, parts []*line, device *atlas.Device) Finding {
	subject := whole.subject()
	subject.Device = &device.Address
	keys := moveKeys(parts)
	evidence := []string{deviceLineEvidence(whole)}
	remedy := []string{fmt.Sprintf("For mediated devices: qm set %d --delete %s", whole.vm.VMID, whole.key())}
	for i, l := range parts {
		evidence = append(evidence, deviceLineEvidence(l))
		remedy = append(remedy, fmt.Sprintf("for the whole function: qm set %d --delete %s", whole.vm.VMID, keys[i]))
	}
	return Finding{
		Code: PFTakenWithVFs, Severity: Error, Subject: subject,
		Sentence: fmt.Sprintf("%s of VM %d passes the whole of %s, and %s %s a mediated device of it: "+
			"the function offers none once it is bound to vfio-pci, and the VM does not start.",
			whole.key(), whole.vm.VMID, device.Address, deviceWords(keys), devicePlural(len(keys), "wants", "want")),
		Params: map[string]string{
			"variant": "mdev", "node": whole.vm.Node, "vmid": whole.vm.number(), "slot": whole.key(),
			"device": device.Address.String(), "slices": joined(keys),
		},
		Evidence: append(evidence, deviceEvidence(device)), Remedy: remedy,
		devices: devicesOf(whole.vm.node, whole.all()...),
	}
}

// deviceVFs gives the virtual functions of a function that are there.
func deviceVFs(n *node, device *atlas.Device) []*atlas.Device {
	var vfs []*atlas.Device
	for i := range n.Devices {
		vf := &n.Devices[i]
		if vf.IsVirtual() && *vf.Parent.Value == device.Address || slices.Contains(device.VFs.Value, vf.Address) {
			vfs = append(vfs, vf)
		}
	}
	return vfs
}

// deviceLines gives the lines that count and name one of some functions.
func deviceLines(n *node, devices []*atlas.Device, names func(*line) []*atlas.Device) []*line {
	if len(devices) == 0 {
		return nil
	}
	var lines []*line
	for _, v := range n.vms {
		for _, l := range v.lines {
			if l.counts() && slices.ContainsFunc(names(l), func(d *atlas.Device) bool { return slices.Contains(devices, d) }) {
				lines = append(lines, l)
			}
		}
	}
	return lines
}

func devicePFTaken(n *node, l *line, device *atlas.Device, users []*line) Finding {
	subject := l.subject()
	subject.Device = &device.Address
	var vms []*vm
	var vfs []*atlas.Device
	evidence := []string{deviceLineEvidence(l), deviceEvidence(device)}
	all := deviceVFs(n, device)
	for _, user := range users {
		vms = deviceAppendVM(vms, user.vm)
		if user != l {
			evidence = append(evidence, deviceLineEvidence(user))
		}
		for _, vf := range user.all() {
			if slices.Contains(all, vf) && !slices.Contains(vfs, vf) {
				vfs = append(vfs, vf)
			}
		}
	}
	slices.SortFunc(vfs, func(a, b *atlas.Device) int { return a.Address.Compare(b.Address) })
	for _, vf := range vfs {
		evidence = append(evidence, fmt.Sprintf("%s: virtual function of %s", vf.Address, device.Address))
	}
	return Finding{
		Code: PFTakenWithVFs, Severity: Error, Subject: subject,
		Sentence: fmt.Sprintf("%s of VM %d passes the physical function %s, whose virtual %s %s %s named by %s: "+
			"%s as soon as the physical function leaves its driver.",
			l.key(), l.vm.VMID, device.Address, devicePlural(len(vfs), "function", "functions"), deviceWords(deviceNames(vfs)),
			devicePlural(len(vfs), "is", "are"), deviceVMWords(vms), devicePlural(len(vfs), "it vanishes", "they vanish")),
		Params: map[string]string{
			"variant": "vfs", "node": n.Name, "vmid": l.vm.number(), "slot": l.key(), "device": device.Address.String(),
			"vfs": joined(deviceNames(vfs)), "vms": joined(deviceNumbers(vms)),
		},
		Evidence: evidence,
		Remedy:   []string{fmt.Sprintf("Leave %s to the host and give VM %d a virtual function that no other VM names.", device.Address, l.vm.VMID)},
		vms:      vmsOf(vms...), devices: devicesOf(n, slices.Concat(l.all(), vfs)...),
	}
}
