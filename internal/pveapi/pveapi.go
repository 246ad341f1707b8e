// Package pveapi reads one cluster over the HTTP API of Proxmox VE: a thin client
// and a reader that fills a facts.Snapshot within its budget. It may be imported
// by the command line and the server's wiring; it imports pure packages only.
package pveapi

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"pciatlas/internal/fleet"
)

// Limits bound what one client does to a cluster. The defaults follow what
// Proxmox VE can serve: three workers for its interface and three behind them,
// and an entry node that passes on at most four requests at a time to one other.
type Limits struct {
	VMsPerNode int           // VMs read of one node, ascending by number
	PerNode    int           // requests at a time for one node
	PerEntry   int           // requests at a time at one address that relays for others
	PerCluster int           // requests at a time in all
	NodeBudget time.Duration // time that one node may keep requests waiting
	Request    time.Duration // time for one request that is not for a node
	Body       int64         // bytes of one answer; most kinds of answers have a smaller limit of their own
	Mentions   int           // numbers of guests that are asked after
}

// DefaultLimits are the limits that apply where nothing else is configured.
func DefaultLimits() Limits {
	return Limits{
		VMsPerNode: 200, PerNode: 4, PerEntry: 12, PerCluster: 20,
		NodeBudget: 12 * time.Second, Request: 12 * time.Second, Body: largeBody, Mentions: 50,
	}
}

// Options say which cluster is read and how.
type Options struct {
	// Cluster is the name that the answers carry.
	Cluster string
	// Endpoints are the entry nodes in order of preference, for example
	// https://pve-a.example.com:8006. There must be one.
	Endpoints []string
	// NodeAddresses are addresses at which nodes are asked directly. Nodes without
	// one are asked through the entry node.
	NodeAddresses map[string]string
	Token         Token
	// CAs are trusted besides the fingerprints; nil means those of the system.
	CAs *x509.CertPool
	// Fingerprints are SHA-256 fingerprints of certificates that are trusted
	// whoever signed them. If there is one, nothing else is trusted.
	Fingerprints []Fingerprint
	// RefuseLocal refuses connections to loopback, link-local, unspecified and
	// multicast addresses, whatever name resolves to them; see fleet.CheckAddress.
	RefuseLocal bool
	// Limits of zero value are the defaults.
	Limits Limits
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// Observe is told the HTTP status of every answer, 0 for a request without one;
	// several requests at once may call it. nil: nobody counts.
	Observe func(status int)
	// PassedOver is told when an entry node, as HOST:PORT, was of no use and another
	// one took its place; several requests at once may call it. nil: nobody is told.
	PassedOver func(address string, failure *Error)
}

// Client asks one cluster. It may be used by several goroutines at once; its
// limits hold over all of them.
type Client struct {
	options   Options
	endpoints []string
	nodes     map[string]string
	standing  standing
	http      *http.Client
	cluster   *semaphore.Weighted
	large     *semaphore.Weighted // answers that are large, while they are received
	ticket    *ticket             // of a user who has signed in; nil: the token is used

	mu       sync.Mutex
	byEntry  map[string]*semaphore.Weighted
	byTarget map[string]*semaphore.Weighted
}

// New checks the options and makes a client. It asks nobody.
func New(options Options) (*Client, error) {
	if len(options.Endpoints) == 0 {
		return nil, errors.New("no address of an entry node is given")
	}
	if options.Token.ID == "" {
		return nil, errors.New("no API token is given")
	}
	options.Limits = withDefaults(options.Limits)
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.Observe == nil {
		options.Observe = func(int) {}
	}
	client := &Client{
		options: options, nodes: map[string]string{},
		http:     &http.Client{Transport: newTransport(&options), CheckRedirect: refuseRedirect},
		cluster:  semaphore.NewWeighted(int64(options.Limits.PerCluster)),
		large:    semaphore.NewWeighted(largeAtOnce),
		byEntry:  map[string]*semaphore.Weighted{},
		byTarget: map[string]*semaphore.Weighted{},
	}
	for _, endpoint := range options.Endpoints {
		base, err := CheckEndpoint(endpoint)
		if err != nil {
			return nil, err
		}
		client.endpoints = append(client.endpoints, base)
	}
	for node, address := range options.NodeAddresses {
		base, err := CheckEndpoint(address)
		if err != nil {
			return nil, fmt.Errorf("address of node %s: %w", node, err)
		}
		client.nodes[node] = base
	}
	return client, nil
}

// Close ends idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

func refuseRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

func withDefaults(l Limits) Limits {
	d := DefaultLimits()
	fill := func(value *int, fallback int) {
		if *value <= 0 {
			*value = fallback
		}
	}
	fill(&l.VMsPerNode, d.VMsPerNode)
	fill(&l.PerNode, d.PerNode)
	fill(&l.PerEntry, d.PerEntry)
	fill(&l.PerCluster, d.PerCluster)
	fill(&l.Mentions, d.Mentions)
	if l.NodeBudget <= 0 {
		l.NodeBudget = d.NodeBudget
	}
	if l.Request <= 0 {
		l.Request = d.Request
	}
	if l.Body <= 0 {
		l.Body = d.Body
	}
	return l
}

// CheckEndpoint checks the address of an entry node and gives it in its plain
// form: https, a host, a port (8006 if none is given), nothing else. Addresses of
// this machine are fine here; see Options.RefuseLocal.
func CheckEndpoint(address string) (string, error) { return fleet.CheckEntry(address, true) }
