package placement

import (
	"slices"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/pci"
	"pciatlas/internal/pve"
)

// node is one node as a place for VMs.
type node struct {
	*atlas.Node
	report   *atlas.Report
	read     *facts.Node
	hardware *atlas.Hardware
	vms      []*atlas.VM

	resolved map[string]resolved         // by value
	untold   map[string]bool             // see entriesUntold
	groups   map[int][]*atlas.Device     // see mates
	pools    []*pool                     // see openPools
	ways     map[string]ways             // see worlds
	holders  []*holder                   // see holding
	known    bool                        // holders were worked out
	sure     map[pci.Address]*atlas.VM   // see certain
	loose    map[int][]pci.Address       // see groupsUntold, by VM
	spent    stock                       // what supposed starts took of the types of mediated device
	trials   map[atlas.StartSlots]*trial // see trial
}

// resolved is what one value of a slot is on the node.
type resolved struct {
	slot *atlas.StartSlot
	err  error
}

func newNode(report *atlas.Report, known *atlas.Node, mappings map[string]*pve.Mapping) *node {
	n := &node{Node: known, report: report, read: report.Facts.Nodes[known.Name], hardware: report.HardwareWith(known, mappings)}
	if n.read == nil {
		n.read = &facts.Node{}
	}
	return n
}

// resolve gives what a value is on the node. Equal values share the answer.
func (n *node) resolve(value string) resolved {
	known, ok := n.resolved[value]
	if !ok {
		known.slot, known.err = n.hardware.ResolveSlot(value)
		if n.resolved == nil {
			n.resolved = map[string]resolved{}
		}
		n.resolved[value] = known
	}
	return known
}

// off tells whether the node is known to be off or no member of the cluster.
func (n *node) off() bool {
	members := n.report.Facts.Members
	for _, member := range members.Value {
		if member.Name == n.Name {
			return member.Online.Told && !member.Online.Value
		}
	}
	return members.State == facts.OK
}

// unreadSlot tells whether a function of the slot is there, but could not be read.
func (n *node) unreadSlot(address pci.Address) bool {
	return slices.ContainsFunc(n.read.Unread, func(unread pci.Address) bool { return unread.Slot() == address.Slot() })
}

// mates gives the functions that share the IOMMU group of one, itself included;
// only itself if it has none or the group is not told.
func (n *node) mates(device *atlas.Device) []*atlas.Device {
	group := device.Device.Group.Value
	if group == nil {
		return []*atlas.Device{device}
	}
	if n.groups == nil {
		n.groups = map[int][]*atlas.Device{}
		for i := range n.Devices {
			if other := n.Devices[i].Device.Group.Value; other != nil {
				n.groups[*other] = append(n.groups[*other], &n.Devices[i])
			}
		}
	}
	return n.groups[*group]
}
