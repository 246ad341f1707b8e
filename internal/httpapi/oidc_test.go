package httpapi

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"pciatlas/internal/auth"
	"pciatlas/internal/fleet"
)

func TestOIDCSignsIn(t *testing.T) {
	tests := []struct {
		name    string
		groups  any
		session string
	}{
		{"admin", []string{"gpu-admins"}, "anna admin"},
		{"operator", []string{"gpu-team"}, "anna operator"},
		{"auditor", []string{"audit"}, "anna auditor"},
		{"the highest of several", []string{"audit", "other", "gpu-admins", "gpu-team"}, "anna admin"},
		{"a single text", "gpu-team", "anna operator"},
		{"texts among others", []any{nil, 5, []string{"gpu-admins"}, "audit"}, "anna auditor"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := newOIDCWorld(t)
			w.provider.person["groups"] = test.groups
			b := w.browser()
			got := b.upTo("/gpus").visit(oidcStart + "?return=" + url.QueryEscape("/gpus?node=pve1#top"))
			if got.status != http.StatusSeeOther || got.at.String() != w.site.URL+"/gpus?node=pve1#top" {
				t.Fatalf("status %d, at %s: %s", got.status, got.at, got.text)
			}
			if b.session() != test.session {
				t.Errorf("signed in as %q, want %q", b.session(), test.session)
			}
			if got := w.store.admins["anna"]; got.Subject != w.provider.issuer()+"|s-1" || got.Hash != "" || !got.CreatedAt.Equal(start) {
				t.Errorf("the account is %+v", got)
			}
			want := []string{"administrator.create administrator anna done", "session.create administrator anna done"}
			if !slices.Equal(w.actions(), want) {
				t.Errorf("audit log %q, want %q", w.actions(), want)
			}
			if first := w.store.audited()[0]; first.ActorKind != fleet.System || first.After["role"] != string(w.store.admins["anna"].Role) || first.RequestID == "" {
				t.Errorf("the entry of the account is %+v", first)
			}
		})
	}
}

func TestOIDCCookies(t *testing.T) {
	w := beginOIDC(t, (*httptest.Server).StartTLS, "https://")
	b := w.browser()
	begun := b.upTo("/authorize").visit(oidcStart)
	cookie := begun.header.Get("Set-Cookie")
	for _, want := range []string{"__Host-pciatlas-oidc=", "; Path=/", "; HttpOnly", "; Secure", "; SameSite=Lax", "; Max-Age=600"} {
		if !strings.Contains(cookie, want) {
			t.Errorf("the cookie is %q, without %q", cookie, want)
		}
	}
	for _, name := range []string{"state", "nonce", "code_challenge"} {
		if value := begun.at.Query().Get(name); len(value) != 43 || strings.Contains(cookie, value) {
			t.Errorf("%s is %q", name, value)
		}
	}
	ended := b.upTo("/").visit(oidcStart)
	cookies := strings.Join(ended.header.Values("Set-Cookie"), "\n")
	if !strings.Contains(cookies, "__Host-pciatlas-oidc=; Path=/; Max-Age=0;") || !strings.Contains(cookies, "__Host-pciatlas=") {
		t.Errorf("cookies at the end: %s", cookies)
	}
	if ended.header.Get("Referrer-Policy") != "no-referrer" || ended.header.Get("Cache-Control") != "no-store" || b.session() != "anna operator" {
		t.Errorf("headers %v, session %q", ended.header, b.session())
	}
}

func TestOIDCSessions(t *testing.T) {
	w := newOIDCWorld(t)
	b := w.browser()
	b.visit(oidcStart)
	before := maps.Clone(w.store.sessions)
	b.visit(oidcStart)
	var fresh int
	for hash, session := range w.store.sessions {
		if _, old := before[hash]; !old && session.Name == "anna" {
			fresh++
		}
	}
	if fresh != 1 || len(w.store.sessions) != len(before) {
		t.Errorf("%d new sessions, %d in all, %d before: each sign-in replaces the session", fresh, len(w.store.sessions), len(before))
	}
	cookie := b.Jar.Cookies(b.home())[0]
	w.do("DELETE", sessionPath, "", withCookie(cookie.Name, cookie.Value)).want(http.StatusNoContent, "")
	if b.session() != "" {
		t.Error("signing out did not end the session")
	}
}

// callback is the address at which the provider sends a browser back that began now.
func (b *oidcBrowser) callback() *url.URL { return b.upTo(oidcCallback).visit(oidcStart).at }

func TestOIDCRefusesForeignAnswers(t *testing.T) {
	tests := []struct {
		name string
		edit func(w *oidcWorld, b *oidcBrowser, answer url.Values) *oidcBrowser
	}{
		{"another state", func(_ *oidcWorld, b *oidcBrowser, answer url.Values) *oidcBrowser {
			answer.Set("state", strings.Repeat("A", 43))
			return b
		}},
		{"no state", func(_ *oidcWorld, b *oidcBrowser, answer url.Values) *oidcBrowser {
			answer.Del("state")
			return b
		}},
		{"two states", func(_ *oidcWorld, b *oidcBrowser, answer url.Values) *oidcBrowser {
			answer.Add("state", answer.Get("state"))
			return b
		}},
		{"a browser without cookie", func(w *oidcWorld, _ *oidcBrowser, _ url.Values) *oidcBrowser { return w.browser() }},
		{"a browser that began another sign-in", func(w *oidcWorld, _ *oidcBrowser, _ url.Values) *oidcBrowser {
			victim := w.browser()
			victim.callback()
			return victim
		}},
		{"too late", func(w *oidcWorld, b *oidcBrowser, _ url.Values) *oidcBrowser {
			w.pass(flowTime + time.Second)
			return b
		}},
		{"two cookies", func(w *oidcWorld, b *oidcBrowser, _ url.Values) *oidcBrowser {
			for _, cookie := range b.Jar.Cookies(b.home()) {
				b.Jar.SetCookies(w.at(oidcCallback), []*http.Cookie{{Name: cookie.Name, Value: cookie.Value, Path: "/auth"}})
			}
			return b
		}},
		{"a cookie of nonsense", func(w *oidcWorld, b *oidcBrowser, _ url.Values) *oidcBrowser {
			b.Jar.SetCookies(w.at("/"), []*http.Cookie{{Name: "pciatlas-oidc", Value: "1.2.3", Path: "/"}})
			return b
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := newOIDCWorld(t)
			first := w.browser()
			address := first.callback()
			answer := address.Query()
			b := test.edit(w, first, answer)
			address.RawQuery = answer.Encode()
			b.visit(address.String()).wantFailure(t, codeOIDCState)
			if b.session() != "" || w.provider.asked["/token"] > 0 || len(w.store.admins) != len(roles) {
				t.Errorf("session %q, %d tokens asked for", b.session(), w.provider.asked["/token"])
			}
		})
	}
}

func (w *oidcWorld) at(path string) *url.URL {
	at, err := url.Parse(w.site.URL + path)
	if err != nil {
		w.t.Fatal(err)
	}
	return at
}

func TestOIDCWrongAnswerEndsNothing(t *testing.T) {
	w := newOIDCWorld(t)
	b := w.browser()
	address := b.callback()
	b.visit(oidcCallback+"?code=x&state=x").wantFailure(t, codeOIDCState)
	b.visit(address.String())
	if b.session() != "anna operator" {
		t.Error("a foreign answer ended the sign-in")
	}
}

func TestOIDCAnswersWorkOnce(t *testing.T) {
	w := newOIDCWorld(t)
	w.provider.lax = true
	b := w.browser()
	address := b.callback()
	cookie := b.Jar.Cookies(b.home())
	b.visit(address.String())
	b.visit(address.String()).wantFailure(t, codeOIDCState)

	thief := w.browser()
	thief.Jar.SetCookies(w.at("/"), cookie)
	thief.visit(address.String()).wantFailure(t, codeOIDCState)
	if thief.session() != "" || w.provider.asked["/token"] != 1 {
		t.Errorf("session %q, %d tokens asked for", thief.session(), w.provider.asked["/token"])
	}
}

// TestOIDCCodeOfAnother gives a browser the code of another sign-in.
func TestOIDCCodeOfAnother(t *testing.T) {
	w := newOIDCWorld(t)
	stolen := w.browser().callback().Query().Get("code")
	b := w.browser()
	address := b.callback()
	answer := address.Query()
	answer.Set("code", stolen)
	address.RawQuery = answer.Encode()
	b.visit(address.String()).wantFailure(t, codeOIDCProvider)
	if b.session() != "" {
		t.Errorf("signed in as %q", b.session())
	}
}

func TestOIDCRefusesTokens(t *testing.T) {
	other := newFakeProvider(t).key
	set := func(name string, value any) func(*fakeProvider) {
		return func(p *fakeProvider) { p.edit = func(token claims) { token[name] = value } }
	}
	sign := func(signed func(*fakeProvider, claims) string) func(*fakeProvider) {
		return func(p *fakeProvider) { p.sign = func(token claims) string { return signed(p, token) } }
	}
	tests := []struct {
		name string
		edit func(*fakeProvider)
	}{
		{"another nonce", set("nonce", "n")},
		{"no nonce", func(p *fakeProvider) { p.edit = func(token claims) { delete(token, "nonce") } }},
		{"another audience", set("aud", "other")},
		{"audiences without this one", set("aud", []string{"other", "more"})},
		{"made for another client", set("azp", "other")},
		{"made for nobody", set("azp", 5)},
		{"another issuer", set("iss", "https://other.example")},
		{"expired", set("exp", start.Add(-time.Second).Unix())},
		{"no expiry", func(p *fakeProvider) { p.edit = func(token claims) { delete(token, "exp") } }},
		{"not valid yet", set("nbf", start.Add(time.Hour).Unix())},
		{"no subject", func(p *fakeProvider) { p.edit = func(token claims) { delete(token, "sub") } }},
		{"a subject with a zero byte", set("sub", "a\x00")},
		{"a long subject", set("sub", strings.Repeat("a", 256))},
		{"another access token", set("at_hash", "AAAA")},
		{"another key", sign(func(p *fakeProvider, token claims) string { return p.signedBy(other, jose.ES256, token) })},
		{"a shared secret", sign(func(p *fakeProvider, token claims) string {
			return p.signedBy([]byte(clientSecret+clientSecret), jose.HS256, token)
		})},
		{"no signature", sign(func(_ *fakeProvider, token claims) string { return unsigned(token) })},
		{"a cut signature", sign(func(p *fakeProvider, token claims) string {
			text := p.signedBy(p.key, jose.ES256, token)
			return text[:len(text)-8]
		})},
		{"other claims under the signature", sign(func(p *fakeProvider, token claims) string {
			good := strings.Split(p.signedBy(p.key, jose.ES256, token), ".")
			token["groups"] = "gpu-admins"
			bad := strings.Split(p.signedBy(p.key, jose.ES256, token), ".")
			return good[0] + "." + bad[1] + "." + good[2]
		})},
		{"no token", sign(func(*fakeProvider, claims) string { return "" })},
		{"nonsense", sign(func(*fakeProvider, claims) string { return "<b>.<b>.<b>" })},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := newOIDCWorld(t)
			test.edit(w.provider)
			b := w.browser()
			b.visit(oidcStart).wantFailure(t, codeOIDCToken)
			if b.session() != "" || len(w.store.admins) != len(roles) {
				t.Errorf("session %q, accounts %v", b.session(), w.store.admins)
			}
			if want := []string{"session.create unknown subject refused"}; !slices.Equal(w.actions(), want) {
				t.Errorf("audit log %q", w.actions())
			}
		})
	}
}

func TestOIDCRefusals(t *testing.T) {
	markup := "<b>canary</b>"
	tests := []struct {
		name   string
		answer url.Values
		code   string
	}{
		{"cancelled", url.Values{"error": {"access_denied"}, "error_description": {markup}}, codeOIDCDenied},
		{"refused", url.Values{"error": {"invalid_scope"}, "error_description": {markup + "\n"}}, codeOIDCProvider},
		{"markup", url.Values{"error": {markup}}, codeOIDCProvider},
		{"no code", url.Values{"x": {"y"}}, codeOIDCProvider},
		{"two codes", url.Values{"code": {"a", "b"}}, codeOIDCProvider},
		{"another provider", url.Values{"code": {"a"}, "iss": {"https://other.example"}}, codeOIDCProvider},
		{"error without state", url.Values{"error": {"access_denied"}, "state": {"x"}}, codeOIDCState},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := newOIDCWorld(t)
			w.provider.refusal = test.answer
			b := w.browser()
			got := b.visit(oidcStart).wantFailure(t, test.code)
			if strings.Contains(got.text, "canary") || b.session() != "" || w.provider.asked["/token"] > 0 {
				t.Errorf("session %q, page %s", b.session(), got.text)
			}
			if len(w.actions()) > 0 {
				t.Errorf("audit log %q: anybody could fill it", w.actions())
			}
		})
	}
}

func TestOIDCNobodyIsLetInWithoutRole(t *testing.T) {
	for name, groups := range map[string]any{
		"other groups": []string{"gpu", "GPU-ADMINS", "gpu-admins "}, "no groups": nil, "a number": 5,
		"an object": claims{"gpu-admins": true}, "one text of several": "gpu-admins,gpu-team", "empty": "",
	} {
		t.Run(name, func(t *testing.T) {
			w := newOIDCWorld(t)
			w.provider.person["groups"] = groups
			b := w.browser()
			b.visit(oidcStart).wantFailure(t, codeOIDCRole)
			want := fmt.Sprintf("[session.create subject %s|s-1 refused]", w.provider.issuer())
			if got := fmt.Sprint(w.actions()); b.session() != "" || got != want {
				t.Errorf("session %q, audit log %s, want %s", b.session(), got, want)
			}
		})
	}
}

func TestOIDCDefaultRole(t *testing.T) {
	w := newOIDCWorld(t, func(o *OIDC) { o.DefaultRole = auth.Auditor })
	delete(w.provider.person, "groups")
	b := w.browser()
	b.visit(oidcStart)
	if b.session() != "anna auditor" {
		t.Errorf("signed in as %q", b.session())
	}
}

func TestOIDCMethods(t *testing.T) {
	w := newOIDCWorld(t)
	for _, path := range []string{oidcStart, oidcCallback} {
		for _, method := range []string{"POST", "HEAD", "DELETE", "OPTIONS"} {
			if got := w.do(method, path, "").want(http.StatusMethodNotAllowed, ""); got.Header().Get("Allow") != "GET" {
				t.Errorf("%s %s allows %q", method, path, got.Header().Get("Allow"))
			}
		}
	}
	plain := newWorld(t)
	for _, path := range []string{oidcStart, oidcCallback} {
		if got := plain.do("GET", path, "").want(http.StatusNotFound, ""); !strings.Contains(got.Body.String(), codeNotFound) {
			t.Errorf("%s without OpenID Connect: %s", path, got.Body)
		}
	}
}
