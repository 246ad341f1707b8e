package atlas

import (
	"cmp"
	"slices"

	"pciatlas/internal/pci"
)

// IssueCode is the stable name of a kind of issue.
type IssueCode string

// The codes of issues.
const (
	IssueScopeUnproven     IssueCode = "vm_scope_unproven"
	IssueVMHidden          IssueCode = "vm_hidden"
	IssueVMUnreadable      IssueCode = "vm_unreadable"
	IssueVMLimit           IssueCode = "vm_limit_exceeded"
	IssueTimeBudget        IssueCode = "time_budget_exceeded"
	IssueCustomArgs        IssueCode = "vm_custom_args"
	IssueHookscript        IssueCode = "vm_hookscript"
	IssueHostPCIInvalid    IssueCode = "hostpci_invalid"
	IssueMappingNotFound   IssueCode = "mapping_not_found"
	IssueMappingInvisible  IssueCode = "mapping_invisible"
	IssueMappingNoEntry    IssueCode = "mapping_no_entry_for_node"
	IssueMappingAmbiguous  IssueCode = "mapping_ambiguous"
	IssueDevicesUnreadable IssueCode = "devices_unreadable"
	IssueNodeUnreachable   IssueCode = "node_unreachable"

	IssueContainerUnreadable IssueCode = "container_unreadable"
	IssueMdevTypesUnreadable IssueCode = "mdev_types_unreadable"
	IssuePolicyUnreadable    IssueCode = "policy_unreadable"
	IssueTooOld              IssueCode = "pve_too_old"
)

// Blocks tells whether an issue of this code makes a check incomplete.
func (c IssueCode) Blocks() bool {
	switch c {
	case IssueContainerUnreadable, IssueMdevTypesUnreadable, IssuePolicyUnreadable, IssueTooOld:
		return false
	default:
		return true
	}
}

// NoSlot stands for an issue that is about no slot.
const NoSlot = -1

// Issue is something that could not be read or resolved. VMID is 0, Slot NoSlot
// and Mapping empty where they do not apply.
type Issue struct {
	Code    IssueCode
	Node    string
	VMID    int
	Slot    int
	Mapping string
	// Limited: only Devices can be concerned; otherwise any device of the node.
	Limited bool
	Devices []pci.Address
	Message string
}

// Reaches tells whether the issue can concern a function.
func (i *Issue) Reaches(address pci.Address) bool {
	return !i.Limited || slices.Contains(i.Devices, address)
}

func compareIssues(a, b Issue) int {
	return cmp.Or(
		cmp.Compare(a.Code, b.Code),
		cmp.Compare(a.VMID, b.VMID),
		cmp.Compare(a.Slot, b.Slot),
		cmp.Compare(a.Mapping, b.Mapping),
		cmp.Compare(a.Message, b.Message),
	)
}
