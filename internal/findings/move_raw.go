package findings

import (
	"slices"
	"strconv"
	"strings"

	"pciatlas/internal/atlas"
)

// moveRaw is what some functions of a node, named by address, mean for moves.
type moveRaw struct {
	devices []*atlas.Device
	// differs and equalFew say what is on other nodes, "" for nothing; equalFew with
	// a few nodes of many. The plain ones say it in no language, of all nodes.
	compared                       bool
	differs, equalFew              string
	differsPlain, equalPlain       string
	differsEvidence, equalEvidence []string
	differsThere, equalThere       []deviceOn // the functions on other nodes
	mapping                        string     // see moveMapping, "" if not looked for
}

// moveRawOf gives what is kept of some functions of the node, at least one.
func (n *node) moveRawOf(devices []*atlas.Device) *moveRaw {
	for _, known := range n.raws[devices[0]] {
		if slices.Equal(known.devices, devices) {
			return known
		}
	}
	if n.raws == nil {
		n.raws = map[*atlas.Device][]*moveRaw{}
	}
	raw := &moveRaw{devices: devices}
	n.raws[devices[0]] = append(n.raws[devices[0]], raw)
	return raw
}

// moveAlike is what several nodes have in common: the functions there that were
// compared with some of the own ones.
type moveAlike struct {
	own, there []*atlas.Device // of the first node
	nodes      []string
}

// compare looks at the nodes that the functions' VM could go to. Nodes with the
// same devices at the same addresses are said together.
func (r *moveRaw) compare(from *node) {
	r.compared = true
	var differs, equal []*moveAlike
	there := make([]*atlas.Device, 0, len(r.devices))
	for _, n := range from.targets {
		others := false
		there = there[:0]
		for i, device := range r.devices {
			switch other := n.moveAt(device.Address); {
			case other == nil:
			case idsOf(other) == idsOf(device):
				there = append(there, other)
			default:
				differs, others = moveJoin(differs, n, r.devices[i:i+1], []*atlas.Device{other}), true
			}
		}
		if others {
			continue
		}
		if len(there) < len(r.devices) {
			there = n.moveEquals(r.devices, there)
		}
		if len(there) == len(r.devices) {
			equal = moveJoin(equal, n, r.devices, there)
		}
	}
	var texts, plain []string
	for _, a := range differs {
		texts, plain = append(texts, a.differs()), append(plain, a.differsPlain()...)
		r.differsEvidence = append(r.differsEvidence, a.evidence()...)
		r.differsThere = append(r.differsThere, a.functions()...)
	}
	r.differs, r.differsPlain = strings.Join(texts, "; "), joined(plain)
	texts, plain = nil, nil
	for _, a := range equal {
		texts, plain = append(texts, a.equal(moveFew(a.nodes))), append(plain, a.equalPlain()...)
		r.equalEvidence = append(r.equalEvidence, a.evidence()...)
		r.equalThere = append(r.equalThere, a.functions()...)
	}
	r.equalFew, r.equalPlain = strings.Join(texts, "; "), joined(plain)
}

// moveFew shortens a list of more than four names to three and the number of the
// others.
func moveFew(names []string) []string {
	if len(names) <= 4 {
		return names
	}
	return append(slices.Clone(names[:3]), strconv.Itoa(len(names)-3)+" more")
}

// moveJoin adds a node to those that are alike.
func moveJoin(known []*moveAlike, n *node, own, there []*atlas.Device) []*moveAlike {
	at := slices.IndexFunc(known, func(a *moveAlike) bool {
		return slices.Equal(a.own, own) && slices.EqualFunc(a.there, there, func(x, y *atlas.Device) bool {
			return x.Address == y.Address && idsOf(x) == idsOf(y)
		})
	})
	if at < 0 {
		at = len(known)
		known = append(known, &moveAlike{own: own, there: slices.Clone(there)})
	}
	known[at].nodes = append(known[at].nodes, n.Name)
	return known
}

// differs says that the nodes have another device at the address.
func (a *moveAlike) differs() string {
	return a.own[0].Address.String() + " on " + mappingJoin(a.nodes) + " is " + mappingIDs(a.there[0].IDs) + ", not " + mappingIDs(a.own[0].IDs)
}

// differsPlain says it in no language.
func (a *moveAlike) differsPlain() []string {
	texts, ids := make([]string, len(a.nodes)), mappingIDs(a.own[0].IDs)+" → "+mappingIDs(a.there[0].IDs)
	for i, name := range a.nodes {
		texts[i] = a.own[0].Address.String() + " " + with(name, ids)
	}
	return texts
}

// equalPlain says in no language where nodes have their equals.
func (a *moveAlike) equalPlain() []string {
	texts, devices := make([]string, len(a.nodes)), strings.Join(deviceNames(a.there), " + ")
	for i, name := range a.nodes {
		texts[i] = with(name, devices)
	}
	return texts
}

// equal says where nodes have their equals.
func (a *moveAlike) equal(nodes []string) string {
	return devicePlural(len(nodes), "node ", "nodes ") + mappingJoin(nodes) + " (" + strings.Join(deviceNames(a.there), ", ") + ")"
}

// evidence is what was read of the functions on the nodes.
func (a *moveAlike) evidence() []string {
	texts, nodes := make([]string, len(a.there)), strings.Join(a.nodes, ", ")
	for i, device := range a.there {
		texts[i] = nodes + " " + device.Address.String() + ": " + mappingIDs(device.IDs)
	}
	return texts
}

// functions gives the functions on each of the nodes.
func (a *moveAlike) functions() []deviceOn {
	functions := make([]deviceOn, 0, len(a.nodes)*len(a.there))
	for _, name := range a.nodes {
		for _, device := range a.there {
			functions = append(functions, deviceOn{name, device.Address})
		}
	}
	return functions
}

// moveEquals gives equals of devices on the node, at the same addresses where they
// are there, until there is none for one of them. It writes into room.
func (n *node) moveEquals(devices, room []*atlas.Device) []*atlas.Device {
	used := room[:0]
	for _, device := range devices {
		other := n.moveEqual(device, used)
		if other == nil {
			break
		}
		used = append(used, other)
	}
	return used
}

// moveEqual gives an equal of one device that is not used yet.
func (n *node) moveEqual(device *atlas.Device, used []*atlas.Device) *atlas.Device {
	ids := idsOf(device)
	if other := n.moveAt(device.Address); other != nil && idsOf(other) == ids && !slices.Contains(used, other) {
		return other
	}
	for i := range n.Devices {
		if other := &n.Devices[i]; idsOf(other) == ids && !slices.Contains(used, other) {
			return other
		}
	}
	return nil
}
