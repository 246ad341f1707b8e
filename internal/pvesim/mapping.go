package pvesim

import (
	"slices"
	"strings"

	"pciatlas/internal/pci"
	"pciatlas/internal/pve"
)

var mappingPrivileges = []string{"Mapping.Modify", "Mapping.Use", "Mapping.Audit"}

// mappingVisible refuses who may not see one mapping. PVE does not say which
// privilege is missing.
func mappingVisible(c *call, param func(string) string) *apiError {
	if c.access.has(c.subject, "/mapping/pci/"+param("id"), mappingPrivileges...) {
		return nil
	}
	return forbidden("")
}

// mappingList gives the mappings as the answering node reads the file.
func (c *call) mappingList() []pve.Mapping {
	list, _ := pve.ParseMappingFile(c.world.MappingCfg)
	if !c.release.liveMigration() {
		for i := range list {
			list[i].LiveMigration = nil
		}
	}
	return list
}

// mappings serves GET /cluster/mapping/pci: the mappings that the token may see,
// with check-node also what the named node says of them.
func (c *call) mappings() (any, error) {
	checked, check := c.params["check-node"]
	rows := []map[string]any{}
	list := c.mappingList()
	for i := range list {
		mapping := &list[i]
		if !c.access.has(c.subject, "/mapping/pci/"+mapping.ID, mappingPrivileges...) {
			continue
		}
		row := mappingRow(mapping)
		row["id"] = mapping.ID
		if check {
			row["checks"] = c.checks(mapping, checked)
		}
		rows = append(rows, row)
	}
	return shuffle(c, rows), nil
}

// mapping serves GET /cluster/mapping/pci/{id}, which does not repeat the id.
func (c *call) mapping() (any, error) {
	list := c.mappingList()
	for i := range list {
		if list[i].ID == c.params["id"] {
			return mappingRow(&list[i]), nil
		}
	}
	return nil, failure("mapping '%s' not found", c.params["id"])
}

func mappingRow(m *pve.Mapping) map[string]any {
	entries := make([]string, 0, len(m.Entries))
	for _, entry := range m.Entries {
		entries = append(entries, latin1(entry.String()))
	}
	row := map[string]any{"type": "pci", "map": entries, "digest": m.Digest}
	if m.Description != nil {
		row["description"] = latin1(*m.Description)
	}
	if m.Mdev != nil {
		row["mdev"] = boolNumber(*m.Mdev)
	}
	if m.LiveMigration != nil {
		row["live-migration-capable"] = boolNumber(*m.LiveMigration)
	}
	return row
}

// latin1 takes the bytes of a text for characters, as PVE does with this file:
// UTF-8 in it comes back encoded twice.
func latin1(text string) string {
	var out strings.Builder
	for i := range len(text) {
		out.WriteRune(rune(text[i]))
	}
	return out.String()
}

// checks gives what the answering node says of a mapping; name is the node as it
// was asked for.
func (c *call) checks(m *pve.Mapping, name string) []map[string]any {
	rows := []map[string]any{}
	entries := m.On(name)
	if len(entries) == 0 {
		return append(rows, map[string]any{"severity": "warning", "message": "No mapping for node " + name + "."})
	}
	for _, entry := range entries {
		faults := slices.DeleteFunc(m.CheckEntry(entry, c.hardware), func(f pve.EntryFault) bool {
			return f.Property == "mdev" && !c.release.mdevChecked()
		})
		if len(faults) > 0 {
			rows = append(rows, map[string]any{
				"severity": "error", "message": "Invalid configuration: " + faults[0].Message + "\n",
			})
		}
	}
	return rows
}

// hardware tells the check what a function of the answering node is.
func (c *call) hardware(address pci.Address) (pve.Hardware, bool) {
	for i := range c.node.Devices {
		device := &c.node.Devices[i]
		if device.Address != address.String() {
			continue
		}
		found := pve.Hardware{IDs: device.ids(), Mdev: device.capable()}
		if device.Group != NoGroup {
			group := device.Group
			found.Group = &group
		}
		return found, true
	}
	return pve.Hardware{}, false
}
