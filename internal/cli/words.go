package cli

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"pciatlas/internal/atlas"
	"pciatlas/internal/pci"
)

// stateWord gives the words for a state, the same as in the console.
func stateWord(state atlas.State) string {
	switch state {
	case atlas.Referenced:
		return "Referenced"
	case atlas.MultiReferenced:
		return "Several VMs"
	case atlas.Unreferenced:
		return "No reference found"
	default:
		return "Needs review"
	}
}

// stateOrder gives the place of a state in tables for people.
func stateOrder(state atlas.State) int {
	switch state {
	case atlas.MultiReferenced:
		return 0
	case atlas.NeedsReview:
		return 1
	case atlas.Referenced:
		return 2
	default:
		return 3
	}
}

func phaseWord(phase atlas.Phase) string {
	switch phase {
	case atlas.Pending:
		return "pending"
	case atlas.PendingRemoval:
		return "to be removed"
	default:
		return ""
	}
}

func reasonWord(reason atlas.Reason) string {
	switch reason {
	case atlas.DeviceNotPresent:
		return "no such device"
	case atlas.MappingNotFound:
		return "no such mapping"
	case atlas.MappingInvisible:
		return "mapping not visible"
	case atlas.MappingNoEntryForNode:
		return "mapping has no entry for this node"
	default:
		return "devices not read"
	}
}

// modelName gives the short name that people use for a device: what stands in
// brackets in the list of names, else the whole name, else the ids.
func modelName(names pci.Names, ids pci.IDs) string {
	name := names.Device
	if open := strings.LastIndexByte(name, '['); open >= 0 && strings.HasSuffix(name, "]") {
		name = name[open+1 : len(name)-1]
	}
	switch {
	case name != "":
		return name
	case names.Vendor != "":
		return names.Vendor + " " + ids.Device.String()
	default:
		return ids.String()
	}
}

// vmLabel names a VM in lists: its number, then its name.
func vmLabel(vm *atlas.VM) string {
	label := fmt.Sprintf("%d", vm.VMID)
	if vm.Name != "" {
		label += " " + vm.Name
	}
	return label
}

// clean makes text from files harmless for a line on a terminal: control characters,
// line breaks among them, and characters that change the direction of writing are
// shown, not sent.
func clean(s string) string { return cleanBut(s, unprintable) }

// cleanLines does the same, but for the line breaks of the program itself.
func cleanLines(s string) string {
	return cleanBut(s, func(r rune) bool { return r != '\n' && unprintable(r) })
}

func cleanBut(s string, unprintable func(rune) bool) string {
	if strings.IndexFunc(s, unprintable) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if unprintable(r) {
			fmt.Fprintf(&b, "\\u%04x", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func unprintable(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) ||
		r == unicode.ReplacementChar || r >= 0x2028 && r <= 0x2029
}

// issueReason gives an issue as a part of the scope line: its sentence up to the
// first semicolon, without the full stop.
func issueReason(issue *atlas.Issue) string {
	reason, _, _ := strings.Cut(issue.Message, ";")
	return clean(strings.TrimSuffix(reason, "."))
}

// maxReasons is how many reasons a scope line gives before it counts the rest.
const maxReasons = 4

// scopeLine says how much was checked and why the check is incomplete.
func scopeLine(node *atlas.Node) string { return strings.Join(scopeParts(node), " · ") }

// scopeParts gives the parts of the scope line, between which it may be broken.
func scopeParts(node *atlas.Node) []string {
	checked := fmt.Sprintf("%d of %d visible VMs checked", node.CheckedVMs, node.VisibleVMs)
	if node.Scope.State == atlas.Assumed {
		checked += ", " + assumption(node)
	}
	if node.Complete {
		return append([]string{checked, "complete"}, unreadParts(node)...)
	}
	reasons := incompleteReasons(node)
	reasons[0] = "incomplete: " + reasons[0]
	return slices.Concat([]string{checked}, reasons, unreadParts(node))
}

// unreadParts says what else could not be read, which does not concern who names a
// device but what follows from it.
func unreadParts(node *atlas.Node) []string {
	var parts []string
	for i := range node.Issues {
		if issue := &node.Issues[i]; !issue.Code.Blocks() && isReadFailure(issue.Code) {
			parts = append(parts, issueReason(issue))
		}
	}
	if len(parts) > maxReasons {
		more := fmt.Sprintf("and %d more (see -o wide)", len(parts)-maxReasons)
		parts = append(parts[:maxReasons], more)
	}
	return parts
}

// assumption says what an assumed scope rests on.
func assumption(node *atlas.Node) string {
	if node.Source == atlas.SourceAPI || strings.HasPrefix(node.Scope.Fault, "/") {
		return "as far as PVE shows this token"
	}
	words := "as far as these files show"
	if reason := node.Scope.Reason; reason != "" && reason != atlas.ReasonCopy {
		words += " (" + clean(strings.TrimSuffix(reason, ".")) + ")"
	}
	return words
}

func incompleteReasons(node *atlas.Node) []string {
	var reasons []string
	if !node.DevicesRead && !hasIssue(node, atlas.IssueDevicesUnreadable) && !hasIssue(node, atlas.IssueNodeUnreachable) {
		reasons = append(reasons, "the devices of "+node.Name+" were not read")
	}
	seen := map[string]bool{}
	more := 0
	for i := range node.Issues {
		reason := issueReason(&node.Issues[i])
		if !node.Issues[i].Code.Blocks() || seen[reason] {
			continue
		}
		seen[reason] = true
		if len(reasons) < maxReasons {
			reasons = append(reasons, reason)
		} else {
			more++
		}
	}
	if more > 0 {
		reasons = append(reasons, fmt.Sprintf("and %d more (see -o wide)", more))
	}
	return reasons
}

func hasIssue(node *atlas.Node, code atlas.IssueCode) bool {
	for i := range node.Issues {
		if node.Issues[i].Code == code {
			return true
		}
	}
	return false
}
