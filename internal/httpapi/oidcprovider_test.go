package httpapi

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func TestOIDCProviderComesBack(t *testing.T) {
	w := newOIDCWorld(t)
	w.provider.down = true
	got := w.browser().visit(oidcStart).wantFailure(t, codeOIDCProvider)
	if strings.Contains(got.text, "down") {
		t.Errorf("the page repeats what the provider says: %s", got.text)
	}
	w.provider.set(func() { w.provider.down = false })
	b := w.browser()
	address := b.callback()
	w.provider.set(func() { w.provider.down = true })
	b.visit(address.String()).wantFailure(t, codeOIDCProvider)
	w.provider.set(func() { w.provider.down = false })
	b.visit(oidcStart)
	if b.session() != "anna operator" {
		t.Errorf("signed in as %q", b.session())
	}
	if n := w.provider.asked["/realm/.well-known/openid-configuration"]; n != 2 {
		t.Errorf("the description was read %d times, want once per failure and once for good", n)
	}
	w.pass(describedTime)
	b.visit(oidcStart)
	if n := w.provider.asked["/realm/.well-known/openid-configuration"]; n != 3 {
		t.Errorf("after an hour the description was read %d times", n)
	}
}

func TestOIDCProviderNotThere(t *testing.T) {
	w := newOIDCWorld(t)
	w.provider.server.Close()
	w.browser().visit(oidcStart).wantFailure(t, codeOIDCProvider)
	w.do("GET", "/api/v1/sign-in", "").want(http.StatusOK, "")
}

// TestOIDCSlowProvider has many wait for a provider that never answers.
func TestOIDCSlowProvider(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked int
		w := newWorld(t, func(o *Options) {
			o.OIDC = &OIDC{Issuer: "https://slow.example", Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
				asked++
				<-r.Context().Done()
				return nil, r.Context().Err()
			})}
		})
		began := time.Now()
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() { w.do("GET", oidcStart, "").want(http.StatusBadGateway, "") })
		}
		all.Wait()
		if took := time.Since(began); took != providerTime || asked != 1 {
			t.Errorf("50 waited for %v, the provider was asked %d times", took, asked)
		}
	})
}

// TestOIDCSlowToken has the provider take its time over the code.
func TestOIDCSlowToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, func(o *Options) {
			o.OIDC = &OIDC{Issuer: "https://slow.example", Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
				if r.Method == http.MethodPost {
					<-r.Context().Done()
					return nil, r.Context().Err()
				}
				return textResponse(`{"issuer":"https://slow.example","authorization_endpoint":"https://slow.example/a",` +
					`"token_endpoint":"https://slow.example/t","jwks_uri":"https://slow.example/k"}`), nil
			})}
		})
		begun := w.do("GET", oidcStart, "").want(http.StatusSeeOther, "")
		to, err := url.Parse(begun.Header().Get("Location"))
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		cookie := begun.cookie()
		w.do("GET", oidcCallback+"?code=c&state="+to.Query().Get("state"), "", withCookie(cookie.Name, cookie.Value)).want(http.StatusBadGateway, "")
		if took := time.Since(began); took != providerTime {
			t.Errorf("the code took %v", took)
		}
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func textResponse(text string) *http.Response {
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}},
		Body: readCloser{strings.NewReader(text)},
	}
}

type readCloser struct{ *strings.Reader }

func (readCloser) Close() error { return nil }

func TestOIDCDescriptions(t *testing.T) {
	set := func(name string, value any) func(*fakeProvider) {
		return func(p *fakeProvider) { p.describe = func(d claims) { d[name] = value } }
	}
	tests := []struct {
		name string
		edit func(*fakeProvider)
	}{
		{"another issuer", set("issuer", "https://other.example")},
		{"garbage", set("authorization_endpoint", 5)},
		{"no token endpoint", set("token_endpoint", "")},
		{"a script", set("authorization_endpoint", "javascript:alert(1)")},
		{"a relative address", set("authorization_endpoint", "/authorize")},
		{"an address with a name", set("token_endpoint", "http://a:b@127.0.0.1/token")},
		{"keys in a file", set("jwks_uri", "file:///etc/passwd")},
		{"too long", func(p *fakeProvider) {
			p.describe = func(d claims) { d["x"] = strings.Repeat("x", maxProviderBody) }
		}},
		{"redirects without end", func(p *fakeProvider) {
			p.redirects["/realm/.well-known/openid-configuration"] = "/realm/.well-known/openid-configuration"
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := newOIDCWorld(t)
			test.edit(w.provider)
			w.browser().visit(oidcStart).wantFailure(t, codeOIDCProvider)
			if n := w.provider.asked["/realm/.well-known/openid-configuration"]; n > maxRedirects+1 {
				t.Errorf("followed %d redirects", n-1)
			}
			if !strings.Contains(w.logged(), "read the description of the provider") {
				t.Error("the log does not say why")
			}
		})
	}
}

func TestOIDCFollowsARedirectOfTheDescription(t *testing.T) {
	w := newOIDCWorld(t)
	w.provider.redirects["/realm/.well-known/openid-configuration"] = "/moved"
	b := w.browser()
	b.visit(oidcStart)
	if b.session() != "anna operator" {
		t.Errorf("signed in as %q", b.session())
	}
}

func TestOIDCEndpointsAreNoLessProtected(t *testing.T) {
	if err := checkEndpoint("https://idp.example", "http://idp.example/token"); err == nil {
		t.Error("an issuer with TLS may have an address without")
	}
	if err := checkEndpoint("https://idp.example", "https://other.example/token?x=y"); err != nil {
		t.Error(err)
	}
	via := func(method, address string) []*http.Request {
		r, _ := http.NewRequestWithContext(t.Context(), method, address, http.NoBody)
		return []*http.Request{r}
	}
	if checkRedirect(via("GET", "http://a.example")[0], via("GET", "https://a.example")) == nil {
		t.Error("a redirect leads out of TLS")
	}
	if err := checkRedirect(via("GET", "https://b.example")[0], via("GET", "https://a.example")); err != nil {
		t.Error(err)
	}
}

func TestOIDCTokenEndpoints(t *testing.T) {
	answer := func(status int, mediaType, text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", mediaType)
			w.WriteHeader(status)
			_, _ = w.Write([]byte(text))
		}
	}
	tests := []struct {
		name   string
		handle http.HandlerFunc
	}{
		{"an error", answer(400, "application/json", `{"error":"invalid_grant","error_description":"<b>canary</b>"}`)},
		{"an error of markup", answer(500, "text/html", "<b>canary</b>")},
		{"an error with the status of success", answer(200, "application/json", `{"error":"<b>canary</b>"}`)},
		{"garbage", answer(200, "application/json", "<b>canary</b>")},
		{"nothing", answer(200, "application/json", "")},
		{"too much", answer(200, "application/json", `{"access_token":"a","id_token":"`+strings.Repeat("x", maxProviderBody)+`"}`)},
		{"a redirect that would take code and secret along", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		}},
		{"a redirect without them", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere", http.StatusSeeOther)
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := newOIDCWorld(t)
			w.provider.token = test.handle
			b := w.browser()
			got := b.visit(oidcStart).wantFailure(t, codeOIDCProvider)
			if strings.Contains(got.text, "canary") || strings.Contains(w.logged(), "canary") || b.session() != "" || w.provider.asked["/elsewhere"] > 0 {
				t.Errorf("session %q, page %s", b.session(), got.text)
			}
			if w.provider.asked["/token"] != 1 {
				t.Errorf("the code was sent %d times", w.provider.asked["/token"])
			}
		})
	}
}

func TestOIDCClientProof(t *testing.T) {
	tests := []struct {
		name    string
		secret  string
		methods []string
		inBody  bool
	}{
		{"by default", "s", nil, false},
		{"as offered", "s", []string{"client_secret_post", "client_secret_basic"}, false},
		{"in the body alone", "s", []string{"client_secret_post"}, true},
		{"something else is offered", "s", []string{"private_key_jwt"}, false},
		{"a public client", "", nil, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := newOIDCWorld(t, func(o *OIDC) { o.ClientSecret = test.secret })
			if test.methods != nil {
				w.provider.describe = func(d claims) { d["token_endpoint_auth_methods_supported"] = test.methods }
			}
			w.provider.token = func(out http.ResponseWriter, r *http.Request) {
				_, _, inHeader := r.BasicAuth()
				if inHeader == test.inBody || (r.PostFormValue("client_id") == clientID) != test.inBody || test.inBody && r.PostFormValue("client_secret") != test.secret {
					t.Errorf("header %v, body %v", inHeader, r.PostForm)
				}
				writeAny(out, claims{"access_token": "a", "token_type": "Bearer", "id_token": w.provider.idToken(w.provider.grants[r.PostFormValue("code")].Get("nonce"))})
			}
			b := w.browser()
			b.visit(oidcStart)
			if b.session() != "anna operator" {
				t.Errorf("signed in as %q", b.session())
			}
		})
	}
}
