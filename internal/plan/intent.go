package plan

import (
	"errors"
	"fmt"
	"slices"

	"pciatlas/internal/pve"
)

// Kind is what a plan is for.
type Kind string

// The kinds.
const (
	Create  Kind = "create"  // a mapping
	Change  Kind = "change"  // a mapping
	Delete  Kind = "delete"  // a mapping
	Convert Kind = "convert" // lines of VMs, from addresses to mappings
	Fix     Kind = "fix"     // an address of a device that has moved
)

// Kinds are all of them.
func Kinds() []Kind { return []Kind{Create, Change, Delete, Convert, Fix} }

// Intent is what somebody wants. The same intent and the same facts give the same
// plan, so it is all that has to be kept or sent to make a plan anew.
type Intent struct {
	Kind Kind `json:"kind"`
	// Mapping is the name of the mapping. To convert, it is the one to use, "" to take
	// one that gives just the device of the line, or to make one. To fix lines of VMs
	// it is "".
	Mapping string `json:"mapping,omitempty"`
	// Entries are map strings in the notation of Proxmox VE. To change, nil keeps those
	// that are there.
	Entries []string `json:"entries,omitempty"`
	// Description, Mdev and LiveMigration are set if not nil. To change, Unset names
	// those to remove: description, mdev, live-migration-capable.
	Description   *string  `json:"description,omitempty"`
	Mdev          *bool    `json:"mdev,omitempty"`
	LiveMigration *bool    `json:"live_migration,omitempty"`
	Unset         []string `json:"unset,omitempty"`
	// VMs are the numbers of the VMs to convert or to fix.
	VMs []int `json:"vms,omitempty"`
	// Slots are those to convert, for example hostpci0; none are all.
	Slots []string `json:"slots,omitempty"`
	// Moves are the addresses to replace.
	Moves []Move `json:"moves,omitempty"`
	// Force goes on where a plan stops for something that may be meant; see Note.
	Force bool `json:"force,omitempty"`
}

// Move is a device that has another address now. From is a path of an entry for
// Node, or a part of a line of a VM there; To is written in the same way: a function
// or a whole slot.
type Move struct {
	Node string `json:"node"`
	From string `json:"from"`
	To   string `json:"to"`
}

// The names that Unset may hold.
const (
	UnsetDescription   = "description"
	UnsetMdev          = "mdev"
	UnsetLiveMigration = "live-migration-capable"
)

// IntentError says why an intent is none.
type IntentError struct{ Err error }

// Error gives the sentence.
func (e *IntentError) Error() string { return e.Err.Error() }

// Unwrap gives the cause.
func (e *IntentError) Unwrap() error { return e.Err }

// ErrorCode gives the stable code.
func (e *IntentError) ErrorCode() string { return "invalid" }

// check refuses intents that say nothing, or what their kind has no use for.
func (i *Intent) check() error {
	switch i.Kind {
	case Create, Change, Delete:
		if i.Mapping == "" {
			return errors.New("the name of the mapping is missing")
		}
		if i.VMs != nil {
			return fmt.Errorf("to %s a mapping, no VM is given", i.Kind)
		}
	case Convert:
		if len(i.VMs) == 0 {
			return errors.New("the VM to convert is missing")
		}
	case Fix:
		if len(i.Moves) == 0 || (i.Mapping == "") == (len(i.VMs) == 0) {
			return errors.New("a fix needs a mapping or a VM, and the old and the new address")
		}
	default:
		return fmt.Errorf("there is no plan of the kind %q: write create, change, delete, convert or fix", i.Kind)
	}
	if err := i.checkNeedless(); err != nil {
		return err
	}
	return i.checkParts()
}

// checkNeedless refuses what the kind has no use for.
func (i *Intent) checkNeedless() error {
	content := i.Entries != nil || i.Description != nil || i.Mdev != nil || i.LiveMigration != nil
	switch {
	case i.Kind != Create && i.Kind != Change && content:
		return fmt.Errorf("to %s, no entries and no properties of a mapping are given", i.Kind)
	case i.Kind != Change && i.Unset != nil:
		return errors.New("only a change removes properties")
	case i.Kind != Fix && i.Moves != nil:
		return errors.New("only a fix replaces addresses")
	case i.Kind != Convert && i.Slots != nil:
		return errors.New("only lines of VMs that are converted have slots")
	default:
		return nil
	}
}

func (i *Intent) checkParts() error {
	for _, slot := range i.Slots {
		if _, ok := pve.ParseSlotKey(slot); !ok {
			return fmt.Errorf("%q is no slot: write hostpci0 to hostpci%d", slot, pve.MaxHostPCI-1)
		}
	}
	for _, name := range i.Unset {
		if name != UnsetDescription && name != UnsetMdev && name != UnsetLiveMigration {
			return fmt.Errorf("%q cannot be removed: write description, mdev or live-migration-capable", name)
		}
		if name == UnsetDescription && i.Description != nil || name == UnsetMdev && i.Mdev != nil || name == UnsetLiveMigration && i.LiveMigration != nil {
			return fmt.Errorf("%s is to be set and to be removed", name)
		}
	}
	for n, vmid := range i.VMs {
		if slices.Contains(i.VMs[:n], vmid) {
			return fmt.Errorf("VM %d is named twice", vmid)
		}
	}
	return nil
}
