package httpapi

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"golang.org/x/oauth2"
)

const (
	clientID     = "pciatlas client"
	clientSecret = "canary: secret/+ of the client"
)

type claims = map[string]any

// fakeProvider is an OpenID Connect provider that holds a client to the rules. Its
// fields are what a test has it do otherwise.
type fakeProvider struct {
	t      *testing.T
	server *httptest.Server
	now    func() time.Time
	key    *ecdsa.PrivateKey

	mu        sync.Mutex
	person    claims                   // who signs in
	edit      func(claims)             // changes the ID token before it is signed
	sign      func(claims) string      // in place of the right signature
	token     http.HandlerFunc         // in place of the token endpoint
	describe  func(description claims) // changes the description
	down      bool                     // answers everything with an error
	refusal   url.Values               // answered in place of a code
	lax       bool                     // takes codes more than once
	grants    map[string]url.Values    // code → the request for it
	asked     map[string]int           // path → how often
	redirects map[string]string        // path → where it redirects to
}

func newFakeProvider(t *testing.T) *fakeProvider {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	p := &fakeProvider{t: t, key: key, grants: map[string]url.Values{}, asked: map[string]int{}, redirects: map[string]string{}}
	p.server = httptest.NewServer(p)
	t.Cleanup(p.server.Close)
	return p
}

func (p *fakeProvider) issuer() string { return p.server.URL + "/realm" }

// set changes the fields of the provider.
func (p *fakeProvider) set(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
}

func (p *fakeProvider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked[r.URL.Path]++
	if p.down {
		http.Error(w, "<b>down</b>", http.StatusBadGateway)
		return
	}
	if to := p.redirects[r.URL.Path]; to != "" {
		http.Redirect(w, r, to, http.StatusTemporaryRedirect)
		return
	}
	switch r.URL.Path {
	case "/realm/.well-known/openid-configuration", "/moved":
		p.serveDescription(w)
	case "/authorize":
		p.serveAuthorize(w, r)
	case "/token":
		if p.token != nil {
			p.token(w, r)
			return
		}
		p.serveToken(w, r)
	case "/keys":
		writeAny(w, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: p.key.Public(), KeyID: "one", Algorithm: "ES256", Use: "sig"}}})
	default:
		http.NotFound(w, r)
	}
}

func writeAny(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

func (p *fakeProvider) serveDescription(w http.ResponseWriter) {
	description := claims{
		"issuer": p.issuer(), "authorization_endpoint": p.server.URL + "/authorize",
		"token_endpoint": p.server.URL + "/token", "jwks_uri": p.server.URL + "/keys",
		"id_token_signing_alg_values_supported": []string{"ES256", "HS256", "none"},
	}
	if p.describe != nil {
		p.describe(description)
	}
	writeAny(w, description)
}

func (p *fakeProvider) serveAuthorize(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	if query.Get("response_type") != "code" || query.Get("code_challenge_method") != "S256" || query.Get("client_id") != clientID ||
		query.Get("scope") != "openid groups" || query.Get("state") == "" || query.Get("nonce") == "" {
		p.t.Errorf("the request for a code is wrong: %v", query)
	}
	answer := maps.Clone(p.refusal)
	if answer == nil {
		code := base64.RawURLEncoding.EncodeToString([]byte(rand.Text()))
		p.grants[code] = query
		answer = url.Values{"code": {code}}
	}
	if answer.Get("state") == "" {
		answer.Set("state", query.Get("state"))
	}
	http.Redirect(w, r, query.Get("redirect_uri")+"?"+answer.Encode(), http.StatusFound)
}

func (p *fakeProvider) serveToken(w http.ResponseWriter, r *http.Request) {
	id, secret, _ := r.BasicAuth()
	grant := p.grants[r.PostFormValue("code")]
	if !p.lax {
		delete(p.grants, r.PostFormValue("code"))
	}
	switch {
	case url.QueryEscape(clientID) != id || url.QueryEscape(clientSecret) != secret:
		w.WriteHeader(http.StatusUnauthorized)
		writeAny(w, claims{"error": "invalid_client", "error_description": r.Header.Get("Authorization")})
	case grant == nil || r.PostFormValue("grant_type") != "authorization_code" ||
		grant.Get("code_challenge") != oauth2.S256ChallengeFromVerifier(r.PostFormValue("code_verifier")) ||
		grant.Get("redirect_uri") != r.PostFormValue("redirect_uri"):
		w.WriteHeader(http.StatusBadRequest)
		writeAny(w, claims{"error": "invalid_grant"})
	default:
		writeAny(w, claims{"access_token": "access", "token_type": "Bearer", "id_token": p.idToken(grant.Get("nonce"))})
	}
}

func (p *fakeProvider) idToken(nonce string) string {
	now := p.now()
	token := claims{
		"iss": p.issuer(), "aud": clientID, "nonce": nonce,
		"iat": now.Unix(), "exp": now.Add(time.Minute).Unix(),
	}
	maps.Copy(token, p.person)
	if p.edit != nil {
		p.edit(token)
	}
	if p.sign != nil {
		return p.sign(token)
	}
	return p.signedBy(p.key, jose.ES256, token)
}

func (p *fakeProvider) signedBy(key any, algorithm jose.SignatureAlgorithm, token claims) string {
	payload, err := json.Marshal(token)
	if err != nil {
		p.t.Error(err)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: algorithm, Key: jose.JSONWebKey{Key: key, KeyID: "one"}}, nil)
	if err != nil {
		p.t.Error(err)
		return ""
	}
	signature, err := signer.Sign(payload)
	if err != nil {
		p.t.Error(err)
		return ""
	}
	text, err := signature.CompactSerialize()
	if err != nil {
		p.t.Error(err)
	}
	return text
}

// unsigned is a token that says that it needs no signature.
func unsigned(token claims) string {
	payload, _ := json.Marshal(token)
	return strings.Join([]string{
		base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none","kid":"one"}`)),
		base64.RawURLEncoding.EncodeToString(payload), "",
	}, ".")
}
