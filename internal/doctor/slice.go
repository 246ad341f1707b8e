package doctor

import (
	"fmt"
	"slices"
	"strings"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/pve"
)

// sliceLeft says what is known of a type of mediated device on one function.
type sliceLeft int

const (
	sliceUnread sliceLeft = iota
	sliceThere
	sliceGone
	sliceUnknown // there is no such type
)

// slices looks whether the mediated devices that the VM wants can be made now: of each slot
// on the first function that can.
func (p *patient) slices(c *Check) {
	taken := map[string]int{}
	for slot, value := range p.slots {
		resolved, err := p.hardware.ResolveSlot(value)
		if err != nil || resolved == nil || resolved.Value.Mdev == "" {
			continue
		}
		p.slice(c, slot, resolved, taken)
	}
}

func (p *patient) slice(c *Check, slot int, resolved *atlas.StartSlot, taken map[string]int) {
	name := resolved.Value.Mdev
	var states []sliceLeft
	var on []*atlas.Device
	for _, alternative := range resolved.Alternatives {
		device := p.node.Device(alternative[0])
		on = append(on, device)
		key := device.Address.String() + " " + name
		state := p.sliceOn(device, name, taken[key])
		if states = append(states, state); state == sliceThere {
			taken[key]++
			return
		}
	}
	params := []string{"slot", pve.SlotKey(slot), "devices", list(on), "type", name}
	switch {
	case slices.Contains(states, sliceUnread) || p.vm.Status != facts.Stopped:
		c.unseen(reading("mdev_unread", fmt.Sprintf("Whether a mediated device of type %s can be made on %s for %s is not told here.", name, list(on), slotKey(slot)), params...))
	case slices.Contains(states, sliceGone):
		c.State, c.Stops = Failed, true
		c.Readings = append(c.Readings, reading("mdev_exhausted", fmt.Sprintf("No mediated device of type %s is left on %s for %s.", name, list(on), slotKey(slot)), params...))
	default:
		c.State, c.Stops = Failed, true
		c.Readings = append(c.Readings, reading("mdev_type_unknown", fmt.Sprintf("%s %s no mediated device of type %s, which %s wants.",
			list(on), verb(len(on), "offers", "offer"), name, slotKey(slot)), params...))
	}
	for _, device := range on {
		c.Commands = append(c.Commands, "pvesh get /nodes/"+p.node.Name+"/hardware/pci/"+device.Address.String()+"/mdev")
	}
	c.GoodCode = GoodSlices
}

// sliceOn tells what is known of a type on a function, of which the VM takes some already.
func (p *patient) sliceOn(device *atlas.Device, name string, taken int) sliceLeft {
	i := slices.IndexFunc(device.Types.Value, func(t facts.MdevType) bool { return t.Type == name })
	nvidia := device.NvidiaVGPU && strings.HasPrefix(name, "nvidia-")
	switch {
	case device.Mdev.Told && !device.Mdev.Value:
		return sliceUnknown
	case i >= 0 && device.Types.Value[i].Available > taken:
		return sliceThere
	case device.Types.State != facts.OK, device.Host == nil && len(device.Types.Value) == 0:
		return sliceUnread // over the API an empty list also means that it cannot be told
	case i >= 0 || nvidia:
		return sliceGone
	default:
		return sliceUnknown
	}
}
