package httpapi

import (
	"context"
	"time"

	"pciatlas/internal/auth"
	"pciatlas/internal/fleet"
)

// Store keeps what the operations change. Its errors carry a code of this
// package (ErrorCode() string): not_found, exists, conflict, last_admin,
// setup_done, setup_token, database_unavailable and those of cluster tokens.
// A change is written together with its audit entry or not at all.
type Store interface {
	Pinger
	SetupStore
	AdministratorStore
	SessionStore
	AttemptStore
	TokenStore
	ClusterStore
	DesktopStore
	AuditStore
}

// SetupStore makes the first administrator.
type SetupStore interface {
	// SetupNeeded says whether nobody with the role admin can sign in.
	SetupNeeded(ctx context.Context) (bool, error)
	CompleteSetup(ctx context.Context, tokenHash string, admin auth.Administrator, entry fleet.AuditEntry) error
}

// AdministratorStore keeps administrators. A new password or a lower role ends
// the sessions, but for ChangePassword the one with the hash in keep; endTokens
// removes the tokens, too.
type AdministratorStore interface {
	Administrators(ctx context.Context) ([]auth.Administrator, error)
	Administrator(ctx context.Context, name string) (auth.Administrator, error)
	AdministratorBySubject(ctx context.Context, subject string) (auth.Administrator, error)
	CreateAdministrator(ctx context.Context, admin auth.Administrator, entry fleet.AuditEntry) error
	UpdateAdministrator(ctx context.Context, name string, endTokens bool, change func(*auth.Administrator) error, entry fleet.AuditEntry) error
	// RehashPassword stores another hash of the same password and ends no session;
	// conflict if the stored hash is not before any more.
	RehashPassword(ctx context.Context, name, before, after string) error
	ChangePassword(ctx context.Context, name, hash, keep string, endTokens bool, entry fleet.AuditEntry) error
	DeleteAdministrator(ctx context.Context, name string, entry fleet.AuditEntry) error
}

// SessionStore keeps sessions by the hash of their cookie.
type SessionStore interface {
	CreateSession(ctx context.Context, session auth.Session, entry fleet.AuditEntry) error
	Session(ctx context.Context, hash string) (auth.Session, auth.Administrator, error)
	TouchSession(ctx context.Context, hash string, now time.Time) error
	DeleteSession(ctx context.Context, hash string, entry fleet.AuditEntry) error
}

// AttemptStore counts failed sign-ins by account and address.
type AttemptStore interface {
	Attempts(ctx context.Context, account, address string, now time.Time) (auth.Attempts, error)
	AddFailure(ctx context.Context, account, address string, at time.Time) error
	ClearFailures(ctx context.Context, account, address string) error
}

// TokenStore keeps API tokens by the hash of their text.
type TokenStore interface {
	Tokens(ctx context.Context, owner string) ([]auth.Token, error)
	CreateToken(ctx context.Context, token auth.Token, entry fleet.AuditEntry) error
	DeleteToken(ctx context.Context, id string, entry fleet.AuditEntry) error
	TokenByHash(ctx context.Context, hash string) (auth.Token, auth.Administrator, error)
	TouchToken(ctx context.Context, id string, now time.Time) error
}

// ClusterStore keeps clusters; the secret of a cluster's token only goes in, and
// comes out, with the cluster of the same moment, for a test of the connection.
type ClusterStore interface {
	Clusters(ctx context.Context) ([]fleet.Cluster, error)
	Cluster(ctx context.Context, name string) (fleet.Cluster, error)
	CreateCluster(ctx context.Context, cluster fleet.Cluster, secret string, entry fleet.AuditEntry) (fleet.Cluster, error)
	UpdateCluster(ctx context.Context, cluster fleet.Cluster, secret *string, ifRevision int64, entry fleet.AuditEntry) (fleet.Cluster, error)
	DeleteCluster(ctx context.Context, name string, entry fleet.AuditEntry) error
	ClusterWithSecret(ctx context.Context, name string) (fleet.Cluster, string, error)
}

// DesktopStore keeps the managed desktops of the clusters. An import adds to the
// audit entry how many were created, changed and removed.
type DesktopStore interface {
	Desktops(ctx context.Context, cluster string) ([]fleet.Desktop, error)
	DesktopsRevision(ctx context.Context, cluster string) (int64, error)
	PutDesktop(ctx context.Context, desktop fleet.Desktop, entry fleet.AuditEntry) (created bool, err error)
	DeleteDesktop(ctx context.Context, cluster string, vmid int, entry fleet.AuditEntry) error
	ImportDesktops(ctx context.Context, cluster string, desktops []fleet.Desktop, replace bool, entry fleet.AuditEntry) (created, changed, removed int, err error)
}

// AuditStore keeps the audit log.
type AuditStore interface {
	AppendAudit(ctx context.Context, entry fleet.AuditEntry) error
	Audit(ctx context.Context, filter AuditFilter) (entries []fleet.AuditEntry, more bool, err error)
}

// AuditFilter says which entries are wanted, newest first; fields of zero value
// do not limit.
type AuditFilter struct {
	Before       int64 // only entries with a smaller id
	Limit        int
	Actor        string
	Action       string
	Object       string
	Since, Until time.Time // from Since on, before Until
}
