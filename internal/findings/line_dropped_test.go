package findings

import (
	"slices"
	"strings"
	"testing"

	"pciatlas/internal/atlas"
)

// TestLineDropped: why Proxmox VE drops a line is said in plain words, its own words
// are evidence, and a line is proposed only where it is certain.
func TestLineDropped(t *testing.T) {
	t.Parallel()
	const anew = "Remove the line from the file, or write it anew: qm set 101 --hostpci0 …"
	for _, c := range []struct{ line, says, do string }{
		{"hostpci0: 0A:00.0", "hostpci0: upper-case letters in an address are not accepted.", "qm set 101 --hostpci0 0a:00.0"},
		{"hostpci0: pcie=1,host=0000:0A:00", "upper-case letters in an address are not accepted", "qm set 101 --hostpci0 0000:0a:00,pcie=1"},
		{"hostpci0: 0A:00;0B:00.1,pcie=1", "upper-case letters in an address are not accepted", "qm set 101 --hostpci0 '0a:00;0b:00.1,pcie=1'"},
		{"hostpci0: 05:00, pcie=1", "white space around an option is not accepted", "qm set 101 --hostpci0 05:00,pcie=1"},
		{"hostpci0: 0A:00,foo=1", "it does not know the option foo; upper-case letters in an address are not accepted", anew},
		{"hostpci0: 05:00 # card", "a remark behind the value is not accepted", anew},
		{"hostpci0: 05:00,pcie=maybe", "pcie must be 1 or 0", anew},
		{"hostpci0: 05:00,driver=nouveau", "driver has a value that it does not know", anew},
		{"hostpci0: 05:00,pcie=", "an option without a name or a value is not accepted", anew},
		{"hostpci0: 05:00,pcie=1,pcie=0", "an option must not stand twice in a line", anew},
		{"hostpci0: 05:00,vendor-id=10de", "vendor-id must be 0x and four hexadecimal digits", anew},
		{"hostpci0: 05:00,mdev=a/b", "a type of mediated device holds no slash, dot or colon", anew},
		{"hostpci0: 05:00,romfile=a;b", "the name of a ROM file must not hold a semicolon", anew},
		{"hostpci0: mapping=1", "no mapping can have the name that stands there", anew},
		{"hostpci0: nonsense", "what stands where the address belongs is no address", anew},
		{"hostpci0: 05:00+", "what stands where the address belongs is not an address alone", anew},
		{"hostpci16: 05:00", "the slots of a VM are hostpci0 to hostpci15", "as one of hostpci0 to hostpci15: qm set 101 --hostpciN …"},
		{"hostpci0: 0A:00|hostpci0: 05:00", "It takes another line of the key.", anew},
		{"hostpci0: 01:00.0|hostpci1: 0000:01:00.0,FOO=1", "Do not just correct it: hostpci0 already names 0000:01:00.0.", "Remove the line from the file, or write it anew and remove the other one"},
	} {
		found := slices.DeleteFunc(lineWorld{config: c.line}.find(t), func(f Finding) bool { return f.Code != HostPCILineIgnored })
		if len(found) != 1 {
			t.Errorf("%s: found %v", c.line, lineCodes(found))
			continue
		}
		f := found[0]
		if !strings.Contains(f.Sentence, c.says) || !strings.Contains(strings.Join(f.Remedy, "|"), c.do) {
			t.Errorf("%s: %s\n%v", c.line, f.Sentence, f.Remedy)
		}
		if !slices.ContainsFunc(f.Evidence, func(e string) bool { return strings.HasPrefix(e, "Proxmox VE says: ") }) {
			t.Errorf("%s: the words of Proxmox VE are not among %q", c.line, f.Evidence)
		}
	}
}

// TestLineRemediesKeepOptions: a command writes the whole line, whatever is to be
// filled in.
func TestLineRemediesKeepOptions(t *testing.T) {
	t.Parallel()
	for line, want := range map[string][2]string{
		"0a:00.0;01:00.1,pcie=1,x-vga=1": {
			"qm set 101 --hostpci0 'ADDRESS;01:00.1,pcie=1,x-vga=1'", "qm set 101 --hostpci0 '01:00.1,pcie=1,x-vga=1'",
		},
		"host=0a:00,romfile=a b.rom": {"qm set 101 --hostpci0 'ADDRESS,romfile=a b.rom'", "qm set 101 --delete hostpci0"},
		"0a:00.0;0b:00.0,pcie=1":     {"qm set 101 --hostpci0 'ADDRESS;ADDRESS,pcie=1'", "qm set 101 --delete hostpci0"},
	} {
		w := newWorld(atlas.Build(lineWorld{config: "hostpci0: " + line}.snapshot(t)))
		found := Looked(findDeviceNotPresent(w))
		if len(found) != 1 {
			t.Errorf("%s: found %v", line, lineCodes(found))
			continue
		}
		steps := strings.Join(found[0].Remedy, "\n")
		if !strings.Contains(steps, ": "+want[0]) || !strings.Contains(steps, ": "+want[1]) {
			t.Errorf("%s: %s", line, steps)
		}
	}
	w := newWorld(atlas.Build(lineWorld{config: "hostpci0: 01:00.0,mdev=nvidia-63,pcie=1"}.snapshot(t)))
	if got := lineWithType(w.vms[0].lines[0]); got != "qm set 101 --hostpci0 '01:00.0,pcie=1,mdev=TYPE'" {
		t.Error(got)
	}
}

// TestLineShort: no word is cut in the middle.
func TestLineShort(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("seven77 ", 40)
	for text, want := range map[string]string{
		"short": "short", long: strings.TrimSpace(long[:120]) + "…", strings.Repeat("x", 200): strings.Repeat("x", 120) + "…",
	} {
		if got := lineShort(text); got != want {
			t.Errorf("%q gives %q", text, got)
		}
	}
	if words := strings.Fields(strings.TrimSuffix(lineShort("a "+long), "…")); words[len(words)-1] != "seven77" {
		t.Errorf("cut in a word: %q", words)
	}
}
