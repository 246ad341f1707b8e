package plan

import (
	"strconv"
	"strings"

	"pciatlas/internal/pci"
	"pciatlas/internal/pve"
)

// name gives a name for the mapping of equal devices that no mapping has: that of
// the model, as people know it, and what tells it from others of the model.
func (s *suggester) name(group *equals, names pci.Names) string {
	base := slug(model(names.Device))
	if !pve.ValidMappingID(base) {
		base = "gpu-" + group.ids.Vendor.String() + "-" + group.ids.Device.String()
	}
	if group.virtual {
		base += "-vf"
	}
	if group.mdev {
		base += "-mdev"
	}
	id := base
	for n := 2; s.ids[id]; n++ {
		id = base + "-" + strconv.Itoa(n)
	}
	s.ids[id] = true
	return id
}

// model gives what stands in brackets at the end of a name of the PCI database, which
// is the name that the device is sold by, or else the name itself.
func model(name string) string {
	open := strings.LastIndexByte(name, '[')
	if open >= 0 && strings.HasSuffix(strings.TrimSpace(name), "]") {
		name = strings.TrimSuffix(strings.TrimSpace(name[open+1:]), "]")
	}
	for _, brand := range []string{"GeForce ", "Data Center GPU ", "Quadro "} {
		name = strings.TrimPrefix(name, brand)
	}
	return name
}

// slug makes a name of letters, digits and single hyphens, of whole words unless the first
// is too long by itself.
func slug(name string) string {
	const longest = 40
	var b strings.Builder
	for _, r := range strings.ToLower(name) {
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	text := b.String()
	if len(text) > longest {
		end := strings.LastIndexByte(text[:longest+1], '-')
		if end < 0 {
			end = longest
		}
		text = text[:end]
	}
	return strings.TrimSuffix(text, "-")
}
