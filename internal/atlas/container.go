package atlas

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"pciatlas/internal/facts"
	"pciatlas/internal/pci"
	"pciatlas/internal/pve"
)

// Container is one container whose configuration gives it device files of GPUs. It
// works on the driver of the host: it makes no reference and changes no state.
type Container struct {
	VMID     int
	Node     string
	Name     string // "" if not told
	Status   facts.Status
	Template bool
	Uses     []ContainerUse
}

// ContainerReach says how many of the functions of a use the container gets.
type ContainerReach string

// The reaches of a use.
const (
	ReachExact ContainerReach = "exact" // the one function that the file belongs to
	ReachOne   ContainerReach = "one"   // one of the functions; with one it can be no other
	ReachEvery ContainerReach = "every" // all of the functions
)

// ContainerUse is one line of a container with the functions that it may be about.
type ContainerUse struct {
	pve.ContainerDevice
	Reach ContainerReach
	// Devices are GPUs of the node, by address. There is none if its devices were not
	// read, or if none of them can have such a file.
	Devices []*Device
}

// containers joins what was read of the containers of a node with its devices.
func (b *nodeBuilder) containers(read *facts.Node) {
	for _, vmid := range slices.Sorted(maps.Keys(read.Containers)) {
		container := read.Containers[vmid]
		if !container.State.Answered() || len(container.Value.Devices) == 0 {
			continue
		}
		c := Container{VMID: vmid, Node: b.node.Name, Status: facts.UnknownStatus, Template: container.Value.Template}
		for i := range b.snapshot.Guests.Value {
			if guest := &b.snapshot.Guests.Value[i]; guest.Kind == facts.LXC && guest.VMID == vmid && guest.Node == c.Node {
				c.Name, c.Status, c.Template = guest.Name, guest.Status, c.Template || guest.Template.Value
			}
		}
		c.Uses = b.containerUses(container.Value.Devices, &read.CardFiles)
		b.node.Containers = append(b.node.Containers, c)
	}
	b.containerIssues(read)
}

// containerUses leaves out what only allows or completes what another line gives: a
// rule where a file of the same driver is bound, a control file where a card is.
func (b *nodeBuilder) containerUses(lines []pve.ContainerDevice, files *facts.Read[[]facts.CardFile]) []ContainerUse {
	var uses []ContainerUse
	bound, cards := map[bool]bool{}, false
	for i := range lines {
		file, _ := pve.ParseGPUFile(lines[i].Path)
		bound[ofDRI(file.Kind)] = bound[ofDRI(file.Kind)] || lines[i].Numbers == ""
		cards = cards || file.Kind == pve.NvidiaFile && lines[i].Numbers == ""
	}
	for i := range lines {
		file, ok := pve.ParseGPUFile(lines[i].Path)
		implied := lines[i].Numbers != "" && bound[ofDRI(file.Kind)] || file.Kind == pve.NvidiaControl && cards
		if ok && !implied {
			uses = append(uses, b.containerUse(&lines[i], &file, files))
		}
	}
	return uses
}

func ofDRI(kind pve.GPUFileKind) bool { return kind == pve.DRIFile || kind == pve.DRIFolder }

func (b *nodeBuilder) containerUse(line *pve.ContainerDevice, file *pve.GPUFile, files *facts.Read[[]facts.CardFile]) ContainerUse {
	use := ContainerUse{ContainerDevice: *line, Reach: ReachExact}
	address := file.Address
	for i := range files.Value {
		if files.Value[i].Path == file.Path {
			address = &files.Value[i].Address
		}
	}
	if address != nil {
		if device := b.node.Device(*address); device != nil {
			use.Devices = []*Device{device}
		}
		return use
	}
	if use.Reach = ReachEvery; file.Kind == pve.DRIFile || file.Kind == pve.NvidiaFile {
		use.Reach = ReachOne
	}
	use.Devices = b.cardsOf(file.Kind)
	if use.Reach == ReachOne {
		use.Devices = preferred(use.Devices, func(d *Device) bool { return !hasCardFile(files, file.Kind, d.Address) })
	} else {
		use.Devices = preferred(use.Devices, func(d *Device) bool { return d.Host == nil || !strings.HasPrefix(d.Host.Driver, "vfio") })
	}
	return use
}

// Vendors whose drivers have device files of their own.
const (
	vendorAMD    pci.ID = 0x1002
	vendorNvidia pci.ID = 0x10de
)

// cardsOf gives the GPUs of the node that can have files of a kind. Virtual
// functions are for VMs as long as there are others.
func (b *nodeBuilder) cardsOf(kind pve.GPUFileKind) []*Device {
	var cards []*Device
	for i := range b.node.Devices {
		device := &b.node.Devices[i]
		vendor := device.IDs.Vendor
		fits := ofDRI(kind) || kind == pve.KFD && vendor == vendorAMD || kind != pve.KFD && vendor == vendorNvidia
		if device.Class.Kind() != pci.Other && fits {
			cards = append(cards, device)
		}
	}
	return preferred(cards, func(d *Device) bool { return d.Parent.Value == nil })
}

// preferred gives the devices that pass, or all of them if none does.
func preferred(devices []*Device, pass func(*Device) bool) []*Device {
	passing := slices.DeleteFunc(slices.Clone(devices), func(d *Device) bool { return !pass(d) })
	if len(passing) == 0 {
		return devices
	}
	return passing
}

// hasCardFile tells whether a function is known to have a file of the kind, so that
// a file that is not there now is not its.
func hasCardFile(files *facts.Read[[]facts.CardFile], kind pve.GPUFileKind, address pci.Address) bool {
	return slices.ContainsFunc(files.Value, func(f facts.CardFile) bool {
		file, _ := pve.ParseGPUFile(f.Path)
		return f.Address == address && file.Kind == kind
	})
}

// containerIssues are about containers that were asked for and not read: one issue
// for each reason. One that is gone uses nothing there.
func (b *nodeBuilder) containerIssues(read *facts.Node) {
	unread := map[string][]int{}
	for _, vmid := range slices.Sorted(maps.Keys(read.Containers)) {
		container := read.Containers[vmid]
		if container.State == facts.NotAsked || container.State == facts.OK || hasProblem(container.Problems, facts.ProblemVanished) {
			continue
		}
		reason := firstMessage(container.Problems, "no reason was given.")
		unread[reason] = append(unread[reason], vmid)
	}
	for reason, vmids := range unread {
		what := fmt.Sprintf("container %d", vmids[0])
		if more := len(vmids) - 1; more > 0 {
			what += fmt.Sprintf(" and of %d more", more)
		}
		b.issue(Issue{
			Code: IssueContainerUnreadable, VMID: vmids[0], Slot: NoSlot,
			Message: fmt.Sprintf("The configuration of %s could not be read, so it is not known whether it uses a GPU of the host; %s", what, reason),
		})
	}
}

// ContainerAnswer is a container that uses a function, or may do so.
type ContainerAnswer struct {
	VMID   int          `json:"vmid"`
	Name   *string      `json:"name"`
	Status facts.Status `json:"status"`
	// Certain: the node or an address in a line says that a file is of this function.
	Certain bool `json:"certain"`
	// Lines are the keys and device files, as "dev0: /dev/dri/card0".
	Lines []string `json:"lines"`
}

// Text gives the line as people read it.
func (u *ContainerUse) Text() string {
	text := u.Key + ": " + u.Path
	if u.Numbers != "" {
		text = u.Key + ": c " + u.Numbers
	}
	switch {
	case u.Pending:
		return text + " (pending)"
	case u.Removal:
		return text + " (removal pending)"
	default:
		return text
	}
}

// Certain tells whether the node or an address in the line says whose file it is.
func (u *ContainerUse) Certain() bool { return u.Reach == ReachExact }

// ContainersOf gives the containers whose lines name a function or may do so.
func (n *Node) ContainersOf(device *Device) []ContainerAnswer {
	answers := []ContainerAnswer{}
	for i := range n.Containers {
		c := &n.Containers[i]
		answer := ContainerAnswer{VMID: c.VMID, Name: orNil(c.Name), Status: c.Status}
		for j := range c.Uses {
			if use := &c.Uses[j]; slices.Contains(use.Devices, device) {
				answer.Lines = append(answer.Lines, use.Text())
				answer.Certain = answer.Certain || use.Certain()
			}
		}
		if len(answer.Lines) > 0 {
			answers = append(answers, answer)
		}
	}
	slices.SortFunc(answers, func(a, b ContainerAnswer) int { return cmp.Compare(a.VMID, b.VMID) })
	return answers
}
