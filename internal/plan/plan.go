package plan

import (
	"time"

	"pciatlas/internal/atlas"
	"pciatlas/internal/pve"
)

// Plan is the ordered steps that do what an intent asks for. It is a value: making
// one asks and changes nothing.
type Plan struct {
	Intent  Intent
	Cluster string
	// ReadAt is when the oldest read began that the plan was made from; zero if that is
	// not told.
	ReadAt time.Time
	// Confirm is what a person types before the plan is applied: the name of the
	// mapping, or of the VM (its number if it has no name).
	Confirm string
	Steps   []Step
	// Notes are what a person has to know before. One that stops keeps the plan from
	// being applied.
	Notes []Note
	// Findings are those of the two codes that only plans have.
	Findings []Finding
	// Users and Snapshots are the lines that refer to the mapping that the plan
	// changes, deletes or fixes.
	Users     []atlas.MappingUser
	Snapshots []atlas.SnapshotUser
}

// Action is what a step does.
type Action string

// The actions.
const (
	CreateMapping Action = "create_mapping"
	ChangeMapping Action = "change_mapping"
	DeleteMapping Action = "delete_mapping"
	SetVM         Action = "set_vm"     // hostpci lines of a VM
	RestartVM     Action = "restart_vm" // for a person to do, whenever it suits
)

// Step is one step of a plan. A step without Request is for a person to do.
type Step struct {
	Action Action
	// Mapping is the name for steps of mappings; Node, VMID and VMName are set for
	// steps of VMs. Running: the VM runs, so that the change is pending until a full
	// stop and start.
	Mapping string
	Node    string
	VMID    int
	VMName  string
	Running bool

	Request *Request
	// Undo is what takes the step back, nil if there is nothing to take back.
	Undo *Request
	// Commands are the same for a shell of a node.
	Command, UndoCommand string
	Needs                []Need
	Guard                Guard

	// Before and After are the mapping, nil where there is none.
	Before, After *pve.Mapping
	// Lines are the hostpci lines that the step changes, by slot.
	Lines []LineChange
}

// LineChange is one hostpci line before and after, as the VM's next start would find
// it.
type LineChange struct {
	Slot          int
	Before, After string
	// Functions are what both give the VM on its node, by address.
	Functions []Function
}

// Function is one function that a line gives.
type Function struct {
	Address string
	Class   string
}

// Request is a request to the API of Proxmox VE, below /api2/json.
type Request struct {
	Method string // POST, PUT or DELETE
	Node   string // the node that it is for, "" for the cluster
	Path   string
	Params []Param
}

// Param is one parameter; a list repeats the name.
type Param struct{ Name, Value string }

// Guard is what keeps a step from undoing somebody else's change.
type Guard struct {
	Kind GuardKind
	// Digest is of the file that the plan was made from, "" if that was not told.
	Digest string
}

// GuardKind says how a step is guarded.
type GuardKind string

// The guards.
const (
	// GuardFileDigest: Proxmox VE refuses the request if the file of all mappings is
	// not the one that the plan was made from.
	GuardFileDigest GuardKind = "file_digest"
	// GuardVMDigest: the same with the configuration file of the VM.
	GuardVMDigest GuardKind = "vm_digest"
	// GuardReadBack: Proxmox VE takes no digest. The file is read and compared right
	// before, and read after it; a race remains between the two.
	GuardReadBack GuardKind = "read_back"
	// GuardNone: nothing is sent.
	GuardNone GuardKind = "none"
)

// Need is what a credential needs for a step.
type Need struct {
	// Privilege on Path; both are "" for RootOnly.
	Privilege, Path string
	// RootOnly: Proxmox VE lets only the user root@pam do it, never a token.
	RootOnly RootReason
	// Held: the credential that the facts were read with has it; nil if that cannot
	// be told.
	Held *bool
}

// RootReason says why only root@pam may do something.
type RootReason string

// The reasons.
const (
	RootRawLine RootReason = "raw_line" // the line that is there, or that is written, names an address
	RootROMFile RootReason = "romfile"  // a line has a ROM file
)

// Note is what a person has to know of a plan. Code and Params say the same as
// Sentence, and Params hold no language.
type Note struct {
	Code     NoteCode
	Sentence string
	Params   map[string]string
	// Stops: the plan is not applied. Forceable: with Force it would be.
	Stops, Forceable bool
}

// NoteCode is the stable code of a note.
type NoteCode string

// The codes.
const (
	NoteNothing        NoteCode = "nothing_to_do"
	NoteInUse          NoteCode = "mapping_in_use"
	NoteUsersUntold    NoteCode = "users_not_all_read"
	NoteMappingsUnread NoteCode = "mappings_not_read"
	NoteMappingsHidden NoteCode = "mappings_may_be_hidden"
	NoteNoMapping      NoteCode = "mapping_not_there"
	NoteNoEntry        NoteCode = "no_entry_for_node"
	NoteEntryFaulty    NoteCode = "entry_does_not_fit"
	NoteEntryUntold    NoteCode = "entry_not_compared"
	NoteNoVM           NoteCode = "vm_not_there"
	NoteVMUnread       NoteCode = "vm_not_read"
	NoteVMLocked       NoteCode = "vm_locked"
	NoteNoDevice       NoteCode = "device_not_there"
	NoteDevicesUnread  NoteCode = "devices_not_read"
	NoteOtherFunctions NoteCode = "functions_differ"
	NoteMayGetOther    NoteCode = "may_get_another"
	NoteNoValidEntry   NoteCode = "no_valid_entry"
	NoteLineUnclear    NoteCode = "line_not_understood"
	NoteSnapshotHolds  NoteCode = "snapshot_holds_line"
	NoteNotFound       NoteCode = "old_address_not_found"
	NoteRefused        NoteCode = "request_refused"
	NoteDeviceDiffers  NoteCode = "new_device_differs"
	NoteLosesLines     NoteCode = "file_loses_lines"
	NoteLosesVMLines   NoteCode = "vm_loses_lines"
	NoteLiveFlag       NoteCode = "live_flag"
	NoteOtherSize      NoteCode = "size_differs"
)

// NoteCodes are all of them.
func NoteCodes() []NoteCode {
	return []NoteCode{
		NoteNothing, NoteInUse, NoteUsersUntold, NoteMappingsUnread, NoteMappingsHidden, NoteNoMapping, NoteNoEntry,
		NoteEntryFaulty, NoteEntryUntold, NoteNoVM, NoteVMUnread, NoteVMLocked, NoteNoDevice, NoteDevicesUnread,
		NoteOtherFunctions, NoteMayGetOther, NoteNoValidEntry, NoteLineUnclear, NoteSnapshotHolds, NoteNotFound,
		NoteRefused, NoteDeviceDiffers, NoteLosesLines, NoteLosesVMLines, NoteLiveFlag, NoteOtherSize,
	}
}

// Finding is a finding about a plan. Its code and its form are those of package
// findings, which documents it.
type Finding struct {
	Code     string
	Severity string // error or warning
	Node     string
	VMID     int
	Slot     string
	Mapping  string
	Sentence string
	Params   map[string]string
	Evidence []string
	Remedy   []string
}

// The codes of findings about plans.
const (
	FindingRequestRefused      = "mapping-request-refused"
	FindingChangedWhileRunning = "mapping-changed-while-running"
)

// Stopped tells whether a note keeps the plan from being applied.
func (p *Plan) Stopped() bool {
	for i := range p.Notes {
		if p.Notes[i].Stops {
			return true
		}
	}
	return false
}

// Writes counts the steps that send something.
func (p *Plan) Writes() int {
	count := 0
	for i := range p.Steps {
		if p.Steps[i].Request != nil {
			count++
		}
	}
	return count
}

// RootOnly tells whether a step may be done by the user root@pam alone.
func (p *Plan) RootOnly() bool {
	for i := range p.Steps {
		for _, need := range p.Steps[i].Needs {
			if need.RootOnly != "" {
				return true
			}
		}
	}
	return false
}

// May tells whether the credential that the facts were read with may do all steps,
// nil if that is not told.
func (p *Plan) May() *bool {
	yes, told := true, true
	for i := range p.Steps {
		for _, need := range p.Steps[i].Needs {
			switch {
			case need.Held == nil:
				told = false
			case !*need.Held:
				return new(false)
			}
		}
	}
	if !told {
		return nil
	}
	return &yes
}
