package pvesim_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"pciatlas/internal/pvesim"
)

// TestTreesRoundTrip: a World made from the files of a World shows the same
// files.
func TestTreesRoundTrip(t *testing.T) {
	t.Parallel()
	demo := pvesim.Demo()
	demo.Files = map[string]string{"ha/resources.cfg": "vm: 100\n\tstate started\n"}
	demo.Nodes[1].Devices = append(demo.Nodes[1].Devices, pvesim.Device{
		Address: "0000:41:00.0", Vendor: "10de", Device: "2235", Class: "030200", Group: pvesim.NoGroup, NvidiaVGPU: true,
		MdevTypes: []pvesim.MdevType{{Type: "nvidia-557", Name: "NVIDIA A40-1B"}},
	})
	trees := map[string]pvesim.Tree{}
	for _, name := range []string{"pve-a", "pve-b", "pve-c"} {
		trees[name] = demo.Tree(name)
	}
	world, err := pvesim.FromTrees(trees)
	if err != nil {
		t.Fatal(err)
	}
	sorted := cmpopts.SortSlices(strings.Compare)
	for name, tree := range trees {
		if diff := cmp.Diff(withoutLists(tree), withoutLists(world.Tree(name)), sorted, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s (-World +from its trees):\n%s", name, diff)
		}
	}
	if world.Cluster != "lab" || !world.Node("pve-d").Offline || len(world.Guests) != len(demo.Guests) {
		t.Errorf("cluster %q with %d guests", world.Cluster, len(world.Guests))
	}
}

// withoutLists takes the version numbers of .vmlist away, which depend on the
// order of guests.
func withoutLists(t pvesim.Tree) pvesim.Tree {
	t.Files = maps.Clone(t.Files)
	delete(t.Files, "etc/pve/.vmlist")
	return t
}

func TestFromTreesRefuses(t *testing.T) {
	t.Parallel()
	file := func(text string) pvesim.Tree {
		return pvesim.Tree{Files: map[string]string{"etc/pve/mapping/pci.cfg": text}}
	}
	if _, err := pvesim.FromTrees(nil); err == nil {
		t.Error("a World without nodes")
	}
	if _, err := pvesim.FromTrees(map[string]pvesim.Tree{"a": file("x\n"), "b": file("y\n")}); err == nil {
		t.Error("a cluster file system that differs between nodes")
	}
}

func TestFromTreesTakesWhatThereIs(t *testing.T) {
	t.Parallel()
	world, err := pvesim.FromTrees(map[string]pvesim.Tree{"a": {
		Files: map[string]string{
			"etc/pve/.members": "nonsense", "proc/meminfo": "MemTotal: 1024 kB\nMemFree: 1 kB\n", "etc/pve/user.cfg": "user:u@pve:1:0::::::\n",
			"etc/pve/nodes/b/qemu-server/100.conf": "cores: 1\n", "etc/pve/nodes/a/qemu-server/101.conf": "cores: 1\n",
			"etc/pve/nodes/a/qemu-server/99999999999999999999.conf": "", "etc/pve/nodes/a/qemu-server/notes.txt": "x",
			"run/qemu-server/101.pid": "4711\n", "run/qemu-server/100.pid": "4712\n",
		},
	}})
	if err != nil {
		t.Fatal(err)
	}
	want := []pvesim.Guest{
		{VMID: 100, Kind: pvesim.QEMU, Node: "b", Config: "cores: 1\n"},
		{VMID: 101, Kind: pvesim.QEMU, Node: "a", Config: "cores: 1\n", Running: true, PID: 4711},
	}
	if diff := cmp.Diff(want, world.Guests); diff != "" {
		t.Error(diff)
	}
	if !world.Node("b").Offline || world.Node("a").Offline || world.UserCfg == "" || world.Files["nodes/a/qemu-server/notes.txt"] != "x" ||
		world.Node("a").Memory != 1<<20 || world.Node("b").Memory != 0 {
		t.Errorf("%+v", world)
	}
}

// TestDemo looks at the demo cluster through its API.
func TestDemo(t *testing.T) {
	t.Parallel()
	world := pvesim.Demo()
	server := start(t, &pvesim.Server{World: world})
	c := client(t, server)
	get := func(token, target string) answer {
		t.Helper()
		return send(t, c, "GET", server.URL+"/api2/json"+target, auth(token))
	}
	vms := body[[]resourceRow](t, get(pvesim.DemoToken, "/cluster/resources?type=vm").body)
	if len(vms) != len(world.Guests) {
		t.Errorf("DemoToken sees %d of %d guests", len(vms), len(world.Guests))
	}
	for _, node := range []string{"pve-a", "pve-b", "pve-c"} {
		if got := get(pvesim.DemoToken, "/nodes/"+node+"/hardware/pci"); got.code != 200 {
			t.Errorf("devices of %s: %s", node, got.status)
		}
	}
	if got := get(pvesim.DemoToken, "/nodes/pve-d/hardware/pci"); got.status != "595 Connection refused" {
		t.Errorf("devices of pve-d: %s", got.status)
	}
	if got := get(pvesim.DemoToken, "/access/acl"); !strings.Contains(string(got.body), "PCIAtlas") {
		t.Errorf("access rules: %s", got.body)
	}
	checks := map[string]string{}
	for _, row := range body[[]struct {
		ID     string
		Map    []string
		Checks []struct{ Severity string }
	}](t, get(pvesim.DemoToken, "/cluster/mapping/pci?check-node=pve-a").body) {
		checks[row.ID] = "good"
		if len(row.Checks) > 0 {
			checks[row.ID] = row.Checks[0].Severity
		}
	}
	if text(checks) != `{"old-card":"error","p4-vgpu":"warning","rtx-3090":"good","rtx-4090-pool":"good"}` {
		t.Errorf("mappings on pve-a: %s", text(checks))
	}
	for name, token := range map[string]string{"no rights": pvesim.DemoTokenWithoutRights, "separated": pvesim.DemoTokenSeparated} {
		if got := get(token, "/cluster/resources?type=vm"); string(got.body) != `{"data":[]}` {
			t.Errorf("%s: guests %s", name, got.body)
		}
		if got := get(token, "/nodes/pve-a/hardware/pci"); got.status != "403 Permission check failed (/, Sys.Audit|Sys.Modify)" {
			t.Errorf("%s: devices %s", name, got.status)
		}
	}
	if got := world.Token("pciatlas@pve!demo"); got != pvesim.DemoToken {
		t.Errorf("token %q", got)
	}
}

// TestDemoHasWhatItShows keeps the promises of the demo.
func TestDemoHasWhatItShows(t *testing.T) {
	t.Parallel()
	world := pvesim.Demo()
	models := map[string][]string{}
	for i := range world.Nodes {
		for _, device := range world.Nodes[i].Devices {
			models[device.Vendor+":"+device.Device] = append(models[device.Vendor+":"+device.Device], device.Address)
		}
	}
	for _, model := range []string{"10de:2204", "10de:2684"} {
		if addresses := slices.Compact(slices.Sorted(slices.Values(models[model]))); len(addresses) < 3 {
			t.Errorf("GPUs %s at %q", model, addresses)
		}
	}
	all := ""
	for _, guest := range world.Guests {
		all += guest.Config
	}
	for _, what := range []string{"template: 1", "args: ", "[PENDING]", "mapping=rtx-4090-pool", "02:00"} {
		if !strings.Contains(all, what) {
			t.Errorf("no guest with %q", what)
		}
	}
	if len(models["1002:74a1"]) == 0 || len(models["8086:a780"]) < 4 || len(models["1a03:2000"]) == 0 {
		t.Errorf("accelerator %q, iGPU %q, BMC %q", models["1002:74a1"], models["8086:a780"], models["1a03:2000"])
	}
}
