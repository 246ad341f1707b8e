// Package httpapi is the HTTP interface of the server: the operations of
// /api/v1, their OpenAPI document and its page, health, metrics, and what
// guards all of them. It turns requests into calls of small interfaces that it
// declares itself, and values of the pure packages into wire types. It may
// import the pure packages only; the server hands in store, reads and console.
package httpapi

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"pciatlas/internal/auth"
)

// prefix begins the path of every operation.
const prefix = "/api/v1"

// Options are what the interface stands on. Store, Live, Tester and Applier are needed
// by the operations that ask them; the zero value of the rest has a meaning.
type Options struct {
	Store   Store
	Live    Live
	Tester  Tester
	Applier Applier

	// Console answers everything that is not of this package; nil is a plain
	// page that says that the console is not part of this build.
	Console http.Handler
	// OIDC is offered as another way to sign in; nil for none.
	OIDC *OIDC
	// DemoAccounts are shown to whoever may sign in, with their passwords. They
	// are for demo only.
	DemoAccounts []DemoAccount

	// TrustedProxies are the addresses whose X-Forwarded-For, X-Forwarded-Proto
	// and X-Request-Id are believed.
	TrustedProxies []netip.Prefix
	// SecureCookies makes cookies Secure even where a request did not come
	// through TLS as far as the server can tell.
	SecureCookies bool
	// AllowLocalEntries lets entry addresses name this machine; for demo and tests.
	AllowLocalEntries bool
	// MetricsOpen shows /metrics without an account.
	MetricsOpen bool

	Now    func() time.Time // nil: time.Now
	Random io.Reader        // nil: crypto/rand
	Logger *slog.Logger     // nil: nothing is logged
	// VerifyPassword compares a password with a hash; nil: auth.VerifyPassword.
	VerifyPassword func(hash, password string) (ok, outdated bool)
	// Version is the version of the program.
	Version string
}

// DemoAccount is an account of the demo, password included.
type DemoAccount struct {
	Name     string
	Role     auth.Role
	Password string
}

// API is the interface while it is put together, and what its handlers share.
type API struct {
	Options

	mux       *http.ServeMux // operations only
	huma      huma.API
	routes    []string // "METHOD /path" of each operation
	passwords limiter
	queues    queues
	sleep     func(context.Context, time.Duration) error // tests have one of their own
	provider  *provider                                  // nil without OpenID Connect
	finished  finished
	metrics   http.Handler
	tally     tally
	document  document
}

// New returns the handler of the whole server.
func New(options Options) (http.Handler, error) {
	a, err := newAPI(options)
	if err != nil {
		return nil, err
	}
	return a.handler(), nil
}

// newAPI registers every operation.
func newAPI(options Options) (*API, error) {
	useProblems()
	a := &API{Options: withDefaults(options), mux: http.NewServeMux(), passwords: newLimiter(maxHashing, maxWaiting), sleep: sleepFor}
	a.queues = queues{of: map[string]*auth.Queue{}, held: make(chan struct{}, maxHeld)}
	a.provider = newProvider(a.OIDC, a.Now)
	a.huma = huma.NewAPI(humaConfig(), adapter{a})

	a.registerSession()
	a.registerSetup()
	a.registerAdministrators()
	a.registerTokens()
	a.registerAudit()
	a.registerInventory()

	a.metrics = a.newMetrics()
	var err error
	a.document, err = newDocument(a.huma.OpenAPI())
	return a, err
}

// handler puts the guards around everything; the first one sees a request first.
func (a *API) handler() http.Handler {
	var h http.Handler = http.HandlerFunc(a.dispatch)
	h = a.crossOrigin(h)
	h = securityHeaders(a.Random, h)
	h = a.observe(h)
	return a.identifyRequest(h)
}

// Pinger says whether the database can be used.
type Pinger interface {
	Ping(ctx context.Context) error
}
