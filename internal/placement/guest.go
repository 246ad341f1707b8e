package placement

import (
	"strconv"
	"strings"

	"pciatlas/internal/atlas"
	"pciatlas/internal/pve"
)

// guest is the VM that is to be placed, with its configuration after everything
// pending.
type guest struct {
	*atlas.VM
	report *atlas.Report
	// next are the values of the slots at the next start, "" for none; now those that
	// are in force, which a move looks at.
	next, now [pve.MaxHostPCI]string
	// nextRead and nowRead are what they say, nil for none and for what Proxmox VE
	// cannot read.
	nextRead, nowRead [pve.MaxHostPCI]*pve.HostPCI
	q35               bool
}

func newGuest(report *atlas.Report, vm *atlas.VM) *guest {
	g := &guest{VM: vm, report: report}
	if vm.Config == nil {
		return g
	}
	for i := range vm.Config.Items {
		item := &vm.Config.Items[i]
		slot, ok := pve.ParseSlotKey(item.Key)
		if !ok {
			continue
		}
		if value, set := item.Future(); set {
			g.next[slot], g.nextRead[slot] = value, readValue(value)
		}
		if item.Current != nil {
			g.now[slot], g.nowRead[slot] = *item.Current, readValue(*item.Current)
		}
	}
	g.q35 = pve.IsQ35(g.future("machine"))
	return g
}

func readValue(value string) *pve.HostPCI {
	parsed, err := pve.ParseHostPCI(value)
	if err != nil {
		return nil
	}
	return &parsed
}

// future gives the value that a key has at the next start, "" for none.
func (g *guest) future(key string) string {
	if slot, ok := pve.ParseSlotKey(key); ok {
		return g.next[slot]
	}
	if g.Config == nil {
		return ""
	}
	item, ok := g.Config.Get(key)
	if !ok {
		return ""
	}
	value, _ := item.Future()
	return value
}

func (g *guest) slots() []int {
	slots := []int{}
	for slot, value := range g.next {
		if value != "" && value != "0" {
			slots = append(slots, slot)
		}
	}
	return slots
}

// memory gives the memory of the VM in MiB, 0 if its value cannot be read.
func (g *guest) memory() int64 {
	text := g.future("memory")
	if text == "" {
		return 512 // what Proxmox VE gives a VM without the option
	}
	memory, err := strconv.ParseInt(strings.TrimPrefix(text, "current="), 10, 64)
	if err != nil {
		return 0
	}
	return memory
}

// pins tells whether a line passes a whole function, so that all memory is pinned.
func (g *guest) pins() bool {
	for _, value := range g.nextRead {
		if value != nil && value.Mdev == "" && value.Source() != pve.SourceNone {
			return true
		}
	}
	return false
}

func (g *guest) number() string { return strconv.Itoa(g.VMID) }
