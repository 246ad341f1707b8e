package atlas

import "cmp"

// decideState applies the rules of a device's state: exact references first,
// then candidates, then what is unread or unresolved.
func decideState(node *Node, device *Device) {
	vm, several := (*VM)(nil), false
	for i := range device.References {
		reference := &device.References[i]
		if reference.Certainty != Exact {
			continue
		}
		several = several || vm != nil && vm != reference.VM
		vm = reference.VM
	}
	switch {
	case several:
		device.State = MultiReferenced
		return
	case vm != nil:
		device.State = Referenced
		return
	}
	device.Review = reviewOf(node, device)
	if len(device.Review) > 0 || !node.Complete && !hasBlockingIssue(node) {
		device.State = NeedsReview
		return
	}
	device.State = Unreferenced
}

// reviewOf collects what could concern a device that no line names exactly.
func reviewOf(node *Node, device *Device) []Review {
	var reviews []Review
	for i := range device.References {
		line := device.References[i].Line
		reviews = append(reviews, Review{Mapping: line.Mapping, Line: line})
	}
	for i := range node.Issues {
		issue := &node.Issues[i]
		if issue.Code.Blocks() && issue.Reaches(device.Address) {
			reviews = append(reviews, Review{Issue: issue})
		}
	}
	return reviews
}

func hasBlockingIssue(node *Node) bool {
	for i := range node.Issues {
		if node.Issues[i].Code.Blocks() {
			return true
		}
	}
	return false
}

func phaseOrder(p Phase) int {
	switch p {
	case Current:
		return 0
	case Pending:
		return 1
	default:
		return 2
	}
}

func compareLines(a, b *Line) int {
	return cmp.Or(
		cmp.Compare(a.VM.VMID, b.VM.VMID),
		cmp.Compare(a.Slot, b.Slot),
		cmp.Compare(phaseOrder(a.Phase), phaseOrder(b.Phase)),
	)
}

func compareReferences(a, b Reference) int { return compareLines(a.Line, b.Line) }

func compareUnplaced(a, b Unplaced) int {
	return cmp.Or(compareLines(a.Line, b.Line), cmp.Compare(a.Selector, b.Selector))
}
