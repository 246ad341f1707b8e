package plan

import (
	"pciatlas/internal/atlas"
	"pciatlas/internal/pve"
)

// Wanted gives the mappings that Suggest proposes, as they would be: none if the mappings
// of the cluster were not read, because all that are there would be proposed once more.
func Wanted(report *atlas.Report) []pve.Mapping {
	if !report.Facts.Mappings.State.Answered() {
		return nil
	}
	suggestions := Suggest(report)
	mappings := make([]pve.Mapping, len(suggestions.Mappings))
	for i := range suggestions.Mappings {
		mappings[i] = suggestions.Mappings[i].Mapping
	}
	return mappings
}
