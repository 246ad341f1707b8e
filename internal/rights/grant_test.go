package rights_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"pciatlas/internal/rights"
)

func TestGrant(t *testing.T) {
	want := []string{
		`pveum role add PciatlasRead --privs "Sys.Audit,VM.Audit,Mapping.Audit"`,
		`pveum acl modify / --users 'scan@pve' --roles PciatlasRead`,
		`pveum acl modify / --tokens 'scan@pve!atlas' --roles PciatlasRead`,
	}
	if got := rights.Grant("scan@pve!atlas"); !slices.Equal(got, want) {
		t.Errorf("token: got %q, want %q", got, want)
	}
	if got := rights.Grant("scan@pve"); !slices.Equal(got, want[:2]) {
		t.Errorf("user: got %q, want %q", got, want[:2])
	}
}

// ids are what people and PVE may call a token, and what only looks like one.
var ids = []struct{ text, user, id string }{
	{"scan@pve!atlas", "scan@pve", "atlas"},
	{"root@pam!full", "root@pam", "full"},
	{"a@b@my-realm.x_1!t.o-k_1", "a@b@my-realm.x_1", "t.o-k_1"},
	{"a!b@pve!tok", "a!b@pve", "tok"},
	{"it's;$(reboot)`x`\"\\@pve!tok", "it's;$(reboot)`x`\"\\@pve", "tok"},
	{"日本@pve!tok", "日本@pve", "tok"},
	{"-x@pve!tok", "-x@pve", "tok"},
	{text: ""},
	{text: "scan"},
	{text: "scan@pve!"},
	{text: "scan@pve!a"},      // PVE ignores ids of one letter
	{text: "scan@pve!1token"}, // they begin with a letter
	{text: "scan@p!token"},
	{text: "@pve!token"},
	{text: "scan@pve!tok=secret"},
	{text: "sc an@pve!tok"},
	{text: "scan@pve!tok\n"},
	{text: "scan\n@pve!tok"},
	{text: "scan\x1b[2J@pve!tok"},
	{text: "scan\u202e@pve!tok"},
	{text: "scan\u00a0@pve!tok"},
	{text: "scan\xff@pve!tok"},
	{text: "a/b@pve!tok"},
	{text: "a:b@pve!tok"},
}

func TestSplitToken(t *testing.T) {
	for _, c := range ids {
		user, id, ok := rights.SplitToken(c.text)
		if user != c.user || id != c.id || ok != (c.id != "") {
			t.Errorf("%q: got %q %q %v, want %q %q", c.text, user, id, ok, c.user, c.id)
		}
		if (rights.Grant(c.text) != nil) != ok {
			t.Errorf("%q: commands %q", c.text, rights.Grant(c.text))
		}
	}
	if user, id, ok := rights.SplitToken("scan@pve"); ok || id != "" {
		t.Errorf("a user is no token: %q %q", user, id)
	}
}

// TestGrantInAShell gives the commands to a shell: it must see the very words, and run
// nothing else.
func TestGrantInAShell(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell here")
	}
	for _, c := range ids {
		if c.id == "" {
			continue
		}
		commands := rights.Grant(c.text)
		script := "pveum() { printf '%s\\n' \"$@\" .; }\n" + strings.Join(commands, "\n")
		out, err := exec.CommandContext(t.Context(), shell, "-c", script).CombinedOutput()
		want := strings.Join([]string{
			"role", "add", rights.RoleName, "--privs", "Sys.Audit,VM.Audit,Mapping.Audit", ".",
			"acl", "modify", "/", "--users", c.user, "--roles", rights.RoleName, ".",
			"acl", "modify", "/", "--tokens", c.user + "!" + c.id, "--roles", rights.RoleName, ".", "",
		}, "\n")
		if err != nil || string(out) != want {
			t.Errorf("%q: %v\n%s\nwant\n%s", c.text, err, out, want)
		}
	}
}
