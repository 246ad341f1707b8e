// Package pvesim is a simulated cluster of Proxmox VE for tests, the demo and
// browser tests: a World is data, and from it come the files of a node and the
// answers of the API. Only tests and the demo command may import it; it decides
// by its own means and shares no rule with the readers that are tested with it.
package pvesim

// World is one simulated cluster.
type World struct {
	// Cluster is the cluster's name, "" for a node without a cluster.
	Cluster string
	Nodes   []Node
	Guests  []Guest
	// MappingCfg is the text of mapping/pci.cfg.
	MappingCfg string
	// Files are further files of the cluster file system by their path below
	// /etc/pve.
	Files map[string]string
}

// Node is one node of a World.
type Node struct {
	Name    string
	Offline bool
	Devices []Device
	// CommandLine is the kernel's.
	CommandLine string
	NoIOMMU     bool
}

// Device is one PCI function of a node, in the spelling of sysfs but without 0x.
type Device struct {
	Address   string // 0000:01:00.0
	Vendor    string // 10de
	Device    string // 2204
	Subsystem string // 1458:403b, "" for none
	Class     string // 030000
	// Group is the IOMMU group; NoGroup for none.
	Group  int
	Driver string
	// Parent is the physical function of a virtual one.
	Parent  string
	BootVGA bool
	// BusBelow: a bridge with a bus behind it.
	BusBelow bool
	// MdevTypes are the offered types of mediated device.
	MdevTypes []MdevType
	// NvidiaVGPU: the function has the vGPU folder of NVIDIA's newer driver.
	NvidiaVGPU bool
}

// NoGroup is the group of a function that has none.
const NoGroup = -1

// MdevType is one type of mediated device.
type MdevType struct {
	Type, Name, Description string
	Available               int
}

// GuestKind tells VMs from containers.
type GuestKind string

// The kinds of guest.
const (
	QEMU GuestKind = "qemu"
	LXC  GuestKind = "lxc"
)

// Guest is one VM or container.
type Guest struct {
	VMID    int
	Kind    GuestKind
	Node    string
	Running bool
	// Config is the text of its file.
	Config string
}

// Node gives the node of a name, nil if there is none.
func (w *World) Node(name string) *Node {
	for i := range w.Nodes {
		if w.Nodes[i].Name == name {
			return &w.Nodes[i]
		}
	}
	return nil
}
