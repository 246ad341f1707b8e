package httpapi

import (
	"errors"
	"net/http"
	"net/url"
	"regexp"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"pciatlas/internal/auth"
)

// OIDC is a way to sign in through an OpenID Connect provider.
type OIDC struct {
	Name     string // of the provider, for people
	Issuer   string // URL, exactly as the provider writes it
	ClientID string
	// ClientSecret is empty for a public client.
	ClientSecret string
	// PublicURL is where browsers find this server, without a slash at its end.
	PublicURL string
	Scopes    []string
	// RoleClaim is the claim of the ID token whose values RoleMap turns into roles;
	// who has several gets the highest one.
	RoleClaim string
	RoleMap   map[string]auth.Role
	// DefaultRole is for people without a value in RoleMap; "" refuses them. If
	// RoleMap is empty, too, roles are kept here: only accounts that were made for
	// a subject can sign in, with the role that they have.
	DefaultRole auth.Role
	// Transport reaches the provider; nil: that of net/http.
	Transport http.RoundTripper
}

// The addresses of signing in through OpenID Connect.
const (
	oidcStart    = "/auth/oidc/start"
	oidcCallback = "/auth/oidc/callback"
)

// serveOIDC answers the addresses that browsers visit to sign in through OpenID
// Connect; false for others. It redirects, or says on a page what went wrong.
func (a *API) serveOIDC(w http.ResponseWriter, r *http.Request) bool {
	step := map[string]func(http.ResponseWriter, *http.Request) (string, error){
		oidcStart: a.startOIDC, oidcCallback: a.finishOIDC,
	}[r.URL.Path]
	if step == nil {
		return false
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Referrer-Policy", "no-referrer") // the address holds a code
	switch {
	case r.Method != http.MethodGet:
		w.Header().Set("Allow", http.MethodGet)
		writeProblem(w, r, newProblem(codeMethod, "This address takes GET only."))
		return true
	case a.OIDC == nil:
		a.writeFailure(w, r, newProblem(codeNotFound, "Signing in through OpenID Connect is not set up here."))
		return true
	}
	location, err := step(w, r)
	if err != nil {
		a.writeFailure(w, r, err)
		return true
	}
	w.Header().Set("Location", location)
	w.WriteHeader(http.StatusSeeOther)
	return true
}

// startOIDC sends the browser to the provider, with a cookie that ties what comes
// back to this browser.
func (a *API) startOIDC(w http.ResponseWriter, r *http.Request) (location string, err error) {
	party, err := a.provider.discover(r.Context())
	if err != nil {
		return "", err
	}
	began, err := newFlow(a.Random, a.Now(), r.URL.Query().Get("return"))
	if err != nil {
		return "", err
	}
	http.SetCookie(w, flowCookie(r.Context(), began.text()))
	return party.oauth.AuthCodeURL(began.state(), oidc.Nonce(began.nonce()), oauth2.S256ChallengeOption(began.verifier())), nil
}

// finishOIDC takes the browser back from the provider, finds out who it is and
// begins a session.
func (a *API) finishOIDC(w http.ResponseWriter, r *http.Request) (location string, err error) {
	query, ctx := r.URL.Query(), r.Context()
	began, err := a.flowOf(r, query)
	if err != nil {
		return "", err
	}
	http.SetCookie(w, flowCookie(ctx, ""))
	if err := a.checkAnswer(query); err != nil {
		return "", err
	}
	who, err := a.provider.identify(ctx, began, query.Get("code"))
	if problemCode(err) == codeOIDCToken {
		a.auditRefusal(ctx, a.auditOIDC(ctx, "session.create", "unknown subject"), "the answer of the provider could not be verified")
	}
	if err != nil {
		return "", err
	}
	admin, err := a.accountOf(ctx, who)
	if err != nil {
		return "", err
	}
	session, err := a.begin(ctx, admin, a.auditOIDC(ctx, "session.create", "administrator "+admin.Name))
	if err != nil {
		return "", err
	}
	http.SetCookie(w, &session.SetCookie)
	return began.back, nil
}

// flowOf returns the sign-in that this browser began and the provider answers. A
// wrong answer leaves the cookie alone, so that nobody can end a sign-in from
// elsewhere; the right one works once.
func (a *API) flowOf(r *http.Request, query url.Values) (flow, error) {
	began, ok := flowFrom(r, a.Now())
	if !ok || !began.fits(query["state"]) || !a.finished.add(began.state(), a.Now()) {
		return flow{}, newProblem(codeOIDCState, "This sign-in was not begun in this browser, took longer than ten minutes, or was finished before. "+
			"Open "+a.OIDC.PublicURL+" and sign in again, with cookies allowed.")
	}
	return began, nil
}

var goodErrorCode = regexp.MustCompile(`^[a-z_]{1,40}$`)

// checkAnswer looks at what the provider says beside the state.
func (a *API) checkAnswer(query url.Values) error {
	if issuers := query["iss"]; len(issuers) > 1 || len(issuers) == 1 && issuers[0] != a.OIDC.Issuer {
		return newProblem(codeOIDCProvider, "The answer comes from another provider than the one that was asked.")
	}
	refusal := query.Get("error")
	switch refusal {
	case "":
		if len(query["code"]) != 1 || query.Get("code") == "" {
			return newProblem(codeOIDCProvider, "The provider's answer holds no code to sign in with. Try again.")
		}
		return nil
	case "access_denied", "login_required", "interaction_required", "consent_required":
		return newProblem(codeOIDCDenied, "The provider did not let you sign in, or you cancelled there.")
	}
	if !goodErrorCode.MatchString(refusal) {
		refusal = "an error of its own"
	}
	return providerProblem(codeOIDCProvider, "The provider did not take the request. The log of the server says more.",
		errors.New("the provider answers "+refusal+": "+query.Get("error_description")))
}

// providerProblem is a problem with a cause for the log: printable and short.
func providerProblem(code, detail string, cause error) *Problem {
	return withCause(newProblem(code, detail), errors.New(harmless(cause.Error(), maxCause)))
}

const maxCause = 300

// problemCode is the code of a problem; "" for other errors and nil.
func problemCode(err error) string {
	if p, ok := errors.AsType[*Problem](err); ok {
		return p.Code
	}
	return ""
}
