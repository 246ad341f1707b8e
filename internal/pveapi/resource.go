package pveapi

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"pciatlas/internal/facts"
	"pciatlas/internal/pve"
)

// readGuests asks for the VMs and containers. The list is filtered silently;
// what that means is decided from the rights.
func (r *reader) readGuests(ctx context.Context) {
	from := r.client.options.Now()
	guests, problems, err := r.askGuests(ctx)
	read := facts.Read[[]facts.Guest]{State: rowState(problems), Value: guests, Problems: problems, Got: len(guests), Total: len(guests) + len(problems)}
	if err != nil {
		read = failedRead[[]facts.Guest](r, from, "GET /cluster/resources", err)
	}
	read.Stamp = r.stamp(from)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.snapshot.Guests = read
}

func (r *reader) askGuests(ctx context.Context) ([]facts.Guest, []facts.Problem, error) {
	data, err := r.cluster(ctx, "/cluster/resources", url.Values{"type": {"vm"}})
	if err != nil {
		return nil, nil, err
	}
	guests, problems, err := decodeRows("GET /cluster/resources", data, guestRow)
	slices.SortStableFunc(guests, func(a, b facts.Guest) int { return cmp.Compare(a.VMID, b.VMID) })
	guests, twice := withoutTwice("GET /cluster/resources", guests, func(g facts.Guest) string { return "guest " + number(g.VMID) })
	return guests, append(problems, twice...), err
}

func guestRow(row json.RawMessage) (facts.Guest, error) {
	var wire struct {
		Type, VMID, Node, Name, Status, Template, Tags scalar
	}
	if err := json.Unmarshal(row, &wire); err != nil {
		return facts.Guest{}, err
	}
	vmid, err := wire.VMID.number()
	kind := facts.GuestKind(wire.Type.text)
	switch {
	case err != nil:
		return facts.Guest{}, err
	case kind != facts.QEMU && kind != facts.LXC:
		return facts.Guest{}, errors.New("it is neither a VM nor a container")
	case vmid < facts.MinVMID || vmid > facts.MaxVMID:
		return facts.Guest{}, errors.New("its number is none that a guest can have")
	case !pve.ValidNodeName(wire.Node.text):
		return facts.Guest{}, errors.New("it names no node")
	}
	guest := facts.Guest{
		VMID: vmid, Kind: kind, Node: wire.Node.text, Name: wire.Name.text,
		Status: guestStatus(wire.Status.text), Tags: pve.SplitList(wire.Tags.text),
	}
	if wire.Template.set {
		guest.Template = facts.Told(wire.Template.flag())
	}
	return guest, nil
}

// guestStatus reads a state; paused and the like are run states of a process
// that is there.
func guestStatus(word string) facts.Status {
	switch word {
	case "running", "paused", "suspended", "prelaunch":
		return facts.Running
	case "stopped":
		return facts.Stopped
	default:
		return facts.UnknownStatus
	}
}

// readMembers asks for the nodes. They are never filtered; their memory is told to
// who may audit the node.
func (r *reader) readMembers(ctx context.Context) {
	const request = "GET /nodes"
	from := r.client.options.Now()
	read := facts.Read[[]facts.Member]{}
	data, err := r.cluster(ctx, "/nodes", nil)
	if err == nil {
		var members []facts.Member
		var problems []facts.Problem
		memory := map[string]int64{}
		members, problems, err = decodeRows(request, data, func(row json.RawMessage) (facts.Member, error) { return memberRow(row, memory) })
		r.memory = r.memoryReads(from, memory)
		slices.SortFunc(members, func(a, b facts.Member) int { return strings.Compare(a.Name, b.Name) })
		if err == nil && len(members)+len(problems) == 0 {
			err = malformed(request, errNoRows)
		}
		read = facts.Read[[]facts.Member]{State: rowState(problems), Value: members, Problems: problems}
	}
	if err != nil {
		read = failedRead[[]facts.Member](r, from, request, err)
	}
	read.Stamp = r.stamp(from)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.snapshot.Members = read
}

// memoryReads makes a read of the memory of each node.
func (r *reader) memoryReads(from time.Time, memory map[string]int64) map[string]facts.Read[int64] {
	reads := make(map[string]facts.Read[int64], len(memory))
	for name, bytes := range memory {
		reads[name] = facts.Read[int64]{State: facts.OK, Value: bytes, Stamp: r.stamp(from)}
	}
	return reads
}

// memberRow reads a node, and adds its memory in bytes where it is told.
func memberRow(row json.RawMessage, memory map[string]int64) (facts.Member, error) {
	var wire struct {
		Node, Status scalar
		Memory       scalar `json:"maxmem"`
	}
	if err := json.Unmarshal(row, &wire); err != nil {
		return facts.Member{}, err
	}
	if !pve.ValidNodeName(wire.Node.text) {
		return facts.Member{}, errors.New("it names no node")
	}
	if bytes, err := wire.Memory.number(); err == nil && bytes > 0 {
		memory[wire.Node.text] = int64(bytes)
	}
	member := facts.Member{Name: wire.Node.text}
	switch wire.Status.text {
	case "online":
		member.Online = facts.Told(true)
	case "offline":
		member.Online = facts.Told(false)
	}
	return member, nil
}
