package findings

import (
	"strings"
	"testing"

	"pciatlas/internal/facts"
)

func groupCommandLine(present bool, words ...string) func(*facts.Snapshot) {
	return func(s *facts.Snapshot) {
		s.Nodes["pve-a"].IOMMU = facts.Read[facts.IOMMU]{State: facts.OK, Value: facts.IOMMU{Present: present, CommandLine: words}}
	}
}

func TestGroupIOMMURules(t *testing.T) {
	t.Parallel()
	const none = "0000:01:00.0 030000 10de:2204 -"
	const untold = "0000:01:00.0 030000 10de:2204 ?"
	passes := []string{"101 stopped hostpci0: 01:00.0"}
	deviceRun(t, []deviceCase{
		{"API", NoIOMMU, deviceWorld{devices: []string{none}, vms: passes}, []string{"error"}},
		{"read", NoIOMMU, deviceWorld{devices: []string{none + " driver=nvidia"}, vms: passes, change: groupCommandLine(false)}, []string{"error"}},
		{"is there", NoIOMMU, deviceWorld{devices: []string{none + " driver=nvidia"}, vms: passes, change: groupCommandLine(true)}, nil},
		{"host, not read", NoIOMMU, deviceWorld{devices: []string{none + " driver=nvidia"}, vms: passes}, nil},
		{"a slice", NoIOMMU, deviceWorld{devices: []string{none + " mdev"}, vms: []string{"101 stopped hostpci0: 01:00.0,mdev=a"}}, []string{"error"}},
		{"a group", NoIOMMU, deviceWorld{devices: []string{none, deviceOther}, vms: passes}, nil},
		{"nothing passed", NoIOMMU, deviceWorld{devices: []string{none}, vms: []string{"101 stopped memory: 512"}}, nil},
		{"groups not told", NoIOMMU, deviceWorld{devices: []string{untold}, vms: passes}, nil},

		{"none", NoIOMMUGroup, deviceWorld{devices: []string{none, deviceOther}, vms: passes}, []string{"error vmid:101 slot:hostpci0 device:0000:01:00.0"}},
		{"a slice", NoIOMMUGroup, deviceWorld{devices: []string{none + " mdev"}, vms: []string{"101 stopped hostpci0: 01:00.0,mdev=a"}}, nil},
		{"not told", NoIOMMUGroup, deviceWorld{devices: []string{untold}, vms: passes}, nil},
		{"group 0", NoIOMMUGroup, deviceWorld{devices: []string{"0000:01:00.0 030000 10de:2204 0"}, vms: passes}, nil},

		{"set", ACSOverrideActive, deviceWorld{devices: []string{deviceGPU}, change: groupCommandLine(true, "quiet", "pcie_acs_override=downstream")}, []string{"warning"}},
		{"not set", ACSOverrideActive, deviceWorld{devices: []string{deviceGPU}, change: groupCommandLine(true, "intel_iommu=on")}, nil},
		{"not read", ACSOverrideActive, deviceWorld{devices: []string{deviceGPU}}, nil},
	})
}

func TestGroupMateRules(t *testing.T) {
	t.Parallel()
	const nic = "0000:03:00.0 020000 8086:1521 14"
	const nicUntold = "0000:03:00.0 020000 8086:1521 ?"
	const bridge = "0000:00:01.0 060400 8086:1901 14"
	const hostBridge = "0000:00:00.0 060000 8086:1901 14"
	passes := []string{"101 stopped hostpci0: 01:00.0"}
	taken := []string{"warning vmid:101 slot:hostpci0"}
	const usb = "0000:01:00.2 0c0330 10de:1ad8 14"
	bound := []string{"info vmid:101 slot:hostpci0"}
	const pool = "gpu|\tmap id=10de:2204,iommugroup=14,node=pve-a,path=0000:01:00.0|\tmap id=10de:2204,iommugroup=14,node=pve-a,path=0000:02:00.0"
	pooled := []string{deviceGPU, "0000:02:00.0 030000 10de:2204 14"}
	starting := []string{"101 stopped onboot: 1|hostpci0: mapping=gpu", "102 stopped onboot: 1|hostpci0: mapping=gpu"}
	both := []string{"101 running hostpci0: 01:00.0", "102 stopped hostpci0: 03:00.0"}
	deviceRun(t, []deviceCase{
		{"two VMs", GroupShared, deviceWorld{devices: []string{bridge, deviceGPU, nic}, vms: both}, []string{"warning device:0000:01:00.0"}},
		{"one starts by itself", GroupShared, deviceWorld{devices: []string{deviceGPU, nic}, vms: []string{both[0], "102 stopped onboot: 1|hostpci0: 03:00.0"}}, []string{"error device:0000:01:00.0"}},
		{"HA not read", GroupShared, deviceWorld{
			devices: []string{deviceGPU, nic}, vms: []string{both[0], "102 stopped onboot: 1|hostpci0: 03:00.0"},
			change: func(s *facts.Snapshot) { s.HA.State = facts.Failed },
		}, []string{"warning device:0000:01:00.0"}},
		{"a pool within the group", GroupShared, deviceWorld{devices: pooled, vms: starting, mappings: pool}, []string{"error device:0000:01:00.0"}},
		{"a pool, nobody starts by itself", GroupShared, deviceWorld{devices: pooled, vms: []string{"101 stopped hostpci0: mapping=gpu", "102 stopped hostpci0: mapping=gpu"}, mappings: pool}, []string{"warning device:0000:01:00.0"}},
		{"a pool and one of its functions", GroupShared, deviceWorld{devices: pooled, vms: []string{"101 stopped hostpci0: mapping=gpu", "102 stopped hostpci0: 01:00.0"}, mappings: pool}, []string{"warning device:0000:01:00.0"}},
		{"a pool of two groups", GroupShared, deviceWorld{devices: []string{deviceGPU, deviceOther}, vms: starting, mappings: strings.Replace(pool, "14,node=pve-a,path=0000:02", "15,node=pve-a,path=0000:02", 1)}, nil},
		{"a pool for one VM", GroupShared, deviceWorld{devices: pooled, vms: starting[:1], mappings: pool}, nil},
		{"one VM", GroupShared, deviceWorld{devices: []string{deviceGPU, nic}, vms: []string{"101 stopped hostpci0: 01:00.0|hostpci1: 03:00.0"}}, nil},
		{"the same function", GroupShared, deviceWorld{devices: []string{deviceGPU, nic}, vms: []string{both[0], "102 stopped hostpci0: 01:00.0"}}, nil},
		{"a slice", GroupShared, deviceWorld{devices: []string{deviceGPU + " mdev", nic}, vms: []string{"101 running hostpci0: 01:00.0,mdev=a", both[1]}}, nil},
		{"group not told", GroupShared, deviceWorld{devices: []string{deviceGPU, nicUntold}, vms: both}, nil},

		{"NIC", GroupTakesHostDevice, deviceWorld{devices: []string{bridge, deviceGPU, nic}, vms: passes}, taken},
		{"another VM's", GroupTakesHostDevice, deviceWorld{devices: []string{deviceGPU, nic}, vms: both}, nil},
		{"another VM's slice", GroupTakesHostDevice, deviceWorld{devices: []string{deviceGPU + " mdev", deviceSound}, vms: []string{"101 running hostpci0: 01:00.0,mdev=a", "102 stopped hostpci0: 01:00.1"}}, []string{"warning vmid:102 slot:hostpci0"}},
		{"its own slice", GroupTakesHostDevice, deviceWorld{devices: []string{deviceGPU + " mdev", deviceSound}, vms: []string{"101 stopped hostpci0: 01:00.0,mdev=a|hostpci1: 01:00.1"}}, []string{"warning vmid:101 slot:hostpci1"}},
		{"another VM's alternative", GroupTakesHostDevice, deviceWorld{devices: []string{deviceGPU, deviceOther, nic}, vms: []string{"101 stopped hostpci0: 03:00.0", "102 stopped hostpci0: mapping=gpu"}, mappings: strings.Replace(pool, "14,node=pve-a,path=0000:02", "15,node=pve-a,path=0000:02", 1)}, []string{"warning vmid:101 slot:hostpci0"}},
		{"its own alternatives", GroupTakesHostDevice, deviceWorld{devices: pooled, vms: starting[:1], mappings: pool}, nil},
		{"a template's", GroupTakesHostDevice, deviceWorld{devices: []string{deviceGPU, nic}, vms: []string{passes[0], "102 stopped template: 1|hostpci0: 03:00.0"}}, taken},
		{"once for two lines", GroupTakesHostDevice, deviceWorld{devices: []string{deviceGPU, deviceSound, nic}, vms: []string{"101 stopped hostpci0: 01:00.0|hostpci1: 01:00.1"}}, taken},
		{"USB of the card from two lines", GroupTakesHostDevice, deviceWorld{devices: []string{deviceGPU, deviceSound, usb}, vms: []string{"101 stopped hostpci0: 01:00.1|hostpci1: 01:00.0"}}, nil},
		{"USB of the card from two lines", GroupMateBound, deviceWorld{devices: []string{deviceGPU, deviceSound, usb}, vms: []string{"101 stopped hostpci0: 01:00.1|hostpci1: 01:00.0"}}, bound},
		{"bridge only", GroupTakesHostDevice, deviceWorld{devices: []string{bridge, deviceGPU}, vms: passes}, nil},
		{"a slice", GroupTakesHostDevice, deviceWorld{devices: []string{deviceGPU + " mdev", nic}, vms: []string{"101 stopped hostpci0: 01:00.0,mdev=a"}}, nil},
		{"driver=keep", GroupTakesHostDevice, deviceWorld{devices: []string{deviceGPU, nic}, vms: []string{"101 stopped hostpci0: 01:00.0,driver=keep"}}, nil},
		{"waits for VMs", GroupTakesHostDevice, deviceWorld{devices: []string{deviceGPU, nic + " driver=vfio-pci"}, vms: passes}, nil},
		{"template", GroupTakesHostDevice, deviceWorld{devices: []string{deviceGPU, nic}, vms: []string{"101 stopped template: 1|hostpci0: 01:00.0"}}, nil},
		{"group not told", GroupTakesHostDevice, deviceWorld{devices: []string{deviceGPU, nicUntold}, vms: passes}, nil},

		{"sound", GroupMateBound, deviceWorld{devices: []string{deviceGPU, deviceSound}, vms: passes}, []string{"info vmid:101 slot:hostpci0"}},
		{"host bridge", GroupMateBound, deviceWorld{devices: []string{hostBridge, deviceGPU}, vms: passes}, []string{"info vmid:101 slot:hostpci0"}},
		{"whole slot", GroupMateBound, deviceWorld{devices: []string{deviceGPU, deviceSound}, vms: []string{"101 stopped hostpci0: 01:00"}}, nil},
		{"with a NIC", GroupMateBound, deviceWorld{devices: []string{deviceGPU, deviceSound, nic}, vms: passes}, nil},
		{"group not told", GroupMateBound, deviceWorld{devices: []string{deviceGPU, "0000:01:00.1 040300 10de:1aef ?"}, vms: passes}, nil},
	})
}

// TestGroupTakenWords: what VMs lose that want a taken function in another way.
func TestGroupTakenWords(t *testing.T) {
	t.Parallel()
	devices := []string{deviceGPU + " mdev", deviceSound}
	for status, want := range map[string]string{
		"running": "VM 101 is running with a mediated device of it (hostpci0) and loses that",
		"stopped": "VM 101 gets no mediated device of it (hostpci0) any more",
	} {
		world := deviceWorld{devices: devices, vms: []string{"101 " + status + " hostpci0: 01:00.0,mdev=a", "102 stopped hostpci0: 01:00.1"}}
		f := firstOf(t, world.find(t), GroupTakesHostDevice)
		if !strings.Contains(f.Sentence, want) || len(f.vms) == 0 || f.vms[len(f.vms)-1].vmid != 101 {
			t.Errorf("%s: %+v", status, f)
		}
	}
}
