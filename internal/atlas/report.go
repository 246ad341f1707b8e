// Package atlas computes the Report of a Snapshot: who refers to which device,
// how sure that is, and what could not be told. It is a pure function of the
// Snapshot; it may import facts, rights, pve and pci, and everything that
// presents or judges imports it.
package atlas

import (
	"time"

	"pciatlas/internal/facts"
	"pciatlas/internal/pci"
	"pciatlas/internal/pve"
)

// Report is what follows from a Snapshot. It shares memory with the Snapshot and
// must not be changed.
type Report struct {
	// Facts are what the report was computed from.
	Facts   *facts.Snapshot
	Cluster string
	// Nodes are all nodes that were read or named, sorted by name.
	Nodes []Node
	// VMs are all VMs that the source shows, sorted by number and node.
	VMs []*VM
	// Mappings are the resource mappings that the source shows; see
	// MappingsRead for what their absence means.
	Mappings     []pve.Mapping
	MappingsRead facts.ReadState
	// MappingScope says how sure it is that all mappings are shown.
	MappingScope Scope
	// MappingLines are the lines of the mapping file that Proxmox VE drops; only
	// files tell.
	MappingLines []pve.DroppedLine
}

// Node is the answer for one node.
type Node struct {
	Name string
	// ReadAt is when the first read that concerns the node began; zero if nothing
	// was read.
	ReadAt time.Time
	Source Source
	Scope  Scope
	// Complete: the device list was read, the scope is not unproven, and no issue
	// blocks.
	Complete bool
	// VisibleVMs counts the VMs that the source shows on the node, templates
	// included; CheckedVMs those whose configuration was read.
	VisibleVMs int
	CheckedVMs int
	Issues     []Issue
	// DevicesRead tells whether the device list was read; if not, Devices is nil.
	DevicesRead bool
	// Devices are all functions of the node, sorted by address.
	Devices []Device
	// Unplaced are the references that land on no device.
	Unplaced []Unplaced
	// Containers are those whose configuration gives them device files of GPUs, by
	// number. They are known only as far as containers were asked for.
	Containers []Container
}

// Source says which ways of reading a node's answer rests on.
type Source string

// The sources of an answer.
const (
	SourceAPI      Source = "api"
	SourceHost     Source = "host"
	SourceSnapshot Source = "snapshot"
	SourceMerged   Source = "merged"
)

// VM is one VM with what is known of it.
type VM struct {
	VMID     int
	Node     string
	Name     string // "" if not told
	Status   facts.Status
	Template bool
	Tags     []string
	// Config is nil if the configuration was not read. Unread says why, or, beside
	// a configuration, what of it could not be read.
	Config *facts.VMConfig
	Unread []facts.Problem
	// FromFile: the configuration was read from its file, so lines that Proxmox VE
	// drops are known.
	FromFile bool

	read   facts.ReadState
	moving bool // on no node when it was looked for
}

// State of a device, one of exactly four.
type State string

// The states of a device.
const (
	// Referenced: exactly one VM names it.
	Referenced State = "referenced"
	// MultiReferenced: two or more VMs name it.
	MultiReferenced State = "multi_referenced"
	// Unreferenced: no VM that was checked names it, and nothing unread could
	// concern it. That does not mean it can be assigned.
	Unreferenced State = "unreferenced"
	// NeedsReview: no exact reference was found, and something unread or
	// unresolved could concern it.
	NeedsReview State = "needs_review"
)

// Device is one function of a node with its references.
type Device struct {
	*facts.Device
	// Types are the types of mediated device that the function offers.
	Types      facts.Read[[]facts.MdevType]
	State      State
	References []Reference
	// Review says what keeps a device in NeedsReview.
	Review []Review
}

// Phase of a reference.
type Phase string

// The phases.
const (
	Current        Phase = "current"
	Pending        Phase = "pending"         // from the next full stop and start on
	PendingRemoval Phase = "pending_removal" // current until then
)

// Via says how a reference names its device.
type Via string

// The ways to name a device.
const (
	ViaAddress Via = "address"
	ViaMapping Via = "mapping"
)

// Certainty of a reference.
type Certainty string

// The certainties. A candidate is one of several entries of a mapping on the
// node: which of them the VM gets is decided at its start.
const (
	Exact     Certainty = "exact"
	Candidate Certainty = "candidate"
)

// Line is one value of one hostpciN of one VM: what references come from.
type Line struct {
	VM      *VM
	Slot    int
	Phase   Phase
	Via     Via
	Mapping string // "" unless via mapping
	Mdev    string // type of mediated device, "" for none
	Raw     string // the value as it stands in the configuration
	Value   pve.HostPCI
	// Next: the line is in effect from the VM's next start on. It is not if it is
	// to be removed, or if a pending value that Proxmox VE can read replaces it.
	Next bool
}

// Counts tells whether the line can hold a function now or after the next start
// of its VM. Those of templates never do.
func (l *Line) Counts() bool {
	return !l.VM.Template && (l.Next || l.Phase != Pending && l.VM.Status != facts.Stopped)
}

// TakesGroups tells whether the next start of the VM binds the whole IOMMU groups
// of what the line names: mediated devices need none, and with driver=keep
// Proxmox VE binds nothing.
func (l *Line) TakesGroups() bool {
	return !l.VM.Template && l.Next && l.Mdev == "" && l.Value.Driver != "keep"
}

// Reference is one line that names one function.
type Reference struct {
	*Line
	Certainty Certainty
	// Selector is the first part of the line or path that names the function, as
	// written there.
	Selector string
}

// Reason why a reference lands on no device.
type Reason string

// The reasons.
const (
	DeviceNotPresent      Reason = "device_not_present"
	MappingNotFound       Reason = "mapping_not_found"
	MappingInvisible      Reason = "mapping_invisible"
	MappingNoEntryForNode Reason = "mapping_no_entry_for_node"
	DevicesNotRead        Reason = "devices_not_read"
)

// Unplaced is one part of a line that lands on no device. Selector is empty
// where the mapping itself is the fault.
type Unplaced struct {
	*Line
	Certainty Certainty
	Selector  string
	Reason    Reason
}

// Review is one thing that keeps a device from being called unreferenced: an
// issue, or a mapping that may give it to a VM.
type Review struct {
	Issue   *Issue // nil for a mapping
	Mapping string
	Line    *Line // the line that uses the mapping; nil for an issue
}

// FromSnapshot marks the answers as coming from a snapshot file.
func (r *Report) FromSnapshot() {
	for i := range r.Nodes {
		r.Nodes[i].Source = SourceSnapshot
	}
}

// Node gives the answer for a node, nil if there is none of that name.
func (r *Report) Node(name string) *Node {
	for i := range r.Nodes {
		if r.Nodes[i].Name == name {
			return &r.Nodes[i]
		}
	}
	return nil
}

// Device gives a function of the node, nil if it is not there.
func (n *Node) Device(address pci.Address) *Device {
	i, found := findDevice(n.Devices, address)
	if !found {
		return nil
	}
	return &n.Devices[i]
}
