package apply

import (
	"context"
	"fmt"
	"slices"

	"pciatlas/internal/plan"
	"pciatlas/internal/pve"
)

// state is what a look at the target of a step finds.
type state int

const (
	unread state = iota
	before       // as the plan found it
	after        // as the step makes it
	other        // anything else
)

// target is what a step changes.
type target interface {
	// look reads it. digest is the one to send with the request; problem says what was
	// found or why it could not be read.
	look(ctx context.Context) (found state, digest, problem string)
	// keep takes what was read last as what the next step has to find.
	keep()
}

// mappingTarget is one mapping, and all others, which are not to change.
type mappingTarget struct {
	*run
	step *plan.Step
	// first is the list before the step, read what was read last.
	first, read []pve.Mapping
}

func (t *mappingTarget) look(ctx context.Context) (found state, digest, problem string) {
	list, err := t.cluster.Mappings(ctx)
	if err != nil {
		return unread, "", err.Error()
	}
	looked := t.first != nil || t.read != nil
	t.read = list
	now := find(list, t.step.Mapping)
	switch {
	case same(now, t.step.After) && !same(now, t.step.Before):
		if looked || t.mappings != nil {
			if changed := t.others(list); changed != "" {
				return other, "", changed
			}
		}
		return after, "", ""
	case !same(now, t.step.Before):
		return other, "", fmt.Sprintf("mapping %s is not as the plan found it", t.step.Mapping)
	}
	if !looked {
		if expected := t.step.Guard.Digest; t.mappings == nil && expected != "" && digestOf(list) != expected {
			return other, "", "the file of the mappings has changed since the plan was made"
		}
		if changed := t.others(list); t.mappings != nil && changed != "" {
			return other, "", changed
		}
		t.first = list
	}
	if t.step.Guard.Kind == plan.GuardFileDigest {
		digest = digestOf(list)
	}
	return before, digest, ""
}

// others tells which other mapping is not as it was before the step.
func (t *mappingTarget) others(list []pve.Mapping) string {
	known := t.first
	if known == nil {
		known = t.mappings
	}
	for i := range known {
		if id := known[i].ID; id != t.step.Mapping && !same(find(list, id), &known[i]) {
			return fmt.Sprintf("mapping %s was changed by somebody else at the same time", id)
		}
	}
	for i := range list {
		if id := list[i].ID; id != t.step.Mapping && find(known, id) == nil {
			return fmt.Sprintf("mapping %s was created by somebody else at the same time", id)
		}
	}
	return ""
}

func (t *mappingTarget) keep() {
	t.mappings = t.read
	if t.mappings == nil {
		t.mappings = []pve.Mapping{}
	}
}

func find(list []pve.Mapping, id string) *pve.Mapping {
	for i := range list {
		if list[i].ID == id {
			return &list[i]
		}
	}
	return nil
}

func same(a, b *pve.Mapping) bool {
	return a == nil && b == nil || a != nil && b != nil && plan.SameMapping(a, b)
}

func digestOf(list []pve.Mapping) string {
	if len(list) == 0 {
		return ""
	}
	return list[0].Digest
}

// vmTarget is the hostpci lines of a VM.
type vmTarget struct {
	*run
	step  *plan.Step
	first []pve.Item
}

func (t *vmTarget) look(ctx context.Context) (found state, digest, problem string) {
	items, err := t.cluster.VM(ctx, t.step.Node, t.step.VMID)
	if err != nil {
		return unread, "", err.Error()
	}
	digest = valueOf(items, "digest")
	switch {
	case t.all(items, func(line plan.LineChange) string { return line.After }):
		if changed := t.others(items); t.first != nil && changed != "" {
			return other, "", changed
		}
		return after, digest, ""
	case !t.all(items, func(line plan.LineChange) string { return line.Before }):
		return other, "", fmt.Sprintf("the hostpci lines of VM %d are not as the plan found them", t.step.VMID)
	}
	if t.first == nil {
		if expected := t.step.Guard.Digest; expected != "" && digest != expected {
			return other, "", fmt.Sprintf("the configuration of VM %d has changed since the plan was made", t.step.VMID)
		}
		if lock := valueOf(items, "lock"); lock != "" {
			return other, "", fmt.Sprintf("VM %d is locked (%s)", t.step.VMID, lock)
		}
		t.first = items
	}
	return before, digest, ""
}

// all tells whether the next start of the VM would find these lines.
func (t *vmTarget) all(items []pve.Item, want func(plan.LineChange) string) bool {
	return !slices.ContainsFunc(t.step.Lines, func(line plan.LineChange) bool {
		return futureOf(items, pve.SlotKey(line.Slot)) != want(line)
	})
}

// others tells which other hostpci line is not as it was before the step.
func (t *vmTarget) others(items []pve.Item) string {
	for slot := range pve.MaxHostPCI {
		if slices.ContainsFunc(t.step.Lines, func(line plan.LineChange) bool { return line.Slot == slot }) {
			continue
		}
		if key := pve.SlotKey(slot); futureOf(items, key) != futureOf(t.first, key) {
			return fmt.Sprintf("%s of VM %d was changed by somebody else at the same time", key, t.step.VMID)
		}
	}
	return ""
}

func (t *vmTarget) keep() {}

func itemOf(items []pve.Item, key string) pve.Item {
	for _, item := range items {
		if item.Key == key {
			return item
		}
	}
	return pve.Item{}
}

func futureOf(items []pve.Item, key string) string {
	value, _ := itemOf(items, key).Future()
	return value
}

func valueOf(items []pve.Item, key string) string {
	if current := itemOf(items, key).Current; current != nil {
		return *current
	}
	return ""
}
