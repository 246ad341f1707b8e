package cli_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"
	"github.com/mattn/go-runewidth"

	"pciatlas/internal/cli"
	"pciatlas/internal/pvesim"
)

var update = flag.Bool("update", false, "write the golden files anew")

type result struct {
	code           int
	stdout, stderr string
}

// run executes one command line on a machine whose root is the given folder.
func run(t *testing.T, env cli.Env, args ...string) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	env.Stdout, env.Stderr = &stdout, &stderr
	if env.Getenv == nil {
		env.Getenv = func(string) string { return "" }
	}
	env.Now = func() time.Time { return time.Date(2026, 11, 10, 9, 2, 6, 0, time.UTC) }
	if env.Root == "" {
		env.Root = t.TempDir()
	}
	code := cli.Run(t.Context(), args, env)
	return result{code, stdout.String(), stderr.String()}
}

// demoRoot writes the files of the demo's node.
func demoRoot(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	if err := pvesim.Demo().Tree(pvesim.DemoNode).WriteTo(root); err != nil {
		t.Fatal(err)
	}
	return root
}

// golden compares with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got; go test ./internal/cli -update writes it anew):\n%s", name, diff)
	}
}

func TestGoldenOutputs(t *testing.T) {
	root := demoRoot(t)
	for name, args := range map[string][]string{
		"scan.txt":             {"scan"},
		"scan-wide.txt":        {"scan", "-o", "wide"},
		"scan-all.txt":         {"scan", "--all-devices", "--node", "pve-a"},
		"scan-node.json":       {"scan", "--node", "pve-a", "-o", "json"},
		"scan.json":            {"scan", "-o", "json"},
		"scan.yaml":            {"scan", "-o", "yaml"},
		"scan.csv":             {"scan", "-o", "csv"},
		"scan-other-node.txt":  {"scan", "--node", "pve-b"},
		"vm.txt":               {"vm", "103"},
		"vm-dropped.txt":       {"vm", "120"},
		"vm-other-node.txt":    {"vm", "9000"},
		"vm.json":              {"vm", "110", "-o", "json"},
		"vm.yaml":              {"vm", "110", "-o", "yaml"},
		"device.txt":           {"device", "01:00.0"},
		"device-review.txt":    {"device", "0000:03:00.0"},
		"device-free.txt":      {"device", "00:02.0"},
		"device.json":          {"device", "0000:00:02.0", "-o", "json"},
		"explain.txt":          {"explain", "hostpci", "0000:01:00;00000:02:00.0;03:00.1,pcie=1"},
		"explain-refused.txt":  {"explain", "hostpci", "0A:00.0,foo=1"},
		"explain.json":         {"explain", "hostpci", "01:00,pcie=1", "-o", "json"},
		"explain-mapping.txt":  {"explain", "mapping", "id=10de:2204,node=pve-a,path=0000:01:00.0;0000:02:00x0"},
		"explain-mapping.json": {"explain", "mapping", "path=01:00,id=1", "-o", "json"},
		"mapping-list.txt":     {"mapping", "list"},
		"mapping-one.txt":      {"mapping", "list", "rtx-4090-pool"},
		"mapping-suggest.txt":  {"mapping", "suggest"},
		"mapping-suggest.sh":   {"mapping", "suggest", "-o", "commands"},
		"mapping-list.tf":      {"mapping", "list", "-o", "terraform"},
		"place.txt":            {"place", "110"},
		"place.json":           {"place", "120", "-o", "json"},
		"evacuate.txt":         {"evacuate", "pve-a"},
		"doctor.txt":           {"doctor"},
		"doctor-vm.txt":        {"doctor", "101"},
		"doctor-device.json":   {"doctor", "0000:03:00.0", "-o", "json"},
		"help.txt":             {"help"},
		"help-scan.txt":        {"scan", "--help"},
	} {
		t.Run(name, func(t *testing.T) {
			if reads := []string{"scan", "vm", "device", "mapping", "place", "evacuate", "doctor"}; slices.Contains(reads, args[0]) && args[len(args)-1] != "--help" {
				args = append(args, "--root", root)
			}
			got := run(t, cli.Env{Columns: 100}, args...)
			if got.code != 0 {
				t.Fatalf("exit code %d: %s", got.code, got.stderr)
			}
			golden(t, name, strings.ReplaceAll(got.stdout, root, "ROOT"))
		})
	}
}

// TestPlainNodeNeedsNoFlags: on a node, scan works without any.
func TestPlainNodeNeedsNoFlags(t *testing.T) {
	root := demoRoot(t)
	flagged := run(t, cli.Env{}, "scan", "--root", root)
	plain := run(t, cli.Env{Root: root}, "scan")
	if plain.code != 0 || plain.stdout != flagged.stdout {
		t.Errorf("exit code %d, %s", plain.code, plain.stderr)
	}
}

func TestExitCodes(t *testing.T) {
	root := demoRoot(t)
	for name, test := range map[string]struct {
		args []string
		code int
		says string
	}{
		"no node":              {[]string{"scan"}, 1, "--root DIR"},
		"a root that is none":  {[]string{"scan", "--root", t.TempDir()}, 1, "neither"},
		"a root not there":     {[]string{"scan", "--root", "/nonexistent"}, 1, "nonexistent"},
		"unknown format":       {[]string{"scan", "--root", root, "-o", "xml"}, 2, "one of table"},
		"unknown node":         {[]string{"scan", "--root", root, "--node", "PVE-A"}, 1, "known are: pve-a, pve-b"},
		"unknown flag":         {[]string{"scan", "--rot", root}, 2, "unknown flag"},
		"unknown command":      {[]string{"scna"}, 2, "unknown command"},
		"an argument too many": {[]string{"scan", "x"}, 2, "unknown command"},
		"incomplete":           {[]string{"scan", "--root", root, "--require-complete"}, 3, ""},
		"VM without number":    {[]string{"vm", "abc", "--root", root}, 2, "number of a VM"},
		"no such VM":           {[]string{"vm", "777", "--root", root}, 1, "there is no VM 777"},
		"no such device":       {[]string{"device", "0000:99:00.0", "--root", root}, 1, "were not read"},
		"a slot":               {[]string{"device", "01:00", "--root", root}, 2, "write it as"},
		"help":                 {nil, 0, ""},
		"version":              {[]string{"version"}, 0, ""},
		"explain without":      {[]string{"explain", "hostpci"}, 2, "arg"},
		"a refused value":      {[]string{"explain", "hostpci", "nonsense"}, 0, ""},
	} {
		got := run(t, cli.Env{}, test.args...)
		if got.code != test.code || !strings.Contains(got.stderr, test.says) {
			t.Errorf("%s: exit code %d, %q; want %d and %q", name, got.code, got.stderr, test.code, test.says)
		}
	}
}

// TestTableFitsTheTerminal: no line is wider than 100 columns, with wide
// characters counted as two.
func TestTableFitsTheTerminal(t *testing.T) {
	world := pvesim.Demo()
	for i := range world.Guests {
		world.Guests[i].Config = strings.Replace(world.Guests[i].Config, "name: ", "name: a-very-long-name-of-a-virtual-machine-", 1)
	}
	world.Cluster = "集群"
	root := t.TempDir()
	if err := world.Tree(pvesim.DemoNode).WriteTo(root); err != nil {
		t.Fatal(err)
	}
	for _, columns := range []int{0, 80, 100, 250} {
		got := run(t, cli.Env{Columns: columns}, "scan", "--root", root)
		for line := range strings.Lines(got.stdout) {
			if width := runewidth.StringWidth(strings.TrimSuffix(line, "\n")); width > 110 {
				t.Errorf("at %d columns a line is %d wide: %s", columns, width, line)
			}
		}
	}
}

func TestColoursOnlyOnATerminal(t *testing.T) {
	root := demoRoot(t)
	noColour := func(key string) string {
		if key == "NO_COLOR" {
			return "1"
		}
		return ""
	}
	for name, test := range map[string]struct {
		env  cli.Env
		want bool
	}{
		"pipe":              {cli.Env{}, false},
		"terminal":          {cli.Env{Terminal: true, Columns: 100}, true},
		"terminal NO_COLOR": {cli.Env{Terminal: true, Columns: 100, Getenv: noColour}, false},
	} {
		if got := run(t, test.env, "scan", "--root", root); strings.Contains(got.stdout, "\x1b[") != test.want {
			t.Errorf("%s: colours are %v", name, !test.want)
		}
	}
}

// TestHostileNamesStayText: what files hold cannot steer a terminal.
func TestHostileNamesStayText(t *testing.T) {
	world := pvesim.Demo()
	world.Guests = append(world.Guests, pvesim.Guest{
		VMID: 150, Kind: pvesim.QEMU, Node: "pve-a",
		Config: "name: x\nhostpci0: 01:00.0,\x1b[2Jfoo=\u202e1\nhostpci1: 0000:01:00.0,romfile=\x1b]0;title\x07\u2066.rom\ntags: a\n",
	})
	root := t.TempDir()
	if err := world.Tree(pvesim.DemoNode).WriteTo(root); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"scan", "-o", "wide"}, {"scan"}, {"vm", "150"}, {"device", "01:00.0"}} {
		got := run(t, cli.Env{}, append(args, "--root", root)...)
		if got.code != 0 || strings.ContainsAny(got.stdout+got.stderr, "\x1b\x07\u202e\u2066") {
			t.Errorf("%v: control characters reach the terminal: %q", args, got.stdout)
		}
	}
}

// TestSecretsStayInside plants canaries in every place where Proxmox VE keeps
// something secret and looks for them in every output.
func TestSecretsStayInside(t *testing.T) {
	const canary = "CANARY-4711"
	world := pvesim.Demo()
	world.Guests = append(world.Guests, pvesim.Guest{
		VMID: 150, Kind: pvesim.QEMU, Node: "pve-a",
		Config: "#" + canary + "\nargs: -device vfio-pci,host=0000:01:00.0 -foo " + canary + "\nhookscript: local:snippets/" + canary +
			".sh\ncipassword: " + canary + "\nsshkeys: " + canary + "\n args: " + canary + "\nargs " + canary + "\nnosuch: " + canary +
			"\nhookscript " + canary + "\nname: secret-box\nhostpci0: 01:00.0\n[PENDING]\nargs: " + canary + "\ncipassword: " + canary +
			"\nhookscript: local:snippets/" + canary + "\n[snap]\nargs: " + canary + "\ncipassword: " + canary + "\n",
	})
	root := t.TempDir()
	if err := world.Tree(pvesim.DemoNode).WriteTo(root); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"scan"},
		{"scan", "-o", "wide"},
		{"scan", "-o", "json", "--all-devices"},
		{"scan", "-o", "csv"},
		{"scan", "-o", "yaml"},
		{"vm", "150"},
		{"vm", "150", "-o", "json"},
		{"vm", "150", "-o", "yaml"},
		{"device", "01:00.0"},
		{"device", "01:00.0", "-o", "json"},
	} {
		got := run(t, cli.Env{}, append(args, "--root", root)...)
		if got.code != 0 {
			t.Errorf("%v: exit code %d: %s", args, got.code, got.stderr)
		}
		if strings.Contains(got.stdout+got.stderr, canary) {
			t.Errorf("%v shows a secret", args)
		}
	}
}

func TestCSVIsSafeForSpreadsheets(t *testing.T) {
	world := pvesim.Demo()
	world.MappingCfg += "\nsum-1\n\tmap id=10de:2204,node=pve-a,path=0000:01:00\n\n"
	root := t.TempDir()
	if err := world.Tree(pvesim.DemoNode).WriteTo(root); err != nil {
		t.Fatal(err)
	}
	got := run(t, cli.Env{}, "scan", "-o", "csv", "--root", root)
	rows, err := csv.NewReader(strings.NewReader(got.stdout)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		for _, value := range row {
			if value != "" && strings.ContainsRune("=+-@", rune(value[0])) {
				t.Errorf("a cell is a formula: %q", value)
			}
		}
	}
	if !strings.Contains(got.stderr, "visible VMs checked") {
		t.Errorf("the scope is not said beside the CSV: %q", got.stderr)
	}
}

// TestYAMLSaysWhatJSONSays compares the two.
func TestYAMLSaysWhatJSONSays(t *testing.T) {
	root := demoRoot(t)
	for _, args := range [][]string{{"scan"}, {"scan", "--node", "pve-a"}, {"vm", "103"}, {"device", "01:00.0"}} {
		var fromJSON, fromYAML any
		asJSON := run(t, cli.Env{}, append(args, "-o", "json", "--root", root)...)
		if err := json.Unmarshal([]byte(asJSON.stdout), &fromJSON); err != nil {
			t.Fatal(err)
		}
		asYAML := run(t, cli.Env{}, append(args, "-o", "yaml", "--root", root)...)
		converted, err := yaml.YAMLToJSON([]byte(asYAML.stdout))
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(converted, &fromYAML); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(fromJSON, fromYAML); diff != "" {
			t.Errorf("%v (-json +yaml):\n%s", args, diff)
		}
	}
}

func TestCompletionAndManualPages(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if got := run(t, cli.Env{}, "completion", shell); got.code != 0 || len(got.stdout) < 500 {
			t.Errorf("completion %s: exit code %d, %d bytes", shell, got.code, len(got.stdout))
		}
	}
	folder := filepath.Join(t.TempDir(), "man")
	if got := run(t, cli.Env{}, "man", folder); got.code != 0 {
		t.Fatalf("man: %s", got.stderr)
	}
	for _, page := range []string{"pciatlas.1", "pciatlas-scan.1", "pciatlas-vm.1", "pciatlas-device.1", "pciatlas-explain-hostpci.1"} {
		if _, err := os.Stat(filepath.Join(folder, page)); err != nil {
			t.Error(err)
		}
	}
}
