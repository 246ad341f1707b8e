package fleet_test

import (
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"pciatlas/internal/fleet"
)

func TestCheckEntry(t *testing.T) {
	for text, want := range map[string]string{
		"pve-a.example.com":           "https://pve-a.example.com:8006",
		"https://PVE-A.Example.COM./": "https://pve-a.example.com:8006",
		"HTTPS://pve-a:443":           "https://pve-a:443",
		"pve-a:08006":                 "https://pve-a:8006",
		"https://pve-a:":              "https://pve-a:8006",
		"192.0.2.1":                   "https://192.0.2.1:8006",
		"10.0.0.1:8007":               "https://10.0.0.1:8007",
		"::ffff:192.0.2.1":            "https://192.0.2.1:8006",
		"2001:DB8::1":                 "https://[2001:db8::1]:8006",
		"https://[2001:db8:0::1]:443": "https://[2001:db8::1]:443",
		"fd00::1":                     "https://[fd00::1]:8006",
		"xn--bcher-kva.example":       "https://xn--bcher-kva.example:8006",
		"pve_1.lan":                   "https://pve_1.lan:8006",
		"localhost.example.com":       "https://localhost.example.com:8006",
		"notlocalhost":                "https://notlocalhost:8006",
	} {
		for _, allowLocal := range []bool{false, true} {
			if got, err := fleet.CheckEntry(" "+text+"\n", allowLocal); err != nil || got != want {
				t.Errorf("%q: %q, %v; want %q", text, got, err, want)
			}
		}
	}
}

func TestCheckEntryRefuses(t *testing.T) {
	for text, reason := range map[string]string{
		"": "no host", "https://": "no host", "https://:8006": "no host",
		"http://pve-a:8006": "https://", "ftp://x": "https://", "file:///etc/passwd": "https://",
		"https://CANARY:CANARY@pve-a": "no name or password", "CANARY@pve-a": "no name or password",
		"https://pve-a/api2?x=CANARY": "without anything behind", "https://pve-a#CANARY": "without anything behind",
		"https://pve-a:8006/#v1:0:18:4": "without anything behind", "https://pve-a/CANARY": "without anything behind",
		"https://CAN ARY": "not a URL", "://": "not a URL", "pve-a:x": "not a URL",
		"pve-a:0": "1 to 65535", "pve-a:65536": "1 to 65535",
		"-pve.lan": "DNS name", "pve..lan": "DNS name", "pve*": "DNS name", strings.Repeat("a", 64): "DNS name",
		strings.Repeat("a.", 127) + "a": "DNS name",
		"bücher.example":                "xn--", "\u212a8s.lan": "xn--", "１２７.0.0.1": "xn--",
		"127.1": "IPv4", "2130706433": "IPv4", "0x7f000001": "IPv4", "0x7f.0.0.0x1": "IPv4", "127.0.0.01": "IPv4", "256.1.1.1": "IPv4", "pve.0": "IPv4", "0x": "IPv4",
		"fe80::1%eth0": "URL", "https://[fe80::1%25eth0]": "zone",
		"0.0.0.0": "unspecified", "0.1.2.3": "unspecified", "[::]": "unspecified", "::ffff:0.0.0.0": "unspecified",
		"224.0.0.1": "multicast", "ff02::1": "multicast", "255.255.255.255": "multicast", "::ffff:239.1.1.1": "multicast", "64:ff9b::e000:1": "multicast",
	} {
		for _, allowLocal := range []bool{false, true} {
			got, err := fleet.CheckEntry(text, allowLocal)
			switch {
			case err == nil:
				t.Errorf("%q is accepted as %q", text, got)
			case !strings.Contains(err.Error(), reason):
				t.Errorf("%q: %v does not say %q", text, err, reason)
			case strings.Contains(err.Error(), "CANARY"):
				t.Errorf("the error repeats the text: %v", err)
			}
		}
	}
}

func TestCheckEntryLocal(t *testing.T) {
	for _, text := range []string{
		"localhost", "LOCALHOST.:8006", "a.b.localhost", "127.0.0.1", "127.255.1.2:80", "::1", "[::ffff:127.0.0.1]:8006",
		"64:ff9b::7f00:1", "::127.0.0.1", "169.254.169.254", "fe80::1", "::ffff:169.254.1.1",
	} {
		if got, err := fleet.CheckEntry(text, false); err == nil {
			t.Errorf("%q is accepted as %q", text, got)
		}
		if _, err := fleet.CheckEntry(text, true); err != nil {
			t.Errorf("%q is refused where it is allowed: %v", text, err)
		}
	}
	if err := fleet.CheckAddress(netip.Addr{}, true); err == nil {
		t.Error("no address at all is accepted")
	}
}

func FuzzCheckEntry(f *testing.F) {
	for _, seed := range []string{"pve-a", "https://[::1]:8006/", "http://user:pw@h/?q#f", "127.1", "[fe80::1%25x]", "a:0", "::ffff:1.2.3.4", "x://y", "\u212a"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := fleet.CheckEntry(text, false)
		if err != nil {
			return
		}
		u, err := url.Parse(got)
		if err != nil || u.Scheme != "https" || u.User != nil || u.Path != "" || u.RawQuery != "" || u.Fragment != "" || u.Port() == "" {
			t.Errorf("%q gives %q, which is not plain: %v", text, got, err)
		}
		if ip, err := netip.ParseAddr(u.Hostname()); err == nil && (ip.IsLoopback() || ip.IsLinkLocalUnicast() || ip.IsUnspecified() || ip.IsMulticast()) {
			t.Errorf("%q gives %q", text, got)
		}
		if again, err := fleet.CheckEntry(got, false); err != nil || again != got {
			t.Errorf("%q gives %q, and that %q, %v", text, got, again, err)
		}
	})
}
