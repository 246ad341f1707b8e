package pvesim

import (
	"maps"
	"slices"
	"strings"
)

// privileges are what a subject holds on one path. The flag is whether the
// privilege propagates; false is granted on exactly this path.
type privileges map[string]bool

// allPrivileges is what root@pam holds everywhere.
func (a *access) allPrivileges() privileges {
	all := privileges{}
	for name := range a.roles["Administrator"] {
		all[name] = true
	}
	return all
}

// on gives what a user or token holds on a path, as
// PVE::RPCEnvironment::permissions does: a token without privilege separation
// what its owner holds, a separated one no more than owner and token both hold.
// The path is taken as it is written. The answer must not be changed.
func (a *access) on(subject, path string) privileges {
	if subject == "root@pam" {
		return a.allPrivileges()
	}
	owner := ""
	if strings.Contains(subject, "!") {
		user, token := a.token(subject)
		if token == nil {
			return privileges{}
		}
		if !token.separated {
			return a.on(user, path)
		}
		owner = user
	} else if !userPattern.MatchString(subject) {
		return privileges{}
	}
	a.mu.Lock()
	held, ok := a.cache[[2]string{subject, path}]
	a.mu.Unlock()
	if ok {
		return held
	}
	held = a.compile(subject, path)
	if owner != "" && owner != "root@pam" {
		held = intersect(held, a.on(owner, path))
	}
	a.mu.Lock()
	a.cache[[2]string{subject, path}] = held
	a.mu.Unlock()
	return held
}

func intersect(token, owner privileges) privileges {
	both := privileges{}
	for name, propagates := range token {
		if also, ok := owner[name]; ok {
			both[name] = propagates && also
		}
	}
	return both
}

// compile joins the privileges of all roles on a path.
func (a *access) compile(subject, path string) privileges {
	held := privileges{}
	for role, propagates := range a.withPools(subject, path) {
		for name := range a.roles[role] {
			held[name] = held[name] || propagates
		}
	}
	return held
}

// withPools gives the roles on a path and those that a pool adds to its guests
// and storages. NoAccess on either side wins.
func (a *access) withPools(subject, path string) map[string]bool {
	roles := a.rolesAlong(subject, path)
	fromPools := a.poolRoles(subject, path)
	if _, refused := roles["NoAccess"]; refused || len(fromPools) == 0 {
		return roles
	}
	if fromPools["NoAccess"] {
		return map[string]bool{"NoAccess": false}
	}
	joined := maps.Clone(roles)
	for role := range fromPools {
		if _, set := joined[role]; !set {
			joined[role] = false // what a pool gives never propagates
		}
	}
	return joined
}

// poolRoles gives the roles that a subject has on the pools of a guest or
// storage path.
func (a *access) poolRoles(subject, path string) map[string]bool {
	found := map[string]bool{}
	guest, isGuest := strings.CutPrefix(path, "/vms/")
	storage, isStorage := strings.CutPrefix(path, "/storage/")
	if !isGuest && !isStorage {
		return found
	}
	for name, p := range a.pools {
		if isGuest && slices.Contains(p.guests, guest) || isStorage && slices.Contains(p.storages, storage) {
			for role := range a.rolesAlong(subject, "/pool/"+name) {
				found[role] = true
			}
		}
	}
	return found
}

// rolesAlong walks down a path: what is set deeper replaces what was set above,
// a rule for the user comes before those for its groups, and NoAccess leaves
// nothing else (PVE::AccessControl::roles).
func (a *access) rolesAlong(subject, path string) map[string]bool {
	parts := strings.Split(path, "/")
	for len(parts) > 1 && parts[len(parts)-1] == "" {
		parts = parts[:len(parts)-1]
	}
	roles := map[string]bool{}
	node := a.root
	for i, part := range parts {
		if part != "" {
			node = node.children[part]
		}
		if node == nil {
			break
		}
		if here := a.rolesAt(node, subject, i == len(parts)-1); len(here) > 0 {
			roles = here
		}
	}
	if propagates, refused := roles["NoAccess"]; refused {
		return map[string]bool{"NoAccess": propagates}
	}
	return roles
}

// rolesAt gives the roles that one node sets, final at the end of the path.
func (a *access) rolesAt(node *aclNode, subject string, final bool) map[string]bool {
	for _, own := range []map[string]bool{node.tokens[subject], node.users[subject]} {
		if roles := effective(own, final); len(roles) > 0 {
			return roles
		}
	}
	roles := map[string]bool{}
	for group, granted := range node.groups {
		if a.groups[group][subject] {
			maps.Copy(roles, effective(granted, final))
		}
	}
	return roles
}

// effective leaves the roles that count: all at the end of a path, the
// propagating ones above it.
func effective(granted map[string]bool, final bool) map[string]bool {
	roles := map[string]bool{}
	for role, propagates := range granted {
		if final || propagates {
			roles[role] = propagates
		}
	}
	return roles
}

// listedPaths are those that GET /access/permissions looks at: fixed ones, all
// that access rules touch and the members of pools.
func (a *access) listedPaths() []string {
	paths := map[string]bool{}
	for _, path := range []string{"/", "/access", "/access/groups", "/nodes", "/pool", "/sdn", "/storage", "/vms"} {
		paths[path] = true
	}
	a.each(func(path string, _ *aclNode) { paths[path] = true })
	for _, p := range a.pools {
		for _, guest := range p.guests {
			paths["/vms/"+guest] = true
		}
		for _, storage := range p.storages {
			paths["/storage/"+storage] = true
		}
	}
	return slices.Sorted(maps.Keys(paths))
}

// has tells whether any of the privileges is held on a path.
func (a *access) has(subject, path string, names ...string) bool {
	held := a.on(subject, path)
	return slices.ContainsFunc(names, func(name string) bool {
		_, ok := held[name]
		return ok
	})
}
