package plan

import (
	"encoding/json"
	"fmt"
	"strings"

	"pciatlas/internal/pve"
)

// Format is a form in which mappings are written down.
type Format string

// The formats.
const (
	Commands  Format = "commands"  // lines for a shell of a node
	Terraform Format = "terraform" // for the provider bpg/proxmox
	JSON      Format = "json"      // as the API of Proxmox VE takes them
)

// Formats are all of them.
func Formats() []Format { return []Format{Commands, Terraform, JSON} }

// Export writes mappings down. Exists says of each whether it is there already: then
// the command changes it, and the resource is imported.
func Export(format Format, mappings []Exported) (string, error) {
	switch format {
	case Commands:
		return exportCommands(mappings), nil
	case Terraform:
		return exportTerraform(mappings), nil
	case JSON:
		return exportJSON(mappings)
	default:
		return "", fmt.Errorf("there is no format %q: write commands, terraform or json", format)
	}
}

// Exported is one mapping to be written down. Remarks stand before it as comments, where
// the form has any.
type Exported struct {
	*pve.Mapping
	Exists  bool
	Remarks []string
}

// comments writes the remarks, each on one line.
func (m *Exported) comments(b *strings.Builder) {
	for _, remark := range m.Remarks {
		b.WriteString("# " + strings.Join(strings.Fields(remark), " ") + "\n")
	}
}

// exportCommands writes one command for each mapping. Mappings that are there are
// set, which works on the cluster that they came from.
func exportCommands(mappings []Exported) string {
	var b strings.Builder
	for _, m := range mappings {
		m.comments(&b)
		b.WriteString(command(m))
		b.WriteByte('\n')
	}
	return b.String()
}

// command gives the command that writes a mapping as a whole.
func command(m Exported) string {
	words := []string{"pvesh create /cluster/mapping/pci --id " + m.ID}
	if m.Exists {
		words = []string{"pvesh set /cluster/mapping/pci/" + m.ID}
	}
	for _, entry := range m.Entries {
		words = append(words, "--map "+quoted(entry.String()))
	}
	if m.Description != nil {
		words = append(words, "--description "+quoted(*m.Description))
	}
	if m.Mdev != nil {
		words = append(words, "--mdev "+flag(*m.Mdev))
	}
	if m.LiveMigration != nil {
		words = append(words, "--live-migration-capable "+flag(*m.LiveMigration))
	}
	return strings.Join(words, " \\\n  ")
}

func flag(on bool) string {
	if on {
		return "1"
	}
	return "0"
}

// quoted quotes an argument for a shell.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// mappingJSON is a mapping as POST /cluster/mapping/pci takes it.
type mappingJSON struct {
	ID            string      `json:"id"`
	Map           []pve.Entry `json:"map"`
	Description   *string     `json:"description,omitempty"`
	Mdev          *int        `json:"mdev,omitempty"`
	LiveMigration *int        `json:"live-migration-capable,omitempty"`
}

func exportJSON(mappings []Exported) (string, error) {
	list := make([]mappingJSON, 0, len(mappings))
	for _, m := range mappings {
		list = append(list, mappingJSON{
			ID: m.ID, Map: m.Entries, Description: m.Description, Mdev: number(m.Mdev), LiveMigration: number(m.LiveMigration),
		})
	}
	data, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return "", fmt.Errorf("write mappings as JSON: %w", err)
	}
	return string(data) + "\n", nil
}

func number(on *bool) *int {
	if on == nil {
		return nil
	}
	n := 0
	if *on {
		n = 1
	}
	return &n
}
