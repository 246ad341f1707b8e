package plan

import (
	"fmt"
	"strconv"
	"strings"

	"pciatlas/internal/pve"
)

const resourceType = "proxmox_hardware_mapping_pci"

// exportTerraform writes resources of the provider bpg/proxmox, and import blocks for
// those that are there. What the provider has no attribute for stands in a comment.
func exportTerraform(mappings []Exported) string {
	var b strings.Builder
	for i, m := range mappings {
		if i > 0 {
			b.WriteByte('\n')
		}
		m.comments(&b)
		if m.Exists {
			fmt.Fprintf(&b, "import {\n  to = %s.%s\n  id = %s\n}\n\n", resourceType, m.ID, hcl(m.ID))
		}
		resource(&b, m.Mapping)
	}
	return b.String()
}

func resource(b *strings.Builder, m *pve.Mapping) {
	if m.LiveMigration != nil {
		fmt.Fprintf(b, "# The provider has no attribute for live-migration-capable, which is %s here.\n"+
			"# After each apply: pvesh set /cluster/mapping/pci/%s --live-migration-capable %s with all --map entries\n",
			flag(*m.LiveMigration), m.ID, flag(*m.LiveMigration))
	}
	fmt.Fprintf(b, "resource %q %q {\n  name = %s\n", resourceType, m.ID, hcl(m.ID))
	if m.Description != nil {
		fmt.Fprintf(b, "  comment = %s\n", hcl(*m.Description))
	}
	if m.Mdev != nil {
		fmt.Fprintf(b, "  mediated_devices = %t\n", *m.Mdev)
	}
	b.WriteString("  map = [\n")
	for i := range m.Entries {
		entry(b, &m.Entries[i])
	}
	b.WriteString("  ]\n}\n")
}

func entry(b *strings.Builder, e *pve.Entry) {
	group, err := strconv.Atoi(e.Group)
	written := err == nil && strconv.Itoa(group) == e.Group
	if e.Group != "" && !written {
		fmt.Fprintf(b, "    # The provider cannot write iommugroup=%s, only numbers.\n", comment(e.Group))
	}
	b.WriteString("    {\n")
	attribute(b, "id", hcl(e.ID))
	attribute(b, "node", hcl(e.Node))
	attribute(b, "path", hcl(e.Path))
	if written {
		attribute(b, "iommu_group", e.Group)
	}
	if e.Subsystem != "" {
		attribute(b, "subsystem_id", hcl(e.Subsystem))
	}
	if e.Description != "" {
		attribute(b, "comment", hcl(e.Description))
	}
	b.WriteString("    },\n")
}

func attribute(b *strings.Builder, name, value string) {
	fmt.Fprintf(b, "      %s = %s\n", name, value)
}

// comment keeps a text on its line.
func comment(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == 0x85 || r == 0x2028 || r == 0x2029 {
			return ' '
		}
		return r
	}, s)
}

// hcl writes a text as a string of HCL: nothing in it is a template.
func hcl(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i, r := range s {
		switch {
		case r == '"', r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\u%04x`, r)
		case (r == '$' || r == '%') && strings.HasPrefix(s[i+1:], "{"):
			b.WriteRune(r)
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
