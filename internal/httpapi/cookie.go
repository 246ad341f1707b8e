package httpapi

import (
	"context"
	"net/http"
)

// cookieName is the name of the session cookie. Browsers take __Host- only
// through TLS and only from this very host, so that no other can plant one.
func cookieName(secure bool) string {
	if secure {
		return "__Host-pciatlas"
	}
	return "pciatlas"
}

// sessionCookie is the value of the session cookie; "" for none. Several of one
// name are ambiguous and count as none.
func sessionCookie(r *http.Request) string {
	found := r.CookiesNamed(cookieName(isSecure(r.Context())))
	if len(found) != 1 {
		return ""
	}
	return found[0].Value
}

// newCookie is the session cookie for this request; an empty value ends it.
func newCookie(ctx context.Context, value string) http.Cookie {
	secure := isSecure(ctx)
	cookie := http.Cookie{ //nolint:gosec // without TLS, a browser would drop a cookie that is Secure
		Name: cookieName(secure), Value: value, Path: "/",
		HttpOnly: true, Secure: secure, SameSite: http.SameSiteLaxMode,
	}
	if value == "" {
		cookie.MaxAge = -1
	}
	return cookie
}

func isSecure(ctx context.Context) bool { return requestOf(ctx).client.secure }
