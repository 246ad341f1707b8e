package web_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"pciatlas/web"
)

// TestEmbedded holds with and without a build of the console: the page is there, it
// brings its nonce, and nothing is left of the place where it belongs.
func TestEmbedded(t *testing.T) {
	handler := web.Handler(func(context.Context) string { return "once" })
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/gpus", http.NoBody))
	body := w.Body.String()
	if w.Code != http.StatusOK || !strings.Contains(body, `nonce="once"`) || strings.Contains(body, "__CSP") {
		t.Errorf("GET /gpus answers %d:\n%s", w.Code, body)
	}
	if says := strings.Contains(body, "built without its web console"); says == web.Built() {
		t.Errorf("built is %t, and the page says that it was not: %t", web.Built(), says)
	}
}

// TestNoNonce: a server without such a policy needs none.
func TestNoNonce(t *testing.T) {
	w := httptest.NewRecorder()
	web.Handler(nil).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody))
	if !strings.Contains(w.Body.String(), `nonce=""`) {
		t.Errorf("the page has no empty nonce:\n%s", w.Body)
	}
}
