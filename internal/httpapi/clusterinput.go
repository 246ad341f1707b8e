package httpapi

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"pciatlas/internal/fleet"
)

// ClusterSettings are what one may set of a cluster.
type ClusterSettings struct {
	Entries       []string          `json:"entries" doc:"Addresses of entry nodes, the preferred one first: https, host, and port 8006 unless said otherwise."`
	NodeAddresses map[string]string `json:"node_addresses,omitempty" doc:"Addresses of nodes that are to be asked directly, by node."`
	TLS           NewClusterTLS     `json:"tls,omitzero"`
	TokenID       string            `json:"token_id" maxLength:"256" example:"atlas@pve!reader"`
	Changes       bool              `json:"changes,omitempty" doc:"This server may change resource mappings of the cluster."`
	DesktopTag    *string           `json:"desktop_tag,omitempty" nullable:"true" maxLength:"124" doc:"VMs with this tag are managed desktops."`
	Limits        NewClusterLimits  `json:"limits,omitzero"`
}

// NewClusterTLS says which certificates are trusted.
type NewClusterTLS struct {
	CAs          string   `json:"cas,omitempty" doc:"Certificates in PEM; left out for those of the system."`
	Fingerprints []string `json:"fingerprints,omitempty" doc:"SHA-256 of certificates; if there are any, nothing else is trusted."`
}

// NewClusterLimits bound what reading does to a cluster; 0 and left out are the
// default.
type NewClusterLimits struct {
	VMsPerNode   int   `json:"vms_per_node,omitempty"`
	PerNode      int   `json:"per_node,omitempty"`
	PerEntry     int   `json:"per_entry,omitempty"`
	PerCluster   int   `json:"per_cluster,omitempty"`
	NodeBudgetMS int64 `json:"node_budget_ms,omitempty" minimum:"0" maximum:"120000"`
	RequestMS    int64 `json:"request_ms,omitempty" minimum:"0" maximum:"120000"`
}

// NewCluster is a cluster to be registered.
type NewCluster struct {
	ClusterSettings

	Name   string `json:"name" maxLength:"40" doc:"Lower-case letters, digits and hyphens."`
	Secret string `json:"secret" maxLength:"256" writeOnly:"true" doc:"Of the API token. It is sealed and never answered."`
}

// ClusterUpdate replaces the settings of a cluster.
type ClusterUpdate struct {
	ClusterSettings

	Secret   string `json:"secret,omitempty" maxLength:"256" writeOnly:"true" doc:"Of the API token; left out, the stored one stays."`
	Revision int64  `json:"revision,omitempty" minimum:"1" doc:"The one that the update was made from; may be given as If-Match instead."`
}

type updateClusterInput struct {
	ClusterPath

	IfMatch string `header:"If-Match" maxLength:"100" doc:"The ETag of the cluster that the update was made from."`
	Body    ClusterUpdate
}

// cluster gives the settings in plain form.
func (s *ClusterSettings) cluster(name string, allowLocal bool) (fleet.Cluster, error) {
	c := fleet.Cluster{
		Name: name, Entries: s.Entries, NodeAddresses: s.NodeAddresses,
		TLS: fleet.TLS(s.TLS), TokenID: s.TokenID, Changes: s.Changes,
		Limits: fleet.Limits{
			VMsPerNode: s.Limits.VMsPerNode, PerNode: s.Limits.PerNode, PerEntry: s.Limits.PerEntry, PerCluster: s.Limits.PerCluster,
			NodeBudget: time.Duration(s.Limits.NodeBudgetMS) * time.Millisecond, Request: time.Duration(s.Limits.RequestMS) * time.Millisecond,
		},
	}
	if s.DesktopTag != nil {
		c.DesktopTag = *s.DesktopTag
	}
	return c, clusterFaults(c.Normalize(allowLocal))
}

// clusterFaults names the fields as they are called here.
func clusterFaults(err error) error {
	var faults *fleet.InvalidError
	if !errors.As(inSentences(err), &faults) {
		return err
	}
	for i := range faults.Fields {
		switch field := &faults.Fields[i].Field; *field {
		case "limits.node_budget", "limits.request":
			*field += "_ms"
		default:
		}
	}
	return faults
}

// checkSecret refuses what cannot be the secret of a token. It does not repeat it.
func checkSecret(secret string) error {
	switch {
	case secret == "":
		return invalid("secret", "Give the secret of the API token.")
	case strings.Contains(secret, "="):
		return invalid("secret", "Give only what stands behind the = of the API token; the part before it belongs into token_id.")
	case strings.ContainsFunc(secret, func(r rune) bool { return r <= ' ' || r > '~' }):
		return invalid("secret", "The secret of an API token has no blanks and only ASCII characters.")
	default:
		return nil
	}
}

// clusterValues are the values for the audit log, without the secret.
func clusterValues(c fleet.Cluster) map[string]any {
	return map[string]any{
		"entries": c.Entries, "node_addresses": c.NodeAddresses, "fingerprints": c.TLS.Fingerprints,
		"certificates": strings.Count(c.TLS.CAs, "BEGIN CERTIFICATE"), "token_id": c.TokenID, "changes": c.Changes,
		"desktop_tag": valueOrNull(c.DesktopTag), "limits": toCluster(c).Limits,
	}
}

func (a *API) createCluster(ctx context.Context, input *body[NewCluster]) (*clusterOutput, error) {
	given := &input.Body
	cluster, err := given.cluster(given.Name, a.AllowLocalEntries)
	if err == nil {
		err = checkSecret(given.Secret)
	}
	if err != nil {
		return nil, err
	}
	cluster.CreatedAt = a.Now().UTC()
	cluster.UpdatedAt = cluster.CreatedAt
	entry := a.audit(ctx, "cluster "+cluster.Name)
	entry.After = clusterValues(cluster)
	stored, err := a.Store.CreateCluster(ctx, cluster, given.Secret, entry)
	if errorCode(err) == codeExists {
		return nil, newProblem(codeExists, "There is a cluster with this name already.")
	}
	if err != nil {
		return nil, err
	}
	return toClusterOutput(stored), nil
}

func (a *API) updateCluster(ctx context.Context, input *updateClusterInput) (*clusterOutput, error) {
	before, err := a.findCluster(ctx, input.Cluster)
	if err != nil {
		return nil, err
	}
	if err := input.checkRevision(before.Revision); err != nil {
		return nil, err
	}
	after, err := input.Body.cluster(before.Name, a.AllowLocalEntries)
	if err != nil {
		return nil, err
	}
	secret, err := input.secret(before, after)
	if err != nil {
		return nil, err
	}
	after.CreatedAt, after.UpdatedAt = before.CreatedAt, a.Now().UTC()
	entry := a.audit(ctx, "cluster "+before.Name)
	entry.Before, entry.After = clusterValues(before), clusterValues(after)
	if secret != nil {
		entry.After["secret"] = "changed"
	}
	stored, err := a.Store.UpdateCluster(ctx, after, secret, before.Revision, entry)
	switch {
	case isNotFound(err):
		return nil, noCluster()
	case errorCode(err) == codeConflict:
		return nil, changedMeanwhile(http.StatusConflict)
	case err != nil:
		return nil, err
	}
	return toClusterOutput(stored), nil
}

// checkRevision refuses an update that was made from another revision than the
// present one, or from none that it names.
func (input *updateClusterInput) checkRevision(present int64) error {
	match := strings.TrimSpace(input.IfMatch)
	if match == "" && input.Body.Revision == 0 || match == "*" {
		return newProblem("revision_required", "Name the revision that the update was made from, as If-Match or in the body, so that it undoes nobody's change.")
	}
	if match != "" && !slices.ContainsFunc(strings.Split(match, ","), func(tag string) bool { return strings.TrimSpace(tag) == revisionTag(present) }) {
		return changedMeanwhile(http.StatusPreconditionFailed)
	}
	if input.Body.Revision != 0 && input.Body.Revision != present {
		return changedMeanwhile(http.StatusConflict)
	}
	return nil
}

func changedMeanwhile(status int) *Problem {
	p := newProblem(codeConflict, "The cluster has been changed meanwhile. Read it again and repeat the change.")
	p.Status, p.Title = status, http.StatusText(status)
	return p
}

// secret gives the new secret, or nil if the stored one stays. It may not stay
// where it would be sent to another place, or as the secret of another token.
func (input *updateClusterInput) secret(before, after fleet.Cluster) (*string, error) {
	if input.Body.Secret != "" {
		return &input.Body.Secret, checkSecret(input.Body.Secret)
	}
	var changed []string
	for _, c := range []struct {
		field string
		same  bool
	}{
		{"entries", slices.Equal(before.Entries, after.Entries)},
		{"node_addresses", maps.Equal(before.NodeAddresses, after.NodeAddresses)},
		{"tls", before.TLS.CAs == after.TLS.CAs && slices.Equal(before.TLS.Fingerprints, after.TLS.Fingerprints)},
		{"token_id", before.TokenID == after.TokenID},
	} {
		if !c.same {
			changed = append(changed, c.field)
		}
	}
	if len(changed) == 0 {
		return nil, nil
	}
	p := newProblem("secret_needed", "The update changes "+strings.Join(changed, " and ")+
		", so that the stored secret of the API token would go elsewhere. Give the secret again.")
	p.Errors = []FieldProblem{{Field: "secret", Message: "Give the secret of the API token again."}}
	return nil, p
}
