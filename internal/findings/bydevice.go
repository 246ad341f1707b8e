package findings

import (
	"slices"

	"pciatlas/internal/atlas"
)

// ByDevice gives what OfDevice gives for all functions in one pass: the places of the
// findings in the list, ascending.
func ByDevice(report *atlas.Report, found []Finding) map[*atlas.Device][]int {
	index := indexLines(found)
	about := map[*atlas.Device][]int{}
	for i := range report.Nodes {
		node := &report.Nodes[i]
		for j := range node.Devices {
			device := &node.Devices[j]
			places := index.of(node, device)
			if len(places) == 0 {
				continue
			}
			slices.Sort(places)
			about[device] = slices.Compact(places)
		}
	}
	return about
}

// lineIndex finds findings by what they are about, for functions and the lines that
// name them. The node "" is none in particular.
type lineIndex struct {
	devices  map[deviceOn][]int
	lines    map[lineOn][]int
	mappings map[mappingOn][]int
}

// lineOn is a line of a VM, or the whole VM with atlas.NoSlot.
type lineOn struct {
	node       string
	vmid, slot int
}

func indexLines(found []Finding) lineIndex {
	index := lineIndex{map[deviceOn][]int{}, map[lineOn][]int{}, map[mappingOn][]int{}}
	for i := range found {
		for _, device := range found[i].devices {
			index.devices[device] = append(index.devices[device], i)
		}
		switch s := &found[i].Subject; {
		case s.Device != nil:
			key := deviceOn{s.Node, *s.Device}
			index.devices[key] = append(index.devices[key], i)
		case s.VMID != 0:
			key := lineOn{s.Node, s.VMID, s.Slot}
			index.lines[key] = append(index.lines[key], i)
		case s.Mapping != "":
			key := mappingOn{s.Node, s.Mapping}
			index.mappings[key] = append(index.mappings[key], i)
		}
	}
	return index
}

// of gives the places of the findings of a function, in no order and perhaps twice.
func (x *lineIndex) of(node *atlas.Node, device *atlas.Device) []int {
	var places []int
	for _, name := range []string{node.Name, ""} {
		places = append(places, x.devices[deviceOn{name, device.Address}]...)
		for i := range device.References {
			reference := &device.References[i]
			places = append(places, x.lines[lineOn{name, reference.VM.VMID, reference.Slot}]...)
			places = append(places, x.lines[lineOn{name, reference.VM.VMID, atlas.NoSlot}]...)
			if reference.Mapping != "" {
				places = append(places, x.mappings[mappingOn{name, reference.Mapping}]...)
			}
		}
	}
	return places
}
