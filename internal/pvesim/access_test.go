package pvesim

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

type aclFile struct {
	UserCfg string `json:"user_cfg"`
	BaseCfg string `json:"acl_base_user_cfg"`
	Cases   []struct {
		Name       string                    `json:"name"`
		Lines      []string                  `json:"acl_lines"`
		Principal  string                    `json:"principal"`
		Privileges map[string]map[string]int `json:"privileges"`
		Listed     []string                  `json:"paths_listed_by_access_permissions"`
		Allowed    map[string]bool           `json:"allowed"`
	} `json:"acl_cases"`
}

func readACLFile(t *testing.T) aclFile {
	t.Helper()
	text, err := os.ReadFile("../../testdata/vectors/permissions.json")
	if err != nil {
		t.Fatal(err)
	}
	var file aclFile
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestAccessRules compares the evaluator with what PVE's own code said of each
// case of access rules.
func TestAccessRules(t *testing.T) {
	t.Parallel()
	file := readACLFile(t)
	for _, test := range file.Cases {
		a := parseAccess(file.BaseCfg+strings.Join(test.Lines, "\n")+"\n", parseRelease(""))
		where := test.Name + " " + test.Principal
		for path, want := range test.Privileges {
			if diff := cmp.Diff(want, flags(onlyShown(a.on(test.Principal, path)))); diff != "" {
				t.Errorf("%s %s (-PVE +simulator):\n%s", where, path, diff)
			}
		}
		listed := slices.DeleteFunc(a.listedPaths(), func(path string) bool { return len(a.on(test.Principal, path)) == 0 })
		if len(test.Listed)+len(listed) > 0 && !slices.Equal(slices.Sorted(slices.Values(test.Listed)), listed) {
			t.Errorf("%s lists %q, PVE %q", where, listed, test.Listed)
		}
		for what, want := range test.Allowed {
			if got := allowed(a, test.Principal, what); got != want {
				t.Errorf("%s: %s %v, PVE %v", where, what, got, want)
			}
		}
	}
	if len(file.Cases) != 180 {
		t.Errorf("%d cases, expected 180", len(file.Cases))
	}
}

// onlyShown leaves the privileges that the cases tell of.
func onlyShown(held privileges) privileges {
	shown := privileges{}
	for name, propagates := range held {
		if strings.HasPrefix(name, "Mapping.") || name == "Sys.Audit" || name == "Sys.Modify" || name == "VM.Audit" {
			shown[name] = propagates
		}
	}
	return shown
}

func allowed(a *access, principal, what string) bool {
	c := &call{access: a, subject: principal, release: parseRelease("")}
	if what == "hardware-pci" {
		return readsPCI(c, nil) == nil
	}
	if id, ok := strings.CutPrefix(what, "vm-"); ok {
		return a.has(principal, "/vms/"+id, "VM.Audit")
	}
	id := strings.TrimPrefix(what, "mapping-")
	return mappingVisible(c, func(string) string { return id }) == nil
}

func TestUsableTokens(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_700_000_000, 0)
	a := parseAccess("user:a@pve:1:0::::::\nuser:late@pve:1:1600000000::::::\nuser:off@pve:0:0::::::\n"+
		"token:a@pve!ok:0:1::\ntoken:a@pve!old:1600000000:0::\ntoken:a@pve!soon:1800000000:0::\ntoken:a@pve!x:0:0::\n"+
		"token:late@pve!tok:0:0::\ntoken:off@pve!tok:0:0::\ntoken:nobody@pve!tok:0:0::\n", parseRelease(""))
	for id, want := range map[string]bool{
		"a@pve!ok": true, "a@pve!soon": true, "a@pve!old": false, "late@pve!tok": false, "off@pve!tok": false,
		"nobody@pve!tok": false, "a@pve": false, "": false,
		"a@pve!x": false, // ids of one letter are not read
	} {
		if got := a.usable(id, now); got != want {
			t.Errorf("%q usable: %v, want %v", id, got, want)
		}
	}
}

// TestUserCfgSkipsNonsense: what PVE does not understand takes nothing else away.
func TestUserCfgSkipsNonsense(t *testing.T) {
	t.Parallel()
	a := parseAccess("nonsense\nuser:\nuser:no-realm:1:0::::::\nuser:u@pve:1:soon::::::\nuser:v@pve:1:0::::::\n"+
		"token:v@pve:0:0::\ntoken:v@pve!tok:never:0::\ngroup:bad name:v@pve::\nrole:R:VM.Audit,No.Such:\nrole:bad name:VM.Audit:\n"+
		"pool:a/b/c/d::1::\npool:p::abc,7:s1:\npool:q::7::\nacl:1:/vms:v@pve:NoSuchRole:\nacl:1:bad path:v@pve:R:\n"+
		"acl:1:/vms:@nobody,v@pve!missing,???:R:\nacl:1:vms/:v@pve:R:\n", parseRelease(""))
	if got := flags(a.on("v@pve", "/vms/7")); !cmp.Equal(got, map[string]int{"VM.Audit": 1}) {
		t.Errorf("v@pve holds %v", got)
	}
	if got := a.poolOf["7"]; got != "p" {
		t.Errorf("guest 7 is in pool %q: the first pool keeps a guest", got)
	}
	if got := a.on("u@pve", "/vms/7"); len(got) != 0 {
		t.Errorf("a user who is none holds %v", got)
	}
	if got := a.on("not a user", "/"); len(got) != 0 {
		t.Errorf("%v", got)
	}
}

// TestPrivilegesOfReleases: what a role holds depends on the release.
func TestPrivilegesOfReleases(t *testing.T) {
	t.Parallel()
	for version, want := range map[string][]string{
		"9.2.11": {"Datastore.Audit", "Mapping.Audit", "Pool.Audit", "SDN.Audit", "Sys.Audit", "VM.Audit", "VM.GuestAgent.Audit"},
		"8.4.1":  {"Datastore.Audit", "Mapping.Audit", "Pool.Audit", "SDN.Audit", "Sys.Audit", "VM.Audit"},
		"7.4-17": {"Datastore.Audit", "Pool.Audit", "SDN.Audit", "Sys.Audit", "VM.Audit"},
	} {
		a := parseAccess("acl:1:/:u@pve:PVEAuditor:\nuser:u@pve:1:0::::::\n", parseRelease(version))
		var got []string
		for name := range a.on("u@pve", "/") {
			got = append(got, name)
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("PVEAuditor of %s holds %q, want %q", version, got, want)
		}
	}
}
