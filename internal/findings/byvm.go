package findings

import (
	"slices"

	"pciatlas/internal/atlas"
)

// ByVM gives what OfVM gives for all VMs in one pass: the places of the findings
// in the list, ascending.
func ByVM(report *atlas.Report, found []Finding) map[*atlas.VM][]int {
	index := indexFindings(found)
	about := make(map[*atlas.VM][]int, len(report.VMs))
	for _, vm := range report.VMs {
		if places := slices.Concat(index.vms[vm.VMID], index.related[vmOn{vm.Node, vm.VMID}]); len(places) > 0 {
			about[vm] = places
		}
	}
	for i := range report.Nodes {
		index.addNode(&report.Nodes[i], about)
	}
	for vm, places := range about {
		slices.Sort(places)
		about[vm] = slices.Compact(places)
	}
	return about
}

// findingIndex finds findings by what they are about. The node "" is none in
// particular.
type findingIndex struct {
	vms      map[int][]int
	related  map[vmOn][]int
	devices  map[deviceOn][]int
	mappings map[mappingOn][]int
}

type mappingOn struct{ node, mapping string }

func indexFindings(found []Finding) findingIndex {
	index := findingIndex{map[int][]int{}, map[vmOn][]int{}, map[deviceOn][]int{}, map[mappingOn][]int{}}
	for i := range found {
		for _, vm := range found[i].vms {
			index.related[vm] = append(index.related[vm], i)
		}
		switch s := &found[i].Subject; {
		case s.VMID != 0:
			index.vms[s.VMID] = append(index.vms[s.VMID], i)
		case s.Device != nil:
			key := deviceOn{s.Node, *s.Device}
			index.devices[key] = append(index.devices[key], i)
		case s.Mapping != "":
			key := mappingOn{s.Node, s.Mapping}
			index.mappings[key] = append(index.mappings[key], i)
		}
	}
	return index
}

// addNode adds what is about functions and mappings that lines on a node name.
func (x *findingIndex) addNode(node *atlas.Node, about map[*atlas.VM][]int) {
	for i := range node.Devices {
		device := &node.Devices[i]
		for j := range device.References {
			line := device.References[j].Line
			for _, name := range []string{node.Name, ""} {
				about[line.VM] = append(about[line.VM], x.devices[deviceOn{name, device.Address}]...)
			}
			x.addMapping(node, line, about)
		}
	}
	for i := range node.Unplaced {
		x.addMapping(node, node.Unplaced[i].Line, about)
	}
}

func (x *findingIndex) addMapping(node *atlas.Node, line *atlas.Line, about map[*atlas.VM][]int) {
	if line.Mapping == "" {
		return
	}
	for _, name := range []string{node.Name, ""} {
		about[line.VM] = append(about[line.VM], x.mappings[mappingOn{name, line.Mapping}]...)
	}
}
