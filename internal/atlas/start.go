package atlas

import (
	"errors"
	"fmt"
	"strings"

	"pciatlas/internal/pci"
	"pciatlas/internal/pve"
)

// StartSlot is one hostpci value as Proxmox VE resolves it at VM start.
// Alternatives are the choices (several only for a mapping with several
// entries), each a list of functions that go together, duplicates kept.
type StartSlot struct {
	Value         pve.HostPCI
	Alternatives  [][]pci.Address
	Multifunction bool
	// Mdev is the type of a mediated device; Nvidia the number of an NVIDIA vGPU
	// type on the driver for kernel 6.8 and later, which takes the function
	// exclusively. At most one of them is set.
	Mdev          string
	Nvidia        string
	LiveMigration bool
}

// Codes of refusals at VM start. They are the vectors' resolve_error_class.
const (
	RefusedFormat        = "parse"
	RefusedBothSources   = "host-and-mapping"
	RefusedNoSource      = "neither-host-nor-mapping"
	RefusedNoMapping     = "mapping-not-found"
	RefusedMapping       = "mapping-invalid"
	RefusedNoDevice      = "device-not-found"
	RefusedMdevFunctions = "mdev-with-several-functions"
	RefusedQ35           = "q35-missing"
	RefusedLegacyIGD     = "legacy-igd"
	RefusedAssignedTwice = "assigned-twice"
	RefusedNoFreeDevice  = "no-free-device"
)

// RefusalError is Proxmox VE's reason not to start a VM. Message is its sentence.
type RefusalError struct {
	Code    string
	Slot    int // NoSlot if the refusal was not made for one
	Message string
}

// Error gives PVE's sentence.
func (r *RefusalError) Error() string { return r.Message }

// Hardware is the devices and mappings of one node as a VM start sees them.
// Devices must be sorted by address.
type Hardware struct {
	Node     string
	Devices  []Device
	Mappings map[string]*pve.Mapping
	// Proves tells whether a fault of an entry rests on what was read; others are left
	// out. nil means that all do.
	Proves func(pve.EntryFault) bool
}

// Hardware gives a node as a VM start sees it, as far as it was read.
func (r *Report) Hardware(node *Node) *Hardware { return r.HardwareWith(node, r.MappingsByID()) }

// HardwareWith does the same with what MappingsByID gives, for many nodes.
func (r *Report) HardwareWith(node *Node, mappings map[string]*pve.Mapping) *Hardware {
	return &Hardware{
		Node: node.Name, Devices: node.Devices, Mappings: mappings,
		Proves: func(fault pve.EntryFault) bool { return r.proves(node, fault) },
	}
}

// MappingsByID gives the mappings by name.
func (r *Report) MappingsByID() map[string]*pve.Mapping {
	mappings := make(map[string]*pve.Mapping, len(r.Mappings))
	for i := range r.Mappings {
		mappings[r.Mappings[i].ID] = &r.Mappings[i]
	}
	return mappings
}

// ResolveSlot resolves one hostpci value as PVE::QemuServer::PCI::parse_hostpci
// does. It gives nil for a value that counts as unset. The error is a *RefusalError.
func (h *Hardware) ResolveSlot(raw string) (*StartSlot, error) {
	if raw == "" || raw == "0" {
		return nil, nil //nolint:nilnil // an unset slot is neither a device nor a refusal
	}
	value, err := pve.ParseHostPCI(raw)
	if err != nil {
		return nil, refuse(RefusedFormat, "%s", err.Error())
	}
	slot := &StartSlot{Value: value, Mdev: value.Mdev}
	choices, err := h.choices(slot)
	if err != nil {
		return nil, err
	}
	for _, choice := range choices {
		functions, err := h.functions(choice)
		if err != nil {
			return nil, err
		}
		if err := slot.add(functions); err != nil {
			return nil, err
		}
	}
	return slot, nil
}

// choices gives the selectors of each alternative.
func (h *Hardware) choices(slot *StartSlot) ([][]string, error) {
	value := &slot.Value
	switch value.Source() {
	case pve.SourceBoth:
		return nil, refuse(RefusedBothSources, pve.MessageBothSources)
	case pve.SourceNone:
		return nil, refuse(RefusedNoSource, pve.MessageNoSource)
	case pve.SourceHost:
		return [][]string{strings.Split(value.Host, ";")}, nil
	case pve.SourceMapping:
	}
	mapping := h.Mappings[value.Mapping]
	if mapping == nil || len(mapping.On(h.Node)) == 0 {
		return nil, refuse(RefusedNoMapping, "PCI device mapping not found for '%s'", value.Mapping)
	}
	slot.LiveMigration = mapping.LiveMigration != nil && *mapping.LiveMigration
	var choices [][]string
	for _, entry := range mapping.On(h.Node) {
		for _, fault := range mapping.CheckEntry(entry, h.lookup) {
			if h.Proves == nil || h.Proves(fault) {
				return nil, refuse(RefusedMapping, "%s", fault.StartRefusal())
			}
		}
		choices = append(choices, entry.Paths())
	}
	return choices, nil
}

func (h *Hardware) lookup(address pci.Address) (pve.Hardware, bool) {
	i, found := findDevice(h.Devices, address)
	if !found {
		return pve.Hardware{}, false
	}
	return HardwareOf(&h.Devices[i]), true
}

// HardwareOf gives what a mapping is checked against.
func HardwareOf(d *Device) pve.Hardware {
	return pve.Hardware{IDs: d.IDs, Group: d.Group.Value, Mdev: d.Mdev.Value}
}

func (h *Hardware) functions(selectors []string) ([]*Device, error) {
	var functions []*Device
	for _, text := range selectors {
		var devices []Device
		if selector, ok := pci.ParseSelector(text); ok {
			devices = named(h.Devices, selector)
		}
		if len(devices) == 0 {
			return nil, refuse(RefusedNoDevice, "no PCI device found for '%s'", text)
		}
		for i := range devices {
			functions = append(functions, &devices[i])
		}
	}
	return functions, nil
}

// add takes one alternative.
func (s *StartSlot) add(functions []*Device) error {
	switch {
	case len(functions) > 1:
		s.Multifunction = true
		if s.Mdev != "" || s.Nvidia != "" {
			return refuse(RefusedMdevFunctions, "cannot use mediated device with multifunction device")
		}
	case s.Mdev != "" && functions[0].NvidiaVGPU:
		if number, ok := strings.CutPrefix(s.Mdev, "nvidia-"); ok && isNumber(number) {
			s.Mdev, s.Nvidia = "", number
		}
	}
	addresses := make([]pci.Address, len(functions))
	for i, function := range functions {
		addresses[i] = function.Address
	}
	s.Alternatives = append(s.Alternatives, addresses)
	return nil
}

func isNumber(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

func refuse(code, format string, args ...any) *RefusalError {
	return &RefusalError{Code: code, Slot: NoSlot, Message: fmt.Sprintf(format, args...)}
}

// StartSlots are the hostpci slots of a VM at start; unset slots are nil.
type StartSlots [pve.MaxHostPCI]*StartSlot

// ResolveVM resolves all slots of a configuration and applies the checks of
// PVE::QemuServer::PCI::parse_hostpci_devices. get answers the value that a key
// will have at the start, "" if it is not set. The error is a *RefusalError.
func (h *Hardware) ResolveVM(get func(key string) string) (StartSlots, error) {
	var slots StartSlots
	q35 := pve.IsQ35(get("machine"))
	legacySeen := false
	for i := range slots {
		slot, err := h.ResolveSlot(get(pve.SlotKey(i)))
		if err == nil && slot != nil {
			err = slot.Check(get, q35, legacySeen)
			legacySeen = legacySeen || slot.Value.LegacyIGD == "1"
		}
		if err != nil {
			return StartSlots{}, atSlot(err, i)
		}
		slots[i] = slot
	}
	return slots, nil
}

func atSlot(err error, slot int) error {
	if refusal, ok := errors.AsType[*RefusalError](err); ok {
		refusal.Slot = slot
	}
	return err
}

// Check applies the checks of parse_hostpci_devices to one slot: get is that of
// ResolveVM, q35 tells whether the VM has such a machine, legacySeen whether an
// earlier slot has legacy-igd. The error is a *RefusalError.
func (s *StartSlot) Check(get func(string) string, q35, legacySeen bool) error {
	if s.Value.PCIe == "1" && !q35 {
		return refuse(RefusedQ35, "q35 machine model is not enabled")
	}
	if s.Value.LegacyIGD != "1" {
		return nil
	}
	for _, rule := range []struct {
		broken  bool
		message string
	}{
		{legacySeen, "only one device can be assigned in legacy-igd mode"},
		{get("vga") != "none", "legacy IGD assignment requires VGA mode to be 'none'"},
		{s.Value.RomBar == "0", "legacy IGD assignment requires rombar to be enabled"},
		{s.Value.XVGA == "1", "legacy IGD assignment is not compatible with x-vga"},
		{s.Mdev != "" || s.Nvidia != "", "legacy IGD assignment is not compatible with mdev"},
		{q35, "legacy IGD assignment is not compatible with q35"},
		{s.Multifunction, "legacy IGD assignment is not compatible with multifunction devices"},
		{len(s.Alternatives) > 1, "legacy IGD assignment is not compatible with alternate devices"},
		{
			s.Alternatives[0][0].Device != 2 || s.Alternatives[0][0].Function != 0,
			"legacy IGD assignment only works for devices on host bus 00:02.0",
		},
	} {
		if rule.broken {
			return refuse(RefusedLegacyIGD, "%s", rule.message)
		}
	}
	return nil
}

// Choose picks the functions of each slot in the order of slots, as
// choose_hostpci_devices of PVE::QemuServer::PCI does: single alternatives are
// fixed, of several the first that is neither used by an earlier slot nor taken.
// Mediated devices take no part; their first functions come back. taken answers
// whether another VM holds a function; nil means nobody does. The error is a
// *RefusalError.
func (slots StartSlots) Choose(taken func(pci.Address) bool) (map[int][]pci.Address, error) {
	chosen := map[int][]pci.Address{}
	used := map[pci.Address]bool{}
	for i, slot := range slots {
		switch {
		case slot == nil:
		case slot.Mdev != "":
			for _, alternative := range slot.Alternatives {
				chosen[i] = append(chosen[i], alternative[0])
			}
		case len(slot.Alternatives) == 1:
			if err := use(used, slot.Alternatives[0]); err != nil {
				return nil, atSlot(err, i)
			}
			chosen[i] = slot.Alternatives[0]
		default:
			alternative, err := firstFree(i, slot.Alternatives, used, taken)
			if err != nil {
				return nil, err
			}
			chosen[i] = alternative
		}
	}
	return chosen, nil
}

func use(used map[pci.Address]bool, functions []pci.Address) error {
	for _, function := range functions {
		if used[function] {
			return refuse(RefusedAssignedTwice, "device '%s' assigned more than once", function)
		}
		used[function] = true
	}
	return nil
}

func firstFree(slot int, alternatives [][]pci.Address, used map[pci.Address]bool, taken func(pci.Address) bool) ([]pci.Address, error) {
	for _, alternative := range alternatives {
		free := true
		for _, function := range alternative {
			free = free && !used[function] && (taken == nil || !taken(function))
		}
		if !free {
			continue
		}
		if err := use(used, alternative); err != nil {
			return nil, atSlot(err, slot)
		}
		return alternative, nil
	}
	return nil, atSlot(refuse(RefusedNoFreeDevice, "could not find a free device for '%s'", pve.SlotKey(slot)), slot)
}
