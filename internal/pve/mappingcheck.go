package pve

import (
	"strconv"
	"strings"

	"pciatlas/internal/pci"
)

// Hardware is what PVE::SysFSTools::pci_device_info tells of one function, as
// far as a mapping is checked against it. Group is nil if the function has no
// IOMMU group.
type Hardware struct {
	IDs   pci.IDs
	Group *int
	Mdev  bool
}

// Check is one line of the checks that GET /cluster/mapping/pci?check-node=
// answers: severity and message, the message without its line feed.
type Check struct {
	Severity string `json:"severity"`
	Message  string `json:"message"`
}

// Codes of entry faults.
const (
	EntryDeviceNotFound     = "device-not-found"
	EntryMissingProperty    = "missing-property"
	EntryUnexpectedProperty = "unexpected-property"
	EntryMismatch           = "mismatch"
)

// EntryFault is one difference between an entry and the hardware. Actual and
// Configured are empty where the property is absent on that side.
type EntryFault struct {
	Code       string
	Property   string // id, iommugroup, mdev, subsystem-id; "" for a device that is not there
	Device     string // the address looked for, as PVE names it
	Actual     string
	Configured string
	Message    string // PVE's sentence
}

// Class gives the fault as the vectors' check_classes do.
func (f EntryFault) Class() string {
	if f.Property == "" {
		return f.Code
	}
	return f.Code + ":" + f.Property
}

// CheckEntry compares one entry with the hardware of its node, as
// PVE::Mapping::PCI::assert_valid does (since guest-common 5.1.7, which also
// compares mdev). It gives every fault; PVE reports only the first. lookup
// answers what is known of a function, false if it is not there.
func (m *Mapping) CheckEntry(entry Entry, lookup func(pci.Address) (Hardware, bool)) []EntryFault {
	var faults []EntryFault
	for i, path := range entry.Paths() {
		device := path
		if !hasFunction(path) {
			device += ".0"
		}
		address, err := pci.ParseAddress(device)
		hardware, found := Hardware{}, false
		if err == nil {
			hardware, found = lookup(address)
		}
		if !found {
			faults = append(faults, EntryFault{
				Code: EntryDeviceNotFound, Device: device, Message: "pci device '" + device + "' not found",
			})
			continue
		}
		faults = append(faults, m.compare(entry, device, hardware, i == 0)...)
	}
	return faults
}

// hasFunction mirrors the test of assert_valid: a dot and a hexadecimal digit
// anywhere in the path.
func hasFunction(path string) bool {
	for i := 0; i+1 < len(path); i++ {
		if path[i] == '.' && isHexDigits(path[i+1:i+2]) {
			return true
		}
	}
	return false
}

// compare checks the properties in the order of their names.
func (m *Mapping) compare(entry Entry, device string, hardware Hardware, first bool) []EntryFault {
	var faults []EntryFault
	check := func(property, actual, configured string) {
		if fault, bad := m.compareOne(property, device, actual, configured); bad {
			faults = append(faults, fault)
		}
	}
	check("id", hardware.IDs.String(), entry.ID)
	if first {
		group := ""
		if hardware.Group != nil {
			group = strconv.Itoa(*hardware.Group)
		}
		check("iommugroup", group, entry.Group)
	}
	check("mdev", flag(hardware.Mdev), flag(m.HasMdev()))
	subsystem := ""
	if hardware.IDs.Subsystem != nil {
		subsystem = hardware.IDs.Subsystem.String()
	}
	check("subsystem-id", subsystem, entry.Subsystem)
	return faults
}

func (m *Mapping) compareOne(property, device, actual, configured string) (EntryFault, bool) {
	fault := EntryFault{Property: property, Device: device, Actual: actual, Configured: configured}
	switch {
	case actual == configured:
		return EntryFault{}, false
	case configured == "":
		fault.Code = EntryMissingProperty
		fault.Message = "missing expected property '" + property + "' for device '" + device + "'"
	case actual == "":
		fault.Code = EntryUnexpectedProperty
		fault.Message = "unexpected property '" + property + "' configured for device '" + device + "'"
	default:
		fault.Code = EntryMismatch
		fault.Message = "'" + property + "' does not match for '" + m.ID + "' (" + actual + " != " + configured + ")"
	}
	return fault, true
}

func flag(on bool) string {
	if on {
		return "1"
	}
	return "0"
}

// Checks gives what PVE's own check of the mapping on a node answers.
func (m *Mapping) Checks(node string, lookup func(pci.Address) (Hardware, bool)) []Check {
	entries := m.On(node)
	if len(entries) == 0 {
		return []Check{{"warning", "No mapping for node " + node + "."}}
	}
	var checks []Check
	for _, entry := range entries {
		if faults := m.CheckEntry(entry, lookup); len(faults) > 0 {
			checks = append(checks, Check{"error", "Invalid configuration: " + faults[0].Message})
		}
	}
	return checks
}

// StartRefusal gives the sentence with which PVE refuses to start a VM because
// of an entry's fault.
func (f EntryFault) StartRefusal() string {
	return "PCI device mapping invalid (hardware probably changed): " + strings.TrimSuffix(f.Message, "\n")
}
