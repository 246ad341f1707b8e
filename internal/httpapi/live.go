package httpapi

import (
	"context"
	"time"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/fleet"
	"pciatlas/internal/pci"
)

// Live reads clusters. Its errors carry a code of this package: cluster_not_found,
// pve_unreachable, pve_refused, pve_certificate, pve_timeout.
type Live interface {
	// Report reads the nodes that are wanted, or shares a read that is not older
	// than a few seconds. The same read gives the same pointer.
	Report(ctx context.Context, cluster string, want Want) (*atlas.Report, error)
	// Nodes are the members of the cluster as its entry node tells them.
	Nodes(ctx context.Context, cluster string) (facts.Read[[]facts.Member], error)
	// Renew keeps what was read of a cluster until now from being shared any more.
	Renew(cluster string)
	// Stats says how each cluster was read last.
	Stats() []ReadStatus
}

// ReadStatus says how a cluster was read last, for metrics.
type ReadStatus struct {
	Cluster   string
	Duration  time.Duration // of the last read
	OK        bool          // the last read gave facts
	Succeeded time.Time     // when the last read began that gave facts; zero if none did
	// Nodes are what the last read of each node gave.
	Nodes map[string]NodeCounts
	// Requests counts the answers of Proxmox VE by HTTP status since the start;
	// nil if nobody counts.
	Requests map[string]uint64
}

// NodeCounts is what the last read of a node gave.
type NodeCounts struct {
	Began       time.Time
	DevicesRead bool
	Complete    bool // all references to devices of the node were known
	Devices     map[DeviceGroup]int
}

// DeviceGroup is what devices are counted by.
type DeviceGroup struct {
	Kind  pci.Kind
	State atlas.State
}

// Want says what to read.
type Want struct {
	Nodes   []string // empty: all
	Details bool     // also what findings and plans need
	NoNodes bool     // no node at all: which VMs there are and where
}

// Tester tries out the connection to a cluster that need not be saved. The
// secret goes nowhere before the certificate is trusted; an empty one is not sent.
type Tester interface {
	Test(ctx context.Context, cluster fleet.Cluster, secret string) (ConnectionTest, error)
}

// ConnectionTest is how far a connection came.
type ConnectionTest struct {
	Reachable bool
	Problem   string // why it came no further, a sentence; "" for nothing
	Version   string // of Proxmox VE; "" if not told
	// Certificate is what the entry node showed; nil if it was not reached.
	Certificate *Certificate
	TokenUser   string // USER@REALM!NAME
	TokenOK     *bool  // nil: not known
	// Scope is how sure it is that all VMs are shown; "" if not asked.
	Scope    string
	Missing  []MissingPrivilege
	Commands []string // that grant what is missing
}

// Certificate is what an entry node showed.
type Certificate struct {
	Fingerprint string // SHA-256 as Proxmox VE writes it, AA:BB:…
	Trusted     bool
	Reason      string // why it is not trusted
	Subject     string
	NotAfter    time.Time
}

// MissingPrivilege is a privilege that the token lacks, and what that costs.
type MissingPrivilege struct{ Privilege, Path, Cost string }
