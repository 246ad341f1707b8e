package findings

import (
	"fmt"
	"slices"

	"pciatlas/internal/atlas"
)

// deviceClaim is one VM's use of a function that leaves no room for another VM.
type deviceClaim struct {
	vm    *vm
	lines []*line
	// now: the running VM may hold the function; next: its next start takes it.
	now, next bool
}

// deviceHolds tells whether a VM runs and has the function.
func (c *deviceClaim) deviceHolds() bool { return c.now && c.vm.running() }

// deviceTakesItself tells whether Proxmox VE is known to start the VM by itself
// with the function.
func (c *deviceClaim) deviceTakesItself() bool {
	yes, ok := c.vm.startsByItself()
	return c.next && yes && ok
}

// deviceCollide tells whether two claims meet without anybody doing anything.
func deviceCollide(a, b *deviceClaim) bool {
	return a.deviceTakesItself() && b.deviceTakesItself() ||
		a.deviceHolds() && b.deviceTakesItself() || b.deviceHolds() && a.deviceTakesItself()
}

// deviceClaims gives who claims each function of a node for itself, by VM.
// Functions with the same claims share them.
func deviceClaims(n *node) map[*atlas.Device][]*deviceClaim {
	if n.claims != nil {
		return n.claims
	}
	n.claims = make(map[*atlas.Device][]*deviceClaim, len(n.Devices))
	var before *atlas.Device
	for i := range n.Devices {
		device := &n.Devices[i]
		lines := n.linesOf(device)
		switch {
		case len(lines) == 0:
			continue
		case before != nil && before.NvidiaVGPU == device.NvidiaVGPU && slices.Equal(n.linesOf(before), lines):
			n.claims[device] = n.claims[before]
		default:
			n.claims[device] = deviceClaimsOf(device, lines)
		}
		before = device
	}
	return n.claims
}

// deviceClaimsOf gives the claims that follow from the lines of a function, which
// come by VM.
func deviceClaimsOf(device *atlas.Device, lines []*line) []*deviceClaim {
	claiming := make([]*line, 0, len(lines))
	vms := 0
	for _, l := range lines {
		if l.counts() && (l.exclusive() || device.NvidiaVGPU && deviceIsNvidiaType(l.Mdev)) {
			if len(claiming) == 0 || claiming[len(claiming)-1].vm != l.vm {
				vms++
			}
			claiming = append(claiming, l)
		}
	}
	room, claims := make([]deviceClaim, vms), make([]*deviceClaim, 0, vms)
	for from := 0; from < len(claiming); {
		claim := &room[len(claims)]
		claim.vm = claiming[from].vm
		to := from
		for ; to < len(claiming) && claiming[to].vm == claim.vm; to++ {
			claim.now = claim.now || claiming[to].now()
			claim.next = claim.next || claiming[to].next()
		}
		claim.lines = claiming[from:to:to]
		claims, from = append(claims, claim), to
	}
	return claims
}

// deviceSharing is one set of VMs with the functions that all of them claim.
type deviceSharing struct {
	claims  []*deviceClaim // of the first function
	devices []*atlas.Device
	lines   []*line
	error   bool
}

// findDeviceShared finds functions that several VMs claim: one finding for each
// set of VMs on a node.
func findDeviceShared(w *world) []Finding {
	var found []Finding
	for _, n := range w.nodes {
		for _, s := range deviceSharings(n) {
			found = append(found, s.finding(n))
		}
	}
	return found
}

func deviceSharings(n *node) []*deviceSharing {
	all := deviceClaims(n)
	var sharings []*deviceSharing
	for i := range n.Devices {
		device := &n.Devices[i]
		claims := all[device]
		if len(claims) < 2 {
			continue
		}
		at := slices.IndexFunc(sharings, func(s *deviceSharing) bool { return s.sameVMs(claims) })
		if at < 0 {
			at = len(sharings)
			sharings = append(sharings, &deviceSharing{claims: claims})
		}
		sharings[at].add(device, claims)
	}
	return sharings
}

// sameVMs tells whether the VMs of the claims are those of the sharing.
func (s *deviceSharing) sameVMs(claims []*deviceClaim) bool {
	return slices.EqualFunc(s.claims, claims, func(a, b *deviceClaim) bool { return a.vm == b.vm })
}

// add adds a function with its claims. lines lists each line once, in the order
// of the functions.
func (s *deviceSharing) add(device *atlas.Device, claims []*deviceClaim) {
	known := len(s.devices) > 0 && s.claims[0] == claims[0]
	s.devices = append(s.devices, device)
	if known {
		return // the same lines, which collide as before
	}
	if s.lines == nil {
		s.lines = make([]*line, 0, len(claims))
	}
	for _, claim := range claims {
		for _, l := range claim.lines {
			if !slices.Contains(s.lines, l) {
				s.lines = append(s.lines, l)
			}
		}
	}
	s.error = s.error || deviceCollideAny(claims)
}

// deviceCollideAny tells whether two of the claims meet without anybody doing
// anything.
func deviceCollideAny(claims []*deviceClaim) bool {
	var taker, holder *deviceClaim
	for _, claim := range claims {
		if claim.deviceTakesItself() {
			if taker != nil {
				return true
			}
			taker = claim
		}
	}
	if taker == nil {
		return false
	}
	for _, claim := range claims {
		if claim != taker && claim.deviceHolds() {
			holder = claim
		}
	}
	return holder != nil
}

func (s *deviceSharing) finding(n *node) Finding {
	var holders []*vm
	all, waiting := make([]*vm, 0, len(s.claims)), make([]*vm, 0, len(s.claims))
	for _, claim := range s.claims {
		all = append(all, claim.vm)
		if claim.deviceHolds() {
			holders = append(holders, claim.vm)
		} else {
			waiting = append(waiting, claim.vm)
		}
	}
	first, names := s.devices[0].Address, deviceNames(s.devices)
	f := Finding{
		Code: DeviceShared, Severity: Warning, Subject: n.about(first),
		Sentence: deviceVMWords(all) + " on node " + n.Name + " name " + deviceWords(names) + ", which only one VM can have at a time.",
		Params: map[string]string{
			"variant": "named", "node": n.Name, "vms": joined(deviceNumbers(all)), "devices": joined(names),
		},
		Remedy: []string{"Run only one of these VMs at a time, or give each its own device."},
		vms:    vmsOf(all...), devices: devicesOf(n, s.devices...),
	}
	f.Evidence = s.evidence()
	if len(holders) == 1 {
		s.sayHeld(&f, holders[0], waiting)
	}
	if s.error {
		f.sayByItself(s.claims)
	}
	return f
}

// sayHeld says what the VM that runs with the functions means for the others.
func (s *deviceSharing) sayHeld(f *Finding, holder *vm, waiting []*vm) {
	them := devicePlural(len(s.devices), "it", "them")
	message := fmt.Sprintf("PCI device '%s' already in use by VMID '%d'", s.devices[0].Address, holder.VMID)
	f.Sentence += fmt.Sprintf(" VM %d is running with %s; %s cannot start meanwhile: %s.", holder.VMID, them, deviceVMWords(waiting), message)
	f.also("held", map[string]string{"holder": holder.number(), "waiting": joined(deviceNumbers(waiting)), "message": message})
	if s.releases() != nil {
		f.Sentence += fmt.Sprintf(" VM %d gives %s back when it stops and does not take %s again.", holder.VMID, them, them)
		f.also("released", nil)
	}
}

// sayByItself says that claims meet without anybody doing anything.
func (f *Finding) sayByItself(claims []*deviceClaim) {
	f.Severity = Error
	f.Sentence += " Proxmox VE starts such a VM by itself, so this happens without anybody asking."
	f.Remedy = append(f.Remedy, deviceOnbootRemedies(claims)...)
	f.also("by_itself", nil)
}

// evidence gives what the lines and the VMs say. What a finding has no room for is
// counted and not written.
func (s *deviceSharing) evidence() []string {
	evidence := make([]string, len(s.lines)+len(s.claims))
	for i := range evidence[:min(len(evidence), mostEvidence)] {
		if i < len(s.lines) {
			evidence[i] = deviceLineEvidence(s.lines[i])
		} else {
			evidence[i] = deviceStatusEvidence(s.claims[i-len(s.lines)].vm)
		}
	}
	return evidence
}

// releases gives the VM that holds the functions now and does not want them at
// its next start, nil if there is none.
func (s *deviceSharing) releases() *vm {
	for _, claim := range s.claims {
		if claim.deviceHolds() && !claim.next {
			return claim.vm
		}
	}
	return nil
}

func deviceNumbers(vms []*vm) []string {
	numbers := make([]string, len(vms))
	for i, v := range vms {
		numbers[i] = v.number()
	}
	return numbers
}

// deviceOnbootRemedies says how each VM is kept from starting by itself.
func deviceOnbootRemedies(claims []*deviceClaim) []string {
	var remedies []string
	for _, claim := range claims {
		if !claim.deviceTakesItself() {
			continue
		}
		if deviceUnderHA(claim.vm) {
			remedies = append(remedies, fmt.Sprintf("ha-manager set vm:%d --state stopped", claim.vm.VMID))
		} else {
			remedies = append(remedies, fmt.Sprintf("qm set %d --onboot 0", claim.vm.VMID))
		}
	}
	return remedies
}

// deviceUnderHA tells whether HA is known to look after the VM.
func deviceUnderHA(v *vm) bool {
	for _, resource := range v.node.world.facts.HA.Value.Resources {
		if resource.VMID == v.VMID {
			return true
		}
	}
	return false
}
