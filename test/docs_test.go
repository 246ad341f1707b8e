package test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pciatlas/internal/cli"
)

// documents gives the texts of the repository that people read, by path.
func documents(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	skipped := []string{".git", "bin", "dist", "node_modules", "testdata"}
	err := filepath.WalkDir("..", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && slices.Contains(skipped, entry.Name()):
			return fs.SkipDir
		case entry.IsDir() || path.Ext(name) != ".md":
			return nil
		}
		text, err := os.ReadFile(name)
		texts[filepath.ToSlash(name)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(texts) < 10 {
		t.Fatalf("only %d documents were found", len(texts))
	}
	return texts
}

// runHere runs a command of the program in this process.
func runHere(t *testing.T, args ...string) (stdout string, code int) {
	t.Helper()
	env := cli.System()
	var out bytes.Buffer
	env.Stdout, env.Stderr = &out, &out
	env.Getenv = func(string) string { return "" }
	code = cli.Run(t.Context(), args, env)
	return out.String(), code
}

var (
	fences  = regexp.MustCompile("(?ms)^```.*?\n```")
	spans   = regexp.MustCompile("`[^`\n]+`")
	links   = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
)

// TestDocsLinks: every relative link leads to a file, and to a heading in it.
func TestDocsLinks(t *testing.T) {
	texts := documents(t)
	for name, text := range texts {
		for _, link := range links.FindAllStringSubmatch(spans.ReplaceAllString(fences.ReplaceAllString(text, ""), ""), -1) {
			file, anchor, _ := strings.Cut(link[1], "#")
			if strings.Contains(file, "://") || strings.HasPrefix(file, "mailto:") {
				continue
			}
			target := name
			if file != "" {
				target = path.Join(path.Dir(name), file)
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: the link %s leads nowhere: %v", name, link[1], err)
			} else if anchor != "" && !hasHeading(texts[target], anchor) {
				t.Errorf("%s: the link %s leads to no heading of %s", name, link[1], target)
			}
		}
	}
}

// hasHeading says whether a text has a heading with the anchor that forges make.
func hasHeading(text, anchor string) bool {
	for _, match := range heading.FindAllStringSubmatch(fences.ReplaceAllString(text, ""), -1) {
		slug := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z':
				return r
			default:
				return -1
			}
		}, strings.ToLower(match[1]))
		if slug == anchor {
			return true
		}
	}
	return false
}

var (
	mention  = regexp.MustCompile(`(?:^|[\s` + "`" + `/(])pciatlas ([^` + "`" + `|\n]+)`)
	command  = regexp.MustCompile(`^[a-z][a-z-]*$`)
	flagWord = regexp.MustCompile(`--[a-z][a-z-]+`)
)

// TestDocsCommands: every command that a text names exists, with its flags.
func TestDocsCommands(t *testing.T) {
	seen := 0
	for name, text := range documents(t) {
		code := strings.Join(append(fences.FindAllString(text, -1), spans.FindAllString(fences.ReplaceAllString(text, ""), -1)...), "\n")
		for line := range strings.Lines(code) {
			for _, match := range mention.FindAllStringSubmatch(line, -1) {
				if words := strings.Fields(match[1]); command.MatchString(words[0]) {
					seen++
					checkMention(t, name, words)
				}
			}
		}
	}
	if seen < 20 {
		t.Errorf("only %d commands were found", seen)
	}
}

// checkMention asks the program for help about a command line.
func checkMention(t *testing.T, document string, words []string) {
	t.Helper()
	args := words[:1]
	help, _ := runHere(t, append(slices.Clone(args), "--help")...)
	if strings.Contains(help, "pciatlas "+args[0]+" [command]") && len(words) > 1 && command.MatchString(words[1]) {
		args = words[:2]
		help, _ = runHere(t, append(slices.Clone(args), "--help")...)
	}
	if !strings.Contains(help, "Usage:\n  pciatlas "+strings.Join(args, " ")) {
		t.Errorf("%s names %q, which is no command", document, "pciatlas "+strings.Join(args, " "))
		return
	}
	for _, flag := range flagWord.FindAllString(strings.Join(words, " "), -1) {
		if !regexp.MustCompile(`(?m)[\s,]` + flag + `\b`).MatchString(help) {
			t.Errorf("%s: %s has no flag %s", document, strings.Join(args, " "), flag)
		}
	}
}

// TestDocsSettings: the guide has a row for every setting.
func TestDocsSettings(t *testing.T) {
	const file = "../docs/user-guide/configuration.md"
	output, _ := runHere(t, "config", "check", "--data", t.TempDir(), "-o", "json")
	var check struct {
		Settings []struct {
			Key string `json:"key"`
		} `json:"settings"`
	}
	if err := json.Unmarshal([]byte(output), &check); err != nil || len(check.Settings) < 20 {
		t.Fatalf("%v\n%s", err, output)
	}
	text := documents(t)[file]
	for _, setting := range check.Settings {
		if !regexp.MustCompile("(?m)^\\|[^|]*`" + regexp.QuoteMeta(setting.Key) + "`").MatchString(text) {
			t.Errorf("%s has no row for the setting %s", file, setting.Key)
		}
	}
}

// TestDocsMetrics: the guide says of every metric what /metrics says of it.
func TestDocsMetrics(t *testing.T) {
	const file = "../docs/user-guide/operation.md"
	source, err := os.ReadFile("../internal/httpapi/collector.go")
	if err != nil {
		t.Fatal(err)
	}
	text := documents(t)[file]
	described := regexp.MustCompile(`describe\("([a-z_]+)", "([^"]+)"`).FindAllStringSubmatch(string(source), -1)
	if len(described) < 5 {
		t.Fatalf("only %d metrics were found", len(described))
	}
	for _, metric := range described {
		if row := "| `pciatlas_" + metric[1] + "` | " + metric[2] + " |"; !strings.Contains(text, row) {
			t.Errorf("%s lacks the row %s", file, row)
		}
	}
	for _, named := range regexp.MustCompile(`pciatlas_([a-z_]+)`).FindAllStringSubmatch(text, -1) {
		if !slices.ContainsFunc(described, func(d []string) bool { return d[1] == named[1] }) {
			t.Errorf("%s names the metric %s, which is none", file, named[0])
		}
	}
}

// TestDocsDependencies: every module that go.mod names directly has its row, with
// the version that is used.
func TestDocsDependencies(t *testing.T) {
	const file = "../docs/dependencies.md"
	mod, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	text := documents(t)[file]
	direct := regexp.MustCompile(`(?m)^(?:require )?\s*([a-z]\S+\.\S+) (v\S+)$`).FindAllStringSubmatch(string(mod), -1)
	if len(direct) < 5 {
		t.Fatalf("only %d modules were found", len(direct))
	}
	for _, module := range direct {
		if row := "| " + module[1] + " | " + module[2] + " |"; !strings.Contains(text, row) {
			t.Errorf("%s lacks a row that begins %s", file, row)
		}
	}
}
