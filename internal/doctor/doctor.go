// Package doctor makes the checks that a good colleague would make when a VM does not
// start with its PCI devices, in that order: what can be seen is judged, and for what
// cannot it gives the command to run and what good output looks like. It changes
// nothing and asks nobody: it may import atlas, rights, facts, pve and pci, and what
// presents it imports it.
package doctor

import (
	"slices"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/pve"
)

// State of a check.
type State string

// The states.
const (
	Passed State = "passed"
	Failed State = "failed"
	Unseen State = "unseen" // it cannot be seen from here
)

// CheckCode is the stable name of a check.
type CheckCode string

// The checks, in their order.
const (
	CheckIOMMU   CheckCode = "iommu"   // the node has an IOMMU that is on
	CheckDevices CheckCode = "devices" // what the lines name is there
	CheckGroups  CheckCode = "groups"  // what else goes with it
	CheckDriver  CheckCode = "driver"  // what holds it on the host
	CheckMapping CheckCode = "mapping" // the entries of its mappings fit
	CheckConfig  CheckCode = "config"  // the VM's options can be combined
	CheckHeld    CheckCode = "held"    // nobody else has it
	CheckReset   CheckCode = "reset"   // it can be reset between two starts
	CheckBIOS    CheckCode = "bios"    // the firmware's settings
)

// Check is one check with what came of it.
type Check struct {
	Code  CheckCode
	State State
	// Stops: Proxmox VE or QEMU does not start the VM because of it. Only a failed check
	// can.
	Stops bool
	// Readings are what was seen, each a sentence. There is at least one.
	Readings []Reading
	// Commands are to be run on the node, and show what was not seen or more of it. Good
	// is what their output should look like, GoodCode says the same for translation; ""
	// without commands.
	Commands []string
	Good     string
	GoodCode GoodCode
	Fixes    []Fix
}

// Reading is a sentence in English; Code and Params say the same for translation.
type Reading struct {
	Code     ReadingCode
	Sentence string
	Params   map[string]string
}

// Fix is text to copy: a command, or lines for a file.
type Fix struct {
	// Code says what it is for.
	Code FixCode
	// File is what the lines belong into, "" for commands.
	File string
	Text string
}

// Diagnosis is what the checks of a VM or of a function come to.
type Diagnosis struct {
	Node string
	// VM is nil for a function without a VM.
	VM     *atlas.VM
	Device *atlas.Device // nil for a VM
	Checks []Check
}

// First gives the failed check to begin with, nil if none failed: the first that
// stops the start, or else the first.
func (d *Diagnosis) First() *Check {
	stops := func(c Check) bool { return c.State == Failed && c.Stops }
	i := slices.IndexFunc(d.Checks, stops)
	if i < 0 {
		i = slices.IndexFunc(d.Checks, func(c Check) bool { return c.State == Failed })
	}
	if i < 0 {
		return nil
	}
	return &d.Checks[i]
}

// Count gives the number of checks in a state.
func (d *Diagnosis) Count(state State) int {
	count := 0
	for i := range d.Checks {
		if d.Checks[i].State == state {
			count++
		}
	}
	return count
}

// patient is what is looked at: functions of a node, and the VM that is to get them.
type patient struct {
	report   *atlas.Report
	node     *atlas.Node
	read     *facts.Node
	hardware *atlas.Hardware
	vm       *atlas.VM // nil without
	// slots are the values of the VM at its next start, by slot.
	slots [pve.MaxHostPCI]string
	// named are the functions that these name, or the one function, by address.
	named []*atlas.Device
}

// VM makes the checks of a VM on its node.
func VM(report *atlas.Report, vm *atlas.VM) Diagnosis {
	p := newPatient(report, vm.Node)
	p.vm = vm
	if vm.Config != nil {
		for i := range vm.Config.Items {
			item := &vm.Config.Items[i]
			if slot, ok := pve.ParseSlotKey(item.Key); ok {
				p.slots[slot], _ = item.Future()
			}
		}
	}
	p.nameDevices()
	return Diagnosis{Node: p.node.Name, VM: vm, Checks: p.checks()}
}

// Device makes the checks of a function of a node, whoever names it.
func Device(report *atlas.Report, node *atlas.Node, device *atlas.Device) Diagnosis {
	p := newPatient(report, node.Name)
	p.named = []*atlas.Device{device}
	return Diagnosis{Node: node.Name, Device: device, Checks: p.checks()}
}

func newPatient(report *atlas.Report, name string) *patient {
	p := &patient{report: report, node: report.Node(name), read: report.Facts.Nodes[name]}
	if p.node == nil {
		p.node = &atlas.Node{Name: name}
	}
	if p.read == nil {
		p.read = &facts.Node{}
	}
	p.hardware = report.Hardware(p.node)
	return p
}

// nameDevices collects the functions that the lines of the next start name.
func (p *patient) nameDevices() {
	for i := range p.node.Devices {
		device := &p.node.Devices[i]
		mine := func(r atlas.Reference) bool { return r.VM == p.vm && r.Next }
		if slices.ContainsFunc(device.References, mine) {
			p.named = append(p.named, device)
		}
	}
}

func (p *patient) checks() []Check {
	checks := []Check{p.iommu(), p.devices(), p.groups(), p.driver()}
	if p.vm == nil || p.mapped() {
		checks = append(checks, p.mapping())
	}
	if p.vm != nil {
		checks = append(checks, p.config())
	}
	checks = append(checks, p.held(), p.reset(), p.bios())
	for i := range checks {
		if c := &checks[i]; len(c.Commands) == 0 {
			c.GoodCode = ""
		} else {
			c.Good = goodSentences[c.GoodCode]
		}
	}
	return checks
}

// mapped tells whether a line names a mapping.
func (p *patient) mapped() bool {
	return slices.ContainsFunc(p.slots[:], func(value string) bool {
		parsed, err := pve.ParseHostPCI(value)
		return err == nil && parsed.Mapping != ""
	})
}
