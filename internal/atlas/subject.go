package atlas

import (
	"time"

	"pciatlas/internal/facts"
	"pciatlas/internal/pci"
	"pciatlas/internal/pve"
)

// FindVM gives the VMs of a number. There is more than one only if a damaged
// cluster file system holds its file on several nodes.
func (r *Report) FindVM(vmid int) []*VM {
	var found []*VM
	for _, vm := range r.VMs {
		if vm.VMID == vmid {
			found = append(found, vm)
		}
	}
	return found
}

// VMAnswer is the public JSON object of one VM: everything known about its
// passthrough.
type VMAnswer struct {
	Cluster    string           `json:"cluster"`
	VMID       int              `json:"vmid"`
	Name       *string          `json:"name"`
	Node       string           `json:"node"`
	Status     facts.Status     `json:"status"`
	Template   bool             `json:"template"`
	Tags       []string         `json:"tags"`
	ReadAt     *time.Time       `json:"read_at"`
	ConfigRead bool             `json:"config_read"`
	Machine    *string          `json:"machine"`
	BIOS       *string          `json:"bios"`
	Args       bool             `json:"custom_args"`
	Hookscript bool             `json:"hookscript"`
	Lines      []VMLine         `json:"lines"`
	Dropped    []VMDropped      `json:"dropped_lines"` // null: this source cannot tell
	Snapshots  []VMSnapshotLine `json:"snapshots"`     // null: not read
	Scope      ScopeState       `json:"scope"`
	Issues     []AnswerIssue    `json:"issues"`
}

// VMLine is one hostpci value of a VM with what it names.
type VMLine struct {
	Slot      string       `json:"slot"`
	Phase     Phase        `json:"phase"`
	Value     string       `json:"value"`
	Via       *Via         `json:"via"` // null: neither or both, or refused
	Mapping   *string      `json:"mapping"`
	MdevType  *string      `json:"mdev_type"`
	Functions []VMFunction `json:"functions"`
	Unplaced  []VMUnplaced `json:"unplaced"`
	// Takes is what else the host loses when the VM starts with the line.
	Takes []VMTake `json:"takes"`
}

// VMTake is a function that shares an IOMMU group with what a line names and
// leaves the host when the VM starts.
type VMTake struct {
	Address    pci.Address `json:"address"`
	Class      pci.Class   `json:"class"`
	ClassName  *string     `json:"class_name"`
	DeviceName *string     `json:"device_name"`
	IOMMUGroup int         `json:"iommu_group"`
	Driver     *string     `json:"driver"`    // null: none, or not told
	Certainty  Certainty   `json:"certainty"` // candidate: the VM may get another device
	Harmless   bool        `json:"harmless"`
}

// VMFunction is one function that a line names.
type VMFunction struct {
	Address    pci.Address `json:"address"`
	DeviceName *string     `json:"device_name"`
	ClassName  *string     `json:"class_name"`
	State      State       `json:"state"`
	Certainty  Certainty   `json:"certainty"`
	Selector   string      `json:"selector"`
	IOMMUGroup *int        `json:"iommu_group"`
	OtherVMs   []int       `json:"other_vms"`
}

// VMUnplaced is one part of a line that names nothing.
type VMUnplaced struct {
	Selector *string `json:"selector"`
	Reason   Reason  `json:"reason"`
}

// VMDropped is a line of the VM's file that Proxmox VE drops.
type VMDropped struct {
	Line    int    `json:"line"`
	Section string `json:"section"`
	Key     string `json:"key"`
	Text    string `json:"text"`
	Reason  string `json:"reason"`
}

// VMSnapshotLine is a hostpci line that a snapshot holds.
type VMSnapshotLine struct {
	Snapshot string `json:"snapshot"`
	Slot     string `json:"slot"`
	Value    string `json:"value"`
}

// VMAnswer gives the public object of a VM.
func (r *Report) VMAnswer(vm *VM) VMAnswer {
	answer := VMAnswer{
		Cluster: r.Cluster, VMID: vm.VMID, Name: orNil(vm.Name), Node: vm.Node, Status: vm.Status,
		Template: vm.Template, Tags: append([]string{}, vm.Tags...), ConfigRead: vm.Config != nil,
		Lines: []VMLine{}, Issues: []AnswerIssue{},
	}
	node := r.Node(vm.Node)
	answer.Scope = node.Scope.State
	if !node.ReadAt.IsZero() {
		at := node.ReadAt.UTC().Truncate(time.Second)
		answer.ReadAt = &at
	}
	for i := range node.Issues {
		if node.Issues[i].VMID == vm.VMID {
			answer.Issues = append(answer.Issues, answerIssue(&node.Issues[i]))
		}
	}
	if vm.Config != nil {
		answer.addConfig(vm)
		answer.addLines(node, vm)
	}
	return answer
}

func (a *VMAnswer) addConfig(vm *VM) {
	config := vm.Config
	a.Machine, a.BIOS = orNil(config.Current("machine")), orNil(config.Current("bios"))
	a.Args, a.Hookscript = config.Args.Any(), config.Hook.Any()
	if vm.FromFile {
		a.Dropped = []VMDropped{}
	}
	for _, dropped := range config.Dropped {
		a.Dropped = append(a.Dropped, VMDropped(dropped))
	}
	if !config.Snapshots.State.Answered() {
		return
	}
	a.Snapshots = []VMSnapshotLine{}
	for _, snapshot := range config.Snapshots.Value {
		for _, line := range snapshot.HostPCI {
			a.Snapshots = append(a.Snapshots, VMSnapshotLine{snapshot.Name, line.Key, line.Value})
		}
	}
}

// addLines lists the VM's values by slot and phase with what they name.
func (a *VMAnswer) addLines(node *Node, vm *VM) {
	for slot := range pve.MaxHostPCI {
		item, ok := vm.Config.Get(pve.SlotKey(slot))
		if !ok {
			continue
		}
		for _, phase := range []Phase{Current, PendingRemoval, Pending} {
			if value, ok := valueIn(item, phase); ok {
				a.addLine(node, vm, slot, phase, value)
			}
		}
	}
}

// valueIn gives the value that an item has in a phase.
func valueIn(item pve.Item, phase Phase) (string, bool) {
	switch {
	case phase == Pending && item.Pending != nil:
		return *item.Pending, true
	case phase == Current && item.Current != nil && item.Delete == pve.Keep,
		phase == PendingRemoval && item.Current != nil && item.Delete != pve.Keep:
		return *item.Current, true
	default:
		return "", false
	}
}

func (a *VMAnswer) addLine(node *Node, vm *VM, slot int, phase Phase, value string) {
	line := VMLine{
		Slot: pve.SlotKey(slot), Phase: phase, Value: value,
		Functions: []VMFunction{}, Unplaced: []VMUnplaced{}, Takes: []VMTake{},
	}
	var of *Line
	is := func(l *Line) bool { return l.VM == vm && l.Slot == slot && l.Phase == phase }
	for i := range node.Devices {
		device := &node.Devices[i]
		for j := range device.References {
			if reference := &device.References[j]; is(reference.Line) {
				of = reference.Line
				line.describe(of)
				line.Functions = append(line.Functions, vmFunction(device, reference))
			}
		}
	}
	for i := range node.Unplaced {
		if unplaced := &node.Unplaced[i]; is(unplaced.Line) {
			line.describe(unplaced.Line)
			line.Unplaced = append(line.Unplaced, VMUnplaced{orNil(unplaced.Selector), unplaced.Reason})
		}
	}
	if of != nil {
		line.Takes = append(line.Takes, vmTakes(node.StartTake(of))...)
	}
	a.Lines = append(a.Lines, line)
}

func vmTakes(take StartTake) []VMTake {
	takes := make([]VMTake, len(take.Lost))
	for i := range take.Lost {
		lost := &take.Lost[i]
		names := lost.ReadableNames()
		takes[i] = VMTake{
			Address: lost.Address, Class: lost.Class, ClassName: orNil(names.Class), DeviceName: orNil(names.Device),
			IOMMUGroup: *lost.Device.Device.Group.Value, Driver: lost.driver(), Certainty: take.Certainty, Harmless: lost.Harmless,
		}
	}
	return takes
}

// driver gives the bound driver, nil for none and where it is not told.
func (d *Device) driver() *string {
	if d.Host == nil {
		return nil
	}
	return orNil(d.Host.Driver)
}

func (l *VMLine) describe(line *Line) {
	l.Via, l.Mapping, l.MdevType = &line.Via, orNil(line.Mapping), orNil(line.Mdev)
}

func vmFunction(device *Device, reference *Reference) VMFunction {
	names := device.ReadableNames()
	function := VMFunction{
		Address: device.Address, DeviceName: orNil(names.Device), ClassName: orNil(names.Class),
		State: device.State, Certainty: reference.Certainty, Selector: reference.Selector,
		IOMMUGroup: device.Device.Group.Value, OtherVMs: []int{},
	}
	for i := range device.References {
		other := device.References[i].VM
		n := len(function.OtherVMs)
		if other != reference.VM && (n == 0 || function.OtherVMs[n-1] != other.VMID) {
			function.OtherVMs = append(function.OtherVMs, other.VMID)
		}
	}
	return function
}

// DeviceAnswer is the public JSON object of one function: its row of the node's
// answer and what belongs around it.
type DeviceAnswer struct {
	Cluster string     `json:"cluster"`
	Node    string     `json:"node"`
	ReadAt  *time.Time `json:"read_at"`
	Scope   ScopeState `json:"scope"`
	AnswerDevice
	References   []DeviceReference `json:"references"`
	GroupMembers []DeviceMember    `json:"group_members"` // null: no group, or not told
	SlotMates    []DeviceMember    `json:"slot_functions"`
	Host         *DeviceHost       `json:"host"` // null: only the node itself can tell
	VisibleVMs   int               `json:"visible_vms"`
	CheckedVMs   int               `json:"checked_vms"`
	// Containers use the function through the driver of the host, or may do so.
	Containers []ContainerAnswer `json:"containers"`
}

// DeviceReference is a reference with the whole line that it comes from.
type DeviceReference struct {
	AnswerReference
	// Value is the value of the slot as it stands in the configuration.
	Value string `json:"value"`
	// Takes is what else the host loses when the VM starts with the line.
	Takes []VMTake `json:"takes"`
}

// DeviceMember is a function that shares the group or the slot of another.
type DeviceMember struct {
	Address    pci.Address `json:"address"`
	Class      pci.Class   `json:"class"`
	ClassName  *string     `json:"class_name"`
	DeviceName *string     `json:"device_name"`
	Driver     *string     `json:"driver"` // null: none, or not told
	// Taken: the start of a VM with the group takes it.
	Taken bool `json:"taken"`
	// Lost: the host loses it then, because no VM names it or holds it now.
	Lost bool `json:"lost"`
}

// DeviceHost is what sysfs of the node tells beyond the API.
type DeviceHost struct {
	Driver       *string          `json:"driver"`
	BootDisplay  *bool            `json:"boot_display"`
	NUMANode     *int             `json:"numa_node"`
	Reset        bool             `json:"reset"`
	ResetMethods []string         `json:"reset_methods"`
	Link         *facts.Link      `json:"link"`
	MdevTypes    []facts.MdevType `json:"mdev_types"`
	// Uses are what the host is seen to use the function for; null: not told.
	Uses []facts.Use `json:"uses"`
}

// DeviceAnswer gives the public object of a function.
func (r *Report) DeviceAnswer(node *Node, device *Device, options AnswerOptions) DeviceAnswer {
	answer := DeviceAnswer{
		Cluster: r.Cluster, Node: node.Name, Scope: node.Scope.State,
		AnswerDevice: answerDevice(device, options), SlotMates: []DeviceMember{},
		VisibleVMs: node.VisibleVMs, CheckedVMs: node.CheckedVMs, Containers: node.ContainersOf(device),
	}
	if !node.ReadAt.IsZero() {
		at := node.ReadAt.UTC().Truncate(time.Second)
		answer.ReadAt = &at
	}
	answer.References = make([]DeviceReference, len(device.References))
	for i := range device.References {
		line := device.References[i].Line
		answer.References[i] = DeviceReference{
			AnswerReference: answer.AnswerDevice.References[i], Value: line.Raw, Takes: vmTakes(node.StartTake(line)),
		}
	}
	for _, member := range node.Group(device) {
		answer.GroupMembers = append(answer.GroupMembers, deviceMember(member))
	}
	for _, mate := range node.SlotMates(device) {
		answer.SlotMates = append(answer.SlotMates, deviceMember(mate.member()))
	}
	if device.Host != nil {
		answer.Host = deviceHost(device.Host)
	}
	return answer
}

func deviceMember(member GroupMember) DeviceMember {
	names := member.ReadableNames()
	return DeviceMember{
		Address: member.Address, Class: member.Class, ClassName: orNil(names.Class), DeviceName: orNil(names.Device),
		Driver: member.driver(), Taken: member.Taken, Lost: member.Lost,
	}
}

func deviceHost(host *facts.HostDevice) *DeviceHost {
	answer := &DeviceHost{
		Driver: orNil(host.Driver), Reset: host.Reset,
		ResetMethods: append([]string{}, host.ResetMethods...),
		MdevTypes:    append([]facts.MdevType{}, host.MdevTypes...),
	}
	if host.BootDisplay.Told {
		answer.BootDisplay = &host.BootDisplay.Value
	}
	if host.Uses.Told {
		answer.Uses = append([]facts.Use{}, host.Uses.Value...)
	}
	if host.NUMA.Told {
		answer.NUMANode = &host.NUMA.Value
	}
	if host.Link != (facts.Link{}) {
		answer.Link = &host.Link
	}
	return answer
}
