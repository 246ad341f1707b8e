package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"pciatlas/internal/auth"
	"pciatlas/internal/fleet"
)

// NewConnection is a connection to try out that need not be saved.
type NewConnection struct {
	Entries       []string          `json:"entries" doc:"Addresses of entry nodes; the first one that answers is tested."`
	NodeAddresses map[string]string `json:"node_addresses,omitempty"`
	TLS           NewClusterTLS     `json:"tls,omitzero"`
	TokenID       string            `json:"token_id,omitempty" maxLength:"256" doc:"Left out, only the certificate is looked at."`
	Secret        string            `json:"secret,omitempty" maxLength:"256" writeOnly:"true" doc:"Goes nowhere unless the certificate is trusted."`
}

// ClusterTest is how far a connection came.
type ClusterTest struct {
	Reachable   bool                    `json:"reachable"`
	Problem     *string                 `json:"problem" doc:"Why it came no further; null for nothing."`
	Version     *string                 `json:"version" doc:"Of Proxmox VE; null if not told."`
	Certificate OrNull[TestCertificate] `json:"certificate" doc:"What the entry node showed; null if it was not reached."`
	Token       OrNull[TestToken]       `json:"token" doc:"Null if none was tried."`
	Rights      OrNull[TestRights]      `json:"rights" doc:"Null if nobody asked."`
}

// TestCertificate is the certificate that an entry node showed. Compare the
// fingerprint on the node itself: pvenode cert info.
type TestCertificate struct {
	Fingerprint string     `json:"fingerprint" doc:"SHA-256 as Proxmox VE writes it."`
	Trusted     bool       `json:"trusted"`
	Reason      *string    `json:"reason" doc:"Why it is not trusted."`
	Subject     string     `json:"subject"`
	NotAfter    *time.Time `json:"not_after"`
}

// TestToken says whether Proxmox VE accepts the API token.
type TestToken struct {
	User string `json:"user" example:"atlas@pve!reader"`
	OK   *bool  `json:"ok" doc:"Null if it is not known, because nobody answered as Proxmox VE does."`
}

// TestRights are what the token may see.
type TestRights struct {
	Scope    string        `json:"scope" enum:"proven,assumed,unproven" doc:"How sure it is that all VMs are shown."`
	Missing  []TestMissing `json:"missing"`
	Commands []string      `json:"commands" doc:"To run on a node: they grant what is missing."`
}

// TestMissing is a privilege that the token lacks.
type TestMissing struct {
	Privilege string `json:"privilege"`
	Path      string `json:"path"`
	Cost      string `json:"cost" doc:"What cannot be told without it."`
}

// readOnly marks an operation that changes nothing although its method could.
var readOnly = map[string]any{"x-read-only": true}

func (a *API) registerClusterTests() {
	register(a, huma.Operation{
		OperationID: "test-connection", Method: http.MethodPost, Path: "/cluster-test", Tags: []string{tagClusters},
		Summary:     "Try out a connection that is not saved",
		Description: "Shows the fingerprint of the certificate before anything is sent with the token.", Extensions: readOnly,
		Errors: []int{http.StatusBadGateway, http.StatusGatewayTimeout},
	}, auth.Admin, a.testConnection)
	register(a, huma.Operation{
		OperationID: "test-cluster", Method: http.MethodPost, Path: "/clusters/{cluster}/test", Tags: []string{tagClusters},
		Summary: "Try out the connection to a cluster as it is saved", Extensions: readOnly,
		Errors: []int{http.StatusNotFound, http.StatusConflict, http.StatusBadGateway, http.StatusGatewayTimeout},
	}, auth.Admin, a.testCluster)
}

// unnamed and anyToken stand in for what a test needs no answer to.
const (
	unnamed  = "unsaved"
	anyToken = "nobody@pam!none"
)

func (a *API) testConnection(ctx context.Context, input *body[NewConnection]) (*body[ClusterTest], error) {
	given := &input.Body
	settings := ClusterSettings{Entries: given.Entries, NodeAddresses: given.NodeAddresses, TLS: given.TLS, TokenID: given.TokenID}
	if given.TokenID == "" {
		settings.TokenID = anyToken
	}
	cluster, err := settings.cluster(unnamed, a.AllowLocalEntries)
	switch {
	case err != nil:
		return nil, err
	case given.TokenID == "" && given.Secret != "":
		return nil, invalid("token_id", "Say which API token the secret belongs to.")
	case given.TokenID == "":
		cluster.TokenID = ""
	case given.Secret != "":
		if err := checkSecret(given.Secret); err != nil {
			return nil, err
		}
	}
	return a.test(ctx, cluster, given.Secret)
}

func (a *API) testCluster(ctx context.Context, input *ClusterPath) (*body[ClusterTest], error) {
	cluster, secret, err := a.Store.ClusterWithSecret(ctx, input.Cluster)
	if isNotFound(err) {
		err = noCluster()
	}
	if err != nil {
		return nil, err
	}
	return a.test(ctx, cluster, secret)
}

func (a *API) test(ctx context.Context, cluster fleet.Cluster, secret string) (*body[ClusterTest], error) {
	result, err := a.Tester.Test(ctx, cluster, secret)
	if err != nil {
		return nil, err
	}
	return &body[ClusterTest]{toClusterTest(&result)}, nil
}

func toClusterTest(result *ConnectionTest) ClusterTest {
	wire := ClusterTest{Reachable: result.Reachable, Problem: textOrNull(result.Problem), Version: textOrNull(result.Version)}
	if c := result.Certificate; c != nil {
		wire.Certificate.Value = &TestCertificate{c.Fingerprint, c.Trusted, textOrNull(c.Reason), c.Subject, timestampOrNull(c.NotAfter)}
	}
	if result.TokenUser != "" {
		wire.Token.Value = &TestToken{result.TokenUser, result.TokenOK}
	}
	if result.Scope != "" {
		rights := &TestRights{Scope: result.Scope, Missing: []TestMissing{}, Commands: append([]string{}, result.Commands...)}
		for _, missing := range result.Missing {
			rights.Missing = append(rights.Missing, TestMissing(missing))
		}
		wire.Rights.Value = rights
	}
	return wire
}
