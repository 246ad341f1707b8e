package httpapi

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
)

func TestClientOf(t *testing.T) {
	trusted := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}
	for name, test := range map[string]struct {
		remote, forwarded, proto, address, key string
		secure                                 bool
	}{
		"direct":             {"192.0.2.1:5", "", "", "192.0.2.1", "192.0.2.1", false},
		"forged":             {"192.0.2.1:5", "203.0.113.9", "https", "192.0.2.1", "192.0.2.1", false},
		"proxy":              {"10.1.1.1:5", "203.0.113.9", "https", "203.0.113.9", "203.0.113.9", true},
		"proxy without":      {"10.1.1.1:5", "", "", "10.1.1.1", "10.1.1.1", false},
		"two proxies":        {"10.1.1.1:5", "203.0.113.9, 10.2.2.2", "http, HTTPS", "203.0.113.9", "203.0.113.9", true},
		"forged before":      {"10.1.1.1:5", "1.2.3.4, 203.0.113.9", "https, http", "203.0.113.9", "203.0.113.9", false},
		"garbage":            {"10.1.1.1:5", "1.2.3.4, unknown", "", "10.1.1.1", "10.1.1.1", false},
		"only proxies":       {"10.1.1.1:5", "10.3.3.3", "", "10.3.3.3", "10.3.3.3", false},
		"mapped":             {"[::ffff:10.1.1.1]:5", "::ffff:203.0.113.9", "", "203.0.113.9", "203.0.113.9", false},
		"IPv6":               {"[2001:db8:1:2:3:4:5:6]:5", "", "", "2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64", false},
		"IPv6 zone":          {"[fe80::1%eth0]:5", "", "", "fe80::1", "fe80::/64", false},
		"IPv6 proxy":         {"[fd00::1]:5", "2001:db8::7", "", "2001:db8::7", "2001:db8::/64", false},
		"not an address":     {"@", "203.0.113.9", "https", "", "", false},
		"header in the list": {"10.1.1.1:5", "1.2.3.4\r\nX: y", "", "10.1.1.1", "10.1.1.1", false},
	} {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequestWithContext(t.Context(), "GET", "/", http.NoBody)
			r.RemoteAddr = test.remote
			if test.forwarded != "" {
				r.Header.Set("X-Forwarded-For", test.forwarded)
			}
			if test.proto != "" {
				r.Header.Set("X-Forwarded-Proto", test.proto)
			}
			got := clientOf(r, trusted)
			if got.text() != test.address || got.key() != test.key || got.secure != test.secure {
				t.Errorf("%s %s %t, want %s %s %t", got.text(), got.key(), got.secure, test.address, test.key, test.secure)
			}
		})
	}
}

func TestRequestIDs(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")} })
	id := func(remote, given string) string {
		return w.do("GET", "/healthz", "", from(remote), header("X-Request-Id", given)).Header().Get("X-Request-Id")
	}
	if got := id("10.0.0.1:1", "abcdef-123456"); got != "abcdef-123456" {
		t.Errorf("the proxy's id became %q", got)
	}
	for _, given := range []string{"", "short", "with space in it", strings.Repeat("x", 65), "line\nbreaks-are-bad"} {
		if got := id("10.0.0.1:1", given); got == given || len(got) != 16 {
			t.Errorf("%q became %q", given, got)
		}
	}
	if first, second := id("192.0.2.1:1", "abcdef-123456"), id("192.0.2.1:1", "abcdef-123456"); len(first) != 16 || first == second {
		t.Errorf("ids %q and %q", first, second)
	}
}
