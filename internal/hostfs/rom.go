package hostfs

import (
	"path"
	"slices"
	"strings"

	"pciatlas/internal/facts"
	"pciatlas/internal/pve"
)

// romFolder is where Proxmox VE looks for the file that a romfile option names.
const romFolder = "usr/share/kvm"

// readROMs looks whether the ROM files that the VMs of the local node name are
// there. Without the folder, as in an archive of etc/pve, nothing is told; a name
// that cannot be looked at is left out, and the read is Partial.
func (r *reader) readROMs(local *facts.Node) facts.Read[[]facts.ROMFile] {
	from := r.now()
	if there, err := r.top.there(romFolder); !there || err != nil {
		return facts.Read[[]facts.ROMFile]{}
	}
	var read facts.Read[[]facts.ROMFile]
	for _, name := range romNames(local) {
		there, err := r.top.there(path.Join(romFolder, name))
		if err != nil {
			read.Problems = append(read.Problems, problemOf(path.Join(romFolder, name), err))
			continue
		}
		read.Value = append(read.Value, facts.ROMFile{Name: name, There: there})
	}
	read.State, read.Stamp = stateOf(read.Problems), r.stamp(from)
	return read
}

// romNames gives the names of ROM files in the lines of a node's VMs, each once.
func romNames(node *facts.Node) []string {
	var names []string
	for _, read := range node.VMs {
		for _, item := range read.Value.Items {
			if _, slot := pve.ParseSlotKey(item.Key); !slot {
				continue
			}
			for _, raw := range []*string{item.Current, item.Pending} {
				if raw == nil || !strings.Contains(*raw, "romfile=") {
					continue
				}
				if value, err := pve.ParseHostPCI(*raw); err == nil && value.RomFile != "" {
					names = append(names, value.RomFile)
				}
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
