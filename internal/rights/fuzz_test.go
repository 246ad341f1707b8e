package rights_test

import (
	"slices"
	"strings"
	"testing"

	"pciatlas/internal/pve"
	"pciatlas/internal/rights"
)

// oddRights makes rights of text: one path a line, "path privilege=flag ...", and the
// access rules of the lines that begin with "acl ".
func oddRights(text string, state int) rights.Shown {
	r := rights.Shown{RulesWhole: state == 1}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if path, ok := strings.CutPrefix(line, "acl "); ok {
			r.Rules = append(r.Rules, pve.ACLEntry{Path: path})
			continue
		}
		path, rest, some := strings.Cut(line, " ")
		if r.Permissions == nil {
			r.Permissions = pve.PermissionTree{}
		}
		r.Permissions[path] = nil
		if some {
			r.Permissions[path] = map[string]bool{}
		}
		for word := range strings.FieldsSeq(rest) {
			privilege, flag, _ := strings.Cut(word, "=")
			r.Permissions[path][privilege] = flag == "1"
		}
	}
	return r
}

// FuzzRights: no tree is too odd to be judged; nothing is proven without the paths
// that the rule names; and the spelling of a path makes no difference.
func FuzzRights(f *testing.F) {
	f.Add("", 1)
	f.Add("/\n/vms\n/pool", 1)
	f.Add("/ VM.Audit=1\n/vms VM.Audit=1\n/pool VM.Audit=1\n/access Sys.Audit=0\nacl /vms/1", 1)
	f.Add("/ VM.Audit=1 Mapping.Use=1\n//vms// VM.Audit=1\n/vms VM.Audit=0\npool/ VM.Audit=1\n/access Sys.Audit=1", 1)
	f.Add("/mapping/pci/ Mapping.Modify=1\n/mapping/pci/a//b x=1\nacl ../..\nacl //\nacl ", 3)
	f.Fuzz(func(t *testing.T, text string, state int) {
		r := oddRights(text, state)
		vms, mappings := rights.VMs(r), rights.Mappings(r)
		checkVerdict(t, "VMs", vms, vms.State, []string{vms.Fault})
		checkVerdict(t, "mappings", mappings, mappings.State, []string{mappings.Fault})
		if vms.State == rights.Proven && (!r.RulesWhole || !fromThree(r, pve.VMAudit)) {
			t.Errorf("proven by %+v", r)
		}
		checkSpelling(t, r, vms, mappings)
		if rights.SeesNothing(r) && (vms.State != rights.Unproven || len(rights.Missing(r)) != 4) {
			t.Errorf("sees nothing, but %+v, missing %+v", vms, rights.Missing(r))
		}
	})
}

// fromThree tells whether a privilege propagates from at least three listed paths, the
// least that a proof about VMs takes.
func fromThree(r rights.Shown, privilege string) bool {
	n := 0
	for path := range r.Permissions {
		if r.Permissions.Propagates(path, privilege) {
			n++
		}
	}
	return n >= 3
}

func checkSpelling(t *testing.T, r rights.Shown, vms, mappings rights.Verdict) {
	t.Helper()
	other := rights.Shown{User: r.User, Permissions: pve.PermissionTree{}, RulesWhole: r.RulesWhole}
	for path, privileges := range r.Permissions {
		other.Permissions["/"+path+"/"] = privileges
	}
	other.Rules = slices.Clone(r.Rules)
	for i := range other.Rules {
		other.Rules[i].Path = "//" + r.Rules[i].Path + "/"
	}
	if v, m := rights.VMs(other), rights.Mappings(other); v != vms || m != mappings {
		t.Errorf("%+v\n%+v %+v, but with other slashes %+v %+v", r, vms, mappings, v, m)
	}
}

// FuzzGrant: the commands hold nothing of the text outside single quotes.
func FuzzGrant(f *testing.F) {
	for _, c := range ids {
		f.Add(c.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		user, id, ok := rights.SplitToken(text)
		if ok && user+"!"+id != text {
			t.Errorf("%q became %q and %q", text, user, id)
		}
		for i, command := range rights.Grant(text) {
			if strings.ContainsFunc(command, func(r rune) bool { return r < ' ' || r == 0x7f }) {
				t.Errorf("control characters in %q", command)
			}
			bare := unquoted(command)
			if i > 0 && bare != "pveum acl modify / --users  --roles PciatlasRead" && bare != "pveum acl modify / --tokens  --roles PciatlasRead" {
				t.Errorf("%q leaves %q outside the quotes", command, bare)
			}
		}
	})
}

// unquoted removes what a POSIX shell takes as quoted, 'so' and \' alike.
func unquoted(s string) string {
	var b strings.Builder
	for s != "" {
		switch {
		case s[0] == '\'':
			_, s, _ = strings.Cut(s[1:], "'")
		case s[0] == '\\' && len(s) > 1:
			s = s[2:]
		default:
			b.WriteByte(s[0])
			s = s[1:]
		}
	}
	return b.String()
}
