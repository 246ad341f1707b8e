package hostfs

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pciatlas/internal/facts"
)

// mover renames VM files between nodes' folders while a tree is read.
type mover struct {
	t    testing.TB
	root string
	mu   sync.Mutex
}

func (m *mover) file(node string, vmid int) string {
	return filepath.Join(m.root, guestFolder(node, facts.QEMU), fileName(vmid))
}

func (m *mover) move(vmid int, from, to string) {
	if err := os.Rename(m.file(from, vmid), m.file(to, vmid)); err != nil {
		m.t.Error(err)
	}
}

// before calls do when a path is about to be accessed for the nth time.
func (m *mover) before(path string, nth int, do func()) func(*Options) {
	count := 0
	return func(o *Options) {
		o.fault = func(accessed string) error {
			m.mu.Lock()
			defer m.mu.Unlock()
			if accessed == path {
				count++
				if count == nth {
					do()
				}
			}
			return nil
		}
	}
}

func moving(t *testing.T, root tree) *mover {
	t.Helper()
	return &mover{t: t, root: root.write(t)}
}

// TestMovedBeforeReading: a VM migrates after its folder was listed.
func TestMovedBeforeReading(t *testing.T) {
	m := moving(t, node())
	file := place{guestID{100, facts.QEMU}, "pve-a"}.file()
	snapshot := mustRead(t, m.root, m.before(file, 1, func() { m.move(100, "pve-a", "pve-b") }))
	want := []string{"qemu pve-b 100.conf unknown", "qemu pve-b 200.conf unknown", "lxc pve-b 300.conf unknown"}
	if diff := cmp.Diff(want, guestList(snapshot)); diff != "" || snapshot.Guests.State != facts.OK {
		t.Error(diff, snapshot.Guests.Problems)
	}
	if config := snapshot.Nodes["pve-b"].VMs[100]; config.State != facts.OK || len(config.Value.Items) != 2 {
		t.Errorf("config: %+v", config)
	}
	if _, there := snapshot.Nodes["pve-a"].VMs[100]; there {
		t.Error("the VM is on both nodes")
	}
}

// TestMovedWhileListing: a VM moves to a folder that was listed already, from one
// that was not. Without a second look it would be nowhere.
func TestMovedWhileListing(t *testing.T) {
	for nth := 1; nth <= 8; nth++ {
		m := moving(t, node())
		snapshot := mustRead(t, m.root, m.before("etc/pve/nodes/pve-b/qemu-server", nth, func() { m.move(200, "pve-b", "pve-a") }))
		if len(snapshot.Guests.Value) != 3 || snapshot.Guests.State != facts.OK {
			t.Errorf("access %d: %v, %+v", nth, guestList(snapshot), snapshot.Guests.Problems)
		}
	}
}

// TestMovedAfterReading: a VM that was read moves on; it must not appear twice.
func TestMovedAfterReading(t *testing.T) {
	m := moving(t, node())
	file := place{guestID{200, facts.QEMU}, "pve-b"}.file()
	snapshot := mustRead(t, m.root, m.before(file, 1, func() {
		m.move(100, "pve-a", "pve-b")
		m.move(200, "pve-b", "pve-a")
	}))
	if len(snapshot.Guests.Value) != 3 || snapshot.Guests.State != facts.OK {
		t.Errorf("%v, %+v", guestList(snapshot), snapshot.Guests.Problems)
	}
	for _, vmid := range []int{100, 200} {
		a, onA := snapshot.Nodes["pve-a"].VMs[vmid]
		b, onB := snapshot.Nodes["pve-b"].VMs[vmid]
		if onA == onB || a.State != facts.OK && b.State != facts.OK {
			t.Errorf("VM %d: %+v, %+v", vmid, a, b)
		}
	}
}

func TestDestroyedBeforeReading(t *testing.T) {
	m := moving(t, node())
	file := place{guestID{100, facts.QEMU}, "pve-a"}.file()
	snapshot := mustRead(t, m.root, m.before(file, 1, func() { _ = os.Remove(m.file("pve-a", 100)) }))
	want := []string{"qemu pve-b 200.conf unknown", "lxc pve-b 300.conf unknown"}
	if diff := cmp.Diff(want, guestList(snapshot)); diff != "" || snapshot.Guests.State != facts.OK {
		t.Error(diff, snapshot.Guests.Problems)
	}
}

// TestUnmountedBeforeReading: etc/pve is unmounted after it was listed. The VMs
// are not destroyed by that.
func TestUnmountedBeforeReading(t *testing.T) {
	m := moving(t, mounted())
	file := place{guestID{100, facts.QEMU}, "pve-a"}.file()
	snapshot := mustRead(t, m.root, m.before(file, 1, func() {
		if err := os.Rename(filepath.Join(m.root, pveFolder), filepath.Join(m.root, "gone")); err != nil {
			t.Error(err)
		}
	}))
	if g := snapshot.Guests; g.State == facts.OK || len(g.Problems) == 0 {
		t.Errorf("%v, %+v", guestList(snapshot), g)
	}
	if snapshot.Mappings.State != facts.Failed {
		t.Errorf("%+v", snapshot.Mappings)
	}
}

// TestDestroyedWhileUnlistable: a list with a hole cannot prove that a VM is gone.
func TestDestroyedWhileUnlistable(t *testing.T) {
	m := moving(t, node())
	file := place{guestID{100, facts.QEMU}, "pve-a"}.file()
	destroyed := false
	snapshot := mustRead(t, m.root, func(o *Options) {
		o.fault = func(path string) error {
			m.mu.Lock()
			defer m.mu.Unlock()
			switch {
			case path == file && !destroyed:
				destroyed = true
				return os.Remove(filepath.Join(m.root, file))
			case path == "etc/pve/nodes/pve-b/qemu-server" && destroyed:
				return syscall.EIO
			default:
				return nil
			}
		}
	})
	if config := snapshot.Nodes["pve-a"].VMs[100]; config.State != facts.Failed || config.Problems[0].Code != facts.ProblemVanished {
		t.Errorf("config: %+v", config)
	}
	if g := snapshot.Guests; g.State != facts.Partial || g.Value[0].VMID != 100 {
		t.Errorf("%v, %+v", guestList(snapshot), g)
	}
}

// TestDestroyedButListed: .vmlist still names the VM, so it is not proven gone.
func TestDestroyedButListed(t *testing.T) {
	m := moving(t, mounted())
	file := place{guestID{100, facts.QEMU}, "pve-a"}.file()
	snapshot := mustRead(t, m.root, m.before(file, 1, func() { _ = os.Remove(m.file("pve-a", 100)) }))
	if config := snapshot.Nodes["pve-a"].VMs[100]; config.State != facts.Failed || config.Problems[0].Code != facts.ProblemMissing {
		t.Errorf("config: %+v", config)
	}
	if len(snapshot.Guests.Value) != 3 {
		t.Errorf("%v", guestList(snapshot))
	}
}

// TestMovingForever: a VM that is never where it was seen stays in the list.
func TestMovingForever(t *testing.T) {
	m := moving(t, node())
	at := map[string]string{
		place{guestID{100, facts.QEMU}, "pve-a"}.file(): "pve-b",
		place{guestID{100, facts.QEMU}, "pve-b"}.file(): "pve-a",
	}
	snapshot := mustRead(t, m.root, func(o *Options) {
		o.fault = func(path string) error {
			if to, ok := at[path]; ok {
				m.mu.Lock()
				defer m.mu.Unlock()
				_ = os.Rename(filepath.Join(m.root, path), m.file(to, 100))
			}
			return nil
		}
	})
	guest := snapshot.Guests.Value[0]
	if guest.VMID != 100 || len(snapshot.Guests.Value) != 3 {
		t.Fatalf("%v", guestList(snapshot))
	}
	if config := snapshot.Nodes[guest.Node].VMs[100]; config.State != facts.Failed || config.Problems[0].Code != facts.ProblemVanished {
		t.Errorf("config: %+v", config)
	}
}

// TestNeverMissing reads a tree again and again while VMs are moved without a
// pause, and asserts that each is there once, in each read.
func TestNeverMissing(t *testing.T) {
	const vms, nodes = 40, 3
	names := []string{"pve-a", "pve-b", "pve-c"}
	for name, list := range map[string]bool{"with .vmlist": true, "without": false} {
		t.Run(name, func(t *testing.T) {
			root := tree{Dirs: []string{"sys/bus/pci/devices"}, Links: map[string]string{"etc/pve/local": "nodes/pve-a"}}
			files := map[string]string{}
			for i := range vms {
				files[place{guestID{100 + i, facts.QEMU}, names[i%nodes]}.file()] = "name: vm\nhostpci0: 0000:01:00.0\n"
			}
			if list {
				files[vmListFile] = `{"version":1,"ids":{}}`
			}
			m := moving(t, root.add(files))
			stop, moves := make(chan struct{}), atomic.Int64{}
			var group sync.WaitGroup
			group.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
					}
					vmid, to := 100+rand.IntN(vms), names[rand.IntN(nodes)]
					for _, from := range names {
						if from != to && os.Rename(m.file(from, vmid), m.file(to, vmid)) == nil {
							moves.Add(1)
						}
					}
				}
			})
			reads, failed, partial := 0, 0, 0
			enough := func() bool { return reads >= 5 && moves.Load() >= 100 }
			for start := time.Now(); time.Since(start) < time.Second || !enough() && time.Since(start) < time.Minute; reads++ {
				f, p := checkAllThere(t, mustRead(t, m.root), vms)
				failed, partial = failed+f, partial+p
			}
			close(stop)
			group.Wait()
			if !enough() {
				t.Errorf("%d reads and %d moves prove nothing", reads, moves.Load())
			}
			t.Logf("%d reads of %d VMs during %d moves: %d configs could not be read, %d lists were partial",
				reads, vms, moves.Load(), failed, partial)
		})
	}
}

func checkAllThere(t *testing.T, snapshot facts.Snapshot, vms int) (failed, partial int) {
	t.Helper()
	if len(snapshot.Guests.Value) != vms {
		t.Errorf("%d guests in a read, want %d", len(snapshot.Guests.Value), vms)
	}
	seen := map[int]bool{}
	for _, guest := range snapshot.Guests.Value {
		if seen[guest.VMID] {
			t.Errorf("VM %d is there twice", guest.VMID)
		}
		seen[guest.VMID] = true
		if snapshot.Nodes[guest.Node].VMs[guest.VMID].State != facts.OK {
			failed++
		}
	}
	if snapshot.Guests.State == facts.Partial {
		partial++
	}
	return failed, partial
}
