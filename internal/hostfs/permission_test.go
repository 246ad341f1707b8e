package hostfs

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"pciatlas/internal/facts"
)

// asNobodyRoot names the root that TestReadInThisProcess reads.
const asNobodyRoot = "PCIATLAS_TEST_HOSTFS_ROOT"

type nobodyResult struct {
	Snapshot    facts.Snapshot
	Code, Error string
}

// TestReadInThisProcess is no test of its own: it is what readAsNobody starts, and
// does nothing otherwise.
func TestReadInThisProcess(t *testing.T) {
	root := os.Getenv(asNobodyRoot)
	if root == "" {
		return
	}
	var result nobodyResult
	snapshot, err := Read(t.Context(), Options{Root: root})
	result.Snapshot = snapshot
	if rootError, ok := errors.AsType[*Error](err); ok {
		result.Code, result.Error = rootError.Code, err.Error()
	}
	data, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(os.Getenv(asNobodyRoot+"_OUT"), data, 0o600); err != nil {
		t.Fatal(err)
	}
}

// readAsNobody reads a tree in a process without rights: as root, a copy of this
// test program is started as another user; otherwise this user does.
func readAsNobody(t *testing.T, program, root string) nobodyResult {
	t.Helper()
	out := filepath.Join(filepath.Dir(program), "out")
	_ = os.Remove(out)
	cmd := exec.CommandContext(t.Context(), program, "-test.run=^TestReadInThisProcess$")
	cmd.Env = append(os.Environ(), asNobodyRoot+"="+root, asNobodyRoot+"_OUT="+out)
	if os.Getuid() == 0 {
		const nobody = 65534
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	var result nobodyResult
	if err := json.Unmarshal(data, &result); err != nil {
		t.Fatal(err)
	}
	return result
}

// TestPermissions reads without rights what a real /etc/pve refuses.
func TestPermissions(t *testing.T) {
	base, err := os.MkdirTemp("/tmp", "hostfs") //nolint:usetesting // others must be able to enter the folder
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(base) })
	program := copyOfThisProgram(t, base)
	for name, c := range map[string]struct {
		locked []string
		check  func(t *testing.T, result nobodyResult)
	}{
		"vm file": {[]string{"etc/pve/nodes/pve-a/qemu-server/100.conf"}, func(t *testing.T, result nobodyResult) {
			t.Helper()
			checkRefused(t, result.Snapshot.Nodes["pve-a"].VMs[100].Problems, true)
			if g := result.Snapshot.Guests; g.State != facts.OK || len(g.Value) != 3 {
				t.Errorf("%+v", g)
			}
		}},
		"vm folder": {[]string{"etc/pve/nodes/pve-a/qemu-server"}, func(t *testing.T, result nobodyResult) {
			t.Helper()
			checkRefused(t, result.Snapshot.Guests.Problems, true)
			if g := result.Snapshot.Guests; g.State != facts.Partial || len(g.Value) != 3 {
				t.Errorf("%+v", g) // .vmlist names the VM all the same
			}
			checkRefused(t, result.Snapshot.Nodes["pve-a"].VMs[100].Problems, true)
		}},
		"nodes": {[]string{"etc/pve/nodes", "etc/pve/.vmlist"}, func(t *testing.T, result nobodyResult) {
			t.Helper()
			checkRefused(t, result.Snapshot.Guests.Problems, true)
			checkRefused(t, result.Snapshot.Files.Problems, true)
			if result.Snapshot.Guests.State != facts.Failed || result.Snapshot.Files.State != facts.Partial {
				t.Errorf("%+v", result.Snapshot.Guests)
			}
		}},
		"etc/pve": {[]string{"etc/pve"}, func(t *testing.T, result nobodyResult) {
			t.Helper()
			for _, problems := range [][]facts.Problem{
				result.Snapshot.Files.Problems, result.Snapshot.Guests.Problems, result.Snapshot.Mappings.Problems,
			} {
				checkRefused(t, problems, true)
			}
		}},
		"mappings": {[]string{"etc/pve/mapping"}, func(t *testing.T, result nobodyResult) {
			t.Helper()
			checkRefused(t, result.Snapshot.Mappings.Problems, true)
		}},
		"device": {[]string{devicesFolder + "/0000:01:00.0/vendor"}, func(t *testing.T, result nobodyResult) {
			t.Helper()
			checkRefused(t, result.Snapshot.Nodes["pve-a"].Devices.Problems, false)
			if d := result.Snapshot.Nodes["pve-a"].Devices; d.State != facts.Partial || len(d.Value) != 0 {
				t.Errorf("%+v", d)
			}
		}},
		"devices": {[]string{"sys/bus"}, func(t *testing.T, result nobodyResult) {
			t.Helper()
			checkRefused(t, result.Snapshot.Nodes["pve-a"].Devices.Problems, false)
		}},
		"root":      {[]string{""}, checkRefusedRoot},
		"all of it": {[]string{"etc", "sys"}, checkRefusedRoot},
	} {
		t.Run(name, func(t *testing.T) {
			root := filepath.Join(base, strings.ReplaceAll(name, "/", "-"))
			mounted().writeTo(t, root)
			for _, path := range c.locked {
				locked := filepath.Join(root, path)
				if err := os.Chmod(locked, 0); err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = os.Chmod(locked, 0o700) })
			}
			result := readAsNobody(t, program, root)
			if strings.Contains(result.Error, "panic") {
				t.Error(result.Error)
			}
			c.check(t, result)
		})
	}
}

func checkRefused(t *testing.T, problems []facts.Problem, cluster bool) {
	t.Helper()
	if len(problems) == 0 || problems[0].Code != facts.ProblemPermission || !strings.Contains(problems[0].Message, "sudo") ||
		cluster != strings.Contains(problems[0].Message, "www-data") {
		t.Errorf("%+v", problems)
	}
}

func checkRefusedRoot(t *testing.T, result nobodyResult) {
	t.Helper()
	if result.Code != CodeRootPermission || !strings.Contains(result.Error, "sudo") {
		t.Errorf("%q: %s", result.Code, result.Error)
	}
}

// copyOfThisProgram makes a copy that every user may start, beside which every
// user may write.
func copyOfThisProgram(t *testing.T, folder string) string {
	t.Helper()
	if err := os.Chmod(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	from, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	program := filepath.Join(folder, "program")
	to, err := os.OpenFile(program, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.Copy(to, from)
	if err := errors.Join(err, to.Close()); err != nil {
		t.Fatal(err)
	}
	return program
}
