package pvesim_test

import (
	"fmt"
	"strings"
	"testing"

	"pciatlas/internal/pvesim"
)

// TestReleases checks what older releases answer differently.
func TestReleases(t *testing.T) {
	t.Parallel()
	const noMessage = `{"data":null}`
	for _, test := range []struct{ version, target, status, has, lacks string }{
		{"9.2.11", "/version", "200 OK", `"release":"9.2"`, ""},
		{"7.4-17", "/version", "200 OK", `{"data":{"release":"7.4","repoid":"14a22df3f4b5c6d7","version":"7.4-17"}}`, ""},
		{"not a version", "/version", "200 OK", `"version":"9.2.11"`, ""},
		{"7.4-17", "/cluster/mapping/pci", "501 Method 'GET /cluster/mapping/pci' not implemented", noMessage, "message"},
		{"8.0.3", "/cluster/mapping/pci", "200 OK", `"gpu-a"`, "live-migration-capable"},
		{"8.4.1", "/cluster/mapping/pci", "200 OK", `"live-migration-capable":1`, ""},
		{"8.2.4", "/cluster/mapping/pci/nosuch", "500 mapping 'nosuch' not found", noMessage, "message"},
		{"8.3.3", "/cluster/mapping/pci/nosuch", "500 mapping 'nosuch' not found", `"message":"mapping 'nosuch' not found\n"`, ""},
		{"8.3.5", "/cluster/mapping/pci?check-node=pve-a", "200 OK", `'id' does not match`, "'mdev' does not match"},
		{"8.3.6", "/cluster/mapping/pci?check-node=pve-a", "200 OK", "'mdev' does not match", ""},
		{"8.4.1", "/cluster/ha/rules", "501 Method 'GET /cluster/ha/rules' not implemented", "", ""},
		{"8.4.1", "/cluster/ha/groups", "200 OK", `{"data":[]}`, ""},
		{"9.0.3", "/cluster/ha/rules", "200 OK", `{"data":[]}`, ""},
		{"9.0.3", "/cluster/ha/groups", "500 cannot index groups: ha groups have been migrated to rules", "", ""},
		{"9.1.12", "/nodes/pve-b/hardware/pci", "200 OK", `"0000:00:02.1"`, "physfn"},
		{"9.1.13", "/nodes/pve-b/hardware/pci", "200 OK", `"physfn":"0000:00:02.0"`, ""},
		{"9.2.11", "/nodes/pve-b/hardware/pci?verbose=0", "200 OK", `"iommugroup":`, "physfn"},
		{"8.2.7", "/nodes/pve-b/hardware/pci?verbose=0", "200 OK", `"0000:00:02.1"`, "iommugroup"},
		{"8.2.7", "/nodes/pve-b/hardware/pci?verbose=0", "200 OK", `"0000:00:02.1"`, "mdev"},
		{"8.2.7", "/nodes/pve-b/hardware/pci", "200 OK", `"mdev":1`, "physfn"},
		{"6.4-15", "/nodes/pve-a/hardware/pci", "200 OK", `"0000:0a:00.0"`, `"class":"0x08`},
		{"8.4.1", "/cluster/resources", "200 OK", `"sdn":"localnetwork"`, "memhost"},
		{"9.2.11", "/cluster/resources", "200 OK", `"network":"localnetwork"`, `"sdn"`},
		{"7.4-17", "/nodes/pve-a/qemu/102/pending", "200 OK", `"train02"`, "hostpci0"},
		{"8.4.1", "/nodes/pve-a/qemu/102/pending", "200 OK", `"mapping=gpu-b,pcie=1"`, ""},
		{"9.0.3", "/nodes/pve-a/qemu/110/pending", "200 OK", `"tmpl-win"`, "driver=keep"},
		{"9.1.0", "/nodes/pve-a/qemu/110/pending", "200 OK", "driver=keep", ""},
	} {
		world := recordedWorld(t)
		world.Version = test.version
		for i := range world.Guests {
			if world.Guests[i].VMID == 110 {
				world.Guests[i].Config += "hostpci3: 0000:0c:00.1,driver=keep\n"
			}
		}
		server := start(t, &pvesim.Server{World: world})
		got := send(t, client(t, server), "GET", server.URL+"/api2/json"+test.target, auth(world.Token("root@pam!full")))
		where := test.version + " " + test.target
		if got.status != test.status || !strings.Contains(string(got.body), test.has) {
			t.Errorf("%s: %q %.300s", where, got.status, got.body)
		}
		if test.lacks != "" && strings.Contains(string(got.body), test.lacks) {
			t.Errorf("%s shows %s", where, test.lacks)
		}
		server.Close()
	}
}

// TestOldDeviceListNeedsModify: Sys.Audit did not suffice always.
func TestOldDeviceListNeedsModify(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]string{"7.3-1": "403 Permission check failed (/, Sys.Modify)", "7.3-2": "200 OK"} {
		world := recordedWorld(t)
		world.Version = version
		server := start(t, &pvesim.Server{World: world})
		got := send(t, client(t, server), "GET", server.URL+"/api2/json/nodes/pve-a/hardware/pci", auth(world.Token("auditor@pve!full")))
		if got.status != want {
			t.Errorf("%s: %q, want %q", version, got.status, want)
		}
		server.Close()
	}
}

// TestMixedCluster: each node answers by its own release.
func TestMixedCluster(t *testing.T) {
	t.Parallel()
	world := recordedWorld(t)
	world.Nodes[1].Version = "8.4.1"
	sim := &pvesim.Server{World: world}
	first, second := start(t, sim), start(t, sim.At("pve-b"))
	token := auth(world.Token("root@pam!full"))
	for _, test := range []struct {
		server *pvesim.TLSServer
		target string
		has    bool
		what   string
	}{
		{first, "/version", true, "9.2.11"},
		{second, "/version", true, "8.4.1"},
		{first, "/nodes/pve-b/hardware/pci", false, "physfn"},
		{second, "/nodes/localhost/hardware/pci", true, "0000:03:00.0"},
		{second, "/nodes/pve-a/hardware/pci?verbose=0", true, "0000:c1:00.0"},
	} {
		got := send(t, client(t, test.server), "GET", test.server.URL+"/api2/json"+test.target, token)
		if got.code != 200 || strings.Contains(string(got.body), test.what) != test.has {
			t.Errorf("%s: %s, %s there: %v", test.target, got.status, test.what, !test.has)
		}
	}
	if stats := sim.Stats(); stats.Requests != 5 {
		t.Errorf("the entry nodes count apart: %d requests", stats.Requests)
	}
}

// TestOrderOfLists: lists come in any order, which the seed decides.
func TestOrderOfLists(t *testing.T) {
	t.Parallel()
	ask := func(seed uint64) string {
		world := recordedWorld(t)
		server := start(t, &pvesim.Server{World: world, Seed: seed})
		c := client(t, server)
		var out strings.Builder
		for _, target := range []string{"/cluster/mapping/pci", "/nodes/pve-a/qemu", "/nodes/pve-a/qemu", "/nodes/pve-a/qemu/101/pending", "/nodes", "/access/acl"} {
			out.Write(send(t, c, "GET", server.URL+"/api2/json"+target, auth(world.Token("root@pam!full"))).body)
		}
		server.Close()
		return out.String()
	}
	first, again := ask(1), ask(1)
	if first != again {
		t.Error("the same seed gives another order")
	}
	if first == ask(2) {
		t.Error("another seed gives the same order")
	}
}

// TestPolicies reads HA, backup and replication from the files of the cluster.
func TestPolicies(t *testing.T) {
	t.Parallel()
	world := recordedWorld(t)
	world.Files = map[string]string{
		"ha/resources.cfg": "vm: 101\n\tgroup g\n\tmax_restart 2\n\tstate started\n\nct: 150\n\tstate stopped\n",
		"ha/rules.cfg":     "node-affinity: stay\n\tnodes pve-a:2,pve-b\n\tresources vm:101\n\tstrict 1\n\nresource-affinity: apart\n\taffinity negative\n\tresources vm:101,vm:102\n",
		"ha/groups.cfg":    "group: g\n\tnodes pve-a:2,pve-b\n\tnofailback 1\n\trestricted 0\n",
		"jobs.cfg":         "vzdump: backup-1\n\tenabled 1\n\tmode snapshot\n\tprune-backups keep-last=3,keep-daily=7\n\tschedule 02:00\n\tstorage local\n\tvmid 101,105\n\nrealm-sync: x\n\tschedule 03:00\n",
		"replication.cfg":  "# a comment\nlocal: 101-0\n\ttarget pve-b\n\trate 10\n\nlocal: 105-1\n\ttarget pve-b\n\tdisable\n",
	}
	for _, test := range []struct{ version, token, target, want string }{
		{
			"", "root@pam!full", "/cluster/ha/resources?type=vm",
			`[{"digest":"*","group":"g","max_restart":2,"sid":"vm:101","state":"started","type":"vm"}]`,
		},
		{
			"", "root@pam!full", "/cluster/ha/rules?type=node-affinity",
			`[{"digest":"*","nodes":"pve-a:2,pve-b","order":1,"resources":"vm:101","rule":"stay","strict":1,"type":"node-affinity"}]`,
		},
		{
			"", "root@pam!full", "/cluster/ha/rules?resource=vm:102",
			`[{"affinity":"negative","digest":"*","order":2,"resources":"vm:101,vm:102","rule":"apart","type":"resource-affinity"}]`,
		},
		{
			"8.4.1", "root@pam!full", "/cluster/ha/groups",
			`[{"digest":"*","group":"g","nodes":"pve-a:2,pve-b","nofailback":1,"restricted":0,"type":"group"}]`,
		},
		{
			"", "root@pam!full", "/cluster/backup",
			`[{"enabled":1,"id":"backup-1","mode":"snapshot","prune-backups":{"keep-daily":"7","keep-last":"3"},"schedule":"02:00","storage":"local","type":"vzdump","vmid":"101,105"}]`,
		},
		{
			"", "root@pam!full", "/cluster/replication",
			`[{"guest":101,"id":"101-0","jobnum":"0","rate":10,"target":"pve-b","type":"local"},{"disable":1,"guest":105,"id":"105-1","jobnum":"1","target":"pve-b","type":"local"}]`,
		},
		{"", "no105@pve!tok", "/cluster/replication", "403 Permission check failed (/vms/105, VM.Audit)"},
		{"", "vmonly@pve!tok", "/cluster/backup", "403 Permission check failed (/, Sys.Audit)"},
		{"", "vmonly@pve!tok", "/cluster/resources?type=vm", `"hastate":"started"`},
	} {
		world.Version = test.version
		server := start(t, &pvesim.Server{World: world})
		got := send(t, client(t, server), "GET", server.URL+"/api2/json"+test.target, auth(world.Token(test.token)))
		said := strings.TrimSuffix(strings.TrimPrefix(string(got.body), `{"data":`), "}")
		if got.code != 200 {
			said = got.status
		}
		if i := strings.Index(said, `"digest":"`); i >= 0 {
			said = said[:i+10] + "*" + said[i+50:]
		}
		if said != test.want && !strings.Contains(said, test.want) {
			t.Errorf("%s of %s: %s, want %s", test.target, test.token, said, test.want)
		}
		server.Close()
	}
}

// TestContainers reads what the scenarios do not show of containers: pending
// changes, snapshots, descriptions and templates.
func TestContainers(t *testing.T) {
	t.Parallel()
	config := "#first line\n#100%25\narch: amd64\ncores: 2\nhostname: media\nmemory: 2048\nonboot: 1\nrootfs: local-lvm:vm-900-disk-0,size=8G\n" +
		"tags: a,b\n\n[pve:pending]\nmemory: 4096\ndelete: onboot\n\n[before]\nhostname: older\nsnaptime: 1755000000\n"
	world := &pvesim.World{
		Nodes: []pvesim.Node{{Name: "n", CPUs: 6}},
		Guests: []pvesim.Guest{
			{VMID: 900, Kind: pvesim.LXC, Node: "n", Config: config, Running: true, PID: 77},
			{VMID: 901, Kind: pvesim.LXC, Node: "n", Config: "template: 1\nlock: backup\n"},
		},
	}
	server := start(t, &pvesim.Server{World: world})
	c := client(t, server)
	for target, want := range map[string]string{
		"900/config":                 `"memory":4096,"rootfs":"local-lvm:vm-900-disk-0,size=8G","tags":"a,b"}`,
		"900/config?current=1":       `"description":"first line\n100%\n"`,
		"900/config?snapshot=before": `"hostname":"older","snaptime":1755000000}`,
		"900/config?snapshot=never":  `"snapshot 'never' does not exist\n"`,
		"":                           `"name":"media","netin":0,"netout":0,"pid":77,"status":"running","swap":0,"tags":"a;b"`,
	} {
		path := strings.TrimSuffix("/api2/json/nodes/n/lxc/"+target, "/")
		got := send(t, c, "GET", server.URL+path, auth(pvesim.RootToken))
		if !strings.Contains(string(got.body), want) {
			t.Errorf("%s: %s, want %s", target, got.body, want)
		}
	}
	got := send(t, c, "GET", server.URL+"/api2/json/nodes/n/lxc", auth(pvesim.RootToken))
	for _, row := range body[[]map[string]any](t, got.body) {
		if row["vmid"] == 901.0 && fmt.Sprintln(row["name"], row["cpus"], row["template"], row["lock"]) != "CT901 6 1 backup\n" {
			t.Errorf("%v", row)
		}
	}
}
