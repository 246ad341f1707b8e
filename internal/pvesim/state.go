package pvesim

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// Clone gives a copy that shares nothing that can be changed.
func (w *World) Clone() *World {
	if w == nil {
		return nil
	}
	c := *w
	c.Nodes = slices.Clone(w.Nodes)
	for i := range c.Nodes {
		c.Nodes[i].Devices = slices.Clone(c.Nodes[i].Devices)
		for d := range c.Nodes[i].Devices {
			device := &c.Nodes[i].Devices[d]
			device.MdevTypes = slices.Clone(device.MdevTypes)
		}
	}
	c.Storages = slices.Clone(w.Storages)
	for i := range c.Storages {
		c.Storages[i].Content = slices.Clone(c.Storages[i].Content)
	}
	c.Guests = slices.Clone(w.Guests)
	c.Files, c.Secrets, c.Accounts = maps.Clone(w.Files), maps.Clone(w.Secrets), maps.Clone(w.Accounts)
	return &c
}

// State gives a copy of the World as it is now, with all that was written.
func (s *Server) State() *World {
	s.world.RLock()
	defer s.world.RUnlock()
	return s.snapshot().Clone()
}

// Update changes the World while the server serves: no answer is made
// meanwhile. It changes the server's copy, like every write: another Server of
// the same World starts from its first state.
func (s *Server) Update(change func(*World)) {
	s.world.Lock()
	defer s.world.Unlock()
	change(s.writable())
}

// writable gives the World to change; the caller holds the lock for writing.
func (s *Server) writable() *World {
	if s.own == nil {
		s.own = cmp.Or(s.World.Clone(), &World{})
	}
	return s.own
}

// Start starts a VM, wherever it is: what is pending is applied, and it runs.
// Whether its devices are there is not looked at.
func (s *Server) Start(vmid int) error { return s.power(vmid, true) }

// Stop stops a VM wholly. PVE applies what is pending when it has ended.
func (s *Server) Stop(vmid int) error { return s.power(vmid, false) }

func (s *Server) power(vmid int, running bool) error {
	s.world.Lock()
	defer s.world.Unlock()
	guest := s.writable().guest(vmid)
	if guest == nil || guest.Kind != QEMU {
		return fmt.Errorf("there is no VM %d", vmid)
	}
	file := parseVMFile(guest.Config)
	if file.applyPending() {
		guest.Config = file.String()
	}
	guest.Running = running
	return nil
}
