package pvesim

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Tree is the part of a node's file system that pciatlas reads: texts by path,
// targets of links by path, and folders that may be empty. It has the shape of
// root in the scenarios.
type Tree struct {
	Files map[string]string `json:"files"`
	Links map[string]string `json:"links"`
	Dirs  []string          `json:"dirs"`
}

// WriteTo writes the tree below a folder.
func (t Tree) WriteTo(root string) error {
	for _, dir := range t.Dirs {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o750); err != nil {
			return fmt.Errorf("write simulated tree: %w", err)
		}
	}
	for path, text := range t.Files {
		full := filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(full), 0o750); err != nil {
			return fmt.Errorf("write simulated tree: %w", err)
		}
		if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
			return fmt.Errorf("write simulated tree: %w", err)
		}
	}
	for path, target := range t.Links {
		full := filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(full), 0o750); err != nil {
			return fmt.Errorf("write simulated tree: %w", err)
		}
		if err := os.Symlink(target, full); err != nil {
			return fmt.Errorf("write simulated tree: %w", err)
		}
	}
	return nil
}

// Tree gives the files that a reader with full rights finds on a node. The
// cluster file system is mounted and quorate there.
func (w *World) Tree(node string) Tree {
	t := Tree{Files: map[string]string{}, Links: map[string]string{}, Dirs: []string{
		"etc/pve/mapping", "etc/pve/nodes", "run/qemu-server", "sys/bus/pci/devices", "sys/class/iommu",
	}}
	local := w.Node(node)
	t.Files["etc/hostname"] = node + "\n"
	t.Links["etc/pve/local"] = "nodes/" + node
	t.Links["etc/pve/qemu-server"] = "local/qemu-server"
	t.Links["etc/pve/lxc"] = "local/lxc"
	w.addCluster(&t, node)
	w.addGuests(&t, node)
	for i := range local.Devices {
		local.addDevice(&t, &local.Devices[i])
	}
	t.Files["proc/cmdline"] = local.CommandLine + "\n"
	if !local.NoIOMMU {
		t.Dirs = append(t.Dirs, "sys/class/iommu/dmar0")
	}
	return t
}

func (w *World) addCluster(t *Tree, local string) {
	members := map[string]any{"nodename": local, "version": 7}
	if w.Cluster != "" {
		list := map[string]any{}
		for i := range w.Nodes {
			list[w.Nodes[i].Name] = map[string]any{
				"id": i + 1, "online": boolNumber(!w.Nodes[i].Offline), "ip": fmt.Sprintf("192.0.2.%d", i+1),
			}
		}
		members["nodelist"] = list
		members["cluster"] = map[string]any{"name": w.Cluster, "version": 4, "nodes": len(w.Nodes), "quorate": 1}
	}
	t.Files["etc/pve/.members"] = mustJSON(members)
	for i := range w.Nodes {
		for _, kind := range []string{"qemu-server", "lxc"} {
			t.Dirs = append(t.Dirs, "etc/pve/nodes/"+w.Nodes[i].Name+"/"+kind)
		}
	}
	if w.MappingCfg != "" {
		t.Files["etc/pve/mapping/pci.cfg"] = w.MappingCfg
	}
	if w.UserCfg != "" {
		t.Files["etc/pve/user.cfg"] = w.UserCfg
	}
	for path, text := range w.Files {
		t.Files["etc/pve/"+path] = text
	}
}

func (w *World) addGuests(t *Tree, local string) {
	ids := map[string]any{}
	for i := range w.Guests {
		guest := &w.Guests[i]
		folder := "qemu-server"
		if guest.Kind == LXC {
			folder = "lxc"
		}
		t.Files[fmt.Sprintf("etc/pve/nodes/%s/%s/%d.conf", guest.Node, folder, guest.VMID)] = guest.Config
		ids[strconv.Itoa(guest.VMID)] = map[string]any{"node": guest.Node, "type": string(guest.Kind), "version": i + 1}
		if guest.Running && guest.Node == local && guest.Kind == QEMU {
			t.Files[fmt.Sprintf("run/qemu-server/%d.pid", guest.VMID)] = strconv.Itoa(pidOf(guest)) + "\n"
		}
	}
	t.Files["etc/pve/.vmlist"] = mustJSON(map[string]any{"version": 1, "ids": ids})
}

// pidOf gives the process number of a running guest.
func pidOf(guest *Guest) int { return cmp.Or(guest.PID, 2000+guest.VMID) }

func (n *Node) addDevice(t *Tree, d *Device) {
	base := "sys/bus/pci/devices/" + d.Address
	t.Files[base+"/vendor"] = "0x" + d.Vendor + "\n"
	t.Files[base+"/device"] = "0x" + d.Device + "\n"
	t.Files[base+"/class"] = "0x" + d.Class + "\n"
	t.Files[base+"/irq"] = "16\n"
	if vendor, device, ok := strings.Cut(d.Subsystem, ":"); ok {
		t.Files[base+"/subsystem_vendor"] = "0x" + vendor + "\n"
		t.Files[base+"/subsystem_device"] = "0x" + device + "\n"
	}
	if d.Group != NoGroup {
		t.Links[base+"/iommu_group"] = fmt.Sprintf("../../../../kernel/iommu_groups/%d", d.Group)
		t.Links[fmt.Sprintf("sys/kernel/iommu_groups/%d/devices/%s", d.Group, d.Address)] = "../../../../bus/pci/devices/" + d.Address
	}
	if d.Driver != "" {
		t.Links[base+"/driver"] = "../../../../bus/pci/drivers/" + d.Driver
	}
	if d.BusBelow {
		t.Dirs = append(t.Dirs, base+"/pci_bus")
	}
	if strings.HasPrefix(d.Class, "0300") {
		t.Files[base+"/boot_vga"] = strconv.Itoa(boolNumber(d.BootVGA)) + "\n"
	}
	n.addVirtual(t, d, base)
	n.addMdev(t, d, base)
}

// addVirtual links physical and virtual functions with each other.
func (n *Node) addVirtual(t *Tree, d *Device, base string) {
	if d.Parent != "" {
		t.Links[base+"/physfn"] = "../" + d.Parent
	}
	count := 0
	for i := range n.Devices {
		if n.Devices[i].Parent == d.Address {
			t.Links[fmt.Sprintf("%s/virtfn%d", base, count)] = "../" + n.Devices[i].Address
			count++
		}
	}
}

func (n *Node) addMdev(t *Tree, d *Device, base string) {
	if d.NvidiaVGPU {
		t.Dirs = append(t.Dirs, base+"/nvidia")
		var list strings.Builder
		list.WriteString("ID    : vGPU Name\n")
		for _, mdev := range d.MdevTypes {
			list.WriteString(strings.TrimPrefix(mdev.Type, "nvidia-") + "   : " + mdev.Name + "\n")
		}
		t.Files[base+"/nvidia/creatable_vgpu_types"] = list.String()
		return
	}
	for _, mdev := range d.MdevTypes {
		folder := base + "/mdev_supported_types/" + mdev.Type
		t.Files[folder+"/name"] = mdev.Name + "\n"
		t.Files[folder+"/description"] = mdev.Description + "\n"
		t.Files[folder+"/available_instances"] = strconv.Itoa(mdev.Available) + "\n"
	}
}

func boolNumber(b bool) int {
	if b {
		return 1
	}
	return 0
}

func mustJSON(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("pvesim: %v", err)) // only plain maps come here
	}
	return string(text)
}
