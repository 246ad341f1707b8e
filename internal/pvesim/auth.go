package pvesim

import (
	"net/http"
	"regexp"
	"strings"
)

// The refusals of a credential. PVE does not say which of the many reasons it
// was.
const (
	noTicket   = "No ticket"
	authFailed = "Authentication failed!"
	noCSRF     = "Permission denied - invalid csrf token"
)

var (
	cookieValue = regexp.MustCompile(`(?:^|\s)PVEAuthCookie[= ]([^;]*)`)
	tokenValue  = regexp.MustCompile(`(?:^|\s)PVEAPIToken[= ]([^;]*)`)
)

// authenticate gives the user or token that asks, or the reason of the refusal.
// A ticket comes before a token.
func (c *call) authenticate(header http.Header) (subject, problem string) {
	authorization := header.Get("Authorization")
	for _, text := range []string{strings.Join(header.Values("Cookie"), "; "), authorization} {
		if given := cookieValue.FindStringSubmatch(text); len(given) > 0 && given[1] != "" {
			return c.ticketUser(unescapeHeader(given[1]))
		}
	}
	value := tokenValue.FindStringSubmatch(authorization)
	if len(value) == 0 || value[1] == "" {
		return "", noTicket
	}
	id, secret, _ := strings.Cut(unescapeHeader(value[1]), "=")
	if secret == "" || secret != c.secret(id) || !c.access.usable(id, c.server.now()) {
		return "", authFailed
	}
	return id, ""
}

// unescapeHeader decodes %XX; a plus stays what it is.
func unescapeHeader(text string) string { return unescape(strings.ReplaceAll(text, "+", "%2B")) }

// ticketUser gives the user of a ticket. A ticket that waits for the second
// factor is none.
func (c *call) ticketUser(text string) (subject, problem string) {
	data, ok := c.server.openTicket(text, "")
	switch {
	case ok && c.access.enabled(data, c.server.now()):
		return data, ""
	case strings.HasPrefix(text, "PVE:"+pendingMark):
		return "", noTicket
	default:
		return "", authFailed
	}
}

// forged gives the reason to refuse a change with a ticket: only who has read the
// answer of the sign-in knows the token that belongs to it. Requests with an API
// token need none.
func (c *call) forged(subject string, req *request) (problem string) {
	if req.method == http.MethodGet || strings.Contains(subject, "!") {
		return ""
	}
	if c.server.checkCSRF(req.header.Get("CSRFPreventionToken"), subject) {
		return ""
	}
	return noCSRF
}

// secret gives the secret of a token, "" if it has none.
func (c *call) secret(id string) string {
	if c.world.UserCfg == "" && id == rootTokenID {
		return rootTokenSecret
	}
	return c.world.Secrets[id]
}
