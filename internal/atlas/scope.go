package atlas

import (
	"pciatlas/internal/facts"
)

// ScopeState says how sure it is that all VMs were visible.
type ScopeState string

// The states of scope.
const (
	Proven   ScopeState = "proven"
	Assumed  ScopeState = "assumed" // nothing speaks against it, but it cannot be proven
	Unproven ScopeState = "unproven"
)

// Scope says how sure it is that all VMs of a node were visible, and why not.
// Fault names what breaks the proof: a path of the permission tree or of the
// file system; it is empty for Proven.
type Scope struct {
	State  ScopeState
	Fault  string
	Reason string
}

// fileScope applies the rules for the cluster file system.
func fileScope(files facts.Read[facts.ClusterFiles], guests facts.Read[[]facts.Guest]) Scope {
	switch {
	case !files.State.Answered() || !files.Value.Populated:
		return Scope{Unproven, "etc/pve", firstMessage(files.Problems,
			"The cluster file system is not mounted: etc/pve is empty, so no VM can be seen.")}
	case guests.State != facts.OK:
		return Scope{Unproven, firstSubject(guests.Problems, "etc/pve/nodes"), firstMessage(guests.Problems,
			"The list of VM configurations could not be read completely.")}
	case !files.Value.Mounted:
		return Scope{
			Assumed, "etc/pve/.members",
			"The files are a copy: nothing in them shows that they were complete.",
		}
	case !files.Value.Quorate.Told:
		return Scope{Assumed, "etc/pve/.members", "Whether the cluster is quorate could not be read."}
	case !files.Value.Quorate.Value:
		return Scope{Assumed, "etc/pve/.members", "The cluster is not quorate: the files may be old."}
	default:
		return Scope{State: Proven}
	}
}

func firstMessage(problems []facts.Problem, otherwise string) string {
	if len(problems) > 0 {
		return problems[0].Message
	}
	return otherwise
}

func firstSubject(problems []facts.Problem, otherwise string) string {
	if len(problems) > 0 && problems[0].Subject != "" {
		return problems[0].Subject
	}
	return otherwise
}
