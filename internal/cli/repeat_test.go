package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pciatlas/internal/cli"
	"pciatlas/internal/pvesim"
)

// shellWords splits a command as a shell does: blanks, '…', \x and $'…' with octal
// escapes.
func shellWords(t *testing.T, line string) []string {
	t.Helper()
	var words []string
	word, open := "", false
	for i := 0; i < len(line); {
		open = open || line[i] != ' '
		switch {
		case line[i] == ' ':
			if open {
				words = append(words, word)
			}
			word, open = "", false
			i++
		case line[i] == '\\':
			word += line[i+1 : i+2]
			i += 2
		case strings.HasPrefix(line[i:], "$'"):
			for i += 2; line[i] != '\''; i++ {
				c := line[i]
				if c == '\\' && line[i+1] >= '0' && line[i+1] <= '7' {
					c = (line[i+1]-'0')<<6 | (line[i+2]-'0')<<3 | (line[i+3] - '0')
					i += 3
				} else if c == '\\' {
					i++
					c = line[i]
				}
				word += string([]byte{c})
			}
			i++
		case line[i] == '\'':
			end := strings.IndexByte(line[i+1:], '\'')
			if end < 0 {
				t.Fatalf("an open quote: %s", line)
			}
			word += line[i+1 : i+1+end]
			i += end + 2
		default:
			word += line[i : i+1]
			i++
		}
	}
	if open {
		words = append(words, word)
	}
	return words
}

// TestRepeatedCommand: the command that is printed after an unknown certificate is the
// one that was given, and it works.
func TestRepeatedCommand(t *testing.T) {
	server, err := pvesim.NewTLSServer(&pvesim.Server{World: pvesim.Demo(), AuthDelay: -1, MuteDelay: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	folder := t.TempDir()
	odd := folder + "/it's a\tfile\n.json"
	token := filepath.Join(folder, "my token")
	if err := os.WriteFile(token, []byte(pvesim.DemoToken), 0o600); err != nil {
		t.Fatal(err)
	}
	flags := []string{"--endpoint", server.URL, "--token-file", token}
	variables := cli.Env{Getenv: func(key string) string {
		return map[string]string{"PCIATLAS_ENDPOINT": server.URL, "PCIATLAS_TOKEN": pvesim.DemoToken}[key]
	}}
	for name, test := range map[string]struct {
		env  cli.Env
		args []string
	}{
		"scan": {cli.Env{}, append([]string{
			"scan", "--node", "pve-a", "-o", "json", "--all-devices", "--require-complete=false", "--cluster", `a 'b' \c é ` + "\xff\u202e",
		}, flags...)},
		"vm":                 {cli.Env{}, append([]string{"vm", "103"}, flags...)},
		"device":             {cli.Env{}, append(append([]string{"device", "--node=pve-a"}, flags...), "--", "02:00.0")},
		"snapshot":           {cli.Env{}, append([]string{"snapshot", "--anonymize", odd}, flags...)},
		"check":              {cli.Env{}, append([]string{"check", "--cluster", "--", "--node", "pve-a"}, flags...)},
		"scan, variables":    {variables, []string{"scan", "--cluster", "$HOME `x`"}},
		"flags in the front": {cli.Env{}, append(append([]string{}, flags...), "scan", "--cluster=")},
	} {
		first := run(t, test.env, test.args...)
		_, command, found := strings.Cut(first.stderr, "\n  pciatlas ")
		if !found {
			t.Errorf("%s: no command to repeat: %s", name, first.stderr)
			continue
		}
		words := shellWords(t, strings.TrimSuffix(command, "\n"))
		var given []string
		for i := 0; i < len(words); i++ {
			switch {
			case words[i] == "--tls-fingerprint":
				i++
			case !strings.HasPrefix(words[i], "--tls-fingerprint="):
				given = append(given, words[i])
			}
		}
		if diff := cmp.Diff(test.args, given); diff != "" || strings.Contains(first.stderr, pvesim.DemoToken) {
			t.Errorf("%s: another command (-given +printed):\n%s", name, diff)
		}
		direct := run(t, test.env, append([]string{"--tls-fingerprint=" + server.Fingerprint}, test.args...)...)
		if second := run(t, test.env, words...); second.code == 1 && name != "check" || second != direct || strings.Contains(second.stderr, "certificate") {
			t.Errorf("%s: exit code %d: %s", name, second.code, second.stderr)
		}
	}
	data, err := os.ReadFile(odd)
	if err != nil || strings.Contains(string(data), "pve-a") {
		t.Errorf("the snapshot is not anonymous: %v", err)
	}
}
