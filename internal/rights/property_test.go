package rights_test

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pciatlas/internal/pve"
	"pciatlas/internal/rights"
)

var (
	drawnVMs      = []int{101, 102, 103, 104}
	drawnMappings = []string{"gpu-a", "gpu-b"}
	drawnPaths    = []string{
		"/", "/access", "/nodes", "/nodes/pve-a", "/vms", "/vms/101", "/vms/102", "/vms/999",
		"/pool", "/pool/p1", "/pool/p1/sub", "/pool/p2",
		"/mapping", "/mapping/pci", "/mapping/pci/gpu-a", "/mapping/usb", "/mapping/usb/stick", "/storage",
	}
	drawnSubjects = []string{
		"u@pve", "u@pve", "w@pve", "u@pve!sep", "u@pve!sep", "u@pve!full", "root@pam!sep", "@g1", "@g2",
	}
	drawnRoles = []string{
		"NoAccess", "NoAccess", "R_all", "R_all", "R_vm", "R_map", "R_sys", "R_use", "R_empty", "PVEAuditor", "Administrator", "R_own",
	}
	drawnPrincipals = []string{"u@pve!full", "u@pve!sep", "w@pve!full", "root@pam!sep", "root@pam!full"}
)

// drawWorld makes a random cluster. Most have somebody who may read everything, and a
// few rules more: near to what is proven is where a wrong rule would show.
func drawWorld(t *rapid.T) *world {
	w := parseWorld(`
user:u@pve:1:0::::::
user:w@pve:1:0::::::
token:u@pve!sep:0:1::
token:u@pve!full:0:0::
token:w@pve!full:0:0::
token:root@pam!sep:0:1::
token:root@pam!full:0:0::
role:R_sys:Sys.Audit:
role:R_vm:VM.Audit:
role:R_map:Mapping.Audit:
role:R_use:Mapping.Use:
role:R_all:Mapping.Audit,Sys.Audit,VM.Audit:
role:R_own:Permissions.Modify:
role:R_empty::
`)
	drawGroups(t, w)
	drawPools(t, w)
	for _, subject := range []string{"u@pve", "u@pve!sep", "root@pam!sep", "@g1"} {
		if rapid.IntRange(0, 3).Draw(t, subject+" reads all") > 0 {
			w.grant(true, "/", subject, "R_all")
		}
	}
	for i := range rapid.SampledFrom([]int{0, 1, 1, 2, 2, 3, 5, 8}).Draw(t, "rules") {
		w.grant(rapid.Bool().Draw(t, fmt.Sprint("propagate ", i)),
			rapid.SampledFrom(drawnPaths).Draw(t, "path"),
			rapid.SampledFrom(drawnSubjects).Draw(t, "subject"),
			rapid.SampledFrom(drawnRoles).Draw(t, "role"))
	}
	if rapid.IntRange(0, 2).Draw(t, "shadow") == 0 {
		drawShadow(t, w)
	}
	return w
}

// drawShadow gives a subject a rule of its own that does not propagate, and one of its
// groups a rule on the same path that does: the path shows the first, and what is
// below gets the second.
func drawShadow(t *rapid.T, w *world) {
	path := rapid.SampledFrom(drawnPaths).Draw(t, "shadowed path")
	subject := rapid.SampledFrom([]string{"u@pve", "w@pve"}).Draw(t, "shadowing subject")
	w.grant(false, path, subject, rapid.SampledFrom(drawnRoles).Draw(t, "shadowing role"))
	w.grant(true, path, "@g1", rapid.SampledFrom(drawnRoles).Draw(t, "shadowed role"))
	w.groups["g1"][subject] = true
}

func drawGroups(t *rapid.T, w *world) {
	for _, group := range []string{"g1", "g2"} {
		w.groups[group] = map[string]bool{}
		for _, user := range []string{"u@pve", "w@pve"} {
			w.groups[group][user] = rapid.Bool().Draw(t, user+" in "+group)
		}
	}
}

func drawPools(t *rapid.T, w *world) {
	for _, vmid := range drawnVMs {
		pool := rapid.SampledFrom([]string{"", "", "p1", "p1/sub", "p2"}).Draw(t, fmt.Sprint("pool of ", vmid))
		if pool != "" {
			w.pools[pool] = append(w.pools[pool], vmid)
		}
	}
}

// drawRights is what a principal is told; the reader may not have noticed that the
// access rules are filtered, or may not have got them.
func drawRights(t *rapid.T, w *world, principal string) rights.Shown {
	r := w.rights(principal)
	switch rapid.IntRange(0, 9).Draw(t, "reading the rules as "+principal) {
	case 0:
		r.Rules, r.RulesWhole = nil, false
	case 1:
		r.RulesWhole = false
	case 2, 3, 4:
		r.RulesWhole = true
	}
	return r
}

// tally counts what the properties saw, so that they cannot be empty words.
type tally map[string]int

func (c tally) count(what string, state rights.State, hidden bool) {
	c[fmt.Sprintf("%s %s, hidden: %v", what, state, hidden)]++
}

// checkWorlds runs a property over many worlds more than rapid does by itself.
func checkWorlds(t *testing.T, property func(*rapid.T)) {
	t.Helper()
	checks := flag.Lookup("rapid.checks")
	before := checks.Value.String()
	if before == checks.DefValue && !testing.Short() {
		if err := checks.Value.Set("4000"); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = checks.Value.Set(before) }()
	}
	rapid.Check(t, property)
}

// TestNothingHiddenIsProven: whenever a VM is hidden from a credential, it is not
// proven that all VMs are visible; the same for mappings.
func TestNothingHiddenIsProven(t *testing.T) {
	seen := tally{}
	checkWorlds(t, func(t *rapid.T) {
		w := drawWorld(t)
		for _, principal := range drawnPrincipals {
			r := drawRights(t, w, principal)
			vms, mappings := rights.VMs(r), rights.Mappings(r)
			vm, mapping := w.hiddenVM(principal), w.hiddenMapping(principal)
			if vm != 0 && vms.State == rights.Proven {
				t.Fatalf("%s: VM %d is hidden, but the scope is proven\nrules %v\npools %v", principal, vm, w.rules, w.pools)
			}
			if mapping != "" && mappings.State == rights.Proven {
				t.Fatalf("%s: mapping %s is hidden, but the scope is proven\nrules %v", principal, mapping, w.rules)
			}
			checkShape(t, r, vms)
			checkShape(t, r, mappings)
			seen.count("VMs", vms.State, vm != 0)
			seen.count("mappings", mappings.State, mapping != "")
		}
	})
	t.Logf("%v", seen)
	for _, what := range []string{"VMs", "mappings"} {
		total := seen[what+" unproven, hidden: true"]
		if proven := seen[what+" proven, hidden: false"]; proven < total/10 || proven == 0 {
			t.Errorf("%s: only %d proven against %d unproven: the property says little", what, proven, total)
		}
		if caution := seen[what+" unproven, hidden: false"]; caution > total {
			t.Errorf("%s: %d unproven although nothing is hidden, against %d with reason", what, caution, total)
		}
	}
}

// hiddenVM and hiddenMapping give one that the principal does not see.
func (w *world) hiddenVM(principal string) int {
	for _, vmid := range drawnVMs {
		if !w.seesVM(principal, vmid) {
			return vmid
		}
	}
	return 0
}

func (w *world) hiddenMapping(principal string) string {
	for _, id := range drawnMappings {
		if !w.seesMapping(principal, id) {
			return id
		}
	}
	return ""
}

// checkShape: what is not proven has a path and a reason that names it, and what is
// unproven has a gap.
func checkShape(t *rapid.T, r rights.Shown, got rights.Verdict) {
	bare := got.State == rights.Proven
	if (got.Fault == "") != bare || (got.Reason == "") != bare {
		t.Fatalf("fault and reason do not fit the state: %+v", got)
	}
	if !strings.Contains(got.Reason, got.Fault) && got.Fault != "/access" {
		t.Fatalf("the reason does not name the path: %+v", got)
	}
	if got.State == rights.Unproven && !hasGap(rights.Missing(r), got.Fault) {
		t.Fatalf("%+v, but nothing is missing there: %+v", got, rights.Missing(r))
	}
}

func hasGap(gaps []rights.Gap, path string) bool {
	for _, gap := range gaps {
		if gap.Path == path && gap.Privilege != pve.SysAudit {
			return true
		}
	}
	return false
}

// TestGrantIsEnough: after the commands of Grant, nothing is missing, unless other rules
// on deeper paths or on the same subject stand in the way.
func TestGrantIsEnough(t *testing.T) {
	checkWorlds(t, func(t *rapid.T) {
		w := parseWorld("user:u@pve:1:0::::::\ntoken:u@pve!sep:0:1::\ntoken:u@pve!full:0:0::\ntoken:root@pam!sep:0:1::\n")
		principal := rapid.SampledFrom([]string{"u@pve!sep", "u@pve!full", "root@pam!sep"}).Draw(t, "principal")
		for _, subject := range []string{"u@pve", principal, "@g1"} {
			if rapid.Bool().Draw(t, subject) {
				role := rapid.SampledFrom([]string{"PVEVMUser", "PVESysAdmin", "PVEDatastoreUser"}).Draw(t, "role")
				w.grant(rapid.Bool().Draw(t, "propagate"), "/", subject, role)
			}
		}
		for _, command := range rights.Grant(principal) {
			w.run(t, command)
		}
		r := w.rights(principal)
		if gaps := rights.Missing(r); len(gaps) > 0 || rights.VMs(r).State != rights.Proven || rights.Mappings(r).State != rights.Proven {
			t.Fatalf("%s: after %q missing are %+v", principal, rights.Grant(principal), gaps)
		}
	})
}

// run does what a pveum command of Grant does.
func (w *world) run(t *rapid.T, command string) {
	f := strings.Fields(strings.NewReplacer("'", "", `"`, "").Replace(command))
	switch {
	case strings.HasPrefix(command, "pveum role add ") && len(f) == 6 && f[4] == "--privs":
		w.roles[f[3]] = words(f[5])
	case strings.HasPrefix(command, "pveum acl modify / ") && len(f) == 8 && (f[4] == "--users" || f[4] == "--tokens") && f[6] == "--roles":
		w.grant(true, f[3], f[5], f[7])
	default:
		t.Fatalf("not a command that pveum knows: %s", command)
	}
}
