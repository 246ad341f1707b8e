package rights_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pciatlas/internal/pve"
	"pciatlas/internal/rights"
)

func readTestdata(t *testing.T, into any, path ...string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(append([]string{"..", "..", "testdata"}, path...)...))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatalf("%s: %v", filepath.Join(path...), err)
	}
}

// wireTree is a permission tree as PVE sends it, with 1 and 0 for the flag.
type wireTree map[string]map[string]int

func (w wireTree) tree() pve.PermissionTree {
	tree := pve.PermissionTree{}
	for path, privileges := range w {
		tree[path] = map[string]bool{}
		for privilege, propagate := range privileges {
			tree[path][privilege] = propagate == 1
		}
	}
	return tree
}

// relevant leaves only the privileges that the product reads with.
func relevant(tree pve.PermissionTree) pve.PermissionTree {
	cut := pve.PermissionTree{}
	for path, privileges := range tree {
		cut[path] = map[string]bool{}
		for _, privilege := range []string{
			pve.SysAudit, pve.SysModify, pve.VMAudit, pve.MappingAudit, pve.MappingUse, pve.MappingModify,
		} {
			if tree.Holds(path, privilege) {
				cut[path][privilege] = privileges[privilege]
			}
		}
	}
	return cut
}

type permissionVectors struct {
	UserCfg   string `json:"user_cfg"`
	ACLBase   string `json:"acl_base_user_cfg"`
	HTTPCases []struct {
		Token       string
		Path        string
		Status      int
		IDs         []string
		Permissions wireTree
	} `json:"http_cases"`
	ACLCases []aclCase `json:"acl_cases"`
}

type aclCase struct {
	Name       string
	Principal  string
	ACLLines   []string `json:"acl_lines"`
	Privileges wireTree
	Listed     []string `json:"paths_listed_by_access_permissions"`
	Allowed    map[string]bool
}

func readPermissionVectors(t *testing.T) permissionVectors {
	t.Helper()
	var vectors permissionVectors
	readTestdata(t, &vectors, "vectors", "permissions.json")
	return vectors
}

// world gives the case's user.cfg as the evaluator reads it.
func (c aclCase) world(base string) *world {
	return parseWorld(base + "\n" + strings.Join(c.ACLLines, "\n"))
}

// rights gives what PVE told the principal: PVE's own privileges where the case tells
// them, the evaluator's on the listed paths that it does not.
func (c aclCase) rights(w *world) rights.Shown {
	r := w.rights(c.Principal)
	told := c.Privileges.tree()
	for path := range r.Permissions {
		if privileges, ok := told[path]; ok {
			r.Permissions[path] = privileges
		}
	}
	return r
}

// TestEvaluator checks the evaluator that the properties stand on against PVE.
func TestEvaluator(t *testing.T) {
	vectors := readPermissionVectors(t)
	for _, c := range vectors.ACLCases {
		w := c.world(vectors.ACLBase)
		got := pve.PermissionTree{}
		for path := range c.Privileges {
			got[path] = w.privileges(c.Principal, path)
		}
		if diff := cmp.Diff(relevant(c.Privileges.tree()), relevant(got)); diff != "" {
			t.Errorf("%s, %s: privileges (-PVE +evaluator):\n%s", c.Name, c.Principal, diff)
		}
		if diff := cmp.Diff(c.Listed, slices.AppendSeq([]string{}, maps.Keys(w.permissions(c.Principal))), sorted); diff != "" {
			t.Errorf("%s, %s: listed paths (-PVE +evaluator):\n%s", c.Name, c.Principal, diff)
		}
		for what, allowed := range c.Allowed {
			if got := w.allows(c.Principal, what); got != allowed {
				t.Errorf("%s, %s: %s: got %v, PVE says %v", c.Name, c.Principal, what, got, allowed)
			}
		}
	}
	w := parseWorld(vectors.UserCfg)
	for _, c := range vectors.HTTPCases {
		if c.Permissions == nil {
			continue
		}
		got := w.permissions(c.Token)
		if _, path, one := strings.Cut(c.Path, "?path="); one {
			got = pve.PermissionTree{path: w.privileges(c.Token, path)}
		}
		if diff := cmp.Diff(relevant(c.Permissions.tree()), relevant(got)); diff != "" {
			t.Errorf("%s %s (-PVE +evaluator):\n%s", c.Token, c.Path, diff)
		}
	}
}

var sorted = cmp.Transformer("sorted", set)

// allows answers one of the questions of the ACL cases.
func (w *world) allows(principal, what string) bool {
	if vm, ok := strings.CutPrefix(what, "vm-"); ok {
		vmid, _ := strconv.Atoi(vm)
		return w.seesVM(principal, vmid)
	}
	if id, ok := strings.CutPrefix(what, "mapping-"); ok {
		return w.seesMapping(principal, id)
	}
	return w.readsDevices(principal)
}

// TestACLCases: no world in which PVE hides a VM is called proven, and none in which
// it hides a mapping is called proven for mappings.
func TestACLCases(t *testing.T) {
	vectors := readPermissionVectors(t)
	proven := map[string]int{}
	for _, c := range vectors.ACLCases {
		r := c.rights(c.world(vectors.ACLBase))
		vms, mappings := rights.VMs(r), rights.Mappings(r)
		proven["VMs "+string(vms.State)]++
		proven["mappings "+string(mappings.State)]++
		for what, allowed := range c.Allowed {
			if !allowed && strings.HasPrefix(what, "vm-") && vms.State != rights.Unproven {
				t.Errorf("%s, %s: %s is hidden, but the scope is %+v", c.Name, c.Principal, what, vms)
			}
			if !allowed && strings.HasPrefix(what, "mapping-") && mappings.State != rights.Unproven {
				t.Errorf("%s, %s: %s is hidden, but the scope of mappings is %+v", c.Name, c.Principal, what, mappings)
			}
		}
		refused := !c.Allowed["hardware-pci"]
		gaps := rights.Missing(r)
		if got := len(gaps) > 0 && gaps[0].Privilege == pve.SysAudit && gaps[0].Path == "/"; got != refused {
			t.Errorf("%s, %s: device lists refused: %v, but missing are %+v", c.Name, c.Principal, refused, gaps)
		}
		if got := rights.SeesNothing(r); got != (len(c.Listed) == 0) {
			t.Errorf("%s, %s: sees nothing: %v, but PVE lists %v", c.Name, c.Principal, got, c.Listed)
		}
	}
	t.Logf("%d cases: %v", len(vectors.ACLCases), proven)
	if proven["VMs proven"] < 20 || proven["mappings proven"] < 20 {
		t.Errorf("hardly a case is proven: %v", proven)
	}
}

// verdictsByToken are the verdicts about the tokens of the vectors' user.cfg.
var verdictsByToken = map[string][4]string{ // VMs, its fault, mappings, its fault
	"root@pam!full":          {"proven", "", "proven", ""},
	"root@pam!sep":           {"unproven", "/", "unproven", "/"},
	"root@pam!sepaudit":      {"proven", "", "proven", ""},
	"auditor@pve!full":       {"proven", "", "proven", ""},
	"auditor@pve!sep":        {"unproven", "/", "unproven", "/"},
	"auditor@pve!sepaudit":   {"proven", "", "proven", ""},
	"auditor@pve!sepvms":     {"unproven", "/", "unproven", "/"},
	"auditor-noprop@pve!tok": {"unproven", "/", "unproven", "/"},
	"vmonly@pve!tok":         {"unproven", "/", "unproven", "/"},
	"vmonly@pve!sepaudit":    {"unproven", "/", "unproven", "/"},
	"no105@pve!tok":          {"unproven", "/vms/105", "proven", ""},
	"nomap@pve!tok":          {"proven", "", "unproven", "/mapping/pci/gpu-b"},
	"nosys@pve!tok":          {"assumed", "/access", "unproven", "/"},
	"hwread@pve!tok":         {"proven", "", "proven", ""},
	"nodeonly@pve!tok":       {"unproven", "/", "unproven", "/"},
	"mapuse@pve!tok":         {"unproven", "/", "unproven", "/"},
	"pooluser@pve!tok":       {"unproven", "/", "unproven", "/"},
	"grpuser@pve!tok":        {"unproven", "/", "assumed", "/access"},
	"noacl@pve!tok":          {"unproven", "/", "unproven", "/"},
	"admin@pve!tok":          {"proven", "", "proven", ""},
}

// TestHTTPCases: the verdicts about the tokens of the vectors, from PVE's own
// permission trees where they are told.
func TestHTTPCases(t *testing.T) {
	vectors := readPermissionVectors(t)
	w := parseWorld(vectors.UserCfg)
	check := func(r rights.Shown, from string) {
		vms, mappings := rights.VMs(r), rights.Mappings(r)
		got := [4]string{string(vms.State), vms.Fault, string(mappings.State), mappings.Fault}
		if want, ok := verdictsByToken[r.User]; !ok || got != want {
			t.Errorf("%s (%s): got %q, want %q", r.User, from, got, want)
		}
	}
	recorded := 0
	for _, c := range vectors.HTTPCases {
		if c.Path != "/api2/json/access/permissions" || c.Status != 200 {
			continue
		}
		recorded++
		r := w.rights(c.Token)
		r.Permissions = c.Permissions.tree()
		check(r, "recorded")
	}
	if recorded != 13 {
		t.Errorf("%d permission trees are recorded, not 13", recorded)
	}
	for token := range verdictsByToken {
		check(w.rights(token), "evaluated")
	}
}

// TestHTTPListsAreWhole: a token whose lists are proven to be whole got whole lists.
func TestHTTPListsAreWhole(t *testing.T) {
	vectors := readPermissionVectors(t)
	w := parseWorld(vectors.UserCfg)
	lists := 0
	for _, c := range vectors.HTTPCases {
		verdict, all := rights.VMs(w.rights(c.Token)), 10
		switch c.Path {
		case "/api2/json/cluster/resources?type=vm":
		case "/api2/json/cluster/mapping/pci":
			verdict, all = rights.Mappings(w.rights(c.Token)), 11
		default:
			continue
		}
		if c.Status == 200 && verdict.State != rights.Unproven {
			lists++
			got := slices.DeleteFunc(c.IDs, func(id string) bool { return strings.HasPrefix(id, "node/") })
			if len(got) != all {
				t.Errorf("%s %s: %+v, but the list is %v", c.Token, c.Path, verdict, c.IDs)
			}
		}
	}
	if lists < 8 {
		t.Errorf("only %d lists were compared", lists)
	}
}
