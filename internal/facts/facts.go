// Package facts holds what was read of one cluster, how it was read and what
// could not be read: the Snapshot. Everything to the right of it computes from
// this value alone. The package is pure; readers fill a Snapshot, and its JSON
// form is the snapshot file.
package facts

import (
	"time"

	"pciatlas/internal/pci"
	"pciatlas/internal/pve"
)

// Schema is the version of the snapshot's JSON form.
const Schema = 1

// ReadState says how one read ended.
type ReadState int

// The states of a read.
const (
	NotAsked ReadState = iota // nobody asked; the value says nothing
	OK                        // the value is all there is
	Partial                   // the value is true, but more was asked for than was read
	Filtered                  // the source answered, and is known to hide some of it
	Failed                    // nothing was read
)

// Answered tells whether the read's value may be used at all.
func (s ReadState) Answered() bool { return s == OK || s == Partial || s == Filtered }

// Source is the way a read was made.
type Source string

// The sources.
const (
	SourceAPI      Source = "api"
	SourceHost     Source = "host"
	SourceProbe    Source = "probe"
	SourceRegister Source = "register"
)

// Stamp tells where one read's value comes from and when it was read: nothing in
// it is older than From or newer than To. Via names the entry point: an address,
// a node, a root folder.
type Stamp struct {
	Source Source    `json:"source"`
	Via    string    `json:"via,omitempty"`
	From   time.Time `json:"from"`
	To     time.Time `json:"to"`
}

// Problem is one reason why a read is not OK. Code is stable, Message is for
// people, Subject names what could not be read (a path or a request).
type Problem struct {
	Code    string `json:"code"`
	Subject string `json:"subject,omitempty"`
	Message string `json:"message"`
}

// Codes of problems.
const (
	ProblemPermission  = "permission"  // the source refused
	ProblemMissing     = "missing"     // not there
	ProblemVanished    = "vanished"    // there when listed, gone when read
	ProblemMalformed   = "malformed"   // there, but not what it should be
	ProblemTooLarge    = "too_large"   // larger than anything real; not read
	ProblemUnreachable = "unreachable" // no answer
	ProblemTimeout     = "timeout"     // no answer in time
	ProblemRefused     = "refused"     // an error answer
	ProblemLimit       = "limit"       // cut off by a limit of ours
	ProblemUnsupported = "unsupported" // this Proxmox VE cannot tell
	ProblemOutside     = "outside"     // a link that leads out of the root
	ProblemIO          = "io"          // any other failure of the source
)

// Read is the result of one read. Got and Total count what was read and what
// there was to read, where that means anything.
type Read[T any] struct {
	State    ReadState `json:"state"`
	Value    T         `json:"value,omitzero"`
	Got      int       `json:"got,omitempty"`
	Total    int       `json:"total,omitempty"`
	Stamp    Stamp     `json:"stamp,omitzero"`
	Problems []Problem `json:"problems,omitempty"`
}

// Opt is a fact that a source may not tell. An untold fact is not the same as a
// fact that says "none": a told Opt of a pointer or slice may hold nil for none.
type Opt[T any] struct {
	Told  bool
	Value T
}

// Told makes a told fact.
func Told[T any](value T) Opt[T] { return Opt[T]{Told: true, Value: value} }

// IsZero tells whether the fact is untold; JSON leaves it out then.
func (o Opt[T]) IsZero() bool { return !o.Told }

// Snapshot is everything that was read of one cluster. The grain of state,
// source and time is one read.
type Snapshot struct {
	Schema  int    `json:"schema"`
	Cluster string `json:"cluster"`

	Version Read[pve.Version] `json:"version,omitzero"`
	// Rights are those of the credential; read over the API.
	Rights Read[Rights] `json:"rights,omitzero"`
	// Files tells what the cluster file system looked like; read in host mode.
	Files Read[ClusterFiles] `json:"files,omitzero"`
	// Members are the nodes, as far as the source knows them.
	Members Read[[]Member] `json:"members,omitzero"`
	// Guests are the VMs and containers that the source shows.
	Guests      Read[[]Guest]          `json:"guests,omitzero"`
	Nodes       map[string]*Node       `json:"nodes"`
	Mappings    Read[[]pve.Mapping]    `json:"mappings,omitzero"`
	HA          Read[HA]               `json:"ha,omitzero"`
	Backups     Read[[]BackupJob]      `json:"backups,omitzero"`
	Replication Read[[]ReplicationJob] `json:"replication,omitzero"`
	// Mentions are numbers of guests that were met without the guest.
	Mentions Read[[]Mention] `json:"mentions,omitzero"`
	// MappingLines are the lines of the mapping file that Proxmox VE drops.
	MappingLines []pve.DroppedLine `json:"mapping_lines,omitempty"`
}

// Rights is what a credential of the API is told about itself.
type Rights struct {
	// User is USER@REALM!ID of the token, without its secret; "" if not told.
	User        string             `json:"user,omitempty"`
	Permissions pve.PermissionTree `json:"permissions"`
	// ACL are the access rules. Without Sys.Audit on /access Proxmox VE leaves
	// out, silently, those of paths that the credential may not modify: the state
	// is Filtered then.
	ACL Read[[]pve.ACLEntry] `json:"acl,omitzero"`
}

// ClusterFiles says what shows that /etc/pve is the mounted cluster file system
// and that its content is up to date.
type ClusterFiles struct {
	// Populated: the folder holds something. An unmounted /etc/pve is empty.
	Populated bool `json:"populated"`
	// Mounted: .members or .vmlist is there, which only the mounted file system has.
	Mounted bool `json:"mounted"`
	// Quorate is not told without a readable .members. A node without a cluster is
	// always quorate.
	Quorate Opt[bool] `json:"quorate,omitzero"`
}

// Member is one node of the cluster.
type Member struct {
	Name   string    `json:"name"`
	Online Opt[bool] `json:"online,omitzero"`
	// Local: the node that the files were read on.
	Local bool `json:"local,omitempty"`
}

// GuestKind tells VMs from containers.
type GuestKind string

// The kinds of guest, in the words of the API.
const (
	QEMU GuestKind = "qemu"
	LXC  GuestKind = "lxc"
)

// Status of a guest.
type Status string

// The states a guest can be in, as far as they are told.
const (
	Running       Status = "running"
	Stopped       Status = "stopped"
	UnknownStatus Status = "unknown"
)

// Guest is one VM or container. Name is empty if not told.
type Guest struct {
	VMID     int       `json:"vmid"`
	Kind     GuestKind `json:"kind"`
	Node     string    `json:"node"`
	Name     string    `json:"name,omitempty"`
	Status   Status    `json:"status"`
	Template Opt[bool] `json:"template,omitzero"`
	Tags     []string  `json:"tags,omitempty"`
}

// Node is what was read of one node. Reads that nobody made are NotAsked.
type Node struct {
	Devices Read[[]Device] `json:"devices,omitzero"`
	// Unread are the functions that are there, but of which it could not be read
	// what they are, sorted. They are not in Devices, and Devices is Partial.
	Unread []pci.Address `json:"unread,omitempty"`
	// MdevTypes are the types of mediated device of functions that were asked for
	// them over the API. Files tell them in HostDevice; a function whose types
	// could not all be read there is here, too, with why.
	MdevTypes map[string]Read[[]MdevType] `json:"mdev_types,omitempty"`
	// MappingChecks is what Proxmox VE itself says of the entries for the node, by
	// mapping; only the API tells, and only where it is asked for.
	MappingChecks Read[map[string][]pve.Check] `json:"mapping_checks,omitzero"`
	VMs           map[int]Read[VMConfig]       `json:"vms,omitempty"`
	Containers    map[int]Read[Container]      `json:"containers,omitempty"`
	// CardFiles are the device files of GPUs that the node has now, by path; only the
	// node itself tells.
	CardFiles Read[[]CardFile] `json:"card_files,omitzero"`
	IOMMU     Read[IOMMU]      `json:"iommu,omitzero"`
	// Memory is the usable memory of the node in bytes, as MemTotal of its kernel.
	Memory Read[int64] `json:"memory,omitzero"`
	// ROMFiles tells of the ROM files that lines of the node's VMs name whether they
	// are there; only the node itself tells.
	ROMFiles Read[[]ROMFile] `json:"rom_files,omitzero"`
	Holding  Read[[]Holding] `json:"holding,omitzero"`
	Health   Read[[]Health]  `json:"health,omitzero"`
}

// Device is one PCI function of a node.
type Device struct {
	Address pci.Address `json:"address"`
	IDs     pci.IDs     `json:"ids"`
	Class   pci.Class   `json:"class"`
	Names   pci.Names   `json:"names,omitzero"`
	// Group is the IOMMU group; nil means the function has none. 0 is a group.
	Group Opt[*int] `json:"group,omitzero"`
	// Mdev tells whether the function can give mediated devices or vGPUs.
	Mdev Opt[bool] `json:"mdev,omitzero"`
	// NvidiaVGPU: it does so through the vGPU folder of NVIDIA's driver for kernel
	// 6.8 and later, which makes nvidia-N an exclusive use of the function.
	NvidiaVGPU bool `json:"nvidia_vgpu,omitempty"`
	// Parent is the physical function of a virtual one; nil means it is none.
	Parent Opt[*pci.Address] `json:"parent,omitzero"`
	// VFs are the virtual functions of a physical one.
	VFs Opt[[]pci.Address] `json:"vfs,omitzero"`
	// Host is what only the node itself can tell; nil if the source was another.
	Host *HostDevice `json:"host,omitempty"`
}

// HostDevice is what sysfs of the node tells of a function beyond the API.
type HostDevice struct {
	// Driver is the bound driver, "" for none.
	Driver string `json:"driver"`
	// BusBelow: the function has a pci_bus folder, so Proxmox VE never takes it
	// along with its group.
	BusBelow bool `json:"bus_below,omitempty"`
	// BootDisplay is told for class 0300 only.
	BootDisplay Opt[bool] `json:"boot_display,omitzero"`
	// NUMA is the NUMA node; -1 means the platform names none.
	NUMA Opt[int] `json:"numa,omitzero"`
	// Reset: the function can be reset; ResetMethods names how, on newer kernels.
	Reset        bool     `json:"reset"`
	ResetMethods []string `json:"reset_methods,omitempty"`
	Link         Link     `json:"link,omitzero"`
	// MdevTypes are the types of mediated device that the function offers.
	MdevTypes []MdevType `json:"mdev_types,omitempty"`
	// Uses are what the host itself is seen to use the function for. Told and empty
	// means that it cannot use it, because a driver for VMs holds it. Any other
	// function without a use that shows is not told: a disk can belong to a pool,
	// and a network controller can have an address of its own.
	Uses Opt[[]Use] `json:"uses,omitzero"`
}

// Use is one thing that the host uses a function for. The longest lists are cut.
type Use struct {
	Kind UseKind `json:"kind"`
	// Name is where a disk is mounted, UseSwap for swap space, the bridge, bond or
	// other interface on top of a network interface, or a framebuffer.
	Name string `json:"name"`
	// Through is the disk as the file names it, or the network interface.
	Through string `json:"through,omitempty"`
	// File is what tells it, from the root folder.
	File string `json:"file"`
}

// UseKind says what a use is about.
type UseKind string

// The kinds of use.
const (
	UseStorage UseKind = "storage"
	UseNetwork UseKind = "network"
	UseConsole UseKind = "console"
)

// UseSwap is the name of a use of storage as swap space.
const UseSwap = "swap"

// Link is the state of the PCI Express link in the kernel's words, for example
// "16.0 GT/s PCIe" and width 16. Empty and 0 are not told.
type Link struct {
	Speed    string `json:"speed,omitempty"`
	Width    int    `json:"width,omitempty"`
	MaxSpeed string `json:"max_speed,omitempty"`
	MaxWidth int    `json:"max_width,omitempty"`
}

// MdevType is one type of mediated device that a function offers. Available is
// the number of instances that can still be made now.
type MdevType struct {
	Type      string `json:"type"`
	Name      string `json:"name,omitempty"`
	Available int    `json:"available"`
}

// IOMMU is what a node tells of its IOMMU.
type IOMMU struct {
	// Present: /sys/class/iommu is not empty.
	Present bool `json:"present"`
	// CommandLine are the words of the kernel command line about IOMMU, VFIO and
	// ACS; others are not kept.
	CommandLine []string `json:"command_line,omitempty"`
}

// ROMFile is a file that a romfile option names, relative to /usr/share/kvm.
type ROMFile struct {
	Name  string `json:"name"`
	There bool   `json:"there"`
}

// Holding says which VM holds a function at this moment.
type Holding struct {
	Address pci.Address `json:"address"`
	VMID    int         `json:"vmid"`
}

// Health is what the host driver of a function tells.
type Health struct {
	Address pci.Address `json:"address"`
}
