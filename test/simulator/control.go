package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"pciatlas/internal/pvesim"
)

// control starts, changes and ends clusters.
type control struct {
	cases string // the folder of the scenarios

	mu       sync.Mutex
	clusters map[string]*cluster
	started  int
}

func newControl(cases string) *control {
	return &control{cases: cases, clusters: map[string]*cluster{}}
}

func (c *control) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /worlds", c.start)
	mux.HandleFunc("DELETE /worlds/{id}", c.end)
	mux.HandleFunc("POST /worlds/{id}/faults", c.with(addFault))
	mux.HandleFunc("DELETE /worlds/{id}/faults", c.with(func(cl *cluster, _ *http.Request) error {
		cl.faults.ClearFaults()
		return nil
	}))
	mux.HandleFunc("POST /worlds/{id}/nodes/{node}/off", c.with(func(cl *cluster, r *http.Request) error {
		return cl.turnOff(r.PathValue("node"))
	}))
	mux.HandleFunc("POST /worlds/{id}/nodes/{node}/remove", c.with(func(cl *cluster, r *http.Request) error {
		return cl.removeNode(r.PathValue("node"))
	}))
	mux.HandleFunc("POST /worlds/{id}/commands", c.command)
	return mux
}

// command runs a command line of pvesh or qm as root on a node of a cluster.
func (c *control) command(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	cl := c.clusters[r.PathValue("id")]
	c.mu.Unlock()
	if cl == nil || cl.server == nil {
		http.Error(w, "no such world, or one of recorded answers", http.StatusNotFound)
		return
	}
	cl.server.Commands().ServeHTTP(w, r)
}

func (c *control) start(w http.ResponseWriter, r *http.Request) {
	var wanted struct {
		World string `json:"world"`
	}
	if err := decode(r, &wanted); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	cl, err := startCluster(wanted.World, c.cases)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	c.mu.Lock()
	c.started++
	id := strconv.Itoa(c.started)
	c.clusters[id] = cl
	c.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusCreated)
	_ = json.NewEncoder(w).Encode(map[string]string{ // who asked may have gone
		"id": id, "endpoint": cl.front.URL, "fingerprint": cl.front.Fingerprint, "token": cl.token,
		"changing_token": pvesim.DemoTokenChanging, "root_password": pvesim.DemoRootPassword,
	})
}

func (c *control) end(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	cl := c.clusters[r.PathValue("id")]
	delete(c.clusters, r.PathValue("id"))
	c.mu.Unlock()
	if cl == nil {
		http.Error(w, "no such world", http.StatusNotFound)
		return
	}
	cl.front.Close()
	w.WriteHeader(http.StatusNoContent)
}

// with runs a change of the cluster that the path names.
func (c *control) with(change func(*cluster, *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c.mu.Lock()
		cl := c.clusters[r.PathValue("id")]
		c.mu.Unlock()
		if cl == nil {
			http.Error(w, "no such world", http.StatusNotFound)
			return
		}
		if err := change(cl, r); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	}
}

func (c *control) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, cl := range c.clusters {
		cl.front.Close()
	}
}

func addFault(cl *cluster, r *http.Request) error {
	var wanted struct {
		Kind    string `json:"kind"`
		Path    string `json:"path"`
		Node    string `json:"node"`
		Method  string `json:"method"`
		Effect  string `json:"effect"`
		Reason  string `json:"reason"`
		Skip    int    `json:"skip"`
		Times   int    `json:"times"`
		DelayMS int    `json:"delay_ms"`
	}
	if err := decode(r, &wanted); err != nil {
		return err
	}
	effect, known := map[string]pvesim.Effect{
		"": pvesim.EffectUsual, "done": pvesim.EffectDone, "lost": pvesim.EffectLost,
	}[wanted.Effect]
	if !known {
		return fmt.Errorf("no effect is called %q", wanted.Effect)
	}
	for _, kind := range pvesim.FaultKinds() {
		if kind.String() == wanted.Kind {
			cl.faults.Inject(&pvesim.Fault{
				Kind: kind, Path: wanted.Path, Node: wanted.Node, Method: wanted.Method, Effect: effect, Reason: wanted.Reason,
				Skip: wanted.Skip, Times: wanted.Times, Delay: time.Duration(wanted.DelayMS) * time.Millisecond,
			})
			return nil
		}
	}
	return fmt.Errorf("no fault is called %q", wanted.Kind)
}

func decode(r *http.Request, into any) error {
	decoder := json.NewDecoder(r.Body)
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return errors.Join(errors.New("the body is not as expected"), err)
	}
	return nil
}
