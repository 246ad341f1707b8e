package cli_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pciatlas/internal/cli"
	"pciatlas/internal/config"
	"pciatlas/internal/pveapi"
)

// write makes a file that only its owner can read.
func write(t *testing.T, folder, name, content string) string {
	t.Helper()
	path := filepath.Join(folder, name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestConfigCheck: the table says what is in effect and what is not.
func TestConfigCheck(t *testing.T) {
	folder := t.TempDir()
	file := write(t, folder, "config.yaml", "listen: 127.0.0.1:9000\ndata: state\n")
	env := cli.Env{Columns: 100, Getenv: func(name string) string {
		return map[string]string{"PCIATLAS_CONFIG": file, "PCIATLAS_LOG_LEVEL": "debug"}[name]
	}}
	got := run(t, env, "config", "check", "--listen", "127.0.0.1:0")
	if got.code != 0 || got.stderr != "" || !strings.HasSuffix(got.stdout, "\nThe settings are fine.\n") {
		t.Errorf("exit code %d, %s%s", got.code, got.stdout, got.stderr)
	}
	got = run(t, env, "config", "check", "--listen", "127.0.0.1:0", "-o", "json")
	type overridden struct{ Value, Source string }
	var object struct {
		OK       bool
		Faults   []struct{}
		Settings []struct {
			Key, Value, Source string
			Overridden         []overridden
		}
	}
	if err := json.Unmarshal([]byte(got.stdout), &object); err != nil || got.code != 0 || !object.OK || object.Faults == nil {
		t.Fatalf("%v: exit code %d, %s", err, got.code, got.stdout)
	}
	want := map[string][3]string{ // value, source, what is overridden
		"listen":    {"127.0.0.1:0", "--listen", "127.0.0.1:9000 " + file + ":1"},
		"data":      {filepath.Join(folder, "state"), file + ":2"},
		"log-level": {"debug", "PCIATLAS_LOG_LEVEL"},
		"share":     {"5s", "default"},
	}
	for _, row := range object.Settings {
		w, ok := want[row.Key]
		if !ok {
			continue
		}
		delete(want, row.Key)
		other := ""
		for _, o := range row.Overridden {
			other += o.Value + " " + o.Source
		}
		if got := [3]string{row.Value, row.Source, other}; got != w {
			t.Errorf("%s: %q, want %q", row.Key, got, w)
		}
	}
	if len(want) > 0 {
		t.Errorf("not there: %v", want)
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 1 {
		t.Errorf("the check made files: %v, %v", entries, err)
	}
}

// TestConfigCheckFaults: faults come with exit code 1, on standard output in both
// formats, and without secrets.
func TestConfigCheckFaults(t *testing.T) {
	folder := t.TempDir()
	file := write(t, folder, "config.yaml", "listne: x\ndatabase: postgres://u:CANARY@h/d\nkey\x1b[31m: x\n")
	open := write(t, folder, "open", "CANARY")
	for path, mode := range map[string]fs.FileMode{file: 0o604, open: 0o644} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		args []string
		want []string
	}{
		{[]string{"--config", file}, []string{"4 faults", "do you mean listen?", file + ":1", "chmod o= '" + file + "'"}},
		{[]string{"--config", file, "-o", "json"}, []string{`"ok": false`, `"key": "listne"`, `do you mean listen?`}},
		{[]string{"--config", folder}, []string{"1 fault ", "is a folder; give the name of a regular file"}},
		{[]string{"--config", filepath.Join(folder, "none")}, []string{"no such file"}},
		{[]string{"--database-password-file", open}, []string{"chmod o= '" + open + "'"}},
	} {
		env := cli.Env{Columns: 500, Getenv: func(name string) string {
			return map[string]string{"HOME": "/home/p", "PCIATLAS_METRICS_OPEN": "maybe"}[name]
		}}
		if test.want[0] != "4 faults" {
			env.Getenv = func(name string) string { return map[string]string{"HOME": "/home/p"}[name] }
		}
		got := run(t, env, append([]string{"config", "check"}, test.args...)...)
		if got.code != 1 || got.stderr != "" || strings.Contains(got.stdout, "CANARY") || strings.Contains(got.stdout, "\x1b") {
			t.Errorf("%v: exit code %d, %s%s", test.args, got.code, got.stdout, got.stderr)
		}
		for _, want := range test.want {
			if !strings.Contains(strings.ReplaceAll(got.stdout, "\n    ", " "), want) {
				t.Errorf("%v: %q is not in %s", test.args, want, got.stdout)
			}
		}
	}
	if got := run(t, cli.Env{}, "config", "check", "--nothing"); got.code != 2 {
		t.Errorf("an unknown flag has exit code %d", got.code)
	}
}

// TestConfigExample: the example is a file of settings that is fine.
func TestConfigExample(t *testing.T) {
	example := run(t, cli.Env{}, "config", "example")
	file := write(t, t.TempDir(), "config.yaml", example.stdout)
	env := cli.Env{Getenv: func(name string) string { return map[string]string{"HOME": "/home/p"}[name] }}
	if got := run(t, env, "config", "check", "--config", file); example.code != 0 || got.code != 0 {
		t.Errorf("exit codes %d and %d, %s", example.code, got.code, got.stdout)
	}
}

// TestConfigLimits: the limits of the settings are those of the reader.
func TestConfigLimits(t *testing.T) {
	settings, err := config.Load(config.Input{Root: true})
	if err != nil {
		t.Fatal(err)
	}
	reader := pveapi.DefaultLimits()
	want := config.Limits{
		VMsPerNode: reader.VMsPerNode, PerNode: reader.PerNode, PerEntry: reader.PerEntry, PerCluster: reader.PerCluster,
		NodeBudget: reader.NodeBudget, Request: reader.Request,
	}
	if settings.Limits != want {
		t.Errorf("%+v, want %+v", settings.Limits, want)
	}
}
