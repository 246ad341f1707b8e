package server_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc/oidctest"

	"pciatlas/internal/config"
	"pciatlas/internal/server"
)

// idp is a provider at which the same person always signs in.
type idp struct {
	*httptest.Server

	key   *ecdsa.PrivateKey
	group string
	nonce string
}

func newIDP(t *testing.T) *idp {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	described := &oidctest.Server{PublicKeys: []oidctest.PublicKey{{PublicKey: key.Public(), KeyID: "k", Algorithm: "ES256"}}, Algorithms: []string{"ES256"}}
	p := &idp{key: key}
	mux := http.NewServeMux()
	mux.Handle("/", described)
	mux.HandleFunc("/auth", func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		p.nonce = query.Get("nonce")
		http.Redirect(w, r, query.Get("redirect_uri")+"?code=c&state="+url.QueryEscape(query.Get("state")), http.StatusFound)
	})
	mux.HandleFunc("/token", func(w http.ResponseWriter, _ *http.Request) {
		claims := fmt.Sprintf(`{"iss":%q,"aud":"pciatlas","sub":"1","nonce":%q,"exp":%d,"email":"anna@example.com","roles":[%q]}`,
			p.URL, p.nonce, time.Now().Add(time.Minute).Unix(), p.group)
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(object{"access_token": "a", "token_type": "Bearer", "id_token": oidctest.SignIDToken(key, "k", "ES256", claims)})
	})
	p.Server = httptest.NewServer(mux)
	t.Cleanup(p.Close)
	described.SetIssuer(p.URL)
	return p
}

// TestOIDC signs in through a provider, first of all the first administrator.
func TestOIDC(t *testing.T) {
	provider := newIDP(t)
	open := settings(t.TempDir())
	open.PublicURL = "http://localhost:1" // a name that only the browser of this test knows
	open.OIDC = config.OIDC{
		Issuer: provider.URL, ClientID: "pciatlas", ClientSecret: config.NewSecret(password), Name: "Example",
		Scopes: []string{"openid"}, RoleClaim: "roles", RoleMap: map[string]string{"boss": "admin", "team": "operator"},
	}
	s := begin(t, server.Options{Config: open})
	s.client.Transport = &http.Transport{DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		if address == "localhost:1" {
			address = s.Addr().String()
		}
		return new(net.Dialer).DialContext(ctx, network, address)
	}}
	options := s.want(t, http.StatusOK, http.MethodGet, "/sign-in", nil)
	if way, ok := options["oidc"].(object); !ok || way["name"] != "Example" || !isTrue(options["setup_needed"]) {
		t.Fatalf("%v", options)
	}
	enter := func(group string, status int) {
		t.Helper()
		provider.group = group
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.base()+"/auth/oidc/start", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		response, err := s.client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if response.StatusCode != status {
			t.Fatalf("in the group %s: %d, want %d", group, response.StatusCode, status)
		}
	}
	enter("team", http.StatusForbidden) // nobody has set the server up
	enter("boss", http.StatusOK)
	who := s.want(t, http.StatusOK, http.MethodGet, "/session", nil)
	if who["name"] != "anna@example.com" || who["role"] != "admin" {
		t.Errorf("signed in as %v", who)
	}
	enter("team", http.StatusConflict) // the last administrator
	s.want(t, http.StatusCreated, http.MethodPost, "/administrators", object{"name": "root", "role": "admin", "password": password})
	enter("team", http.StatusOK)
	if who := s.want(t, http.StatusOK, http.MethodGet, "/session", nil); who["role"] != "operator" {
		t.Errorf("signed in as %v", who)
	}
	s.want(t, http.StatusNoContent, http.MethodDelete, "/session", nil)
	s.want(t, http.StatusUnauthorized, http.MethodGet, "/session", nil)
}
