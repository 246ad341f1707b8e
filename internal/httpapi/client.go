package httpapi

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// client is where a request came from, proxies taken into account.
type client struct {
	address netip.Addr // invalid if it cannot be told
	secure  bool       // through TLS as far as the server can tell
	proxied bool       // through a trusted proxy
}

// text is the address for people; "" if it cannot be told.
func (c client) text() string {
	if !c.address.IsValid() {
		return ""
	}
	return c.address.String()
}

// key is what failed sign-ins are counted by: one holder of IPv6 addresses
// usually has a whole /64 of them.
func (c client) key() string {
	if !c.address.IsValid() || c.address.Is4() {
		return c.text()
	}
	network, err := c.address.Prefix(64)
	if err != nil {
		return c.text()
	}
	return network.String()
}

// clientOf finds out where a request came from. What proxies say counts only if
// the connection comes from one that is trusted, and then only as far back as
// trusted ones said it.
func clientOf(r *http.Request, trusted []netip.Prefix) client {
	c := client{address: peer(r.RemoteAddr), secure: r.TLS != nil}
	if !within(c.address, trusted) {
		return c
	}
	c.proxied = true
	if proto := lastValue(r.Header.Values("X-Forwarded-Proto")); proto != "" {
		c.secure = strings.EqualFold(proto, "https")
	}
	for _, text := range slices.Backward(listed(r.Header.Values("X-Forwarded-For"))) {
		hop, err := netip.ParseAddr(text)
		if err != nil {
			break
		}
		c.address = plain(hop)
		if !within(c.address, trusted) {
			break
		}
	}
	return c
}

func peer(remote string) netip.Addr {
	if with, err := netip.ParseAddrPort(remote); err == nil {
		return plain(with.Addr())
	}
	return netip.Addr{}
}

// plain drops what would make one address look like several.
func plain(address netip.Addr) netip.Addr { return address.Unmap().WithZone("") }

func within(address netip.Addr, networks []netip.Prefix) bool {
	for _, network := range networks {
		if network.Contains(address) {
			return true
		}
	}
	return false
}

// listed splits headers that hold lists.
func listed(headers []string) []string {
	var all []string
	for _, header := range headers {
		for part := range strings.SplitSeq(header, ",") {
			all = append(all, strings.TrimSpace(part))
		}
	}
	return all
}

func lastValue(headers []string) string {
	all := listed(headers)
	if len(all) == 0 {
		return ""
	}
	return all[len(all)-1]
}
