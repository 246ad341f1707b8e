package main

import (
	"fmt"
	"net/url"
	"strings"

	"pciatlas/internal/pvesim"
)

// Texts that a page must show as they are.
const (
	markup    = `<img src=x onerror=alert(1)>`
	reversed  = "\u202eesrever\u202c \u05e9\u05dc\u05d5\u05dd" // an override, and Hebrew
	combining = "e\u0301a\u0323\u0302 Z\u0351\u036b\u0343\u036a\u0302\u036b\u033d\u034f\u0334\u0319\u0324\u031e\u0349\u035a\u032f\u031e\u0320\u034d"
)

// Names as long as Proxmox VE takes them, and such as JavaScript gives a meaning.
var (
	// A node's name is a DNS label.
	longNode = "node-" + strings.Repeat("x", 54) + "-end"
	// A VM's name has the form of a DNS name, of any length.
	longVM = strings.Repeat("vm-", 65) + "-last"
	// A mapping's id is a letter with letters, digits, _ and -.
	longMapping = "m" + strings.Repeat("_mapping", 25)[:199]
)

const builtinName = "constructor"

// namesWorld has names and texts at the limits of what Proxmox VE takes for each
// of them: only descriptions, comments, options with a free text and arguments
// can hold markup.
func namesWorld() *pvesim.World {
	world := withAccess(&pvesim.World{Cluster: "names", Nodes: []pvesim.Node{
		{Name: longNode, CommandLine: "quiet intel_iommu=on", Devices: namedDevices()},
		{Name: builtinName, CommandLine: "quiet intel_iommu=on", Devices: namedDevices()},
		{Name: "0", CommandLine: "quiet"},
	}})
	world.MappingCfg = namedMapping(longMapping, reversed+" "+combining) + namedMapping(builtinName, markup) +
		namedMapping("toString", strings.Repeat(markup, 140))
	world.Files = map[string]string{
		"ha/resources.cfg": "vm: 102\n\tcomment " + markup + "\n\tstate started\n\n",
		"ha/rules.cfg":     "node-affinity: " + builtinName + "\n\tcomment " + reversed + "\n\tnodes 0\n\tresources vm:102\n\tstrict 1\n\n",
	}
	for i, vm := range []struct {
		node, name, description string
		lines                   []string
	}{
		{longNode, longVM, "", []string{"hostpci0: mapping=" + longMapping + ",pcie=1"}},
		{longNode, builtinName, markup, []string{"hostpci0: 0000:01:00,romfile=" + markup + ".rom,pcie=1", "hostpci1: mapping=__none__"}},
		{builtinName, "toString", reversed, []string{"hostpci0: mapping=" + builtinName + ",mdev=" + markup, "hostpci1: mapping=toString"}},
		{builtinName, "a", combining, []string{"args: -device vfio-pci,host=0000:02:00.0 -name '" + markup + reversed + combining + "'"}},
		{longNode, "", strings.Repeat(reversed, 50), []string{"hostpci0: mapping=" + strings.Repeat("missing-", 25) + ",mdev=" + reversed}},
		{longNode, "tagged", "", []string{"hostpci0: 0000:02:00.0", "tags: " + strings.Repeat("tag-with-a-long-name+1.2_;", 20) + "vdi"}},
	} {
		world.Guests = append(world.Guests, namedVM(100+i, vm.node, vm.name, vm.description, vm.lines))
	}
	world.Guests = append(world.Guests, pvesim.Guest{VMID: 999999999, Kind: pvesim.LXC, Node: longNode, Running: true, Config: "#" + markup +
		"\narch: amd64\ndev0: /dev/dri/" + markup + "\nhostname: " + longVM + "\nlxc.mount.entry: /dev/nvidia0 dev/" + reversed +
		combining + " none bind,optional,create=file\nmemory: 512\nrootfs: local-lvm:vm-999999999-disk-0,size=8G\n"})
	return world
}

func namedDevices() []pvesim.Device {
	return []pvesim.Device{
		{
			Address: "0000:01:00.0", Vendor: "10de", Device: "2204", Subsystem: "1458:403b", Class: "030000", Group: 14, Driver: "vfio-pci",
		},
		{
			Address: "0000:02:00.0", Vendor: "10de", Device: "1bb3", Subsystem: "10de:11d8", Class: "030200", Group: 15, Driver: "nvidia",
			MdevTypes: []pvesim.MdevType{
				{Type: "nvidia-63", Name: markup, Description: reversed, Available: 1},
				{Type: builtinName, Name: combining, Description: strings.Repeat(markup, 40), Available: 4294967295},
			},
		},
		// Ids that no list knows, in a domain of its own.
		{Address: "10000:ff:1f.7", Vendor: "ffff", Device: "ffff", Class: "03ff00", Group: pvesim.NoGroup},
	}
}

func namedMapping(id, description string) string {
	return fmt.Sprintf("%s\n\tdescription %s\n"+
		"\tmap id=10de:2204,iommugroup=14,node=%s,path=0000:01:00.0,subsystem-id=1458:403b\n"+
		"\tmap id=10de:1bb3,iommugroup=15,node=%s,path=0000:02:00.0,subsystem-id=10de:11d8\n\n", id, description, longNode, builtinName)
}

// namedVM gives a VM; Proxmox VE keeps a description as comments, escaped.
func namedVM(vmid int, node, name, description string, lines []string) pvesim.Guest {
	var config strings.Builder
	if description != "" {
		config.WriteString("#" + strings.ReplaceAll(url.QueryEscape(description), "+", "%20") + "\n")
	}
	config.WriteString("machine: q35\nmemory: 2048\n")
	if name != "" {
		config.WriteString("name: " + name + "\n")
	}
	config.WriteString(strings.Join(lines, "\n") + "\n")
	return pvesim.Guest{VMID: vmid, Kind: pvesim.QEMU, Node: node, Running: vmid%2 == 0, Config: config.String()}
}
