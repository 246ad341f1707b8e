package placement

import (
	"cmp"
	"slices"
	"strings"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/pve"
)

// MoveVerdict says whether Proxmox VE lets a VM move to a node.
type MoveVerdict string

// The verdicts about moves.
const (
	MoveAllowed MoveVerdict = "allowed"
	// MoveRootOnly: only the user root@pam can force it. HA forces it, too.
	MoveRootOnly MoveVerdict = "root_only"
	MoveBlocked  MoveVerdict = "blocked"
	// MoveUnverified: nothing of Proxmox VE stands against it, but whether device and
	// driver can do it cannot be verified from here.
	MoveUnverified MoveVerdict = "unverified"
	MoveUnknown    MoveVerdict = "unknown"
	// MoveNone: the question does not arise, because the VM is off or is not.
	MoveNone MoveVerdict = "not_running"
)

// Move is the answer about a move to one node.
type Move struct {
	Verdict MoveVerdict
	// Code says why, "" if there is nothing to say; Slots are those that it is about,
	// Mapping the first mapping that it is about.
	Code    MoveCode
	Slots   []int
	Mapping string
	// HA: HA looks after the VM, and moves it whatever the verdict is. nil: not told.
	HA *bool
}

// MoveCode is the stable name of a reason for the verdict about a move.
type MoveCode string

// The reasons.
const (
	MoveRaw        MoveCode = "raw_address"               // "can't migrate VM which uses local devices"
	MoveNoEntry    MoveCode = "mapping_no_entry_for_node" // "mapped resources … not available"
	MoveNoMapping  MoveCode = "mapping_not_found"
	MoveInvisible  MoveCode = "mapping_invisible"
	MoveNoLiveFlag MoveCode = "not_live_migration_capable"
	MoveNodeOff    MoveCode = "node_off"
	MoveNodeUnread MoveCode = "config_unread"
)

// moveOff tells of a move while the VM is powered off.
func (g *guest) moveOff(n *node) Move {
	if m, done := g.moveBasics(n); done {
		return m
	}
	m := Move{Verdict: MoveAllowed, HA: g.ha()}
	if raw := g.rawSlots(); len(raw) > 0 {
		m.Verdict, m.Code, m.Slots = MoveRootOnly, MoveRaw, raw
	}
	if missing := g.mappedMove(n); missing.Verdict != "" {
		missing.HA = m.HA
		if m.Verdict == MoveAllowed || missing.Verdict == MoveBlocked {
			return missing
		}
	}
	return m
}

// moveLive tells of a move while the VM runs.
func (g *guest) moveLive(n *node) Move {
	if g.Status == facts.Stopped {
		return Move{Verdict: MoveNone}
	}
	if m, done := g.moveBasics(n); done {
		return m
	}
	if raw := g.rawSlots(); len(raw) > 0 {
		return Move{Verdict: MoveBlocked, Code: MoveRaw, Slots: raw}
	}
	if missing := g.mappedMove(n); missing.Verdict != "" {
		return missing
	}
	m := Move{Verdict: MoveAllowed}
	if args := g.Config.Args; args.MentionsVFIO && args.Current {
		m.Verdict = MoveUnverified // what custom arguments pass Proxmox VE does not see
	}
	for slot, value := range g.nowRead {
		mapping := mappingOf(n, value)
		switch {
		case mapping == nil:
		case mapping.LiveMigration == nil || !*mapping.LiveMigration:
			if m.Code != MoveNoLiveFlag {
				m = Move{Verdict: MoveBlocked, Code: MoveNoLiveFlag, Mapping: mapping.ID}
			}
			m.Slots = append(m.Slots, slot)
		case m.Verdict == MoveAllowed:
			m.Verdict = MoveUnverified
		}
	}
	return m
}

// moveBasics answers where nothing else counts.
func (g *guest) moveBasics(n *node) (Move, bool) {
	switch {
	case g.Config == nil:
		return Move{Verdict: MoveUnknown, Code: MoveNodeUnread}, true
	case n.off():
		return Move{Verdict: MoveBlocked, Code: MoveNodeOff}, true
	default:
		return Move{}, false
	}
}

// rawSlots gives the slots in force that name addresses, or nothing at all: Proxmox VE
// takes each line without a mapping for a local device.
func (g *guest) rawSlots() []int {
	var raw []int
	for slot, value := range g.nowRead {
		if value != nil && value.Mapping == "" {
			raw = append(raw, slot)
		}
	}
	return raw
}

func mappingOf(n *node, value *pve.HostPCI) *pve.Mapping {
	if value == nil || value.Mapping == "" {
		return nil
	}
	return n.hardware.Mappings[value.Mapping]
}

// mappedMove tells what of the mappings keeps the VM from moving to a node. Its
// verdict is "" if nothing does.
func (g *guest) mappedMove(n *node) Move {
	var m Move
	add := func(verdict MoveVerdict, code MoveCode, mapping string, slot int) {
		if m.Verdict == "" || m.Verdict == MoveUnknown && verdict == MoveBlocked {
			m = Move{Verdict: verdict, Code: code, Mapping: mapping}
		}
		if m.Code == code {
			m.Slots = append(m.Slots, slot)
		}
	}
	for slot, parsed := range g.nowRead {
		if parsed == nil || parsed.Mapping == "" {
			continue
		}
		switch mapping := n.hardware.Mappings[parsed.Mapping]; {
		case mapping != nil && len(mapping.On(n.Name)) > 0:
		case mapping != nil:
			add(MoveBlocked, MoveNoEntry, parsed.Mapping, slot)
		case g.report.MappingsShown():
			add(MoveBlocked, MoveNoMapping, parsed.Mapping, slot)
		default:
			add(MoveUnknown, MoveInvisible, parsed.Mapping, slot)
		}
	}
	return m
}

// ha tells whether HA looks after the VM; nil if that was not read.
func (g *guest) ha() *bool {
	read := g.report.Facts.HA
	if !read.State.Answered() {
		return nil
	}
	for _, resource := range read.Value.Resources {
		if resource.VMID == g.VMID && resource.Kind == facts.QEMU {
			managed := resource.State != "ignored"
			return &managed
		}
	}
	if read.State != facts.OK {
		return nil
	}
	no := false
	return &no
}

func sortVMs(vms []*atlas.VM) {
	slices.SortFunc(vms, func(a, b *atlas.VM) int { return cmp.Or(cmp.Compare(a.VMID, b.VMID), strings.Compare(a.Node, b.Node)) })
}
