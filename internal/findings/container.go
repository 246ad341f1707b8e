package findings

import (
	"fmt"
	"slices"
	"strconv"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
)

// containerRules find what containers and VMs want of the same GPU.
var containerRules = []rule{findContainers}

// containerLook is one container with what its lines say of the functions of its node.
type containerLook struct {
	node *node
	*atlas.Container
	// uses are those that work now or at the next start, each with the functions
	// that no running VM holds.
	uses []containerPart
	// held are uses none of whose functions is with the host, shared those with
	// functions that a VM names.
	held, shared []containerPart
}

// containerPart is one line of a container with some of its functions.
type containerPart struct {
	*atlas.ContainerUse
	devices []*atlas.Device
}

// findContainers finds at most one thing of each code for each container. Templates
// use nothing.
func findContainers(w *world) []Finding {
	var found []Finding
	for _, n := range w.nodes {
		for i := range n.Containers {
			if n.Containers[i].Template {
				continue
			}
			look := containerLook{node: n, Container: &n.Containers[i]}
			look.sort()
			for _, find := range []func() (Finding, bool){look.usesDevice, look.sharesDevice, look.heldByVM} {
				if f, ok := find(); ok {
					found = append(found, f)
				}
			}
		}
	}
	return found
}

// sort puts each use where it belongs.
func (c *containerLook) sort() {
	for i := range c.Uses {
		use := &c.Uses[i]
		part := containerPart{use, use.Devices}
		if len(use.Devices) == 0 {
			continue
		}
		left := slices.DeleteFunc(slices.Clone(use.Devices), func(d *atlas.Device) bool { return len(c.node.containerHolders(d)) > 0 })
		if len(left) == 0 {
			c.held = append(c.held, part)
			continue
		}
		if use.Reach == atlas.ReachEvery {
			part.devices = left
		}
		c.uses = append(c.uses, part)
		named := slices.DeleteFunc(slices.Clone(part.devices), func(d *atlas.Device) bool { return len(c.node.containerRivals(d)) == 0 })
		if len(named) > 0 {
			c.shared = append(c.shared, containerPart{use, named})
		}
	}
}

// containerRivals gives the VMs that name a function for certain and whole: their
// start takes it from the driver of the host. Mediated devices leave it there.
func (n *node) containerRivals(device *atlas.Device) []*vm {
	var vms []*vm
	for _, claim := range deviceClaims(n)[device] {
		if slices.ContainsFunc(claim.lines, func(l *line) bool { return l.exclusive() }) {
			vms = append(vms, claim.vm)
		}
	}
	return vms
}

// containerHolders gives the running VMs among them that have the function now.
func (n *node) containerHolders(device *atlas.Device) []*vm {
	var vms []*vm
	for _, claim := range deviceClaims(n)[device] {
		if claim.deviceHolds() && slices.ContainsFunc(claim.lines, func(l *line) bool { return l.exclusive() && l.now() }) {
			vms = append(vms, claim.vm)
		}
	}
	return vms
}

// hidesHolder tells whether a VM of the node may be running with a function that
// was not found out: its configuration or its mapping was not read.
func (n *node) hidesHolder() bool {
	return slices.ContainsFunc(n.vms, func(v *vm) bool {
		return v.Status != facts.Stopped && !v.Template && (v.Config == nil || slices.ContainsFunc(v.lines, func(l *line) bool {
			return slices.ContainsFunc(l.unplaced, func(u *atlas.Unplaced) bool { return u.Reason == atlas.MappingInvisible })
		}))
	})
}

func (c *containerLook) usesDevice() (Finding, bool) {
	if len(c.uses) == 0 || c.node.hidesHolder() {
		return Finding{}, false
	}
	f := c.finding(ContainerUsesDevice, Info, c.uses)
	f.Sentence = fmt.Sprintf("%s on node %s %s.", c.words(), c.Node, containerUsesWords(c.uses))
	f.sayContainerUses(c.uses)
	f.Remedy = []string{"None is needed as long as the device stays with the host; pass it to no VM that runs at the same time."}
	return f, true
}

func (c *containerLook) sharesDevice() (Finding, bool) {
	if len(c.shared) == 0 {
		return Finding{}, false
	}
	f := c.finding(ContainerSharesDevice, Warning, c.shared)
	vms := c.vms(c.shared, c.node.containerRivals)
	f.vms, f.Params["vms"] = vmsOf(vms...), joined(deviceNumbers(vms))
	f.sayContainerUses(c.shared)
	its := containerDevicesOf(c.shared)
	f.Sentence = fmt.Sprintf("%s on node %s %s, and %s %s %s. A VM that runs with a function has taken it "+
		"from the host's driver and from the container; Proxmox VE does not ask.",
		c.words(), c.Node, containerUsesWords(c.shared), deviceVMWords(vms), devicePlural(len(vms), "names", "name"),
		devicePlural(len(its), "it", "them"))
	f.Evidence = append(f.Evidence, c.rivalEvidence(vms, its)...)
	f.Remedy = []string{
		"Decide whether the host's driver or the VM has the device: give the VM another one, or the container.",
		fmt.Sprintf("pct config %d --current", c.VMID),
	}
	return f, true
}

func (c *containerLook) heldByVM() (Finding, bool) {
	if len(c.held) == 0 {
		return Finding{}, false
	}
	f := c.finding(ContainerDeviceHeldByVM, Warning, c.held)
	vms := c.vms(c.held, c.node.containerHolders)
	f.vms, f.Params["vms"] = vmsOf(vms...), joined(deviceNumbers(vms))
	f.Params["paths"] = joined(containerPathsOf(c.held))
	its := containerDevicesOf(c.held)
	f.Sentence = fmt.Sprintf("%s on node %s is to use %s through the driver of the host, but %s %s with %s. "+
		"The device files do not exist meanwhile, so the container does not find the GPU; a mount that is optional lets it start without.",
		c.words(), c.Node, containerPaths(c.held), deviceVMWords(vms), devicePlural(len(vms), "runs", "run"), deviceWords(few(deviceNames(its))))
	f.Evidence = append(f.Evidence, c.rivalEvidence(vms, its)...)
	f.Remedy = []string{fmt.Sprintf("Give the container another GPU, or stop %s while the container needs this one.", deviceVMWords(vms))}
	return f, true
}

// finding begins a finding about a container. Its subject is the function if it is
// about one only: numbers of containers are no numbers of VMs.
func (c *containerLook) finding(code Code, severity Severity, parts []containerPart) Finding {
	devices := containerDevicesOf(parts)
	f := Finding{
		Code: code, Severity: severity, Subject: Subject{Node: c.Node, Slot: atlas.NoSlot},
		Params:  map[string]string{"node": c.Node, "container": strconv.Itoa(c.VMID), "devices": joined(deviceNames(devices))},
		devices: devicesOf(c.node, devices...),
	}
	if len(devices) == 1 {
		f.Subject = c.node.about(devices[0].Address)
	}
	if c.Status == facts.Stopped {
		f.also("stopped", nil)
	}
	for i := range parts {
		f.Evidence = append(f.Evidence, fmt.Sprintf("container %d %s", c.VMID, parts[i].Text()))
	}
	return f
}

// words names the container, and its state where it is known not to run.
func (c *containerLook) words() string {
	if c.Status == facts.Stopped {
		return fmt.Sprintf("Container %d (stopped)", c.VMID)
	}
	return fmt.Sprintf("Container %d", c.VMID)
}

// vms gives the VMs of the functions of some uses, by number.
func (c *containerLook) vms(parts []containerPart, of func(*atlas.Device) []*vm) []*vm {
	var vms []*vm
	for _, device := range containerDevicesOf(parts) {
		for _, v := range of(device) {
			vms = deviceAppendVM(vms, v)
		}
	}
	slices.SortFunc(vms, func(a, b *vm) int { return a.VMID - b.VMID })
	return vms
}

func (c *containerLook) rivalEvidence(vms []*vm, devices []*atlas.Device) []string {
	var evidence []string
	for _, v := range vms {
		for _, l := range v.lines {
			if slices.ContainsFunc(devices, func(d *atlas.Device) bool { return slices.Contains(l.exact, d) }) {
				evidence = append(evidence, deviceLineEvidence(l))
			}
		}
		evidence = append(evidence, deviceStatusEvidence(v))
	}
	return evidence
}

// containerDevicesOf gives the functions of some uses, by address.
func containerDevicesOf(parts []containerPart) []*atlas.Device {
	var devices []*atlas.Device
	for i := range parts {
		for _, device := range parts[i].devices {
			devices = deviceAppend(devices, device)
		}
	}
	slices.SortFunc(devices, func(a, b *atlas.Device) int { return a.Address.Compare(b.Address) })
	return devices
}
