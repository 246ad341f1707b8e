package hostfs

import (
	"errors"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"pciatlas/internal/facts"
)

const (
	runFolder  = "run/qemu-server"
	procFolder = "proc"
)

// pids tells which VMs of the local node run.
type pids struct {
	top   *folder
	limit int
	files map[string]bool
	// known: the folder of pid files could be listed, so that a VM without one does
	// not run.
	known bool
	// processes: the tree has a proc folder with processes in it, so that a pid
	// without process is left over.
	processes bool
}

// readPIDs lists the pid files. On a running node their folder may be missing
// while no VM was started; a copy of a tree without it tells nothing.
func (r *reader) readPIDs() pids {
	names, err := r.top.list(runFolder, r.limits.Entries)
	p := pids{
		top: r.top, limit: r.limits.SysFile, files: make(map[string]bool, len(names)),
		known: err == nil || (r.live && errors.Is(err, fs.ErrNotExist)),
	}
	for _, name := range names {
		p.files[name] = true
	}
	p.processes = r.hasProcesses()
	return p
}

func (r *reader) hasProcesses() bool {
	names, _ := r.top.list(procFolder, r.limits.Entries)
	return slices.ContainsFunc(names, func(name string) bool {
		_, ok := parsePID(name)
		return ok
	})
}

// status tells whether a VM of the local node runs.
func (p *pids) status(vmid int) facts.Status {
	name := strconv.Itoa(vmid) + ".pid"
	if !p.files[name] {
		if p.known {
			return facts.Stopped
		}
		return facts.UnknownStatus
	}
	text, err := p.top.read(runFolder+"/"+name, p.limit)
	if errors.Is(err, fs.ErrNotExist) {
		return facts.Stopped
	}
	if err != nil {
		return facts.UnknownStatus
	}
	pid, ok := parsePID(strings.TrimSuffix(text, "\n"))
	if !ok {
		return facts.Stopped
	}
	if !p.processes {
		return facts.Running
	}
	runs, err := p.top.there(procFolder + "/" + strconv.Itoa(pid))
	switch {
	case err != nil:
		return facts.UnknownStatus
	case runs:
		return facts.Running
	default:
		return facts.Stopped
	}
}

// parsePID reads the number of a process. Proxmox VE takes a pid file whose first
// line is a number and nothing else (PVE::QemuServer::Helpers).
func parsePID(s string) (int, bool) {
	line, _, _ := strings.Cut(s, "\n")
	pid, err := strconv.ParseUint(line, 10, 31)
	return int(pid), err == nil && pid > 0
}
