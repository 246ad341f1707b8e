package pvesim

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"
)

// Scenario is a scenario file: a small world as files of its nodes and as
// recorded answers of its first node.
type Scenario struct {
	ID    string   `json:"id"`
	Kind  string   `json:"kind"`
	Nodes []string `json:"nodes"`
	// Token is the id of the token that asked; "" is root@pam!full.
	Token     string          `json:"token"`
	Root      map[string]Tree `json:"root"`
	Exchanges []Exchange      `json:"exchanges"`
}

// Exchange is one recorded request with its answer.
type Exchange struct {
	Request struct {
		Method string `json:"method"`
		Path   string `json:"path"`
		Query  string `json:"query"`
	} `json:"request"`
	Status         int             `json:"status"`
	Reason         string          `json:"reason"`
	Body           json.RawMessage `json:"body"` // null for none
	DelayedSeconds float64         `json:"delayed_seconds"`
}

// ParseScenario reads a scenario file.
func ParseScenario(text []byte) (*Scenario, error) {
	var scenario Scenario
	if err := json.Unmarshal(text, &scenario); err != nil {
		return nil, fmt.Errorf("read scenario: %w", err)
	}
	return &scenario, nil
}

// recordedSecret is the secret of every recorded token.
const recordedSecret = "11111111-1111-4111-8111-111111111111" // made up

// Recording gives a handler that answers as the scenario was recorded.
func (s *Scenario) Recording() *Recording {
	return &Recording{Token: cmp.Or(s.Token, "root@pam!full") + "=" + recordedSecret, Exchanges: s.Exchanges}
}

// Recording answers exactly the recorded requests: the same path and the same
// set of parameters, in any order and spelling. Another token is refused with
// 401, and what was not recorded with 501, as a path that PVE does not know.
// The fields must not change while it serves.
type Recording struct {
	// Token is the only token that is let in, USER@REALM!ID=SECRET.
	Token     string
	Exchanges []Exchange
	// Speed divides recorded delays, those of refused tokens included: 100 makes
	// 0.3 s of 30 s. 0 is 1.
	Speed float64
	// KeepAlive and IdleTimeout are those of Server.
	KeepAlive   int
	IdleTimeout time.Duration

	Instruments
}

// ServeHTTP answers one request.
func (r *Recording) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	set := settings{
		keepAlive: cmp.Or(r.KeepAlive, defaultKeepAlive), idle: orDefault(r.IdleTimeout, defaultIdle),
		auth: r.scaled(defaultAuthDelay.Seconds()), mute: r.scaled(defaultMuteDelay.Seconds()), release: parseRelease(""),
	}
	r.serve(w, req, set, r.answer)
}

func (r *Recording) scaled(seconds float64) time.Duration {
	return time.Duration(seconds / cmp.Or(r.Speed, 1) * float64(time.Second))
}

func (r *Recording) answer(req *request) reply {
	if req.header.Get("Authorization") != Authorization(r.Token) {
		rep := emptyReply(http.StatusUnauthorized, authFailed)
		if req.header.Get("Authorization") == "" {
			rep.reason = noTicket
		}
		rep.delay = r.scaled(defaultAuthDelay.Seconds())
		return rep
	}
	for i := range r.Exchanges {
		if exchange := &r.Exchanges[i]; exchange.fits(req) {
			return r.recorded(exchange)
		}
	}
	_, path := req.split()
	return notImplemented(req.method, path).reply(parseRelease(""))
}

func (e *Exchange) fits(req *request) bool {
	return e.Request.Method == req.method && plainPath(e.Request.Path) == plainPath(req.path) &&
		maps.EqualFunc(decodeQuery(e.Request.Query), decodeQuery(req.query), slices.Equal[values])
}

func (r *Recording) recorded(e *Exchange) reply {
	rep := reply{status: e.Status, reason: e.Reason, delay: r.scaled(e.DelayedSeconds)}
	if text := strings.TrimSpace(string(e.Body)); text != "" && text != "null" {
		rep.contentType, rep.body = jsonType, []byte(text)
	}
	return rep
}
