package cli_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pciatlas/internal/cli"
	"pciatlas/internal/pvesim"
)

// demoAPI serves the demo cluster and gives the flags that reach it.
func demoAPI(t *testing.T, token string) (*pvesim.TLSServer, []string) {
	t.Helper()
	server, err := pvesim.NewTLSServer(&pvesim.Server{World: pvesim.Demo(), AuthDelay: -1, MuteDelay: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	return server, []string{"--endpoint", server.URL, "--token-file", tokenFile(t, token), "--tls-fingerprint", server.Fingerprint}
}

func tokenFile(t *testing.T, token string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(token+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestGoldenOutputsOverTheAPI(t *testing.T) {
	_, flags := demoAPI(t, pvesim.DemoToken)
	for name, args := range map[string][]string{
		"api-scan.txt":       {"scan"},
		"api-scan-node.json": {"scan", "--node", "pve-b", "-o", "json"},
		"api-vm.txt":         {"vm", "202"},
		"api-device.txt":     {"device", "0a:00.0"},
	} {
		got := run(t, cli.Env{Columns: 100}, append(args, flags...)...)
		if got.code != 0 || got.stderr != "" {
			t.Errorf("%v: exit code %d, %s", args, got.code, got.stderr)
		}
		golden(t, name, got.stdout)
	}
}

// TestUnknownCertificate: the first contact with a node that signed its own
// certificate leads to a working scan by its messages alone.
func TestUnknownCertificate(t *testing.T) {
	server, flags := demoAPI(t, pvesim.DemoToken)
	first := run(t, cli.Env{}, "scan", flags[0], flags[1], flags[2], flags[3])
	if first.code != 1 || !strings.Contains(first.stderr, server.Fingerprint) || !strings.Contains(first.stderr, "pvenode cert info") {
		t.Fatalf("exit code %d: %s", first.code, first.stderr)
	}
	command := regexp.MustCompile(`(?m)^ *pciatlas (scan --endpoint .*)$`).FindStringSubmatch(first.stderr)
	if command == nil {
		t.Fatalf("no command to repeat: %s", first.stderr)
	}
	second := run(t, cli.Env{}, strings.Fields(command[1])...)
	if second.code != 0 || !strings.Contains(second.stdout, "visible VMs checked") {
		t.Errorf("the repeated command: exit code %d: %s", second.code, second.stderr)
	}
	other := run(t, cli.Env{}, "scan", flags[0], flags[1], flags[2], flags[3], "--tls-fingerprint", strings.Repeat("00:", 31)+"00")
	if other.code != 1 || !strings.Contains(other.stderr, "do not go on") {
		t.Errorf("another certificate: exit code %d: %s", other.code, other.stderr)
	}
}

// TestTokensWithoutRights: the three commands that grant the least role are
// said, and after them the scan is whole.
func TestTokensWithoutRights(t *testing.T) {
	for _, token := range []string{pvesim.DemoTokenWithoutRights, pvesim.DemoTokenSeparated} {
		world := pvesim.Demo()
		server, err := pvesim.NewTLSServer(&pvesim.Server{World: world, AuthDelay: -1, MuteDelay: -1})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(server.Close)
		args := []string{
			"scan", "--node", "pve-c", "--require-complete", "--endpoint", server.URL, "--token-file", tokenFile(t, token),
			"--tls-fingerprint", server.Fingerprint,
		}
		blind := run(t, cli.Env{}, args...)
		if blind.code != 3 || !strings.Contains(blind.stderr, "holds no right at all") || !strings.Contains(blind.stdout, "0 of 0 visible VMs checked") {
			t.Errorf("exit code %d: %s%s", blind.code, blind.stdout, blind.stderr)
		}
		commands := regexp.MustCompile(`(?m)^ {2}pveum .*$`).FindAllString(blind.stderr, -1)
		if len(commands) != 3 {
			t.Fatalf("%d commands: %s", len(commands), blind.stderr)
		}
		world.UserCfg += aclOf(commands)
		server2, err := pvesim.NewTLSServer(&pvesim.Server{World: world, AuthDelay: -1, MuteDelay: -1})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(server2.Close)
		args[5], args[9] = server2.URL, server2.Fingerprint
		if seeing := run(t, cli.Env{}, args...); seeing.code != 0 || seeing.stderr != "" {
			t.Errorf("after the commands: exit code %d: %s%s", seeing.code, seeing.stdout, seeing.stderr)
		}
	}
}

// aclOf gives what the pveum commands leave in user.cfg.
func aclOf(commands []string) string {
	var lines strings.Builder
	for _, command := range commands {
		switch words := strings.Fields(strings.NewReplacer("'", "", `"`, "").Replace(command)); words[1] {
		case "role":
			lines.WriteString("role:" + words[3] + ":" + words[5] + ":\n")
		case "acl":
			lines.WriteString("acl:1:" + words[3] + ":" + words[5] + ":" + words[7] + ":\n")
		}
	}
	return lines.String()
}

func TestTokenMistakes(t *testing.T) {
	server, _ := demoAPI(t, pvesim.DemoToken)
	flags := []string{"scan", "--endpoint", server.URL, "--tls-fingerprint", server.Fingerprint}
	open := tokenFile(t, pvesim.DemoToken)
	if err := os.Chmod(open, 0o644); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		args []string
		env  string
		code int
		says string
	}{
		"none":                   {nil, "", 2, "--token-file"},
		"a file others can read": {[]string{"--token-file", open}, "", 1, "chmod 600"},
		"a file not there":       {[]string{"--token-file", "/nonexistent"}, "", 1, "nonexistent"},
		"no token":               {[]string{"--token-file", tokenFile(t, "CANARY")}, "", 1, "USER@REALM!NAME=SECRET"},
		"a wrong secret":         {nil, "pciatlas@pve!demo=CANARY-1", 1, "pveum user token list pciatlas@pve"},
		"an unknown user":        {nil, "nobody@pve!demo=CANARY-1", 1, "does not accept the token nobody@pve!demo"},
	} {
		env := cli.Env{Getenv: func(key string) string {
			if key == "PCIATLAS_TOKEN" {
				return test.env
			}
			return ""
		}}
		got := run(t, env, append(flags, test.args...)...)
		if got.code != test.code || !strings.Contains(got.stderr, test.says) || strings.Contains(got.stdout+got.stderr, "CANARY") {
			t.Errorf("%s: exit code %d, %q; want %d and %q", name, got.code, got.stderr, test.code, test.says)
		}
	}
}

func TestEnvironmentVariables(t *testing.T) {
	server, _ := demoAPI(t, pvesim.DemoToken)
	env := cli.Env{Getenv: func(key string) string {
		return map[string]string{"PCIATLAS_ENDPOINT": server.URL, "PCIATLAS_TOKEN": pvesim.DemoToken}[key]
	}}
	if got := run(t, env, "scan", "--tls-fingerprint", server.Fingerprint); got.code != 0 || !strings.Contains(got.stdout, "pve-c: 1 of 1") {
		t.Errorf("exit code %d: %s", got.code, got.stderr)
	}
}

// TestLimits: what a limit cuts off is said, and the limit can be moved.
func TestLimits(t *testing.T) {
	_, flags := demoAPI(t, pvesim.DemoToken)
	cut := run(t, cli.Env{Columns: 200}, append([]string{"scan", "--max-vms", "2"}, flags...)...)
	if cut.code != 0 || !strings.Contains(cut.stdout, "2 of 5 visible VMs checked") || strings.Contains(cut.stdout, "No reference found  0000:00:02.2") {
		t.Errorf("exit code %d: %s%s", cut.code, cut.stderr, cut.stdout)
	}
	for _, wrong := range [][]string{
		{"--max-vms", "0"},
		{"--max-vms", "-1"},
		{"--node-budget", "0s"},
		{"--node-budget", "-1s"},
		{"--node-budget", "12"},
		{"--root", "/"},
		{"--from", "file"},
	} {
		if got := run(t, cli.Env{}, append(append([]string{"scan"}, wrong...), flags...)...); got.code != 2 || got.stderr == "" {
			t.Errorf("%v: exit code %d: %s", wrong, got.code, got.stderr)
		}
	}
}

// TestSnapshots: a file gives the same answers as the cluster it was written of,
// but for where they come from.
func TestSnapshots(t *testing.T) {
	_, flags := demoAPI(t, pvesim.DemoToken)
	sources := map[string][]string{"api": flags, "host": {"--root", demoRoot(t)}}
	for name, source := range sources {
		file := filepath.Join(t.TempDir(), "cluster.json")
		if got := run(t, cli.Env{}, append([]string{"snapshot", file}, source...)...); got.code != 0 {
			t.Fatalf("%s: %s", name, got.stderr)
		}
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: the file can be read by others: %v, %v", name, info.Mode(), err)
		}
		direct := run(t, cli.Env{}, append([]string{"scan", "-o", "json", "--all-devices"}, source...)...)
		fromFile := run(t, cli.Env{}, "scan", "-o", "json", "--all-devices", "--from", file)
		expected := regexp.MustCompile(`"source": "(api|host)"`).ReplaceAllString(direct.stdout, `"source": "snapshot"`)
		if fromFile.code != 0 || fromFile.stdout != expected {
			t.Errorf("%s: the file says something else: %s", name, fromFile.stderr)
		}
	}
}

// TestAnonymisedSnapshot holds no name of the demo cluster, and the same states.
func TestAnonymisedSnapshot(t *testing.T) {
	_, flags := demoAPI(t, pvesim.DemoToken)
	for _, source := range [][]string{flags, {"--root", demoRoot(t)}} {
		got := run(t, cli.Env{}, append([]string{"snapshot", "--anonymize", "-"}, source...)...)
		if got.code != 0 {
			t.Fatal(got.stderr)
		}
		for _, name := range []string{"pve-a", "pve-b", "render-", "win11", "rtx-", "pool", "The two cards", "legacy-box", "multifunction", "127.0.0.1", "pciatlas@pve", "newcomer", "/tmp"} {
			if strings.Contains(got.stdout, name) && name != "pool" {
				t.Errorf("%q is still there", name)
			}
		}
		file := filepath.Join(t.TempDir(), "anonymous.json")
		if err := os.WriteFile(file, []byte(got.stdout), 0o600); err != nil {
			t.Fatal(err)
		}
		states := regexp.MustCompile(`"state": "[a-z_]+"`)
		before := run(t, cli.Env{}, append([]string{"scan", "-o", "json"}, source...)...)
		after := run(t, cli.Env{}, "scan", "-o", "json", "--from", file)
		if strings.Join(states.FindAllString(before.stdout, -1), " ") != strings.Join(states.FindAllString(after.stdout, -1), " ") {
			t.Errorf("the states changed: %s\n%s", before.stdout, after.stdout)
		}
	}
}

func TestSnapshotMistakes(t *testing.T) {
	write := func(text string) string {
		file := filepath.Join(t.TempDir(), "snapshot.json")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	for name, test := range map[string]struct {
		args []string
		code int
		says string
	}{
		"a newer schema":   {[]string{"scan", "--from", write(`{"schema":99}`)}, 1, "schema 99"},
		"no snapshot":      {[]string{"scan", "--from", write(`{"a":1}`)}, 1, "it has no schema"},
		"no JSON":          {[]string{"scan", "--from", write(`nonsense`)}, 1, "not JSON"},
		"cut off":          {[]string{"scan", "--from", write(`{"schema":1,"nodes":{"a":`)}, 1, "not JSON"},
		"a node of null":   {[]string{"scan", "--from", write(`{"schema":1,"nodes":{"a":null}}`)}, 1, "damaged"},
		"wrong types":      {[]string{"scan", "--from", write(`{"schema":1,"guests":7}`)}, 1, "damaged"},
		"not there":        {[]string{"scan", "--from", "/nonexistent"}, 1, "nonexistent"},
		"two sources":      {[]string{"scan", "--from", "x", "--root", "/"}, 2, "give one"},
		"nowhere to write": {[]string{"snapshot", "/nonexistent/x", "--root", demoRoot(t)}, 1, "nonexistent"},
		"a bad address":    {[]string{"scan", "--endpoint", "http://x", "--token-file", tokenFile(t, "a@b!c=d")}, 2, "https://"},
		"a bad pin":        {[]string{"scan", "--endpoint", "https://x", "--token-file", tokenFile(t, "a@b!c=d"), "--tls-fingerprint", "AB"}, 2, "32 bytes"},
		"a bad authority":  {[]string{"scan", "--endpoint", "https://x", "--token-file", tokenFile(t, "a@b!c=d"), "--ca-file", write("x")}, 1, "PEM"},
	} {
		if got := run(t, cli.Env{}, test.args...); got.code != test.code || !strings.Contains(got.stderr, test.says) {
			t.Errorf("%s: exit code %d, %q; want %d and %q", name, got.code, got.stderr, test.code, test.says)
		}
	}
}

// TestTwoNodeStory: the same model of GPU is at another address on each of two nodes. A
// VM with the raw address is pinned; the proposed mapping covers both; and with it in
// place and named, the VM can start on both.
func TestTwoNodeStory(t *testing.T) {
	simulator := &pvesim.Server{World: pvesim.DemoOffice(), AuthDelay: -1, MuteDelay: -1}
	server, err := pvesim.NewTLSServer(simulator)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	flags := []string{"--endpoint", server.URL, "--token-file", tokenFile(t, pvesim.DemoToken), "--tls-fingerprint", server.Fingerprint}
	says := func(args ...string) string {
		t.Helper()
		got := run(t, cli.Env{Columns: 100}, append(args, flags...)...)
		if got.code != 0 {
			t.Fatalf("%v: exit code %d, %s", args, got.code, got.stderr)
		}
		return got.stdout
	}
	want := func(text string, parts ...string) {
		t.Helper()
		for _, part := range parts {
			if !strings.Contains(text, part) {
				t.Errorf("no %q in:\n%s", part, text)
			}
		}
	}
	want(says("place", "101"), "With the suggested mapping rtx-a4000 in hostpci0", "office-b: can start: hostpci0 gets 0000:03:00.0", "office-b: cannot start", "\"no PCI device found for '0000:01:00'\"", "only root@pam can force it: hostpci0 names an address")
	suggested := says("mapping", "suggest")
	want(suggested, "rtx-a4000: a new mapping", "node=office-a,path=0000:01:00,", "node=office-b,path=0000:03:00,", "VM 101", "names one of these by address in hostpci0")
	simulator.Update(func(w *pvesim.World) {
		w.MappingCfg += "\nrtx-a4000\n"
		_, proposed, _ := strings.Cut(suggested, "rtx-a4000: a new mapping")
		for line := range strings.Lines(proposed) {
			if entry, ok := strings.CutPrefix(strings.TrimSpace(line), "+ "); ok && strings.Contains(entry, "10de:24b0") {
				w.MappingCfg += "\tmap " + entry + "\n"
			}
		}
		for i := range w.Guests {
			if w.Guests[i].VMID == 101 {
				w.Guests[i].Config = strings.Replace(w.Guests[i].Config, "hostpci0: 0000:01:00", "hostpci0: mapping=rtx-a4000", 1)
			}
		}
	})
	want(says("mapping", "list", "rtx-a4000"), "office-a: ok", "office-b: ok")
	want(says("place", "101"), "office-b: can start", "hostpci0 gets 0000:03:00.0, 0000:03:00.1", "powered off: yes")
}
