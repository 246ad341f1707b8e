package hostfs

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"pciatlas/internal/facts"
)

// tree is a small file tree: the shape of "root" in the scenarios.
type tree struct {
	Files map[string]string `json:"files"`
	Links map[string]string `json:"links"` // path → target
	Dirs  []string          `json:"dirs"`  // may be empty
}

// write makes the tree below a new folder and gives it.
func (tr tree) write(t testing.TB) string {
	t.Helper()
	root := t.TempDir()
	tr.writeTo(t, root)
	return root
}

func (tr tree) writeTo(t testing.TB, root string) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range tr.Dirs {
		must(os.MkdirAll(filepath.Join(root, dir), 0o755))
	}
	for name, text := range tr.Files {
		must(os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755))
		must(os.WriteFile(filepath.Join(root, name), []byte(text), 0o644))
	}
	for name, target := range tr.Links {
		must(os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755))
		must(os.Symlink(target, filepath.Join(root, name)))
	}
}

// add gives the tree with more files in it.
func (tr tree) add(files map[string]string) tree {
	tr.Files = union(tr.Files, files)
	return tr
}

// link gives the tree with one more link in it.
func (tr tree) link(name, target string) tree {
	tr.Links = union(tr.Links, map[string]string{name: target})
	return tr
}

func union(lists ...map[string]string) map[string]string {
	all := map[string]string{}
	for _, list := range lists {
		maps.Copy(all, list)
	}
	return all
}

// node is a node pve-a with one VM and one graphics card, in a cluster with pve-b.
func node() tree {
	return tree{
		Files: map[string]string{
			"etc/hostname": "pve-a.example.org\n",
			"etc/pve/nodes/pve-a/qemu-server/100.conf":  "name: one\nhostpci0: 0000:01:00.0,pcie=1\n",
			"etc/pve/nodes/pve-b/qemu-server/200.conf":  "name: two\n",
			"etc/pve/nodes/pve-b/lxc/300.conf":          "hostname: box\n",
			"sys/bus/pci/devices/0000:01:00.0/vendor":   "0x10de\n",
			"sys/bus/pci/devices/0000:01:00.0/device":   "0x2504\n",
			"sys/bus/pci/devices/0000:01:00.0/class":    "0x030000\n",
			"run/qemu-server/100.pid":                   "4711\n",
			"etc/pve/mapping/pci.cfg":                   "gpu\n\tmap id=10de:2504,node=pve-a,path=0000:01:00.0\n",
			"sys/bus/pci/devices/0000:01:00.0/boot_vga": "1\n",
		},
		Links: map[string]string{
			"etc/pve/local": "nodes/pve-a",
			"sys/bus/pci/devices/0000:01:00.0/iommu_group": "../../../../kernel/iommu_groups/0",
			"sys/bus/pci/devices/0000:01:00.0/driver":      "../../../../bus/pci/drivers/vfio-pci",
		},
		Dirs: []string{"sys/class/iommu/dmar0", "etc/pve/nodes/pve-a/lxc"},
	}
}

const (
	members = `{
"nodename": "pve-a",
"version": 7,
"cluster": { "name": "lab", "version": 2, "nodes": 2, "quorate": 1 },
"nodelist": {
  "pve-a": { "id": 1, "online": 1, "ip": "10.0.0.1"},
  "pve-b": { "id": 2, "online": 0}
  }
}
`
	vmlist = `{
"version": 12,
"ids": {
"100": { "node": "pve-a", "type": "qemu", "version": 3 },
"200": { "node": "pve-b", "type": "qemu", "version": 4 },
"300": { "node": "pve-b", "type": "lxc", "version": 5 }
}
}
`
)

// mounted is node with the files that only a mounted cluster file system has.
func mounted() tree {
	return node().add(map[string]string{"etc/pve/.members": members, "etc/pve/.vmlist": vmlist})
}

var testTime = time.Date(2026, 11, 10, 9, 2, 6, 0, time.UTC)

// mustRead reads a tree that can be read.
func mustRead(t testing.TB, root string, change ...func(*Options)) facts.Snapshot {
	t.Helper()
	options := Options{Root: root, Now: func() time.Time { return testTime }}
	for _, f := range change {
		f(&options)
	}
	snapshot, err := Read(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	return snapshot
}

// faulty makes accesses to some paths fail.
func faulty(faults map[string]error) func(*Options) {
	return func(o *Options) { o.fault = func(path string) error { return faults[path] } }
}

// checkJSON makes sure that a snapshot survives its file.
func checkJSON(t testing.TB, snapshot facts.Snapshot) {
	t.Helper()
	first, err := json.Marshal(snapshot)
	if err != nil {
		t.Fatal(err)
	}
	var again facts.Snapshot
	if err := json.Unmarshal(first, &again); err != nil {
		t.Fatalf("%v in %s", err, first)
	}
	second, err := json.Marshal(again)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(first, second) {
		t.Errorf("the snapshot changes in its file:\n%s\n%s", first, second)
	}
}

func problemCodes(problems []facts.Problem) []string {
	var codes []string
	for _, p := range problems {
		codes = append(codes, p.Code)
	}
	return codes
}

// guestList gives the guests in one line each.
func guestList(snapshot facts.Snapshot) []string {
	list := make([]string, 0, len(snapshot.Guests.Value))
	for _, g := range snapshot.Guests.Value {
		at := placeOf(g)
		list = append(list, string(g.Kind)+" "+at.node+" "+fileName(g.VMID)+" "+string(g.Status))
	}
	return list
}
