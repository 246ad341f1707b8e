package hostfs

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"pciatlas/internal/facts"
)

func TestReadErrors(t *testing.T) {
	dir := tree{
		Files: map[string]string{"file": "x", "etc/hostname": "a\n"},
		Links: map[string]string{"nowhere": "gone", "loop": "loop"},
	}.write(t)
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		root, code, says string
	}{
		"missing":      {filepath.Join(dir, "gone"), CodeRootMissing, "does not exist"},
		"nowhere":      {filepath.Join(dir, "nowhere"), CodeRootMissing, "does not exist"},
		"file":         {filepath.Join(dir, "file"), CodeRootNotFolder, "is not a folder"},
		"below a file": {dir + "/file/x", CodeRootNotFolder, "is not a folder"},
		"pipe":         {filepath.Join(dir, "pipe"), CodeRootNotFolder, "is not a folder"},
		"loop":         {filepath.Join(dir, "loop"), CodeRootUnreadable, "too many levels of symbolic links"},
		"no node":      {dir, CodeRootNotNode, "it has neither etc/pve nor sys/bus/pci. Give the folder that contains them with --root."},
		"odd name":     {dir + "/a\nb\xff", CodeRootMissing, `a\nb\xff does not exist`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Read(t.Context(), Options{Root: c.root})
			var rootError *Error
			if !errors.As(err, &rootError) || rootError.Code != c.code || rootError.Root != c.root {
				t.Fatalf("%v", err)
			}
			if !strings.Contains(err.Error(), c.says) {
				t.Errorf("%q does not say %q", err, c.says)
			}
			if c.code == CodeRootMissing && !errors.Is(err, fs.ErrNotExist) {
				t.Error("the reason is lost")
			}
		})
	}
}

func TestReadRefusedRoot(t *testing.T) {
	root := node().write(t)
	for name, faults := range map[string]map[string]error{
		"both":     {"etc/pve": syscall.EACCES, "sys/bus/pci": syscall.EACCES},
		"the rest": {"etc/pve": fs.ErrNotExist, "sys/bus/pci": syscall.EACCES},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Read(t.Context(), Options{Root: root, fault: func(path string) error { return faults[path] }})
			var rootError *Error
			if !errors.As(err, &rootError) || rootError.Code != CodeRootPermission || !strings.Contains(err.Error(), "sudo") {
				t.Errorf("%v", err)
			}
		})
	}
	// What is there but broken is told by the reads of it.
	snapshot := mustRead(t, tree{}.link("etc/pve", "/etc/pve").write(t))
	if f := snapshot.Files; f.State != facts.Failed || f.Problems[0].Code != facts.ProblemOutside {
		t.Errorf("%+v", f)
	}
}

func TestReadCluster(t *testing.T) {
	root := mounted().write(t)
	if got := mustRead(t, root, func(o *Options) { o.Cluster = "given" }).Cluster; got != "given" {
		t.Errorf("%q", got)
	}
	if got := mustRead(t, node().write(t)).Cluster; got != "default" {
		t.Errorf("%q", got)
	}
}

// TestReadStamps: each read that was made says from where and when, and its times
// lie within those of the whole.
func TestReadStamps(t *testing.T) {
	root := mounted().write(t)
	ticks := atomic.Int64{}
	running := atomic.Int64{}
	snapshot := mustRead(t, root, func(o *Options) {
		o.Now = func() time.Time {
			if running.Add(1) > 1 {
				t.Error("the clock is asked by two goroutines at a time")
			}
			defer running.Add(-1)
			runtime.Gosched()
			return testTime.Add(time.Duration(ticks.Add(1)) * time.Second)
		}
	})
	end := testTime.Add(time.Duration(ticks.Load()) * time.Second)
	stamps := map[string]facts.Stamp{
		"files": snapshot.Files.Stamp, "members": snapshot.Members.Stamp, "guests": snapshot.Guests.Stamp,
		"mappings": snapshot.Mappings.Stamp, "devices": snapshot.Nodes["pve-a"].Devices.Stamp,
		"iommu": snapshot.Nodes["pve-a"].IOMMU.Stamp, "vm": snapshot.Nodes["pve-b"].VMs[200].Stamp,
		"snapshots": snapshot.Nodes["pve-a"].VMs[100].Value.Snapshots.Stamp,
	}
	for what, stamp := range stamps {
		if stamp.Source != facts.SourceHost || stamp.Via != root || !stamp.From.After(testTime) ||
			!stamp.To.After(stamp.From) || stamp.To.After(end) {
			t.Errorf("%s: %+v", what, stamp)
		}
	}
	if local := mustRead(t, root, func(o *Options) { o.Now = nil }).Files.Stamp; local.To.Location() != time.UTC {
		t.Errorf("%v", local)
	}
}

func TestReadEnds(t *testing.T) {
	root := mounted().write(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Read(ctx, Options{Root: root}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	// At each access in turn, nobody waits any more.
	for at := range 40 {
		ctx, cancel := context.WithCancel(t.Context())
		count := atomic.Int64{}
		_, err := read(ctx, Options{Root: root, fault: func(string) error {
			if count.Add(1) == int64(at) {
				cancel()
			}
			return nil
		}})
		if count.Load() >= int64(at) && at > 0 && !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled at access %d: %v", at, err)
		}
		cancel()
	}
}

// TestReadOfHungFileSystem: an access that the kernel does not answer does not
// keep the caller.
func TestReadOfHungFileSystem(t *testing.T) {
	root := mounted().write(t)
	hung, release := make(chan struct{}), make(chan struct{})
	done := make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-hung
		cancel()
	}()
	_, err := Read(ctx, Options{Root: root, fault: func(path string) error {
		if path == nodesFolder {
			close(hung)
			<-release
			close(done)
		}
		return nil
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	close(release)
	<-done
}

func TestReadRunningSystem(t *testing.T) {
	if _, err := os.Stat("/sys/bus/pci"); err != nil {
		t.Skip("this system has no PCI bus")
	}
	snapshot, err := Read(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	checkJSON(t, snapshot)
	node := snapshot.Nodes[localOf(snapshot.Members.Value)]
	entries, err := os.ReadDir("/sys/bus/pci/devices")
	if err != nil || node.Devices.State != facts.OK || len(node.Devices.Value) != len(entries) {
		t.Errorf("%d of %d devices: %v %v", len(node.Devices.Value), len(entries), node.Devices.Problems, err)
	}
	for _, device := range node.Devices.Value {
		if !device.Group.Told || !device.Parent.Told || !device.VFs.Told || !device.Mdev.Told || device.Host == nil {
			t.Errorf("%+v", device)
		}
	}
	if !isSystemRoot("/") || !isSystemRoot("/../.") || isSystemRoot(t.TempDir()) {
		t.Error("the root of the running system is not recognised")
	}
}
