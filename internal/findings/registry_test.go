package findings_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pciatlas/internal/findings"
)

// TestRegistryIsWhole: each code has one entry, and each entry says everything.
func TestRegistryIsWhole(t *testing.T) {
	seen := make(map[findings.Code]bool)
	for _, entry := range findings.Registry() {
		if seen[entry.Code] {
			t.Errorf("%s has two entries", entry.Code)
		}
		seen[entry.Code] = true
		for part, text := range map[string]string{
			"severity": entry.Severity, "when": entry.When, "why": entry.Why, "remedy": entry.Remedy, "source": entry.Source,
		} {
			if text == "" && !entry.ToCome || part == "when" && text == "" {
				t.Errorf("%s: %s is not told", entry.Code, part)
			}
			if strings.Contains(text, "\n") || text != "" && !entry.ToCome && !strings.HasSuffix(text, ".") {
				t.Errorf("%s: %s is not one paragraph of sentences: %q", entry.Code, part, text)
			}
		}
	}
}

// TestRegistryEqualsList: the codes of the registry are those of the closed list
// of the specification.
func TestRegistryEqualsList(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "codes.txt"))
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Fields(string(text))
	var got []string
	for _, entry := range findings.Registry() {
		got = append(got, string(entry.Code))
	}
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-list +registry):\n%s", diff)
	}
}

// TestToCome lists the codes that no rule gives yet. Each waits for facts that
// are not read; whoever reads them takes the code off this list.
func TestToCome(t *testing.T) {
	want := []findings.Code{
		findings.MappingChangedWhileRunning, findings.MappingRequestRefused,
	}
	var got []findings.Code
	for _, entry := range findings.Registry() {
		if entry.ToCome {
			got = append(got, entry.Code)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
