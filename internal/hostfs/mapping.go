package hostfs

import (
	"errors"
	"io/fs"
	"unicode/utf8"

	"pciatlas/internal/facts"
	"pciatlas/internal/pve"
)

const mappingFile = pveFolder + "/mapping/pci.cfg"

// readMappings reads the resource mappings. Without the file there are none, if
// the cluster file system is still there to lack it.
func (r *reader) readMappings() (facts.Read[[]pve.Mapping], []pve.DroppedLine) {
	from := r.now()
	text, err := r.top.read(mappingFile, r.limits.MappingFile)
	if errors.Is(err, fs.ErrNotExist) {
		if there, _ := r.top.there(mappingFile); there {
			return failedSince[[]pve.Mapping](r, from, leadsNowhere(mappingFile)), nil
		}
		if names, err := r.top.list(pveFolder, r.limits.Entries); len(names) == 0 {
			return failedSince[[]pve.Mapping](r, from, *notMounted(err != nil)), nil
		}
	} else if err != nil {
		return failedSince[[]pve.Mapping](r, from, problemOf(mappingFile, err)), nil
	}
	mappings, dropped := pve.ParseMappingFile(text)
	if !utf8.ValidString(text) {
		for i := range mappings {
			mendMapping(&mappings[i])
		}
		for i := range dropped {
			line := &dropped[i]
			line.Section, line.Key = keep(line.Section), keep(line.Key)
			line.Text, line.Reason = keep(line.Text), keep(line.Reason)
		}
	}
	return facts.Read[[]pve.Mapping]{
		State: facts.OK, Value: mappings, Got: len(mappings), Total: len(mappings), Stamp: r.stamp(from),
	}, dropped
}

// mendMapping puts a mark in place of what is not UTF-8. Only descriptions and
// the one character of a path that Proxmox VE does not check can hold such bytes.
func mendMapping(m *pve.Mapping) {
	m.Description = keepValue(m.Description)
	for i, entry := range m.Entries {
		if mended, err := pve.ParseEntry(keep(entry.String())); err == nil {
			m.Entries[i] = mended
		}
	}
}
