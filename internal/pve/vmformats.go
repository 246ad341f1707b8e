package pve

import (
	"errors"
	"slices"
	"strings"
)

// accept checks a value against the format; the error is a *FormatError.
func (f format) accept(value string) error {
	values := make([]string, len(f))
	if err := f.parse(value, values); err != nil {
		return err
	}
	return nil
}

// values gives the given options of a property string that the format accepts.
func (f format) options(value string) (map[string]string, error) {
	values := make([]string, len(f))
	if err := f.parse(value, values); err != nil {
		return nil, err
	}
	given := make(map[string]string, len(f))
	for i, v := range values {
		if v != "" {
			given[f[i].name] = v
		}
	}
	return given, nil
}

var machineFormat = format{
	{name: "type", isDefault: true, valid: validMachineType, maxLength: 40},
	{name: "viommu", enum: []string{"intel", "virtio"}},
	{name: "aw-bits", kind: number, min: 32, max: 64},
	{name: "enable-s3", kind: boolean},
	{name: "enable-s4", kind: boolean},
}

var vgaFormat = format{
	{name: "type", isDefault: true, enum: []string{
		"cirrus", "qxl", "qxl2", "qxl3", "qxl4", "none", "serial0", "serial1", "serial2", "serial3",
		"std", "virtio", "virtio-gl", "vmware",
	}},
	{name: "memory", kind: integer, min: 4, max: 512},
	{name: "clipboard", enum: []string{"vnc"}},
}

var memoryFormat = format{
	{name: "current", isDefault: true, required: true, kind: integer, min: 16},
}

var agentFormat = format{
	{name: "enabled", isDefault: true, required: true, kind: boolean},
	{name: "fstrim_cloned_disks", kind: boolean},
	{name: "freeze-fs", kind: boolean},
	{name: "freeze-fs-on-backup", kind: boolean},
	{name: "guest-fsfreeze", kind: boolean},
	{name: "type", enum: []string{"virtio", "isa"}},
}

// cpuFormat leaves the names of models alone: custom ones are defined elsewhere.
var cpuFormat = format{
	{name: "cputype", isDefault: true},
	{name: "reported-model"},
	{name: "hidden", kind: boolean},
	{name: "hv-vendor-id", valid: func(s string) bool { return len(s) <= 12 && validToken(s) }},
	{name: "flags"},
	{name: "phys-bits"},
	{name: "guest-phys-bits", kind: integer, min: 32, max: 64},
	{name: "level", kind: integer},
}

var watchdogFormat = format{
	{name: "model", isDefault: true, enum: []string{"i6300esb", "ib700"}},
	{name: "action", enum: []string{"reset", "shutdown", "poweroff", "pause", "debug", "none"}},
}

var ivshmemFormat = format{
	{name: "size", required: true, kind: integer, min: 1},
	{name: "name", valid: validToken},
}

var audioFormat = format{
	{name: "device", required: true, enum: []string{"ich9-intel-hda", "intel-hda", "AC97"}},
	{name: "driver", enum: []string{"spice", "none"}},
}

var spiceFormat = format{
	{name: "foldersharing", kind: boolean},
	{name: "videostreaming", enum: []string{"off", "all", "filter"}},
}

var rngFormat = format{
	{name: "source", isDefault: true, required: true, enum: []string{"/dev/urandom", "/dev/random", "/dev/hwrng"}},
	{name: "max_bytes", kind: integer},
	{name: "period", kind: integer},
}

func validToken(s string) bool {
	for i := range len(s) {
		if c := s[i]; !isLetter(c) && (c < '0' || c > '9') && c != '-' && c != '_' {
			return false
		}
	}
	return s != ""
}

// validMachineType mirrors the pattern of PVE::QemuServer::Machine: pc, q35 and
// virt, alone or with a version, which may end in +pveN and .pxe.
func validMachineType(s string) bool {
	switch s {
	case "pc", "q35", "virt":
		return true
	}
	if rest, ok := strings.CutPrefix(s, "virt"); ok {
		if version, ok := strings.CutPrefix(rest, "-"); ok {
			rest = cutVersion(version)
		}
		return rest == "" || strings.HasPrefix(rest, "+pve") && isDigits(rest[4:])
	}
	for _, prefix := range []string{"pc-i440fx-", "pc-q35-", "pc-"} {
		if version, ok := strings.CutPrefix(s, prefix); ok {
			rest := cutVersion(version)
			if rest == version {
				continue
			}
			rest = strings.TrimSuffix(rest, ".pxe")
			return rest == "" || strings.HasPrefix(rest, "+pve") && isDigits(rest[4:])
		}
	}
	return false
}

// cutVersion removes a version of at least two numbers from the front; the text
// comes back unchanged if there is none.
func cutVersion(s string) string {
	rest := strings.TrimLeft(s, "0123456789")
	if rest == s {
		return s
	}
	numbers := 1
	for len(rest) > 1 && rest[0] == '.' && rest[1] >= '0' && rest[1] <= '9' {
		rest = strings.TrimLeft(rest[1:], "0123456789")
		numbers++
	}
	if numbers < 2 {
		return s
	}
	return rest
}

var (
	errDNSName    = errors.New("value does not look like a valid DNS name")
	errTag        = errors.New("invalid characters in tag")
	errStartup    = errors.New("unable to parse startup options")
	errVolumeID   = errors.New("unable to parse volume ID")
	errHotplug    = errors.New("invalid hotplug features")
	errURLEncoded = errors.New("invalid urlencoded string")
)

func checkDNSName(s string) error {
	for label := range strings.SplitSeq(s, ".") {
		if !validNodeName(label) {
			return errDNSName
		}
	}
	return nil
}

func checkConfigID(s string) error {
	if !validConfigID(s) {
		return errors.New(badConfigID(s))
	}
	return nil
}

// SplitList splits as PVE::Tools::split_list does: at commas, semicolons and
// white space, without empty parts.
func SplitList(s string) []string {
	return strings.FieldsFunc(s, func(c rune) bool {
		return c == ',' || c == ';' || c == 0 || c < 128 && isSpace(byte(c))
	})
}

func checkTags(s string) error {
	for _, tag := range SplitList(s) {
		for i := range len(tag) {
			c := tag[i]
			word := isLetter(c) || c >= '0' && c <= '9' || c == '_'
			if !word && (i == 0 || c != '-' && c != '+' && c != '.') {
				return errTag
			}
		}
	}
	return nil
}

func checkStartup(s string) error {
	for part := range strings.SplitSeq(s, ",") {
		if blank(part) {
			continue
		}
		digits := part
		for _, key := range []string{"order=", "up=", "down="} {
			if rest, ok := strings.CutPrefix(part, key); ok {
				digits = rest
			}
		}
		if !isDigits(digits) {
			return errStartup
		}
	}
	if s == "0" {
		return errStartup
	}
	return nil
}

func checkVolumeID(s string) error {
	storage, volume, found := strings.Cut(s, ":")
	if !found || volume == "" || len(storage) < 2 || !isLetter(storage[0]) {
		return errVolumeID
	}
	for i := range len(storage) {
		c := storage[i]
		word := isLetter(c) || c >= '0' && c <= '9'
		if !word && (i == len(storage)-1 || c != '-' && c != '_' && c != '.') {
			return errVolumeID
		}
	}
	return nil
}

func checkHotplug(s string) error {
	if s == "0" || s == "1" {
		return nil
	}
	for _, feature := range SplitList(s) {
		if !slices.Contains([]string{"network", "disk", "cpu", "memory", "usb", "cloudinit"}, feature) {
			return errHotplug
		}
	}
	return nil
}

func checkURLEncoded(s string) error {
	for i := range len(s) {
		c := s[i]
		if !isLetter(c) && (c < '0' || c > '9') && !strings.ContainsRune("-%_.!~*'()", rune(c)) {
			return errURLEncoded
		}
	}
	return nil
}
