package pve

import (
	"cmp"
	"slices"
)

// Item is one key of a VM's configuration with what is current, what is pending
// and whether its removal is pending, as GET …/qemu/{vmid}/pending answers it.
// Current and Pending are nil where there is none.
type Item struct {
	Key     string  `json:"key"`
	Current *string `json:"value,omitempty"`
	Pending *string `json:"pending,omitempty"`
	Delete  Removal `json:"delete,omitempty"`
}

// Removal tells whether a key is to be removed at the next full stop.
type Removal int

// The removals, with the numbers of the API. For a key that is not in the
// current configuration Proxmox VE always says RemoveForced.
const (
	Keep         Removal = 0
	Remove       Removal = 1
	RemoveForced Removal = 2
)

// Items gives the pending list of a configuration, sorted by key. It mirrors
// PVE::GuestHelpers::config_with_pending_array and, for passwords, the mask of
// the API. The digest is an item, too.
func (c *VMConfig) Items() []Item {
	items := make([]Item, 0, len(c.Main)+len(c.Pending)+1)
	digest := c.Digest
	items = append(items, Item{Key: "digest", Current: &digest})
	for i := range c.Main {
		current := &c.Main[i]
		item := Item{Key: current.Key, Current: masked(current.Key, &current.Value, "")}
		if pending := c.Pending.find(current.Key); pending != nil {
			item.Pending = masked(current.Key, &pending.Value, " ")
		}
		if deletion, ok := c.deletion(current.Key); ok {
			item.Delete = Remove
			if deletion.Force {
				item.Delete = RemoveForced
			}
		}
		items = append(items, item)
	}
	for i := range c.Pending {
		pending := &c.Pending[i]
		if c.Main.find(pending.Key) == nil {
			items = append(items, Item{Key: pending.Key, Pending: masked(pending.Key, &pending.Value, " ")})
		}
	}
	for _, deletion := range c.Deletions {
		if c.Main.find(deletion.Key) == nil && c.Pending.find(deletion.Key) == nil {
			items = append(items, Item{Key: deletion.Key, Delete: RemoveForced})
		}
	}
	slices.SortFunc(items, func(a, b Item) int { return cmp.Compare(a.Key, b.Key) })
	return items
}

func (c *VMConfig) deletion(key string) (Deletion, bool) {
	for _, deletion := range c.Deletions {
		if deletion.Key == key {
			return deletion, true
		}
	}
	return Deletion{}, false
}

const passwordMask = "**********"

func masked(key string, value *string, suffix string) *string {
	if key != "cipassword" {
		return value
	}
	mask := passwordMask + suffix
	return &mask
}

// Future gives the value that the key will have once everything pending is
// applied: what the next start of a stopped VM uses. ok is false if it will not
// be set.
func (i Item) Future() (value string, ok bool) {
	switch {
	case i.Pending != nil:
		return *i.Pending, true
	case i.Delete != Keep || i.Current == nil:
		return "", false
	default:
		return *i.Current, true
	}
}
