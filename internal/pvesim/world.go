// Package pvesim is a simulated cluster of Proxmox VE for tests, the demo and
// browser tests: a World is data, and from it come the files of a node and the
// answers of the API. Only tests and the demo command may import it; it decides
// by its own means and shares no rule with the readers that are tested with it.
//
// Server answers for a World as PVE's own code does, Recording as a scenario file
// says; NewTLSServer puts either on the network.
package pvesim

import "pciatlas/internal/pci"

// World is one simulated cluster. Its zero value is a single node without
// guests.
type World struct {
	// Cluster is the cluster's name, "" for a node without a cluster.
	Cluster string
	Nodes   []Node
	Guests  []Guest
	// MappingCfg is the text of mapping/pci.cfg.
	MappingCfg string
	// Files are further files of the cluster file system by their path below
	// /etc/pve. The API reads ha/resources.cfg, ha/rules.cfg, ha/groups.cfg,
	// jobs.cfg and replication.cfg from them.
	Files map[string]string

	// Version is that of pve-manager, "" for DefaultVersion.
	Version string
	// UserCfg is the text of user.cfg: users, tokens, groups, roles, pools and
	// access rules. Without it there is only root@pam with RootToken.
	UserCfg string
	// Secrets are those of the API tokens by USER@REALM!ID. A token without one
	// cannot authenticate.
	Secrets map[string]string
	// Accounts may sign in with a password, by USER@REALM. Without UserCfg only
	// root@pam is a user.
	Accounts map[string]Account
	// Storages are those of the cluster; nil is what an installation sets up.
	Storages []Storage
	// Names are the words for devices; nil is the list of package pci.
	Names *pci.Database
}

// Account is what a user signs in with.
type Account struct {
	Password string
	// Code is the second factor, "" for none. Unlike a real one-time password it
	// stays the same and is good for several times.
	Code string
}

// Node is one node of a World.
type Node struct {
	Name    string
	Offline bool
	Devices []Device
	// CommandLine is the kernel's.
	CommandLine string
	NoIOMMU     bool

	// Mute: the node accepts connections and never answers. Requests about it
	// end after Server.MuteDelay. Offline ones are refused at once.
	Mute bool
	// NoStatistics: the cluster has no figures of the node yet; its state is
	// shown as unknown.
	NoStatistics bool
	// Version is that of pve-manager on this node, "" for the World's.
	Version string
	// Fingerprint is the SHA-256 fingerprint of the node's certificate as /nodes
	// shows it; "" is one made from the name.
	Fingerprint string
	// CPUs is the number of processors (0 is 16), Memory that of bytes (0 is
	// 62.5 GiB).
	CPUs   int
	Memory int64
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

	// PID is the process number while it runs; 0 is 2000 and the VMID.
	PID int
	// NoStatistics: the cluster has no figures of the guest, so that
	// /cluster/resources shows neither its name nor its state.
	NoStatistics bool
	// Reported is the state in the cluster's statistics where they lag behind;
	// "" is the true one.
	Reported string
}

// Storage is one storage of the cluster.
type Storage struct {
	ID, Type string
	Content  []string
	Shared   bool
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
