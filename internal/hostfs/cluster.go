package hostfs

import (
	"errors"
	"io/fs"

	"pciatlas/internal/facts"
)

const (
	membersFile  = pveFolder + "/.members"
	corosyncFile = pveFolder + "/corosync.conf"
)

// clusterFiles is what the top of the cluster file system says.
type clusterFiles struct {
	read    facts.Read[facts.ClusterFiles]
	members memberFile
	// allMembers: members names every node there is.
	allMembers bool
	// closed is why nothing below etc/pve is read, nil if it is.
	closed *facts.Problem
}

// readClusterFiles looks at the top of the cluster file system. An etc/pve that
// is missing or empty is the folder that it gets mounted on.
func (r *reader) readClusterFiles() clusterFiles {
	from := r.now()
	names, err := r.top.list(pveFolder, r.limits.Entries)
	missing := errors.Is(err, fs.ErrNotExist)
	if err != nil && !missing && len(names) == 0 {
		problem := problemOf(pveFolder, err)
		return clusterFiles{read: failedSince[facts.ClusterFiles](r, from, problem), closed: &problem}
	}
	files := clusterFiles{read: facts.Read[facts.ClusterFiles]{State: facts.OK}}
	if len(names) == 0 {
		files.closed = notMounted(missing)
		files.read.Problems = []facts.Problem{*files.closed}
	} else {
		files.read.Value.Populated = true
		r.readMembers(&files)
	}
	files.read.Stamp = r.stamp(from)
	return files
}

func notMounted(missing bool) *facts.Problem {
	how := "etc/pve is empty"
	if missing {
		how = "there is no etc/pve"
	}
	return &facts.Problem{
		Code: facts.ProblemMissing, Subject: pveFolder,
		Message: "The cluster file system is not mounted: " + how + ". It holds the VM files of all nodes. " +
			"On a running node see: systemctl status pve-cluster",
	}
}

// readMembers takes .members in. A node that has a cluster's configuration but
// whose pmxcfs names no cluster is not connected to it.
func (r *reader) readMembers(files *clusterFiles) {
	text, err := r.top.read(membersFile, r.limits.ClusterFile)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	files.read.Value.Mounted = true
	if err == nil {
		files.members, err = parseMembers(text)
	}
	if err != nil {
		files.fault(problemOf(membersFile, err))
		return
	}
	if files.members.refused > 0 {
		files.fault(problemOf(membersFile, malformed("holds names that no node can have")))
	}
	quorate, complete := files.members.quorate, true
	if !files.members.inCluster {
		clustered, err := r.top.there(corosyncFile)
		quorate = !clustered && err == nil
		complete = quorate
	}
	files.allMembers = complete && files.members.refused == 0
	files.read.Value.Quorate = facts.Told(quorate)
}

// takeVMList notes what became of .vmlist.
func (f *clusterFiles) takeVMList(list vmListRead) {
	if !list.there() {
		return
	}
	f.read.Value.Mounted = true
	switch {
	case list.err != nil:
		f.fault(problemOf(vmListFile, list.err))
	case list.list.refused > 0:
		f.fault(problemOf(vmListFile, malformed("holds entries that name no guest on a node")))
	}
}

// fault notes something that is there and could not be read.
func (f *clusterFiles) fault(p facts.Problem) {
	f.read.State = facts.Partial
	f.read.Problems = append(f.read.Problems, p)
}
