package rights

import (
	"slices"
	"strings"

	"pciatlas/internal/pve"
)

// NoAccess is PVE's role that takes everything away on a path.
const NoAccess = "NoAccess"

// Advice says how the gaps of a credential are closed. What is granted on a path does
// not reach a path below that has a rule of its own: that takes its place.
type Advice struct {
	// OwnRules are the paths, other than /, that need a grant of their own because of
	// the rules on them.
	OwnRules []string
	// Blocked are the paths on which the credential or its user has NoAccess: nothing
	// granted there helps while that stands.
	Blocked []string
	// Commands grant the least role on all paths but the blocked ones, for a shell of
	// root on any node; nil if there is nothing to grant or nobody to grant it to.
	Commands []string
	// Caution is to be shown with the commands; "" without any.
	Caution string
}

const ownRuleCaution = "If a group of the user has the rule there, grant the role to the group with --groups instead: " +
	"a rule of the user itself would take its place."

// Advise says how to close the gaps that Missing found. It is the zero value for a
// user that PVE would not take for one.
func Advise(r Shown, gaps []Gap) Advice {
	commands := Grant(r.User)
	if len(commands) == 0 {
		return Advice{}
	}
	paths := grantPaths(r, gaps)
	advice := Advice{
		OwnRules: slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return path == rootPath }),
		Blocked:  blockedPaths(r, paths),
	}
	paths = slices.DeleteFunc(paths, func(path string) bool { return slices.Contains(advice.Blocked, path) })
	if len(paths) == 0 {
		return advice
	}
	advice.Commands, advice.Caution = grantCommands(r, commands, paths), ownRuleCaution
	if slices.Contains(paths, rootPath) {
		advice.Caution = GrantCaution
	}
	return advice
}

// grantPaths gives the paths on which the role has to be granted: / where that reaches
// the gap, else the path with a rule of its own.
func grantPaths(r Shown, gaps []Gap) []string {
	var paths []string
	add := func(path string) {
		if !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	for _, gap := range gaps {
		if gap.Path == rootPath || gap.Path == accessPath && !hasRule(r, accessPath) && !r.Permissions.Propagates(rootPath, gap.Privilege) {
			add(rootPath)
		} else {
			add(gap.Path)
		}
	}
	// A gap on / covers those below it; a rule below stays in the way of what is granted.
	for _, rule := range r.Rules {
		if isOwn(r, rule) && slices.Contains(paths, rootPath) && hides(r, rule.Path) {
			add(rule.Path)
		}
	}
	return paths
}

// hides tells whether guests, pools, mappings or access rules on a path or below are
// out of sight.
func hides(r Shown, path string) bool {
	held := func(privileges ...string) bool {
		return slices.ContainsFunc(privileges, func(p string) bool { return r.Permissions.Holds(path, p) })
	}
	switch root, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/"); root {
	case "vms", "pool":
		return !held(pve.VMAudit)
	case "mapping":
		return !held(mappingPrivileges...)
	case "access":
		return path == accessPath && !held(pve.SysAudit)
	default:
		return false
	}
}

func hasRule(r Shown, path string) bool {
	return slices.ContainsFunc(r.Rules, func(rule pve.ACLEntry) bool { return rule.Path == path })
}

// isOwn tells whether a rule is for the token or its user, not for a group.
func isOwn(r Shown, rule pve.ACLEntry) bool {
	owner, _, _ := strings.Cut(r.User, "!")
	return rule.Type != "group" && (rule.Subject == owner || rule.Subject == r.User)
}

// blockedPaths gives the paths on which the token or its user has NoAccess.
func blockedPaths(r Shown, paths []string) []string {
	var blocked []string
	for _, path := range paths {
		if slices.ContainsFunc(r.Rules, func(rule pve.ACLEntry) bool {
			return rule.Path == path && rule.Role == NoAccess && isOwn(r, rule)
		}) {
			blocked = append(blocked, path)
		}
	}
	return blocked
}

// grantCommands gives the commands, which are for /, for some paths. The role is not
// made again where a rule shows that it is there.
func grantCommands(r Shown, commands, paths []string) []string {
	const onRoot = "pveum acl modify / "
	var all []string
	for _, command := range commands {
		grant, isGrant := strings.CutPrefix(command, onRoot)
		switch {
		case isGrant:
			for _, path := range paths {
				all = append(all, "pveum acl modify "+word(path)+" "+grant)
			}
		case !slices.ContainsFunc(r.Rules, func(rule pve.ACLEntry) bool { return rule.Role == RoleName }):
			all = append(all, command)
		}
	}
	return all
}

// word quotes a path if a shell would not take it as it is.
func word(path string) string {
	if strings.Trim(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./") == "" {
		return path
	}
	return quote(path)
}
