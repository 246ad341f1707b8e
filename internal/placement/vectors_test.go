package placement_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/pci"
	"pciatlas/internal/placement"
	"pciatlas/internal/pve"
)

func readVectors(t testing.TB, name string, into any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "testdata", "vectors", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}

// vectorNode gives the devices of a node of the vectors, and their mappings.
func vectorNode(t testing.TB, name string) ([]facts.Device, []pve.Mapping) {
	t.Helper()
	var file struct {
		Nodes map[string][]struct {
			ID         pci.Address
			Vendor     pci.ID
			Device     pci.ID
			Class      pci.Class
			Subsystem  *string
			Group      *int     `json:"iommu_group"`
			MdevTypes  []string `json:"mdev_types"`
			NvidiaVGPU bool     `json:"nvidia_vgpu_directory"`
		}
		MappingCfg string `json:"mapping_pci_cfg"`
	}
	readVectors(t, "nodes.json", &file)
	var devices []facts.Device
	for _, d := range file.Nodes[name] {
		device := facts.Device{
			Address: d.ID, Class: d.Class, Group: facts.Told(d.Group), NvidiaVGPU: d.NvidiaVGPU,
			Mdev: facts.Told(len(d.MdevTypes) > 0 || d.NvidiaVGPU),
		}
		if !d.NvidiaVGPU { // the vectors do not name the types of the others
			device.Host = &facts.HostDevice{}
		}
		device.IDs.Vendor, device.IDs.Device = d.Vendor, d.Device
		if d.Subsystem != nil {
			vendor, id, _ := strings.Cut(*d.Subsystem, ":")
			device.IDs.Subsystem = &pci.Pair{Vendor: parseID(t, vendor), Device: parseID(t, id)}
		}
		for _, offered := range d.MdevTypes {
			device.Host.MdevTypes = append(device.Host.MdevTypes, facts.MdevType{Type: offered, Available: 4})
		}
		devices = append(devices, device)
	}
	mappings, _ := pve.ParseMappingFile(file.MappingCfg)
	return devices, mappings
}

func parseID(t testing.TB, s string) pci.ID {
	t.Helper()
	id, err := pci.ParseID(s)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// TestConfigVectors places a VM with each configuration of the vectors on the node on
// which Proxmox VE resolved it: what it chose is what the VM gets, and what it refused
// is the first reason.
func TestConfigVectors(t *testing.T) {
	devices, mappings := vectorNode(t, "pve-a")
	var vectors struct {
		Configs []struct {
			Kind    string
			Config  map[string]string
			Devices map[string][]pci.Address
			Error   *string
		}
	}
	readVectors(t, "hostpci.json", &vectors)
	if len(vectors.Configs) < 20 {
		t.Fatalf("%d configurations", len(vectors.Configs))
	}
	for i, v := range vectors.Configs {
		t.Run(fmt.Sprint(i, " ", v.Kind), func(t *testing.T) {
			var items []pve.Item
			for key, value := range v.Config {
				if _, ok := pve.ParseSlotKey(key); ok || facts.KeepsKey(key) {
					items = append(items, pve.Item{Key: key, Current: &value})
				}
			}
			report := atlas.Build(&facts.Snapshot{
				Schema: facts.Schema, Cluster: "lab",
				Nodes: map[string]*facts.Node{"pve-a": {
					Devices: facts.Read[[]facts.Device]{State: facts.OK, Value: slices.Clone(devices)},
					VMs:     map[int]facts.Read[facts.VMConfig]{100: {State: facts.OK, Value: facts.ReduceVM(items)}},
				}},
				Guests: facts.Read[[]facts.Guest]{State: facts.OK, Value: []facts.Guest{
					{VMID: 100, Kind: facts.QEMU, Node: "pve-a", Status: facts.Stopped, Template: facts.Told(false)},
				}},
				Members:  facts.Read[[]facts.Member]{State: facts.OK, Value: []facts.Member{{Name: "pve-a", Online: facts.Told(true)}}},
				Mappings: facts.Read[[]pve.Mapping]{State: facts.OK, Value: mappings},
				Files: facts.Read[facts.ClusterFiles]{State: facts.OK, Value: facts.ClusterFiles{
					Populated: true, Mounted: true, Quorate: facts.Told(true),
				}},
			})
			got := placement.New(report).Place(report.VMs[0]).Nodes[0]
			if v.Error != nil {
				want, _, _ := strings.Cut(*v.Error, " at /")
				want = strings.TrimRight(want, "\n")
				if got.Verdict != placement.CannotStart || !got.Reasons[0].First || got.Reasons[0].Params["message"] != want {
					t.Errorf("%s %+v, PVE refuses with %q", got.Verdict, got.Reasons, want)
				}
				return
			}
			for _, reason := range got.Reasons {
				// A group that the vectors' PVE never came to bind may be lacking.
				if reason.Effect == placement.Refuses && reason.Code != placement.NoGroup {
					t.Errorf("PVE chooses, got %+v", reason)
				}
				if reason.Code == placement.Gets && !slices.Equal(reason.Devices, v.Devices[pve.SlotKey(reason.Slot)]) {
					t.Errorf("%s gets %v, PVE chose %v", pve.SlotKey(reason.Slot), reason.Devices, v.Devices[pve.SlotKey(reason.Slot)])
				}
			}
		})
	}
}
