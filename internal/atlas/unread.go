package atlas

import (
	"fmt"
	"slices"

	"pciatlas/internal/facts"
	"pciatlas/internal/pci"
)

// policyIssues are about policies of the cluster that were asked for and not read.
// What a Proxmox VE does not know it cannot tell; that is not the same as none.
func (b *builder) policyIssues() []Issue {
	var issues []Issue
	s := b.snapshot
	for _, policy := range []struct {
		what     string
		state    facts.ReadState
		problems []facts.Problem
	}{
		{"HA resources and rules", s.HA.State, s.HA.Problems},
		{"backup jobs", s.Backups.State, s.Backups.Problems},
		{"replication jobs", s.Replication.State, s.Replication.Problems},
	} {
		switch {
		case policy.state == facts.NotAsked || policy.state == facts.OK:
		case onlyUnsupported(policy.problems):
			issues = append(issues, Issue{Code: IssueTooOld, Slot: NoSlot, Message: fmt.Sprintf(
				"This Proxmox VE cannot tell all %s; %s", policy.what, policy.problems[0].Message)})
		default:
			issues = append(issues, Issue{Code: IssuePolicyUnreadable, Slot: NoSlot, Message: fmt.Sprintf(
				"The %s could not be read; %s", policy.what, firstMessage(supported(policy.problems), "no reason was given."))})
		}
	}
	return issues
}

// onlyUnsupported tells that nothing went wrong but that this Proxmox VE cannot tell.
func onlyUnsupported(problems []facts.Problem) bool {
	return len(problems) > 0 && len(supported(problems)) == 0
}

// supported gives the problems with what Proxmox VE could have told.
func supported(problems []facts.Problem) []facts.Problem {
	return slices.DeleteFunc(slices.Clone(problems), func(p facts.Problem) bool { return p.Code == facts.ProblemUnsupported })
}

// mdevIssues are about functions whose types of mediated device were asked for and
// not read: one issue for each reason.
func (b *nodeBuilder) mdevIssues() {
	unread := map[string][]pci.Address{}
	var reasons []string
	for i := range b.node.Devices {
		types := &b.node.Devices[i].Types
		if types.State == facts.NotAsked || types.State == facts.OK || onlyUnsupported(types.Problems) {
			continue
		}
		reason := firstMessage(supported(types.Problems), "no reason was given.")
		if unread[reason] == nil {
			reasons = append(reasons, reason)
		}
		unread[reason] = append(unread[reason], b.node.Devices[i].Address)
	}
	for _, reason := range reasons {
		functions := unread[reason]
		what := functions[0].String()
		if more := len(functions) - 1; more > 0 {
			what += fmt.Sprintf(" and %d more", more)
		}
		b.issue(Issue{
			Code: IssueMdevTypesUnreadable, Slot: NoSlot, Limited: true, Devices: functions,
			Message: fmt.Sprintf("The types of mediated device of %s could not be read completely; %s", what, reason),
		})
	}
}
