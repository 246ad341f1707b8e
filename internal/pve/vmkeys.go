package pve

import (
	"strconv"
	"strings"
)

// keySpec says how Proxmox VE reads the value of one configuration key: its type
// and, for text, its format. A nil check takes any text: either the schema has
// no format (lock, bios and ostype are not checked on reading), or the value
// does not matter to passthrough and is taken as it stands.
type keySpec struct {
	kind  valueKind
	check func(value string) error
}

var (
	plainText    = keySpec{kind: text}
	booleanValue = keySpec{kind: boolean}
	integerValue = keySpec{kind: integer}
	numberValue  = keySpec{kind: number}
)

// vmKeys follows $confdesc of PVE::QemuServer (9.2).
var vmKeys = map[string]keySpec{
	"acpi": booleanValue, "affinity": plainText, "agent": {check: agentFormat.accept},
	"allow-ksm": booleanValue, "amd-sev": plainText, "arch": plainText, "args": plainText,
	"audio0": {check: audioFormat.accept}, "autostart": booleanValue, "balloon": integerValue,
	"bios": plainText, "boot": plainText, "bootdisk": plainText, "cdrom": plainText,
	"cicustom": plainText, "cipassword": plainText, "citype": plainText, "ciupgrade": booleanValue,
	"ciuser": plainText, "cores": integerValue, "cpu": {check: cpuFormat.accept},
	"cpulimit": numberValue, "cpuunits": integerValue, "description": plainText,
	"efidisk0": plainText, "freeze": booleanValue, "hookscript": {check: checkVolumeID},
	"hotplug": {check: checkHotplug}, "hugepages": plainText, "intel-tdx": plainText,
	"ivshmem": {check: ivshmemFormat.accept}, "keephugepages": booleanValue, "keyboard": plainText,
	"kvm": booleanValue, "localtime": booleanValue, "lock": plainText,
	"machine": {check: machineFormat.accept}, "memory": {check: memoryFormat.accept},
	"meta": plainText, "migrate_downtime": numberValue, "migrate_speed": integerValue,
	"name": {check: checkDNSName}, "nameserver": plainText, "numa": booleanValue,
	"onboot": booleanValue, "ostype": plainText, "parent": {check: checkConfigID},
	"protection": booleanValue, "reboot": booleanValue, "rng0": {check: rngFormat.accept},
	"running-nets-host-mtu": plainText, "runningcpu": plainText, "runningmachine": {check: machineFormat.accept},
	"scsihw": plainText, "searchdomain": plainText, "shares": integerValue, "smbios1": plainText,
	"smp": integerValue, "snaptime": integerValue, "sockets": integerValue,
	"spice_enhancements": {check: spiceFormat.accept}, "sshkeys": {check: checkURLEncoded},
	"startdate": plainText, "startup": {check: checkStartup}, "tablet": booleanValue,
	"tags": {check: checkTags}, "tdf": booleanValue, "template": booleanValue, "tpmstate0": plainText,
	"vcpus": integerValue, "vga": {check: vgaFormat.accept}, "vmgenid": plainText,
	"vmstate": {check: checkVolumeID}, "vmstatestorage": plainText,
	"watchdog": {check: watchdogFormat.accept},
}

// vmKeyFamilies are the keys that carry a number, with how many there are.
var vmKeyFamilies = map[string]struct {
	count int
	spec  keySpec
}{
	"hostpci":  {MaxHostPCI, keySpec{check: checkHostPCI}},
	"ide":      {4, plainText},
	"ipconfig": {32, plainText},
	"net":      {32, plainText},
	"numa":     {8, plainText},
	"parallel": {3, plainText},
	"sata":     {6, plainText},
	"scsi":     {31, plainText},
	"serial":   {4, plainText},
	"unused":   {256, plainText},
	"usb":      {14, plainText},
	"virtio":   {16, plainText},
	"virtiofs": {10, plainText},
}

// lookupVMKey gives the specification of a key; ok is false for keys that
// Proxmox VE does not know, numbers out of range and numbers written with zeros
// in front included.
func lookupVMKey(key string) (keySpec, bool) {
	if spec, ok := vmKeys[key]; ok {
		return spec, true
	}
	stem := strings.TrimRight(key, "0123456789")
	family, ok := vmKeyFamilies[stem]
	if !ok {
		return keySpec{}, false
	}
	digits := key[len(stem):]
	if !isDigits(digits) || len(digits) > 3 || (len(digits) > 1 && digits[0] == '0') {
		return keySpec{}, false
	}
	n, err := strconv.Atoi(digits)
	return family.spec, err == nil && n < family.count
}

// NumericKey tells whether the API answers the key's value as a JSON number.
func NumericKey(key string) bool {
	spec, ok := lookupVMKey(key)
	return ok && (spec.kind == boolean || spec.kind == integer)
}

// IsDiskKey tells whether a key is a drive that can hold a disk.
func IsDiskKey(key string) bool {
	switch strings.TrimRight(key, "0123456789") {
	case "ide", "sata", "scsi", "virtio":
		_, ok := lookupVMKey(key)
		return ok
	default:
		return false
	}
}

// HoldsDisk tells whether the value of a drive key is a disk: neither an optical
// drive nor empty.
func HoldsDisk(value string) bool {
	file, options, _ := strings.Cut(value, ",")
	file = strings.TrimPrefix(file, "file=")
	if file == "none" || file == "cdrom" {
		return false
	}
	for option := range strings.SplitSeq(options, ",") {
		if option == "media=cdrom" {
			return false
		}
	}
	return true
}

// BacksUp tells whether a backup of a VM holds the volume of a key: a disk that is
// not left out with backup=0, the state of a TPM, and the variables of OVMF where
// that is the VM's bios (PVE::QemuConfig::get_backup_volumes).
func BacksUp(key, value, bios string) bool {
	switch {
	case key == "tpmstate0", key == "efidisk0" && bios == "ovmf":
		return HoldsDisk(value)
	case !IsDiskKey(key) || !HoldsDisk(value):
		return false
	}
	_, options, _ := strings.Cut(value, ",")
	for option := range strings.SplitSeq(options, ",") {
		name, setting, _ := strings.Cut(option, "=")
		if on, ok := ParseBool(setting); name == "backup" && ok && !on {
			return false
		}
	}
	return true
}

func checkHostPCI(value string) error {
	var values [hostpciOptions]string
	if err := hostpciFormat.parse(value, values[:]); err != nil {
		return err
	}
	return nil
}
