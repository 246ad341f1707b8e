package pveapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"

	"golang.org/x/sync/errgroup"

	"pciatlas/internal/facts"
	"pciatlas/internal/pve"
)

// containersOn gives the numbers of a node's containers, ascending.
func (r *reader) containersOn(name string) []int {
	var vmids []int
	for _, guest := range r.snapshot.Guests.Value {
		if guest.Node == name && guest.Kind == facts.LXC {
			vmids = append(vmids, guest.VMID)
		}
	}
	slices.Sort(vmids)
	return vmids
}

// readContainers starts the reads of a node's containers in a group. As many are
// read as VMs; the rest are failed reads that say so.
func (r *reader) readContainers(ctx context.Context, group *errgroup.Group, b *budget, name string, node *facts.Node) {
	vmids := r.containersOn(name)
	if len(vmids) == 0 {
		return
	}
	limit := min(len(vmids), r.client.options.Limits.VMsPerNode)
	r.mu.Lock()
	node.Containers = make(map[int]facts.Read[facts.Container], len(vmids))
	for _, vmid := range vmids[limit:] {
		node.Containers[vmid] = facts.Read[facts.Container]{State: facts.Failed, Problems: []facts.Problem{{
			Code: facts.ProblemLimit, Message: fmt.Sprintf("only the first %d containers of a node are read", limit),
		}}}
	}
	r.mu.Unlock()
	for _, vmid := range vmids[:limit] {
		group.Go(func() error {
			container := r.readContainer(ctx, b, name, vmid)
			r.mu.Lock()
			defer r.mu.Unlock()
			node.Containers[vmid] = container
			return nil
		})
	}
}

// readContainer asks for a container's configuration as it is now; without current
// the answer would be what it is from the next start on.
func (r *reader) readContainer(ctx context.Context, b *budget, node string, vmid int) facts.Read[facts.Container] {
	path := fmt.Sprintf("/lxc/%d/config", vmid)
	request := "GET /nodes/" + node + path + "?current=1"
	from := r.client.options.Now()
	data, err := r.node(ctx, b, node, path, url.Values{"current": {"1"}})
	var lines []pve.ContainerLine
	if err == nil {
		if lines, err = containerLines(data); err != nil {
			err = malformed(request, err)
		}
	}
	if err != nil {
		read := failedRead[facts.Container](r, from, request, err)
		if isGone(err) {
			read.Problems[0].Code = facts.ProblemVanished
		}
		return read
	}
	return facts.Read[facts.Container]{State: facts.OK, Value: facts.ReduceContainer(lines), Stamp: r.stamp(from)}
}

// containerLines makes lines of an answer: each key with its value, and those of LXC
// itself, which come as a list of pairs.
func containerLines(data json.RawMessage) ([]pve.ContainerLine, error) {
	var config map[string]json.RawMessage
	if err := json.Unmarshal(data, &config); err != nil || config == nil {
		return nil, errors.New("it is not a configuration")
	}
	var lines []pve.ContainerLine
	for key, raw := range config {
		if key == "lxc" {
			continue
		}
		var value scalar
		if err := json.Unmarshal(raw, &value); err == nil {
			lines = append(lines, pve.ContainerLine{Key: key, Value: value.text})
		}
	}
	raw, ok := config["lxc"]
	if !ok {
		return lines, nil
	}
	var pairs [][]scalar
	if err := json.Unmarshal(raw, &pairs); err != nil {
		return nil, errors.New("its lines of LXC are not a list of pairs")
	}
	for _, pair := range pairs {
		if len(pair) != 2 {
			return nil, errors.New("its lines of LXC are not a list of pairs")
		}
		lines = append(lines, pve.ContainerLine{Key: pair[0].text, Value: pair[1].text})
	}
	return lines, nil
}
