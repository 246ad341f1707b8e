package findings

import (
	"fmt"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
)

// deviceUseWords says what the host loses with a function that it uses.
func deviceUseWords(uses []facts.Use) string {
	var disks, rest []string
	for i := range uses {
		switch use := &uses[i]; {
		case use.Kind == facts.UseStorage && use.Name == facts.UseSwap:
			disks = append(disks, "its swap space")
		case use.Kind == facts.UseStorage:
			disks = append(disks, use.Name)
		case use.Kind == facts.UseNetwork:
			rest = append(rest, fmt.Sprintf("%s, which serves %s", use.Through, use.Name))
		case use.Kind == facts.UseConsole:
			rest = append(rest, "its console")
		}
	}
	if len(disks) > 0 {
		rest = append([]string{"the disk with " + deviceWords(disks)}, rest...)
	}
	return deviceWords(rest)
}

// sayLoss says the same for translation.
func (f *Finding) sayLoss(uses []facts.Use) {
	for i := range uses {
		switch use := &uses[i]; {
		case use.Kind == facts.UseStorage && use.Name == facts.UseSwap:
			f.also("loses_swap", nil)
		case use.Kind == facts.UseStorage:
			f.alsoOf("loses_mounts", "mounts", []string{use.Name})
		case use.Kind == facts.UseNetwork:
			f.alsoOf("loses_network", "interfaces", []string{use.Through + " → " + use.Name})
		case use.Kind == facts.UseConsole:
			f.also("loses_console", nil)
		}
	}
}

// deviceUseEvidence is what was read that shows what the host uses a function for.
func deviceUseEvidence(device *atlas.Device) []string {
	var texts []string
	for _, use := range device.HostUses() {
		texts = append(texts, fmt.Sprintf("/%s: %s (%s)", use.File, deviceUseValue(&use), device.Address))
	}
	return texts
}

func deviceUseValue(use *facts.Use) string {
	switch {
	case use.Kind == facts.UseStorage && use.Name == facts.UseSwap:
		return use.Through + " is swap space"
	case use.Kind == facts.UseStorage:
		return use.Through + " on " + use.Name
	case use.Kind == facts.UseConsole:
		return "framebuffer of the boot display"
	default:
		return use.Name
	}
}
