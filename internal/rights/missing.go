package rights

import (
	"strings"

	"pciatlas/internal/pve"
)

// Gap is one privilege that a full answer needs and a credential lacks.
type Gap struct {
	Privilege string
	Path      string
	// Propagation: the privilege is held on the path itself, and lacking is only
	// its propagation to what lies below.
	Propagation bool
	// Cost says in one sentence what its absence costs.
	Cost string
}

// Missing gives the privileges that a full answer needs and the credential lacks:
// for the device lists, the VMs, the mappings and the proof that nothing is hidden,
// in this order. A path is left out where one above it is already named. The list is
// empty if and only if the devices of every node may be read and no path is known
// from which a VM or mapping is hidden, and the access rules may be read.
func Missing(r Shown) []Gap {
	v := viewOf(r)
	var gaps []Gap
	if !v.holds(rootPath, pve.SysAudit, pve.SysModify) {
		gaps = append(gaps, Gap{Privilege: pve.SysAudit, Path: rootPath, Cost: "The PCI devices of every node are refused."})
	}
	for _, f := range topmost(vmFaults(v)) {
		gaps = append(gaps, f.gap(pve.VMAudit, "VM"))
	}
	for _, f := range topmost(mappingFaults(v)) {
		gaps = append(gaps, f.gap(pve.MappingAudit, "mapping"))
	}
	if !v.holds(accessPath, pve.SysAudit) {
		gaps = append(gaps, Gap{
			Privilege: pve.SysAudit, Path: accessPath,
			Cost: "The access rules are shown only in part, so it cannot be proven that nothing is hidden.",
		})
	}
	return gaps
}

// gap says what a fault costs.
func (f fault) gap(privilege, what string) Gap {
	gap := Gap{Privilege: privilege, Path: f.path, Propagation: f.held}
	switch {
	case f.held:
		gap.Cost = "Any " + what + " below " + f.path + " may be left out of the lists, and no error says so."
	case f.path == rootPath:
		gap.Cost = "Any " + what + " may be left out of the lists, and no error says so."
	default:
		gap.Cost = upper(hidden(f.path, what)) + " may be left out of the lists, and no error says so."
	}
	return gap
}

// topmost leaves out the faults below other faults: they may well be the same one.
func topmost(faults []fault) []fault {
	var top []fault
	for _, f := range faults {
		if !belowAny(f.path, faults) {
			top = append(top, f)
		}
	}
	return top
}

func belowAny(path string, faults []fault) bool {
	for _, f := range faults {
		if path != f.path && strings.HasPrefix(path, strings.TrimSuffix(f.path, "/")+"/") {
			return true
		}
	}
	return false
}

func upper(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
