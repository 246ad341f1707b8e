package fleet

import "time"

// Cluster is a registered cluster. The secret of its token is never part of it.
type Cluster struct {
	// Name stands in URLs: 1 to 40 lower-case letters, digits and hyphens, with a
	// letter or digit at both ends.
	Name string
	// Entries are the addresses of entry nodes in order of preference, in plain
	// form (https://host:port).
	Entries []string
	// NodeAddresses are the addresses of nodes that are asked directly, by node.
	NodeAddresses map[string]string
	TLS           TLS
	TokenID       string // USER@REALM!NAME
	// Changes says that this server may change the cluster's resource mappings.
	Changes bool
	// DesktopTag makes every VM with this tag a managed desktop; "" is no rule.
	DesktopTag string
	Limits     Limits
	// Revision grows with every change of the cluster or its token; an update
	// names the one that it was made from.
	Revision             int64
	CreatedAt, UpdatedAt time.Time
}

// TLS says which certificates are trusted. With fingerprints, nothing else is.
type TLS struct {
	CAs          string   // certificates in PEM; "" are those of the system
	Fingerprints []string // SHA-256 as Proxmox VE writes it, AA:BB:…
}

// Limits bound what reading does to a cluster. A field of zero value is the
// default of the reader.
type Limits struct {
	VMsPerNode int           // VMs read of one node
	PerNode    int           // requests at a time for one node
	PerEntry   int           // requests at a time at one address that relays for others
	PerCluster int           // requests at a time in all
	NodeBudget time.Duration // time that one node may keep requests waiting
	Request    time.Duration // time for one request that is not for a node
}
