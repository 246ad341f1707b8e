package atlas

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"pciatlas/internal/facts"
	"pciatlas/internal/pci"
	"pciatlas/internal/pve"
)

// Build computes the report of a snapshot.
func Build(s *facts.Snapshot) *Report {
	b := builder{
		snapshot: s,
		report: &Report{
			Facts:   s,
			Cluster: s.Cluster, Mappings: s.Mappings.Value, MappingsRead: s.Mappings.State, MappingLines: s.MappingLines,
		},
		mappings: make(map[string]*pve.Mapping, len(s.Mappings.Value)),
	}
	for i := range s.Mappings.Value {
		b.mappings[s.Mappings.Value[i].ID] = &s.Mappings.Value[i]
	}
	b.scopes()
	b.issues = b.clusterIssues()
	b.collectVMs()
	b.collectNodes()
	return b.report
}

type builder struct {
	snapshot *facts.Snapshot
	report   *Report
	mappings map[string]*pve.Mapping
	scope    Scope
	issues   []Issue // of every node
	byNode   map[string][]*VM
}

// collectVMs joins the list of guests with their configurations.
func (b *builder) collectVMs() {
	b.byNode = make(map[string][]*VM, len(b.snapshot.Nodes))
	vms := make([]VM, 0, len(b.snapshot.Guests.Value))
	for i := range b.snapshot.Guests.Value {
		if guest := &b.snapshot.Guests.Value[i]; guest.Kind == facts.QEMU {
			vms = append(vms, b.vm(guest))
		}
	}
	slices.SortFunc(vms, func(a, c VM) int {
		return cmp.Or(cmp.Compare(a.VMID, c.VMID), cmp.Compare(a.Node, c.Node))
	})
	b.report.VMs = make([]*VM, len(vms))
	for i := range vms {
		b.report.VMs[i] = &vms[i]
		b.byNode[vms[i].Node] = append(b.byNode[vms[i].Node], &vms[i])
	}
}

func (b *builder) vm(guest *facts.Guest) VM {
	vm := VM{
		VMID: guest.VMID, Node: guest.Node, Name: guest.Name, Status: guest.Status,
		Template: guest.Template.Value, Tags: guest.Tags,
	}
	node := b.snapshot.Nodes[guest.Node]
	if node == nil {
		return vm
	}
	read := node.VMs[guest.VMID]
	vm.read, vm.Unread = read.State, read.Problems
	vm.moving = isMoving(read.State, read.Stamp, read.Problems)
	if !read.State.Answered() {
		return vm
	}
	vm.Config = &read.Value
	vm.FromFile = read.Stamp.Source == facts.SourceHost || read.Stamp.Source == facts.SourceProbe
	if vm.Name == "" {
		vm.Name = read.Value.Current("name")
	}
	if !guest.Template.Told {
		vm.Template = read.Value.Current("template") == "1"
	}
	return vm
}

// collectNodes answers for every node that anything names.
func (b *builder) collectNodes() {
	names := make(map[string]bool, len(b.snapshot.Nodes))
	for name := range b.snapshot.Nodes {
		names[name] = true
	}
	for _, member := range b.snapshot.Members.Value {
		names[member.Name] = true
	}
	for name := range b.byNode {
		names[name] = true
	}
	sorted := slices.Sorted(maps.Keys(names))
	b.report.Nodes = make([]Node, len(sorted))
	for i, name := range sorted {
		facts := b.snapshot.Nodes[name]
		builder := nodeBuilder{builder: b, node: &b.report.Nodes[i]}
		builder.node.Name = name
		builder.build(facts, b.byNode[name])
	}
}

// nodeBuilder puts together the answer for one node.
type nodeBuilder struct {
	*builder
	node  *Node
	lines []Line
	// devicesWhole: a function that is not in the list is not there. unread are
	// functions that are there and not in the list.
	devicesWhole bool
	unread       []pci.Address
}

func (b *nodeBuilder) build(read *facts.Node, vms []*VM) {
	if read == nil {
		read = &facts.Node{}
	}
	node := b.node
	node.Source, node.ReadAt = b.provenance(read)
	node.Scope = b.scope
	node.VisibleVMs = len(vms)
	b.readDevices(read)
	for _, issue := range b.issues {
		b.issue(issue)
	}
	b.contactIssues(contactOf(read, vms), vms)
	b.countLines(vms)
	for _, vm := range vms {
		b.checkVM(vm)
	}
	b.containers(read)
	b.finish()
}

// readDevices takes over the device list, or notes that it is not there.
func (b *nodeBuilder) readDevices(read *facts.Node) {
	devices := &read.Devices
	b.devicesWhole, b.unread = devices.State == facts.OK, read.Unread
	if devices.State.Answered() {
		b.node.DevicesRead = true
		b.node.Devices = make([]Device, len(devices.Value))
		for i := range devices.Value {
			b.node.Devices[i].Device = &devices.Value[i]
			b.node.Devices[i].Types = typesOf(read, &devices.Value[i])
		}
		slices.SortFunc(b.node.Devices, func(x, y Device) int { return x.Address.Compare(y.Address) })
		b.mdevIssues()
	}
	if devices.State != facts.OK && devices.State != facts.NotAsked && !isCut(devices.Problems) {
		b.issue(Issue{Code: IssueDevicesUnreadable, Slot: NoSlot, Message: "The PCI devices of node " +
			b.node.Name + " could not be read completely: " + firstMessage(devices.Problems, "no reason was given.")})
	}
}

// typesOf gives the types of mediated device of a function, from whichever source
// tells them. Files tell them with the function; if not all of them could be read,
// there is a read of its own.
func typesOf(read *facts.Node, device *facts.Device) facts.Read[[]facts.MdevType] {
	own, ok := read.MdevTypes[device.Address.String()]
	if ok || device.Host == nil {
		return own
	}
	return facts.Read[[]facts.MdevType]{State: facts.OK, Value: device.Host.MdevTypes, Stamp: read.Devices.Stamp}
}

// provenance gives the source and the beginning of the earliest read that the
// node's answer rests on.
func (b *nodeBuilder) provenance(read *facts.Node) (Source, time.Time) {
	var seen []facts.Source
	var first time.Time
	note := func(stamp facts.Stamp) {
		if stamp.From.IsZero() {
			return
		}
		if first.IsZero() || stamp.From.Before(first) {
			first = stamp.From
		}
		if !slices.Contains(seen, stamp.Source) {
			seen = append(seen, stamp.Source)
		}
	}
	note(b.snapshot.Guests.Stamp)
	note(b.snapshot.Mappings.Stamp)
	note(read.Devices.Stamp)
	for _, vm := range read.VMs {
		note(vm.Stamp)
	}
	switch {
	case len(seen) == 0:
		return SourceSnapshot, first
	case len(seen) > 1:
		return SourceMerged, first
	case seen[0] == facts.SourceAPI:
		return SourceAPI, first
	default:
		return SourceHost, first
	}
}

func (b *nodeBuilder) issue(issue Issue) {
	issue.Node = b.node.Name
	b.node.Issues = append(b.node.Issues, issue)
}

// finish sorts everything and decides the states.
func (b *nodeBuilder) finish() {
	node := b.node
	slices.SortFunc(node.Issues, compareIssues)
	node.Issues = slices.CompactFunc(node.Issues, sameIssue)
	slices.SortFunc(node.Unplaced, compareUnplaced)
	node.Complete = node.DevicesRead && node.Scope.State != Unproven
	for i := range node.Issues {
		if node.Issues[i].Code.Blocks() {
			node.Complete = false
		}
	}
	for i := range node.Devices {
		slices.SortFunc(node.Devices[i].References, compareReferences)
		decideState(node, &node.Devices[i])
	}
}

func sameIssue(a, b Issue) bool {
	return a.Limited == b.Limited && compareIssues(a, b) == 0 && slices.Equal(a.Devices, b.Devices)
}

func findDevice(devices []Device, address pci.Address) (int, bool) {
	return slices.BinarySearchFunc(devices, address, func(d Device, a pci.Address) int {
		return d.Address.Compare(a)
	})
}
