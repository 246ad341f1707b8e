package httpapi

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"pciatlas/internal/atlas"
	"pciatlas/internal/facts"
	"pciatlas/internal/fleet"
)

// fakeClusters keeps clusters and desktops in memory.
type fakeClusters struct {
	store    *fakeStore // keeps the audit log
	clusters map[string]fleet.Cluster
	secrets  map[string]string
	desktops map[string]map[int]fleet.Desktop
	revision int64
}

// withClusters gives the world a store of clusters, and what reads them.
func withClusters(t *testing.T, clusters ...fleet.Cluster) (*world, *fakeClusters, *fakeLive) {
	t.Helper()
	live := &fakeLive{reports: map[string]*atlas.Report{}}
	w := newWorld(t, func(o *Options) { o.Live = live })
	return w, addClusters(w.store, clusters...), live
}

func addClusters(store *fakeStore, clusters ...fleet.Cluster) *fakeClusters {
	f := &fakeClusters{store: store, clusters: map[string]fleet.Cluster{}, secrets: map[string]string{}, desktops: map[string]map[int]fleet.Desktop{}}
	for _, cluster := range clusters {
		f.revision++
		cluster.Revision, cluster.CreatedAt, cluster.UpdatedAt = f.revision, start, start
		f.clusters[cluster.Name], f.secrets[cluster.Name] = cluster, "stored-secret"
		f.desktops[cluster.Name] = map[int]fleet.Desktop{}
	}
	store.ClusterStore, store.DesktopStore = f, f
	return f
}

func (f *fakeClusters) Clusters(context.Context) ([]fleet.Cluster, error) {
	unlock, err := f.store.lock()
	defer unlock()
	return slices.SortedFunc(maps.Values(f.clusters), func(a, b fleet.Cluster) int { return strings.Compare(a.Name, b.Name) }), err
}

func (f *fakeClusters) Cluster(_ context.Context, name string) (fleet.Cluster, error) {
	unlock, err := f.store.lock()
	defer unlock()
	cluster, found := f.clusters[name]
	if err == nil && !found {
		err = storeError("not_found")
	}
	return cluster, err
}

func (f *fakeClusters) CreateCluster(_ context.Context, cluster fleet.Cluster, secret string, entry fleet.AuditEntry) (fleet.Cluster, error) {
	err := f.store.write(entry, func() error {
		if _, taken := f.clusters[cluster.Name]; taken {
			return storeError("exists")
		}
		f.revision++
		cluster.Revision = f.revision
		f.clusters[cluster.Name], f.secrets[cluster.Name], f.desktops[cluster.Name] = cluster, secret, map[int]fleet.Desktop{}
		return nil
	})
	return cluster, err
}

func (f *fakeClusters) UpdateCluster(_ context.Context, cluster fleet.Cluster, secret *string, ifRevision int64, entry fleet.AuditEntry) (fleet.Cluster, error) {
	err := f.store.write(entry, func() error {
		if f.clusters[cluster.Name].Revision != ifRevision {
			return storeError("conflict")
		}
		f.revision++
		cluster.Revision = f.revision
		f.clusters[cluster.Name] = cluster
		if secret != nil {
			f.secrets[cluster.Name] = *secret
		}
		return nil
	})
	return cluster, err
}

func (f *fakeClusters) DeleteCluster(_ context.Context, name string, entry fleet.AuditEntry) error {
	return f.store.write(entry, func() error {
		delete(f.clusters, name)
		delete(f.desktops, name)
		return nil
	})
}

func (f *fakeClusters) ClusterWithSecret(ctx context.Context, name string) (fleet.Cluster, string, error) {
	cluster, err := f.Cluster(ctx, name)
	unlock, _ := f.store.lock()
	defer unlock()
	return cluster, f.secrets[name], err
}

func (f *fakeClusters) Desktops(_ context.Context, cluster string) ([]fleet.Desktop, error) {
	unlock, err := f.store.lock()
	defer unlock()
	return slices.SortedFunc(maps.Values(f.desktops[cluster]), func(a, b fleet.Desktop) int { return cmp.Compare(a.VMID, b.VMID) }), err
}

func (f *fakeClusters) DesktopsRevision(_ context.Context, _ string) (int64, error) {
	unlock, err := f.store.lock()
	defer unlock()
	return f.revision, err
}

func (f *fakeClusters) PutDesktop(_ context.Context, desktop fleet.Desktop, entry fleet.AuditEntry) (created bool, err error) {
	err = f.store.write(entry, func() error {
		_, had := f.desktops[desktop.Cluster][desktop.VMID]
		created = !had
		f.revision++
		f.desktops[desktop.Cluster][desktop.VMID] = desktop
		return nil
	})
	return created, err
}

func (f *fakeClusters) DeleteDesktop(_ context.Context, cluster string, vmid int, entry fleet.AuditEntry) error {
	return f.store.write(entry, func() error {
		f.revision++
		delete(f.desktops[cluster], vmid)
		return nil
	})
}

func (f *fakeClusters) ImportDesktops(_ context.Context, cluster string, desktops []fleet.Desktop, replace bool, entry fleet.AuditEntry) (created, changed, removed int, err error) {
	err = f.store.write(entry, func() error {
		listed := map[int]bool{}
		for _, desktop := range desktops {
			listed[desktop.VMID] = true
			before, had := f.desktops[cluster][desktop.VMID]
			switch {
			case !had:
				created++
			case before.Name != desktop.Name || before.Note != desktop.Note:
				changed++
			}
			f.desktops[cluster][desktop.VMID] = desktop
		}
		for vmid := range f.desktops[cluster] {
			if replace && !listed[vmid] {
				removed++
				delete(f.desktops[cluster], vmid)
			}
		}
		f.revision++
		return nil
	})
	return created, changed, removed, err
}

// fakeLive answers with reports that the test made.
type fakeLive struct {
	mu      sync.Mutex
	reports map[string]*atlas.Report
	members facts.Read[[]facts.Member]
	err     error
	wants   []Want
	stats   []ReadStatus
}

// Renew has nothing to forget: reports are set by tests.
func (l *fakeLive) Renew(string) {}

func (l *fakeLive) Report(_ context.Context, cluster string, want Want) (*atlas.Report, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.wants = append(l.wants, want)
	if l.err != nil {
		return nil, l.err
	}
	return l.reports[cluster], nil
}

func (l *fakeLive) Nodes(context.Context, string) (facts.Read[[]facts.Member], error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.members, l.err
}

func (l *fakeLive) Stats() []ReadStatus {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stats
}

// lastWant is what was asked for last.
func (l *fakeLive) lastWant() Want {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.wants[len(l.wants)-1]
}

// brokenDesktops fails to list desktops.
type brokenDesktops struct {
	DesktopStore

	err error
}

func (b *brokenDesktops) Desktops(ctx context.Context, cluster string) ([]fleet.Desktop, error) {
	if b.err != nil {
		return nil, b.err
	}
	return b.DesktopStore.Desktops(ctx, cluster)
}
