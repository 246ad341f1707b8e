package pve_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pciatlas/internal/pci"
	"pciatlas/internal/pve"
)

// readVectors decodes one file of the vectors.
func readVectors(t *testing.T, name string, into any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "testdata", "vectors", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}

func classesOf(err error) []string {
	if err == nil {
		return []string{}
	}
	classes := []string{}
	for _, fault := range faultsOf(err) {
		classes = append(classes, fault.Class())
	}
	return classes
}

func faultsOf(err error) []pve.Fault {
	refused, ok := errors.AsType[*pve.FormatError](err)
	if !ok {
		return nil
	}
	return refused.Faults
}

func optionMap(options []pve.Option) map[string]string {
	m := map[string]string{}
	for _, option := range options {
		m[option.Name] = option.Value
	}
	return m
}

type hostpciVectors struct {
	Values []struct {
		Input             string
		Parsed            map[string]string
		ParseErrorClasses []string `json:"parse_error_classes"`
		ParseError        *struct {
			Message string
			Errors  map[string]string
		} `json:"parse_error"`
		ConfigValue     *string `json:"config_value"`
		APIWriteAccepts bool    `json:"api_write_accepts"`
	}
}

func TestHostPCIVectors(t *testing.T) {
	var vectors hostpciVectors
	readVectors(t, "hostpci.json", &vectors)
	for _, v := range vectors.Values {
		t.Run(v.Input, func(t *testing.T) {
			parsed, err := pve.ParseHostPCI(v.Input)
			if got := classesOf(err); !cmp.Equal(got, v.ParseErrorClasses) {
				t.Fatalf("classes: got %q, PVE says %q", got, v.ParseErrorClasses)
			}
			if (err == nil) != v.APIWriteAccepts {
				t.Errorf("accepted: got %v, PVE says %v", err == nil, v.APIWriteAccepts)
			}
			if err != nil {
				compareMessages(t, err, v.ParseError.Message, v.ParseError.Errors)
			} else if diff := cmp.Diff(v.Parsed, optionMap(parsed.Options())); diff != "" {
				t.Errorf("options (-PVE +got):\n%s", diff)
			}
			checkConfigValue(t, v.Input, v.ConfigValue)
		})
	}
}

func compareMessages(t *testing.T, err error, message string, byOption map[string]string) {
	t.Helper()
	for _, fault := range faultsOf(err) {
		want := byOption[fault.Option]
		if fault.Option == "" {
			want = message
		}
		if fault.Message != strings.TrimSuffix(want, "\n") {
			t.Errorf("message of %q: got %q, PVE says %q", fault.Option, fault.Message, want)
		}
	}
}

// checkConfigValue puts the value into a configuration file.
func checkConfigValue(t *testing.T, input string, want *string) {
	t.Helper()
	config := pve.ParseVMConfig("hostpci0: " + input + "\n")
	got, ok := config.Main.Get("hostpci0")
	switch {
	case want == nil && ok:
		t.Errorf("file: PVE drops the line, got %q", got)
	case want != nil && !ok:
		t.Errorf("file: PVE takes %q, the line was dropped: %+v", *want, config.Dropped)
	case want != nil && got != *want:
		t.Errorf("file: PVE takes %q, got %q", *want, got)
	case want == nil && (len(config.Dropped) != 1 || config.Dropped[0].Key != "hostpci0"):
		t.Errorf("file: the dropped line is not reported: %+v", config.Dropped)
	}
}

type mappingVectors struct {
	Entries []struct {
		Input             string
		Parsed            map[string]string
		ParseErrorClasses []string `json:"parse_error_classes"`
		ParseError        *struct {
			Message string
			Errors  map[string]string
		} `json:"parse_error"`
		MapAfterFile []string `json:"map_after_file"`
	}
	Checks []struct {
		Kind         string
		Config       map[string]any
		Listed       map[string]any
		Checks       map[string][]pve.Check
		CheckClasses map[string][]string `json:"check_classes"`
	}
}

func TestMappingEntryVectors(t *testing.T) {
	var vectors mappingVectors
	readVectors(t, "mapping.json", &vectors)
	for _, v := range vectors.Entries {
		t.Run(v.Input, func(t *testing.T) {
			entry, err := pve.ParseEntry(v.Input)
			if got := classesOf(err); !cmp.Equal(got, v.ParseErrorClasses) {
				t.Fatalf("classes: got %q, PVE says %q", got, v.ParseErrorClasses)
			}
			if err != nil {
				compareMessages(t, err, v.ParseError.Message, v.ParseError.Errors)
			} else if diff := cmp.Diff(v.Parsed, optionMap(entry.Options())); diff != "" {
				t.Errorf("options (-PVE +got):\n%s", diff)
			}
			mappings, dropped := pve.ParseMappingFile("only-one\n\tmap " + v.Input + "\n")
			if v.MapAfterFile == nil {
				if len(mappings) != 0 || len(dropped) == 0 {
					t.Errorf("file: PVE drops the mapping, got %+v, reported %+v", mappings, dropped)
				}
				return
			}
			if len(mappings) != 1 {
				t.Fatalf("file: PVE lists the mapping, got %+v", dropped)
			}
			if got := mapStrings(mappings[0].Entries); !cmp.Equal(got, v.MapAfterFile) {
				t.Errorf("file: got %q, PVE says %q", got, v.MapAfterFile)
			}
		})
	}
}

func mapStrings(entries []pve.Entry) []string {
	list := []string{}
	for _, entry := range entries {
		list = append(list, entry.String())
	}
	return list
}

// mappingFile writes a mapping the way the vectors' cases stand in the file.
func mappingFile(config map[string]any) string {
	var b strings.Builder
	b.WriteString(config["id"].(string) + "\n")
	for _, key := range []string{"description", "mdev", "live-migration-capable"} {
		if value, ok := config[key]; ok {
			text, err := json.Marshal(value)
			if err != nil {
				panic(err)
			}
			b.WriteString("\t" + key + " " + strings.Trim(string(text), `"`) + "\n")
		}
	}
	for _, entry := range config["map"].([]any) {
		b.WriteString("\tmap " + entry.(string) + "\n")
	}
	return b.String()
}

func TestMappingCheckVectors(t *testing.T) {
	nodes := readNodes(t)
	var vectors mappingVectors
	readVectors(t, "mapping.json", &vectors)
	for _, v := range vectors.Checks {
		t.Run(v.Config["id"].(string), func(t *testing.T) {
			mappings, _ := pve.ParseMappingFile(mappingFile(v.Config))
			if v.Listed == nil {
				if len(mappings) != 0 {
					t.Errorf("PVE does not list it, got %+v", mappings)
				}
				return
			}
			if len(mappings) != 1 {
				t.Fatalf("PVE lists it")
			}
			compareListed(t, mappings[0], v.Listed)
			for node, want := range v.Checks {
				compareChecks(t, &mappings[0], node, nodes[node], want, v.CheckClasses[node])
			}
		})
	}
}

func compareListed(t *testing.T, mapping pve.Mapping, listed map[string]any) {
	t.Helper()
	for key, flag := range map[string]*bool{"mdev": mapping.Mdev, "live-migration-capable": mapping.LiveMigration} {
		want, ok := listed[key]
		if ok != (flag != nil) || ok && (want.(float64) == 1) != *flag {
			t.Errorf("%s: got %v, PVE says %v", key, flag, want)
		}
	}
	if _, ok := listed["description"]; ok != (mapping.Description != nil) {
		t.Errorf("description: got %v, PVE says %v", mapping.Description, listed["description"])
	}
	var entries []string
	for _, entry := range listed["map"].([]any) {
		entries = append(entries, entry.(string))
	}
	if got := mapStrings(mapping.Entries); !cmp.Equal(got, entries) {
		t.Errorf("map: got %q, PVE says %q", got, entries)
	}
}

func compareChecks(t *testing.T, m *pve.Mapping, node string, hardware map[pci.Address]pve.Hardware, want []pve.Check, classes []string) {
	t.Helper()
	lookup := func(a pci.Address) (pve.Hardware, bool) {
		h, ok := hardware[a]
		return h, ok
	}
	got := m.Checks(node, lookup)
	for i := range want {
		want[i].Message = strings.TrimSuffix(want[i].Message, "\n")
	}
	if len(got) != len(want) || len(got) > 0 && !cmp.Equal(got, want) {
		t.Errorf("checks on %s: got %+v, PVE says %+v", node, got, want)
	}
	gotClasses := []string{}
	for _, entry := range m.On(node) {
		if faults := m.CheckEntry(entry, lookup); len(faults) > 0 {
			gotClasses = append(gotClasses, faults[0].Class())
		}
	}
	if len(m.On(node)) == 0 {
		gotClasses = append(gotClasses, "no-mapping-for-node")
	}
	if !cmp.Equal(gotClasses, classes) {
		t.Errorf("classes on %s: got %q, PVE says %q", node, gotClasses, classes)
	}
}

// readNodes gives the hardware of the vectors' nodes.
func readNodes(t *testing.T) map[string]map[pci.Address]pve.Hardware {
	t.Helper()
	var file struct {
		Nodes map[string][]struct {
			ID         pci.Address
			Vendor     pci.ID
			Device     pci.ID
			Subsystem  *string
			Group      *int     `json:"iommu_group"`
			MdevTypes  []string `json:"mdev_types"`
			NvidiaVGPU bool     `json:"nvidia_vgpu_directory"`
		}
	}
	readVectors(t, "nodes.json", &file)
	nodes := map[string]map[pci.Address]pve.Hardware{}
	for name, devices := range file.Nodes {
		nodes[name] = map[pci.Address]pve.Hardware{}
		for _, d := range devices {
			h := pve.Hardware{IDs: pci.IDs{Pair: pci.Pair{Vendor: d.Vendor, Device: d.Device}}, Group: d.Group}
			h.Mdev = len(d.MdevTypes) > 0 || d.NvidiaVGPU
			if d.Subsystem != nil {
				vendor, device, _ := strings.Cut(*d.Subsystem, ":")
				h.IDs.Subsystem = &pci.Pair{Vendor: mustID(t, vendor), Device: mustID(t, device)}
			}
			nodes[name][d.ID] = h
		}
	}
	return nodes
}

func mustID(t *testing.T, s string) pci.ID {
	t.Helper()
	id, err := pci.ParseID(s)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

type pendingVectors struct {
	Cases []struct {
		Kind          string
		File          string
		Pending       []map[string]any
		Config        map[string]any
		ConfigCurrent map[string]any `json:"config_current"`
		Snapshots     []map[string]any
	}
}

func TestPendingVectors(t *testing.T) {
	var vectors pendingVectors
	readVectors(t, "pending.json", &vectors)
	for _, v := range vectors.Cases {
		t.Run(v.Kind, func(t *testing.T) {
			config := pve.ParseVMConfig(v.File)
			items := config.Items()
			if diff := cmp.Diff(v.Pending, wireItems(items)); diff != "" {
				t.Errorf("pending of %q (-PVE +got):\n%s", v.File, diff)
			}
			future, current := map[string]any{}, map[string]any{}
			for _, item := range items {
				if value, ok := item.Future(); ok {
					future[item.Key] = wireValue(item.Key, strings.TrimSuffix(value, " "))
				}
				if item.Current != nil {
					current[item.Key] = wireValue(item.Key, *item.Current)
				}
			}
			if diff := cmp.Diff(v.ConfigCurrent, current); diff != "" {
				t.Errorf("config?current=1 of %q (-PVE +got):\n%s", v.File, diff)
			}
			// GET config keeps a key of value 0 whose removal is pending; the removal
			// itself takes it, so Future does not show it.
			if diff := cmp.Diff(v.Config, future); diff != "" && v.Kind != "template" {
				t.Errorf("config of %q (-PVE +got):\n%s", v.File, diff)
			}
			names := []string{}
			for _, snapshot := range config.Snapshots {
				names = append(names, snapshot.Name)
			}
			want := []string{}
			for _, snapshot := range v.Snapshots {
				if name := snapshot["name"].(string); name != "current" {
					want = append(want, name)
				}
			}
			if !cmp.Equal(names, want) {
				t.Errorf("snapshots of %q: got %q, PVE says %q", v.File, names, want)
			}
		})
	}
}

// wireItems gives the items in the API's form, with its JSON types.
func wireItems(items []pve.Item) []map[string]any {
	list := []map[string]any{}
	for _, item := range items {
		m := map[string]any{"key": item.Key}
		if item.Current != nil {
			m["value"] = wireValue(item.Key, *item.Current)
		}
		if item.Pending != nil {
			m["pending"] = wireValue(item.Key, *item.Pending)
		}
		if item.Delete != pve.Keep {
			m["delete"] = float64(item.Delete)
		}
		list = append(list, m)
	}
	return list
}

func wireValue(key, value string) any {
	if pve.NumericKey(key) {
		var number float64
		if err := json.Unmarshal([]byte(value), &number); err == nil {
			return number
		}
	}
	return value
}
