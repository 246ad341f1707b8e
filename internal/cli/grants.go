package cli

import (
	"slices"
	"strings"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/rights"
)

const accessPath = "/access"

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

// adviseGrants says how to close the gaps.
func adviseGrants(p *printer, shown rights.Shown, gaps []rights.Gap) {
	advice := rights.Advise(shown, gaps)
	if len(advice.OwnRules) > 0 {
		p.line("Rules of their own on %s take the place of what is granted above, so granting on / changes nothing there.\n"+
			"See them, as root on a node, with:\n  pveum acl list", strings.Join(advice.OwnRules, ", "))
	}
	for _, path := range advice.Blocked {
		p.line("On %s a rule %s is set for this user or token. It outweighs every other role on that path: "+
			"nothing granted there helps while it stands.", path, rights.NoAccess)
	}
	if len(advice.Commands) > 0 {
		p.line("These commands, as root on a node, grant the least role that sees everything:")
		for _, command := range advice.Commands {
			p.line("  %s", command)
		}
		p.line("%s", advice.Caution)
	}
	if len(advice.OwnRules)+len(advice.Blocked)+len(advice.Commands) > 0 {
		p.line("")
	}
}
