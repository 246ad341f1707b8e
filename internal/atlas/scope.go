package atlas

import (
	"fmt"

	"pciatlas/internal/facts"
	"pciatlas/internal/rights"
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

// scopes decides how sure it is that all VMs and all mappings were visible. Files
// show everything; over the API it is decided from the credential's rights.
func (b *builder) scopes() {
	s := b.snapshot
	if s.Files.State != facts.NotAsked || s.Rights.State == facts.NotAsked {
		b.scope = fileScope(s.Files, s.Guests)
		b.report.MappingScope = readScope(s.Mappings.State, s.Mappings.Problems, "etc/pve/mapping/pci.cfg")
		return
	}
	b.scope = rightsScope(s.Rights, rights.VMs, s.Guests.State, s.Guests.Problems)
	b.report.MappingScope = rightsScope(s.Rights, rights.Mappings, s.Mappings.State, s.Mappings.Problems)
}

// rightsScope applies the rules for a credential of the API, to a list that was
// read with it.
func rightsScope(read facts.Read[facts.Rights], judge func(rights.Shown) rights.Verdict, list facts.ReadState, problems []facts.Problem) Scope {
	if read.State != facts.OK {
		return Scope{Unproven, "/access/permissions", firstMessage(read.Problems, "The rights of the credential could not be read.")}
	}
	if list != facts.OK {
		return readScope(list, problems, "the list")
	}
	verdict := judge(ShownRights(&read.Value))
	return Scope{ScopeState(verdict.State), verdict.Fault, verdict.Reason}
}

// ShownRights gives the rights in the form that they are judged in.
func ShownRights(r *facts.Rights) rights.Shown {
	return rights.Shown{
		User: r.User, Permissions: r.Permissions, Rules: r.ACL.Value, RulesWhole: r.ACL.State == facts.OK,
	}
}

// readScope judges a list by how its reading ended alone.
func readScope(state facts.ReadState, problems []facts.Problem, subject string) Scope {
	if state == facts.OK {
		return Scope{State: Proven}
	}
	return Scope{Unproven, firstSubject(problems, subject), firstMessage(problems, "The list could not be read completely.")}
}

// clusterIssues are those that concern every node alike.
func (b *builder) clusterIssues() []Issue {
	var issues []Issue
	s := b.snapshot
	if b.scope.State == Unproven {
		issues = append(issues, Issue{Code: IssueScopeUnproven, Slot: NoSlot, Message: fmt.Sprintf(
			"It is not proven that all VMs were visible (%s); %s", b.scope.Fault, b.scope.Reason)})
	}
	if b.scope.State != Unproven && s.Members.State != facts.OK && s.Members.State != facts.NotAsked {
		issues = append(issues, Issue{Code: IssueDevicesUnreadable, Slot: NoSlot, Message: "The list of nodes could not be read completely, " +
			"so nodes with their devices may be missing here; " + firstMessage(s.Members.Problems, "no reason was given.")})
	}
	for _, mention := range s.Mentions.Value {
		switch {
		case !mention.Hidden():
		case mention.Taken.Told:
			issues = append(issues, Issue{Code: IssueVMHidden, VMID: mention.VMID, Slot: NoSlot, Message: fmt.Sprintf(
				"Guest %d is out of sight; it was met in: %s.", mention.VMID, mention.Where)})
		default:
			issues = append(issues, Issue{Code: IssueVMHidden, VMID: mention.VMID, Slot: NoSlot, Message: fmt.Sprintf(
				"Guest %d may be out of sight; it was met in: %s, and whether it exists could not be told.", mention.VMID, mention.Where)})
		}
	}
	if more := s.Mentions.Total - s.Mentions.Got; s.Mentions.State == facts.Partial && more > 0 {
		issues = append(issues, Issue{Code: IssueVMHidden, Slot: NoSlot, Message: fmt.Sprintf(
			"%d of %d numbers of guests that were met elsewhere were not asked after; such guests may be out of sight.", more, s.Mentions.Total)})
	}
	issues = append(issues, b.movingVMs()...)
	if s.Version.State == facts.OK && !s.Version.Value.AtLeast(8, 0, 0) {
		issues = append(issues, Issue{Code: IssueTooOld, Slot: NoSlot, Message: fmt.Sprintf(
			"Proxmox VE %s has no resource mappings; they exist since 8.0.", s.Version.Value)})
	}
	return append(issues, b.policyIssues()...)
}

// movingVMs are VMs whose files were on no node each time they were looked for.
// They may be on any by now. Over the API the node that lists a VM answers for it.
func (b *builder) movingVMs() []Issue {
	var issues []Issue
	for _, node := range b.snapshot.Nodes {
		for vmid, read := range node.VMs {
			if isMoving(read.State, read.Stamp, read.Problems) {
				issues = append(issues, Issue{Code: IssueVMUnreadable, VMID: vmid, Slot: NoSlot, Message: fmt.Sprintf(
					"The configuration of VM %d could not be read; %s", vmid, read.Problems[0].Message)})
			}
		}
	}
	return issues
}

func isMoving(state facts.ReadState, stamp facts.Stamp, problems []facts.Problem) bool {
	return state == facts.Failed && stamp.Source == facts.SourceHost && hasProblem(problems, facts.ProblemVanished)
}

// mappingsShown tells whether a mapping that is not in the list does not exist.
func (b *builder) mappingsShown() bool { return b.report.MappingScope.State == Proven }

// ReasonCopy is the reason of the scope of files without any sign of a running
// cluster file system.
const ReasonCopy = "The files are a copy: nothing in them shows that they were complete."

// fileScope applies the rules for the cluster file system.
func fileScope(files facts.Read[facts.ClusterFiles], guests facts.Read[[]facts.Guest]) Scope {
	switch {
	case !files.State.Answered() || !files.Value.Populated:
		return Scope{Unproven, "etc/pve", firstMessage(files.Problems,
			"The cluster file system is not mounted: etc/pve is empty, so no VM can be seen.")}
	case guests.State != facts.OK:
		return Scope{Unproven, firstSubject(guests.Problems, "etc/pve/nodes"), firstMessage(guests.Problems,
			"The list of VM configurations could not be read completely.")}
	case files.State != facts.OK:
		return Scope{Assumed, firstSubject(files.Problems, "etc/pve"), firstMessage(files.Problems,
			"What shows that the files are complete could not be read.")}
	case !files.Value.Mounted:
		return Scope{
			Assumed, "etc/pve/.members", ReasonCopy,
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
