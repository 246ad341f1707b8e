package cli_test

import (
	"encoding/csv"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/google/go-cmp/cmp"

	"pciatlas/internal/cli"
	"pciatlas/internal/pvesim"
)

// hostileRoot is the demo's node with a VM whose lines hold control characters
// and what YAML takes for something else.
func hostileRoot(t *testing.T) string {
	t.Helper()
	world := pvesim.Demo()
	world.Guests = append(world.Guests, pvesim.Guest{
		VMID: 150, Kind: pvesim.QEMU, Node: "pve-a",
		Config: "name: x\nhostpci0: 01:00.0,\x1b[2Jfoo=\u202e1\x7f\nhostpci1: 0000:01:00.0,romfile=\x1b]0;\"t\\\x07\u0085\ufeff😀.rom\n" +
			"tags: yes;1e3;on\nhostpci2: mapping=rtx\x1b-3090\nbios: ~\nmachine: - a: # b\n",
	})
	root := t.TempDir()
	if err := world.Tree(pvesim.DemoNode).WriteTo(root); err != nil {
		t.Fatal(err)
	}
	return root
}

// scalars collects the values of a YAML text that are neither quoted nor one of
// JSON's other scalars.
type scalars struct{ plain []string }

func (s *scalars) Visit(node ast.Node) ast.Visitor {
	if entry, ok := node.(*ast.MappingValueNode); ok {
		ast.Walk(s, entry.Value)
		return nil
	}
	if _, ok := node.(ast.ScalarNode); ok {
		text := node.GetToken().Origin
		if !jsonScalar.MatchString(strings.TrimSpace(text)) && !strings.HasPrefix(strings.TrimSpace(text), `"`) {
			s.plain = append(s.plain, text)
		}
	}
	return s
}

var (
	jsonScalar = regexp.MustCompile(`^(null|true|false|-?\d+)$`)
	// A line of YAML with a scalar on it: what stands before it, and the scalar.
	yamlLine = regexp.MustCompile(`^(?: *(?:- )*)(?:[a-z_0-9]+:(?: |$))?(.*)$`)
)

// TestYAMLQuotesEveryString: no reader can take a string for a number.
func TestYAMLQuotesEveryString(t *testing.T) {
	root := hostileRoot(t)
	for _, args := range [][]string{
		{"scan", "--all-devices"},
		{"scan", "--node", "pve-a"},
		{"vm", "103"},
		{"vm", "150"},
		{"vm", "110"},
		{"device", "01:00.0"},
		{"device", "00:02.0"},
	} {
		got := run(t, cli.Env{}, append(args, "-o", "yaml", "--root", root)...)
		if got.code != 0 {
			t.Fatalf("%v: %s", args, got.stderr)
		}
		for line := range strings.Lines(got.stdout) {
			value := yamlLine.FindStringSubmatch(strings.TrimSuffix(line, "\n"))[1]
			if value != "" && value != "[]" && value != "{}" && !jsonScalar.MatchString(value) && !json.Valid([]byte(value)) {
				t.Errorf("%v: neither a quoted string nor another scalar of JSON: %q", args, line)
			}
		}
		if strings.ContainsAny(got.stdout, "\x1b\x07\x7f\u0085\u202e\ufeff") {
			t.Errorf("%v: control characters are sent", args)
		}
		file, err := parser.ParseBytes([]byte(got.stdout), 0)
		if err != nil {
			t.Fatalf("%v: %v", args, err)
		}
		var found scalars
		for _, doc := range file.Docs {
			ast.Walk(&found, doc.Body)
		}
		if len(found.plain) > 0 {
			t.Errorf("%v: unquoted: %q", args, found.plain)
		}
		compareWithJSON(t, args, got.stdout, root)
	}
}

// compareWithJSON decodes both and compares.
func compareWithJSON(t *testing.T, args []string, asYAML, root string) {
	t.Helper()
	asJSON := run(t, cli.Env{}, append(args, "-o", "json", "--root", root)...)
	var fromJSON, fromYAML any
	if err := json.Unmarshal([]byte(asJSON.stdout), &fromJSON); err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal([]byte(asYAML), &fromYAML); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(fromYAML)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(again, &fromYAML); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(fromJSON, fromYAML); diff != "" {
		t.Errorf("%v (-json +yaml):\n%s", args, diff)
	}
}

func TestCSVSendsNoControlCharacters(t *testing.T) {
	file := snapshotFile(t, func(s object) {
		for _, guest := range at(t, s, "guests")["value"].([]any) {
			guest.(object)["name"] = "=x\x1b[2J\x07\x7f\u0085\u202e"
		}
	})
	got := run(t, cli.Env{}, "scan", "-o", "csv", "--from", file)
	rows, err := csv.NewReader(strings.NewReader(got.stdout)).ReadAll()
	if err != nil || len(rows) < 5 {
		t.Fatal(err, got.stderr)
	}
	if strings.ContainsAny(got.stdout+got.stderr, "\x1b\x07\x7f\u0085\u202e") || !strings.Contains(got.stdout, `\u001b`) {
		t.Errorf("control characters are sent: %q", got.stdout)
	}
}

// jsonOf gives the object that a command writes.
func jsonOf(t *testing.T, args ...string) object {
	t.Helper()
	got := run(t, cli.Env{}, append(args, "-o", "json")...)
	if got.code != 0 {
		t.Fatalf("%v: %s", args, got.stderr)
	}
	var o object
	if err := json.Unmarshal([]byte(got.stdout), &o); err != nil {
		t.Fatal(err)
	}
	return o
}

// TestSubjectsSayHowCompleteTheCheckIs: one VM or device says it as its node does.
func TestSubjectsSayHowCompleteTheCheckIs(t *testing.T) {
	root := demoRoot(t)
	node := jsonOf(t, "scan", "--node", "pve-a", "--root", root)
	device := jsonOf(t, "device", "01:00.0", "--root", root)
	vm := jsonOf(t, "vm", "103", "--root", root)
	for _, key := range []string{"complete", "scope", "visible_vms", "checked_vms", "issues"} {
		if diff := cmp.Diff(node[key], device[key]); diff != "" {
			t.Errorf("device: %s (-node +device):\n%s", key, diff)
		}
		if diff := cmp.Diff(node[key], vm[key]); diff != "" && key != "issues" {
			t.Errorf("vm: %s (-node +vm):\n%s", key, diff)
		}
	}
}

// TestUnreadConfiguration: what was not read is null, not an empty value.
func TestUnreadConfiguration(t *testing.T) {
	file := snapshotFile(t, func(s object) {
		delete(at(t, s, "nodes", "pve-a", "vms"), "103")
		for _, guest := range at(t, s, "guests")["value"].([]any) {
			delete(guest.(object), "template")
			delete(guest.(object), "tags")
		}
	})
	unread := jsonOf(t, "vm", "103", "--from", file)
	for _, key := range []string{"template", "tags", "custom_args", "hookscript", "lines", "dropped_lines", "snapshots", "machine", "bios"} {
		if value, there := unread[key]; !there || value != nil {
			t.Errorf("%s is %v; nothing was read", key, value)
		}
	}
	if read, ok := unread["config_read"].(bool); !ok || read {
		t.Errorf("config_read is %v", unread["config_read"])
	}
	read := jsonOf(t, "vm", "110", "--from", file)
	for _, key := range []string{"template", "tags", "custom_args", "hookscript", "lines"} {
		if read[key] == nil {
			t.Errorf("%s is null; it was read", key)
		}
	}
}

// TestDroppedMappingLines: what stands in the file of mappings and is not taken
// is shown, where it is and why.
func TestDroppedMappingLines(t *testing.T) {
	root := t.TempDir()
	tree := pvesim.Tree{Files: map[string]string{
		"etc/hostname":                             "pve-a\n",
		"etc/pve/.members":                         `{"nodename":"pve-a","cluster":{"name":"x","quorate":0},"nodelist":{"pve-a":{"online":1}}}`,
		"etc/pve/mapping/pci.cfg":                  "onlybad\n\tmap id=zz,node=pve-a,path=01:00.0\n",
		"etc/pve/nodes/pve-a/qemu-server/100.conf": "hostpci0: mapping=onlybad\n",
	}, Dirs: []string{"sys/bus/pci/devices"}}
	if err := tree.WriteTo(root); err != nil {
		t.Fatal(err)
	}
	got := run(t, cli.Env{Columns: 100}, "scan", "-o", "wide", "--root", root)
	for _, want := range []string{"Lines of mapping/pci.cfg that Proxmox VE drops:", "line 2 of onlybad: ", "drops line 2 of mapping/pci.cfg", "the files may be old"} {
		if !strings.Contains(strings.Join(strings.Fields(got.stdout), " "), want) {
			t.Errorf("%q is not said: %s%s", want, got.stdout, got.stderr)
		}
	}
}
