package pvesim

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	// ticketLifetime is how long a ticket and its token against forged requests
	// are good for.
	ticketLifetime = 2 * time.Hour
	// clockSkew is how far in the future they may have been made.
	clockSkew = 5 * time.Minute
	// pendingMark begins the data of a ticket that waits for the second factor.
	pendingMark = "!tfa!"
)

// challenge is what a ticket that waits for a second factor says about it.
const challenge = `{"totp":true}`

// ticketParams are the parameters of a sign-in. The second factor is taken as the
// password of a second request.
var ticketParams = []param{
	{name: "username", kind: "string", required: true, check: limitedParam("username", 64).check},
	{name: "password", kind: "string", required: true},
	textParam("realm"), textParam("otp"), textParam("tfa-challenge"), boolParam("new-format"),
}

// createTicket serves POST /access/ticket. Whatever is wrong, the answer is the
// same.
func (c *call) createTicket() (any, error) {
	user := c.params["username"]
	if realm := c.params["realm"]; realm != "" {
		user += "@" + realm
	}
	pending, ok := c.signIn(user)
	if !ok {
		return nil, &apiError{status: http.StatusUnauthorized, message: "authentication failure\n"}
	}
	row := map[string]any{"username": user, "CSRFPreventionToken": c.server.csrf(user)}
	if pending {
		row["NeedTFA"] = 1
		row["ticket"] = c.server.ticket(pendingMark+url.PathEscape(challenge), user)
	} else {
		row["ticket"], row["cap"] = c.server.ticket(user, ""), c.capabilities(user)
	}
	if c.world.Cluster != "" && c.access.has(user, "/", "Sys.Audit") {
		row["clustername"] = c.world.Cluster
	}
	return row, nil
}

// signIn checks what a user gives; pending is whether a second factor is missing.
func (c *call) signIn(user string) (pending, ok bool) {
	account, known := c.world.Accounts[user]
	password := c.params["password"]
	if !c.access.enabled(user, c.server.now()) {
		return false, false
	}
	if asked, given := c.params["tfa-challenge"]; given {
		data, valid := c.server.openTicket(asked, user)
		return false, valid && strings.HasPrefix(data, pendingMark) && known && account.Code != "" && password == "totp:"+account.Code
	}
	if renewed, valid := c.server.openTicket(password, ""); valid && (renewed == user || renewed == rootUser) {
		return false, true
	}
	return account.Code != "", known && account.Password != "" && password == account.Password
}

// capabilities groups what a user holds anywhere by kind of object, as the web
// interface of PVE asks for.
func (c *call) capabilities(user string) map[string]map[string]int {
	all := map[string]map[string]int{}
	for kind := range capabilityKinds {
		all[kind] = map[string]int{}
	}
	for _, path := range c.access.listedPaths() {
		for privilege := range c.access.on(user, path) {
			for kind, pattern := range capabilityKinds {
				if pattern.MatchString(privilege) {
					all[kind][privilege] = 1
				}
			}
		}
	}
	return all
}

var capabilityKinds = map[string]*regexp.Regexp{
	"access":  regexp.MustCompile(`^(User|Group)\.|^Permissions\.Modify$`),
	"dc":      regexp.MustCompile(`^Sys\.Audit$|^Sys\.Modify$|^SDN\.`),
	"mapping": regexp.MustCompile(`^Mapping\.|^Permissions\.Modify$`),
	"nodes":   regexp.MustCompile(`^Sys\.|^Permissions\.Modify$`),
	"sdn":     regexp.MustCompile(`^SDN\.|^Permissions\.Modify$`),
	"storage": regexp.MustCompile(`^Datastore\.|^Permissions\.Modify$`),
	"vms":     regexp.MustCompile(`^VM\.|^Permissions\.Modify$`),
}

// ticket signs data, together with what only the checking side knows besides.
func (s *Server) ticket(data, also string) string {
	plain := fmt.Sprintf("PVE:%s:%08X", data, s.now().Unix())
	return plain + "::" + s.sign(plain+":"+also)
}

var ticketPattern = regexp.MustCompile(`^(PVE:(\S+):([0-9A-F]{8}))::([^:\s]+)$`)

// openTicket gives the data of a ticket that is good now.
func (s *Server) openTicket(text, also string) (data string, ok bool) {
	parts := ticketPattern.FindStringSubmatch(text)
	if len(parts) == 0 || !hmac.Equal([]byte(parts[4]), []byte(s.sign(parts[1]+":"+also))) {
		return "", false
	}
	return parts[2], s.recent(parts[3])
}

// csrf gives the token that goes with a user's ticket.
func (s *Server) csrf(user string) string {
	made := fmt.Sprintf("%08X", s.now().Unix())
	return made + ":" + s.sign("csrf:"+made+":"+user)
}

func (s *Server) checkCSRF(text, user string) bool {
	made, signature, _ := strings.Cut(text, ":")
	return hmac.Equal([]byte(signature), []byte(s.sign("csrf:"+made+":"+user))) && s.recent(made)
}

// recent tells whether a time, in hexadecimal seconds, is within a ticket's life.
func (s *Server) recent(hex string) bool {
	seconds, err := strconv.ParseInt(hex, 16, 64)
	age := s.now().Sub(time.Unix(seconds, 0))
	return err == nil && age > -clockSkew && age < ticketLifetime
}

// sign signs a text with the key of this server.
func (s *Server) sign(text string) string {
	s.state.Lock()
	if s.key == nil {
		s.key = make([]byte, sha256.Size)
		_, _ = rand.Read(s.key) // never fails
	}
	key := s.key
	s.state.Unlock()
	mac := hmac.New(sha256.New, key)
	_, _ = mac.Write([]byte(text)) // never fails
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}
