package httpapi

import (
	"errors"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

func TestSecurityHeaders(t *testing.T) {
	var nonce string
	w := newWorld(t, func(o *Options) {
		o.Console = http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { nonce = StyleNonce(r.Context()) })
	})
	for _, path := range []string{"/", "/docs", "/api/v1/session", "/api/v1/nope", "/healthz", "/openapi.json", "/metrics"} {
		h := w.do("GET", path, "").Header()
		for name, value := range map[string]string{
			"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "same-origin",
			"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
		} {
			if h.Get(name) != value {
				t.Errorf("%s: %s is %q", path, name, h.Get(name))
			}
		}
		policy := regexp.MustCompile(`'nonce-[A-Za-z0-9_-]{22}'`).ReplaceAllString(h.Get("Content-Security-Policy"), "'nonce-…'")
		if policy != "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-…'; style-src-attr 'unsafe-inline'; img-src 'self' data:; "+
			"font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'" {
			t.Errorf("%s: policy %s", path, policy)
		}
	}
	h := w.do("GET", "/", "").Header()
	if nonce == "" || !strings.Contains(h.Get("Content-Security-Policy"), "'nonce-"+nonce+"'") {
		t.Errorf("nonce %q is not in %s", nonce, h.Get("Content-Security-Policy"))
	}
	first := nonce
	w.do("GET", "/", "")
	if nonce == first {
		t.Error("the nonce comes again")
	}
	if got := w.do("GET", sessionPath, "", as("admin")).Header().Get("Cache-Control"); got != "no-store" {
		t.Errorf("Cache-Control %q", got)
	}
}

func TestNoRandomness(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.Random = brokenRandom{} })
	w.do("POST", sessionPath, credentials("admin", password)).want(http.StatusInternalServerError, codeInternal)
}

type brokenRandom struct{}

func (brokenRandom) Read([]byte) (int, error) { return 0, errors.Join(io.ErrUnexpectedEOF) }

// TestLog: who asked for what is logged, what they sent is not.
func TestLog(t *testing.T) {
	w := newWorld(t)
	w.do("GET", "/api/v1/audit?object=hunter2", "", by("operator")).want(http.StatusOK, "")
	w.do("POST", sessionPath, credentials("admin", "hunter2"), as("auditor"))
	w.do("GET", "/healthz", "")
	log := w.logged()
	for _, want := range []string{
		"level=INFO msg=request", "method=GET path=/api/v1/audit status=200", "address=192.0.2.1",
		`actor="operator (token id-operator script)"`, "level=DEBUG msg=request",
	} {
		if !strings.Contains(log, want) {
			t.Errorf("the log lacks %s", want)
		}
	}
	for _, secret := range []string{"hunter2", "pa_operator", "cookie-auditor"} {
		if strings.Contains(log, secret) {
			t.Errorf("the log has %s", secret)
		}
	}
}
