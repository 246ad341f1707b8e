package hostfs

import (
	"pciatlas/internal/facts"
	"pciatlas/internal/pci"
)

// namesFile is where Debian and most others have the list of the PCI ID Project.
const namesFile = "usr/share/misc/pci.ids"

// names gives the list of names to use: the given one, else the newer of the
// built-in list and the node's. The node's list is read only if its head says
// that it is newer; one that cannot be read changes nothing, for names decide
// nothing.
func (r *reader) names(given *pci.Database) *pci.Database {
	if given != nil {
		return given
	}
	const headSize = 4 << 10
	head, err := r.top.head(namesFile, headSize)
	if err != nil || pci.NewDatabase(head).Date() <= pci.BuiltinNames.Date() {
		return pci.BuiltinNames
	}
	text, err := r.top.read(namesFile, r.limits.NamesFile)
	if err != nil {
		return pci.BuiltinNames
	}
	return pci.BuiltinNames.Newer(pci.NewDatabase(text))
}

// memoised answers the same question once: functions of one card, and cards of
// one model, are many.
func memoised(names *pci.Database) func(pci.IDs, pci.Class) pci.Names {
	type question struct {
		pair, subsystem pci.Pair
		hasSubsystem    bool
		class           pci.Class
	}
	known := map[question]pci.Names{}
	return func(ids pci.IDs, class pci.Class) pci.Names {
		asked := question{pair: ids.Pair, class: class}
		if ids.Subsystem != nil {
			asked.subsystem, asked.hasSubsystem = *ids.Subsystem, true
		}
		answer, ok := known[asked]
		if !ok {
			answer = names.Lookup(ids, class)
			answer = pci.Names{
				Vendor: keep(answer.Vendor), Device: keep(answer.Device),
				Subsystem: keep(answer.Subsystem), Class: keep(answer.Class),
			}
			known[asked] = answer
		}
		return answer
	}
}

// stateOf gives the state of a read that gave something.
func stateOf(problems []facts.Problem) facts.ReadState {
	if len(problems) > 0 {
		return facts.Partial
	}
	return facts.OK
}
