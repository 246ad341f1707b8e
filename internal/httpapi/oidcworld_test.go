package httpapi

import (
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"pciatlas/internal/auth"
)

// AdministratorBySubject finds who signs in as a subject.
func (s *fakeStore) AdministratorBySubject(_ context.Context, subject string) (auth.Administrator, error) {
	unlock, err := s.lock()
	defer unlock()
	for _, admin := range s.admins {
		if err == nil && admin.Subject == subject {
			return admin, nil
		}
	}
	if err == nil {
		err = storeError("not_found")
	}
	return auth.Administrator{}, err
}

func (s *fakeStore) hasSubject(subject string) bool {
	for _, admin := range s.admins {
		if subject != "" && admin.Subject == subject {
			return true
		}
	}
	return false
}

// oidcWorld is a world that people can enter through a provider.
type oidcWorld struct {
	*world

	provider *fakeProvider
	site     *httptest.Server
}

func newOIDCWorld(t *testing.T, edits ...func(*OIDC)) *oidcWorld {
	t.Helper()
	return beginOIDC(t, (*httptest.Server).Start, "http://", edits...)
}

func beginOIDC(t *testing.T, begin func(*httptest.Server), scheme string, edits ...func(*OIDC)) *oidcWorld {
	t.Helper()
	site := httptest.NewUnstartedServer(nil)
	t.Cleanup(site.Close)
	p := newFakeProvider(t)
	settings := &OIDC{
		Name: "Example", Issuer: p.issuer(), ClientID: clientID, ClientSecret: clientSecret,
		PublicURL: scheme + site.Listener.Addr().String(), Scopes: []string{"openid", "groups"}, RoleClaim: "groups",
		RoleMap: map[string]auth.Role{"gpu-admins": auth.Admin, "gpu-team": auth.Operator, "audit": auth.Auditor},
	}
	for _, edit := range edits {
		edit(settings)
	}
	w := &oidcWorld{world: newWorld(t, func(o *Options) { o.OIDC = settings }), provider: p, site: site}
	w.store.issuer = settings.Issuer
	p.now = w.time
	p.person = claims{"sub": "s-1", "preferred_username": "anna", "groups": []string{"gpu-team"}}
	site.Config.Handler = w.handler
	begin(site)
	t.Cleanup(func() {
		for _, secret := range []string{clientSecret, url.QueryEscape(clientSecret), "id_token", "Basic "} {
			if strings.Contains(w.logged(), secret) {
				t.Errorf("the log holds %q", secret)
			}
		}
	})
	return w
}

// oidcBrowser is a browser of its own.
type oidcBrowser struct {
	*http.Client

	world *oidcWorld
}

func (w *oidcWorld) browser() *oidcBrowser {
	jar, err := cookiejar.New(nil)
	if err != nil {
		w.t.Fatal(err)
	}
	return &oidcBrowser{&http.Client{Jar: jar, Transport: w.site.Client().Transport}, w}
}

// page is what a browser ends at.
type page struct {
	at     *url.URL
	status int
	header http.Header
	text   string
}

// visit goes to an address and wherever it leads.
func (b *oidcBrowser) visit(address string) page {
	b.world.t.Helper()
	if strings.HasPrefix(address, "/") {
		address = b.world.api.OIDC.PublicURL + address
	}
	request, err := http.NewRequestWithContext(b.world.t.Context(), http.MethodGet, address, http.NoBody)
	if err != nil {
		b.world.t.Fatal(err)
	}
	response, err := b.Do(request)
	if err != nil {
		b.world.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		b.world.t.Fatal(err)
	}
	at := response.Request.URL
	if location := response.Header.Get("Location"); location != "" {
		if at, err = at.Parse(location); err != nil {
			b.world.t.Fatal(err)
		}
	}
	return page{at, response.StatusCode, response.Header, string(text)}
}

// upTo makes the browser stop where it is told to go to a path, and not go.
func (b *oidcBrowser) upTo(path string) *oidcBrowser {
	client := *b.Client
	client.CheckRedirect = func(next *http.Request, _ []*http.Request) error {
		if next.URL.Path == path {
			return http.ErrUseLastResponse
		}
		return nil
	}
	return &oidcBrowser{&client, b.world}
}

// session is who the browser is signed in as, as "name role"; "" for nobody.
func (b *oidcBrowser) session() string {
	b.world.t.Helper()
	for _, cookie := range b.Jar.Cookies(b.home()) {
		if strings.HasSuffix(cookie.Name, "-oidc") {
			continue
		}
		_, admin, err := b.world.store.Session(b.world.t.Context(), auth.HashSecret(cookie.Value))
		if err == nil {
			return admin.Name + " " + string(admin.Role)
		}
	}
	return ""
}

func (b *oidcBrowser) home() *url.URL {
	home, err := url.Parse(b.world.api.OIDC.PublicURL)
	if err != nil {
		b.world.t.Fatal(err)
	}
	return home
}

// wantFailure fails unless the page says that somebody is not signed in, with a code.
func (p page) wantFailure(t *testing.T, code string) page {
	t.Helper()
	if p.status != statuses[code] || !strings.Contains(p.text, "<code>"+code+"</code>") || !strings.Contains(p.text, `<a href="/">`) ||
		!strings.HasPrefix(p.header.Get("Content-Type"), "text/html") || !strings.Contains(p.header.Get("Content-Security-Policy"), "default-src 'none'") {
		t.Fatalf("status %d at %s, want the page of %s: %s", p.status, p.at, code, p.text)
	}
	if strings.Contains(p.text, "<script") || strings.Contains(p.text, "<style") || strings.Contains(p.text, "<b>") {
		t.Errorf("the page holds markup of others, or what its policy forbids: %s", p.text)
	}
	return p
}

// actions are the actions of the audit log with their results.
func (w *oidcWorld) actions() []string {
	var actions []string
	for _, entry := range w.store.audited() {
		actions = append(actions, entry.Action+" "+entry.Object+" "+string(entry.Result))
	}
	return actions
}
