package hostfs

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"pciatlas/internal/facts"
	"pciatlas/internal/pci"
)

const scenarios = "../../testdata/cases/scenarios"

// TestScenarios reads every node of every field case: each VM file, each device
// and the mappings must be there, wholly.
func TestScenarios(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob(filepath.Join(scenarios, "FC-*.json"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no scenarios in %s: %v", scenarios, err)
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var scenario struct {
			ID   string          `json:"id"`
			Root map[string]tree `json:"root"`
		}
		if err := json.Unmarshal(data, &scenario); err != nil {
			t.Fatal(err)
		}
		for name, root := range scenario.Root {
			t.Run(filepath.Base(path)+"/"+name, func(t *testing.T) {
				t.Parallel()
				checkScenario(t, name, root, mustRead(t, root.write(t)))
			})
		}
	}
}

var (
	scenarioGuest  = regexp.MustCompile(`^etc/pve/nodes/([^/]+)/(qemu-server|lxc)/(\d+)\.conf$`)
	scenarioDevice = regexp.MustCompile(`^sys/bus/pci/devices/([^/]+)/vendor$`)
	scenarioPID    = regexp.MustCompile(`^run/qemu-server/(\d+)\.pid$`)
)

func checkScenario(t *testing.T, name string, root tree, snapshot facts.Snapshot) {
	t.Helper()
	checkJSON(t, snapshot)
	if local := localOf(snapshot.Members.Value); local != name {
		t.Errorf("the local node is %q", local)
	}
	for what, state := range map[string]facts.ReadState{
		"files": snapshot.Files.State, "members": snapshot.Members.State, "guests": snapshot.Guests.State,
		"mappings": snapshot.Mappings.State, "devices": snapshot.Nodes[name].Devices.State,
		"iommu": snapshot.Nodes[name].IOMMU.State,
	} {
		if state != facts.OK {
			t.Errorf("%s are %v", what, state)
		}
	}
	if files := snapshot.Files.Value; !files.Populated || files.Mounted || files.Quorate.Told {
		t.Errorf("cluster files: %+v", files)
	}
	running := map[int]bool{}
	for file := range root.Files {
		if m := scenarioPID.FindStringSubmatch(file); m != nil {
			vmid, _ := strconv.Atoi(m[1])
			running[vmid] = true
		}
	}
	guests, devices := 0, 0
	for file := range root.Files {
		if m := scenarioGuest.FindStringSubmatch(file); m != nil {
			guests++
			vmid, _ := strconv.Atoi(m[3])
			checkScenarioGuest(t, snapshot, name, m[1], m[2], vmid, running[vmid])
		}
		if m := scenarioDevice.FindStringSubmatch(file); m != nil {
			devices++
			checkScenarioDevice(t, root, snapshot.Nodes[name].Devices.Value, m[1])
		}
	}
	if len(snapshot.Guests.Value) != guests || len(snapshot.Nodes[name].Devices.Value) != devices {
		t.Errorf("%d guests and %d devices, want %d and %d",
			len(snapshot.Guests.Value), len(snapshot.Nodes[name].Devices.Value), guests, devices)
	}
}

func checkScenarioGuest(t *testing.T, snapshot facts.Snapshot, local, node, folder string, vmid int, runs bool) {
	t.Helper()
	want := facts.UnknownStatus
	switch {
	case folder == "lxc" || node != local:
	case runs:
		want = facts.Running
	default:
		want = facts.Stopped
	}
	for _, guest := range snapshot.Guests.Value {
		if guest.VMID == vmid && guest.Node == node && (guest.Kind == facts.LXC) == (folder == "lxc") {
			if guest.Status != want {
				t.Errorf("%d on %s is %v, want %v", vmid, node, guest.Status, want)
			}
			if config := snapshot.Nodes[node].VMs[vmid]; folder != "lxc" && config.State != facts.OK {
				t.Errorf("config of %d on %s: %+v", vmid, node, config)
			}
			return
		}
	}
	t.Errorf("guest %d on %s is missing", vmid, node)
}

func checkScenarioDevice(t *testing.T, root tree, devices []facts.Device, name string) {
	t.Helper()
	for _, device := range devices {
		if device.Address.String() != name {
			continue
		}
		folder := "sys/bus/pci/devices/" + name + "/"
		if got, want := device.IDs.Vendor, root.Files[folder+"vendor"]; "0x"+got.String()+"\n" != want {
			t.Errorf("%s: vendor %v, want %s", name, got, want)
		}
		target, grouped := root.Links[folder+"iommu_group"]
		if group := device.Group; !group.Told || (group.Value != nil) != grouped ||
			grouped && strconv.Itoa(*group.Value) != filepath.Base(target) {
			t.Errorf("%s: group %+v, want %q", name, group, target)
		}
		parent, virtual := root.Links[folder+"physfn"]
		if p := device.Parent; !p.Told || (p.Value != nil) != virtual || virtual && p.Value.String() != filepath.Base(parent) {
			t.Errorf("%s: parent %+v, want %q", name, p, parent)
		}
		vfs := 0
		for link := range root.Links {
			if filepath.Dir(link)+"/" == folder && filepath.Base(link)[:4] == "virt" {
				vfs++
			}
		}
		if !device.VFs.Told || len(device.VFs.Value) != vfs {
			t.Errorf("%s: virtual functions %+v, want %d", name, device.VFs, vfs)
		}
		if device.Class.Kind() == pci.Display && device.Names.Class == "" {
			t.Errorf("%s has no class name", name)
		}
		return
	}
	t.Errorf("device %s is missing", name)
}
