package atlas

import (
	"fmt"
	"slices"

	"pciatlas/internal/facts"
)

// contact says how the reads of one node ended, where it was asked over the
// network.
type contact struct {
	answered int // reads that the node answered, whatever it said
	cut      int // reads without an answer from the node, or cut off by our time limit
	limited  int // VMs that were not asked for because of our limit
	first    facts.Problem
}

// contactOf counts the reads of a node.
func contactOf(read *facts.Node, vms []*VM) contact {
	var c contact
	c.count(read.Devices.State, read.Devices.Problems)
	for _, vm := range vms {
		if vm.read != facts.NotAsked {
			c.count(vm.read, vm.Unread)
		}
	}
	return c
}

func (c *contact) count(state facts.ReadState, problems []facts.Problem) {
	switch {
	case state.Answered():
		c.answered++
	case state == facts.NotAsked, hasProblem(problems, facts.ProblemPermission):
		// A refusal for want of rights comes before the node is asked.
	case hasProblem(problems, facts.ProblemLimit):
		c.limited++
	case isCut(problems):
		if c.cut == 0 {
			c.first = problems[0]
		}
		c.cut++
	default:
		c.answered++
	}
}

func hasProblem(problems []facts.Problem, code string) bool {
	return slices.ContainsFunc(problems, func(p facts.Problem) bool { return p.Code == code })
}

// isCut tells that nobody answered: the node is away, or the time was up.
func isCut(problems []facts.Problem) bool {
	return hasProblem(problems, facts.ProblemUnreachable) || hasProblem(problems, facts.ProblemTimeout)
}

// contactIssues makes one issue of many reads that failed for one reason.
func (b *nodeBuilder) contactIssues(c contact, vms []*VM) {
	switch {
	case c.cut > 0 && c.answered == 0:
		b.issue(Issue{Code: IssueNodeUnreachable, Slot: NoSlot, Message: fmt.Sprintf(
			"Node %s does not answer; %s: %s.", b.node.Name, c.first.Subject, c.first.Message)})
	case c.cut > 0:
		b.issue(Issue{Code: IssueTimeBudget, Slot: NoSlot, Message: fmt.Sprintf(
			"%d of %d reads of node %s ended without an answer from it; the first was %s: %s.",
			c.cut, c.cut+c.answered+c.limited, b.node.Name, c.first.Subject, c.first.Message)})
	}
	if c.limited > 0 {
		b.issue(Issue{Code: IssueVMLimit, Slot: NoSlot, Message: fmt.Sprintf(
			"%d of %d VMs of node %s were not read; that is the limit for one read.", c.limited, len(vms), b.node.Name)})
	}
}

// isCollected tells that a failure is part of one of the issues above.
func isCollected(problems []facts.Problem) bool {
	return isCut(problems) || hasProblem(problems, facts.ProblemLimit)
}
