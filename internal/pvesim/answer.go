package pvesim

import (
	"errors"
	"maps"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// call is one request on its way through the API.
type call struct {
	server  *Server
	world   *World
	access  *access
	subject string // the token that asked
	entry   *Node  // the node that was asked
	node    *Node  // the node that answers
	release release
	params  map[string]string
	lists   map[string]values // of the parameters that are arrays
	rand    *rand.Rand
	// warnings are what PVE says in its log, and at its command line.
	warnings []string
}

// answer makes the answer to a request in the order in which pveproxy looks at
// it: method, URI, token, body, format, path, rights, other node, parameters.
func (s *Server) answer(req *request, entry string) reply { return s.answerAs(req, entry, "") }

// answerAs answers a request of a user who is known already; of "" it has to say
// itself who asks.
func (s *Server) answerAs(req *request, entry, subject string) reply {
	unlock := s.lock(req)
	defer unlock()
	c := s.call(entry)
	c.subject = subject
	if subject == "" {
		if refusal := c.admit(req); refusal != nil {
			return *refusal
		}
	}
	_, path := req.split()
	route, params := findRoute(req.method, path, c.release)
	if route == nil {
		return notImplemented(req.method, path).reply(c.release)
	}
	return c.run(route, params, req, path)
}

// lock keeps changes out while an answer is made, and other answers while it may
// be a change itself. The function it gives unlocks; it takes the change back if
// the request is to have no effect.
func (s *Server) lock(req *request) (unlock func()) {
	if req.method == http.MethodGet {
		s.world.RLock()
		return s.world.RUnlock
	}
	s.world.Lock()
	before := s.own
	if req.undone {
		s.own = s.snapshot().Clone()
	}
	return func() {
		if req.undone {
			s.own = before
		}
		s.world.Unlock()
	}
}

// call begins a request that a node is asked; the caller holds the lock.
func (s *Server) call(entry string) *call {
	world := s.snapshot()
	c := &call{server: s, world: world, entry: world.Node(entry)}
	if c.entry == nil {
		c.entry = &world.Nodes[0]
	}
	c.node = c.entry
	c.release = parseRelease(nodeVersion(world, c.entry))
	c.access = s.accessOf(world, c.release)
	return c
}

// write gives the World to change; from then on the call sees the change.
func (c *call) write() *World {
	c.world = c.server.writable()
	return c.world
}

func nodeVersion(w *World, n *Node) string {
	if n.Version != "" {
		return n.Version
	}
	return w.Version
}

// admit refuses what never reaches the API.
func (c *call) admit(req *request) *reply {
	refusal := func(r reply) *reply { return &r }
	switch req.method {
	case http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete:
	default:
		return refusal(emptyReply(http.StatusNotImplemented, "method '"+req.method+"' not available"))
	}
	if req.chunked {
		return refusal(bareReply(http.StatusNotImplemented, "chunked transfer encoding not supported"))
	}
	format, path := req.split()
	if format == "" {
		return refusal(bareReply(http.StatusNotImplemented, "no such uri"))
	}
	subject, problem := c.authenticate(req.header)
	if plainPath(path) == "/access/ticket" && (req.method == http.MethodGet || req.method == http.MethodPost) {
		subject, problem = "", "" // who signs in has no ticket yet
	} else if problem == "" {
		problem = c.forged(subject, req)
	}
	if problem != "" {
		rep := emptyReply(http.StatusUnauthorized, problem)
		rep.delay = orDefault(c.server.AuthDelay, defaultAuthDelay)
		return &rep
	}
	c.subject = subject
	if req.length > 0 && (req.method == http.MethodGet || req.method == http.MethodDelete) {
		return refusal(bareReply(http.StatusNotImplemented, "Unexpected content for method '"+req.method+"'"))
	}
	if req.length > maxBody {
		return refusal(bareReply(http.StatusNotImplemented, "for data too large"))
	}
	if kind := req.header.Get("Content-Type"); req.length > 0 && kind != "" && !strings.HasPrefix(kind, formType) {
		return refusal(bareReply(http.StatusVariantAlsoNegotiates, "upload 'Content-Type '"+kind+"' not implemented"))
	}
	if format != "json" {
		return refusal(bareReply(http.StatusNotImplemented, "no formatter for uri "+path+", "+format))
	}
	return nil
}

// run takes a request through the checks of its route.
func (c *call) run(route *route, params map[string]string, req *request, path string) reply {
	query := req.params()
	delete(query, "_dc")
	if err := joinParams(query, params); err != nil {
		return err.reply(c.release)
	}
	if err := c.permitted(route, query); err != nil {
		return err.reply(c.release)
	}
	rep, remote := c.reach(route, query, req)
	if rep != nil {
		return *rep
	}
	c.rand = c.server.order(plainPath(path))
	var refused *apiError
	data, err := c.execute(route, query)
	var answer reply
	switch {
	case err == nil:
		answer = dataReply(data)
	case errors.As(err, &refused):
		answer = refused.reply(c.release)
		if refused.status == http.StatusUnauthorized {
			answer.delay = orDefault(c.server.AuthDelay, defaultAuthDelay)
		}
	default:
		answer = failure("%v", err).reply(c.release)
	}
	answer.warnings = c.warnings
	if remote {
		answer.slot = c.server.relay(c.node.Name)
	}
	return answer
}

// joinParams adds the parameters of the path to those of the query; they may
// stand in both if they are equal.
func joinParams(query map[string]values, path map[string]string) *apiError {
	for _, name := range slices.Sorted(maps.Keys(path)) {
		if given, ok := query[name]; ok && given != nil {
			if text, single := given.text(); !single || text != path[name] {
				return &apiError{
					status: http.StatusBadRequest, message: "Parameter verification failed - duplicate parameter '" + name + "'",
				}
			}
		}
		query[name] = values{path[name]}
	}
	return nil
}

func (c *call) permitted(route *route, query map[string]values) *apiError {
	if route.allow == nil {
		return nil
	}
	text := func(name string) string { value, _ := query[name].text(); return value }
	return route.allow(c, text)
}

var nodeName = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?$`)

// reach finds the node that answers. Requests about another node are passed on
// to it; remote tells so. The reply, if any, is what came of that.
func (c *call) reach(route *route, query map[string]values, req *request) (rep *reply, remote bool) {
	if route.relay == "" {
		return nil, false
	}
	given, asked := query[route.relay]
	if !asked || given == nil {
		return nil, false
	}
	name, _ := given.text()
	if name == "" {
		r := failure("internal error - proxyto_callback returned nothing").reply(c.release)
		return &r, false
	}
	if name == "localhost" || name == c.entry.Name {
		return nil, false
	}
	node := c.world.Node(name)
	if node == nil {
		const noSuchName = "hostname lookup '%s' failed - failed to get address info for: %s: Name or service not known"
		r := failure(noSuchName, name, name).reply(c.release)
		return &r, false
	}
	if req.header.Get("PVEDisableProxy") != "" {
		r := bareReply(http.StatusInternalServerError, "proxy loop detected")
		return &r, false
	}
	c.node = node
	c.release = parseRelease(nodeVersion(c.world, node))
	return c.away(node), true
}

// away is the answer in the place of a node that gives none.
func (c *call) away(node *Node) *reply {
	if !node.Offline && !node.Mute {
		return nil
	}
	rep := emptyReply(statusRefused, "Connection refused")
	if !node.Offline {
		rep = emptyReply(statusTimedOut, "Connection timed out")
		rep.delay = orDefault(c.server.MuteDelay, defaultMuteDelay)
		rep.slot = c.server.relay(node.Name)
	}
	return &rep
}

func (c *call) execute(route *route, query map[string]values) (any, error) {
	params, err := route.check(query)
	if err != nil {
		return nil, err
	}
	c.params, c.lists = params, query
	return route.serve(c)
}

// shuffle gives a list in the order of a Perl hash: any.
func shuffle[T any](c *call, list []T) []T {
	c.rand.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}
