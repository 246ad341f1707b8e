package facts

import (
	"slices"
	"sort"
	"strings"

	"pciatlas/internal/pve"
)

// VMConfig is a VM's configuration, reduced to what matters to passthrough.
type VMConfig struct {
	// Digest is that of the whole file. No snapshot file holds it: it would tell
	// whether a guess at what was left out is right.
	Digest string `json:"-"`
	// Items are the keys that matter, sorted by key.
	Items []pve.Item `json:"items"`
	// HasDisk: a backup of the VM as it is now, without pending changes, holds at
	// least one volume.
	HasDisk bool `json:"has_disk,omitempty"`
	// Args and Hook say that custom arguments and a hook script are set. Their text
	// is never kept.
	Args Phases `json:"args,omitzero"`
	Hook Phases `json:"hook,omitzero"`
	// Dropped and Repeated are told by host mode only.
	Dropped   []pve.DroppedLine  `json:"dropped,omitempty"`
	Repeated  []pve.RepeatedKey  `json:"repeated,omitempty"`
	Snapshots Read[[]VMSnapshot] `json:"snapshots,omitzero"`
}

// Phases says in which phases a key is set. MentionsVFIO: its text contains
// vfio-pci in one of them.
type Phases struct {
	Current      bool `json:"current,omitempty"`
	Pending      bool `json:"pending,omitempty"`
	Removal      bool `json:"removal,omitempty"`
	MentionsVFIO bool `json:"mentions_vfio,omitempty"`
}

// Any tells whether the key is set in any phase.
func (p Phases) Any() bool { return p.Current || p.Pending }

// VMSnapshot is one snapshot of a VM with its hostpci lines.
type VMSnapshot struct {
	Name    string         `json:"name"`
	HostPCI []pve.KeyValue `json:"hostpci,omitempty"`
}

// Get gives the item of a key, or false.
func (c *VMConfig) Get(key string) (pve.Item, bool) {
	i := sort.Search(len(c.Items), func(i int) bool { return c.Items[i].Key >= key })
	if i < len(c.Items) && c.Items[i].Key == key {
		return c.Items[i], true
	}
	return pve.Item{}, false
}

// Current gives the current value of a key, or "".
func (c *VMConfig) Current(key string) string {
	if item, ok := c.Get(key); ok && item.Current != nil {
		return *item.Current
	}
	return ""
}

// keptKeys are the keys of a VM that a snapshot may hold, besides hostpciN.
var keptKeys = []string{
	"balloon", "bios", "cpu", "lock", "machine", "memory", "name", "numa", "onboot",
	"ostype", "startup", "tags", "template", "vga",
}

// KeepsKey tells whether a snapshot holds the key's value.
func KeepsKey(key string) bool {
	if _, ok := pve.ParseSlotKey(key); ok {
		return true
	}
	_, found := slices.BinarySearch(keptKeys, key)
	return found
}

// ReduceVM makes facts of a VM's pending list: the keys that matter with their
// values, everything else as flags at most. This is the one gate through which
// a configuration enters the product; what it leaves out cannot leave the
// process. Invalid items (without key) are skipped.
func ReduceVM(items []pve.Item) VMConfig {
	config := VMConfig{Items: make([]pve.Item, 0, 8)}
	bios := currentBIOS(items)
	for _, item := range items {
		switch {
		case item.Key == "digest":
			if item.Current != nil {
				config.Digest = *item.Current
			}
		case item.Key == "args":
			config.Args = phasesOf(item)
			config.Args.MentionsVFIO = mentionsVFIO(item.Current) || mentionsVFIO(item.Pending)
		case item.Key == "hookscript":
			config.Hook = phasesOf(item)
		case item.Current != nil && pve.BacksUp(item.Key, *item.Current, bios):
			config.HasDisk = true
		case KeepsKey(item.Key):
			config.Items = append(config.Items, item)
		}
	}
	slices.SortFunc(config.Items, func(a, b pve.Item) int { return strings.Compare(a.Key, b.Key) })
	return config
}

func phasesOf(item pve.Item) Phases {
	return Phases{
		Current: item.Current != nil,
		Pending: item.Pending != nil,
		Removal: item.Current != nil && item.Delete != pve.Keep,
	}
}

func mentionsVFIO(text *string) bool { return text != nil && strings.Contains(*text, "vfio-pci") }

func currentBIOS(items []pve.Item) string {
	for _, item := range items {
		if item.Key == "bios" && item.Current != nil {
			return *item.Current
		}
	}
	return ""
}
