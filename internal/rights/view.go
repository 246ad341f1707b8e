package rights

import (
	"cmp"
	"slices"
	"strings"

	"pciatlas/internal/pve"
)

// The paths that decide. PVE always lists /, /vms and /pool, unless nothing is held
// on them; /mapping and /mapping/pci only if an access rule touches them.
const (
	rootPath    = "/"
	accessPath  = "/access"
	vmsPath     = "/vms"
	poolPath    = "/pool"
	mappingPath = "/mapping"
	pciPath     = "/mapping/pci"
)

// mappingPrivileges are those of which any one shows a mapping.
var mappingPrivileges = []string{pve.MappingAudit, pve.MappingUse, pve.MappingModify}

// view is what a credential is told about itself, by path in PVE's normal form.
type view struct {
	tree pve.PermissionTree
	// touched are the paths that the tree lists or the access rules name, and all
	// that lie above them: an access rule on a path makes PVE consider those too.
	touched map[string]bool
	// answered: the access rules were read, as far as PVE shows them.
	answered bool
}

// Shown is what a credential was shown of itself and of the access rules.
type Shown struct {
	// User is USER@REALM!NAME of a token or USER@REALM; "" if not known.
	User string
	// Permissions is the answer of GET /access/permissions.
	Permissions pve.PermissionTree
	// Rules is the answer of GET /access/acl, as far as it was read. RulesWhole: it
	// was answered and read as a whole; that Proxmox VE may have left rules out of
	// the answer is judged here, from Permissions.
	Rules      []pve.ACLEntry
	RulesWhole bool
}

func viewOf(r Shown) view {
	v := view{tree: pve.PermissionTree{}, touched: map[string]bool{}}
	for path, privileges := range r.Permissions {
		v.list(normal(path), privileges)
	}
	for path := range v.tree {
		v.touch(path)
	}
	for _, rule := range r.Rules {
		v.touch(normal(rule.Path))
	}
	v.answered = r.RulesWhole
	return v
}

// list takes in one listed path. Where two spellings name one path, which PVE does
// not do, only what both say counts.
func (v view) list(path string, privileges map[string]bool) {
	before, twice := v.tree[path]
	listed := map[string]bool{}
	for privilege, propagates := range privileges {
		if other, held := before[privilege]; held || !twice {
			listed[privilege] = propagates && (other || !twice)
		}
	}
	v.tree[path] = listed
}

func (v view) touch(path string) {
	for ; path != "" && !v.touched[path]; path = path[:strings.LastIndexByte(path, '/')] {
		v.touched[path] = true
	}
}

// below gives the touched paths below another: shallow ones first, short ones first,
// so that VM 99 comes before VM 100.
func (v view) below(path string) []string {
	var paths []string
	for touched := range v.touched {
		if strings.HasPrefix(touched, path+"/") {
			paths = append(paths, touched)
		}
	}
	slices.SortFunc(paths, func(a, b string) int {
		return cmp.Or(
			cmp.Compare(strings.Count(a, "/"), strings.Count(b, "/")),
			cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	})
	return paths
}

// holds tells whether any of the privileges is held on a path that the tree lists.
func (v view) holds(path string, privileges ...string) bool {
	return slices.ContainsFunc(privileges, func(p string) bool { return v.tree.Holds(path, p) })
}

// propagates tells whether any of them is held there and on everything below.
func (v view) propagates(path string, privileges ...string) bool {
	return slices.ContainsFunc(privileges, func(p string) bool { return v.tree.Propagates(path, p) })
}

// notPropagating finds those of the paths from which none of the privileges
// propagates.
func (v view) notPropagating(paths []string, privileges ...string) []fault {
	var faults []fault
	for _, path := range paths {
		if !v.propagates(path, privileges...) {
			faults = append(faults, fault{path, v.holds(path, privileges...)})
		}
	}
	return faults
}

// notHeld finds those of the paths on which none of the privileges is held.
func (v view) notHeld(paths []string, privileges ...string) []fault {
	var faults []fault
	for _, path := range paths {
		if !v.holds(path, privileges...) {
			faults = append(faults, fault{path: path})
		}
	}
	return faults
}

// normal gives a path as PVE keeps it: /vms for vms, //vms and /vms/ (PVE::AccessControl,
// normalize_path).
func normal(path string) string {
	parts := strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
	return "/" + strings.Join(parts, "/")
}
