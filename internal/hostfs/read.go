// Package hostfs reads the facts of a node from files: sysfs for the devices of
// the node itself, the cluster file system /etc/pve for the VM configurations of
// all nodes and for the resource mappings. It fills a facts.Snapshot from the
// tree below a root folder: that of the running node, of a mounted disk, of a
// collected archive or of a test.
//
// It is an adapter: it knows the domain (facts, pve, pci) and files, starts no
// command and opens no connection. Whoever wires the program may import it (cli,
// server, the probe); no other adapter and no pure package may.
//
// What it promises, whatever the tree holds:
//   - Nothing outside the root is read, and nothing is ever waited for: links out
//     of the tree, pipes, devices and endless links become problems.
//   - No file is read beyond a limit.
//   - A list that came back short is never OK.
//   - No text of a file leaves but what facts.ReduceVM keeps, hostpci lines and
//     the lines of the mapping file; no message repeats any.
//
// Names that Proxmox VE ignores (win10.conf among the VM files, a folder among
// the nodes whose name no node can have) are nobody's VM. They are listed as
// problems of Guests and Members without making those reads less than OK.
package hostfs

import (
	"context"
	"path/filepath"
	"sync"
	"time"

	"pciatlas/internal/facts"
	"pciatlas/internal/pci"
	"pciatlas/internal/pve"
)

// Options say what to read. The zero value reads the running node.
type Options struct {
	// Root is the folder to read, "/" if empty.
	Root string
	// Cluster is the name of the cluster in the snapshot. If empty it is the one
	// that .members tells, else "default".
	Cluster string
	// Now is the clock, time.Now if nil. It is not called by two goroutines at a
	// time.
	Now func() time.Time
	// Names gives the names of devices. If nil it is pci.BuiltinNames or, if it is
	// newer by its date, usr/share/misc/pci.ids below the root.
	Names *pci.Database
	// Limits bound what is read; a zero in it means the default.
	Limits Limits

	// fault is the outcome of an access if it is not nil; for tests.
	fault func(path string) error
}

// Limits are the largest sizes in bytes that are read of a file of each kind. A
// larger one is a problem, and nothing of it is used.
type Limits struct {
	VMFile      int // 1 MiB: pmxcfs allows no more (CFS_MAX_FILE_SIZE)
	ClusterFile int // 16 MiB: .members and .vmlist, which pmxcfs makes up
	MappingFile int // 4 MiB
	SysFile     int // 4 KiB, one page: sysfs, proc/cmdline, pid files, etc/hostname
	ProcFile    int // 1 MiB: proc/mounts, proc/swaps, proc/meminfo
	NamesFile   int // 16 MiB
	Entries     int // 100,000 names in one folder
}

func (l Limits) orDefaults() Limits {
	const kib, mib = 1 << 10, 1 << 20
	return Limits{
		VMFile:      orDefault(l.VMFile, mib),
		ClusterFile: orDefault(l.ClusterFile, 16*mib),
		MappingFile: orDefault(l.MappingFile, 4*mib),
		SysFile:     orDefault(l.SysFile, 4*kib),
		ProcFile:    orDefault(l.ProcFile, mib),
		NamesFile:   orDefault(l.NamesFile, 16*mib),
		Entries:     orDefault(l.Entries, 100_000),
	}
}

func orDefault(n, standard int) int {
	if n <= 0 {
		return standard
	}
	return n
}

// Read reads a node. What could not be read stands in the snapshot, as the state
// and the problems of a read; only a root that is no node at all is an error, of
// type *Error, and so is the end of ctx.
//
// It returns at once when ctx ends, even if the kernel does not answer: a stopped
// cluster file system can hold an access for minutes. Such an access goes on in
// the background and is the last one of its Read.
func Read(ctx context.Context, options Options) (facts.Snapshot, error) {
	type result struct {
		snapshot facts.Snapshot
		err      error
	}
	done := make(chan result, 1)
	go func() {
		snapshot, err := read(ctx, options)
		done <- result{snapshot, err}
	}()
	select {
	case r := <-done:
		return r.snapshot, r.err
	case <-ctx.Done():
		return facts.Snapshot{}, ctx.Err()
	}
}

// reader reads one tree once.
type reader struct {
	top    *folder
	via    string
	live   bool // the root is that of the running system
	limits Limits
	now    func() time.Time
	end    func() error // gives an error once the read is to end
	// seen are the guests that earlier listings saw, for listGuests.
	seen map[guestID][]string
}

func read(ctx context.Context, options Options) (facts.Snapshot, error) {
	root := options.Root
	if root == "" {
		root = "/"
	}
	top, err := openTop(ctx, root, options.fault)
	if err != nil {
		return facts.Snapshot{}, rootError(root, err)
	}
	defer top.close()
	if err := checkNode(root, top); err != nil {
		return facts.Snapshot{}, err
	}
	r := &reader{
		top: top, via: root, live: isSystemRoot(root),
		limits: options.Limits.orDefaults(), now: clock(options.Now), end: ctx.Err,
	}
	snapshot := r.snapshot(options)
	if err := ctx.Err(); err != nil {
		return facts.Snapshot{}, err
	}
	return snapshot, nil
}

// ended tells that nobody waits for the result any more; every access fails then.
func (r *reader) ended() bool { return r.end() != nil }

func isSystemRoot(root string) bool {
	path, err := filepath.EvalSymlinks(root)
	if err != nil {
		return false
	}
	path, err = filepath.Abs(path)
	return err == nil && path == "/"
}

// clock makes a clock that may be asked by several goroutines. Its times are
// those that a snapshot file holds: UTC, without a monotonic reading.
func clock(now func() time.Time) func() time.Time {
	if now == nil {
		now = time.Now
	}
	var mutex sync.Mutex
	return func() time.Time {
		mutex.Lock()
		defer mutex.Unlock()
		return now().Round(0).UTC()
	}
}

// snapshot puts all reads together. sysfs and the cluster file system do not wait
// for each other and are read side by side.
func (r *reader) snapshot(options Options) facts.Snapshot {
	var local facts.Node
	var group sync.WaitGroup
	group.Go(func() {
		r.readDevices(r.names(options.Names), &local)
		local.IOMMU = r.readIOMMU()
		local.Memory = r.readMemory()
		local.CardFiles = r.readCardFiles()
	})
	snapshot := facts.Snapshot{Schema: facts.Schema, Nodes: map[string]*facts.Node{}}
	from := r.now()
	files := r.readClusterFiles()
	var search guestSearch
	if files.closed == nil {
		r.searchGuests(&search)
		files.takeVMList(search.list.vmList)
		snapshot.Mappings, snapshot.MappingLines = r.readMappings()
		r.readPolicies(&snapshot)
	} else {
		snapshot.Mappings = failedSince[[]pve.Mapping](r, from, *files.closed)
	}
	snapshot.Files = files.read
	snapshot.Cluster = clusterName(options.Cluster, files.members.cluster)
	snapshot.Members = r.members(from, &files, &search.list)
	snapshot.Guests = r.guests(from, &files, &search, localOf(snapshot.Members.Value))
	if files.closed == nil {
		snapshot.Mentions = mentions(&snapshot, search.list.vmList)
	}
	group.Wait()
	fillNodes(&snapshot, &search, &local)
	local.ROMFiles = r.readROMs(&local)
	return snapshot
}

func clusterName(given, told string) string {
	switch {
	case given != "":
		return given
	case told != "":
		return told
	default:
		return "default"
	}
}

// stamp tells that something was read since a time until now.
func (r *reader) stamp(from time.Time) facts.Stamp {
	return facts.Stamp{Source: facts.SourceHost, Via: r.via, From: from, To: r.now()}
}

// failedSince makes a read that gave nothing.
func failedSince[T any](r *reader, from time.Time, problem facts.Problem) facts.Read[T] {
	return facts.Read[T]{State: facts.Failed, Stamp: r.stamp(from), Problems: []facts.Problem{problem}}
}
