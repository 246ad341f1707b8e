package atlas_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/pci"
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

type vectorNodes struct {
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

// vectorHardware gives a node of the vectors with their mapping file.
func vectorHardware(t testing.TB, node string) atlas.Hardware {
	t.Helper()
	var file vectorNodes
	readVectors(t, "nodes.json", &file)
	h := atlas.Hardware{Node: node, Mappings: map[string]*pve.Mapping{}}
	for _, d := range file.Nodes[node] {
		device := facts.Device{Address: d.ID, Class: d.Class, Group: facts.Told(d.Group)}
		device.IDs.Vendor, device.IDs.Device = d.Vendor, d.Device
		device.Mdev = facts.Told(len(d.MdevTypes) > 0 || d.NvidiaVGPU)
		device.NvidiaVGPU = d.NvidiaVGPU
		if d.Subsystem != nil {
			vendor, id, _ := strings.Cut(*d.Subsystem, ":")
			device.IDs.Subsystem = &pci.Pair{Vendor: parseID(t, vendor), Device: parseID(t, id)}
		}
		h.Devices = append(h.Devices, atlas.Device{Device: &device})
	}
	slices.SortFunc(h.Devices, func(a, b atlas.Device) int { return a.Address.Compare(b.Address) })
	mappings, dropped := pve.ParseMappingFile(file.MappingCfg)
	if len(dropped) > 0 {
		t.Fatalf("mapping file of the vectors: %+v", dropped)
	}
	for i := range mappings {
		h.Mappings[mappings[i].ID] = &mappings[i]
	}
	return h
}

func parseID(t testing.TB, s string) pci.ID {
	t.Helper()
	id, err := pci.ParseID(s)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func TestResolveVectors(t *testing.T) {
	hardware := vectorHardware(t, "pve-a")
	var vectors struct {
		Values []struct {
			Input             string
			Functions         []string
			FunctionsError    *string                   `json:"functions_error"`
			Resolved          map[string]any            `json:"resolved"`
			ResolveErrorClass *string                   `json:"resolve_error_class"`
			ResolveError      *struct{ Message string } `json:"resolve_error"`
		}
	}
	readVectors(t, "hostpci.json", &vectors)
	for _, v := range vectors.Values {
		t.Run(v.Input, func(t *testing.T) {
			slot, err := hardware.ResolveSlot(v.Input)
			var refusal *atlas.RefusalError
			switch {
			case v.ResolveErrorClass == nil && err != nil:
				t.Fatalf("PVE resolves it, got refusal %v", err)
			case v.ResolveErrorClass != nil && !errors.As(err, &refusal):
				t.Fatalf("PVE refuses (%s), got %+v", *v.ResolveErrorClass, slot)
			case v.ResolveErrorClass != nil:
				if refusal.Code != *v.ResolveErrorClass {
					t.Errorf("class: got %s, PVE says %s", refusal.Code, *v.ResolveErrorClass)
				}
				if want := strings.TrimRight(v.ResolveError.Message, "\n"); refusal.Code != atlas.RefusedFormat && refusal.Message != want {
					t.Errorf("message: got %q, PVE says %q", refusal.Message, want)
				}
				return
			}
			if diff := cmp.Diff(v.Resolved, wireSlot(slot)); diff != "" {
				t.Errorf("resolution (-PVE +got):\n%s", diff)
			}
		})
	}
}

// wireSlot gives a resolved slot in the form of the vectors.
func wireSlot(slot *atlas.StartSlot) map[string]any {
	if slot == nil {
		return nil
	}
	m := map[string]any{"alternatives": wireAlternatives(slot.Alternatives)}
	for _, option := range slot.Value.Options() {
		if option.Name != "host" && option.Name != "mapping" && option.Name != "mdev" {
			m[option.Name] = option.Value
		}
	}
	for key, value := range map[string]string{"mdev": slot.Mdev, "nvidia": slot.Nvidia} {
		if value != "" {
			m[key] = value
		}
	}
	if slot.Multifunction {
		m["has-multifunction"] = "1"
	}
	if slot.LiveMigration {
		m["live-migration-capable"] = "1"
	}
	return m
}

func wireAlternatives(alternatives [][]pci.Address) []any {
	list := []any{}
	for _, alternative := range alternatives {
		list = append(list, wireAddresses(alternative))
	}
	return list
}

func wireAddresses(addresses []pci.Address) []any {
	list := []any{}
	for _, address := range addresses {
		list = append(list, address.String())
	}
	return list
}

func TestConfigVectors(t *testing.T) {
	hardware := vectorHardware(t, "pve-a")
	var vectors struct {
		Configs []struct {
			Kind         string
			Config       map[string]string
			Alternatives map[string]any
			Devices      map[string]any
			Error        *string
			Stage        string
		}
	}
	readVectors(t, "hostpci.json", &vectors)
	for i, v := range vectors.Configs {
		t.Run(strconv.Itoa(i)+" "+v.Kind, func(t *testing.T) {
			slots, err := hardware.ResolveVM(func(key string) string { return v.Config[key] })
			if v.Stage == "parse" {
				expectRefusal(t, err, *v.Error)
				return
			}
			if err != nil {
				t.Fatalf("PVE resolves it, got %v", err)
			}
			got := map[string]any{}
			for n, slot := range slots {
				if slot != nil {
					got[pve.SlotKey(n)] = wireAlternatives(slot.Alternatives)
				}
			}
			if diff := cmp.Diff(v.Alternatives, got); diff != "" {
				t.Errorf("alternatives (-PVE +got):\n%s", diff)
			}
			chosen, err := slots.Choose(nil)
			if v.Error != nil {
				expectRefusal(t, err, *v.Error)
				return
			}
			if err != nil {
				t.Fatalf("PVE chooses, got %v", err)
			}
			devices := map[string]any{}
			for n, addresses := range chosen {
				devices[pve.SlotKey(n)] = wireAddresses(addresses)
			}
			if diff := cmp.Diff(v.Devices, devices); diff != "" {
				t.Errorf("devices (-PVE +got):\n%s", diff)
			}
		})
	}
}

func expectRefusal(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil {
		t.Fatalf("PVE refuses with %q", want)
	}
	// PVE adds the line of its source to sentences without a line feed.
	want, _, _ = strings.Cut(want, " at /")
	if got := err.Error(); got != strings.TrimRight(want, "\n") {
		t.Errorf("refusal: got %q, PVE says %q", got, want)
	}
}
