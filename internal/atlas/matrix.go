package atlas

import (
	"slices"
	"strings"

	"pciatlas/internal/facts"
	"pciatlas/internal/pci"
	"pciatlas/internal/pve"
)

// CellVerdict says what a mapping is worth on a node.
type CellVerdict string

// The verdicts.
const (
	CellOK      CellVerdict = "ok"      // every entry for the node fits its hardware
	CellInvalid CellVerdict = "invalid" // an entry does not, so no VM with the mapping starts there
	CellMissing CellVerdict = "missing" // there is no entry for the node
	// CellUnreadable: what the entries have to be compared with was not all read, and
	// nothing that was read is at fault.
	CellUnreadable CellVerdict = "unreadable"
)

// Matrix is all mappings on all nodes.
type Matrix struct {
	// Nodes are the columns, by name: all nodes, and those besides that only entries
	// name.
	Nodes []string
	// Rows are by the name of the mapping.
	Rows []MatrixRow
}

// MatrixRow is one mapping.
type MatrixRow struct {
	Mapping *pve.Mapping
	Cells   []Cell // one for each of Matrix.Nodes
	// Users are the lines of all VMs that name the mapping, by VM, slot and phase.
	Users []MappingUser
	// Snapshots are the lines of snapshots that do. SnapshotsRead: all snapshots of all
	// VMs that were seen were read.
	Snapshots     []SnapshotUser
	SnapshotsRead bool
}

// Cell is one mapping on one node.
type Cell struct {
	Node    string
	Verdict CellVerdict
	// Known: the cluster has a node of this name, as far as its nodes were read.
	Known   bool
	Entries []CellEntry
	// Capacity is how many VMs can have a device at a time: distinct devices of valid
	// entries, or mediated devices of the type that the VMs of the node ask for. nil: not
	// known.
	Capacity *int
	Demand   Demand
	// Users are those of the node.
	Users []MappingUser
	// PVE is what Proxmox VE's own check says of the node. Agrees tells whether it says
	// the same as this program; nil where one of them says nothing.
	PVE    facts.Read[[]pve.Check]
	Agrees *bool
}

// CellEntry is one entry with what it gives.
type CellEntry struct {
	pve.Entry
	// Number counts the entries of the mapping from 1, over all nodes.
	Number  int
	Devices []*Device // that are there, by address
	EntryCheck
}

// Demand counts the VMs of a node that refer to a mapping, each once, and the
// devices that they ask for.
type Demand struct {
	VMs, Slots int
	Running    int
	Starting   int // stopped, and start by themselves
	Stopped    int
	Templates  int // in neither of the others, and in no number of slots
	Untold     int // whether they run is not told
}

// MappingUser is one line that names a mapping.
type MappingUser struct {
	VM    *VM
	Slot  int
	Phase Phase
	Next  bool   // in effect at the next start
	Mdev  string // type of mediated device, "" for none
}

// SnapshotUser is one line of a snapshot.
type SnapshotUser struct {
	VM       *VM
	Snapshot string
	Slot     int
}

// Matrix gives all mappings on all nodes.
func (r *Report) Matrix() Matrix {
	b := matrixBuilder{report: r, users: map[string][]MappingUser{}, snapshots: map[string][]SnapshotUser{}, snapshotsRead: true}
	for _, vm := range r.VMs {
		b.addVM(vm)
	}
	m := Matrix{Nodes: b.nodeNames()}
	mappings := make([]*pve.Mapping, len(r.Mappings))
	for i := range r.Mappings {
		mappings[i] = &r.Mappings[i]
	}
	slices.SortFunc(mappings, func(x, y *pve.Mapping) int { return strings.Compare(x.ID, y.ID) })
	for _, mapping := range mappings {
		m.Rows = append(m.Rows, b.row(mapping, m.Nodes))
	}
	return m
}

// Row gives the row of a mapping, nil if there is none.
func (m *Matrix) Row(id string) *MatrixRow {
	for i := range m.Rows {
		if m.Rows[i].Mapping.ID == id {
			return &m.Rows[i]
		}
	}
	return nil
}

type matrixBuilder struct {
	report        *Report
	users         map[string][]MappingUser
	snapshots     map[string][]SnapshotUser
	snapshotsRead bool
}

func (b *matrixBuilder) addVM(vm *VM) {
	if vm.Config == nil {
		b.snapshotsRead = false
		return
	}
	b.snapshotsRead = b.snapshotsRead && vm.Config.Snapshots.State == facts.OK
	for i := range vm.Config.Items {
		item := &vm.Config.Items[i]
		slot, ok := pve.ParseSlotKey(item.Key)
		if !ok {
			continue
		}
		pending := item.Pending != nil && b.add(vm, slot, Pending, *item.Pending, true)
		if item.Current == nil {
			continue
		}
		phase := Current
		if item.Delete != pve.Keep {
			phase = PendingRemoval
		}
		replaced := pending || item.Pending != nil && readable(*item.Pending)
		b.add(vm, slot, phase, *item.Current, phase == Current && !replaced)
	}
	for _, snapshot := range vm.Config.Snapshots.Value {
		for _, line := range snapshot.HostPCI {
			slot, ok := pve.ParseSlotKey(line.Key)
			if value, err := pve.ParseHostPCI(line.Value); ok && err == nil && value.Mapping != "" {
				b.snapshots[value.Mapping] = append(b.snapshots[value.Mapping], SnapshotUser{vm, snapshot.Name, slot})
			}
		}
	}
}

func readable(value string) bool {
	_, err := pve.ParseHostPCI(value)
	return err == nil
}

// add takes one value, and tells whether it names a mapping.
func (b *matrixBuilder) add(vm *VM, slot int, phase Phase, raw string, next bool) bool {
	value, err := pve.ParseHostPCI(raw)
	if err != nil || value.Mapping == "" {
		return false
	}
	b.users[value.Mapping] = append(b.users[value.Mapping], MappingUser{VM: vm, Slot: slot, Phase: phase, Next: next, Mdev: value.Mdev})
	return true
}

// nodeNames gives the columns.
func (b *matrixBuilder) nodeNames() []string {
	names := make([]string, 0, len(b.report.Nodes))
	for i := range b.report.Nodes {
		names = append(names, b.report.Nodes[i].Name)
	}
	for i := range b.report.Mappings {
		for _, entry := range b.report.Mappings[i].Entries {
			if !slices.Contains(names, entry.Node) {
				names = append(names, entry.Node)
			}
		}
	}
	slices.Sort(names)
	return names
}

func (b *matrixBuilder) row(mapping *pve.Mapping, nodes []string) MatrixRow {
	row := MatrixRow{
		Mapping: mapping, Users: b.users[mapping.ID], Snapshots: b.snapshots[mapping.ID], SnapshotsRead: b.snapshotsRead,
		Cells: make([]Cell, len(nodes)),
	}
	slices.SortStableFunc(row.Users, compareUsers)
	for i, name := range nodes {
		row.Cells[i] = b.cell(mapping, name, row.Users)
	}
	return row
}

func compareUsers(a, b MappingUser) int {
	return compareLines(&Line{VM: a.VM, Slot: a.Slot, Phase: a.Phase}, &Line{VM: b.VM, Slot: b.Slot, Phase: b.Phase})
}

func (b *matrixBuilder) cell(mapping *pve.Mapping, name string, users []MappingUser) Cell {
	cell := Cell{Node: name, Verdict: CellMissing}
	for _, user := range users {
		if user.VM.Node == name {
			cell.Users = append(cell.Users, user)
		}
	}
	b.demand(&cell)
	node := b.report.Node(name)
	cell.Known = node != nil
	if node == nil {
		node = &Node{Name: name}
	}
	b.entries(&cell, node, mapping)
	if len(cell.Entries) > 0 {
		cell.Verdict = verdictOf(cell.Entries)
		cell.Capacity = b.capacity(&cell, node, mapping)
	}
	b.compare(&cell, mapping)
	return cell
}

func verdictOf(entries []CellEntry) CellVerdict {
	verdict := CellOK
	for i := range entries {
		switch {
		case len(entries[i].Faults) > 0:
			return CellInvalid
		case entries[i].Untold:
			verdict = CellUnreadable
		}
	}
	return verdict
}

func (b *matrixBuilder) entries(cell *Cell, node *Node, mapping *pve.Mapping) {
	for i := range mapping.Entries {
		entry := &mapping.Entries[i]
		if entry.Node != node.Name {
			continue
		}
		cell.Entries = append(cell.Entries, CellEntry{
			Entry: *entry, Number: i + 1, Devices: node.entryDevices(entry), EntryCheck: b.report.CheckEntry(node, mapping, entry),
		})
	}
}

// entryDevices gives the functions that an entry names and that are there, by address.
func (n *Node) entryDevices(entry *pve.Entry) []*Device {
	var devices []*Device
	for _, part := range entry.Paths() {
		selector, ok := pve.PathSelector(part)
		if !ok {
			continue
		}
		found := named(n.Devices, selector)
		for i := range found {
			if !slices.Contains(devices, &found[i]) {
				devices = append(devices, &found[i])
			}
		}
	}
	slices.SortFunc(devices, func(x, y *Device) int { return x.Address.Compare(y.Address) })
	return devices
}

// demand counts the VMs of the cell.
func (b *matrixBuilder) demand(cell *Cell) {
	var last *VM
	d := &cell.Demand
	for _, user := range cell.Users {
		vm := user.VM
		if !user.Next && vm.Status == facts.Stopped {
			continue // a line that will never be in effect again
		}
		if !vm.Template && (user.Next || user.Phase != Pending) && !sameSlotBefore(cell.Users, user) {
			d.Slots++
		}
		if vm == last {
			continue
		}
		last = vm
		switch {
		case vm.Template:
			d.Templates++
			continue
		case vm.Status == facts.Running:
			d.Running++
		case vm.Status != facts.Stopped:
			d.Untold++
		case b.startsByItself(vm):
			d.Starting++
		default:
			d.Stopped++
		}
		d.VMs++
	}
}

// sameSlotBefore tells whether the slot of a line was counted with another phase.
func sameSlotBefore(users []MappingUser, user MappingUser) bool {
	for _, other := range users {
		if other == user {
			return false
		}
		if other.VM == user.VM && other.Slot == user.Slot && (other.Next || other.VM.Status != facts.Stopped) {
			return true
		}
	}
	return false
}

func (b *matrixBuilder) startsByItself(vm *VM) bool {
	yes, told := b.report.StartsByItself(vm)
	return yes && told
}

// capacity counts what valid entries give.
func (b *matrixBuilder) capacity(cell *Cell, node *Node, mapping *pve.Mapping) *int {
	if cell.Verdict == CellUnreadable || !node.DevicesRead {
		return nil
	}
	used := map[pci.Address]bool{}
	count := 0
	var first []*Device
	for i := range cell.Entries {
		entry := &cell.Entries[i]
		taken := slices.ContainsFunc(entry.Devices, func(d *Device) bool { return used[d.Address] })
		if len(entry.Faults) > 0 || len(entry.Devices) == 0 || taken {
			continue
		}
		for _, device := range entry.Devices {
			used[device.Address] = true
		}
		first = append(first, entry.Devices[0])
		count++
	}
	if mapping.HasMdev() && mdevOf(cell.Users) != "" {
		return instances(first, cell.Users)
	}
	if mapping.HasMdev() && len(cell.Users) == 0 {
		return nil // it depends on the type that is asked for
	}
	return &count
}

// mdevOf gives the type of the first line that asks for one.
func mdevOf(users []MappingUser) string {
	for _, user := range users {
		if user.Mdev != "" {
			return user.Mdev
		}
	}
	return ""
}

// instances gives how many mediated devices of the one type that the lines ask for
// there are: those that are left, and those that running VMs have. It is nil if the
// lines ask for several types or the types were not read.
func instances(devices []*Device, users []MappingUser) *int {
	name := mdevOf(users)
	count := 0
	for _, user := range users {
		if user.Mdev != name {
			return nil
		}
		switch {
		case user.VM.Template || user.Phase == Pending:
		case user.VM.Status == facts.Running:
			count++
		case user.VM.Status != facts.Stopped:
			return nil
		}
	}
	for _, device := range devices {
		if device.Types.State != facts.OK {
			return nil
		}
		for _, offered := range device.Types.Value {
			if offered.Type == name {
				count += offered.Available
			}
		}
	}
	return &count
}

// compare sets the check of Proxmox VE beside ours.
func (b *matrixBuilder) compare(cell *Cell, mapping *pve.Mapping) {
	read := b.report.Facts.Nodes[cell.Node]
	if read == nil || read.MappingChecks.State == facts.NotAsked {
		return
	}
	all := read.MappingChecks
	cell.PVE = facts.Read[[]pve.Check]{State: all.State, Stamp: all.Stamp, Problems: all.Problems}
	checks, listed := all.Value[mapping.ID]
	if !all.State.Answered() || !listed {
		if all.State == facts.OK {
			cell.PVE.State = facts.Partial
		}
		return
	}
	cell.PVE.Value = checks
	if cell.Verdict == CellUnreadable {
		return
	}
	agrees := sameChecks(checks, b.ours(cell, mapping))
	cell.Agrees = &agrees
}

// ours gives what Proxmox VE would say if it saw what we see.
func (b *matrixBuilder) ours(cell *Cell, mapping *pve.Mapping) []pve.Check {
	if len(cell.Entries) == 0 {
		return mapping.Checks(cell.Node, nil)
	}
	var checks []pve.Check
	for i := range cell.Entries {
		if faults := cell.Entries[i].Faults; len(faults) > 0 {
			checks = append(checks, pve.Check{Severity: "error", Message: "Invalid configuration: " + faults[0].Message})
		}
	}
	return checks
}

func sameChecks(theirs, ours []pve.Check) bool {
	return slices.EqualFunc(theirs, ours, func(a, b pve.Check) bool {
		return a.Severity == b.Severity && strings.TrimSuffix(a.Message, "\n") == strings.TrimSuffix(b.Message, "\n")
	})
}

// StartsByItself tells whether Proxmox VE starts the VM without anybody asking: at
// boot, unless HA looks after it, or by HA. told is false where the policies of HA
// or the configuration were not read and decide.
func (r *Report) StartsByItself(vm *VM) (yes, told bool) {
	if vm.Template || vm.Config == nil {
		return false, vm.Config != nil
	}
	ha := &r.Facts.HA
	for _, resource := range ha.Value.Resources {
		if resource.VMID == vm.VMID && resource.Kind == facts.QEMU && resource.State != "ignored" {
			return resource.State == "started" || resource.State == "enabled", true
		}
	}
	item, _ := vm.Config.Get("onboot")
	onboot, _ := item.Future()
	return onboot == "1", ha.State == facts.OK
}
