package hostfs

import (
	"slices"
	"sync"
	"sync/atomic"

	"pciatlas/internal/facts"
)

// configRead is the outcome of reading one VM's configuration.
type configRead = facts.Read[facts.VMConfig]

// guestSearch reads the configuration of every VM, wherever it moves meanwhile.
type guestSearch struct {
	reader *reader
	list   listing // the latest
	read   map[place]*configRead
	// places are the keys of read, by guest.
	places map[guestID][]place
	// gone are guests whose file vanished between listing and reading and that no
	// other place has given yet.
	gone map[guestID]place
	// containers are read once, where the latest list has them.
	containers map[place]containerRead
}

// maxRounds is how often a VM is looked for that keeps vanishing.
const maxRounds = 12

// searchGuests lists the guests and reads the configurations of the VMs. A file
// that vanishes after it was listed was renamed to another node's folder, or the
// VM was destroyed: only a list that is whole, steady and lacks the VM proves the
// latter. One that .vmlist still names is not destroyed but unreadable.
func (r *reader) searchGuests(s *guestSearch) {
	*s = guestSearch{
		reader: r, read: map[place]*configRead{},
		places: map[guestID][]place{}, gone: map[guestID]place{},
	}
	for range maxRounds {
		s.list = r.listGuests()
		s.forgetDestroyed()
		for _, v := range r.visit(s.unread()) {
			s.take(v)
		}
		if len(s.gone) == 0 || r.ended() {
			break
		}
	}
	for _, at := range s.gone {
		config := failedSince[facts.VMConfig](r, r.now(), problem(facts.ProblemVanished, at.file(),
			"was listed, but then it was on no node. The VM may be moving: read again"))
		s.settle(at, &config)
	}
	s.dropMoved()
	s.containers = r.readContainers(s.list.places(facts.LXC))
}

// forgetDestroyed drops VMs that vanished and are in no folder any more, if the
// list can prove that.
func (s *guestSearch) forgetDestroyed() {
	if !s.list.steady || len(s.list.problems) > 0 {
		return
	}
	for id := range s.gone {
		if len(s.list.guests[id]) == 0 {
			delete(s.gone, id)
		}
	}
}

// unread gives the places of VMs that were not read yet. A VM that was read and has
// moved since is not read again.
func (s *guestSearch) unread() []place {
	return slices.DeleteFunc(s.list.places(facts.QEMU), func(at place) bool {
		return slices.ContainsFunc(s.places[at.guestID], func(known place) bool {
			return known == at || !slices.Contains(s.list.guests[at.guestID], known.node)
		})
	})
}

// take notes the outcome of one visit.
func (s *guestSearch) take(v visit) {
	switch {
	case !v.vanished, s.list.claimed[v.place] && s.list.steady:
		s.settle(v.place, v.config)
	case len(s.places[v.guestID]) == 0:
		s.gone[v.guestID] = v.place
	}
}

func (s *guestSearch) settle(at place, config *configRead) {
	s.read[at] = config
	s.places[at.guestID] = append(s.places[at.guestID], at)
	delete(s.gone, at.guestID)
}

// dropMoved looks again at VMs that were read on two nodes: unless both files are
// still there, it was one VM that moved while it was read.
func (s *guestSearch) dropMoved() {
	const looks = 3
	for id, places := range s.places {
		for i := 0; i < looks*len(places) && len(s.places[id]) > 1; i++ {
			at := places[i%len(places)]
			if there, err := s.reader.top.there(at.file()); !there && err == nil {
				s.places[id] = without(s.places[id], at)
				delete(s.read, at)
			}
		}
	}
}

func without(list []place, unwanted place) []place {
	return slices.DeleteFunc(slices.Clone(list), func(at place) bool { return at == unwanted })
}

// visit is the outcome of one attempt to read a VM's file.
type visit struct {
	place
	config   *configRead
	vanished bool // the file is not there; config says so
}

// clusterReads is how many files of /etc/pve are read at a time: it is FUSE, and
// one daemon answers.
const clusterReads = 4

// visit reads the files of VMs at the given places, which are sorted by node.
func (r *reader) visit(places []place) []visit {
	visits := make([]visit, len(places))
	for start, end := 0, 0; start < len(places); start = end {
		node := places[start].node
		for end < len(places) && places[end].node == node {
			end++
		}
		r.visitNode(node, places[start:end], visits[start:end])
	}
	return visits
}

// visitNode opens the folder of a node once and reads the files in it.
func (r *reader) visitNode(node string, places []place, visits []visit) {
	folder, err := r.top.open(guestFolder(node, facts.QEMU))
	if err == nil {
		defer folder.close()
	}
	inParallel(clusterReads, len(places), func(i int) {
		visits[i] = r.visitOne(folder, err, places[i])
	})
}

// inParallel calls do with 0 to n-1, a few at a time.
func inParallel(workers, n int, do func(i int)) {
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(workers, n) {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	group.Wait()
}
