package fleet_test

import (
	"bytes"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pciatlas/internal/fleet"
)

var plainPrint = strings.TrimSuffix(strings.Repeat("AB:", 32), ":")

// lab is a cluster in plain form.
func lab() fleet.Cluster {
	return fleet.Cluster{
		Name: "lab", Entries: []string{"https://pve-a.example.com:8006", "https://192.0.2.1:8006"},
		NodeAddresses: map[string]string{"pve-b": "https://192.0.2.2:8006"},
		TLS:           fleet.TLS{Fingerprints: []string{plainPrint}},
		TokenID:       "atlas@pve!reader", DesktopTag: "vdi", Revision: 7, Changes: true,
		Limits: fleet.Limits{PerNode: 2, NodeBudget: time.Second},
	}
}

// testCA makes a certificate in PEM.
func testCA(t *testing.T) string {
	t.Helper()
	key := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Date(2040, 1, 1, 0, 0, 0, 0, time.UTC)}
	der, err := x509.CreateCertificate(bytes.NewReader(make([]byte, 1<<10)), template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

func TestNormalize(t *testing.T) {
	c := lab()
	c.Name, c.TokenID, c.DesktopTag = " lab ", " atlas@pve!reader\n", " VDI "
	given := []string{"PVE-A.example.com", "::ffff:192.0.2.1"}
	c.Entries = given
	c.NodeAddresses = map[string]string{"pve-b": "192.0.2.2"}
	c.TLS.Fingerprints = []string{strings.ToLower(plainPrint), strings.ReplaceAll(plainPrint, ":", "")}
	if err := c.Normalize(false); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(lab(), c); diff != "" {
		t.Error(diff)
	}
	if given[0] != "PVE-A.example.com" {
		t.Error("the caller's slice was changed")
	}
	if err := c.Normalize(false); err != nil || !cmp.Equal(lab(), c) {
		t.Errorf("plain form is not stable: %v, %+v", err, c)
	}
}

func TestNormalizeCAs(t *testing.T) {
	ca := testCA(t)
	c := lab()
	c.TLS = fleet.TLS{CAs: "subject=/CN=lab\r\n" + strings.ReplaceAll(ca, "\n", "\r\n") + ca}
	if err := c.Normalize(false); err != nil || c.TLS.CAs != ca+ca {
		t.Errorf("%v, %q", err, c.TLS.CAs)
	}
	c.TLS.CAs = " \n"
	if err := c.Normalize(false); err != nil || c.TLS.CAs != "" {
		t.Errorf("%v, %q", err, c.TLS.CAs)
	}
}

func TestNormalizeFaults(t *testing.T) {
	ca := testCA(t)
	key := string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: []byte("CANARY")}))
	broken := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: []byte("CANARY")}))
	for name, c := range map[string]struct {
		change func(*fleet.Cluster)
		fields []string
	}{
		"no name":             {func(c *fleet.Cluster) { c.Name = "" }, []string{"name"}},
		"name in upper case":  {func(c *fleet.Cluster) { c.Name = "Lab" }, []string{"name"}},
		"name ends in hyphen": {func(c *fleet.Cluster) { c.Name = "lab-" }, []string{"name"}},
		"name with slash":     {func(c *fleet.Cluster) { c.Name = "a/b" }, []string{"name"}},
		"name of 41":          {func(c *fleet.Cluster) { c.Name = strings.Repeat("a", 41) }, []string{"name"}},
		"no entries":          {func(c *fleet.Cluster) { c.Entries = nil }, []string{"entries"}},
		"too many entries":    {func(c *fleet.Cluster) { c.Entries = make([]string, 17) }, []string{"entries"}},
		"entries": {
			func(c *fleet.Cluster) { c.Entries = []string{"a", "http://CANARY", "A:8006", "127.0.0.1"} },
			[]string{"entries[1]", "entries[2]", "entries[3]"},
		},
		"node address": {func(c *fleet.Cluster) { c.NodeAddresses = map[string]string{"b": "::1", "a": "x:y@z"} }, []string{"node_addresses.a", "node_addresses.b"}},
		"node name":    {func(c *fleet.Cluster) { c.NodeAddresses = map[string]string{"CANARY/x": "192.0.2.1"} }, []string{"node_addresses"}},
		"fingerprint":  {func(c *fleet.Cluster) { c.TLS.Fingerprints = []string{plainPrint, "CANARY"} }, []string{"tls.fingerprints[1]"}},
		"both":         {func(c *fleet.Cluster) { c.TLS.CAs = ca }, []string{"tls"}},
		"no PEM":       {func(c *fleet.Cluster) { c.TLS = fleet.TLS{CAs: "CANARY"} }, []string{"tls.cas"}},
		"half a PEM":   {func(c *fleet.Cluster) { c.TLS = fleet.TLS{CAs: ca + ca[:len(ca)/2]} }, []string{"tls.cas"}},
		"private key":  {func(c *fleet.Cluster) { c.TLS = fleet.TLS{CAs: ca + key} }, []string{"tls.cas"}},
		"broken":       {func(c *fleet.Cluster) { c.TLS = fleet.TLS{CAs: broken} }, []string{"tls.cas"}},
		"long CAs":     {func(c *fleet.Cluster) { c.TLS = fleet.TLS{CAs: strings.Repeat(ca, 300)} }, []string{"tls.cas"}},
		"no token":     {func(c *fleet.Cluster) { c.TokenID = "" }, []string{"token_id"}},
		"a user":       {func(c *fleet.Cluster) { c.TokenID = "root@pam" }, []string{"token_id"}},
		"with secret":  {func(c *fleet.Cluster) { c.TokenID = "root@pam!x1=CANARY" }, []string{"token_id"}},
		"with newline": {func(c *fleet.Cluster) { c.TokenID = "ro\not@pam!x1" }, []string{"token_id"}},
		"broken UTF-8": {func(c *fleet.Cluster) { c.TokenID = "ro\xffot@pam!x1" }, []string{"token_id"}},
		"tag":          {func(c *fleet.Cluster) { c.DesktopTag = "a;b" }, []string{"desktop_tag"}},
		"limits": {
			func(c *fleet.Cluster) {
				c.Limits = fleet.Limits{VMsPerNode: -1, PerNode: 33, PerEntry: 65, PerCluster: 257, NodeBudget: time.Hour, Request: time.Nanosecond}
			},
			[]string{"limits.vms_per_node", "limits.per_node", "limits.per_entry", "limits.per_cluster", "limits.node_budget", "limits.request"},
		},
		"all at once": {func(c *fleet.Cluster) { *c = fleet.Cluster{} }, []string{"name", "entries", "token_id"}},
	} {
		t.Run(name, func(t *testing.T) {
			cluster := lab()
			c.change(&cluster)
			before := cluster
			err := cluster.Normalize(false)
			invalid, ok := errors.AsType[*fleet.InvalidError](err)
			if !ok {
				t.Fatalf("want an InvalidError, got %v", err)
			}
			var fields []string
			for _, field := range invalid.Fields {
				fields = append(fields, field.Field)
				if field.Message == "" || !strings.Contains(err.Error(), field.Message) {
					t.Errorf("%v lacks the sentence of %s", err, field.Field)
				}
			}
			if diff := cmp.Diff(c.fields, fields); diff != "" {
				t.Errorf("%v\n%s", err, diff)
			}
			if strings.Contains(err.Error(), "CANARY") {
				t.Errorf("the error repeats a text: %v", err)
			}
			if !cmp.Equal(before, cluster) {
				t.Error("the cluster was changed")
			}
		})
	}
}
