package pvesim

import "pciatlas/internal/pve"

// DefaultVersion is the version of pve-manager that the vectors were recorded
// with.
const DefaultVersion = "9.2.11"

// release is the version of one node with what it can do. Where a behaviour
// belongs to another package than pve-manager, the version of pve-manager is
// the one that was released together with it.
type release struct {
	text string
	pve.Version
}

func parseRelease(text string) release {
	if text == "" {
		text = DefaultVersion
	}
	version, err := pve.ParseVersion(text)
	if err != nil {
		return parseRelease(DefaultVersion)
	}
	return release{text, version}
}

// mappings: resource mappings and the Mapping.* privileges (PVE 8.0).
func (r release) mappings() bool { return r.AtLeast(8, 0, 0) }

// errorMessages: refusals carry their text in the body, too
// (libpve-http-server-perl 5.2.0).
func (r release) errorMessages() bool { return r.AtLeast(8, 3, 3) }

// guestAgentPrivileges: VM.GuestAgent.* in place of VM.Monitor (PVE 9.0).
func (r release) guestAgentPrivileges() bool { return r.AtLeast(9, 0, 0) }

// haRules: HA rules in place of HA groups (PVE 9.0).
func (r release) haRules() bool { return r.AtLeast(9, 0, 0) }

// auditReadsPCI: Sys.Audit is enough for the device list (pve-manager 7.3-2).
func (r release) auditReadsPCI() bool { return r.AtLeast(7, 3, 2) }

// briefGroups: the device list tells group and mdev without verbose
// (libpve-common-perl 8.2.6).
func (r release) briefGroups() bool { return r.AtLeast(8, 2, 8) }

// functionLinks: the device list tells physfn and virtfns (libpve-common-perl
// 9.1.12).
func (r release) functionLinks() bool { return r.AtLeast(9, 1, 13) }

// mdevChecked: the check of a mapping compares mdev (pve-manager 8.3.6).
func (r release) mdevChecked() bool { return r.AtLeast(8, 3, 6) }

// liveMigration: mappings know live-migration-capable (PVE 8.4).
func (r release) liveMigration() bool { return r.AtLeast(8, 4, 0) }

// driverOption: hostpci knows driver= (qemu-server 9.0.25).
func (r release) driverOption() bool { return r.AtLeast(9, 1, 0) }

// romfileChecked: only root sets romfile, for mapped devices, too (qemu-server
// 9.2.6).
func (r release) romfileChecked() bool { return r.AtLeast(9, 2, 11) }

// hostMemory: statistics of guests hold memhost (PVE 9.0).
func (r release) hostMemory() bool { return r.AtLeast(9, 0, 0) }

// classBlacklist is the default of pci-class-blacklist.
func (r release) classBlacklist() string {
	if r.AtLeast(7, 0, 9) {
		return "05;06;0b"
	}
	return "05;06;08;0b"
}
