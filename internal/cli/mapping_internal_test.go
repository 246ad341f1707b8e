package cli

import (
	"bytes"
	"strings"
	"testing"

	"pciatlas/internal/atlas"
	"pciatlas/internal/plan"
)

// TestSuggestionsBesideHiddenMappings: where mappings may be hidden, one of them may have
// a device that is proposed.
func TestSuggestionsBesideHiddenMappings(t *testing.T) {
	reason := "Mapping.Audit is not held on /mapping/pci."
	for _, scope := range []atlas.ScopeState{atlas.Proven, atlas.Assumed, atlas.Unproven} {
		var out bytes.Buffer
		answer := plan.SuggestionsAnswer{Scope: scope}
		if scope != atlas.Proven {
			answer.Reason = &reason
		}
		if err := writeSuggestions(&printer{w: &out, width: 80}, answer); err != nil {
			t.Fatal(err)
		}
		if said := strings.Contains(out.String(), "is "+string(scope)+", and one that is hidden"); said != (scope != atlas.Proven) {
			t.Errorf("%s:\n%s", scope, out.String())
		}
	}
}
