package facts

import (
	"slices"
	"strings"

	"pciatlas/internal/pci"
	"pciatlas/internal/pve"
)

// Container is a container's configuration, as far as it matters: the lines that
// give it device files of GPUs. They hold nothing but names of such files.
type Container struct {
	Template bool                  `json:"template,omitempty"`
	Devices  []pve.ContainerDevice `json:"devices,omitempty"`
}

// CardFile is a device file of one function, as the node has it now.
type CardFile struct {
	Path    string      `json:"path"`
	Address pci.Address `json:"address"`
}

// maxContainerDevices is how many lines of one container are kept.
const maxContainerDevices = 256

// ReduceContainer makes facts of the lines of a container. This is the one gate
// through which its configuration enters the product.
func ReduceContainer(lines []pve.ContainerLine) Container {
	devices := pve.ContainerDevices(lines)
	devices = slices.Clone(devices[:min(len(devices), maxContainerDevices)])
	for i := range devices {
		device := &devices[i]
		device.Key, device.Path, device.Numbers = strings.Clone(device.Key), strings.Clone(device.Path), strings.Clone(device.Numbers)
	}
	template := slices.ContainsFunc(lines, func(l pve.ContainerLine) bool {
		return l.Key == "template" && l.Value == "1" && !l.Pending
	})
	return Container{Template: template, Devices: devices}
}

// containers leaves of the containers of a node nothing but names of device files.
func (a *anonymiser) containers(node *Node) {
	for vmid, read := range node.Containers {
		read.Value.Devices = slices.DeleteFunc(read.Value.Devices, func(d pve.ContainerDevice) bool { return !d.Valid() })
		a.nodeRead(&read.Stamp, read.Problems)
		node.Containers[vmid] = read
	}
	node.CardFiles.Value = slices.DeleteFunc(node.CardFiles.Value, func(f CardFile) bool {
		file, ok := pve.ParseGPUFile(f.Path)
		return !ok || file.Path != f.Path
	})
	a.nodeRead(&node.CardFiles.Stamp, node.CardFiles.Problems)
}
