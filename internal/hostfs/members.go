package hostfs

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"pciatlas/internal/facts"
	"pciatlas/internal/pve"
)

// memberFile is what etc/pve/.members says (pmxcfs, cfs_create_memberlist_msg).
type memberFile struct {
	node    string // the local node, "" if the name is no node's
	cluster string // "" without a cluster
	// inCluster: the file names a cluster. A node that has none, or whose pmxcfs
	// has not found it yet, says only its own name.
	inCluster bool
	quorate   bool
	online    map[string]bool // by node name
	refused   int             // names that are no node's
}

// flag is 1 or 0 in the files of pmxcfs; true and false are taken, too.
type flag bool

// UnmarshalJSON reads a flag.
func (f *flag) UnmarshalJSON(data []byte) error {
	switch string(data) {
	case "1", "true":
		*f = true
	case "0", "false":
		*f = false
	default:
		return malformed("holds a flag that is neither 1 nor 0")
	}
	return nil
}

// parseMembers reads the text of .members.
func parseMembers(text string) (memberFile, error) {
	var file struct {
		NodeName string `json:"nodename"`
		Cluster  *struct {
			Name    string `json:"name"`
			Quorate flag   `json:"quorate"`
		} `json:"cluster"`
		NodeList map[string]struct {
			Online flag `json:"online"`
		} `json:"nodelist"`
	}
	var keys map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &file); err != nil {
		return memberFile{}, malformed("is not the list of members that the cluster file system writes")
	}
	if err := json.Unmarshal([]byte(text), &keys); err != nil {
		return memberFile{}, malformed("is not the list of members that the cluster file system writes")
	}
	_, hasCluster := keys["cluster"]
	_, hasNodes := keys["nodelist"]
	if hasCluster != hasNodes || hasCluster != (file.Cluster != nil) || file.NodeName == "" {
		return memberFile{}, malformed("lacks parts that the cluster file system writes")
	}
	members := memberFile{online: make(map[string]bool, len(file.NodeList))}
	if pve.ValidNodeName(file.NodeName) {
		members.node = file.NodeName
	} else {
		members.refused++
	}
	if file.Cluster != nil {
		members.inCluster, members.quorate = true, bool(file.Cluster.Quorate)
		if showable(file.Cluster.Name) {
			members.cluster = file.Cluster.Name
		}
	}
	for name, node := range file.NodeList {
		if pve.ValidNodeName(name) {
			members.online[name] = bool(node.Online)
		} else {
			members.refused++
		}
	}
	return members, nil
}

// showable tells whether a text can be a name for people: one short line.
func showable(s string) bool {
	const longest = 64
	return s != "" && len(s) <= longest && utf8.ValidString(s) && printable(s) == s &&
		strings.TrimSpace(s) == s
}

// members puts the list of nodes together: the members of the cluster and the
// local node. Where .members does not name every node, those with a folder and those
// that guests are said to be on count as well; otherwise such a folder is left of a
// node that was removed.
func (r *reader) members(from time.Time, files *clusterFiles, list *listing) facts.Read[[]facts.Member] {
	read := facts.Read[[]facts.Member]{State: facts.OK}
	local, told, problems := r.localName(files.members.node, list.nodes)
	if files.closed != nil {
		problems = append(problems, *files.closed)
	}
	if list.nodesFault != nil {
		problems = append(problems, *list.nodesFault)
	}
	if !told || files.closed != nil || list.nodesFault != nil {
		read.State = facts.Partial
	}
	for _, name := range slices.Sorted(maps.Keys(memberNames(local, files, list))) {
		member := facts.Member{Name: name, Local: name == local}
		if online, told := files.members.online[name]; told {
			member.Online = facts.Told(online)
		}
		read.Value = append(read.Value, member)
	}
	problems = append(problems, list.strange...)
	read.Problems = problems
	read.Got, read.Stamp = len(read.Value), r.stamp(from)
	return read
}

func memberNames(local string, files *clusterFiles, list *listing) map[string]bool {
	names := map[string]bool{local: true}
	for name := range files.members.online {
		names[name] = true
	}
	if files.allMembers {
		return names
	}
	for _, name := range list.nodes {
		names[name] = true
	}
	for claimed := range list.claimed {
		names[claimed.node] = true
	}
	return names
}

// localOf gives the name of the local node.
func localOf(members []facts.Member) string {
	for _, member := range members {
		if member.Local {
			return member.Name
		}
	}
	return ""
}
