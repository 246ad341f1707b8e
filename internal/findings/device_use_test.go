package findings

import (
	"slices"
	"strings"
	"testing"

	"pciatlas/internal/facts"
)

// deviceUsed tells of one function, by its place in the list, what the host uses it
// for; of the others that it is not told.
func deviceUsed(at int, uses ...facts.Use) func(*facts.Snapshot) {
	return func(s *facts.Snapshot) {
		for i := range s.Nodes["pve-a"].Devices.Value {
			s.Nodes["pve-a"].Devices.Value[i].Host = &facts.HostDevice{}
		}
		s.Nodes["pve-a"].Devices.Value[at].Host.Uses = facts.Told(uses)
	}
}

var (
	deviceUseRoot   = facts.Use{Kind: facts.UseStorage, Name: "/", Through: "/dev/mapper/pve-root", File: "proc/mounts"}
	deviceUseSwap   = facts.Use{Kind: facts.UseStorage, Name: facts.UseSwap, Through: "/dev/dm-1", File: "proc/swaps"}
	deviceUseBridge = facts.Use{Kind: facts.UseNetwork, Name: "vmbr0", Through: "eno1", File: "sys/class/net/eno1/master"}
	deviceUseScreen = facts.Use{Kind: facts.UseConsole, Name: "fb0", File: "sys/class/graphics/fb0"}
)

func TestDeviceUsedByHost(t *testing.T) {
	t.Parallel()
	const disks, nic, other, usb = "0000:00:17.0 010601 8086:7ae2 9", "0000:03:00.0 020000 8086:1521 14", "0000:04:00.0 020000 8086:1521 15", "0000:00:14.0 0c0330 8086:9ded 5"
	const mapped = "disks|\tmap id=8086:7ae2,node=pve-a,path=0000:00:17.0|"
	many := strings.Replace(mapped, "0000:00:17.0|", "0000:00:17.0|\tmap id=8086:1521,node=pve-a,path=0000:03:00.0|", 1)
	passes := []string{"101 stopped hostpci0: 00:17.0"}
	deviceRun(t, []deviceCase{
		{"disks, not told", HostDevicePassed, deviceWorld{devices: []string{disks, nic}, vms: passes}, []string{"warning vmid:101 slot:hostpci0 device:0000:00:17.0"}},
		{"disks, told none", HostDevicePassed, deviceWorld{devices: []string{disks, nic}, vms: passes, change: deviceUsed(0)}, []string{"warning vmid:101 slot:hostpci0 device:0000:00:17.0"}},
		{"disks", HostDevicePassed, deviceWorld{devices: []string{disks, nic}, vms: passes, change: deviceUsed(0, deviceUseRoot)}, []string{"error vmid:101 slot:hostpci0 device:0000:00:17.0"}},
		{"by mapping", HostDevicePassed, deviceWorld{
			devices: []string{disks, nic}, mappings: mapped, vms: []string{"101 stopped hostpci0: mapping=disks"}, change: deviceUsed(0, deviceUseRoot),
		}, []string{"error vmid:101 slot:hostpci0 mapping:disks device:0000:00:17.0"}},
		{"by mapping, not told", HostDevicePassed, deviceWorld{devices: []string{disks, nic}, mappings: mapped, vms: []string{"101 stopped hostpci0: mapping=disks"}}, nil},
		{"one of two", HostDevicePassed, deviceWorld{
			devices: []string{disks, nic}, mappings: many, vms: []string{"101 stopped hostpci0: mapping=disks"}, change: deviceUsed(0, deviceUseRoot),
		}, nil},
		{"one NIC of two", HostDevicePassed, deviceWorld{
			devices: []string{nic, other}, vms: []string{"101 stopped hostpci0: 03:00.0"}, change: deviceUsed(0, deviceUseBridge),
		}, []string{"error vmid:101 slot:hostpci0 device:0000:03:00.0"}},
		{"the other NIC", HostDevicePassed, deviceWorld{
			devices: []string{nic, other}, vms: []string{"101 stopped hostpci0: 04:00.0"}, change: deviceUsed(0, deviceUseBridge),
		}, nil},
		{"VF in a bridge", HostDevicePassed, deviceWorld{
			devices: []string{nic + " vf=0000:04:00.0", other}, vms: []string{"101 stopped hostpci0: 03:00.0"}, change: deviceUsed(0, deviceUseBridge),
		}, []string{"error vmid:101 slot:hostpci0 device:0000:03:00.0"}},
		{"console", HostDevicePassed, deviceWorld{
			devices: []string{deviceGPU}, vms: []string{"101 stopped hostpci0: 01:00.0"}, change: deviceUsed(0, deviceUseScreen),
		}, []string{"error vmid:101 slot:hostpci0 device:0000:01:00.0"}},
		{"stick", HostDevicePassed, deviceWorld{
			devices: []string{usb}, vms: []string{"101 stopped hostpci0: 00:14.0"}, change: deviceUsed(0, deviceUseRoot),
		}, []string{"error vmid:101 slot:hostpci0 device:0000:00:14.0"}},
		{"template", HostDevicePassed, deviceWorld{
			devices: []string{disks}, vms: []string{"101 stopped template: 1|hostpci0: 00:17.0"}, change: deviceUsed(0, deviceUseRoot),
		}, nil},

		{"bridge port", GroupTakesHostDevice, deviceWorld{
			devices: []string{deviceGPU, nic}, vms: []string{"101 stopped hostpci0: 01:00.0"}, change: deviceUsed(1, deviceUseBridge),
		}, []string{"error vmid:101 slot:hostpci0"}},
		{"no port", GroupTakesHostDevice, deviceWorld{
			devices: []string{deviceGPU, nic, other}, vms: []string{"101 stopped hostpci0: 01:00.0"}, change: deviceUsed(2, deviceUseBridge),
		}, []string{"warning vmid:101 slot:hostpci0"}},
		{"a companion with a disk", GroupTakesHostDevice, deviceWorld{
			devices: []string{deviceGPU, "0000:01:00.2 0c0330 10de:1ad6 14"}, vms: []string{"101 stopped hostpci0: 01:00.0"}, change: deviceUsed(1, deviceUseRoot),
		}, []string{"error vmid:101 slot:hostpci0"}},
		{"perhaps", GroupTakesHostDevice, deviceWorld{
			devices: []string{deviceGPU, nic, other}, change: deviceUsed(1, deviceUseBridge), vms: []string{"101 stopped hostpci0: mapping=any"},
			mappings: "any|\tmap id=10de:2204,node=pve-a,path=0000:01:00.0|\tmap id=8086:1521,node=pve-a,path=0000:04:00.0|",
		}, []string{"warning vmid:101 slot:hostpci0 mapping:any"}},
	})
}

// TestDeviceUseEvidence: a known use is told with the file and what it says.
func TestDeviceUseEvidence(t *testing.T) {
	t.Parallel()
	find := func(code Code, line string, at int, uses ...facts.Use) Finding {
		found := deviceWorld{
			devices: []string{deviceGPU, "0000:03:00.0 010601 8086:7ae2 14"}, vms: []string{"101 stopped hostpci0: " + line},
			change: deviceUsed(at, uses...),
		}.find(t)
		i := slices.IndexFunc(found, func(f Finding) bool { return f.Code == code })
		if i < 0 {
			t.Fatalf("no %s", code)
		}
		return found[i]
	}
	for _, c := range []struct {
		name           string
		finding        Finding
		sentence, want string
	}{
		{"disk", find(HostDevicePassed, "03:00.0", 1, deviceUseRoot, deviceUseSwap), "the host loses the disk with / and its swap space.", "/proc/mounts: /dev/mapper/pve-root on / (0000:03:00.0)"},
		{"swap", find(HostDevicePassed, "03:00.0", 1, deviceUseSwap), "the host loses the disk with its swap space.", "/proc/swaps: /dev/dm-1 is swap space (0000:03:00.0)"},
		{"console", find(HostDevicePassed, "01:00.0", 0, deviceUseScreen), "the host loses its console.", "/sys/class/graphics/fb0: framebuffer of the boot display (0000:01:00.0)"},
		{"network", find(GroupTakesHostDevice, "01:00.0", 1, deviceUseBridge), "loses eno1, which serves vmbr0 (0000:03:00.0).", "/sys/class/net/eno1/master: vmbr0 (0000:03:00.0)"},
	} {
		if !strings.HasSuffix(c.finding.Sentence, c.sentence) || !slices.Contains(c.finding.Evidence, c.want) {
			t.Errorf("%s: %q %q", c.name, c.finding.Sentence, c.finding.Evidence)
		}
	}
}
