package httpapi

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestLocalPath(t *testing.T) {
	good := []string{"/", "/gpus", "/clusters/lab/", "/gpus?node=a&x=//y", "/vm/101#lines", "/a:b", "/%C3%A4", "/apiary", "/authors"}
	for _, text := range good {
		if got := localPath(text); got != text {
			t.Errorf("localPath(%q) = %q", text, got)
		}
	}
	bad := []string{
		"", "gpus", "?x", "//evil.example", "///evil.example", "////evil.example", "/\\evil.example", "\\\\evil.example", "/\\/evil.example",
		"https://evil.example", "https:evil.example", "javascript:alert(1)", "/\t/evil.example", "\t//evil.example", " //evil.example",
		"/a\r\nSet-Cookie: x=y", "/..//evil.example", "/./evil", "/%2e%2e//evil.example", "/%2f/evil.example", "/%5cevil.example", "/%2f",
		"/a/../..//evil.example", "/%0d%0aX: y", "/%zz", "/ä", "/a b", "/api/v1/session", "/api", "/auth/oidc/start?return=/", "/%61pi/x",
		"/" + strings.Repeat("a", maxReturn),
	}
	for _, text := range bad {
		if got := localPath(text); got != "/" {
			t.Errorf("localPath(%q) = %q", text, got)
		}
	}
}

func FuzzLocalPath(f *testing.F) {
	for _, seed := range []string{"/", "/gpus?x=y#z", "//evil.example", "/\\evil.example", "/..//x", "/%2e%2e//x"} {
		f.Add(seed)
	}
	base := &url.URL{Scheme: "https", Host: "here.example", Path: "/auth/oidc/callback"}
	f.Fuzz(func(t *testing.T, text string) {
		got := localPath(text)
		to, err := base.Parse(got)
		if err != nil || to.Scheme != "https" || to.Host != "here.example" || strings.HasPrefix(to.EscapedPath(), "//") || strings.ContainsAny(got, "\\\r\n\t") {
			t.Errorf("localPath(%q) = %q leads to %v", text, got, to)
		}
	})
}

func TestOIDCReturn(t *testing.T) {
	w := newOIDCWorld(t)
	for _, back := range []string{"//evil.example", `/\evil.example`, "https://evil.example/", "/gpus", ""} {
		b := w.browser()
		at := b.upTo(localPath(back)).visit(oidcStart + "?return=" + url.QueryEscape(back)).at
		if at.String() != w.site.URL+localPath(back) {
			t.Errorf("return=%s leads to %s", back, at)
		}
	}
}

// TestOIDCReturnOfATamperedCookie has a cookie that somebody else wrote.
func TestOIDCReturnOfATamperedCookie(t *testing.T) {
	w := newOIDCWorld(t)
	b := w.browser()
	address := b.callback()
	for _, cookie := range b.Jar.Cookies(b.home()) {
		r, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
		r.AddCookie(cookie)
		began, ok := flowFrom(r, w.time())
		if !ok {
			t.Fatal("the cookie cannot be read")
		}
		began.back = "//evil.example"
		b.Jar.SetCookies(b.home(), []*http.Cookie{{Name: cookie.Name, Value: began.text(), Path: "/"}})
	}
	if got := b.upTo("/").visit(address.String()); got.at.String() != w.site.URL+"/" || b.session() == "" {
		t.Errorf("led to %s, signed in as %q", got.at, b.session())
	}
}

func TestFinished(t *testing.T) {
	var f finished
	if !f.add("a", start) || f.add("a", start.Add(time.Minute)) {
		t.Error("a state works once")
	}
	for i := range 3 * maxFinished {
		f.add(strconv.Itoa(i), start.Add(flowTime))
	}
	if len(f.states) > maxFinished {
		t.Errorf("%d states are kept", len(f.states))
	}
	later := start.Add(3 * flowTime)
	f.forget(later)
	if len(f.states) != 0 {
		t.Errorf("%d states are kept after their time", len(f.states))
	}
}
