package test

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/findings"
)

// hyphenated are names, of nodes for example.
var hyphenated = regexp.MustCompile(`[\w.]+-[\w-]+`)

// englishWords are words that no parameter of a finding has, but for what is quoted
// and for names.
var englishWords = regexp.MustCompile(`(?i)\b(and|or|of|the|is|are|in|on|to|by|as|no|none|not|with|from|more|only|nodes?|VMs?|mapping|devices?|group|entry|starts?|takes?|needs?|has|have|there|another|running|stopped)\b`)

var quotedParams = []string{"variant", "also", "message", "key", "file", "unknown_options", "mapping", "mappings", "mounts", "snapshots", "node", "vga"}

// TestFindingsAreSaidInNoLanguage: the parameters of each finding are exactly those of
// its wording, and hold nothing English, also where some reads fail.
func TestFindingsAreSaidInNoLanguage(t *testing.T) {
	t.Parallel()
	everySnapshot(t, func(t *testing.T, s *facts.Snapshot, random *rand.Rand) {
		t.Helper()
		checkWordings(t, s)
		for range 5 {
			less := copyOf(t, s)
			failReads(less, random)
			checkWordings(t, less)
		}
	})
}

func checkWordings(t *testing.T, s *facts.Snapshot) {
	t.Helper()
	report := atlas.Build(s)
	classes := classNames(report)
	for _, f := range findings.Find(report) {
		if _, exact := f.Wording(); !exact {
			t.Errorf("%s has other parameters than its wording: %v", f.Code, f.Params)
		}
		for key, value := range f.Params {
			if !slices.Contains(quotedParams, key) && englishWords.MatchString(hyphenated.ReplaceAllString(classes.Replace(value), "")) {
				t.Errorf("%s: %s is English: %s", f.Code, key, value)
			}
		}
	}
}

// classNames takes the names of PCI classes out of a text: those of the PCI ID
// repository are English in any language.
func classNames(report *atlas.Report) *strings.Replacer {
	var pairs []string
	for i := range report.Nodes {
		for j := range report.Nodes[i].Devices {
			if name := report.Nodes[i].Devices[j].Names.Class; name != "" {
				pairs = append(pairs, name, "")
			}
		}
	}
	return strings.NewReplacer(pairs...)
}
