package rights

import "strings"

// fault is a path that breaks the proof. Held: the privilege is there, but it does
// not propagate to what lies below.
type fault struct {
	path string
	held bool
}

// reason says in one sentence what is wrong and what to do about it.
func (f fault) reason(what, privilege string) string {
	switch {
	case f.held:
		return privilege + " is held on " + f.path + " without propagation, so any " + what +
			" below may be hidden: grant it there with propagation."
	case f.path == rootPath:
		return privilege + " is not held on " + f.path + ", so any " + what +
			" may be hidden: grant it there with propagation, to the token and its user."
	default:
		return privilege + " is not held on " + f.path + ", so " + hidden(f.path, what) +
			" may be hidden: see with \"pveum acl list\" which rule on it takes the place of those above."
	}
}

// hidden names what may be out of sight if the privilege is missing on a path.
func hidden(path, what string) string {
	parent, name := path[:strings.LastIndexByte(path, '/')], path[strings.LastIndexByte(path, '/')+1:]
	switch {
	case parent == vmsPath:
		return "VM " + name
	case parent == pciPath:
		return "mapping " + name
	case path == poolPath:
		return "any VM of a pool"
	case strings.HasPrefix(path, poolPath+"/"):
		return "any VM of pool " + strings.TrimPrefix(path, poolPath+"/")
	default:
		return "any " + what + " below"
	}
}
