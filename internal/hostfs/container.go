package hostfs

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"pciatlas/internal/facts"
	"pciatlas/internal/pci"
	"pciatlas/internal/pve"
)

// containerRead is the outcome of reading one container's configuration.
type containerRead = facts.Read[facts.Container]

// readContainers reads the configurations of containers. One that moves while it is
// read is a failed read; it gives no reference, so nobody looks for it.
func (r *reader) readContainers(places []place) map[place]containerRead {
	reads := make([]containerRead, len(places))
	inParallel(clusterReads, len(places), func(i int) { reads[i] = r.readContainer(places[i].file()) })
	byPlace := make(map[place]containerRead, len(places))
	for i, at := range places {
		byPlace[at] = reads[i]
	}
	return byPlace
}

func (r *reader) readContainer(file string) containerRead {
	from := r.now()
	text, err := r.top.read(file, r.limits.VMFile)
	if err != nil {
		p := problemOf(file, err)
		if errors.Is(err, fs.ErrNotExist) {
			p.Code = facts.ProblemVanished
		}
		return failedSince[facts.Container](r, from, p)
	}
	return containerRead{State: facts.OK, Value: facts.ReduceContainer(pve.ParseContainer(text)), Stamp: r.stamp(from)}
}

// containerStatus tells whether a container of the local node runs: LXC keeps a
// control group for it as long as it does.
func (r *reader) containerStatus(vmid int) facts.Status {
	if there, err := r.top.there(controlGroups + "/lxc/" + strconv.Itoa(vmid)); there && err == nil {
		return facts.Running
	}
	if there, err := r.top.there(controlGroups + "/cgroup.controllers"); there && err == nil {
		return facts.Stopped
	}
	return facts.UnknownStatus
}

const (
	controlGroups  = "sys/fs/cgroup"
	charFolder     = "sys/dev/char"
	nvidiaCards    = "proc/driver/nvidia/gpus"
	driMajorPrefix = "226:"
)

// readCardFiles reads which function each device file of a GPU belongs to now. A
// tree without the folders tells nothing; a node without NVIDIA's driver lacks the
// second of them.
func (r *reader) readCardFiles() facts.Read[[]facts.CardFile] {
	from := r.now()
	var c cardFiles
	c.readDRI(r)
	c.readNvidia(r)
	if !c.told {
		if problems := c.problems.problems(); len(problems) > 0 {
			return facts.Read[[]facts.CardFile]{State: facts.Failed, Stamp: r.stamp(from), Problems: problems}
		}
		return facts.Read[[]facts.CardFile]{}
	}
	slices.SortFunc(c.files, func(a, b facts.CardFile) int { return strings.Compare(a.Path, b.Path) })
	problems := c.problems.problems()
	return facts.Read[[]facts.CardFile]{State: stateOf(problems), Value: c.files, Stamp: r.stamp(from), Problems: problems}
}

// cardFiles collects device files.
type cardFiles struct {
	files    []facts.CardFile
	told     bool // the folder of device numbers is there
	problems remarks
}

func (c *cardFiles) note(name string, err error) {
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		c.problems.add(problemOf(name, err))
	}
}

// readDRI follows sys/dev/char: the link of 226:128 leads through the function to
// the name of the file.
func (c *cardFiles) readDRI(r *reader) {
	names, err := r.top.list(charFolder, r.limits.Entries)
	c.note(charFolder, err)
	c.told = err == nil
	for _, name := range names {
		if !strings.HasPrefix(name, driMajorPrefix) {
			continue
		}
		target, err := r.top.target(path.Join(charFolder, name))
		c.note(path.Join(charFolder, name), err)
		functions := functionsIn(target)
		if file, ok := pve.ParseGPUFile("/dev/dri/" + path.Base(target)); ok && len(functions) > 0 {
			c.files = append(c.files, facts.CardFile{Path: keep(file.Path), Address: functions[len(functions)-1]})
		}
	}
}

// readNvidia reads what NVIDIA's driver tells of its cards.
func (c *cardFiles) readNvidia(r *reader) {
	names, err := r.top.list(nvidiaCards, r.limits.Entries)
	c.note(nvidiaCards, err)
	for _, name := range names {
		address, err := pci.ParseAddress(strings.ToLower(name))
		if err != nil {
			continue
		}
		file := path.Join(nvidiaCards, name, "information")
		text, err := r.top.read(file, r.limits.SysFile)
		c.note(file, err)
		if minor, ok := nvidiaMinor(text); ok {
			c.files = append(c.files, facts.CardFile{Path: "/dev/nvidia" + minor, Address: address})
			c.told = true
		}
	}
}

// nvidiaMinor gives the number of the card's device file.
func nvidiaMinor(text string) (string, bool) {
	for line := range strings.Lines(text) {
		if key, value, _ := strings.Cut(line, ":"); strings.TrimSpace(key) == "Device Minor" {
			minor := strings.TrimSpace(value)
			_, err := strconv.ParseUint(minor, 10, 8)
			return strings.Clone(minor), err == nil
		}
	}
	return "", false
}
