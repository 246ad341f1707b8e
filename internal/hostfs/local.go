package hostfs

import (
	"errors"
	"io/fs"
	"os"
	"strings"

	"pciatlas/internal/facts"
	"pciatlas/internal/pve"
)

const (
	localLink    = pveFolder + "/local"
	hostnameFile = "etc/hostname"

	// unnamed is the node's name if nothing tells it. The API of Proxmox VE takes
	// it for the node that answers, so no other node can be called that.
	unnamed = "localhost"
)

// localName tells which node the tree is of: the link etc/pve/local, .members,
// etc/hostname, on a live node the kernel's own name, and last the only folder
// of a node that there is. A name that no node can have is a problem. Told is
// false if none of them tells, and the name is then made up.
func (r *reader) localName(members string, nodes []string) (name string, told bool, problems []facts.Problem) {
	base, err := r.top.link(localLink)
	switch {
	case err == nil && pve.ValidNodeName(base):
		return base, true, nil
	case err == nil:
		problems = append(problems, problem(facts.ProblemMalformed, localLink, "is a link to something that is not a node"))
	case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission):
		problems = append(problems, problemOf(localLink, err))
	}
	if members != "" {
		return members, true, problems
	}
	text, err := r.top.read(hostnameFile, r.limits.SysFile)
	if name, ok := hostName(text); ok {
		return name, true, problems
	}
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		if err == nil {
			err = malformed("does not hold the name of a node")
		}
		problems = append(problems, problemOf(hostnameFile, err))
	}
	if r.live {
		host, _ := os.Hostname()
		if name, ok := hostName(host); ok {
			return name, true, problems
		}
	}
	if len(nodes) == 1 {
		return nodes[0], true, problems
	}
	return unnamed, false, append(problems, problem(facts.ProblemMissing, hostnameFile,
		"does not tell the name of this node, and nothing else does: it is called "+unnamed+" here"))
}

// hostName gives the first label of a host name, as Proxmox VE names its nodes
// (PVE::INotify::nodename).
func hostName(text string) (string, bool) {
	label, _, _ := strings.Cut(strings.TrimSpace(text), ".")
	return label, pve.ValidNodeName(label)
}
