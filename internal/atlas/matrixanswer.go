package atlas

import (
	"time"

	"pciatlas/internal/facts"
	"pciatlas/internal/pci"
	"pciatlas/internal/pve"
)

// MatrixAnswer is the public JSON object of all mappings on all nodes. Null means not
// told or not applicable, an empty list means told and none.
type MatrixAnswer struct {
	Cluster string `json:"cluster"`
	// Read tells how the list of mappings was read; only ok is all of them, if Scope is
	// proven.
	Read     facts.ReadState   `json:"read"`
	Scope    ScopeState        `json:"scope"`
	Fault    *string           `json:"scope_fault"`
	Reason   *string           `json:"scope_reason"` // null: proven
	Nodes    []MatrixNode      `json:"nodes"`
	Mappings []MatrixMapping   `json:"mappings"` // null: not read
	Dropped  []pve.DroppedLine `json:"dropped_lines"`
}

// MatrixNode is a column.
type MatrixNode struct {
	Node string `json:"node"`
	// Known is false for a node that only entries name.
	Known       bool `json:"known"`
	DevicesRead bool `json:"devices_read"`
	Complete    bool `json:"complete"`
}

// MatrixMapping is a row.
type MatrixMapping struct {
	ID            string        `json:"id"`
	Description   *string       `json:"description"`
	Mdev          bool          `json:"mdev"`
	LiveMigration bool          `json:"live_migration_capable"`
	Models        []string      `json:"models"` // of its devices that are there; ids for those without a name
	Entries       int           `json:"entries"`
	VMs           int           `json:"vms"` // that name it in any phase, templates included
	Cells         []MatrixCell  `json:"cells"`
	Users         []MatrixUser  `json:"users"`
	Snapshots     []MatrixSaved `json:"snapshots"` // null: not all snapshots of all VMs were read
}

// MatrixCell is one mapping on one node.
type MatrixCell struct {
	Node     string        `json:"node"`
	Verdict  CellVerdict   `json:"verdict"`
	Entries  []MatrixEntry `json:"entries"`
	Capacity *int          `json:"capacity"` // null: not known
	Demand   MatrixDemand  `json:"demand"`
	// PVERead tells whether Proxmox VE's own check was asked for and read; PVE is what it
	// says, null if it says nothing, and PVEAt when it was asked.
	PVERead facts.ReadState `json:"pve_read"`
	PVE     []pve.Check     `json:"pve_checks"`
	PVEAt   *time.Time      `json:"pve_read_at"`
	Agrees  *bool           `json:"agrees"` // null: one of both says nothing
}

// MatrixEntry is one entry with what it gives.
type MatrixEntry struct {
	Number      int            `json:"number"`
	Map         string         `json:"map"`
	Path        string         `json:"path"`
	ID          string         `json:"id"`
	Group       *string        `json:"iommugroup"`
	Subsystem   *string        `json:"subsystem_id"`
	Description *string        `json:"description"`
	Devices     []MatrixDevice `json:"devices"` // null: the node's devices were not read
	Faults      []MatrixFault  `json:"faults"`
	Untold      bool           `json:"untold"`
}

// MatrixDevice is one function that an entry gives.
type MatrixDevice struct {
	Address    pci.Address `json:"address"`
	DeviceName *string     `json:"device_name"`
	ClassName  *string     `json:"class_name"`
}

// MatrixFault is one difference between an entry and the hardware.
type MatrixFault struct {
	Code       string  `json:"code" enum:"device-not-found,missing-property,unexpected-property,mismatch"`
	Property   *string `json:"property"` // null: the device is not there
	Device     string  `json:"device"`
	Actual     *string `json:"actual"` // null: absent
	Configured *string `json:"configured"`
	Message    string  `json:"message"` // Proxmox VE's sentence
}

// MatrixDemand counts the VMs of a node that refer to a mapping, each once, and the
// devices that they ask for.
type MatrixDemand struct {
	VMs       int `json:"vms"`
	Slots     int `json:"slots"`
	Running   int `json:"running"`
	Starting  int `json:"starting"`
	Stopped   int `json:"stopped"`
	Templates int `json:"templates"`
	Untold    int `json:"status_unknown"`
}

// MatrixUser is one line that names a mapping.
type MatrixUser struct {
	VMID     int          `json:"vmid"`
	Name     *string      `json:"name"`
	Node     string       `json:"node"`
	Status   facts.Status `json:"status"`
	Template bool         `json:"template"`
	Starts   *bool        `json:"starts_by_itself"` // null: not told
	Slot     string       `json:"slot"`
	Phase    Phase        `json:"phase"`
	MdevType *string      `json:"mdev_type"`
}

// MatrixSaved is one line of a snapshot that names a mapping.
type MatrixSaved struct {
	VMID     int    `json:"vmid"`
	Node     string `json:"node"`
	Snapshot string `json:"snapshot"`
	Slot     string `json:"slot"`
}

// MatrixAnswer gives the public object of all mappings.
func (r *Report) MatrixAnswer() MatrixAnswer {
	matrix := r.Matrix()
	answer := MatrixAnswer{
		Cluster: r.Cluster, Read: r.MappingsRead, Scope: r.MappingScope.State, Fault: orNil(r.MappingScope.Fault), Reason: orNil(r.MappingScope.Reason),
		Nodes: make([]MatrixNode, len(matrix.Nodes)), Dropped: append([]pve.DroppedLine{}, r.MappingLines...),
	}
	for i, name := range matrix.Nodes {
		answer.Nodes[i].Node = name
		if node := r.Node(name); node != nil {
			answer.Nodes[i].Known, answer.Nodes[i].DevicesRead, answer.Nodes[i].Complete = true, node.DevicesRead, node.Complete
		}
	}
	if r.MappingsRead.Answered() {
		answer.Mappings = make([]MatrixMapping, len(matrix.Rows))
		for i := range matrix.Rows {
			answer.Mappings[i] = r.answerRow(&matrix.Rows[i])
		}
	}
	return answer
}

func (r *Report) answerRow(row *MatrixRow) MatrixMapping {
	mapping := row.Mapping
	answer := MatrixMapping{
		ID: mapping.ID, Description: mapping.Description, Mdev: mapping.HasMdev(),
		LiveMigration: mapping.LiveMigration != nil && *mapping.LiveMigration,
		Models:        []string{}, Entries: len(mapping.Entries), Cells: make([]MatrixCell, len(row.Cells)),
		Users: make([]MatrixUser, len(row.Users)),
	}
	seen := map[string]bool{}
	for i := range row.Cells {
		answer.Cells[i] = r.answerCell(&row.Cells[i])
		for j := range row.Cells[i].Entries {
			for _, device := range row.Cells[i].Entries[j].Devices {
				if name := modelOf(device); device.IDs.Pair.String() == row.Cells[i].Entries[j].ID && !seen[name] {
					seen[name] = true
					answer.Models = append(answer.Models, name)
				}
			}
		}
	}
	vms := map[*VM]bool{}
	for i, user := range row.Users {
		vms[user.VM] = true
		answer.Users[i] = r.answerUser(user)
	}
	answer.VMs = len(vms)
	if row.SnapshotsRead {
		answer.Snapshots = make([]MatrixSaved, len(row.Snapshots))
		for i, saved := range row.Snapshots {
			answer.Snapshots[i] = MatrixSaved{saved.VM.VMID, saved.VM.Node, saved.Snapshot, pve.SlotKey(saved.Slot)}
		}
	}
	return answer
}

func modelOf(device *Device) string {
	if name := device.ReadableNames().Device; name != "" {
		return name
	}
	return device.IDs.Pair.String()
}

func (r *Report) answerUser(user MappingUser) MatrixUser {
	answer := MatrixUser{
		VMID: user.VM.VMID, Name: orNil(user.VM.Name), Node: user.VM.Node, Status: user.VM.Status, Template: user.VM.Template,
		Slot: pve.SlotKey(user.Slot), Phase: user.Phase, MdevType: orNil(user.Mdev),
	}
	if yes, told := r.StartsByItself(user.VM); told || yes {
		answer.Starts = &yes
	}
	return answer
}

func (r *Report) answerCell(cell *Cell) MatrixCell {
	answer := MatrixCell{
		Node: cell.Node, Verdict: cell.Verdict, Entries: make([]MatrixEntry, len(cell.Entries)), Capacity: cell.Capacity,
		Demand: MatrixDemand(cell.Demand), PVERead: cell.PVE.State, Agrees: cell.Agrees,
	}
	if at := cell.PVE.Stamp.From; !at.IsZero() {
		at = at.UTC().Truncate(time.Second)
		answer.PVEAt = &at
	}
	if cell.PVE.State.Answered() && cell.PVE.State == facts.OK {
		answer.PVE = append([]pve.Check{}, cell.PVE.Value...)
	}
	node := r.Node(cell.Node)
	for i := range cell.Entries {
		answer.Entries[i] = cell.Entries[i].answer(node != nil && node.DevicesRead)
	}
	return answer
}

func (e *CellEntry) answer(read bool) MatrixEntry {
	answer := MatrixEntry{
		Number: e.Number, Map: e.Entry.String(), Path: e.Path, ID: e.ID, Group: orNil(e.Group), Subsystem: orNil(e.Subsystem),
		Description: orNil(e.Description), Faults: make([]MatrixFault, len(e.Faults)), Untold: e.Untold,
	}
	if read {
		answer.Devices = make([]MatrixDevice, len(e.Devices))
	}
	for i := range answer.Devices {
		device := e.Devices[i]
		names := device.ReadableNames()
		answer.Devices[i] = MatrixDevice{device.Address, orNil(names.Device), orNil(names.Class)}
	}
	for i, fault := range e.Faults {
		answer.Faults[i] = MatrixFault{
			Code: fault.Code, Property: orNil(fault.Property), Device: fault.Device, Actual: orNil(fault.Actual),
			Configured: orNil(fault.Configured), Message: fault.Message,
		}
	}
	return answer
}
