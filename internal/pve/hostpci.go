package pve

import (
	"strconv"
	"strings"

	"pciatlas/internal/pci"
)

// MaxHostPCI is the number of hostpci slots of a VM: hostpci0 to hostpci15
// (PVE::QemuServer::PCI, since qemu-server 6.0-9).
const MaxHostPCI = 16

// HostPCI is the value of one hostpciN option. An option that is not given is
// the empty string; none can be given empty. Booleans are "1" or "0".
//
// The format allows host and mapping together, or neither of them; Proxmox VE
// refuses such a value only at VM start. See Source.
type HostPCI struct {
	Host      string // selectors joined by ";"
	Mapping   string
	RomBar    string // boolean, default on
	RomFile   string // a file name below /usr/share/kvm
	PCIe      string // boolean, default off
	XVGA      string // boolean, default off
	LegacyIGD string // boolean, default off
	Mdev      string // type of mediated device
	Driver    string // vfio (default) or keep
	VendorID  string // overrides seen by the guest, 0x and four digits
	DeviceID  string
	SubVendor string
	SubDevice string

	// Selectors are the parts of Host in their order, duplicates kept.
	Selectors []pci.Selector
}

const (
	hostpciHost = iota
	hostpciMapping
	hostpciRomBar
	hostpciRomFile
	hostpciPCIe
	hostpciXVGA
	hostpciLegacyIGD
	hostpciMdev
	hostpciDriver
	hostpciVendorID
	hostpciDeviceID
	hostpciSubVendor
	hostpciSubDevice
	hostpciOptions
)

// hostpciFormat follows $hostpci_fmt of PVE::QemuServer::PCI (driver: 9.0.25).
var hostpciFormat = format{
	hostpciHost:      {name: "host", isDefault: true, valid: pci.ValidSelectors},
	hostpciMapping:   {name: "mapping", valid: validConfigID, code: FaultBadID, message: badConfigID},
	hostpciRomBar:    {name: "rombar", kind: boolean},
	hostpciRomFile:   {name: "romfile", valid: without(",;")},
	hostpciPCIe:      {name: "pcie", kind: boolean},
	hostpciXVGA:      {name: "x-vga", kind: boolean},
	hostpciLegacyIGD: {name: "legacy-igd", kind: boolean},
	hostpciMdev:      {name: "mdev", valid: without("/.:")},
	hostpciDriver:    {name: "driver", enum: []string{"vfio", "keep"}},
	hostpciVendorID:  {name: "vendor-id", valid: validOverride},
	hostpciDeviceID:  {name: "device-id", valid: validOverride},
	hostpciSubVendor: {name: "sub-vendor-id", valid: validOverride},
	hostpciSubDevice: {name: "sub-device-id", valid: validOverride},
}

// ParseHostPCI reads the value of a hostpciN option as the format check of
// Proxmox VE does. The error is a *FormatError.
func ParseHostPCI(value string) (HostPCI, error) {
	var values [hostpciOptions]string
	if err := hostpciFormat.parse(value, values[:]); err != nil {
		return HostPCI{}, err
	}
	h := HostPCI{
		Host: values[hostpciHost], Mapping: values[hostpciMapping],
		RomBar: values[hostpciRomBar], RomFile: values[hostpciRomFile],
		PCIe: values[hostpciPCIe], XVGA: values[hostpciXVGA],
		LegacyIGD: values[hostpciLegacyIGD], Mdev: values[hostpciMdev], Driver: values[hostpciDriver],
		VendorID: values[hostpciVendorID], DeviceID: values[hostpciDeviceID],
		SubVendor: values[hostpciSubVendor], SubDevice: values[hostpciSubDevice],
	}
	if h.Host != "" {
		h.Selectors, _ = pci.ParseSelectors(h.Host)
	}
	return h, nil
}

// Option is one given option of a property string.
type Option struct{ Name, Value string }

// Options gives the options that are set, host and mapping first, the others in
// the order of PVE's documentation.
func (h HostPCI) Options() []Option {
	values := [hostpciOptions]string{
		h.Host, h.Mapping, h.RomBar, h.RomFile, h.PCIe, h.XVGA, h.LegacyIGD,
		h.Mdev, h.Driver, h.VendorID, h.DeviceID, h.SubVendor, h.SubDevice,
	}
	var list []Option
	for i, value := range values {
		if value != "" {
			list = append(list, Option{hostpciFormat[i].name, value})
		}
	}
	return list
}

// String prints the value so that ParseHostPCI reads the same options again.
func (h HostPCI) String() string {
	var b strings.Builder
	for i, option := range h.Options() {
		if i > 0 {
			b.WriteByte(',')
		}
		if option.Name != "host" || i > 0 {
			b.WriteString(option.Name)
			b.WriteByte('=')
		}
		b.WriteString(option.Value)
	}
	return b.String()
}

// Source tells where a hostpci value takes its device from.
type Source int

// The sources. Proxmox VE refuses SourceNone and SourceBoth at VM start.
const (
	SourceNone Source = iota
	SourceHost
	SourceMapping
	SourceBoth
)

// Source tells which of host and mapping is given.
func (h HostPCI) Source() Source {
	switch {
	case h.Host != "" && h.Mapping != "":
		return SourceBoth
	case h.Host != "":
		return SourceHost
	case h.Mapping != "":
		return SourceMapping
	default:
		return SourceNone
	}
}

// Sentences of PVE::QemuServer::PCI::parse_hostpci at VM start.
const (
	MessageBothSources = "Cannot set both 'host' and 'mapping'."
	MessageNoSource    = "Either 'host' or 'mapping' must be set."
)

// SlotKey gives the configuration key of a slot, for example hostpci0.
func SlotKey(slot int) string { return slotKeys[slot] }

var slotKeys = func() (keys [MaxHostPCI]string) {
	for i := range keys {
		keys[i] = "hostpci" + strconv.Itoa(i)
	}
	return keys
}()

// ParseSlotKey gives the slot of a configuration key. ok is false if the key is
// none of hostpci0 to hostpci15, written exactly so.
func ParseSlotKey(key string) (slot int, ok bool) {
	digits, found := strings.CutPrefix(key, "hostpci")
	if !found || len(digits) > 2 || !isDigits(digits) {
		return 0, false
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n >= MaxHostPCI || slotKeys[n] != key {
		return 0, false
	}
	return n, true
}

// CutRemark parts the value of an option from a remark behind it: white space and a
// number sign. Proxmox VE knows no remarks there and takes them for part of the value.
func CutRemark(value string) (before string, remark bool) {
	for i := 1; i < len(value); i++ {
		if value[i] == '#' && (value[i-1] == ' ' || value[i-1] == '\t') {
			before = strings.TrimSpace(value[:i])
			return before, before != ""
		}
	}
	return value, false
}

// Readable is what can be made out of a hostpci value that Proxmox VE refuses:
// which devices it is likely to be about.
type Readable struct {
	Selectors []pci.Selector
	Mappings  []string
}

// ReadRefused looks for addresses and mapping names in the host and mapping
// parts of a value that ParseHostPCI refuses, or that names both or neither.
func ReadRefused(value string) Readable {
	var r Readable
	for part := range strings.SplitSeq(value, ",") {
		part = strings.TrimSpace(part)
		key, rest, keyed := strings.Cut(part, "=")
		key = strings.ToLower(strings.TrimSpace(key))
		switch {
		case !keyed:
			r.Selectors = append(r.Selectors, pci.FindSelectors(part)...)
		case key == "host":
			r.Selectors = append(r.Selectors, pci.FindSelectors(rest)...)
		case key == "mapping":
			if id := strings.TrimSpace(rest); validConfigID(id) {
				r.Mappings = append(r.Mappings, id)
			}
		}
	}
	return r
}

// validConfigID mirrors the format pve-configid of PVE::JSONSchema.
func validConfigID(s string) bool {
	if len(s) < 2 || !isLetter(s[0]) {
		return false
	}
	for i := 1; i < len(s); i++ {
		if c := s[i]; !isLetter(c) && (c < '0' || c > '9') && c != '_' && c != '-' {
			return false
		}
	}
	return true
}

// ValidMappingID tells whether Proxmox VE accepts a text as the id of a mapping.
func ValidMappingID(id string) bool { return validConfigID(id) }

func badConfigID(value string) string { return "invalid configuration ID '" + value + "'" }

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// without gives a check for texts that have none of some characters.
func without(chars string) func(string) bool {
	return func(s string) bool { return !strings.ContainsAny(s, chars) }
}

func validOverride(s string) bool {
	return len(s) == 6 && strings.HasPrefix(s, "0x") && isHexDigits(s[2:])
}

func isHexDigits(s string) bool {
	for i := range len(s) {
		c := s[i]
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') && (c < 'A' || c > 'F') {
			return false
		}
	}
	return s != ""
}
