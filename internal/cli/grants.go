package cli

import (
	"slices"
	"strings"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/pve"
	"pciatlas/internal/rights"
)

const (
	rootPath   = "/"
	accessPath = "/access"
	noAccess   = "NoAccess" // the role that takes everything away
)

// adviseRights says on standard error which rights a credential of the API
// lacks, what that costs, and how to grant them. That the access rules are out of
// sight is not said: by itself it leaves the scope assumed, and the scope says so.
func adviseRights(env Env, snapshot *facts.Snapshot) {
	if snapshot.Rights.State != facts.OK {
		return
	}
	shown := atlas.ShownRights(&snapshot.Rights.Value)
	gaps := rights.Missing(shown)
	if !slices.ContainsFunc(gaps, func(gap rights.Gap) bool { return gap.Path != accessPath }) {
		return
	}
	p := &printer{w: env.Stderr}
	if rights.SeesNothing(shown) {
		p.line("The token %s holds no right at all, so Proxmox VE shows it empty lists without an error.", shown.User)
	} else {
		p.line("The token %s lacks rights for a complete answer:", shown.User)
		for _, gap := range gaps {
			how := ""
			if gap.Propagation {
				how = ", propagating"
			}
			p.line("  %s on %s%s: %s", gap.Privilege, gap.Path, how, gap.Cost)
		}
	}
	adviseGrants(p, shown, gaps)
}

// adviseGrants gives the commands that close the gaps. What is granted on a path does
// not reach a path below that has a rule of its own: that takes its place.
func adviseGrants(p *printer, shown rights.Shown, gaps []rights.Gap) {
	commands := rights.Grant(shown.User)
	if len(commands) == 0 {
		return
	}
	paths := grantPaths(shown, gaps)
	blocked := blockedPaths(shown, paths)
	deeper := slices.DeleteFunc(slices.Clone(paths), func(path string) bool { return path == rootPath })
	if len(deeper) > 0 {
		p.line("Rules of their own on %s take the place of what is granted above, so granting on / changes nothing there.\n"+
			"See them, as root on a node, with:\n  pveum acl list", strings.Join(deeper, ", "))
	}
	for _, path := range blocked {
		p.line("On %s a rule %s is set for this user or token. It outweighs every other role on that path: "+
			"nothing granted there helps while it stands.", path, noAccess)
	}
	paths = slices.DeleteFunc(paths, func(path string) bool { return slices.Contains(blocked, path) })
	if len(paths) == 0 {
		p.line("")
		return
	}
	p.line("These commands, as root on a node, grant the least role that sees everything:")
	for _, command := range grantCommands(shown, commands, paths) {
		p.line("  %s", command)
	}
	if slices.Contains(paths, rootPath) {
		p.line("%s", rights.GrantCaution)
	} else {
		p.line("If a group of the user has the rule there, grant the role to the group with --groups instead: " +
			"a rule of the user itself would take its place.")
	}
	p.line("")
}

// grantPaths gives the paths on which the role has to be granted: / where that reaches
// the gap, else the path with a rule of its own.
func grantPaths(shown rights.Shown, gaps []rights.Gap) []string {
	var paths []string
	add := func(path string) {
		if !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	for _, gap := range gaps {
		if gap.Path == rootPath || gap.Path == accessPath && !hasRule(shown, accessPath) && !shown.Permissions.Propagates(rootPath, gap.Privilege) {
			add(rootPath)
		} else {
			add(gap.Path)
		}
	}
	// A gap on / covers those below it; a rule below stays in the way of what is granted.
	for _, rule := range shown.Rules {
		if isOwn(shown, rule) && slices.Contains(paths, rootPath) && hides(shown, rule.Path) {
			add(rule.Path)
		}
	}
	return paths
}

// hides tells whether guests, pools, mappings or access rules on a path or below are
// out of sight.
func hides(shown rights.Shown, path string) bool {
	held := func(privileges ...string) bool {
		return slices.ContainsFunc(privileges, func(p string) bool { return shown.Permissions.Holds(path, p) })
	}
	switch root, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/"); root {
	case "vms", "pool":
		return !held(pve.VMAudit)
	case "mapping":
		return !held(pve.MappingAudit, pve.MappingUse, pve.MappingModify)
	case "access":
		return path == accessPath && !held(pve.SysAudit)
	default:
		return false
	}
}

func hasRule(shown rights.Shown, path string) bool {
	return slices.ContainsFunc(shown.Rules, func(rule pve.ACLEntry) bool { return rule.Path == path })
}

// isOwn tells whether a rule is for the token or its user, not for a group.
func isOwn(shown rights.Shown, rule pve.ACLEntry) bool {
	owner, _, _ := strings.Cut(shown.User, "!")
	return rule.Type != "group" && (rule.Subject == owner || rule.Subject == shown.User)
}

// blockedPaths gives the paths on which the token or its user has NoAccess.
func blockedPaths(shown rights.Shown, paths []string) []string {
	var blocked []string
	for _, path := range paths {
		if slices.ContainsFunc(shown.Rules, func(rule pve.ACLEntry) bool {
			return rule.Path == path && rule.Role == noAccess && isOwn(shown, rule)
		}) {
			blocked = append(blocked, path)
		}
	}
	return blocked
}

// grantCommands gives the commands, which are for /, for some paths. The role is not
// made again where a rule shows that it is there.
func grantCommands(shown rights.Shown, commands, paths []string) []string {
	const onRoot = "pveum acl modify / "
	var all []string
	for _, command := range commands {
		grant, isGrant := strings.CutPrefix(command, onRoot)
		switch {
		case isGrant:
			for _, path := range paths {
				all = append(all, "pveum acl modify "+quote(path)+" "+grant)
			}
		case !slices.ContainsFunc(shown.Rules, func(rule pve.ACLEntry) bool { return rule.Role == rights.RoleName }):
			all = append(all, command)
		}
	}
	return all
}
