package findings

import (
	"fmt"
	"strings"

	"pciatlas/internal/pve"
)

// lineROMRemark finds file names of a ROM that hold a remark: text after white
// space and a number sign. Proxmox VE knows no remarks behind a value.
func lineROMRemark(w *world) []Finding {
	var found []Finding
	for _, v := range w.vms {
		for _, s := range lineSlots(v) {
			name, remark := pve.CutRemark(s.value.RomFile)
			if !remark {
				continue
			}
			value := *s.value
			value.RomFile = name
			params := s.params()
			params["file"] = name
			found = append(found, Finding{
				Code: ROMFileRemark, Severity: Warning, Subject: s.subject(), Params: params,
				Sentence: fmt.Sprintf("The romfile of %s of VM %d on %s holds a remark: Proxmox VE takes everything up to the "+
					"next comma for the file's name below /usr/share/kvm.", s.key(), v.VMID, v.Node),
				Evidence: []string{s.evidence()},
				Remedy:   []string{s.set(value)},
			})
		}
	}
	return found
}

// lineDriverKeep finds lines that leave the binding to others, and functions of
// them that no vfio driver holds.
func lineDriverKeep(w *world) []Finding {
	var found []Finding
	for _, v := range w.vms {
		for _, s := range lineSlots(v) {
			if s.value.Driver != "keep" || s.value.Mdev != "" {
				continue
			}
			found = append(found, Finding{
				Code: DriverKeep, Severity: Info, Subject: s.subject(), Params: s.params(),
				Sentence: fmt.Sprintf("With driver=keep Proxmox VE neither binds nor resets the device of %s of VM %d on %s: "+
					"something else must have bound it to a vfio driver before the start.", s.key(), v.VMID, v.Node),
				Evidence: []string{s.evidence()},
			})
			if f, ok := lineUnbound(s); ok {
				found = append(found, f)
			}
		}
	}
	return found
}

// lineUnbound finds the functions without a vfio driver. A hook script may bind
// them, and which entry of several a VM gets is not known: nothing is said then.
func lineUnbound(s *lineSlot) (Finding, bool) {
	if len(s.choices) != 1 || s.vm.Config.Hook.Any() {
		return Finding{}, false
	}
	var names, evidence []string
	subject := s.subject()
	for _, function := range s.choices[0].functions {
		if function.Host == nil || strings.Contains(function.Host.Driver, "vfio") {
			continue
		}
		driver := function.Host.Driver
		if driver == "" {
			driver = "none"
		}
		if subject.Device == nil {
			subject.Device = &function.Address
		}
		names = append(names, function.Address.String())
		evidence = append(evidence, function.Address.String()+": driver "+driver)
	}
	if len(names) == 0 {
		return Finding{}, false
	}
	params := s.params()
	params["devices"] = joined(names)
	value := *s.value
	value.Driver = ""
	remedy := []string{"Let Proxmox VE bind it: " + s.set(value), "or bind it on the node before the start:"}
	for _, name := range names {
		path := "/sys/bus/pci/devices/" + name
		remedy = append(remedy, fmt.Sprintf("echo vfio-pci > %s/driver_override; [ ! -e %s/driver ] || echo %s > %s/driver/unbind; "+
			"echo %s > /sys/bus/pci/drivers_probe", path, path, name, path, name))
	}
	f := Finding{
		Code: DriverKeepUnbound, Severity: Error, Subject: subject, Params: params,
		Sentence: fmt.Sprintf("%s: %s keeps the driver of %s, and no vfio driver holds it.",
			lineCannot(s.vm), s.key(), lineList(names)),
		Evidence: append([]string{s.evidence()}, evidence...),
		Remedy:   remedy,
		devices:  devicesOf(s.vm.node, s.functions()...),
	}
	f.sayRunning(s.vm)
	return f, true
}

// lineNoDisplay tells whether a vga value leaves out the virtual display: its type
// is none or a serial port.
func lineNoDisplay(vga string) bool {
	for part := range strings.SplitSeq(vga, ",") {
		kind := strings.TrimPrefix(part, "type=")
		if kind == "none" || strings.HasPrefix(kind, "serial") {
			return true
		}
	}
	return false
}

// lineXVGA finds lines whose x-vga does not reach QEMU because of OVMF.
func lineXVGA(w *world) []Finding {
	var found []Finding
	for _, v := range w.vms {
		for _, s := range lineSlots(v) {
			if s.value.XVGA != "1" || v.future("bios") != "ovmf" {
				continue
			}
			f := Finding{
				Code: XVGANoEffect, Severity: Info, Subject: s.subject(), Params: s.params(),
				Evidence: []string{s.evidence(), lineKey(v, "bios"), lineKey(v, "vga")},
			}
			sentence := fmt.Sprintf("Proxmox VE does not pass x-vga of %s of VM %d on %s to QEMU, because its firmware is OVMF", s.key(), v.VMID, v.Node)
			vga := v.future("vga")
			switch {
			case vga == "":
				f.Params["variant"] = "default_display"
				sentence += "; what is left of it is that the VM gets no virtual display and that the guest does not see KVM."
			case lineNoDisplay(vga):
				f.Params["variant"], f.Params["vga"] = "no_display", vga
				sentence += "; vga leaves out the virtual display, and what is left of it is that the guest does not see KVM."
			default:
				f.Params["variant"], f.Params["vga"] = "display", vga
				sentence += ", and vga still adds a virtual display."
				f.Remedy = []string{fmt.Sprintf("qm set %d --vga none", v.VMID)}
			}
			f.Sentence = sentence
			found = append(found, f)
		}
	}
	return found
}
