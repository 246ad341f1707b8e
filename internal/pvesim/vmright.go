package pvesim

import (
	"strconv"
	"strings"

	"pciatlas/internal/pve"
)

// rootUser is the only one that may do certain things. None of its tokens is it.
const rootUser = "root@pam"

// configPrivileges are those any of which lets a user into the configuration of
// a VM; which keys may be changed is decided for each.
var configPrivileges = []string{
	"VM.Config.Disk", "VM.Config.CDROM", "VM.Config.CPU", "VM.Config.Memory", "VM.Config.Network", "VM.Config.HWType",
	"VM.Config.Options", "VM.Config.Cloudinit",
}

// mayConfigure refuses who may change nothing of a VM.
func mayConfigure(c *call, param func(string) string) *apiError {
	return c.needAny("/vms/"+param("vmid"), configPrivileges...)
}

// needAny refuses who holds none of the privileges on a path.
func (c *call) needAny(path string, privileges ...string) *apiError {
	if c.access.has(c.subject, path, privileges...) {
		return nil
	}
	return forbidden(path + ", " + strings.Join(privileges, "|"))
}

// keyPrivileges are the privileges that keys need, by key without its number.
var keyPrivileges = privilegesByKey(map[string]string{
	"VM.Config.CPU":    "cores cpu cpulimit cpuunits numa smp sockets vcpus",
	"VM.Config.Memory": "memory balloon shares allow-ksm",
	"VM.Config.HWType": "acpi hotplug kvm machine scsihw smbios tablet vga watchdog audio rng",
	"VM.Config.Options": "agent autostart bios description keyboard localtime migrate_downtime migrate_speed name onboot ostype " +
		"protection reboot startdate startup tdf template",
	"VM.PowerMgmt":      "freeze",
	"VM.Config.Disk":    "boot bootdisk vmstatestorage",
	"VM.Config.Network": "net",
})

func privilegesByKey(keys map[string]string) map[string]string {
	index := map[string]string{}
	for privilege, list := range keys {
		for key := range strings.FieldsSeq(list) {
			index[key] = privilege
		}
	}
	return index
}

// mayChange refuses keys that the user may not change whatever their values are.
func (u *vmUpdate) mayChange(keys []string) error {
	if u.subject == rootUser {
		return nil
	}
	path := "/vms/" + strconv.Itoa(u.vmid())
	for _, key := range keys {
		stem := strings.TrimRight(key, "0123456789")
		switch {
		case dependsOnValue(key) && (stem != "hostpci" || u.release.mappings()):
			continue
		case stem == "ipconfig" || fastPlug[key] && keyPrivileges[key] == "" && key != "hookscript" && key != "lock":
			if err := u.needAny(path, "VM.Config.Cloudinit", "VM.Config.Network"); err != nil {
				return err
			}
		case keyPrivileges[stem] == "":
			return failure("only root can set '%s' config", key)
		default:
			if err := u.needAny(path, keyPrivileges[stem]); err != nil {
				return err
			}
		}
		if key == "startup" {
			if err := u.needAny("/", "Sys.Modify"); err != nil {
				return err
			}
		}
	}
	return nil
}

// dependsOnValue tells the keys whose values decide who may change them.
func dependsOnValue(key string) bool {
	switch strings.TrimRight(key, "0123456789") {
	case "unused", "serial", "usb", "hostpci", "virtiofs", "tags", "cdrom", "efidisk", "tpmstate":
		return true
	default:
		return pve.IsDiskKey(key)
	}
}

// mayHold refuses a value of a key, old or new, that the user may not touch.
func (u *vmUpdate) mayHold(key, value string) error {
	if u.subject == rootUser {
		return nil
	}
	path := "/vms/" + strconv.Itoa(u.vmid())
	refused := (*apiError)(nil)
	switch stem := strings.TrimRight(key, "0123456789"); {
	case stem == "hostpci":
		return u.mayPass(key, value, path)
	case stem == "serial" && value != "socket", stem == "usb" && !strings.Contains(value, "mapping="):
		return failure("only root can set '%s' config for real devices", key)
	case stem == "serial", stem == "usb":
		refused = u.needAny(path, "VM.Config.HWType")
	case key == "tags":
		refused = u.needAny(path, "VM.Config.Options")
	case stem == "efidisk", stem == "tpmstate", stem == "unused", stem == "virtiofs", pve.IsDiskKey(key) && pve.HoldsDisk(value):
		refused = u.needAny(path, "VM.Config.Disk")
	case pve.IsDiskKey(key):
		refused = u.needAny(path, "VM.Config.CDROM")
	}
	if refused != nil {
		return refused
	}
	return nil
}

// mayPass is the rule for hostpci lines (check_hostpci_perm): raw addresses are
// the user root's alone, mappings need the right to use them.
func (u *vmUpdate) mayPass(key, value, path string) error {
	line, err := pve.ParseHostPCI(value)
	switch {
	case err != nil:
		return failure("%v", err)
	case line.Host != "":
		return failure("only root can set '%s' config for non-mapped devices", key)
	case line.Mapping == "":
		return failure("either 'host' or 'mapping' must be set.")
	}
	if refused := u.needAny("/mapping/pci/"+line.Mapping, "Mapping.Use"); refused != nil {
		return refused
	}
	if refused := u.needAny(path, "VM.Config.HWType"); refused != nil {
		return refused
	}
	if line.RomFile != "" && u.release.romfileChecked() {
		return badParams(map[string]string{key: `only root@pam can set 'romfile' option`})
	}
	return nil
}
