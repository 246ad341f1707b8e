package pveapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"pciatlas/internal/facts"
	"pciatlas/internal/pve"
)

// readPending asks for a VM's configuration: what is current, what is pending
// and what is to be removed, in one answer.
func (r *reader) readPending(ctx context.Context, b *budget, node string, vmid int) facts.Read[facts.VMConfig] {
	path := fmt.Sprintf("/qemu/%d/pending", vmid)
	request := "GET /nodes/" + node + path
	from := r.client.options.Now()
	data, err := r.node(ctx, b, node, path, nil)
	if err != nil {
		read := failedRead[facts.VMConfig](r, from, request, err)
		if isGone(err) {
			read.Problems[0].Code = facts.ProblemVanished
		}
		return read
	}
	items, problems, err := decodeRows(request, data, itemRow)
	if err == nil && !slices.ContainsFunc(items, func(item pve.Item) bool { return item.Key == "digest" }) {
		err = malformed(request, errors.New("the list lacks the digest that every configuration has"))
	}
	if err != nil {
		return failedRead[facts.VMConfig](r, from, request, err)
	}
	slices.SortStableFunc(items, func(a, b pve.Item) int { return strings.Compare(a.Key, b.Key) })
	items, twice := withoutTwice(request, items, func(item pve.Item) string { return shorten(item.Key) })
	problems = append(problems, twice...)
	return facts.Read[facts.VMConfig]{
		State: rowState(problems), Value: facts.ReduceVM(items), Problems: problems, Stamp: r.stamp(from),
	}
}

// isGone recognises PVE's answer for a VM whose file is not on that node.
func isGone(err error) bool {
	failure, ok := errors.AsType[*Error](err)
	return ok && failure.Status == 500 && strings.Contains(failure.Reason, "does not exist")
}

// checkSlot refuses keys that look like a slot of a device and are none that this
// version knows, and slots without a value: what they mean cannot be told.
func checkSlot(key string, valued bool) error {
	if len(key) < len("hostpci") || !strings.EqualFold(key[:len("hostpci")], "hostpci") {
		return nil
	}
	if _, known := pve.ParseSlotKey(key); !known {
		return fmt.Errorf("%q is no slot that pciatlas knows", shorten(key))
	}
	if !valued {
		return fmt.Errorf("%s has no value", key)
	}
	return nil
}

func itemRow(row json.RawMessage) (pve.Item, error) {
	var wire struct{ Key, Value, Pending, Delete scalar }
	if err := json.Unmarshal(row, &wire); err != nil {
		return pve.Item{}, err
	}
	if wire.Key.text == "" {
		return pve.Item{}, errors.New("it names no key")
	}
	if err := checkSlot(wire.Key.text, wire.Value.set || wire.Pending.set || wire.Delete.set); err != nil {
		return pve.Item{}, err
	}
	item := pve.Item{Key: wire.Key.text, Current: wire.Value.pointer(), Pending: wire.Pending.pointer()}
	if wire.Delete.set {
		n, err := wire.Delete.number()
		if err != nil {
			return pve.Item{}, err
		}
		item.Delete = pve.Removal(n)
	}
	return item, nil
}
