package findings

import "strings"

// Moved is a device that has another address now, as far as a finding tells: From is
// what a line or an entry names, To the same notation for where it is likely to be.
type Moved struct{ Node, From, To string }

// MovedOf gives the moves that findings tell of a mapping, or of a VM if the mapping
// is "". Where several places are possible there is none.
func MovedOf(found []Finding, mapping string, vmid int) []Moved {
	var moves []Moved
	for i := range found {
		f := &found[i]
		switch {
		case f.Code != DeviceMoved:
		case f.Params["variant"] == "entry" && mapping != "" && f.Subject.Mapping == mapping:
			moves = append(moves, Moved{f.Subject.Node, f.Params["path"], f.Params["places"]})
		case f.Params["variant"] == "shifted" && mapping == "" && f.Subject.VMID == vmid:
			from, to := strings.Split(f.Params["from"], ", "), strings.Split(f.Params["to"], ", ")
			for n := range min(len(from), len(to)) {
				moves = append(moves, Moved{f.Subject.Node, from[n], to[n]})
			}
		}
	}
	return moves
}
