package pvesim_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pciatlas/internal/pci"
	"pciatlas/internal/pvesim"
)

const vectors = "../../testdata/vectors/"

func readJSON[T any](t testing.TB, path string) T {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var value T
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return value
}

// sample is one recorded exchange of api-samples.
type sample struct {
	Seq     int    `json:"seq"` // of writing exchanges
	Case    string `json:"case"`
	Token   string `json:"token"`
	Note    string `json:"note"`
	Request struct {
		Method  string            `json:"method"`
		Path    string            `json:"path"` // with the query
		Headers map[string]string `json:"headers"`
		Params  map[string]any    `json:"params"` // of the body
	} `json:"request"`
	Response struct {
		Status         int             `json:"status"`
		Reason         string          `json:"reason"`
		ContentType    *string         `json:"content_type"`
		Body           json.RawMessage `json:"body"`
		RawBody        *string         `json:"raw_body"`
		DelayedSeconds *float64        `json:"delayed_seconds"`
	} `json:"response"`
}

func readSamples(t testing.TB, name string) []sample {
	t.Helper()
	return readJSON[[]sample](t, vectors+"api-samples/"+name+".json")
}

// body gives the data of a recorded answer.
func body[T any](t testing.TB, raw json.RawMessage) T {
	t.Helper()
	var answer struct {
		Data T `json:"data"`
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		t.Fatal(err)
	}
	return answer.Data
}

// recordedDevice is a device of nodes.json.
type recordedDevice struct {
	ID        string   `json:"id"`
	Vendor    string   `json:"vendor"`
	Device    string   `json:"device"`
	Class     string   `json:"class"`
	Subsystem *string  `json:"subsystem"`
	Group     *int     `json:"iommu_group"`
	Parent    *string  `json:"physical_function"`
	Mdev      []string `json:"mdev_types"`
	VGPU      bool     `json:"nvidia_vgpu_directory"`
}

func (d recordedDevice) device() pvesim.Device {
	device := pvesim.Device{
		Address: d.ID, Vendor: d.Vendor[2:], Device: d.Device[2:], Class: d.Class[2:], Group: pvesim.NoGroup, NvidiaVGPU: d.VGPU,
	}
	if d.Subsystem != nil {
		device.Subsystem = *d.Subsystem
	}
	if d.Group != nil {
		device.Group = *d.Group
	}
	if d.Parent != nil {
		device.Parent = *d.Parent
	}
	for _, mdev := range d.Mdev {
		device.MdevTypes = append(device.MdevTypes, pvesim.MdevType{Type: mdev, Name: mdev})
	}
	return device
}

// recordedNodes gives the devices of nodes.json.
func recordedNodes(t testing.TB) map[string][]pvesim.Device {
	t.Helper()
	file := readJSON[struct {
		Nodes map[string][]recordedDevice `json:"nodes"`
	}](t, vectors+"nodes.json")
	nodes := map[string][]pvesim.Device{}
	for name, devices := range file.Nodes {
		for _, device := range devices {
			nodes[name] = append(nodes[name], device.device())
		}
	}
	return nodes
}

// permissionsFile is permissions.json.
type permissionsFile struct {
	UserCfg    string `json:"user_cfg"`
	MappingCfg string `json:"mapping_pci_cfg"`
	BaseCfg    string `json:"acl_base_user_cfg"`
	HTTPCases  []struct {
		Token       string                    `json:"token"`
		Method      string                    `json:"method"`
		Path        string                    `json:"path"`
		Status      int                       `json:"status"`
		Reason      string                    `json:"reason"`
		Message     *string                   `json:"message"`
		BodyIsEmpty bool                      `json:"body_is_empty"`
		IDs         []any                     `json:"ids"`
		Permissions map[string]map[string]int `json:"permissions"`
		HasData     bool                      `json:"has_data"`
	} `json:"http_cases"`
	ACLCases []struct {
		Name       string                    `json:"name"`
		Lines      []string                  `json:"acl_lines"`
		Principal  string                    `json:"principal"`
		Privileges map[string]map[string]int `json:"privileges"`
		Listed     []string                  `json:"paths_listed_by_access_permissions"`
		Allowed    map[string]bool           `json:"allowed"`
	} `json:"acl_cases"`
}

func readPermissions(t testing.TB) permissionsFile {
	t.Helper()
	return readJSON[permissionsFile](t, vectors+"permissions.json")
}

// madeUpSecret is the secret of every token but those in the samples of auth.
const madeUpSecret = "22222222-2222-4222-8222-222222222222"

// secretsOf gives every token of a user.cfg a secret.
func secretsOf(userCfg string) map[string]string {
	secrets := map[string]string{
		"root@pam!full":      "0e36f1be-1d90-9197-9389-c84afba353d3",
		"auditor@pve!old":    "176a54da-e9eb-03cc-3ed0-9fa3c667aa6e",
		"disabled@pve!tok":   "f7bc1c82-3a74-e7e1-e7c1-616266babafa",
		"expired@pve!tok":    "00106614-5551-dbb8-3b55-a060162afa8b",
		"root@pam!undefined": madeUpSecret,
	}
	for line := range strings.Lines(userCfg) {
		if fields := strings.Split(line, ":"); fields[0] == "token" && secrets[fields[1]] == "" {
			secrets[fields[1]] = madeUpSecret
		}
	}
	return secrets
}

// recordedWorld is the cluster that the samples were recorded from, as far as
// they tell.
func recordedWorld(t testing.TB) *pvesim.World {
	t.Helper()
	devices, permissions := recordedNodes(t), readPermissions(t)
	fingerprints := map[string]string{}
	for _, row := range body[[]struct {
		Node        string `json:"node"`
		Fingerprint string `json:"ssl_fingerprint"`
	}](t, readSamples(t, "nodes")[0].Response.Body) {
		fingerprints[row.Node] = row.Fingerprint
	}
	world := &pvesim.World{
		Cluster: "lab", MappingCfg: permissions.MappingCfg, UserCfg: permissions.UserCfg,
		Secrets: secretsOf(permissions.UserCfg), Names: recordedNames(t),
		Nodes: []pvesim.Node{
			{Name: "pve-a", Devices: devices["pve-a"]},
			{Name: "pve-b", Devices: devices["pve-b"]},
			{Name: "pve-c", Offline: true, CPUs: 8, Memory: 33554432000},
			{Name: "pve-d", Mute: true, NoStatistics: true},
		},
	}
	for i := range world.Nodes {
		world.Nodes[i].Fingerprint = fingerprints[world.Nodes[i].Name]
	}
	completeTypes(t, world)
	addRecordedGuests(t, world)
	return world
}

// completeTypes gives the mdev types the words that a sample shows.
func completeTypes(t testing.TB, world *pvesim.World) {
	t.Helper()
	words := map[string]pvesim.MdevType{}
	for _, s := range readSamples(t, "uri") {
		if !strings.HasSuffix(s.Request.Path, "p4-vgpu/mdev") {
			continue
		}
		for _, row := range body[[]pvesim.MdevType](t, s.Response.Body) {
			row.Description = strings.TrimSuffix(row.Description, "\n")
			words[row.Type] = row
		}
	}
	for n := range world.Nodes {
		for d := range world.Nodes[n].Devices {
			for i, mdev := range world.Nodes[n].Devices[d].MdevTypes {
				if full, ok := words[mdev.Type]; ok {
					world.Nodes[n].Devices[d].MdevTypes[i] = full
				}
			}
		}
	}
}

// recordedNames is a list of names with exactly those that the samples show.
func recordedNames(t testing.TB) *pci.Database {
	t.Helper()
	var rows []map[string]any
	for _, s := range readSamples(t, "hardware-pci") {
		if s.Response.Status == 200 {
			rows = append(rows, body[[]map[string]any](t, s.Response.Body)...)
		}
	}
	return namesFrom(rows)
}

// namesFrom makes a list of names from rows of device lists.
func namesFrom(rows []map[string]any) *pci.Database {
	vendors, subsystems := map[string]string{}, map[string]string{}
	devices := map[string]map[string]string{}
	for _, row := range rows {
		text := func(key string) string { value, _ := row[key].(string); return strings.TrimPrefix(value, "0x") }
		vendor, device := text("vendor"), text("device")
		note(vendors, vendor, text("vendor_name"))
		note(vendors, text("subsystem_vendor"), text("subsystem_vendor_name"))
		if devices[vendor] == nil {
			devices[vendor] = map[string]string{}
		}
		note(devices[vendor], device, text("device_name"))
		if name := text("subsystem_device_name"); name != "" {
			line := fmt.Sprintf("\t\t%s %s  %s\n", text("subsystem_vendor"), text("subsystem_device"), name)
			if !strings.Contains(subsystems[vendor+device], line) {
				subsystems[vendor+device] += line
			}
		}
	}
	var out strings.Builder
	for _, vendor := range slices.Sorted(maps.Keys(vendors)) {
		fmt.Fprintf(&out, "%s  %s\n", vendor, vendors[vendor])
		for _, device := range slices.Sorted(maps.Keys(devices[vendor])) {
			fmt.Fprintf(&out, "\t%s  %s\n%s", device, devices[vendor][device], subsystems[vendor+device])
		}
	}
	return pci.NewDatabase(out.String())
}

func note(names map[string]string, id, name string) {
	if name != "" {
		names[id] = name
	}
}

type pendingItem struct {
	Key     string `json:"key"`
	Value   any    `json:"value"`
	Pending any    `json:"pending"`
	Delete  int    `json:"delete"`
}

// configText writes a file that reads as a recorded pending list does. It is not
// the recorded file, so that its digest differs.
func configText(items []pendingItem) string {
	slices.SortFunc(items, func(a, b pendingItem) int { return cmp.Compare(a.Key, b.Key) })
	var main, pending strings.Builder
	var deleted []string
	for _, item := range items {
		if item.Key == "digest" {
			continue
		}
		if item.Key == "description" && item.Value != nil {
			for line := range strings.Lines(fmt.Sprint(item.Value)) {
				fmt.Fprintf(&main, "#%s\n", strings.TrimSuffix(line, "\n"))
			}
			continue
		}
		if item.Value != nil {
			fmt.Fprintf(&main, "%s: %v\n", item.Key, item.Value)
		}
		if item.Pending != nil {
			fmt.Fprintf(&pending, "%s: %v\n", item.Key, item.Pending)
		}
		if item.Delete > 0 {
			deleted = append(deleted, strings.Repeat("!", item.Delete-1)+item.Key)
		}
	}
	if len(deleted) == 0 && pending.Len() == 0 {
		return main.String()
	}
	if len(deleted) > 0 {
		fmt.Fprintf(&pending, "delete: %s\n", strings.Join(deleted, ","))
	}
	return main.String() + "\n[PENDING]\n" + pending.String()
}

// sectionText writes a snapshot's section.
func sectionText(name string, values map[string]any) string {
	var out strings.Builder
	fmt.Fprintf(&out, "\n[%s]\n", name)
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if key == "digest" {
			continue
		}
		if number, ok := values[key].(float64); ok {
			fmt.Fprintf(&out, "%s: %.0f\n", key, number)
			continue
		}
		fmt.Fprintf(&out, "%s: %v\n", key, values[key])
	}
	return out.String()
}

// addRecordedGuests takes the guests from the scenario of a token that sees
// everything, which is the same cluster. No VM ran while the samples were
// recorded, but the cluster's statistics said so.
func addRecordedGuests(t testing.TB, world *pvesim.World) {
	t.Helper()
	scenario := readScenario(t, "PERM-root-full")
	configs := map[string]string{}
	for _, exchange := range scenario.Exchanges {
		parts := strings.Split(exchange.Request.Path, "/") // "", api2, json, nodes, N, qemu, ID, what
		if len(parts) != 8 || exchange.Status != 200 {
			continue
		}
		node, vmid := parts[4], parts[6]
		switch {
		case parts[7] == "pending":
			configs[node+" "+vmid] = configText(body[[]pendingItem](t, exchange.Body))
		case strings.HasPrefix(exchange.Request.Query, "snapshot="):
			name := strings.TrimPrefix(exchange.Request.Query, "snapshot=")
			configs[node+" "+vmid] += sectionText(name, body[map[string]any](t, exchange.Body))
		case parts[5] == "lxc" && exchange.Request.Query == "current=1":
			configs[node+" "+vmid] = strings.TrimPrefix(sectionText("", body[map[string]any](t, exchange.Body)), "\n[]\n")
		}
	}
	for _, row := range resourceRows(t) {
		node, vmid := row.Node, fmt.Sprint(row.VMID)
		if row.Type != "qemu" && row.Type != "lxc" {
			continue
		}
		guest := pvesim.Guest{VMID: row.VMID, Kind: pvesim.GuestKind(row.Type), Node: node, Config: configs[node+" "+vmid]}
		if row.Status == "running" {
			guest.Reported = "running"
		}
		world.Guests = append(world.Guests, guest)
	}
}

type resourceRow struct {
	Type   string `json:"type"`
	Node   string `json:"node"`
	Status string `json:"status"`
	VMID   int    `json:"vmid"`
}

func resourceRows(t testing.TB) []resourceRow {
	t.Helper()
	return body[[]resourceRow](t, readSamples(t, "cluster-resources")[1].Response.Body)
}

const scenarios = "../../testdata/cases/scenarios/"

func readScenario(t testing.TB, name string) *pvesim.Scenario {
	t.Helper()
	text, err := os.ReadFile(scenarios + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	scenario, err := pvesim.ParseScenario(text)
	if err != nil {
		t.Fatal(err)
	}
	return scenario
}

func scenarioNames(t testing.TB, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(scenarios + pattern + ".json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios %s: %v", pattern, err)
	}
	for i := range files {
		files[i] = strings.TrimSuffix(filepath.Base(files[i]), ".json")
	}
	return files
}
