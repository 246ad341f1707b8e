package cli_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pciatlas/internal/cli"
	"pciatlas/internal/pvesim"
)

// checkWorld is one node with one graphics card and one VM of these lines.
func checkWorld(lines string) *pvesim.World {
	return &pvesim.World{
		Nodes: []pvesim.Node{{Name: "pve-a", Devices: []pvesim.Device{
			{Address: "0000:01:00.0", Vendor: "10de", Device: "2204", Subsystem: "1458:403b", Class: "030000", Group: 14},
			{Address: "0000:02:00.0", Vendor: "1002", Device: "7550", Subsystem: "1da2:e490", Class: "030000", Group: 15},
		}}},
		Guests: []pvesim.Guest{
			{VMID: 100, Kind: pvesim.QEMU, Node: "pve-a", Config: "name: one\nmachine: q35\nbios: ovmf\nmemory: 2048\nballoon: 0\n" + lines},
			{VMID: 101, Kind: pvesim.QEMU, Node: "pve-a", Config: "name: two\nmachine: q35\nmemory: 2048\n"},
		},
	}
}

func checkFlags(t *testing.T, world *pvesim.World, token string) []string {
	t.Helper()
	server, err := pvesim.NewTLSServer(&pvesim.Server{World: world, AuthDelay: -1, MuteDelay: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	return []string{"--endpoint", server.URL, "--token-file", tokenFile(t, token), "--tls-fingerprint", server.Fingerprint}
}

// TestCheckExitCodes: check is a monitoring plugin.
func TestCheckExitCodes(t *testing.T) {
	for name, c := range map[string]struct {
		lines string
		flags []string
		code  int
		word  string
	}{
		"nothing to say":           {"hostpci0: 0000:01:00.0,pcie=1\n", nil, 0, "OK: 0 errors, 0 warnings"},
		"a warning":                {"hostpci0: 0000:01:00.0,pcie=1\nargs: -device vfio-pci,host=CANARY\n", nil, 1, "WARNING: "},
		"an error":                 {"hostpci0: 0000:09:00.0,pcie=1\n", nil, 2, "CRITICAL: "},
		"not examined":             {"args: -global CANARY\n", nil, 0, "OK: "},
		"not examined, but strict": {"args: -global CANARY\n", []string{"--strict"}, 3, "UNKNOWN: "},
	} {
		t.Run(name, func(t *testing.T) {
			flags := slices.Concat(c.flags, checkFlags(t, checkWorld(c.lines), pvesim.RootToken))
			got := run(t, cli.Env{Columns: 100}, append([]string{"check"}, flags...)...)
			if got.code != c.code || !strings.HasPrefix(got.stdout, c.word) || got.stderr != "" {
				t.Errorf("exit code %d, want %d:\n%s%s", got.code, c.code, got.stdout, got.stderr)
			}
			object := run(t, cli.Env{}, append([]string{"check", "-o", "json"}, flags...)...)
			var check struct {
				Status   string
				Scope    []string
				Findings []map[string]any
			}
			if err := json.Unmarshal([]byte(object.stdout), &check); err != nil || object.code != c.code ||
				!strings.HasPrefix(c.word, strings.ToUpper(check.Status)+":") || len(check.Scope) != 1 || check.Findings == nil {
				t.Errorf("%v, exit code %d: %s", err, object.code, object.stdout)
			}
			if strings.Contains(got.stdout+object.stdout, "CANARY") {
				t.Error("the text of the arguments is shown")
			}
		})
	}
}

// TestCheckUnknown: what cannot be checked is no warning.
func TestCheckUnknown(t *testing.T) {
	flags := checkFlags(t, pvesim.Demo(), pvesim.DemoTokenWithoutRights)
	for name, args := range map[string][]string{
		"a token without rights": flags,
		"an unknown certificate": flags[:4],
		"a wrong flag":           {"--nothing"},
		"a wrong word":           {"word"},
		"a wrong format":         append([]string{"-o", "yaml"}, flags...),
		"no such node":           append([]string{"--node", "pve-z"}, flags...),
		"no such file":           {"--from", "/nonexistent/file"},
	} {
		if got := run(t, cli.Env{}, append([]string{"check"}, args...)...); got.code != 3 {
			t.Errorf("%s: exit code %d: %s%s", name, got.code, got.stdout, got.stderr)
		}
	}
}
