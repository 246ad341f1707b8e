package rights_test

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"pciatlas/internal/pve"
	"pciatlas/internal/rights"
)

// applying gives the roles of one rule set that count, from on the path itself or
// from above it.
func applying(roles map[string]bool, onPath bool) map[string]bool {
	counting := map[string]bool{}
	for role, propagate := range roles {
		if onPath || propagate {
			counting[role] = propagate
		}
	}
	return counting
}

// rolesAt gives a subject's roles on a path without regard to pools: those of the
// deepest path that has any for it, and there its own before those of its groups.
func (w *world) rolesAt(subject, path string) map[string]bool {
	for at := path; ; at = above(at) {
		found := applying(w.rules[at][subject], at == path)
		if len(found) == 0 {
			for _, group := range slices.Sorted(maps.Keys(w.groups)) {
				if w.groups[group][subject] {
					maps.Copy(found, applying(w.rules[at]["@"+group], at == path))
				}
			}
		}
		if propagate, none := found["NoAccess"]; none {
			return map[string]bool{"NoAccess": propagate}
		}
		if len(found) > 0 || at == "/" {
			return found
		}
	}
}

func above(path string) string {
	return "/" + strings.TrimPrefix(path[:strings.LastIndex(path, "/")], "/")
}

// members gives the pool paths that a VM or a storage belongs to.
func (w *world) members(path string) []string {
	var pools []string
	for pool, vms := range w.pools {
		for _, vm := range vms {
			if path == "/vms/"+strconv.Itoa(vm) {
				pools = append(pools, "/pool/"+pool)
			}
		}
		for _, storage := range w.storages[pool] {
			if path == "/storage/"+storage {
				pools = append(pools, "/pool/"+pool)
			}
		}
	}
	return pools
}

// own gives what a user or token is granted on a path, before a token is cut down to
// what its user has.
func (w *world) own(subject, path string) map[string]bool {
	roles := w.rolesAt(subject, path)
	fromPool := map[string]bool{}
	for _, pool := range w.members(path) {
		for role := range w.rolesAt(subject, pool) {
			fromPool[role] = false
		}
	}
	_, denied := roles["NoAccess"]
	_, deniedByPool := fromPool["NoAccess"]
	if denied || deniedByPool {
		return map[string]bool{}
	}
	maps.Copy(fromPool, roles) // a role that comes from a pool alone does not propagate
	held := map[string]bool{}
	for role, propagate := range fromPool {
		for _, privilege := range w.roles[role] {
			held[privilege] = held[privilege] || propagate
		}
	}
	return held
}

// privileges gives what a principal holds on a path, with the propagate flag.
func (w *world) privileges(principal, path string) map[string]bool {
	user, _, isToken := strings.Cut(principal, "!")
	separated := isToken && w.separated[principal]
	switch {
	case !separated && user == "root@pam":
		return set(w.roles["Administrator"])
	case !separated:
		return w.own(user, path)
	case user == "root@pam":
		return w.own(principal, path)
	}
	both, ofUser := map[string]bool{}, w.own(user, path)
	for privilege, propagate := range w.own(principal, path) {
		if other, held := ofUser[privilege]; held {
			both[privilege] = propagate && other
		}
	}
	return both
}

// considered gives the paths that PVE looks at for GET /access/permissions.
func (w *world) considered() []string {
	paths := set([]string{"/", "/access", "/access/groups", "/nodes", "/pool", "/sdn", "/storage", "/vms"})
	for path := range w.rules {
		for ; path != "/"; path = above(path) {
			paths[path] = true
		}
	}
	for pool, vms := range w.pools {
		for _, vm := range vms {
			paths["/vms/"+strconv.Itoa(vm)] = true
		}
		for _, storage := range w.storages[pool] {
			paths["/storage/"+storage] = true
		}
	}
	return slices.Sorted(maps.Keys(paths))
}

// permissions answers GET /access/permissions.
func (w *world) permissions(principal string) pve.PermissionTree {
	tree := pve.PermissionTree{}
	for _, path := range w.considered() {
		if held := w.privileges(principal, path); len(held) > 0 {
			tree[path] = held
		}
	}
	return tree
}

// acl answers GET /access/acl, and tells whether that is all there is.
func (w *world) acl(principal string) ([]pve.ACLEntry, bool) {
	entries := []pve.ACLEntry{}
	_, audits := w.privileges(principal, "/access")["Sys.Audit"]
	for _, path := range slices.Sorted(maps.Keys(w.rules)) {
		if !audits && !w.mayModify(principal, path) {
			continue
		}
		for subject, roles := range w.rules[path] {
			for role, propagate := range roles {
				entries = append(entries, entry(path, subject, role, propagate))
			}
		}
	}
	return entries, audits
}

func entry(path, subject, role string, propagate bool) pve.ACLEntry {
	kind := "user"
	if group, is := strings.CutPrefix(subject, "@"); is {
		kind, subject = "group", group
	} else if strings.Contains(subject, "!") {
		kind = "token"
	}
	return pve.ACLEntry{Path: path, Type: kind, Subject: subject, Role: role, Propagate: propagate}
}

// mayModify tells whether a principal may change the rules of a path, and so sees them.
func (w *world) mayModify(principal, path string) bool {
	held := w.privileges(principal, path)
	for prefix, privilege := range map[string]string{
		"/": "Permissions.Modify", "/storage/": "Datastore.Allocate", "/vms/": "VM.Allocate", "/pool/": "Pool.Allocate",
	} {
		if _, ok := held[privilege]; ok && strings.HasPrefix(path, prefix) {
			return true
		}
	}
	return false
}

// rights gives what a principal is told about itself.
func (w *world) rights(principal string) rights.Shown {
	entries, whole := w.acl(principal)
	return rights.Shown{
		User: principal, Permissions: w.permissions(principal),
		Rules: entries, RulesWhole: whole,
	}
}

// seesVM and seesMapping tell the truth about one thing.
func (w *world) seesVM(principal string, vmid int) bool {
	_, held := w.privileges(principal, "/vms/"+strconv.Itoa(vmid))["VM.Audit"]
	return held
}

func (w *world) seesMapping(principal, id string) bool {
	held := w.privileges(principal, "/mapping/pci/"+id)
	for _, privilege := range []string{"Mapping.Audit", "Mapping.Use", "Mapping.Modify"} {
		if _, ok := held[privilege]; ok {
			return true
		}
	}
	return false
}

// readsDevices tells whether the device list of a node is answered.
func (w *world) readsDevices(principal string) bool {
	held := w.privileges(principal, "/")
	_, audit := held["Sys.Audit"]
	_, modify := held["Sys.Modify"]
	return audit || modify
}
