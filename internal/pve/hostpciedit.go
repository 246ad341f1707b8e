package pve

import "strings"

// WithMapping gives the value of a hostpciN option with the mapping in the place of
// its address. All else stays as it is to the letter, options that this version does
// not know included. ok is false for a value that does not name addresses exactly
// once, or has a mapping already.
func WithMapping(value, id string) (changed string, ok bool) {
	return replaceHost(value, "mapping="+id)
}

// WithHost gives the value of a hostpciN option with other addresses, in the same
// way. A value that has its address without "host=" keeps that form.
func WithHost(value, host string) (changed string, ok bool) {
	if at, keyed := hostPart(strings.Split(value, ",")); at >= 0 && keyed {
		host = "host=" + host
	}
	return replaceHost(value, host)
}

func replaceHost(value, with string) (changed string, ok bool) {
	parts := strings.Split(value, ",")
	at, _ := hostPart(parts)
	if at < 0 {
		return "", false
	}
	parts[at] = with
	return strings.Join(parts, ","), true
}

// HostOf gives the addresses of a hostpciN value, joined by ";", whatever options
// stand beside them. ok is as for WithMapping.
func HostOf(value string) (host string, ok bool) {
	parts := strings.Split(value, ",")
	at, keyed := hostPart(parts)
	switch {
	case at < 0:
		return "", false
	case keyed:
		return strings.TrimPrefix(parts[at], "host="), true
	default:
		return parts[at], true
	}
}

// hostPart finds the one part that names addresses, and tells whether it is written
// with its key. It is -1 if there is none or more than one, or a mapping beside it.
func hostPart(parts []string) (at int, keyed bool) {
	at = -1
	for i, part := range parts {
		key, _, hasKey := strings.Cut(part, "=")
		switch {
		case blank(part):
		case !hasKey || key == "host":
			if at >= 0 {
				return -1, false
			}
			at, keyed = i, hasKey
		case key == "mapping":
			return -1, false
		}
	}
	return at, keyed
}
