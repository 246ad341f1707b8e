package fleet

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// The most that a cluster may name.
const (
	maxEntries       = 16
	maxNodeAddresses = 128
	maxFingerprints  = 128
)

var (
	namePattern = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$`)
	// nodePattern is pve-node of PVE::JSONSchema, with the length of a DNS label.
	nodePattern = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$`)
	// tokenPattern is pve-tokenid of PVE::AccessControl, with the lengths of
	// PVE::Auth::Plugin.
	tokenPattern = regexp.MustCompile(`^[^\s:/!=;[:cntrl:]]{1,64}@[A-Za-z][A-Za-z0-9._-]{1,31}![A-Za-z][A-Za-z0-9._-]{1,127}$`)
	// tagPattern is pve-tag of PVE::JSONSchema.
	tagPattern = regexp.MustCompile(`^[a-z0-9_][a-z0-9_+.-]{0,123}$`)
)

// Normalize checks the cluster and puts it into plain form; see CheckEntry for
// allowLocal. The error is an *InvalidError that names every fault by the path of
// its field (name, entries[0], node_addresses.NODE, tls.cas, tls.fingerprints[0],
// token_id, desktop_tag, limits.vms_per_node …); then the cluster is unchanged.
// The slices and maps that the cluster shares with others are never changed.
func (c *Cluster) Normalize(allowLocal bool) error {
	plain, bad := *c, faults{}
	plain.Name = strings.TrimSpace(c.Name)
	if !namePattern.MatchString(plain.Name) {
		bad.add("name", "the name of a cluster has 1 to 40 lower-case letters, digits and hyphens, and begins and ends with a letter or digit")
	}
	plain.Entries = normalEntries(c.Entries, allowLocal, &bad)
	plain.NodeAddresses = normalNodes(c.NodeAddresses, allowLocal, &bad)
	plain.TLS = normalTLS(c.TLS, &bad)
	plain.TokenID = strings.TrimSpace(c.TokenID)
	if !utf8.ValidString(c.TokenID) || !tokenPattern.MatchString(plain.TokenID) {
		bad.add("token_id", "the id of an API token is written as USER@REALM!NAME, without the = and the secret behind it")
	}
	plain.DesktopTag = strings.ToLower(strings.TrimSpace(c.DesktopTag))
	if plain.DesktopTag != "" && !tagPattern.MatchString(plain.DesktopTag) {
		bad.add("desktop_tag", "a tag has letters, digits and the signs _ - + ., and begins with a letter, a digit or _")
	}
	c.Limits.check(&bad)
	if err := bad.err(); err != nil {
		return err
	}
	*c = plain
	return nil
}

func normalEntries(entries []string, allowLocal bool, bad *faults) []string {
	if len(entries) == 0 || len(entries) > maxEntries {
		bad.add("entries", fmt.Sprintf("a cluster has 1 to %d addresses of entry nodes", maxEntries))
		return nil
	}
	plain := make([]string, 0, len(entries))
	for i, entry := range entries {
		field := fmt.Sprintf("entries[%d]", i)
		address, err := CheckEntry(entry, allowLocal)
		switch {
		case err != nil:
			bad.add(field, err.Error())
		case slices.Contains(plain, address):
			bad.add(field, "the address is given twice")
		}
		plain = append(plain, address)
	}
	return plain
}

func normalNodes(addresses map[string]string, allowLocal bool, bad *faults) map[string]string {
	if len(addresses) > maxNodeAddresses {
		bad.add("node_addresses", fmt.Sprintf("a cluster has up to %d addresses of nodes", maxNodeAddresses))
		return nil
	}
	plain := make(map[string]string, len(addresses))
	for _, node := range slices.Sorted(maps.Keys(addresses)) {
		if !nodePattern.MatchString(node) {
			bad.add("node_addresses", "the name of a node has up to 63 letters, digits and hyphens, and begins and ends with a letter or digit")
			continue
		}
		address, err := CheckEntry(addresses[node], allowLocal)
		if err != nil {
			bad.add("node_addresses."+node, err.Error())
		}
		plain[node] = address
	}
	return plain
}

func normalTLS(tls TLS, bad *faults) TLS {
	cas, err := checkCAs(tls.CAs)
	if err != nil {
		bad.add("tls.cas", err.Error())
	}
	plain := TLS{CAs: cas, Fingerprints: []string{}}
	if len(tls.Fingerprints) > maxFingerprints {
		bad.add("tls.fingerprints", fmt.Sprintf("a cluster has up to %d fingerprints", maxFingerprints))
		return plain
	}
	for i, text := range tls.Fingerprints {
		fingerprint, err := CheckFingerprint(text)
		if err != nil {
			bad.add(fmt.Sprintf("tls.fingerprints[%d]", i), err.Error())
		} else if !slices.Contains(plain.Fingerprints, fingerprint) {
			plain.Fingerprints = append(plain.Fingerprints, fingerprint)
		}
	}
	if cas != "" && len(plain.Fingerprints) > 0 {
		bad.add("tls", "with a fingerprint nothing else is trusted: give either certificates or fingerprints")
	}
	return plain
}

// check finds limits that would overload a cluster or end every read at once.
func (l Limits) check(bad *faults) {
	for _, c := range []struct {
		field       string
		value, most int
	}{
		{"limits.vms_per_node", l.VMsPerNode, 10_000},
		{"limits.per_node", l.PerNode, 32},
		{"limits.per_entry", l.PerEntry, 64},
		{"limits.per_cluster", l.PerCluster, 256},
	} {
		if c.value < 0 || c.value > c.most {
			bad.add(c.field, fmt.Sprintf("the limit is a number from 1 to %d, or 0 for the default", c.most))
		}
	}
	l.checkTime("limits.node_budget", l.NodeBudget, bad)
	l.checkTime("limits.request", l.Request, bad)
}

func (Limits) checkTime(field string, value time.Duration, bad *faults) {
	const least, most = 100 * time.Millisecond, 2 * time.Minute
	if value != 0 && (value < least || value > most) {
		bad.add(field, "the limit is a time from 100 ms to 2 minutes, or 0 for the default")
	}
}
