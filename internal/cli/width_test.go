package cli_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/mattn/go-runewidth"

	"pciatlas/internal/cli"
	"pciatlas/internal/pvesim"
)

// tooWide gives the lines that do not fit, but for those that cannot be broken:
// one word after its indentation.
func tooWide(text string, columns int) []string {
	var wide []string
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if runewidth.StringWidth(line) > columns && len(strings.Fields(line)) > 1 {
			wide = append(wide, line)
		}
	}
	return wide
}

// TestTextFitsTheTerminal runs every command that prints text about every subject
// of the demo, at usual widths, from files and over the API.
func TestTextFitsTheTerminal(t *testing.T) {
	_, api := demoAPI(t, pvesim.DemoToken)
	many := pvesim.Demo()
	for i := range many.Guests {
		many.Guests[i].Config = strings.Replace(many.Guests[i].Config, "name: ", "name: 集群-a-long-name-of-a-virtual-machine-", 1)
	}
	long := t.TempDir()
	if err := many.Tree(pvesim.DemoNode).WriteTo(long); err != nil {
		t.Fatal(err)
	}
	var commands [][]string
	commands = append(commands, []string{"scan"}, []string{"scan", "--all-devices"}, []string{"scan", "--node", "pve-b"})
	for _, vm := range []string{"100", "101", "103", "110", "120", "201", "202", "203", "301", "401", "9000"} {
		commands = append(commands, []string{"vm", vm})
	}
	for _, device := range []string{"00:02.0", "00:02.1", "01:00.0", "02:00.0", "03:00.0", "06:00.0", "07:00.0"} {
		commands = append(commands, []string{"device", device, "--node", "pve-a"})
	}
	for _, source := range [][]string{{"--root", demoRoot(t)}, {"--root", long}, api} {
		for _, args := range commands {
			for _, columns := range []int{80, 90, 100, 120} {
				got := run(t, cli.Env{Columns: columns}, slices.Concat(args, source)...)
				if got.code != 0 {
					t.Fatalf("%v: %s", args, got.stderr)
				}
				for _, line := range tooWide(got.stdout, columns) {
					t.Errorf("%v at %d columns: %d wide: %q", args, columns, runewidth.StringWidth(line), line)
				}
			}
		}
		if got := run(t, cli.Env{Columns: 80}, slices.Concat([]string{"scan", "-o", "wide"}, source)...); got.code != 0 {
			t.Errorf("wide: %s", got.stderr)
		}
	}
}

// TestFoldingLosesNothing: at any width the text is the same, blanks aside.
func TestFoldingLosesNothing(t *testing.T) {
	root := demoRoot(t)
	for _, args := range [][]string{{"vm", "120"}, {"device", "01:00.0"}, {"device", "03:00.0"}} {
		args = append(args, "--root", root)
		narrow, wide := run(t, cli.Env{Columns: 80}, args...), run(t, cli.Env{Columns: 100}, args...)
		if strings.Join(strings.Fields(narrow.stdout), "") != strings.Join(strings.Fields(wide.stdout), "") {
			t.Errorf("%v:\n%s\n%s", args, narrow.stdout, wide.stdout)
		}
	}
}
