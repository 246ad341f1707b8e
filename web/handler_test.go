package web

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
)

const script = "console.log('the console')"

func built(t *testing.T) *handler {
	t.Helper()
	return newHandler(t, fstest.MapFS{
		"unbuilt.html":           {Data: []byte("not built")},
		"app/index.html":         {Data: []byte(`<meta nonce="__CSP_NONCE__">page`)},
		"app/theme.js":           {Data: []byte("theme")},
		"app/assets/x-1a.js":     {Data: []byte(script)},
		"app/assets/x-1a.js.br":  {Data: []byte("as br")},
		"app/assets/x-1a.js.gz":  {Data: []byte("as gzip")},
		"app/assets/y-2b.css":    {Data: []byte("css")},
		"app/assets/y-2b.css.gz": {Data: []byte("css as gzip")},
		"app/assets/z.unknown":   {Data: []byte("<script>")},
		"secret.txt":             {Data: []byte("outside of the console")},
	})
}

func newHandler(t *testing.T, files fstest.MapFS) *handler {
	t.Helper()
	s, err := newSite(files)
	if err != nil {
		t.Fatal(err)
	}
	return &handler{site: s, nonce: func(context.Context) string { return `n"1` }}
}

func ask(t *testing.T, h http.Handler, method, path string, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, "/", http.NoBody)
	r.URL.Path = path
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	w.Header().Set("Content-Security-Policy", "the policy")
	h.ServeHTTP(w, r)
	return w
}

const thePage = `<meta nonce="n&#34;1">page`

func TestPaths(t *testing.T) {
	tests := []struct {
		path string
		code int
		body string // "": any
	}{
		{"/", http.StatusOK, thePage},
		{"/index.html", http.StatusOK, thePage},
		{"/gpus", http.StatusOK, thePage},
		{"/vms/lab.example/100", http.StatusOK, thePage},
		{"/setup/", http.StatusOK, thePage},
		{"/theme.js", http.StatusOK, "theme"},
		{"/assets/x-1a.js", http.StatusOK, script},
		{"/assets/./x-1a.js", http.StatusOK, script},
		{"/assets/none-1a.js", http.StatusNotFound, ""},
		{"/assets/x-1a.js.br", http.StatusNotFound, ""},
		{"/assets/none", http.StatusNotFound, ""},
		{"/assets/gpus/none", http.StatusNotFound, ""},
		{"/assets/", http.StatusNotFound, ""},
		{"/assets", http.StatusNotFound, ""},
		{"/assetsx", http.StatusOK, thePage},
		{"/favicon.ico", http.StatusNotFound, ""},
		{"/api", http.StatusNotFound, ""},
		{"/api/v1/nope", http.StatusNotFound, ""},
		{"//api/v1/nope", http.StatusNotFound, ""},
		{"/x/../api/v1/nope", http.StatusNotFound, ""},
		{"/apiary", http.StatusOK, thePage},
		{"/secret.txt", http.StatusNotFound, ""},
		{"/../secret.txt", http.StatusNotFound, ""},
		{"/assets/../../secret.txt", http.StatusNotFound, ""},
		{"/../../../../etc/passwd", http.StatusOK, thePage},
		{`/..\..\secret.txt`, http.StatusNotFound, ""},
		{"/unbuilt.html", http.StatusNotFound, ""},
		{"", http.StatusOK, thePage},
	}
	for _, test := range tests {
		t.Run(test.path, func(t *testing.T) {
			w := ask(t, built(t), http.MethodGet, test.path)
			if w.Code != test.code || (test.body != "" && w.Body.String() != test.body) {
				t.Errorf("answers %d %q, want %d %q", w.Code, w.Body, test.code, test.body)
			}
			if got := w.Header().Get("Cache-Control"); w.Code == http.StatusNotFound && got != "no-store" {
				t.Errorf("that nothing is there may be kept: %q", got)
			}
			if w.Code == http.StatusNotFound && strings.Contains(w.Body.String(), "outside") {
				t.Error("the answer holds a file that is not of the console")
			}
		})
	}
}

func TestEncodings(t *testing.T) {
	tests := []struct {
		name, path, accept, encoding, body string
	}{
		{"none", "/assets/x-1a.js", "", "", script},
		{"best", "/assets/x-1a.js", "gzip, deflate, br, zstd", "br", "as br"},
		{"gzip only", "/assets/x-1a.js", "gzip", "gzip", "as gzip"},
		{"upper case and spaces", "/assets/x-1a.js", " GZIP ; q=0.5", "gzip", "as gzip"},
		{"refused", "/assets/x-1a.js", "br;q=0, gzip;q=0.000", "", script},
		{"not a part of a word", "/assets/x-1a.js", "brx, xgzip", "", script},
		{"not there", "/assets/y-2b.css", "br", "", "css"},
		{"second choice", "/assets/y-2b.css", "br, gzip", "gzip", "css as gzip"},
		{"never compressed", "/theme.js", "br, gzip", "", "theme"},
		{"the page", "/", "br, gzip", "", thePage},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := ask(t, built(t), http.MethodGet, test.path, "Accept-Encoding", test.accept)
			if got := w.Header().Get("Content-Encoding"); got != test.encoding || w.Body.String() != test.body {
				t.Errorf("answers %q in encoding %q, want %q in %q", w.Body, got, test.body, test.encoding)
			}
		})
	}
	if got := ask(t, built(t), http.MethodGet, "/assets/x-1a.js").Header().Get("Vary"); got != "Accept-Encoding" {
		t.Errorf("Vary is %q: a cache between would hand out the wrong encoding", got)
	}
}

func TestHeaders(t *testing.T) {
	tests := []struct{ path, kind, cache string }{
		{"/", "text/html; charset=utf-8", "no-cache"},
		{"/theme.js", "text/javascript; charset=utf-8", "no-cache"},
		{"/assets/x-1a.js", "text/javascript; charset=utf-8", "public, max-age=31536000, immutable"},
		{"/assets/y-2b.css", "text/css; charset=utf-8", "public, max-age=31536000, immutable"},
		{"/assets/z.unknown", "application/octet-stream", "public, max-age=31536000, immutable"},
	}
	for _, test := range tests {
		header := ask(t, built(t), http.MethodGet, test.path, "Accept-Encoding", "br").Header()
		if header.Get("Content-Type") != test.kind || header.Get("Cache-Control") != test.cache || header.Get("ETag") == "" {
			t.Errorf("%s: the headers are %v, want %q and %q and an ETag", test.path, header, test.kind, test.cache)
		}
	}
}

func TestNotModified(t *testing.T) {
	for _, path := range []string{"/", "/theme.js", "/assets/x-1a.js"} {
		first := ask(t, built(t), http.MethodGet, path, "Accept-Encoding", "br")
		tag := first.Header().Get("ETag")
		again := ask(t, built(t), http.MethodGet, path, "Accept-Encoding", "br", "If-None-Match", `"other", `+tag)
		if again.Code != http.StatusNotModified || again.Body.Len() > 0 || again.Header().Get("ETag") != tag {
			t.Errorf("%s with If-None-Match %s answers %d %q %v", path, tag, again.Code, again.Body, again.Header())
		}
		changed := ask(t, built(t), http.MethodGet, path, "If-None-Match", `"other"`)
		if changed.Code != http.StatusOK {
			t.Errorf("%s with another tag answers %d", path, changed.Code)
		}
	}
	br := ask(t, built(t), http.MethodGet, "/assets/x-1a.js", "Accept-Encoding", "br").Header().Get("ETag")
	if plain := ask(t, built(t), http.MethodGet, "/assets/x-1a.js").Header().Get("ETag"); plain == br {
		t.Error("two representations have the same ETag")
	}
}

// TestKeptPage: the page that a browser kept has the old nonce in it, so the new
// policy must not replace the one that was kept with it.
func TestKeptPage(t *testing.T) {
	first := ask(t, built(t), http.MethodGet, "/")
	if first.Header().Get("Content-Security-Policy") == "" {
		t.Error("the page comes without its policy")
	}
	again := ask(t, built(t), http.MethodGet, "/", "If-None-Match", first.Header().Get("ETag"))
	if policy := again.Header().Get("Content-Security-Policy"); again.Code != http.StatusNotModified || policy != "" {
		t.Errorf("answers %d with the policy %q", again.Code, policy)
	}
}

func TestParts(t *testing.T) {
	w := ask(t, built(t), http.MethodGet, "/assets/x-1a.js", "Range", "bytes=0-6", "Accept-Encoding", "br")
	if w.Code != http.StatusPartialContent || w.Body.String() != script[:7] || w.Header().Get("Content-Encoding") != "" {
		t.Errorf("a part answers %d %q %v", w.Code, w.Body, w.Header())
	}
	if w := ask(t, built(t), http.MethodGet, "/assets/x-1a.js", "Range", "bytes=900-"); w.Code != http.StatusRequestedRangeNotSatisfiable {
		t.Errorf("a part behind the end answers %d", w.Code)
	}
	if w := ask(t, built(t), http.MethodGet, "/", "Range", "bytes=0-3"); w.Code != http.StatusOK || w.Body.String() != thePage {
		t.Errorf("a part of the page answers %d %q, want all of it", w.Code, w.Body)
	}
}

func TestMethods(t *testing.T) {
	w := ask(t, built(t), http.MethodHead, "/gpus")
	if w.Code != http.StatusOK || w.Header().Get("Content-Length") != "26" {
		t.Errorf("HEAD answers %d %v", w.Code, w.Header())
	}
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodOptions} {
		w := ask(t, built(t), method, "/")
		if w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != "GET, HEAD" {
			t.Errorf("%s answers %d, Allow %q", method, w.Code, w.Header().Get("Allow"))
		}
	}
}

func TestUnbuilt(t *testing.T) {
	h := newHandler(t, fstest.MapFS{"unbuilt.html": {Data: []byte("not built")}})
	for path, code := range map[string]int{"/": 200, "/setup": 200, "/assets/x.js": 404, "/api/v1/x": 404} {
		w := ask(t, h, http.MethodGet, path)
		if w.Code != code || (code == http.StatusOK && w.Body.String() != "not built") {
			t.Errorf("%s answers %d %q, want %d", path, w.Code, w.Body, code)
		}
	}
	if _, err := newSite(fstest.MapFS{}); err == nil {
		t.Error("a program without the page that says so is accepted")
	}
}
