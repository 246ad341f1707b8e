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
)

const (
	netFolder      = "sys/class/net"
	graphicsFolder = "sys/class/graphics"
)

// maxUses is how many uses of one function are kept.
const maxUses = 16

// useReader finds what the host itself uses functions for.
type useReader struct {
	*reader
	uses     map[pci.Address][]facts.Use // of storage and network
	consoles map[pci.Address][]facts.Use // framebuffers
	// missing: a source of these facts is not in the tree or could not be read, so
	// that nothing is told to be unused.
	missing  bool
	problems remarks
}

// readUses tells what the host uses the functions for. Nothing that it cannot read
// matters to the rest; the problems say what that was. A tree without the files
// tells nothing.
func (r *reader) readUses(devices []facts.Device) []facts.Problem {
	if len(devices) == 0 {
		return nil
	}
	u := useReader{reader: r, uses: map[pci.Address][]facts.Use{}, consoles: map[pci.Address][]facts.Use{}}
	u.readStorage()
	u.readNetwork()
	u.readConsoles()
	for i := range devices {
		devices[i].Host.Uses = u.usesOf(&devices[i])
	}
	return u.problems.problems()
}

// usesOf gives what is told of one function. Bridges are on the way to what is
// used, and nobody passes them.
func (u *useReader) usesOf(device *facts.Device) facts.Opt[[]facts.Use] {
	host := device.Host
	if host.BusBelow {
		return facts.Opt[[]facts.Use]{}
	}
	uses := u.uses[device.Address]
	if host.BootDisplay.Value {
		uses = append(uses, u.consoles[device.Address]...)
	}
	switch {
	case len(uses) > 0:
		return facts.Told(uses[:min(len(uses), maxUses)])
	case !u.missing && strings.HasPrefix(host.Driver, "vfio"):
		return facts.Told([]facts.Use{})
	default:
		return facts.Opt[[]facts.Use]{}
	}
}

// add notes a use of some functions, once for each function and name.
func (u *useReader) add(functions []pci.Address, use facts.Use) {
	use.Name, use.Through, use.File = shown(use.Name), shown(use.Through), shown(use.File)
	for _, function := range functions {
		same := func(known facts.Use) bool { return known.Kind == use.Kind && known.Name == use.Name }
		if !slices.ContainsFunc(u.uses[function], same) {
			u.uses[function] = append(u.uses[function], use)
		}
	}
}

// shown copies a name that anybody may have chosen, fit to be shown.
func shown(name string) string { return keep(printable(name)) }

// list gives the names in a folder, sorted.
func (u *useReader) list(folder string) []string {
	names, err := u.top.list(folder, u.limits.Entries)
	u.note(folder, err)
	slices.Sort(names)
	return names
}

// note takes in the outcome of an access that the facts need.
func (u *useReader) note(name string, err error) {
	if err == nil {
		return
	}
	u.missing = true
	if !errors.Is(err, fs.ErrNotExist) {
		u.problems.add(problemOf(name, err))
	}
}

// target gives what a link says, "" if it is none.
func (u *useReader) target(name string) string {
	target, err := u.top.target(name)
	var kind *kindError
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.As(err, &kind) {
		u.note(name, err)
	}
	if err != nil {
		return ""
	}
	return target
}

// functionsIn gives the functions that a path of sysfs leads through.
func functionsIn(text string) []pci.Address {
	var functions []pci.Address
	for part := range strings.SplitSeq(text, "/") {
		if address, err := pci.ParseAddress(part); err == nil {
			functions = append(functions, address)
		}
	}
	return functions
}

// functionsOf gives the functions that a folder of sys/class belongs to: those on
// the way to where it is, else those on the way to its device.
func (u *useReader) functionsOf(folder string) []pci.Address {
	target := u.target(folder)
	functions := functionsIn(target)
	if len(functions) == 0 && !strings.Contains(target, "/virtual/") {
		functions = functionsIn(u.target(path.Join(folder, "device")))
	}
	return functions
}

// readNetwork notes the functions whose interfaces are ports of a bridge or bond,
// or have another interface on top.
func (u *useReader) readNetwork() {
	for _, name := range u.list(netFolder) {
		folder := path.Join(netFolder, name)
		if functions := u.functionsOf(folder); len(functions) > 0 {
			if on, file := u.onTop(folder); on != "" {
				u.add(functions, facts.Use{Kind: facts.UseNetwork, Name: on, Through: name, File: file})
			}
		}
	}
}

// onTop gives the interface that another one serves and the file that tells it.
func (u *useReader) onTop(folder string) (name, file string) {
	for _, link := range []string{"master", "brport/bridge"} {
		file := path.Join(folder, link)
		if target := u.target(file); target != "" {
			return path.Base(target), file
		}
	}
	names, err := u.top.list(folder, u.limits.Entries)
	if err != nil {
		return "", ""
	}
	slices.Sort(names)
	for _, link := range names {
		if upper, ok := strings.CutPrefix(link, "upper_"); ok && upper != "" {
			return upper, path.Join(folder, link)
		}
	}
	return "", ""
}

// readConsoles notes the functions that have a framebuffer of the kernel.
func (u *useReader) readConsoles() {
	names, err := u.top.list(graphicsFolder, u.limits.Entries)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		u.problems.add(problemOf(graphicsFolder, err))
	}
	slices.Sort(names)
	for _, name := range names {
		number, ok := strings.CutPrefix(name, "fb")
		if _, err := strconv.ParseUint(number, 10, 8); !ok || err != nil {
			continue
		}
		folder := path.Join(graphicsFolder, name)
		for _, function := range u.functionsOf(folder) {
			u.consoles[function] = append(u.consoles[function],
				facts.Use{Kind: facts.UseConsole, Name: keep(name), File: shown(folder)})
		}
	}
}
