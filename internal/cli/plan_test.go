package cli_test

import (
	"encoding/json"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pciatlas/internal/cli"
	"pciatlas/internal/plan"
	"pciatlas/internal/pve"
	"pciatlas/internal/pvesim"
)

// office is the simulated cluster whose mappings may be changed.
type office struct {
	t      *testing.T
	server *pvesim.Server
	flags  []string
	root   []string // flags that sign in as root@pam
}

func newOffice(t *testing.T, world *pvesim.World) *office {
	t.Helper()
	server := &pvesim.Server{World: world, AuthDelay: -1, MuteDelay: -1}
	front, err := pvesim.NewTLSServer(server)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(front.Close)
	o := &office{t: t, server: server, flags: []string{
		"--endpoint", front.URL, "--token-file", tokenFile(t, pvesim.DemoTokenChanging), "--tls-fingerprint", front.Fingerprint,
	}}
	o.root = []string{"--login", "root@pam", "--password-file", tokenFile(t, pvesim.DemoRootPassword), "--otp", pvesim.DemoRootCode}
	return o
}

// says runs a command that is to succeed.
func (o *office) says(args ...string) string {
	o.t.Helper()
	got := o.run(args...)
	if got.code != 0 {
		o.t.Fatalf("%v: exit code %d, %s%s", args, got.code, got.stdout, got.stderr)
	}
	return got.stdout
}

func (o *office) run(args ...string) result {
	o.t.Helper()
	return run(o.t, cli.Env{Columns: 100}, append(args, o.flags...)...)
}

func (o *office) want(text string, parts ...string) {
	o.t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			o.t.Errorf("no %q in:\n%s", part, text)
		}
	}
}

// state is the mappings and the lines of VM 101.
func (o *office) state() string {
	world := o.server.State()
	mappings, _ := pve.ParseMappingFile(world.MappingCfg)
	text := ""
	for i := range mappings {
		mappings[i].Digest = ""
		data, _ := json.Marshal(mappings[i])
		text += string(data) + "\n"
	}
	for _, guest := range world.Guests {
		if guest.VMID == 101 {
			lines := strings.Split(strings.TrimSpace(guest.Config), "\n")
			slices.Sort(lines)
			text += "\n" + strings.Join(lines, "\n")
		}
	}
	return text
}

// shell runs text with the stand-ins for pvesh and qm on its path.
func (o *office) shell(node, text string) {
	o.t.Helper()
	folder := o.t.TempDir()
	build := exec.CommandContext(o.t.Context(), "go", "build", "-o", filepath.Join(folder, "pvesh"), "../../test/pvecommand")
	if out, err := build.CombinedOutput(); err != nil {
		o.t.Fatalf("%v: %s", err, out)
	}
	if err := os.Symlink("pvesh", filepath.Join(folder, "qm")); err != nil {
		o.t.Fatal(err)
	}
	commands := httptest.NewServer(o.server.Commands())
	defer commands.Close()
	shell := exec.CommandContext(o.t.Context(), "sh", "-c", text)
	shell.Env = []string{"PATH=" + folder + ":" + os.Getenv("PATH"), "PVESIM_COMMANDS=" + commands.URL, "PVESIM_NODE=" + node}
	if out, err := shell.CombinedOutput(); err != nil {
		o.t.Fatalf("%v: %s\n%s", err, out, text)
	}
}

// TestSevenSteps: a raw address is seen, the finding read, the suggested mapping taken,
// looked at and applied, the VM converted, and then it is told where it can start; the
// way back restores the first state.
func TestSevenSteps(t *testing.T) {
	o := newOffice(t, pvesim.DemoOffice())
	first := o.state()
	o.want(o.says("vm", "101"), "0000:01:00")                                    // 1
	o.want(o.run("check", "--node", "office-a").stdout, "migration-blocked-raw") // 2
	o.want(o.says("mapping", "suggest"), "rtx-a4000: a new mapping")             // 3
	look := o.says("mapping", "create", "rtx-a4000", "--dry-run")                // 4
	o.want(look, "+ map id=10de:24b0", "pvesh create /cluster/mapping/pci", "Mapping.Modify on /mapping/pci (the present credential has it)",
		"The way back:", "pvesh delete /cluster/mapping/pci/rtx-a4000", "Nothing was changed.")
	if o.state() != first {
		t.Fatal("a dry run changed something")
	}
	o.want(o.says("mapping", "create", "rtx-a4000"), "Nothing was changed: add --yes")
	var back []string
	keep := func(text string) {
		var p plan.Outline
		if err := json.Unmarshal([]byte(text), &p); err != nil {
			t.Fatal(err)
		}
		back = append(back, p.WayBack)
	}
	keep(o.says("mapping", "create", "rtx-a4000", "-o", "json"))
	o.want(o.says("mapping", "create", "rtx-a4000", "--yes"), "step 1: done") // 5
	token := o.run("mapping", "convert", "101", "--mapping", "rtx-a4000", "--yes")
	if token.code != 1 || !strings.Contains(token.stderr, "only the user root@pam") {
		t.Fatalf("a token converts: %d %s", token.code, token.stderr)
	}
	keep(o.says("mapping", "convert", "101", "--mapping", "rtx-a4000", "-o", "json"))
	converted := o.says(append([]string{"mapping", "convert", "101", "--mapping", "rtx-a4000", "--yes"}, o.root...)...) // 6
	o.want(converted, "- hostpci0: 0000:01:00,pcie=1", "+ hostpci0: mapping=rtx-a4000,pcie=1", "step 1: done")
	if err := o.server.Stop(101); err != nil {
		t.Fatal(err)
	}
	o.want(o.says("place", "101"), "office-b: can start", "hostpci0 gets 0000:03:00.0, 0000:03:00.1", "powered off: yes") // 7
	for _, text := range slices.Backward(back) {
		o.shell("office-a", text)
	}
	if got := o.state(); got != first {
		t.Errorf("the way back gives\n%s\nwant\n%s", got, first)
	}
}

// TestExportedShell: the commands that a plan is written down as do what the plan says,
// and end at the first that fails.
func TestExportedShell(t *testing.T) {
	o := newOffice(t, pvesim.DemoOffice())
	text := o.says("mapping", "convert", "101", "-o", "commands")
	o.shell("office-a", text)
	o.want(o.state(), "hostpci0: mapping=rtx-a4000-01,pcie=1")
	o.want(o.says("mapping", "convert", "101", "-o", "terraform"), "There is nothing to do.")
	o.want(o.says("mapping", "convert", "101", "--yes"), "There is nothing to do.", "Nothing was changed.")
}

// TestPlanMistakes: what is wrong is said, and nothing is changed.
func TestPlanMistakes(t *testing.T) {
	o := newOffice(t, pvesim.DemoOffice())
	first := o.state()
	planFile := filepath.Join(t.TempDir(), "plan.json")
	if err := os.WriteFile(planFile, []byte(o.says("mapping", "create", "rtx-a4000", "-o", "json")), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"mapping", "create", "x", "--map", "id=10de:24b0,node=office-a,path=0000:01:00", "--yes"}, 1, "invalid configuration ID"},
		{[]string{"mapping", "create", "none-such", "--yes"}, 2, "is suggested"},
		{[]string{"mapping", "create", "gpu", "--map", "nonsense", "--yes"}, 1, "Proxmox VE would refuse"},
		{[]string{"mapping", "create", "gpu", "--map", "id=10de:24b0,node=office-a,path=0000:01:00", "--yes"}, 1, "--force"},
		{[]string{"mapping", "delete", "none-such", "--yes"}, 1, "no mapping none-such"},
		{[]string{"mapping", "convert", "9999", "--yes"}, 1, "VM 9999"},
		{[]string{"mapping", "convert", "x1"}, 2, "no number of a VM"},
		{[]string{"mapping", "fix", "101"}, 1, "--to-address"},
		{[]string{"mapping", "fix", "101", "--node", "office-a"}, 2, "belong together"},
		{[]string{"mapping", "create", "rtx-a4000", "--yes", "--dry-run"}, 2, "one of them"},
		{[]string{"mapping", "create", "rtx-a4000", "--otp", "1"}, 2, "--login"},
		{[]string{"mapping", "create", "rtx-a4000", "--yes", "--login", "root@pam"}, 2, "password of root@pam"},
		{[]string{"mapping", "create", "rtx-a4000", "--yes", "--login", "root@pam", "--password-file", tokenFile(t, "CANARY-wrong"), "--otp", "1"}, 1, "is not right"},
		{[]string{"mapping", "create", "rtx-a4000", "--yes", "--login", "root@pam", "--password-file", tokenFile(t, pvesim.DemoRootPassword)}, 1, "second factor"},
		{[]string{"mapping", "apply", "/nonexistent"}, 1, "nonexistent"},
		{[]string{"mapping", "apply", tokenFile(t, "{}")}, 1, "is no plan"},
	} {
		got := o.run(c.args...)
		if got.code != c.code || !strings.Contains(got.stderr, c.says) || strings.Contains(got.stderr+got.stdout, "CANARY") {
			t.Errorf("%v: exit code %d, %s", c.args, got.code, got.stderr)
		}
	}
	if o.state() != first {
		t.Error("something was changed")
	}
	o.server.Update(func(w *pvesim.World) {
		w.MappingCfg += "\nother\n\tmap id=10de:24b0,iommugroup=22,node=office-b,path=0000:03:00,subsystem-id=10de:14ad\n"
	})
	if got := o.run("mapping", "apply", planFile, "--yes"); got.code == 0 {
		t.Errorf("a plan of another state was applied: %s", got.stdout)
	}
}

// TestPlanOnTheNode: on a node, as root, the plan is applied with its pvesh.
func TestPlanOnTheNode(t *testing.T) {
	root := demoRoot(t)
	folder := t.TempDir()
	script := "#!/bin/sh\nprintf 'new\\n\\tmap %s\\n' \"$6\" >> " + filepath.Join(root, "etc", "pve", "mapping", "pci.cfg") + "\n"
	if err := os.WriteFile(filepath.Join(folder, "pvesh"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", folder+":"+os.Getenv("PATH"))
	got := run(t, cli.Env{Columns: 100, Root: root}, "mapping", "create", "new", "--force", "--yes", "--map", "id=10de:24b0,node=elsewhere,path=0000:01:00")
	if got.code != 0 || !strings.Contains(got.stdout, "step 1: done") {
		t.Errorf("exit code %d: %s%s", got.code, got.stdout, got.stderr)
	}
}
