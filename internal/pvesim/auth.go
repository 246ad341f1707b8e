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
)

var (
	cookieValue = regexp.MustCompile(`(?:^|\s)PVEAuthCookie[= ]([^;]*)`)
	tokenValue  = regexp.MustCompile(`(?:^|\s)PVEAPIToken[= ]([^;]*)`)
)

// authenticate gives the token that asks, or the reason of the refusal. The
// simulator issues no tickets, so every ticket is a bad one; and a ticket comes
// before a token.
func (c *call) authenticate(header http.Header) (subject, problem string) {
	authorization := header.Get("Authorization")
	for _, text := range []string{strings.Join(header.Values("Cookie"), "; "), authorization} {
		if ticket := cookieValue.FindStringSubmatch(text); len(ticket) > 0 && ticket[1] != "" {
			return "", authFailed
		}
	}
	value := tokenValue.FindStringSubmatch(authorization)
	if len(value) == 0 || value[1] == "" {
		return "", noTicket
	}
	id, secret, _ := strings.Cut(unescape(strings.ReplaceAll(value[1], "+", "%2B")), "=")
	if secret == "" || secret != c.secret(id) || !c.access.usable(id, c.server.now()) {
		return "", authFailed
	}
	return id, ""
}

// secret gives the secret of a token, "" if it has none.
func (c *call) secret(id string) string {
	if c.world.UserCfg == "" && id == rootTokenID {
		return rootTokenSecret
	}
	return c.world.Secrets[id]
}
