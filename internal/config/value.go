package config

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"pciatlas/internal/auth"
)

// roles are those of administrators.
var roles = []string{string(auth.Admin), string(auth.Operator), string(auth.Auditor)}

func setListen(c *Config, text string) error {
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		return fmt.Errorf("%q is not HOST:PORT, such as 127.0.0.1:8080 or [::1]:8080", mask(text))
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || strconv.FormatUint(n, 10) != port {
		return errors.New("the port is a number from 0 (any that is free) to 65535")
	}
	if _, err := netip.ParseAddr(host); err != nil && host != "" && !isHostName(host) {
		return errors.New("the host is neither an address nor a name")
	}
	c.Listen = text
	return nil
}

// isHostName tells whether a text can be the name of a host. Digits and dots alone
// would be an address with a mistake.
func isHostName(host string) bool {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	return len(host) < 254 && strings.ContainsAny(host, letters) && strings.Trim(host, letters+"0123456789.-") == "" &&
		!strings.HasPrefix(host, "-")
}

// checkWebURL reads a URL that others are sent to. Plain http is for this machine.
func checkWebURL(text string) (*url.URL, error) {
	parsed, err := url.Parse(text)
	switch {
	case err != nil || parsed.Host == "" || parsed.Hostname() == "" || parsed.Opaque != "" || strings.ContainsFunc(text, isControl):
		return nil, errors.New("this is no URL; write https://HOST or https://HOST:PORT")
	case parsed.User != nil:
		return nil, errors.New("a URL with a name or password in it is not used; leave out what stands before the @")
	case parsed.RawQuery != "" || parsed.Fragment != "" || strings.ContainsAny(text, "?#"):
		return nil, errors.New("leave out the ? or # and what follows")
	case parsed.Scheme == "https", parsed.Scheme == "http" && isLoopback(parsed.Hostname()):
		return parsed, nil
	default:
		return nil, errors.New("it must begin with https://; http:// is for loopback addresses only")
	}
}

func isLoopback(host string) bool {
	address, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && address.IsLoopback()
}

func setPublicURL(c *Config, text string) error {
	parsed, err := checkWebURL(text)
	switch {
	case err != nil:
		return err
	case strings.Trim(parsed.Path, "/") != "":
		return errors.New("the server answers at the root of a host; leave out the path")
	}
	if port := parsed.Port(); port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return errors.New("the port is a number from 1 to 65535")
		}
	}
	c.PublicURL = parsed.Scheme + "://" + parsed.Host
	return nil
}

func setIssuer(c *Config, text string) error {
	if _, err := checkWebURL(text); err != nil {
		return err
	}
	c.OIDC.Issuer = text
	return nil
}

func setProxies(c *Config, values []string) error {
	for _, text := range values {
		network, err := parseNetwork(text)
		if err != nil {
			return err
		}
		c.TrustedProxies = append(c.TrustedProxies, network)
	}
	return nil
}

func parseNetwork(text string) (netip.Prefix, error) {
	if address, err := netip.ParseAddr(text); err == nil && address.Zone() == "" {
		address = address.Unmap()
		return netip.PrefixFrom(address, address.BitLen()), nil
	}
	network, err := netip.ParsePrefix(text)
	switch {
	case err != nil || network.Addr().Is4In6():
		return network, fmt.Errorf("%q is neither an address nor a network such as 10.0.0.0/24 or fd00::/64", mask(text))
	case network.Bits() == 0:
		return network, fmt.Errorf("%s would let everybody claim any address; name the proxies alone", text)
	case network.Masked() != network:
		return network, fmt.Errorf("%s is an address within a network; write %s for the network or %s for the address",
			text, network.Masked(), network.Addr())
	default:
		return network, nil
	}
}

func truth(target func(*Config) *bool) func(*Config, []string) error {
	return one(func(c *Config, text string) error {
		switch strings.ToLower(text) {
		case "true", "yes", "on", "1":
			*target(c) = true
		case "false", "no", "off", "0":
			*target(c) = false
		default:
			return fmt.Errorf("%q is neither true nor false", mask(text))
		}
		return nil
	})
}

func number(target func(*Config) *int, most int) func(*Config, []string) error {
	return one(func(c *Config, text string) error {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > most {
			return fmt.Errorf("%q is not a number from 1 to %d", mask(text), most)
		}
		*target(c) = n
		return nil
	})
}

func duration(target func(*Config) *time.Duration, least, most time.Duration) func(*Config, []string) error {
	return one(func(c *Config, text string) error {
		d, err := time.ParseDuration(text)
		if err != nil || d < least || d > most {
			return fmt.Errorf("%q is not a time from %s to %s; write it with its unit, such as 5s or 1m", mask(text), shortTime(least), shortTime(most))
		}
		*target(c) = d
		return nil
	})
}

// shortTime leaves out the seconds of whole minutes.
func shortTime(d time.Duration) string {
	if text, ok := strings.CutSuffix(d.String(), "m0s"); ok {
		return text + "m"
	}
	return d.String()
}

func choose(target *string, text string, choices ...string) error {
	if !slices.Contains(choices, text) {
		return fmt.Errorf("%q is not one of %s", mask(text), strings.Join(choices, ", "))
	}
	*target = text
	return nil
}

func setLogLevel(c *Config, text string) error {
	var level string
	if err := choose(&level, text, "debug", "info", "warn", "error"); err != nil {
		return err
	}
	return c.LogLevel.UnmarshalText([]byte(level))
}

// plainText takes a text that is shown to people or sent to a provider.
func plainText(target *string, text string) error {
	if strings.ContainsFunc(text, isControl) || len(text) > 200 {
		return errors.New("this has control characters, or more than 200 bytes")
	}
	*target = text
	return nil
}

func setScopes(c *Config, values []string) error {
	if !slices.Contains(values, "openid") {
		return errors.New("the scope openid must be among them: without it, the provider does not say who signs in")
	}
	c.OIDC.Scopes = slices.Clone(values)
	return nil
}

func setRoleMap(c *Config, values []string) error {
	c.OIDC.RoleMap = map[string]string{}
	for _, pair := range values {
		at := strings.LastIndexByte(pair, '=') // a value may be a distinguished name, with = in it
		if at < 1 {
			return fmt.Errorf("%q is not VALUE=ROLE, such as gpu-team=operator", mask(pair))
		}
		claim, role := strings.TrimSpace(pair[:at]), strings.TrimSpace(pair[at+1:])
		var known string
		if err := choose(&known, role, roles...); err != nil {
			return fmt.Errorf("the role of %q: %w", mask(claim), err)
		}
		if _, twice := c.OIDC.RoleMap[claim]; twice {
			return fmt.Errorf("%q has two roles; give it one", mask(claim))
		}
		c.OIDC.RoleMap[claim] = known
	}
	return nil
}
