package main

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"pciatlas/internal/pvesim"
)

// Waits are shorter than those of Proxmox VE: a test tells them apart, and does
// not wait for long.
const (
	authDelay = 50 * time.Millisecond
	muteDelay = time.Second
)

// cluster is one simulated cluster on the network.
type cluster struct {
	front  *pvesim.TLSServer
	faults *pvesim.Instruments
	token  string
	server *pvesim.Server // nil for recorded answers, which do not change

	mu    sync.RWMutex
	entry string
}

// startCluster starts the world of a name.
func startCluster(name, cases string) (*cluster, error) {
	made, err := build(name, cases)
	if err != nil {
		return nil, err
	}
	c := &cluster{token: made.token}
	var handler http.Handler
	if made.recording != nil {
		handler, c.faults = made.recording, &made.recording.Instruments
	} else {
		c.server = &pvesim.Server{World: made.world, AuthDelay: authDelay, MuteDelay: muteDelay}
		c.entry = made.world.Nodes[0].Name
		handler, c.faults = http.HandlerFunc(c.serve), &c.server.Instruments
	}
	if c.front, err = pvesim.NewTLSServer(handler); err != nil {
		return nil, fmt.Errorf("start the world %s: %w", name, err)
	}
	return c, nil
}

// serve answers as the first node that runs.
func (c *cluster) serve(w http.ResponseWriter, r *http.Request) {
	c.mu.RLock()
	entry := c.entry
	c.mu.RUnlock()
	c.server.At(entry).ServeHTTP(w, r)
}

func (c *cluster) turnOff(node string) error {
	return c.change(node, func(w *pvesim.World) { w.Node(node).Offline = true })
}

func (c *cluster) removeNode(node string) error {
	return c.change(node, func(w *pvesim.World) {
		w.Nodes = slices.DeleteFunc(w.Nodes, func(n pvesim.Node) bool { return n.Name == node })
		w.Guests = slices.DeleteFunc(w.Guests, func(g pvesim.Guest) bool { return g.Node == node })
	})
}

// change changes the world and moves the entry to a node that runs. Without any,
// the cluster cannot be reached any more.
func (c *cluster) change(node string, how func(*pvesim.World)) error {
	if c.server == nil {
		return errors.New("recorded answers do not change")
	}
	known, entry := false, ""
	c.server.Update(func(w *pvesim.World) {
		if known = w.Node(node) != nil; !known {
			return
		}
		how(w)
		if i := slices.IndexFunc(w.Nodes, func(n pvesim.Node) bool { return !n.Offline }); i >= 0 {
			entry = w.Nodes[i].Name
		}
	})
	switch {
	case !known:
		return fmt.Errorf("there is no node %s", node)
	case entry == "":
		c.front.Close()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entry = entry
	return nil
}
