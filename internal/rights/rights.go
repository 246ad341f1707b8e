// Package rights says what a credential of the API can see: whether it is proven
// that no VM and no mapping is hidden from it, which privileges it lacks and what
// that costs, and the commands that grant them. Proxmox VE shortens its lists
// silently, so this is what keeps a short list from being taken for all there is.
//
// The package is pure; it may import facts, pve and pci. The computation and
// everything that shows its results may import it; the simulated Proxmox VE must
// not, because it judges by an evaluator of its own.
package rights

import (
	"slices"

	"pciatlas/internal/pve"
)

// State says how sure it is that nothing is hidden.
type State string

// The states of a verdict.
const (
	Proven   State = "proven"
	Assumed  State = "assumed"  // nothing speaks against it, but the access rules were not all shown
	Unproven State = "unproven" // a path is known from which something may be hidden
)

// Verdict says how sure it is that nothing is hidden, and why not. It is the same
// for every node, because no right on a node hides a VM or a mapping.
type Verdict struct {
	State State
	// Fault is the path of the permission tree that a person should look at first:
	// the one that breaks the proof, or /access if only the access rules are
	// missing. It is empty for Proven.
	Fault string
	// Reason is one sentence that says what to do about it; empty for Proven.
	Reason string
}

// VMs says whether every VM and container is visible to a credential.
//
// It is proven if VM.Audit propagates from /, /vms and /pool, is held on every path
// below /vms and propagates from every path below /pool, as far as the permissions
// list them or the access rules name them, and if the access rules were all shown.
//
// Below /pool, to hold it is not enough: a pool may have pools in it, which PVE does
// not list unless a rule names them. A user's rule that does not propagate leaves
// them to the rule it covers, such as a NoAccess of a group (PVE::AccessControl,
// roles; PVE::RPCEnvironment, permissions and get_effective_permissions).
//
// The rights are those of a read that was answered: an empty tree is taken to mean
// that the credential holds nothing.
func VMs(r Shown) Verdict {
	v := viewOf(r)
	return v.judge(vmFaults(v), "VM", pve.VMAudit)
}

// Mappings says whether every PCI mapping is visible to a credential. Any of
// Mapping.Audit, Mapping.Use and Mapping.Modify shows a mapping.
//
// PVE lists /mapping and /mapping/pci only if an access rule names them or a path
// below. The deepest of /, /mapping and /mapping/pci that is there decides about all
// mappings without a rule of their own: from there the privilege must propagate. It
// must also be held on the path of every single mapping that the permissions list or
// the access rules name, and the access rules must have been all shown.
//
// The rights are those of a read that was answered, as for VMs.
func Mappings(r Shown) Verdict {
	v := viewOf(r)
	return v.judge(mappingFaults(v), "mapping", pve.MappingAudit)
}

// SeesNothing tells whether a credential holds no privilege at all: every list that
// it reads is then empty, without an error. That is how a token with privilege
// separation starts.
func SeesNothing(r Shown) bool {
	for _, privileges := range r.Permissions {
		if len(privileges) > 0 {
			return false
		}
	}
	return true
}

// judge makes the verdict about one kind of thing from the faults that were found.
func (v view) judge(faults []fault, what, privilege string) Verdict {
	switch {
	case len(faults) > 0:
		return Verdict{Unproven, faults[0].path, faults[0].reason(what, privilege)}
	case !v.holds(accessPath, pve.SysAudit):
		return Verdict{
			Assumed, accessPath, "The access rules are shown only in part: grant Sys.Audit on " + accessPath +
				" to prove that no " + what + " is hidden.",
		}
	case !v.answered:
		return Verdict{
			Assumed, accessPath, "The access rules could not be read, though the credential may read them: " +
				"scan again to prove that no " + what + " is hidden.",
		}
	default:
		return Verdict{State: Proven}
	}
}

// vmFaults finds the paths from which VMs may be hidden, the first to look at first.
func vmFaults(v view) []fault {
	paths := slices.Concat([]string{rootPath, vmsPath, poolPath}, v.below(poolPath))
	faults := v.notPropagating(paths, pve.VMAudit)
	return append(faults, v.notHeld(v.below(vmsPath), pve.VMAudit)...)
}

// mappingFaults finds the paths from which PCI mappings may be hidden, the first to
// look at first.
func mappingFaults(v view) []fault {
	spine := []string{rootPath}
	for _, path := range []string{mappingPath, pciPath} {
		if v.touched[path] {
			spine = append(spine, path)
		}
	}
	var faults []fault
	if decides := spine[len(spine)-1]; !v.propagates(decides, mappingPrivileges...) {
		faults = v.notPropagating(spine, mappingPrivileges...)[:1]
	}
	return append(faults, v.notHeld(v.below(pciPath), mappingPrivileges...)...)
}
