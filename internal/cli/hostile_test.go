package cli_test

import (
	"strings"
	"testing"

	"pciatlas/internal/cli"
)

// TestNamesMakeNoLines: a name with a line break cannot pass for a row or for what the
// program says.
func TestNamesMakeNoLines(t *testing.T) {
	file := snapshotFile(t, func(snapshot object) {
		const fake = "x\nFAKE row\r\nFAKE: 9 of 9 visible VMs checked · complete"
		for _, guest := range at(t, snapshot, "guests")["value"].([]any) {
			guest.(object)["name"] = fake
			guest.(object)["tags"] = []any{fake}
		}
		node := at(t, snapshot, "nodes", "pve-a")
		for _, device := range at(t, node, "devices")["value"].([]any) {
			device.(object)["names"] = object{"device": fake, "vendor": fake, "class": fake}
		}
		for vmid, vm := range at(t, node, "vms") {
			config := at(t, vm.(object), "value")
			items, _ := config["items"].([]any)
			config["items"] = append(items, object{"key": "hostpci9", "current": "01:00.0\nFAKE " + vmid})
			config["dropped"] = []any{object{"line": 1, "key": fake, "text": fake, "reason": fake}}
		}
		snapshot["mapping_lines"] = []any{object{"line": 1, "section": fake, "key": "x", "text": "x", "reason": fake}}
		snapshot["mentions"] = object{"state": "ok", "value": []any{object{"vmid": 777, "where": fake, "taken": true}}}
	})
	for _, args := range [][]string{
		{"scan"},
		{"scan", "-o", "wide"},
		{"scan", "-o", "csv"},
		{"scan", "-o", "yaml", "--all-devices"},
		{"vm", "103"},
		{"vm", "999"},
		{"device", "01:00.0", "--node", "pve-a"},
		{"device", "99:00.0"},
		{"check"},
		{"scan", "--node", "x\nFAKE"},
		{"scan", "--from", "/nonexistent\nFAKE"},
	} {
		for _, width := range []int{0, 60, 500} {
			from := append(append([]string{}, args...), "--from", file)
			if strings.Contains(args[len(args)-1], "nonexistent") {
				from = args
			}
			got := run(t, cli.Env{Columns: width}, from...)
			if !strings.Contains(got.stdout+got.stderr, "FAKE") && args[0] != "check" && !strings.HasPrefix(args[1], "99") {
				t.Errorf("%v: the name is not there: %s%s", args, got.stdout, got.stderr)
			}
			for line := range strings.Lines(got.stdout + got.stderr) {
				if strings.HasPrefix(strings.TrimSpace(line), "FAKE") || strings.Contains(line, "\r") {
					t.Errorf("%v makes the line %q", args, line)
				}
			}
		}
	}
}
