package cli

import (
	"bytes"
	"crypto/x509"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"pciatlas/internal/facts"
	"pciatlas/internal/pve"
	"pciatlas/internal/pveapi"
)

// all gives the least role, propagating.
func all(without ...string) map[string]bool {
	privileges := map[string]bool{}
	for _, p := range []string{pve.SysAudit, pve.VMAudit, pve.MappingAudit} {
		if !slices.Contains(without, p) {
			privileges[p] = true
		}
	}
	return privileges
}

// TestGrantsWhereTheyHelp: a grant is given for the path on which it changes something,
// and none where nothing needs it.
func TestGrantsWhereTheyHelp(t *testing.T) {
	rule := func(path, role string) pve.ACLEntry {
		return pve.ACLEntry{Path: path, Type: "user", Subject: "u@pve", Role: role, Propagate: true}
	}
	for name, test := range map[string]struct {
		tree  pve.PermissionTree
		rules []pve.ACLEntry
		says  []string
		not   []string
	}{
		"only the access rules are out of sight": {
			tree: pve.PermissionTree{"/": all(), "/vms": all(), "/pool": all(), "/access": all(pve.SysAudit)},
			not:  []string{"The token"},
		},
		"nothing on /": {
			tree: pve.PermissionTree{},
			says: []string{"pveum role add", "pveum acl modify / --users 'u@pve' --roles PciatlasRead"},
			not:  []string{"pveum acl list"},
		},
		"a rule on one VM": {
			tree:  pve.PermissionTree{"/": all(), "/vms": all(), "/pool": all(), "/access": all(), "/vms/105": {"VM.Console": true}},
			rules: []pve.ACLEntry{rule("/", "PciatlasRead")},
			says:  []string{"Rules of their own on /vms/105 take", "pveum acl list", "pveum acl modify /vms/105 --users 'u@pve'"},
			not:   []string{"modify / ", "pveum role add"},
		},
		"NoAccess on a pool": {
			tree:  pve.PermissionTree{"/": all(), "/vms": all(), "/pool": all(), "/access": all(), "/pool/p": {}},
			rules: []pve.ACLEntry{rule("/", "PciatlasRead"), rule("/pool/p", "NoAccess")},
			says:  []string{"on /pool/p take", "pveum acl list", "nothing granted there helps while it stands"},
			not:   []string{"pveum acl modify"},
		},
		"NoAccess below what is to be granted": {
			tree:  pve.PermissionTree{"/": {}, "/vms/105": {}},
			rules: []pve.ACLEntry{rule("/vms/105", "NoAccess")},
			says:  []string{"on /vms/105 take", "pveum acl modify / ", "helps while it stands"},
			not:   []string{"modify /vms"},
		},
		"a rule on the access rules and one VM": {
			tree: pve.PermissionTree{"/": all(), "/vms": all(), "/pool": all(), "/access": {}, "/vms/105": {}},
			says: []string{"on /vms/105, /access take", "modify /vms/105 ", "modify /access "},
			not:  []string{"modify / "},
		},
	} {
		snapshot := &facts.Snapshot{Rights: facts.Read[facts.Rights]{State: facts.OK, Value: facts.Rights{
			User: "u@pve!scan", Permissions: test.tree, ACL: facts.Read[[]pve.ACLEntry]{State: facts.OK, Value: test.rules},
		}}}
		var stderr bytes.Buffer
		adviseRights(Env{Stderr: &stderr}, snapshot)
		for _, says := range test.says {
			if !strings.Contains(stderr.String(), says) {
				t.Errorf("%s: no %q in\n%s", name, says, stderr.String())
			}
		}
		for _, not := range test.not {
			if strings.Contains(stderr.String(), not) {
				t.Errorf("%s: %q in\n%s", name, not, stderr.String())
			}
		}
	}
}

// TestCertificateFaults: each reason has its own words.
func TestCertificateFaults(t *testing.T) {
	at := func(year int) time.Time { return time.Date(year, 5, 6, 0, 0, 0, 0, time.UTC) }
	certificate := &x509.Certificate{
		NotBefore: at(2024), NotAfter: at(2026), DNSNames: []string{"pve-a\nFAKE"}, IPAddresses: []net.IP{net.IPv4(10, 0, 0, 1)},
	}
	for name, test := range map[string]struct {
		err  error
		now  time.Time
		says string
	}{
		"self-made": {x509.UnknownAuthorityError{Cert: certificate}, at(2025), "usual for a node"},
		"expired":   {x509.CertificateInvalidError{Cert: certificate, Reason: x509.Expired}, at(2027), "It expired on 2026-05-06 (the clock of this machine says 2027-05-06)"},
		"too early": {x509.CertificateInvalidError{Cert: certificate, Reason: x509.Expired}, at(2023), "valid from 2024-05-06 on only"},
		"name":      {x509.HostnameError{Certificate: certificate, Host: "pve-b"}, at(2025), `It is not for pve-b, but for pve-a\u000aFAKE, 10.0.0.1.`},
		"no name":   {x509.HostnameError{Certificate: &x509.Certificate{}, Host: "pve-b"}, at(2025), "but for no name at all"},
	} {
		env := Env{Now: func() time.Time { return test.now }}
		text := errorText(t.Context(), adviseCertificate(env, &pveapi.CertificateError{Address: "pve-b", Err: test.err}))
		if !strings.Contains(text, test.says) || strings.Contains(text, "usual") != (name == "self-made") {
			t.Errorf("%s: %s", name, text)
		}
	}
}
