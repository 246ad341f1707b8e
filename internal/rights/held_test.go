package rights_test

import (
	"testing"

	"pgregory.net/rapid"

	"pciatlas/internal/rights"
)

// TestHeld compares with what Proxmox VE itself would decide, over random access
// rules: what is told is true, and most of what can be told is.
func TestHeld(t *testing.T) {
	told, untold := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		w := drawWorld(rt)
		principal := rapid.SampledFrom(drawnPrincipals).Draw(rt, "principal")
		shown := w.rights(principal)
		for _, path := range []string{"/mapping/pci", "/mapping/pci/gpu-a", "/mapping/pci/gpu-b", "/mapping/pci/new", "/vms/101", "/vms/104"} {
			for _, privilege := range []string{"Mapping.Modify", "Mapping.Audit", "VM.Audit", "VM.Config.HWType"} {
				held, sure := rights.Held(shown, path, privilege)
				if !sure {
					untold++
					continue
				}
				told++
				if _, want := w.privileges(principal, path)[privilege]; held != want {
					rt.Fatalf("%s holds %s on %s: %t, want %t", principal, privilege, path, held, want)
				}
			}
		}
	})
	if told < untold/4 {
		t.Errorf("%d told, %d not", told, untold)
	}
}
