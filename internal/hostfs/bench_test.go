package hostfs

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"pciatlas/internal/facts"
)

// The benchmarks read a cluster of 16 nodes and 64 devices from a warm disk. The
// goal is 150 ms for 3,000 VMs, and a cost that is linear in their number.
func BenchmarkRead300(b *testing.B)  { benchmarkRead(b, 300) }
func BenchmarkRead1000(b *testing.B) { benchmarkRead(b, 1000) }
func BenchmarkRead3000(b *testing.B) { benchmarkRead(b, 3000) }

func benchmarkRead(b *testing.B, vms int) {
	b.Helper()
	root := b.TempDir()
	bigTree(vms, 64).writeTo(b, root)
	options := Options{Root: root}
	check := func() facts.Snapshot {
		snapshot, err := Read(b.Context(), options)
		if err != nil {
			b.Fatal(err)
		}
		return snapshot
	}
	snapshot := check()
	if len(snapshot.Guests.Value) != vms || len(snapshot.Nodes["node-00"].Devices.Value) != 64 || snapshot.Guests.State != facts.OK {
		b.Fatalf("%d guests, %v", len(snapshot.Guests.Value), snapshot.Guests.Problems)
	}
	b.ReportAllocs()
	before := processorTime(b)
	for b.Loop() {
		check()
	}
	b.ReportMetric((processorTime(b)-before).Seconds()*1000/float64(b.N), "cpu-ms/op")
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(vms), "µs/VM")
}

// processorTime is what this process has used. On a machine that is busy with
// other work it says more than the time on the clock.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// bigTree is a cluster of 16 nodes whose VMs have files as Proxmox VE writes
// them, snapshots and descriptions included.
func bigTree(vms, devices int) tree {
	root := tree{Files: map[string]string{}, Links: map[string]string{"etc/pve/local": "nodes/node-00"}}
	var ids strings.Builder
	for i := range vms {
		at := place{guestID{100 + i, facts.QEMU}, fmt.Sprintf("node-%02d", i%16)}
		root.Files[at.file()] = vmText(i)
		if i > 0 {
			ids.WriteByte(',')
		}
		fmt.Fprintf(&ids, "\n\"%d\": { \"node\": %q, \"type\": \"qemu\", \"version\": %d }", at.vmid, at.node, i)
		if i%32 == 0 {
			root.Files[fmt.Sprintf("run/qemu-server/%d.pid", at.vmid)] = "4711\n"
		}
	}
	root.Files[vmListFile] = "{\n\"version\": 3,\n\"ids\": {" + ids.String() + "\n}\n}\n"
	root.Files[membersFile] = `{"nodename":"node-00","version":4}`
	for i := range devices {
		addDevice(root, i)
	}
	return root
}

func addDevice(root tree, i int) {
	folder := fmt.Sprintf("sys/bus/pci/devices/0000:%02x:%02x.%d/", i/8, i/2%4, i%2)
	for name, text := range map[string]string{
		"vendor": "0x10de", "device": fmt.Sprintf("0x%04x", 0x1b80+i), "class": "0x030000",
		"subsystem_vendor": "0x1462", "subsystem_device": fmt.Sprintf("0x%04x", 0x3300+i), "numa_node": "-1",
		"boot_vga": "0", "reset": "", "reset_method": "flr bus", "current_link_speed": "16.0 GT/s PCIe",
		"current_link_width": "16", "max_link_speed": "16.0 GT/s PCIe", "max_link_width": "16", "irq": "16",
		"resource": "0x0 0x0", "modalias": "pci:", "uevent": "DRIVER=vfio-pci", "enable": "1", "config": "x",
	} {
		root.Files[folder+name] = text + "\n"
	}
	root.Links[folder+"iommu_group"] = fmt.Sprintf("../../../../kernel/iommu_groups/%d", i)
	root.Links[folder+"driver"] = "../../../../bus/pci/drivers/vfio-pci"
}

func vmText(i int) string {
	text := "#A desktop of the lab%2C room 3\nagent: 1\nballoon: 0\nbios: ovmf\nboot: order=scsi0;net0\ncores: 8\ncpu: host\n" +
		"efidisk0: local-lvm:vm-1-disk-0,efitype=4m,pre-enrolled-keys=1,size=4M\nmachine: q35\nmemory: 16384\n" +
		"meta: creation-qemu=9.0.2,ctime=1728301234\nnet0: virtio=BC:24:11:00:01:01,bridge=vmbr0,firewall=1\n" +
		"numa: 0\nonboot: 1\nostype: win11\nscsi0: local-lvm:vm-1-disk-1,iothread=1,size=64G,ssd=1\nscsihw: virtio-scsi-single\n" +
		"smbios1: uuid=5f0c8a3e-3c1a-4b0e-9d2a-1b2c3d4e5f60\nsockets: 1\ntags: lab;gpu\nvga: none\nvmgenid: 0d7d3c9a-1111-2222-3333-444455556666\n"
	text += fmt.Sprintf("name: desktop-%d\nhostpci0: 0000:%02x:00.0,pcie=1,x-vga=1\n", i, i%64)
	if i%4 == 0 {
		text += "\n[before]\n" + text + "snaptime: 1728301234\n"
	}
	return text
}

// TestBigTree makes sure that the benchmarks measure what they say.
func TestBigTree(t *testing.T) {
	root := bigTree(64, 8).write(t)
	snapshot := mustRead(t, root)
	if len(snapshot.Guests.Value) != 64 || len(snapshot.Nodes) != 16 || len(snapshot.Nodes["node-00"].Devices.Value) != 8 {
		t.Errorf("%d guests, %d nodes", len(snapshot.Guests.Value), len(snapshot.Nodes))
	}
	if _, err := os.Stat(filepath.Join(root, vmListFile)); err != nil {
		t.Fatal(err)
	}
	if d := snapshot.Nodes["node-00"].Devices; d.State != facts.OK || d.Value[0].Host.Link.Width != 16 {
		t.Errorf("%+v", d)
	}
}
