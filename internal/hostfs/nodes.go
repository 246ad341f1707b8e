package hostfs

import (
	"slices"
	"time"

	"pciatlas/internal/facts"
	"pciatlas/internal/pve"
)

// guests puts the list of guests together. It is Partial if a folder of a node
// could not be listed, or if guests moved the whole time.
func (r *reader) guests(from time.Time, files *clusterFiles, search *guestSearch, local string) facts.Read[[]facts.Guest] {
	if files.closed != nil {
		return failedSince[[]facts.Guest](r, from, *files.closed)
	}
	list := &search.list
	problems := list.problems
	if !list.steady {
		problems = append(problems, problem(facts.ProblemVanished, nodesFolder,
			"kept changing while it was listed, so guests may be missing. Read again"))
	}
	if p := r.ownFolder(local); p != nil {
		problems = append(problems, *p)
	}
	running := r.readPIDs()
	guests := make([]facts.Guest, 0, len(search.read))
	for at, config := range search.read {
		guests = append(guests, guestOf(at, config))
	}
	for at, container := range search.containers {
		guests = append(guests, containerOf(at, &container))
	}
	for i := range guests {
		switch guest := &guests[i]; {
		case guest.Node != local:
		case guest.Kind == facts.QEMU:
			guest.Status = running.status(guest.VMID)
		default:
			guest.Status = r.containerStatus(guest.VMID)
		}
	}
	slices.SortFunc(guests, func(a, b facts.Guest) int {
		return comparePlaces(placeOf(a), placeOf(b))
	})
	read := facts.Read[[]facts.Guest]{
		State: stateOf(problems), Value: guests, Got: len(guests), Stamp: r.stamp(from),
		Problems: append(problems, list.ignored...),
	}
	if list.nodesFault != nil && len(guests) == 0 {
		read.State, read.Value = facts.Failed, nil
	}
	return read
}

// ownFolder tells what is wrong if the local node has no folder of VMs: then the
// tree lacks a part, or its devices are those of a node that is called otherwise.
func (r *reader) ownFolder(local string) *facts.Problem {
	folder := guestFolder(local, facts.QEMU)
	if there, err := r.top.there(folder); there || err != nil {
		return nil // what cannot be listed is a problem already
	}
	p := problem(facts.ProblemMissing, folder, "is not there, though every node has it. "+
		"The tree is not whole, or it is that of a node with another name than "+local)
	return &p
}

func placeOf(guest facts.Guest) place {
	return place{guestID{guest.VMID, guest.Kind}, guest.Node}
}

// guestOf makes a guest of its place and what its configuration says now.
func guestOf(at place, config *configRead) facts.Guest {
	guest := facts.Guest{VMID: at.vmid, Kind: at.kind, Node: at.node, Status: facts.UnknownStatus}
	if config.State.Answered() {
		guest.Name = config.Value.Current("name")
		guest.Template = facts.Told(config.Value.Current("template") == "1")
		guest.Tags = pve.SplitList(config.Value.Current("tags"))
	}
	return guest
}

func containerOf(at place, read *containerRead) facts.Guest {
	guest := guestOf(at, &configRead{})
	if read.State.Answered() {
		guest.Template = facts.Told(read.Value.Template)
	}
	return guest
}

// fillNodes gives each member its VMs and the local one its devices. Of other
// nodes nothing else can be seen from here. A node that is no member, or whose folder
// was removed meanwhile, is there if guests are on it.
func fillNodes(snapshot *facts.Snapshot, search *guestSearch, local *facts.Node) {
	for _, member := range snapshot.Members.Value {
		node := &facts.Node{}
		if member.Local {
			node = local
		}
		addNode(snapshot, member.Name, node)
	}
	for _, guest := range snapshot.Guests.Value {
		if snapshot.Nodes[guest.Node] == nil {
			addNode(snapshot, guest.Node, &facts.Node{})
		}
	}
	for at, config := range search.read {
		if snapshot.Nodes[at.node] == nil {
			addNode(snapshot, at.node, &facts.Node{})
		}
		snapshot.Nodes[at.node].VMs[at.vmid] = *config
	}
	for at, container := range search.containers {
		node := snapshot.Nodes[at.node] // every guest has its node by now
		if node.Containers == nil {
			node.Containers = map[int]containerRead{}
		}
		node.Containers[at.vmid] = container
	}
}

func addNode(snapshot *facts.Snapshot, name string, node *facts.Node) {
	node.VMs = map[int]facts.Read[facts.VMConfig]{}
	snapshot.Nodes[name] = node
}
