package hostfs

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"pciatlas/internal/facts"
	"pciatlas/internal/pci"
)

const (
	blockFolder = "sys/class/block"
	mountsFile  = "proc/mounts"
	swapsFile   = "proc/swaps"
)

// maxLayers is how many layers of block devices are followed down to a disk.
const maxLayers = 8

// blocks finds the functions below block devices.
type blocks struct {
	*useReader
	names []string                 // in blockFolder, sorted
	known map[string][]pci.Address // by name
	// mapped are the names of the device mapper, of the first devices in unmapped
	// order; unmapped are the others.
	mapped   map[string]string
	unmapped []string
}

// readStorage notes the functions with disks that are mounted or swap space. Disks
// of pools and volumes that nothing of it is mounted from are not told.
func (u *useReader) readStorage() {
	mounts, err := u.top.read(mountsFile, u.limits.ProcFile)
	u.note(mountsFile, err)
	swaps, err := u.top.read(swapsFile, u.limits.ProcFile)
	u.note(swapsFile, err)
	b := blocks{useReader: u, names: u.list(blockFolder), known: map[string][]pci.Address{}, mapped: map[string]string{}}
	for _, name := range b.names {
		if strings.HasPrefix(name, "dm-") {
			b.unmapped = append(b.unmapped, name)
		}
	}
	slices.SortFunc(b.unmapped, func(a, b string) int { // dm-2 before dm-10
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	})
	for line := range strings.Lines(mounts) {
		if words := strings.Fields(line); len(words) > 1 {
			b.take(words[0], unescape(words[1]), mountsFile)
		}
	}
	for line := range strings.Lines(swaps) {
		if words := strings.Fields(line); len(words) > 1 {
			b.take(words[0], facts.UseSwap, swapsFile)
		}
	}
}

// take takes in that a file says what the host has a block device for. Anything
// but the path of one is left out.
func (b *blocks) take(source, name, file string) {
	source = unescape(source)
	device, ok := strings.CutPrefix(source, "/dev/")
	if !ok {
		return
	}
	if mapped, ok := strings.CutPrefix(device, "mapper/"); ok {
		device = b.mappedTo(mapped)
	}
	if functions := b.functions(strings.ReplaceAll(device, "/", "!"), maxLayers); len(functions) > 0 {
		b.add(functions, facts.Use{Kind: facts.UseStorage, Name: name, Through: source, File: file})
	}
}

// mappedTo gives the block device of a name of the device mapper, "" if there is
// none. The devices are asked for their names only until it is found.
func (b *blocks) mappedTo(name string) string {
	for b.mapped[name] == "" && len(b.unmapped) > 0 {
		device := b.unmapped[0]
		b.unmapped = b.unmapped[1:]
		if text, err := b.top.read(path.Join(blockFolder, device, "dm/name"), b.limits.SysFile); err == nil {
			b.mapped[strings.TrimSuffix(text, "\n")] = device
		}
	}
	return b.mapped[name]
}

// functions gives the functions below a block device: those on the way to it, or
// below it those that a device made of others stands on. layers bounds the way.
func (b *blocks) functions(name string, layers int) []pci.Address {
	functions, known := b.known[name]
	if _, there := slices.BinarySearch(b.names, name); known || !there || layers == 0 {
		return functions
	}
	folder := path.Join(blockFolder, name)
	functions = b.functionsOf(folder)
	if len(functions) == 0 {
		functions = b.pathsOf(folder)
	}
	if len(functions) == 0 {
		below, _ := b.top.list(path.Join(folder, "slaves"), b.limits.Entries)
		slices.Sort(below)
		for _, part := range below {
			functions = append(functions, b.functions(part, layers-1)...)
		}
	}
	b.known[name] = functions
	return functions
}

// pathsOf gives the functions of an NVMe disk with several paths, which is in no
// function's folder: the folder of its subsystem has a link to each controller.
func (b *blocks) pathsOf(folder string) []pci.Address {
	if !strings.HasPrefix(path.Base(folder), "nvme") {
		return nil
	}
	target := b.target(folder)
	start := strings.LastIndex(target, "/nvme-subsys")
	if start < 0 {
		return nil
	}
	name, _, _ := strings.Cut(target[start+1:], "/")
	subsystem := path.Join(blockFolder, target[:start], name)
	names, _ := b.top.list(subsystem, b.limits.Entries)
	slices.Sort(names)
	var functions []pci.Address
	for _, name := range names {
		controller, ok := strings.CutPrefix(name, "nvme")
		if _, err := strconv.ParseUint(controller, 10, 31); ok && err == nil {
			functions = append(functions, functionsIn(b.target(path.Join(subsystem, name)))...)
		}
	}
	return functions
}

// unescape undoes what the kernel does to blanks and the like in names: \040.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	const digits = 3
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+digits < len(s) {
			if c, err := strconv.ParseUint(s[i+1:i+1+digits], 8, 8); err == nil {
				b.WriteByte(byte(c))
				i += digits
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}
