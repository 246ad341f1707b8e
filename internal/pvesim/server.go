package pvesim

import (
	"cmp"
	"hash/fnv"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"

	"pciatlas/internal/pve"
)

// Server answers the requests of PVE's API for a World, as pveproxy does it:
// same refusals in the same order, same reason phrases, same silent filtering. It
// reads what pciatlas reads, issues tickets, and writes mappings and the
// configuration of VMs. Its zero value is a single empty node that takes
// RootToken. The fields must not change while it serves; the World changes
// through requests that write, Update, Start and Stop, and State gives it as it is
// then. The World that was handed in stays as it is, so that servers may share it.
//
// Serve it over HTTP/1.1: it takes each connection over from net/http, which
// then no longer knows of it. NewTLSServer closes such connections, too.
type Server struct {
	// World is what the server shows; nil is the zero World.
	World *World
	// Entry is the node that answers and passes requests about others on; "" is
	// the first.
	Entry string
	// Seed chooses the order of lists that have none in PVE.
	Seed uint64
	// AuthDelay is how long a refused token waits (0 is PVE's 3 s), MuteDelay how
	// long a request to a mute node does (0 is PVE's 30 s). Below 0 is no delay.
	AuthDelay, MuteDelay time.Duration
	// KeepAlive is how many requests a connection takes (0 is PVE's 100),
	// IdleTimeout after which silence it is closed (0 is PVE's 5 s).
	KeepAlive   int
	IdleTimeout time.Duration
	// RelayLimit is how many requests are passed on to one other node at a time:
	// 0 is PVE's 4 of each of 3 workers, below 0 any number.
	RelayLimit int
	// Now is the clock that tokens expire by; nil is time.Now.
	Now func() time.Time

	Instruments

	world   sync.RWMutex // held while an answer is made, for writing by requests that may write
	own     *World       // the copy that is written to; nil before the first change
	state   sync.Mutex   // guards what follows
	access  map[string]*access
	configs map[string]*pve.VMConfig
	relays  map[string]chan struct{}
	asked   map[string]uint64
	tasks   map[string]*task
	key     []byte // signs tickets
}

// RootToken is the token of a World without UserCfg: root@pam's, with all
// rights.
const RootToken = rootTokenID + "=" + rootTokenSecret

const (
	rootTokenID     = "root@pam!sim"
	rootTokenSecret = "00000000-0000-4000-8000-000000000000" // made up
)

// Authorization gives the value of the Authorization header for a token,
// USER@REALM!ID=SECRET.
func Authorization(token string) string { return "PVEAPIToken=" + token }

// Token gives a token of the World with its secret, USER@REALM!ID=SECRET.
func (w *World) Token(id string) string {
	if w.UserCfg == "" && id == rootTokenID {
		return RootToken
	}
	return id + "=" + w.Secrets[id]
}

// ServeHTTP answers as the entry node.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.serveAt(w, r, s.Entry) }

// At gives a handler that answers as another node. It shares faults and counters
// with the Server.
func (s *Server) At(node string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.serveAt(w, r, node) })
}

func (s *Server) serveAt(w http.ResponseWriter, r *http.Request, entry string) {
	s.serve(w, r, s.settings(), func(req *request) reply { return s.answer(req, entry) })
}

func (s *Server) settings() settings {
	s.world.RLock()
	defer s.world.RUnlock()
	return settings{
		keepAlive: cmp.Or(s.KeepAlive, defaultKeepAlive),
		idle:      orDefault(s.IdleTimeout, defaultIdle),
		auth:      orDefault(s.AuthDelay, defaultAuthDelay),
		mute:      orDefault(s.MuteDelay, defaultMuteDelay),
		release:   parseRelease(s.snapshot().Version),
	}
}

// emptyWorld is the zero World with the node that it stands for.
var emptyWorld = World{Nodes: []Node{{Name: "pve"}}}

// snapshot gives the World; the caller holds the lock.
func (s *Server) snapshot() *World {
	switch world := cmp.Or(s.own, s.World); {
	case world == nil:
		return &emptyWorld
	case len(world.Nodes) == 0:
		filled := *world
		filled.Nodes = emptyWorld.Nodes
		return &filled
	default:
		return world
	}
}

func (s *Server) now() time.Time {
	if s.Now != nil {
		return s.Now()
	}
	return time.Now()
}

// accessOf reads the access rules of a World once.
func (s *Server) accessOf(w *World, r release) *access {
	text := w.UserCfg
	if text == "" {
		text = "token:" + rootTokenID + ":0:0::\n"
	}
	s.state.Lock()
	defer s.state.Unlock()
	key := r.text + "\n" + text
	if s.access[key] == nil {
		s.access = map[string]*access{key: parseAccess(text, r)}
	}
	return s.access[key]
}

// config reads a VM's file once.
func (s *Server) config(text string) *pve.VMConfig {
	s.state.Lock()
	defer s.state.Unlock()
	if config, ok := s.configs[text]; ok {
		return config
	}
	if s.configs == nil || len(s.configs) > 10_000 {
		s.configs = map[string]*pve.VMConfig{}
	}
	config := pve.ParseVMConfig(text)
	s.configs[text] = &config
	return &config
}

// relay gives the places for requests passed on to a node; nil for any number.
func (s *Server) relay(node string) chan struct{} {
	limit := cmp.Or(s.RelayLimit, 3*4)
	if limit < 0 {
		return nil
	}
	s.state.Lock()
	defer s.state.Unlock()
	if s.relays == nil {
		s.relays = map[string]chan struct{}{}
	}
	if s.relays[node] == nil {
		s.relays[node] = make(chan struct{}, limit)
	}
	return s.relays[node]
}

// order gives the source of order for the next answer about a path: the same
// for the same Seed, path and number of requests before.
func (s *Server) order(path string) *rand.Rand {
	s.state.Lock()
	defer s.state.Unlock()
	if s.asked == nil {
		s.asked = map[string]uint64{}
	}
	s.asked[path]++
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(path))                                  // never fails
	return rand.New(rand.NewPCG(s.Seed^hash.Sum64(), s.asked[path])) //nolint:gosec // an order of lists needs no secrecy
}

// nodeNames gives the names of all nodes.
func (w *World) nodeNames() []string {
	names := make([]string, 0, len(w.Nodes))
	for i := range w.Nodes {
		names = append(names, w.Nodes[i].Name)
	}
	return names
}

// guest gives a guest by number, wherever it is; nil if there is none.
func (w *World) guest(vmid int) *Guest {
	i := slices.IndexFunc(w.Guests, func(g Guest) bool { return g.VMID == vmid })
	if i < 0 {
		return nil
	}
	return &w.Guests[i]
}
