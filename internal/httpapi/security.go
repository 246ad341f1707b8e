package httpapi

import (
	"context"
	"encoding/base64"
	"io"
	"net/http"
	"strings"
)

// securityHeaders says what a browser may do with an answer: load nothing from
// elsewhere, show it in no frame, guess no types.
func securityHeaders(random io.Reader, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		nonce := make([]byte, 16)
		_, err := io.ReadFull(random, nonce)
		if err != nil {
			writeProblem(w, r, newProblem(codeInternal, internalDetail))
			return
		}
		text := base64.RawURLEncoding.EncodeToString(nonce)
		h := w.Header()
		h.Set("Content-Security-Policy", contentPolicy(text))
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), nonceKey, text)))
	})
}

func contentPolicy(nonce string) string {
	return "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-" + nonce + "'; style-src-attr 'unsafe-inline'; " +
		"img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
}

// StyleNonce is the value that lets a page of the console bring styles of its
// own: the nonce of its <style> elements in this one answer.
func StyleNonce(ctx context.Context) string {
	nonce, _ := ctx.Value(nonceKey).(string)
	return nonce
}

// crossOrigin refuses requests that other sites make browsers send. Behind TLS, the
// same host without TLS is another site, too: anybody on the way may speak for it.
func (a *API) crossOrigin(next http.Handler) http.Handler {
	guard := http.NewCrossOriginProtection()
	guard.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		writeProblem(w, r, crossOriginProblem())
	}))
	guarded := guard.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if changes(r.Method) && isSecure(r.Context()) && strings.HasPrefix(strings.ToLower(r.Header.Get("Origin")), "http:") {
			writeProblem(w, r, crossOriginProblem())
			return
		}
		guarded.ServeHTTP(w, r)
	})
}

func crossOriginProblem() *Problem {
	return newProblem(codeCrossOrigin, "The request comes from another site. Open the console itself and try again.")
}
