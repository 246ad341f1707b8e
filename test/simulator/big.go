package main

import (
	"fmt"
	"strings"

	"pciatlas/internal/pvesim"
)

// The size that the console has to stay smooth at.
const (
	bigNodes    = 16
	bigDisplays = 5000
	bigVMs      = 10_000
	bigPools    = 8
)

// bigWorld has displays of which some are named by one VM, some by several, some
// by none, and some by mappings of several entries. Most are virtual functions.
func bigWorld() *pvesim.World {
	world := withAccess(&pvesim.World{Cluster: "big"})
	var entries [bigPools][]string
	for n := range bigNodes {
		node := pvesim.Node{Name: fmt.Sprintf("node-%02d", n+1), CommandLine: "quiet intel_iommu=on iommu=pt", CPUs: 128}
		node.Devices = bigDevices(displaysOf(n))
		world.Nodes = append(world.Nodes, node)
		first, last := len(world.Guests), (n+1)*bigVMs/bigNodes
		for i, device := range node.Devices {
			pool := i % bigPools
			switch kind := i % 10; {
			case kind < 3:
				for range 3 {
					world.Guests = append(world.Guests, bigVM(len(world.Guests), node.Name, device.Address))
				}
			case kind < 7:
				world.Guests = append(world.Guests, bigVM(len(world.Guests), node.Name, device.Address))
			case kind == 7:
				entries[pool] = append(entries[pool], entryOf(node.Name, device))
				world.Guests = append(world.Guests, bigVM(len(world.Guests), node.Name, fmt.Sprintf("mapping=pool-%d", pool+1)))
			}
			if len(world.Guests)-first > last-first {
				panic("a node has more VMs than it should")
			}
		}
		for len(world.Guests) < last {
			world.Guests = append(world.Guests, bigVM(len(world.Guests), node.Name, ""))
		}
	}
	var mappings strings.Builder
	for pool, lines := range entries {
		fmt.Fprintf(&mappings, "pool-%d\n\tdescription Cards of any node\n\t%s\n\n", pool+1, strings.Join(lines, "\n\t"))
	}
	world.MappingCfg = mappings.String()
	return world
}

// displaysOf is how many displays the n-th node has.
func displaysOf(n int) int {
	return (n+1)*bigDisplays/bigNodes - n*bigDisplays/bigNodes
}

// bigDevices gives displays: cards with 31 virtual functions each, and whole ones
// for the rest.
func bigDevices(displays int) []pvesim.Device {
	const functions = 31
	devices := make([]pvesim.Device, 0, displays)
	for bus := 1; len(devices) < displays; bus++ {
		physical := pvesim.Device{
			Address: fmt.Sprintf("0000:%02x:00.0", bus), Vendor: "8086", Device: "56c0", Subsystem: "8086:4905", Class: "038000",
			Group: bus * 64, Driver: "i915",
		}
		if displays-len(devices) <= functions {
			physical.Vendor, physical.Device, physical.Subsystem, physical.Class = "10de", "2204", "1458:403b", "030000"
			physical.Driver = "vfio-pci"
			devices = append(devices, physical)
			continue
		}
		devices = append(devices, physical)
		for n := 1; n <= functions; n++ {
			virtual := physical
			virtual.Address = fmt.Sprintf("0000:%02x:%02x.%d", bus, n/8, n%8)
			virtual.Group, virtual.Driver, virtual.Parent = physical.Group+n, "vfio-pci", physical.Address
			devices = append(devices, virtual)
		}
	}
	return devices
}

func entryOf(node string, d pvesim.Device) string {
	return fmt.Sprintf("map id=%s:%s,iommugroup=%d,node=%s,path=%s,subsystem-id=%s", d.Vendor, d.Device, d.Group, node, d.Address, d.Subsystem)
}

// bigVM gives the n-th VM. It names a device unless that is "".
func bigVM(n int, node, device string) pvesim.Guest {
	config := fmt.Sprintf("cores: 4\nmachine: q35\nmemory: 8192\nname: desktop-%05d\nscsi0: local-lvm:vm-%d-disk-0,size=64G\n", n+1, 1000+n)
	if device != "" {
		config += "hostpci0: " + device + ",pcie=1\n"
	}
	return pvesim.Guest{VMID: 1000 + n, Kind: pvesim.QEMU, Node: node, Running: n%3 == 0, Config: config}
}
