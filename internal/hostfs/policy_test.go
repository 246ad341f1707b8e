package hostfs

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
)

var policyFiles = map[string]string{
	"etc/pve/ha/resources.cfg": "vm: 100\n\tgroup g1\n\tstate stopped\n\nct: 300\n\nvm: 777\n",
	"etc/pve/ha/rules.cfg":     "node-affinity: prefer\n\tdisable\n\tnodes pve-a:2,pve-b\n\tresources vm:100,ct:300\n\tstrict 1\n",
	"etc/pve/ha/groups.cfg":    "group: g1\n\tnodes pve-a\n\trestricted 1\n",
	"etc/pve/jobs.cfg":         "vzdump: backup-1\n\tenabled 0\n\tvmid 100,778\n\tmode stop\n\nrealm-sync: x\n\tvmid 1\n",
	"etc/pve/vzdump.cron":      "# comment\nPATH=\"/usr/sbin\"\n0 2 * * 6 root vzdump 200 780 --mode snapshot --exclude 300 --all 0 --quiet=1\n",
	"etc/pve/replication.cfg":  "local: 779-0\n\ttarget pve-b\n\tdisable\n",
}

func TestPolicies(t *testing.T) {
	snapshot := mustRead(t, node().add(policyFiles).write(t))
	want := facts.HA{
		Resources: []facts.HAResource{
			{VMID: 100, Kind: facts.QEMU, State: "stopped", Group: "g1"},
			{VMID: 300, Kind: facts.LXC, State: "started"},
			{VMID: 777, Kind: facts.QEMU, State: "started"},
		},
		Rules: []facts.HARule{
			{ID: "prefer", Type: "node-affinity", VMIDs: []int{100, 300}, Nodes: []string{"pve-a", "pve-b"}, Strict: true, Disabled: true},
			{ID: "g1", Type: "group", Nodes: []string{"pve-a"}, Strict: true},
		},
	}
	if diff := cmp.Diff(want, snapshot.HA.Value); diff != "" {
		t.Error(diff)
	}
	jobs := []facts.BackupJob{
		{ID: "backup-1", VMIDs: []int{100, 778}, Mode: "stop"},
		{ID: "vzdump.cron-2", Enabled: true, VMIDs: []int{200, 780}, Exclude: []int{300}, Mode: "snapshot"},
	}
	if diff := cmp.Diff(jobs, snapshot.Backups.Value); diff != "" {
		t.Error(diff)
	}
	replication := []facts.ReplicationJob{{ID: "779-0", VMID: 779, Target: "pve-b", Disabled: true}}
	if diff := cmp.Diff(replication, snapshot.Replication.Value); diff != "" {
		t.Error(diff)
	}
	for name, state := range map[string]facts.ReadState{
		"HA": snapshot.HA.State, "backups": snapshot.Backups.State, "replication": snapshot.Replication.State,
	} {
		if state != facts.OK {
			t.Errorf("%s: %v", name, state)
		}
	}
	checkJSON(t, snapshot)
}

// TestHiddenGuests: a number that a policy names and that has no file is a file
// that is missing in a copied tree. Where the cluster file system lists its
// guests, it is a guest that was destroyed.
func TestHiddenGuests(t *testing.T) {
	for name, c := range map[string]struct {
		tree tree
		want []int
	}{
		"copy":    {node().add(policyFiles), []int{777, 778, 779, 780}},
		"mounted": {mounted().add(policyFiles), nil},
	} {
		snapshot := mustRead(t, c.tree.write(t))
		var hidden []int
		for _, issue := range atlas.Build(&snapshot).Node("pve-a").Issues {
			if issue.Code == atlas.IssueVMHidden {
				hidden = append(hidden, issue.VMID)
			}
		}
		if diff := cmp.Diff(c.want, hidden); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestPoliciesDamaged(t *testing.T) {
	for _, text := range []string{
		"vzdump: b\n\tvmid 100,1o1\n", "vzdump: b\n\tall 1\n\texclude 12\n",
	} {
		snapshot := mustRead(t, node().add(map[string]string{"etc/pve/jobs.cfg": text}).write(t))
		if snapshot.Backups.State != facts.Partial {
			t.Errorf("%q is read as %v", text, snapshot.Backups)
		}
	}
	for _, text := range []string{"node-affinity: r\n\tresources vm:100,vm:x\n", "node-affinity: r\n\tnodes a/b\n"} {
		snapshot := mustRead(t, node().add(map[string]string{"etc/pve/ha/rules.cfg": text}).write(t))
		if snapshot.HA.State != facts.Partial {
			t.Errorf("%q is read as %v", text, snapshot.HA)
		}
	}
	for file, text := range map[string]string{
		"etc/pve/ha/resources.cfg": "vm: x\n",
		"etc/pve/ha/rules.cfg":     "junk\n",
		"etc/pve/jobs.cfg":         "\xff\x00\n",
		"etc/pve/replication.cfg":  "local: x-0\n",
		"etc/pve/vzdump.cron":      "0 2 * * 6 root vzdump 200 2x0 --mode snapshot\n",
	} {
		snapshot := mustRead(t, node().add(map[string]string{file: text}).write(t))
		if snapshot.HA.State == facts.OK && snapshot.Backups.State == facts.OK && snapshot.Replication.State == facts.OK {
			t.Errorf("%s: nothing is said", file)
		}
		checkJSON(t, snapshot)
	}
}

// TestOwnFolder: devices are credited to a node only if the tree has its VMs.
func TestOwnFolder(t *testing.T) {
	elsewhere := mounted()
	elsewhere.Files["etc/pve/.members"] = `{"nodename":"other","version":4}`
	delete(elsewhere.Links, "etc/pve/local")
	renamed := node()
	renamed.Links["etc/pve/local"] = "nodes/zzz"
	nameless := node()
	delete(nameless.Files, "etc/hostname")
	delete(nameless.Links, "etc/pve/local")
	bare := mounted()
	delete(bare.Files, "etc/pve/nodes/pve-a/qemu-server/100.conf")
	delete(bare.Files, "etc/pve/.vmlist")
	for name, tree := range map[string]tree{"elsewhere": elsewhere, "renamed": renamed, "nameless": nameless, "bare": bare} {
		snapshot := mustRead(t, tree.write(t))
		report := atlas.Build(&snapshot)
		for _, node := range report.Nodes {
			if node.Scope.State != atlas.Unproven || node.Complete {
				t.Errorf("%s: node %s is %s, complete %v", name, node.Name, node.Scope.State, node.Complete)
			}
			for _, device := range node.Devices {
				if device.State == atlas.Unreferenced {
					t.Errorf("%s: %s is %s", name, device.Address, device.State)
				}
			}
		}
	}
}

// TestUnreadFunction: a function that is there and could not be read is not one
// that is missing, and what names it is not lost.
func TestUnreadFunction(t *testing.T) {
	tree := mounted().add(map[string]string{
		"sys/bus/pci/devices/0000:01:00.1/vendor":  "0x10de\n",
		"sys/bus/pci/devices/0000:01:00.1/device":  "0x2504\n",
		"sys/bus/pci/devices/0000:01:00.1/class":   "0x03\n",
		"etc/pve/nodes/pve-a/qemu-server/100.conf": "hostpci0: 01:00\nhostpci1: 01:00.1\nhostpci2: 05:00.0\n",
	})
	snapshot := mustRead(t, tree.write(t))
	node := atlas.Build(&snapshot).Node("pve-a")
	var got []string
	for _, u := range node.Unplaced {
		got = append(got, u.Selector+" "+string(u.Reason))
	}
	want := []string{"01:00 devices_not_read", "01:00.1 devices_not_read", "05:00.0 devices_not_read"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(node.Devices) != 1 || len(node.Devices[0].References) != 1 || node.Complete {
		t.Errorf("%+v", node)
	}
}

// TestQuorumProof: what is there to prove the scope and cannot be read proves
// nothing.
func TestQuorumProof(t *testing.T) {
	for name, change := range map[string]map[string]string{
		"members": {"etc/pve/.members": `{"nodename":"pve-a","cluster":null,"nodelist":null}`},
		"vmlist":  {"etc/pve/.vmlist": "junk"},
	} {
		snapshot := mustRead(t, mounted().add(change).write(t))
		if scope := atlas.Build(&snapshot).Node("pve-a").Scope; scope.State != atlas.Assumed || scope.Reason == "" {
			t.Errorf("%s: %+v", name, scope)
		}
	}
}

func FuzzCronLine(f *testing.F) {
	f.Add("0 2 * * 6 root vzdump 200 780 --mode snapshot --exclude 300 --all 0 --quiet=1")
	f.Add("vzdump --all")
	f.Fuzz(func(t *testing.T, line string) {
		job, ok := parseCronLine(line, new([]facts.Problem))
		for _, vmid := range append(job.VMIDs, job.Exclude...) {
			if !ok || vmid < 100 {
				t.Fatalf("%q gives %+v", line, job)
			}
		}
	})
}
