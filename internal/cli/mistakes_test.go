package cli_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"pciatlas/internal/cli"
	"pciatlas/internal/pvesim"
)

// object is a JSON object.
type object = map[string]any

// snapshotFile writes a snapshot of the demo's node, changed by edit.
func snapshotFile(t *testing.T, edit func(snapshot object)) string {
	t.Helper()
	got := run(t, cli.Env{}, "snapshot", "-", "--root", demoRoot(t))
	if got.code != 0 {
		t.Fatal(got.stderr)
	}
	var snapshot object
	if err := json.Unmarshal([]byte(got.stdout), &snapshot); err != nil {
		t.Fatal(err)
	}
	edit(snapshot)
	changed, err := json.Marshal(snapshot)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "edited.json")
	if err := os.WriteFile(file, changed, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// at gives the object below a path of keys.
func at(t *testing.T, in object, path ...string) object {
	t.Helper()
	for _, key := range path {
		inner, ok := in[key].(object)
		if !ok {
			t.Fatalf("there is no object %s", key)
		}
		in = inner
	}
	return in
}

// onlyNode leaves a snapshot of one node of one cluster.
func onlyNode(t *testing.T, snapshot object, name string) {
	t.Helper()
	snapshot["nodes"] = object{name: at(t, snapshot, "nodes", name)}
	delete(snapshot, "members")
	guests := at(t, snapshot, "guests")
	var kept []any
	for _, guest := range guests["value"].([]any) {
		if guest.(object)["node"] == name {
			kept = append(kept, guest)
		}
	}
	setGuests(guests, kept)
}

func setGuests(guests object, list []any) {
	guests["value"], guests["got"], guests["total"] = list, len(list), len(list)
}

// TestNotFound: that something does not exist is said only if everything it could
// be in was read.
func TestNotFound(t *testing.T) {
	whole := snapshotFile(t, func(s object) { onlyNode(t, s, "pve-a") })
	partial := snapshotFile(t, func(s object) {
		onlyNode(t, s, "pve-a")
		at(t, s, "nodes", "pve-a", "devices")["state"] = "partial"
	})
	unread := snapshotFile(t, func(s object) {
		onlyNode(t, s, "pve-a")
		delete(at(t, s, "nodes", "pve-a"), "devices")
	})
	container := snapshotFile(t, func(s object) {
		guests := at(t, s, "guests")
		setGuests(guests, append(guests["value"].([]any), object{"vmid": 399, "kind": "lxc", "node": "pve-a", "status": "stopped"}))
	})
	several := snapshotFile(t, func(object) {})
	const nowhere = "0000:99:00.0"
	for name, test := range map[string]struct {
		file string
		args []string
		says string
		not  string
	}{
		"device, all read":    {whole, []string{"device", nowhere}, "there is no PCI function 0000:99:00.0 on pve-a", "known"},
		"device, partly read": {partial, []string{"device", nowhere}, "the devices of pve-a were not read completely, so it is not known whether 0000:99:00.0 exists", "there is no"},
		"device, not read":    {unread, []string{"device", nowhere}, "the devices of pve-a were not read, so it is not known whether 0000:99:00.0 exists", "there is no"},
		"device, other nodes": {several, []string{"device", nowhere}, "so it is not known whether 0000:99:00.0 exists there; it is not on pve-a", "there is no"},
		"device, one of them": {several, []string{"device", nowhere, "--node", "pve-a"}, "there is no PCI function 0000:99:00.0 on pve-a", "known"},
		"VM, a container":     {container, []string{"vm", "399"}, "399 is a container on node pve-a, not a VM", "there is no"},
	} {
		got := run(t, cli.Env{}, append(test.args, "--from", test.file)...)
		if got.code != 1 || got.stdout != "" || !strings.Contains(got.stderr, test.says) ||
			test.not != "" && strings.Contains(got.stderr, test.not) {
			t.Errorf("%s: exit code %d, %q; want 1 and %q, not %q", name, got.code, got.stdout+got.stderr, test.says, test.not)
		}
	}
}

// TestEmptyValuesAreRefused: an unset variable of a shell does not change what is
// read.
func TestEmptyValuesAreRefused(t *testing.T) {
	root := demoRoot(t)
	for _, flag := range []string{"--root", "--from", "--token-file", "--ca-file", "--endpoint", "--tls-fingerprint"} {
		for _, args := range [][]string{{"scan"}, {"vm", "100"}, {"device", "01:00.0"}, {"snapshot", "-"}} {
			got := run(t, cli.Env{Root: root}, append(args, flag, "")...)
			if got.code != 2 || got.stdout != "" || !strings.Contains(got.stderr, flag+" has an empty value") {
				t.Errorf("%v %s '': exit code %d: %s", args, flag, got.code, got.stderr)
			}
		}
	}
	if got := run(t, cli.Env{Root: root}, "device", "01:00.0", "--node", ""); got.code != 2 {
		t.Errorf("--node '': exit code %d: %s", got.code, got.stderr)
	}
}

var errFull = errors.New("no space left on device")

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

// TestWriteErrors: output that gets lost is a failure, said once.
func TestWriteErrors(t *testing.T) {
	root := demoRoot(t)
	for _, args := range [][]string{
		{"version"},
		{"version", "-o", "json"},
		{"help"},
		{"--help"},
		{},
		{"scan", "--help"},
		{"explain", "hostpci", "01:00"},
		{"explain", "hostpci", "01:00", "-o", "json"},
		{"completion", "bash"},
		{"scan", "--root", root},
		{"scan", "--root", root, "--require-complete"},
		{"scan", "--root", root, "-o", "wide"},
		{"scan", "--root", root, "-o", "json"},
		{"scan", "--root", root, "-o", "csv"},
		{"scan", "--root", root, "-o", "yaml"},
		{"vm", "100", "--root", root},
		{"device", "01:00.0", "--root", root},
		{"snapshot", "-", "--root", root},
		{"demo"},
	} {
		var stderr bytes.Buffer
		env := cli.Env{Stdout: fullDisk{}, Stderr: &stderr, Getenv: func(string) string { return "" }, Now: time.Now, Root: t.TempDir()}
		code := cli.Run(t.Context(), args, env)
		said := stderr.String()
		if code != 1 || strings.Count(said, errFull.Error()) != 1 || strings.Contains(said, "Try:") {
			t.Errorf("%v: exit code %d: %s", args, code, said)
		}
	}
}

func TestExplainNeedsToKnowWhat(t *testing.T) {
	got := run(t, cli.Env{}, "explain")
	if got.code != 2 || got.stdout != "" || !strings.Contains(got.stderr, "pciatlas explain mapping VALUE") {
		t.Errorf("exit code %d: %s%s", got.code, got.stdout, got.stderr)
	}
	if help := run(t, cli.Env{}, "explain", "--help"); help.code != 0 {
		t.Errorf("--help: exit code %d", help.code)
	}
}

func TestVersionDatesTheNames(t *testing.T) {
	if got := run(t, cli.Env{}, "version"); !strings.Contains(got.stdout, "PCI ID list of 20") {
		t.Errorf("%q", got.stdout)
	}
	var said struct {
		PCIIDs string `json:"pci_ids"`
	}
	got := run(t, cli.Env{}, "version", "-o", "json")
	if err := json.Unmarshal([]byte(got.stdout), &said); err != nil {
		t.Fatal(err)
	}
	if _, err := time.Parse(time.DateOnly, said.PCIIDs); err != nil {
		t.Error(err)
	}
}

// TestManyReferences: a sentence names three VMs, the list below all.
func TestManyReferences(t *testing.T) {
	world := pvesim.Demo()
	for i := range 40 {
		world.Guests = append(world.Guests, pvesim.Guest{
			VMID: 500 + i, Kind: pvesim.QEMU, Node: "pve-a", Config: fmt.Sprintf("name: many-%d\nhostpci0: 02:00\n", i),
		})
	}
	root := t.TempDir()
	if err := world.Tree(pvesim.DemoNode).WriteTo(root); err != nil {
		t.Fatal(err)
	}
	got := run(t, cli.Env{Columns: 100}, "device", "02:00.0", "--root", root)
	sentence, list, _ := strings.Cut(got.stdout, "References:")
	if len(regexp.MustCompile(`VM\s\d`).FindAllString(sentence, -1)) != 3 || !strings.Contains(sentence, "and 38 more name it") || strings.Count(list, "many-") != 40 {
		t.Errorf("%s", got.stdout)
	}
}
