package findings

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// english are words that no parameter has, but for what is quoted.
var english = regexp.MustCompile(`(?i)\b(and|or|of|the|is|are|in|on|to|by|as|no|none|not|with|from|more|only|node|nodes|vm|vms|mapping|device|devices|group|entry|starts?|takes?|needs?|has|have|there|another|running|stopped)\b`)

// quoted are parameters that say what Proxmox VE or a configuration does.
var quoted = []string{"variant", "also", "message", "key", "file", "unknown_options", "mapping", "mappings", "mounts", "snapshots", "node", "vga"}

// looked is what the findings of all tests say, and what is wrong with them.
var looked struct {
	sync.Mutex
	said   map[string]bool
	faults []string
}

// Looked notes how findings are said. TestMain looks at it.
func Looked(found []Finding) []Finding {
	looked.Lock()
	defer looked.Unlock()
	for i := range found {
		f := &found[i]
		said, exact := f.Wording()
		if !exact {
			looked.faults = append(looked.faults, fmt.Sprintf("%s has other parameters than its wording: %v", f.Code, f.Params))
		}
		for key, value := range f.Params {
			if !slices.Contains(quoted, key) && english.MatchString(value) {
				looked.faults = append(looked.faults, fmt.Sprintf("%s: %s is English: %s", f.Code, key, value))
			}
		}
		note(string(f.Code) + " " + said.Variant)
		if also := f.Params["also"]; also != "" {
			for word := range strings.SplitSeq(also, ", ") {
				note(string(f.Code) + " +" + word)
			}
		}
	}
	return found
}

func note(said string) {
	if looked.said == nil {
		looked.said = map[string]bool{}
	}
	looked.said[said] = true
}

// TestMain runs all tests, and then looks at how the findings in them are said: each
// with the parameters of its wording, and each wording by one finding at least.
func TestMain(m *testing.M) {
	code := m.Run()
	faults := looked.faults
	if all() {
		faults = append(faults, unsaid()...)
	}
	for _, fault := range faults {
		fmt.Fprintln(os.Stderr, fault)
		code = 1
	}
	os.Exit(code)
}

// all tells whether all tests ran: none was chosen, listed, skipped or fuzzed.
func all() bool {
	for _, name := range []string{"test.run", "test.skip", "test.list", "test.fuzz"} {
		if chosen := flag.Lookup(name); chosen != nil && chosen.Value.String() != "" {
			return false
		}
	}
	return true
}

// unsaid gives the wordings that no test sees.
func unsaid() []string {
	var faults []string
	for _, entry := range Registry() {
		also := map[string]bool{}
		for _, said := range Wordings(entry.Code) {
			if !looked.said[string(entry.Code)+" "+said.Variant] {
				faults = append(faults, fmt.Sprintf("no test sees %s %s", entry.Code, said.Variant))
			}
			for _, word := range said.Also {
				also[word] = true
			}
		}
		for word := range also {
			if !looked.said[string(entry.Code)+" +"+word] {
				faults = append(faults, fmt.Sprintf("no test sees %s with %s", entry.Code, word))
			}
		}
	}
	slices.Sort(faults)
	return faults
}

// TestWordings: each code that a rule gives is said in one way without a variant, or
// in several with different ones, and each addition belongs to a code.
func TestWordings(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for _, entry := range Registry() {
		all := Wordings(entry.Code)
		if len(all) == 0 != entry.ToCome {
			t.Errorf("%s has %d wordings", entry.Code, len(all))
		}
		seen := map[string]bool{}
		for _, said := range all {
			if seen[said.Variant] || said.Variant == "" != (len(all) == 1) || !word.MatchString(said.Variant) {
				t.Errorf("%s: variant %q", entry.Code, said.Variant)
			}
			seen[said.Variant] = true
			for _, also := range said.Also {
				if _, known := additions[also]; !known {
					t.Errorf("%s: there is no addition %s", entry.Code, also)
				}
				used[also] = true
			}
		}
	}
	for _, addition := range Additions() {
		if !used[addition.Word] || !word.MatchString(addition.Word) {
			t.Errorf("addition %q", addition.Word)
		}
	}
}

// word is what a variant may be: the plural forms of messages are other words.
var word = regexp.MustCompile(`^([a-z_]*)$`)

// TestWordingFits: a parameter too many, one too few and one without a value are seen.
func TestWordingFits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		params map[string]string
		exact  bool
	}{
		"exact":          {map[string]string{"variant": "unread", "node": "a", "vms": "1", "devices": "0"}, true},
		"with more":      {map[string]string{"variant": "unread", "node": "a", "vms": "1", "devices": "0", "also": "by_itself"}, true},
		"more unknown":   {map[string]string{"variant": "unread", "node": "a", "vms": "1", "devices": "0", "also": "held"}, false},
		"no variant":     {map[string]string{"node": "a", "vms": "1", "devices": "0"}, false},
		"too few":        {map[string]string{"variant": "unread", "node": "a", "vms": "1"}, false},
		"without value":  {map[string]string{"variant": "unread", "node": "a", "vms": "1", "devices": ""}, false},
		"too many":       {map[string]string{"variant": "unread", "node": "a", "vms": "1", "devices": "0", "x": "y"}, false},
		"more but empty": {map[string]string{"variant": "named", "node": "a", "vms": "1", "devices": "0", "also": "released"}, false},
	} {
		f := Finding{Code: DeviceShared, Params: c.params}
		if _, exact := f.Wording(); exact != c.exact {
			t.Errorf("%s: exact is %t", name, exact)
		}
	}
}
