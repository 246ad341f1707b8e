package pve

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"pciatlas/internal/pci"
)

// ContainerLine is one line of a container's configuration as it stands there. It
// may hold anything; what leaves the process is chosen by facts.ReduceContainer.
type ContainerLine struct {
	Key     string
	Value   string
	Pending bool // from the section of changes that wait for the next start
}

const containerPending = "[pve:pending]"

// ParseContainer reads the text of a lxc/VMID.conf file as far as its lines are
// concerned: the current ones and those that wait. Snapshots are left out. It never
// fails: what is no line is skipped, as PVE::LXC::Config::parse_pct_config does.
func ParseContainer(content string) []ContainerLine {
	var lines []ContainerLine
	pending := false
	for text := range strings.Lines(content) {
		text = strings.TrimSpace(text)
		switch {
		case strings.EqualFold(text, containerPending):
			pending = true
		case strings.HasPrefix(text, "["):
			return lines // snapshots come last, and so do sections that are none
		case !strings.HasPrefix(text, "#"):
			if key, value, ok := containerKey(text); ok {
				lines = append(lines, ContainerLine{key, value, pending})
			}
		}
	}
	return lines
}

// containerKey splits a line. Lines of LXC itself may have = in place of the colon.
func containerKey(text string) (key, value string, ok bool) {
	separators := ":"
	if strings.HasPrefix(text, "lxc.") {
		separators = ":="
	}
	at := strings.IndexAny(text, separators)
	if at <= 0 {
		return "", "", false
	}
	return strings.TrimSpace(text[:at]), strings.TrimSpace(text[at+1:]), true
}

// ContainerDevice is one line of a container that gives it device files of GPUs.
type ContainerDevice struct {
	// Key is devN, mpN, lxc.mount.entry or lxc.cgroup2.devices.allow (or its elder).
	Key string `json:"key"`
	// Path is the file or folder of the host; of a rule that which the numbers stand for.
	Path string `json:"path"`
	// Numbers are MAJOR:MINOR of a rule, "" for a path. A rule allows and binds nothing.
	Numbers string `json:"numbers,omitempty"`
	// Pending: from the next start on. Removal: only until then.
	Pending bool `json:"pending,omitempty"`
	Removal bool `json:"removal,omitempty"`
}

// Valid tells whether the line is one that ContainerDevices can give, so that it
// holds nothing but names of device files.
func (d *ContainerDevice) Valid() bool {
	if d.Numbers != "" {
		named, ok := ruleFile("c " + d.Numbers)
		return ok && allowKey(d.Key) && named == d.Path && len(strings.Fields(d.Numbers)) == 1
	}
	file, ok := ParseGPUFile(d.Path)
	return ok && file.Path == d.Path && (d.Key == mountEntry || numberedKey.MatchString(d.Key))
}

const mountEntry = "lxc.mount.entry"

var numberedKey = regexp.MustCompile(`^(dev|mp)\d{1,3}$`)

func allowKey(key string) bool {
	return key == "lxc.cgroup2.devices.allow" || key == "lxc.cgroup.devices.allow"
}

// ContainerDevices gives the lines that give a container device files of GPUs, by
// key and path, each once. Of a key of Proxmox VE that stands twice the last counts.
func ContainerDevices(lines []ContainerLine) []ContainerDevice {
	var devices []ContainerDevice
	removed := map[string]bool{}
	for i := range lines {
		line := &lines[i]
		if line.Pending && line.Key == "delete" {
			for _, key := range SplitList(line.Value) {
				removed[strings.TrimPrefix(key, "!")] = true
			}
		}
		if numberedKey.MatchString(line.Key) {
			devices = slices.DeleteFunc(devices, func(d ContainerDevice) bool { return d.Key == line.Key && d.Pending == line.Pending })
			removed[line.Key] = removed[line.Key] || line.Pending
		}
		if device, ok := containerDevice(line); ok {
			devices = append(devices, device)
		}
	}
	for i := range devices {
		devices[i].Removal = !devices[i].Pending && removed[devices[i].Key]
	}
	slices.SortFunc(devices, compareContainerDevices)
	return slices.Compact(devices)
}

func compareContainerDevices(a, b ContainerDevice) int {
	return cmp.Or(strings.Compare(a.Key, b.Key), strings.Compare(a.Path, b.Path), strings.Compare(a.Numbers, b.Numbers),
		cmp.Compare(strconv.FormatBool(a.Pending), strconv.FormatBool(b.Pending)))
}

func containerDevice(line *ContainerLine) (ContainerDevice, bool) {
	device := ContainerDevice{Key: line.Key, Pending: line.Pending}
	switch {
	case numberedKey.MatchString(line.Key):
		source, _, _ := strings.Cut(line.Value, ",")
		source = strings.TrimPrefix(strings.TrimPrefix(source, "path="), "volume=")
		file, ok := ParseGPUFile(source)
		device.Path = file.Path
		return device, ok
	case line.Key == mountEntry:
		fields := strings.Fields(line.Value)
		if len(fields) == 0 {
			return device, false
		}
		file, ok := ParseGPUFile(fields[0])
		device.Path = file.Path
		return device, ok
	case allowKey(line.Key):
		var ok bool
		if device.Path, ok = ruleFile(line.Value); ok {
			device.Numbers = strings.Fields(line.Value)[1]
		}
		return device, ok
	default:
		return device, false
	}
}

// Character device majors that the kernel assigns for good. Those of nvidia-uvm and
// kfd differ from start to start, so a rule with them tells nothing.
const (
	majorDRI    = "226"
	majorNvidia = "195"
)

// ruleFile gives the file that a rule such as "c 226:128 rwm" stands for: the whole
// folder for any minor number.
func ruleFile(rule string) (name string, ok bool) {
	fields := strings.Fields(rule)
	if len(fields) < 2 || fields[0] != "c" {
		return "", false
	}
	major, minor, _ := strings.Cut(fields[1], ":")
	n, err := strconv.ParseUint(minor, 10, 8)
	if minor != "*" && (err != nil || strconv.FormatUint(n, 10) != minor) {
		return "", false
	}
	switch {
	case major == majorDRI && minor == "*":
		return driFolder, true
	case major == majorDRI:
		return driFile(n)
	case major == majorNvidia && minor == "*", major == majorNvidia && n == 255:
		return "/dev/nvidiactl", true
	case major == majorNvidia && n == 254:
		return "/dev/nvidia-modeset", true
	case major == majorNvidia:
		return "/dev/nvidia" + minor, true
	default:
		return "", false
	}
}

// driFile names a file by its minor number, as the kernel's DRM does.
func driFile(minor uint64) (string, bool) {
	const perKind = 64
	kinds := []string{"card", "controlD", "renderD"}
	kind := minor / perKind
	if kind >= uint64(len(kinds)) {
		return "", false
	}
	return driFolder + "/" + kinds[kind] + strconv.FormatUint(minor, 10), true
}

// GPUFileKind says what a device file of a GPU driver stands for.
type GPUFileKind int

// The kinds of device files.
const (
	DRIFile       GPUFileKind = iota // one card of any driver
	DRIFolder                        // every card that has such a file
	NvidiaFile                       // one card of NVIDIA's driver
	NvidiaControl                    // a file that NVIDIA's driver has once for all cards
	KFD                              // the file that amdgpu has once for all cards
)

// GPUFile is a device file, or a folder of them, of the host.
type GPUFile struct {
	Path string // in its plain form
	Kind GPUFileKind
	// Address is told by names below /dev/dri/by-path; nil otherwise.
	Address *pci.Address
}

const driFolder = "/dev/dri"

var (
	driName    = regexp.MustCompile(`^(card|renderD|controlD)\d{1,4}$`)
	byPathName = regexp.MustCompile(`^by-path/pci-([0-9a-f:.]+)-(card|render)$`)
	nvidiaCard = regexp.MustCompile(`^/dev/nvidia\d{1,3}$`)
	nvidiaOnce = regexp.MustCompile(`^/dev/(nvidiactl|nvidia-uvm|nvidia-uvm-tools|nvidia-modeset|nvidia-caps(/nvidia-cap\d{1,4})?)$`)
)

// ParseGPUFile recognises the path of a device file of a GPU.
func ParseGPUFile(name string) (GPUFile, bool) {
	if !path.IsAbs(name) {
		return GPUFile{}, false
	}
	file := GPUFile{Path: path.Clean(name)}
	below, inDRI := strings.CutPrefix(file.Path, driFolder+"/")
	switch {
	case file.Path == driFolder, inDRI && below == "by-path":
		file.Kind = DRIFolder
	case inDRI && driName.MatchString(below):
		file.Kind = DRIFile
	case inDRI && file.readAddress(below):
	case nvidiaCard.MatchString(file.Path):
		file.Kind = NvidiaFile
	case nvidiaOnce.MatchString(file.Path):
		file.Kind = NvidiaControl
	case file.Path == "/dev/kfd":
		file.Kind = KFD
	default:
		return GPUFile{}, false
	}
	return file, true
}

func (f *GPUFile) readAddress(name string) bool {
	match := byPathName.FindStringSubmatch(name)
	if match == nil {
		return false
	}
	address, err := pci.ParseAddress(match[1])
	f.Kind, f.Address = DRIFile, &address
	return err == nil
}
