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

// maxCookies is how many session cookies of one request are looked at.
const maxCookies = 4

// sessionCookies are the values of the session cookies. Another program on the same
// host, at another port or path, may have set one of the same name.
func sessionCookies(r *http.Request) []string {
	var values []string
	for _, cookie := range r.CookiesNamed(cookieName(isSecure(r.Context()))) {
		if cookie.Value != "" && len(values) < maxCookies {
			values = append(values, cookie.Value)
		}
	}
	return values
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
