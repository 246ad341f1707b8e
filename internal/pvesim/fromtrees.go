package pvesim

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// FromTrees makes a World from the files of its nodes, by node name: devices
// from sysfs, guests, mappings, access rules and policies from the cluster file
// system, which all nodes share, and what runs from the pid files of each node.
// Nodes that only the cluster file system names are off. The files do not tell
// which containers run. Trees that contradict each other are an error.
func FromTrees(trees map[string]Tree) (*World, error) {
	if len(trees) == 0 {
		return nil, errors.New("build simulated world: no trees")
	}
	shared, err := sharedFiles(trees)
	if err != nil {
		return nil, fmt.Errorf("build simulated world: %w", err)
	}
	w := &World{MappingCfg: shared["mapping/pci.cfg"], UserCfg: shared["user.cfg"]}
	for _, name := range slices.Sorted(maps.Keys(trees)) {
		w.Nodes = append(w.Nodes, nodeFromTree(name, trees[name]))
	}
	w.readMembers(shared[".members"])
	for _, file := range slices.Sorted(maps.Keys(shared)) {
		w.takeFile(file, shared[file])
	}
	for i := range w.Guests {
		w.Guests[i].takePID(trees[w.Guests[i].Node])
	}
	slices.SortFunc(w.Guests, func(a, b Guest) int { return a.VMID - b.VMID })
	return w, nil
}

const clusterRoot = "etc/pve/"

// sharedFiles joins the cluster file system of all trees, by path below /etc/pve.
func sharedFiles(trees map[string]Tree) (map[string]string, error) {
	shared := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(trees)) {
		for file, text := range trees[name].Files {
			below, ok := strings.CutPrefix(file, clusterRoot)
			if !ok {
				continue
			}
			if before, seen := shared[below]; seen && before != text && !strings.HasPrefix(below, ".") {
				return nil, fmt.Errorf("%s differs between nodes", file)
			}
			shared[below] = text
		}
	}
	return shared, nil
}

// readMembers takes the cluster's name and the nodes that are off from .members.
func (w *World) readMembers(text string) {
	var members struct {
		Cluster struct {
			Name string `json:"name"`
		} `json:"cluster"`
		Nodes map[string]struct {
			Online int `json:"online"`
		} `json:"nodelist"`
	}
	if json.Unmarshal([]byte(text), &members) != nil {
		return // there is none, or it says nothing
	}
	w.Cluster = members.Cluster.Name
	for _, name := range slices.Sorted(maps.Keys(members.Nodes)) {
		if w.Node(name) == nil {
			w.Nodes = append(w.Nodes, Node{Name: name, Offline: true})
		} else if members.Nodes[name].Online == 0 {
			w.Node(name).Offline = true
		}
	}
}

var guestFile = regexp.MustCompile(`^nodes/([^/]+)/(qemu-server|lxc)/([1-9]\d*)\.conf$`)

// takeFile puts one file of the cluster file system where it belongs.
func (w *World) takeFile(file, text string) {
	switch parts := guestFile.FindStringSubmatch(file); {
	case parts != nil:
		vmid, err := strconv.Atoi(parts[3])
		if err != nil {
			return
		}
		kind := QEMU
		if parts[2] == "lxc" {
			kind = LXC
		}
		w.Guests = append(w.Guests, Guest{VMID: vmid, Kind: kind, Node: parts[1], Config: text})
		if w.Node(parts[1]) == nil {
			w.Nodes = append(w.Nodes, Node{Name: parts[1], Offline: true})
		}
	case file == "mapping/pci.cfg" || file == "user.cfg" || strings.HasPrefix(file, "."):
	default:
		if w.Files == nil {
			w.Files = map[string]string{}
		}
		w.Files[file] = text
	}
}

// takePID tells a running guest by its pid file.
func (g *Guest) takePID(t Tree) {
	text, running := t.Files[fmt.Sprintf("run/qemu-server/%d.pid", g.VMID)]
	if !running || g.Kind != QEMU {
		return
	}
	g.Running = true
	if pid, err := strconv.Atoi(strings.TrimSpace(text)); err == nil && pid != pidOf(g) {
		g.PID = pid
	}
}

const deviceRoot = "sys/bus/pci/devices/"

func nodeFromTree(name string, t Tree) Node {
	node := Node{Name: name, CommandLine: strings.TrimSpace(t.Files["proc/cmdline"]), NoIOMMU: true}
	if words := strings.Fields(t.Files["proc/meminfo"]); len(words) > 1 && words[0] == "MemTotal:" {
		kib, _ := strconv.ParseInt(words[1], 10, 64)
		node.Memory = kib << 10
	}
	for _, dir := range t.Dirs {
		if strings.HasPrefix(dir, "sys/class/iommu/") {
			node.NoIOMMU = false
		}
	}
	for file := range t.Files {
		if below, ok := strings.CutPrefix(file, deviceRoot); ok && path.Base(below) == "vendor" && strings.Count(below, "/") == 1 {
			node.Devices = append(node.Devices, deviceFromTree(path.Dir(below), t))
		}
	}
	slices.SortFunc(node.Devices, func(a, b Device) int { return strings.Compare(a.Address, b.Address) })
	return node
}

func deviceFromTree(address string, t Tree) Device {
	base := deviceRoot + address
	read := func(name string) string {
		return strings.TrimPrefix(strings.TrimSpace(t.Files[base+"/"+name]), "0x")
	}
	d := Device{
		Address: address, Vendor: read("vendor"), Device: read("device"), Class: read("class"), Group: NoGroup,
		BootVGA: read("boot_vga") == "1", BusBelow: t.hasDir(base + "/pci_bus"),
	}
	if vendor := read("subsystem_vendor"); vendor != "" {
		d.Subsystem = vendor + ":" + read("subsystem_device")
	}
	if target, ok := t.Links[base+"/iommu_group"]; ok {
		if group, err := strconv.Atoi(path.Base(target)); err == nil {
			d.Group = group
		}
	}
	if target, ok := t.Links[base+"/driver"]; ok {
		d.Driver = path.Base(target)
	}
	if target, ok := t.Links[base+"/physfn"]; ok {
		d.Parent = path.Base(target)
	}
	d.takeMdev(base, t)
	return d
}

// hasDir tells whether a folder is listed or has something in it.
func (t Tree) hasDir(dir string) bool {
	if slices.Contains(t.Dirs, dir) {
		return true
	}
	for file := range t.Files {
		if strings.HasPrefix(file, dir+"/") {
			return true
		}
	}
	return slices.ContainsFunc(t.Dirs, func(d string) bool { return strings.HasPrefix(d, dir+"/") })
}

var vgpuLine = regexp.MustCompile(`^\s*(\d+)\s*:\s*(.*)$`)

// takeMdev reads the types of mediated device in both of their forms.
func (d *Device) takeMdev(base string, t Tree) {
	if d.NvidiaVGPU = t.hasDir(base + "/nvidia"); d.NvidiaVGPU {
		for line := range strings.Lines(t.Files[base+"/nvidia/creatable_vgpu_types"]) {
			if parts := vgpuLine.FindStringSubmatch(strings.TrimRight(line, "\n")); parts != nil {
				d.MdevTypes = append(d.MdevTypes, MdevType{Type: "nvidia-" + parts[1], Name: parts[2]})
			}
		}
		return
	}
	prefix := base + "/mdev_supported_types/"
	types := map[string]MdevType{}
	for file, text := range t.Files {
		below, ok := strings.CutPrefix(file, prefix)
		if !ok {
			continue
		}
		name, property, _ := strings.Cut(below, "/")
		mdev := types[name]
		mdev.Type = name
		mdev.set(property, text)
		types[name] = mdev
	}
	for _, name := range slices.Sorted(maps.Keys(types)) {
		d.MdevTypes = append(d.MdevTypes, types[name])
	}
}

func (m *MdevType) set(property, text string) {
	switch property {
	case "name":
		m.Name = strings.TrimSuffix(text, "\n")
	case "description":
		m.Description = strings.TrimSuffix(text, "\n")
	case "available_instances":
		if n, err := strconv.Atoi(strings.TrimSpace(text)); err == nil {
			m.Available = n
		}
	}
}
