package fleet

import (
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// defaultPort is where Proxmox VE serves its API.
const defaultPort = 8006

// CheckEntry checks the address of an entry node and gives it in plain form,
// https://host:port, with the host in lower case. https:// and the port may be
// left out. Addresses that lead back to this machine or to its own link are refused
// unless allowLocal is set, by number and by the name localhost; addresses at
// which no node can be are always refused. What another name resolves to is for
// the connection to check, with CheckAddress. Errors never repeat the text.
func CheckEntry(text string, allowLocal bool) (string, error) {
	u, err := parseEntry(strings.TrimSpace(text))
	if err != nil {
		return "", err
	}
	host, err := checkHost(u.Hostname(), allowLocal)
	if err != nil {
		return "", err
	}
	port, err := checkPort(u.Port())
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("https://%s:%d", host, port), nil
}

// parseEntry gives a URL that holds nothing but scheme, host and port.
func parseEntry(text string) (*url.URL, error) {
	if ip, err := netip.ParseAddr(text); err == nil && ip.Is6() {
		text = "[" + text + "]"
	}
	if !strings.Contains(text, "://") {
		text = "https://" + text
	}
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, errors.New("the address of an entry node is not a URL such as https://pve-a.example.com:8006")
	case u.Scheme != "https":
		return nil, errors.New("the address of an entry node must begin with https://")
	case u.User != nil:
		return nil, errors.New("the address of an entry node must hold no name or password")
	case u.Hostname() == "":
		return nil, errors.New("the address of an entry node has no host")
	case strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("the address of an entry node is https://HOST:PORT without anything behind it")
	}
	return u, nil
}

func checkPort(text string) (uint64, error) {
	if text == "" {
		return defaultPort, nil
	}
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil || port == 0 {
		return 0, errors.New("the port of an entry node is a number from 1 to 65535")
	}
	return port, nil
}

var (
	// hostPattern also takes underscores, which names of machines do not have but
	// resolvers know.
	hostPattern = regexp.MustCompile(`^([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$`)
	// numberPattern is the last part of what some resolvers read as an IPv4 address,
	// such as 127.1, 2130706433 and 0x7f000001.
	numberPattern = regexp.MustCompile(`(^|\.)(\d+|0x[0-9a-f]*)$`)
)

// checkHost gives a host in the form that stands in a URL.
func checkHost(host string, allowLocal bool) (string, error) {
	if ip, err := netip.ParseAddr(host); err == nil {
		return checkLiteral(ip, allowLocal)
	}
	// Lower case would turn some other letters into ASCII ones.
	foreign := strings.ContainsFunc(host, func(r rune) bool { return r > unicode.MaxASCII })
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	switch {
	case foreign:
		return "", errors.New("the host of an entry node has letters outside ASCII; write it as DNS knows it, beginning with xn--")
	case len(host) > 253 || !hostPattern.MatchString(host):
		return "", errors.New("the host of an entry node is a DNS name of letters, digits, hyphens and dots, or an IP address")
	case numberPattern.MatchString(host):
		return "", errors.New("the host of an entry node is not an IPv4 address of four decimal numbers")
	case !allowLocal && (host == "localhost" || strings.HasSuffix(host, ".localhost")):
		return "", errLoopback
	}
	return host, nil
}

// checkLiteral gives an IP address in the form that stands in a URL.
func checkLiteral(ip netip.Addr, allowLocal bool) (string, error) {
	if ip.Zone() != "" {
		return "", errors.New("the address of an entry node must hold no zone: which link it means depends on the machine")
	}
	if err := CheckAddress(ip, allowLocal); err != nil {
		return "", err
	}
	if ip = ip.Unmap(); ip.Is6() {
		return "[" + ip.String() + "]", nil
	}
	return ip.String(), nil
}

var (
	errLoopback    = errors.New("the address of an entry node leads back to the machine that asks (loopback)")
	errLinkLocal   = errors.New("the address of an entry node is link-local: it means something else on every link")
	errUnspecified = errors.New("the address of an entry node is unspecified: no node can be there")
	errMulticast   = errors.New("the address of an entry node is for many machines at once (multicast or broadcast)")
)

var (
	thisNetwork = netip.MustParsePrefix("0.0.0.0/8")
	broadcast   = netip.MustParseAddr("255.255.255.255")
	// embedding are the prefixes behind which IPv6 carries an IPv4 address in its
	// last four bytes: compatible (RFC 4291) and translated (RFC 6052).
	embedding = []netip.Prefix{netip.MustParsePrefix("::/96"), netip.MustParsePrefix("64:ff9b::/96")}
)

// CheckAddress says whether an entry node may have an IP address: nil or a
// sentence. Loopback and link-local addresses are refused unless allowLocal is
// set, unspecified, multicast and broadcast ones always; an IPv4 address within
// an IPv6 one counts as itself.
func CheckAddress(ip netip.Addr, allowLocal bool) error {
	ip = ip.WithZone("").Unmap()
	switch {
	case !ip.IsValid(), ip.IsUnspecified(), thisNetwork.Contains(ip):
		return errUnspecified
	case ip.IsMulticast(), ip == broadcast:
		return errMulticast
	case ip.IsLoopback() && !allowLocal:
		return errLoopback
	case ip.IsLinkLocalUnicast() && !allowLocal:
		return errLinkLocal
	}
	for _, prefix := range embedding {
		if prefix.Contains(ip) && !ip.IsLoopback() {
			return CheckAddress(embedded(ip), allowLocal)
		}
	}
	return nil
}

func embedded(ip netip.Addr) netip.Addr {
	b := ip.As16()
	return netip.AddrFrom4([4]byte(b[12:]))
}
