package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pciatlas/internal/cli"
	"pciatlas/internal/pvesim"
)

// hostRoot writes the files of pve-a in a cluster with pve-b; change may add to
// the tree.
func hostRoot(t *testing.T, lines string, change func(*pvesim.Tree)) string {
	t.Helper()
	world := checkWorld(lines)
	world.Cluster, world.Nodes = "demo", append(world.Nodes, pvesim.Node{Name: "pve-b"})
	tree := world.Tree("pve-a")
	if change != nil {
		change(&tree)
	}
	root := t.TempDir()
	if err := tree.WriteTo(root); err != nil {
		t.Fatal(err)
	}
	return root
}

// TestCheckOnANode: what a node cannot see is no failure, what it cannot read is.
func TestCheckOnANode(t *testing.T) {
	folder := func(path string) func(*pvesim.Tree) {
		return func(tree *pvesim.Tree) {
			delete(tree.Files, path)
			tree.Dirs = append(tree.Dirs, path)
		}
	}
	for name, c := range map[string]struct {
		lines  string
		change func(*pvesim.Tree)
		args   []string
		code   int
		says   string // in the scope lines
	}{
		"clean cluster of two nodes":   {"", nil, nil, 0, "the devices of pve-b were not read"},
		"the same, strictly":           {"", nil, []string{"--strict"}, 0, "pve-a: 2 of 2 visible VMs checked · complete"},
		"only the node without":        {"", nil, []string{"--node", "pve-b"}, 3, "the devices of pve-b were not read"},
		"HA not readable":              {"", folder("etc/pve/ha/resources.cfg"), nil, 3, "complete · The HA resources and rules could not be read"},
		"backup jobs not readable":     {"", folder("etc/pve/jobs.cfg"), nil, 3, "The backup jobs could not be read"},
		"replication not readable":     {"", folder("etc/pve/replication.cfg"), nil, 3, "The replication jobs could not be read"},
		"not readable, but worse":      {"hostpci0: 0000:09:00.0\n", folder("etc/pve/jobs.cfg"), nil, 2, "The backup jobs could not be read"},
		"a line without a device":      {"hostpci0: pcie=1\n", nil, nil, 0, "VM 100: hostpci0 is not usable"},
		"a line without one, strictly": {"hostpci0: pcie=1\n", nil, []string{"--strict"}, 3, "VM 100: hostpci0 is not usable"},
	} {
		t.Run(name, func(t *testing.T) {
			root := hostRoot(t, c.lines, c.change)
			for _, format := range []string{"text", "json"} {
				got := run(t, cli.Env{}, append([]string{"check", "--root", root, "-o", format}, c.args...)...)
				if got.code != c.code || !strings.Contains(got.stdout, c.says) || got.stderr != "" {
					t.Errorf("%s: exit code %d, want %d:\n%s%s", format, got.code, c.code, got.stdout, got.stderr)
				}
			}
		})
	}
}

// TestCheckWithoutDevices: a copied tree that has no devices at all is not OK.
func TestCheckWithoutDevices(t *testing.T) {
	root := hostRoot(t, "", nil)
	if err := os.RemoveAll(filepath.Join(root, "sys")); err != nil {
		t.Fatal(err)
	}
	if got := run(t, cli.Env{}, "check", "--root", root); got.code != 3 {
		t.Errorf("exit code %d:\n%s", got.code, got.stdout)
	}
}
