package pveapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"pciatlas/internal/facts"
	"pciatlas/internal/pve"
)

// readDetails asks for what only findings need: the hostpci lines of snapshots, the
// types of mediated device of capable functions, what Proxmox VE says of the mappings
// and the containers.
func (r *reader) readDetails(ctx context.Context, b *budget, name string, node *facts.Node) {
	var group errgroup.Group
	group.SetLimit(r.client.options.Limits.PerNode)
	for _, vmid := range slices.Sorted(maps.Keys(node.VMs)) {
		r.mu.Lock()
		read := node.VMs[vmid]
		r.mu.Unlock()
		if !read.State.Answered() {
			continue
		}
		group.Go(func() error {
			snapshots := r.readSnapshots(ctx, b, name, vmid)
			r.mu.Lock()
			defer r.mu.Unlock()
			read.Value.Snapshots = snapshots
			node.VMs[vmid] = read
			return nil
		})
	}
	node.MdevTypes = map[string]facts.Read[[]facts.MdevType]{}
	for i := range node.Devices.Value {
		device := &node.Devices.Value[i]
		if !device.Mdev.Value {
			continue
		}
		group.Go(func() error {
			types := r.readMdevTypes(ctx, b, name, device)
			r.mu.Lock()
			defer r.mu.Unlock()
			node.MdevTypes[device.Address.String()] = types
			return nil
		})
	}
	group.Go(func() error {
		checks := r.readMappingChecks(ctx, b, name)
		r.mu.Lock()
		defer r.mu.Unlock()
		node.MappingChecks = checks
		return nil
	})
	r.readContainers(ctx, &group, b, name, node)
	_ = group.Wait() // no read fails the others
}

// readSnapshots asks for the names of a VM's snapshots and for the configuration
// in each. The list names what is not a snapshot, too: current.
func (r *reader) readSnapshots(ctx context.Context, b *budget, node string, vmid int) facts.Read[[]facts.VMSnapshot] {
	path := fmt.Sprintf("/qemu/%d/snapshot", vmid)
	request := "GET /nodes/" + node + path
	from := r.client.options.Now()
	data, err := r.node(ctx, b, node, path, nil)
	var names []string
	var problems []facts.Problem
	if err == nil {
		names, problems, err = decodeRows(request, data, snapshotRow)
	}
	if err != nil {
		return failedRead[[]facts.VMSnapshot](r, from, request, err)
	}
	list := []facts.VMSnapshot{}
	for _, name := range names {
		if name == "current" {
			continue
		}
		lines, err := r.readSnapshot(ctx, b, node, vmid, name)
		if err != nil {
			problems = append(problems, problemOf("GET /nodes/"+node+fmt.Sprintf("/qemu/%d/config?snapshot=", vmid), err))
			continue
		}
		list = append(list, facts.VMSnapshot{Name: name, HostPCI: lines})
	}
	slices.SortFunc(list, func(a, b facts.VMSnapshot) int { return strings.Compare(a.Name, b.Name) })
	return facts.Read[[]facts.VMSnapshot]{State: rowState(problems), Value: list, Problems: problems, Stamp: r.stamp(from)}
}

func snapshotRow(row json.RawMessage) (string, error) {
	var wire struct{ Name scalar }
	if err := json.Unmarshal(row, &wire); err != nil {
		return "", err
	}
	if wire.Name.text == "" {
		return "", errors.New("it has no name")
	}
	return wire.Name.text, nil
}

// readSnapshot gives the hostpci lines that a snapshot holds, by slot.
func (r *reader) readSnapshot(ctx context.Context, b *budget, node string, vmid int, name string) ([]pve.KeyValue, error) {
	data, err := r.node(ctx, b, node, fmt.Sprintf("/qemu/%d/config", vmid), url.Values{"snapshot": {name}})
	if err != nil {
		return nil, err
	}
	var config map[string]json.RawMessage
	if err := json.Unmarshal(data, &config); err != nil || config == nil {
		return nil, errors.New("the answer is not a configuration")
	}
	var lines []pve.KeyValue
	for slot := range pve.MaxHostPCI {
		raw, ok := config[pve.SlotKey(slot)]
		if !ok {
			continue
		}
		var value scalar
		if err := json.Unmarshal(raw, &value); err != nil {
			return nil, errors.New("a hostpci line is not text")
		}
		lines = append(lines, pve.KeyValue{Key: pve.SlotKey(slot), Value: value.text})
	}
	return lines, nil
}

// readMdevTypes asks for the types of mediated device of a function. Proxmox VE
// refuses addresses whose domain has more than four digits.
func (r *reader) readMdevTypes(ctx context.Context, b *budget, node string, device *facts.Device) facts.Read[[]facts.MdevType] {
	path := "/hardware/pci/" + device.Address.String() + "/mdev"
	request := "GET /nodes/" + node + path
	from := r.client.options.Now()
	if device.Address.Domain > 0xffff {
		return facts.Read[[]facts.MdevType]{State: facts.Failed, Stamp: r.stamp(from), Problems: []facts.Problem{{
			Code: facts.ProblemUnsupported, Subject: request, Message: "Proxmox VE does not answer this for domains of more than four digits",
		}}}
	}
	data, err := r.node(ctx, b, node, path, nil)
	var types []facts.MdevType
	var problems []facts.Problem
	if err == nil {
		types, problems, err = decodeRows(request, data, mdevRow)
	}
	if err != nil {
		return failedRead[[]facts.MdevType](r, from, request, err)
	}
	slices.SortFunc(types, func(a, b facts.MdevType) int { return strings.Compare(a.Type, b.Type) })
	return facts.Read[[]facts.MdevType]{State: rowState(problems), Value: types, Problems: problems, Stamp: r.stamp(from)}
}

func mdevRow(row json.RawMessage) (facts.MdevType, error) {
	var wire struct{ Type, Name, Available scalar }
	if err := json.Unmarshal(row, &wire); err != nil {
		return facts.MdevType{}, err
	}
	if wire.Type.text == "" {
		return facts.MdevType{}, errors.New("it has no type")
	}
	available, err := wire.Available.number()
	return facts.MdevType{Type: wire.Type.text, Name: wire.Name.text, Available: available}, err
}
