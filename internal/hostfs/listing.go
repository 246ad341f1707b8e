package hostfs

import (
	"cmp"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"pciatlas/internal/facts"
	"pciatlas/internal/pve"
)

// Folders of the cluster file system, from the root of the tree.
const (
	pveFolder   = "etc/pve"
	nodesFolder = pveFolder + "/nodes"
	vmListFile  = pveFolder + "/.vmlist"
)

// kinds are the kinds of guest with the folder of a node that holds their files.
var kinds = []struct {
	kind   facts.GuestKind
	folder string
}{{facts.QEMU, "qemu-server"}, {facts.LXC, "lxc"}}

// place is a guest on a node.
type place struct {
	guestID
	node string
}

// file gives the path of the guest's configuration from the root of the tree.
func (p place) file() string { return path.Join(guestFolder(p.node, p.kind), fileName(p.vmid)) }

func fileName(vmid int) string { return strconv.Itoa(vmid) + ".conf" }

func guestFolder(node string, kind facts.GuestKind) string {
	for _, k := range kinds {
		if k.kind == kind {
			return path.Join(nodesFolder, node, k.folder)
		}
	}
	return ""
}

func comparePlaces(a, b place) int {
	return cmp.Or(cmp.Compare(a.vmid, b.vmid), cmp.Compare(a.kind, b.kind), cmp.Compare(a.node, b.node))
}

// listing is where all guests of the cluster are at one moment, as far as the
// folders of the nodes can be listed.
type listing struct {
	guests map[guestID][]string // their nodes; more than one only in a damaged tree
	// claimed are those that .vmlist alone names. Their files are not in a folder
	// that could be listed.
	claimed map[place]bool
	nodes   []string
	// steady: nothing changed while the list was made. An unsteady one also holds
	// guests that earlier passes saw.
	steady bool
	// nodesFault is why the folder of nodes could not be listed wholly, nil if it could.
	nodesFault *facts.Problem
	problems   []facts.Problem // folders that could not be listed, wholly or in part
	ignored    []facts.Problem // files that look like a guest's and are none
	strange    []facts.Problem // names below etc/pve/nodes that are no node's
	vmList     vmListRead
}

// vmListRead is the outcome of reading .vmlist.
type vmListRead struct {
	text string
	err  error // also if the file is not there
	list vmList
}

// there tells whether the file exists, readable or not.
func (v vmListRead) there() bool { return !errors.Is(v.err, fs.ErrNotExist) }

// maxPasses is how often the folders are listed when things keep moving.
const maxPasses = 8

// listGuests lists the guests of all nodes. A guest that migrates is renamed from
// one node's folder to another's: while one folder after the other is listed, it
// can escape. So the folders are listed again until nothing changed meanwhile, by
// the times of the folders and by .vmlist, which pmxcfs writes anew with each move.
func (r *reader) listGuests() listing {
	before := r.readVMList()
	for pass := 1; ; pass++ {
		list := r.listOnce()
		list.vmList = r.readVMList()
		list.steady = list.steady && before.text == list.vmList.text
		before = list.vmList
		if !list.steady {
			list.remember(r.seen)
		}
		r.seen = list.guests
		if list.steady || pass == maxPasses || r.ended() {
			list.vmList.parse()
			list.claim()
			return list
		}
	}
}

// remember takes in the guests of earlier passes that this one did not see.
func (l *listing) remember(seen map[guestID][]string) {
	for id, nodes := range seen {
		if _, ok := l.guests[id]; !ok {
			l.guests[id] = nodes
		}
	}
}

func (r *reader) readVMList() (read vmListRead) {
	read.text, read.err = r.top.read(vmListFile, r.limits.ClusterFile)
	return read
}

func (v *vmListRead) parse() {
	if v.err == nil {
		v.list, v.err = parseVMList(v.text)
	}
}

// claim adds the guests that .vmlist names and no folder holds. A guest that is
// elsewhere than .vmlist says has moved since.
func (l *listing) claim() {
	l.claimed = map[place]bool{}
	for id, node := range l.vmList.list.nodes {
		if len(l.guests[id]) == 0 {
			l.claimed[place{id, node}] = true
		}
	}
}

// places gives all guests of a kind, sorted by node so that one folder is read
// after the other.
func (l *listing) places(kind facts.GuestKind) []place {
	list := make([]place, 0, len(l.guests)+len(l.claimed))
	for id, nodes := range l.guests {
		for _, node := range nodes {
			list = append(list, place{id, node})
		}
	}
	for claimed := range l.claimed {
		list = append(list, claimed)
	}
	list = slices.DeleteFunc(list, func(p place) bool { return p.kind != kind })
	slices.SortFunc(list, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.node, b.node), comparePlaces(a, b))
	})
	return list
}

// listOnce lists the folders of all nodes, one after the other.
func (r *reader) listOnce() listing {
	list := listing{guests: make(map[guestID][]string, len(r.seen)), steady: true}
	var strange, ignored remarks
	stamps := map[string]int64{nodesFolder: r.stampOf(nodesFolder)}
	names, err := r.top.list(nodesFolder, r.limits.Entries)
	if err != nil {
		fault := problemOf(nodesFolder, err)
		list.nodesFault, list.problems = &fault, []facts.Problem{fault}
	}
	for _, name := range names {
		node := path.Join(nodesFolder, name)
		var kind *kindError
		err := r.top.expect(node, fs.ModeDir)
		if !pve.ValidNodeName(name) || errors.As(err, &kind) {
			strange.add(problem(facts.ProblemMalformed, node, "is not the folder of a node, so Proxmox VE ignores it"))
			continue
		}
		list.nodes = append(list.nodes, name)
		if err != nil {
			list.fault(r, node, err)
			continue
		}
		for _, k := range kinds {
			folder := path.Join(node, k.folder)
			stamps[folder] = r.stampOf(folder)
			r.listFolder(&list, &ignored, place{guestID{kind: k.kind}, name})
		}
	}
	for folder, stamp := range stamps {
		list.steady = list.steady && r.stampOf(folder) == stamp
	}
	slices.Sort(list.nodes)
	list.strange, list.ignored = strange.problems(), ignored.problems()
	return list
}

// listFolder takes in the guests of one kind on one node. A folder that is not
// there holds none; copies of a tree may lack empty folders.
func (r *reader) listFolder(list *listing, ignored *remarks, at place) {
	folder := guestFolder(at.node, at.kind)
	names, err := r.top.list(folder, r.limits.Entries)
	if err != nil {
		list.fault(r, folder, err)
	}
	for _, file := range names {
		name, ok := strings.CutSuffix(file, ".conf")
		if !ok {
			continue
		}
		if at.vmid, ok = parseVMID(name); !ok {
			ignored.add(problem(facts.ProblemMalformed, path.Join(folder, file),
				"does not have the number of a guest as its name, so Proxmox VE ignores it"))
			continue
		}
		if nodes := list.guests[at.guestID]; !slices.Contains(nodes, at.node) {
			list.guests[at.guestID] = append(nodes, at.node)
		}
	}
}

// fault notes why a folder could not be listed. One that is not there is no
// fault, unless a link says that it should be.
func (l *listing) fault(r *reader, folder string, err error) {
	if !errors.Is(err, fs.ErrNotExist) {
		l.problems = append(l.problems, problemOf(folder, err))
		return
	}
	if there, _ := r.top.there(folder); there {
		l.problems = append(l.problems, leadsNowhere(folder))
	}
}

// stampOf gives the time of the last change of a folder, 0 if it cannot be told.
func (r *reader) stampOf(folder string) int64 {
	stamp, err := r.top.stamp(folder)
	if err != nil {
		return 0
	}
	return stamp
}
