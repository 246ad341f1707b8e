package findings_test

import (
	"strings"
	"testing"

	"pciatlas/internal/facts"
	"pciatlas/internal/findings"
)

func TestMoveFindings(t *testing.T) {
	vm := func(s findings.Subject) bool { return s.VMID == 101 }
	raw := []mappingVM{{ID: 101, Config: mappingHost("01:00.0,pcie=1")}}
	free := []mappingVM{{ID: 101, Config: mappingHost("02:00.0")}}
	one := []mappingVM{mappingUser(101)}
	live := mappingGood + "\tlive-migration-capable 1\n"
	ha := func(state string) func(*facts.Snapshot) {
		return func(s *facts.Snapshot) {
			s.HA.Value.Resources = []facts.HAResource{{VMID: 101, Kind: facts.QEMU, State: state}}
		}
	}
	job := func(job facts.BackupJob) func(*facts.Snapshot) {
		return func(s *facts.Snapshot) { s.Backups.Value = []facts.BackupJob{job} }
	}
	all := facts.BackupJob{ID: "nightly", Enabled: true, All: true}
	off := func(s *facts.Snapshot) { s.Members.Value[1].Online = facts.Told(false) }
	boot := func(id int, onboot string) mappingVM {
		return mappingVM{ID: id, Config: mappingHost("02:00.0", "onboot", onboot)}
	}
	for _, c := range []mappingCase{
		{Name: "flag", Code: findings.LiveFlagBlocksStart, File: live, VMs: one, Want: "warning", Subject: vm},
		{Name: "flag and viommu", Code: findings.LiveFlagBlocksStart, File: live, VMs: []mappingVM{mappingUser(101, "machine", "q35,viommu=intel")}, Want: "error", Subject: vm},
		{Name: "no flag", Code: findings.LiveFlagBlocksStart, File: mappingGood, VMs: one},
		{Name: "vGPU", Code: findings.LiveFlagBlocksStart, File: live, VMs: []mappingVM{{ID: 101, Config: mappingHost("mapping=gpu,mdev=nvidia-63")}}},
		{Name: "maker's driver", Code: findings.LiveFlagBlocksStart, File: live, VMs: one, Change: func(s *facts.Snapshot) {
			s.Nodes["pve-a"].Devices.Value[0].Host = &facts.HostDevice{Driver: "nvgrace_gpu_vfio_pci"}
		}},
		{Name: "unread", Code: findings.LiveFlagBlocksStart, File: live, VMs: one, Change: mappingUnread("pve-a")},
		{Name: "raw", Code: findings.MigrationBlockedRaw, VMs: raw, Want: "warning", Subject: vm},
		{Name: "mapped", Code: findings.MigrationBlockedRaw, File: mappingGood, VMs: one},
		{Name: "template", Code: findings.MigrationBlockedRaw, VMs: []mappingVM{{ID: 101, Template: true, Config: mappingHost("01:00.0")}}},
		{Name: "nowhere to go", Code: findings.MigrationBlockedRaw, VMs: raw, Change: off},
		{Name: "equal device there", Code: findings.MigrationMissingMapping, File: mappingGood, VMs: one, Want: "error", Subject: vm},
		{Name: "entry there", Code: findings.MigrationMissingMapping, File: mappingBoth, VMs: one},
		{Name: "unread there", Code: findings.MigrationMissingMapping, File: mappingGood, VMs: one, Change: mappingUnread("pve-b")},
		{Name: "replicated", Code: findings.MigrationMissingMapping, File: mappingGood, VMs: one, Want: "error", Change: func(s *facts.Snapshot) {
			mappingUnread("pve-b")(s)
			s.Replication = facts.Read[[]facts.ReplicationJob]{State: facts.OK, Value: []facts.ReplicationJob{{ID: "101-0", VMID: 101, Target: "pve-b"}}}
		}},
		{Name: "other device", Code: findings.MigrationDeviceDiffers, VMs: raw, Want: "info", Subject: vm},
		{Name: "no device there", Code: findings.MigrationDeviceDiffers, VMs: free},
		{Name: "unread there", Code: findings.MigrationDeviceDiffers, VMs: raw, Change: mappingUnread("pve-b")},
		{
			Name: "other entry", Code: findings.MigrationDeviceDiffers, VMs: one, Want: "info", Subject: vm,
			File: mappingGood + "\tmap id=8086:1521,iommugroup=1,node=pve-b,path=0000:01:00.0\n",
		},
		{Name: "equal device", Code: findings.MigrationEqualDevice, VMs: free, Want: "info", Subject: vm},
		{Name: "other at the address", Code: findings.MigrationEqualDevice, VMs: raw},
		{Name: "unread here", Code: findings.MigrationEqualDevice, VMs: free, Change: mappingUnread("pve-a")},
		{Name: "invalid there", Code: findings.MigrationStartFails, File: mappingBad, VMs: one, Want: "warning", Subject: vm},
		{
			Name: "no such type there", Code: findings.MigrationStartFails, File: mappingBoth, Want: "warning", Subject: vm,
			VMs: []mappingVM{{ID: 101, Config: mappingHost("mapping=gpu,mdev=nvidia-63")}}, Change: func(s *facts.Snapshot) {
				s.Nodes["pve-b"].MdevTypes = map[string]facts.Read[[]facts.MdevType]{
					"0000:81:00.0": {State: facts.OK, Value: []facts.MdevType{{Type: "nvidia-1"}}},
				}
			},
		},
		{Name: "valid there", Code: findings.MigrationStartFails, File: mappingBoth, VMs: one},
		{Name: "unread there", Code: findings.MigrationStartFails, File: mappingBad, VMs: one, Change: mappingUnread("pve-b")},
		{Name: "started", Code: findings.HARawAddress, VMs: raw, Change: ha("started"), Want: "error", Subject: vm},
		{Name: "ignored", Code: findings.HARawAddress, VMs: raw, Change: ha("ignored")},
		{Name: "mapped", Code: findings.HARawAddress, File: mappingGood, VMs: one, Change: ha("started")},
		{Name: "unread", Code: findings.HARawAddress, VMs: raw, Change: func(s *facts.Snapshot) { ha("started")(s); s.HA.State = facts.Failed }},
		{Name: "two at boot", Code: findings.BootOrderCollision, VMs: []mappingVM{boot(101, "1"), boot(102, "1")}, Want: "warning"},
		{Name: "one by hand", Code: findings.BootOrderCollision, VMs: []mappingVM{boot(101, "1"), boot(102, "0")}, Want: "warning"},
		{
			Name: "at boot, HA does not look after it", Code: findings.BootOrderCollision, Want: "warning",
			VMs: []mappingVM{boot(101, "1"), boot(102, "0")}, Change: ha("ignored"),
		},
		{
			Name: "HA keeps it stopped", Code: findings.BootOrderCollision,
			VMs: []mappingVM{boot(101, "1"), boot(102, "0")}, Change: ha("stopped"),
		},
		{Name: "both by hand", Code: findings.BootOrderCollision, VMs: []mappingVM{boot(101, "0"), boot(102, "0")}},
		{
			Name: "HA unread", Code: findings.BootOrderCollision, VMs: []mappingVM{boot(101, "1"), boot(102, "1")},
			Change: func(s *facts.Snapshot) { s.HA.State = facts.NotAsked },
		},
		{Name: "pool and address", Code: findings.BootOrderCollision, File: mappingPool, Want: "warning", VMs: []mappingVM{mappingUser(101, "onboot", "1"), mappingAt(102, "01:00.0", "1")}},
		{Name: "pool and address, one by hand", Code: findings.BootOrderCollision, File: mappingPool, VMs: []mappingVM{mappingUser(101, "onboot", "1"), mappingAt(102, "01:00.0", "0")}},
		{Name: "pool and an address that is not reached", Code: findings.BootOrderCollision, File: mappingPool, VMs: []mappingVM{mappingUser(101, "onboot", "1"), mappingAt(102, "02:00.0", "1")}},
		{Name: "pool that is used up", Code: findings.BootOrderCollision, File: mappingPool, Want: "warning", VMs: []mappingVM{mappingUser(101, "onboot", "1"), mappingUser(103, "onboot", "1"), mappingAt(102, "02:00.0", "1")}},
		{Name: "pool and its own address", Code: findings.BootOrderCollision, File: mappingPool, VMs: []mappingVM{{ID: 101, Config: mappingHost("01:00.0", "hostpci1", "mapping=gpu", "onboot", "1")}}},
		{Name: "stopped", Code: findings.BackupClaimsDevice, VMs: raw, Change: job(all), Want: "warning", Subject: vm},
		{Name: "running", Code: findings.BackupClaimsDevice, VMs: []mappingVM{{ID: 101, Running: true, Config: mappingHost("01:00.0")}}, Change: job(all)},
		{Name: "left out", Code: findings.BackupClaimsDevice, VMs: raw, Change: job(facts.BackupJob{ID: "nightly", Enabled: true, All: true, Exclude: []int{101}})},
		{Name: "off", Code: findings.BackupClaimsDevice, VMs: raw, Change: job(facts.BackupJob{ID: "nightly", All: true})},
		{Name: "slice", Code: findings.BackupClaimsDevice, VMs: []mappingVM{{ID: 101, Config: mappingHost("01:00.0,mdev=nvidia-63")}}, Change: job(all)},
		{Name: "unread", Code: findings.BackupClaimsDevice, VMs: raw, Change: func(s *facts.Snapshot) { job(all)(s); s.Backups.State = facts.Partial }},
	} {
		t.Run(string(c.Code)+"/"+c.Name, c.check)
	}
}

func mappingAt(id int, address, onboot string) mappingVM {
	return mappingVM{ID: id, Config: mappingHost(address, "onboot", onboot)}
}

// TestMoveLiveFlagRemedy: with a virtual IOMMU no driver helps.
func TestMoveLiveFlagRemedy(t *testing.T) {
	for machine, want := range map[string]bool{"q35": true, "q35,viommu=virtio": false} {
		s := mappingWorld(t, mappingGood+"\tlive-migration-capable 1\n", mappingUser(101, "machine", machine))
		found := mappingFound(s, findings.LiveFlagBlocksStart)
		if len(found) != 1 || !strings.Contains(found[0].Remedy[0], "--live-migration-capable 0") ||
			strings.Contains(found[0].Remedy[0], "driver") != want {
			t.Errorf("%s: %+v", machine, found)
		}
	}
}
