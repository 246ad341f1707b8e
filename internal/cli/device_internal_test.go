package cli

import (
	"strings"
	"testing"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
)

// TestHostUse: what the host uses a function for is said with the file that tells
// it; that it is not told is not said as none.
func TestHostUse(t *testing.T) {
	for name, c := range map[string]struct {
		uses []facts.Use
		want string
	}{
		"not told": {nil, ""},
		"none":     {[]facts.Use{}, "  host use       none: a driver for VMs holds it\n"},
		"all kinds": {[]facts.Use{
			{Kind: facts.UseStorage, Name: "/", Through: "/dev/sda3", File: "proc/mounts"},
			{Kind: facts.UseStorage, Name: facts.UseSwap, Through: "/dev/sda2", File: "proc/swaps"},
			{Kind: facts.UseNetwork, Name: "vmbr0", Through: "eno1", File: "sys/class/net/eno1/master"},
			{Kind: facts.UseConsole, Name: "fb0", File: "sys/class/graphics/fb0"},
			{Kind: "sound", Name: "card0\x1b[1m", File: "proc/asound"},
		}, "  host use       /dev/sda3 mounted on / (/proc/mounts)\n" +
			"  host use       swap space on /dev/sda2 (/proc/swaps)\n" +
			"  host use       eno1 serves vmbr0 (/sys/class/net/eno1/master)\n" +
			"  host use       console fb0 (/sys/class/graphics/fb0)\n" +
			"  host use       sound card0"},
	} {
		var out strings.Builder
		writeHost(&printer{w: &out}, &atlas.DeviceHost{Uses: c.uses})
		_, got, _ := strings.Cut(out.String(), "not offered\n")
		if !strings.HasPrefix(got, c.want) || c.want == "" && got != "" || strings.Contains(got, "\x1b") {
			t.Errorf("%s: %q", name, got)
		}
	}
}
