package pveapi

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"pciatlas/internal/facts"
	"pciatlas/internal/pve"
)

// readMappings asks for the resource mappings. The list is filtered silently.
func (r *reader) readMappings(ctx context.Context) {
	const request = "GET /cluster/mapping/pci"
	from := r.client.options.Now()
	read := facts.Read[[]pve.Mapping]{}
	data, err := r.cluster(ctx, "/cluster/mapping/pci", nil)
	if err == nil {
		var mappings []pve.Mapping
		var problems []facts.Problem
		mappings, problems, err = decodeRows(request, data, mappingRow)
		slices.SortStableFunc(mappings, func(a, b pve.Mapping) int { return strings.Compare(a.ID, b.ID) })
		var twice []facts.Problem
		mappings, twice = withoutTwice(request, mappings, func(m pve.Mapping) string { return "mapping " + m.ID })
		problems = append(problems, twice...)
		read = facts.Read[[]pve.Mapping]{State: rowState(problems), Value: mappings, Got: len(mappings), Problems: problems}
	}
	if err != nil {
		read = failedRead[[]pve.Mapping](r, from, request, err)
	}
	read.Stamp = r.stamp(from)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.snapshot.Mappings = read
}

func mappingRow(row json.RawMessage) (pve.Mapping, error) {
	var wire struct {
		ID            scalar   `json:"id"`
		Description   scalar   `json:"description"`
		Mdev          scalar   `json:"mdev"`
		LiveMigration scalar   `json:"live-migration-capable"`
		Map           []scalar `json:"map"`
		Digest        scalar   `json:"digest"`
	}
	if err := json.Unmarshal(row, &wire); err != nil {
		return pve.Mapping{}, err
	}
	if !pve.ValidMappingID(wire.ID.text) {
		return pve.Mapping{}, errors.New("it has no id")
	}
	mapping := pve.Mapping{ID: wire.ID.text, Digest: wire.Digest.text}
	if wire.Description.set {
		description := repairText(wire.Description.text)
		mapping.Description = &description
	}
	mapping.Mdev, mapping.LiveMigration = told(wire.Mdev), told(wire.LiveMigration)
	for _, text := range wire.Map {
		entry, err := pve.ParseEntry(repairText(text.text))
		if err != nil {
			return pve.Mapping{}, errors.New("mapping " + mapping.ID + " has an entry that is not as expected")
		}
		mapping.Entries = append(mapping.Entries, entry)
	}
	return mapping, nil
}

func told(s scalar) *bool {
	if !s.set {
		return nil
	}
	on := s.flag()
	return &on
}
