package httpapi

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"io"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"

	"pciatlas/internal/auth"
)

// flowTime is how long somebody may take at the provider.
const flowTime = 10 * time.Minute

// flow is one sign-in on its way through the provider. Only the browser keeps it,
// in a cookie; what others see of it is derived from its secret and says nothing
// about the rest.
type flow struct {
	secret string
	began  time.Time
	back   string // path to go to afterwards
}

func newFlow(random io.Reader, now time.Time, back string) (flow, error) {
	secret, _, err := auth.NewSecret(random, "")
	return flow{secret: secret, began: now, back: localPath(back)}, err
}

// state ties the provider's answer to the browser.
func (f flow) state() string { return f.derived("state") }

// nonce ties the ID token to the browser.
func (f flow) nonce() string { return f.derived("nonce") }

// verifier ties the code to the server that asks for the token: RFC 7636.
func (f flow) verifier() string { return f.derived("verifier") }

func (f flow) derived(use string) string {
	mac := hmac.New(sha256.New, []byte(f.secret))
	mac.Write([]byte(use))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// fits says whether the states of an answer are the one of this sign-in.
func (f flow) fits(states []string) bool {
	return len(states) == 1 && equalTexts(states[0], f.state())
}

func equalTexts(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// text is what the cookie holds.
func (f flow) text() string {
	return strconv.FormatInt(f.began.Unix(), 10) + "." + f.secret + "." + base64.RawURLEncoding.EncodeToString([]byte(f.back))
}

// flowFrom reads the cookie of a sign-in that has not taken too long. Several of
// one name are ambiguous and count as none.
func flowFrom(r *http.Request, now time.Time) (flow, bool) {
	cookies := r.CookiesNamed(flowCookieName(r.Context()))
	if len(cookies) != 1 {
		return flow{}, false
	}
	parts := strings.Split(cookies[0].Value, ".")
	if len(parts) != 3 || len(parts[1]) != secretLength {
		return flow{}, false
	}
	seconds, err := strconv.ParseInt(parts[0], 10, 64)
	if err != nil {
		return flow{}, false
	}
	back, err := base64.RawURLEncoding.DecodeString(parts[2])
	if err != nil {
		return flow{}, false
	}
	f := flow{secret: parts[1], began: time.Unix(seconds, 0), back: localPath(string(back))}
	age := now.Sub(f.began)
	return f, age >= -time.Minute && age <= flowTime
}

// secretLength is the length of the texts of auth.NewSecret.
const secretLength = 43

func flowCookieName(ctx context.Context) string { return cookieName(isSecure(ctx)) + "-oidc" }

// flowCookie is the cookie of a sign-in; an empty value ends it. It comes along
// when the provider sends the browser back, which SameSite=Strict would prevent.
func flowCookie(ctx context.Context, value string) *http.Cookie {
	cookie := newCookie(ctx, value) //nolint:gosec // its attributes are those of the session cookie
	cookie.Name = flowCookieName(ctx)
	if value != "" {
		cookie.MaxAge = int(flowTime / time.Second)
	}
	return &cookie
}

const maxReturn = 1024

// localPath is the text if it is a path of this server that a browser can only
// read as such, and "/" if not.
func localPath(text string) string {
	printable := !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' || r == '\\' })
	parsed, err := url.Parse(text)
	if err != nil || !printable || len(text) > maxReturn || !strings.HasPrefix(text, "/") || parsed.Scheme != "" || parsed.Host != "" {
		return "/"
	}
	clean := path.Clean(parsed.Path)
	if clean != parsed.Path && clean+"/" != parsed.Path || strings.ContainsAny(parsed.Path, "\\\r\n") || strings.Contains(parsed.Path, "//") || !isPage(clean) {
		return "/"
	}
	return text
}

// isPage says whether a path is one that people look at.
func isPage(clean string) bool {
	for _, machine := range []string{"/api", "/auth"} {
		if clean == machine || strings.HasPrefix(clean, machine+"/") {
			return false
		}
	}
	return true
}

// maxFinished bounds what finished sign-ins take of memory.
const maxFinished = 10_000

// finished remembers the states of sign-ins that were finished for as long as
// their cookies could be used again.
type finished struct {
	mu     sync.Mutex
	states map[string]time.Time
}

// add is false for a state that is there already.
func (f *finished) add(state string, now time.Time) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, again := f.states[state]; again {
		return false
	}
	if f.states == nil || len(f.states) >= maxFinished {
		f.forget(now)
	}
	f.states[state] = now
	return true
}

// forget makes room: what cannot be used again goes, and if that is not enough
// some of the rest, whose codes the provider takes only once in any case.
func (f *finished) forget(now time.Time) {
	kept := map[string]time.Time{}
	for state, at := range f.states {
		if now.Sub(at) <= flowTime+time.Minute && len(kept) < maxFinished/2 {
			kept[state] = at
		}
	}
	f.states = kept
}
