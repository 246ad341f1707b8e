package hostfs

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pciatlas/internal/facts"
)

func TestGuestsOfAllNodes(t *testing.T) {
	snapshot := mustRead(t, mounted().write(t))
	checkJSON(t, snapshot)
	want := []string{"qemu pve-a 100.conf running", "qemu pve-b 200.conf unknown", "lxc pve-b 300.conf unknown"}
	if diff := cmp.Diff(want, guestList(snapshot)); diff != "" {
		t.Error(diff)
	}
	if snapshot.Guests.State != facts.OK || len(snapshot.Guests.Problems) > 0 {
		t.Errorf("guests: %+v", snapshot.Guests)
	}
	files := facts.ClusterFiles{Populated: true, Mounted: true, Quorate: facts.Told(true)}
	if diff := cmp.Diff(files, snapshot.Files.Value); diff != "" {
		t.Error(diff)
	}
	wantMembers := []facts.Member{
		{Name: "pve-a", Online: facts.Told(true), Local: true},
		{Name: "pve-b", Online: facts.Told(false)},
	}
	if diff := cmp.Diff(wantMembers, snapshot.Members.Value); diff != "" {
		t.Error(diff)
	}
	if snapshot.Cluster != "lab" {
		t.Errorf("cluster %q", snapshot.Cluster)
	}
	if node := snapshot.Nodes["pve-b"]; node.Devices.State != facts.NotAsked || node.IOMMU.State != facts.NotAsked || node.Containers[300].State != facts.OK {
		t.Errorf("of the other node only the guests can be read: %+v", node)
	}
	local := snapshot.Nodes["pve-a"]
	if local.Holding.State != facts.NotAsked || local.Health.State != facts.NotAsked || local.Containers != nil {
		t.Errorf("runtime and health come later, and containers are elsewhere: %+v", local)
	}
	if len(snapshot.Mappings.Value) != 1 || snapshot.Mappings.Value[0].ID != "gpu" {
		t.Errorf("mappings: %+v", snapshot.Mappings)
	}
}

func TestGuestsIgnoredNames(t *testing.T) {
	names := []string{"99", "0100", "1000000000", "win10", "100a", ""}
	files := map[string]string{
		"etc/pve/nodes/pve-a/qemu-server/100.conf.tmp.123": "", "etc/pve/nodes/pve-a/qemu-server/notes.txt": "",
		"etc/pve/nodes/pve_c/qemu-server/400.conf": "", "etc/pve/nodes/README": "",
	}
	for _, name := range names {
		files["etc/pve/nodes/pve-a/qemu-server/"+name+".conf"] = "hostpci0: 01:00\n"
	}
	snapshot := mustRead(t, node().add(files).write(t))
	if len(snapshot.Guests.Value) != 3 || snapshot.Guests.State != facts.OK || len(snapshot.Guests.Problems) != len(names) {
		t.Errorf("guests: %+v", snapshot.Guests)
	}
	if m := snapshot.Members; m.State != facts.OK || len(m.Value) != 2 || len(m.Problems) != 2 {
		t.Errorf("members: %+v", m)
	}
}

func TestGuestsManyIgnoredNames(t *testing.T) {
	files := map[string]string{}
	for i := range 50 {
		files["etc/pve/nodes/pve-a/lxc/x"+fileName(i)] = ""
	}
	problems := mustRead(t, node().add(files).write(t)).Guests.Problems
	if len(problems) != maxRemarks+1 || problems[maxRemarks].Message != "There are 30 more problems of this kind." {
		t.Errorf("%d problems, the last: %+v", len(problems), problems[len(problems)-1])
	}
}

// TestGuestsOnlyInVMList: .vmlist is made from the same database as the files, so
// a guest without a readable file still exists.
func TestGuestsOnlyInVMList(t *testing.T) {
	text := strings.ReplaceAll(vmlist, `"300"`, `"500": { "node": "pve-c", "type": "lxc", "version": 1 },
"400": { "node": "pve-c", "type": "qemu", "version": 1 }, "300"`)
	snapshot := mustRead(t, node().add(map[string]string{"etc/pve/.vmlist": text}).write(t))
	checkJSON(t, snapshot)
	want := []string{
		"qemu pve-a 100.conf running", "qemu pve-b 200.conf unknown", "lxc pve-b 300.conf unknown",
		"qemu pve-c 400.conf unknown", "lxc pve-c 500.conf unknown",
	}
	if diff := cmp.Diff(want, guestList(snapshot)); diff != "" {
		t.Error(diff)
	}
	config := snapshot.Nodes["pve-c"].VMs[400]
	if config.State != facts.Failed || config.Problems[0].Code != facts.ProblemMissing ||
		config.Problems[0].Subject != "etc/pve/nodes/pve-c/qemu-server/400.conf" {
		t.Errorf("config: %+v", config)
	}
	if len(snapshot.Members.Value) != 3 {
		t.Errorf("members: %+v", snapshot.Members)
	}
}

// TestGuestsUnlistable: a folder that cannot be listed may hold anything.
func TestGuestsUnlistable(t *testing.T) {
	folder := "etc/pve/nodes/pve-b/qemu-server"
	for name, c := range map[string]struct {
		err  error
		code string
	}{
		"permission": {syscall.EACCES, facts.ProblemPermission},
		"io":         {syscall.EIO, facts.ProblemIO},
		"stopped":    {syscall.ENOTCONN, facts.ProblemIO},
	} {
		t.Run(name, func(t *testing.T) {
			snapshot := mustRead(t, node().write(t), faulty(map[string]error{folder: c.err}))
			if g := snapshot.Guests; g.State != facts.Partial || len(g.Problems) != 1 ||
				g.Problems[0].Code != c.code || g.Problems[0].Subject != folder {
				t.Errorf("guests: %+v", g)
			}
			if len(snapshot.Guests.Value) != 2 {
				t.Errorf("guests: %v", guestList(snapshot))
			}
		})
	}
	t.Run("named by .vmlist", func(t *testing.T) {
		snapshot := mustRead(t, mounted().write(t), faulty(map[string]error{folder: syscall.EACCES}))
		if g := snapshot.Guests; g.State != facts.Partial || len(g.Value) != 3 {
			t.Errorf("guests: %+v", g)
		}
		if config := snapshot.Nodes["pve-b"].VMs[200]; config.State != facts.Failed || config.Problems[0].Code != facts.ProblemPermission {
			t.Errorf("config: %+v", config)
		}
	})
	t.Run("nodes", func(t *testing.T) {
		snapshot := mustRead(t, node().write(t), faulty(map[string]error{nodesFolder: syscall.EIO}))
		if g := snapshot.Guests; g.State != facts.Failed || g.Problems[0].Code != facts.ProblemIO {
			t.Errorf("guests: %+v", g)
		}
		snapshot = mustRead(t, mounted().write(t), faulty(map[string]error{nodesFolder: syscall.EIO}))
		if g := snapshot.Guests; g.State != facts.Partial || len(g.Value) != 3 {
			t.Errorf("guests: %+v", g)
		}
		if m := snapshot.Members; m.State != facts.Partial || len(m.Value) != 2 {
			t.Errorf("members: %+v", m)
		}
	})
	t.Run("limit", func(t *testing.T) {
		files := map[string]string{}
		for i := range 20 {
			files["etc/pve/nodes/pve-a/qemu-server/"+fileName(1000+i)] = ""
		}
		snapshot := mustRead(t, node().add(files).write(t), func(o *Options) { o.Limits.Entries = 15 })
		if g := snapshot.Guests; g.State != facts.Partial || g.Problems[0].Code != facts.ProblemLimit || len(g.Value) < 15 {
			t.Errorf("guests: %+v", g)
		}
	})
}

func TestGuestsLinkedFolders(t *testing.T) {
	for name, c := range map[string]struct {
		tree    tree
		code    string
		subject string
		guests  int
	}{
		"node out of the root": {node().link("etc/pve/nodes/pve-c", "../../../.."), facts.ProblemOutside, "etc/pve/nodes/pve-c", 3},
		"node nowhere":         {node().link("etc/pve/nodes/pve-c", "gone"), facts.ProblemMalformed, "etc/pve/nodes/pve-c", 3},
		"loop":                 {node().link("etc/pve/nodes/pve-c", "pve-c"), facts.ProblemMalformed, "etc/pve/nodes/pve-c", 3},
		"folder absolute":      {node().link("etc/pve/nodes/pve-c/qemu-server", "/etc"), facts.ProblemOutside, "etc/pve/nodes/pve-c/qemu-server", 3},
		"folder nowhere":       {node().link("etc/pve/nodes/pve-c/qemu-server", "gone"), facts.ProblemMalformed, "etc/pve/nodes/pve-c/qemu-server", 3},
		"folder is a file": {
			node().add(map[string]string{"etc/pve/nodes/pve-c/qemu-server": ""}),
			facts.ProblemMalformed, "etc/pve/nodes/pve-c/qemu-server", 3,
		},
		"inside": {node().link("etc/pve/nodes/pve-c", "pve-b"), "", "", 5},
	} {
		t.Run(name, func(t *testing.T) {
			g := mustRead(t, c.tree.write(t)).Guests
			switch {
			case len(g.Value) != c.guests:
				t.Errorf("%d guests", len(g.Value))
			case c.code == "" && g.State != facts.OK:
				t.Errorf("guests: %+v", g)
			case c.code != "" && (g.State != facts.Partial || len(g.Problems) != 1 ||
				g.Problems[0].Code != c.code || g.Problems[0].Subject != c.subject):
				t.Errorf("guests: %v %+v", g.State, g.Problems)
			}
		})
	}
}

func TestGuestsTwice(t *testing.T) {
	snapshot := mustRead(t, node().add(map[string]string{
		"etc/pve/nodes/pve-b/qemu-server/100.conf": "name: copy\n",
		"etc/pve/nodes/pve-b/lxc/100.conf":         "",
	}).write(t))
	want := []string{
		"lxc pve-b 100.conf unknown", "qemu pve-a 100.conf running", "qemu pve-b 100.conf unknown",
		"qemu pve-b 200.conf unknown", "lxc pve-b 300.conf unknown",
	}
	if diff := cmp.Diff(want, guestList(snapshot)); diff != "" {
		t.Error(diff)
	}
	if snapshot.Guests.Value[1].Name != "one" || snapshot.Guests.Value[2].Name != "copy" {
		t.Errorf("guests: %+v", snapshot.Guests.Value)
	}
}

func TestClusterFilesNotMounted(t *testing.T) {
	sys := tree{
		Files: map[string]string{
			"etc/hostname": "pve-a\n", "sys/bus/pci/devices/0000:01:00.0/vendor": "0x10de",
			"sys/bus/pci/devices/0000:01:00.0/device": "0x2504", "sys/bus/pci/devices/0000:01:00.0/class": "0x030000",
		},
	}
	empty := sys
	empty.Dirs = []string{"etc/pve"}
	for name, root := range map[string]tree{"missing": sys, "empty": empty} {
		t.Run(name, func(t *testing.T) {
			snapshot := mustRead(t, root.write(t))
			checkJSON(t, snapshot)
			if f := snapshot.Files; f.State != facts.OK || len(f.Problems) != 1 || f.Value.Populated || f.Value.Mounted || f.Value.Quorate.Told {
				t.Errorf("files: %+v", f)
			}
			if g := snapshot.Guests; g.State != facts.Failed || g.Problems[0].Code != facts.ProblemMissing ||
				!strings.Contains(g.Problems[0].Message, "not mounted") {
				t.Errorf("guests: %+v", g)
			}
			if snapshot.Mappings.State != facts.Failed || snapshot.Members.State != facts.Partial {
				t.Errorf("mappings: %+v, members: %+v", snapshot.Mappings, snapshot.Members)
			}
			if d := snapshot.Nodes["pve-a"].Devices; d.State != facts.OK || len(d.Value) != 1 {
				t.Errorf("devices: %+v", d)
			}
		})
	}
}

func TestClusterFilesUnreadable(t *testing.T) {
	snapshot := mustRead(t, mounted().write(t), faulty(map[string]error{pveFolder: syscall.EACCES}))
	for what, problems := range map[string][]facts.Problem{
		"files": snapshot.Files.Problems, "guests": snapshot.Guests.Problems, "mappings": snapshot.Mappings.Problems,
	} {
		if len(problems) != 1 || problems[0].Code != facts.ProblemPermission || !strings.Contains(problems[0].Message, "sudo") {
			t.Errorf("%s: %+v", what, problems)
		}
	}
	if snapshot.Files.State != facts.Failed || snapshot.Guests.State != facts.Failed || snapshot.Mappings.State != facts.Failed {
		t.Errorf("%v %v %v", snapshot.Files.State, snapshot.Guests.State, snapshot.Mappings.State)
	}
	if localOf(snapshot.Members.Value) != "pve-a" {
		t.Errorf("members: %+v", snapshot.Members)
	}
}

// TestClusterFilesReadOnly: without quorum /etc/pve is read-only, and .members
// says so.
func TestClusterFilesReadOnly(t *testing.T) {
	lost := strings.Replace(members, `"quorate": 1`, `"quorate": 0`, 1)
	root := mounted().add(map[string]string{"etc/pve/.members": lost}).write(t)
	err := filepath.WalkDir(filepath.Join(root, "etc", "pve"), func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.Type()&os.ModeSymlink != 0 {
			return err
		}
		return os.Chmod(path, 0o555)
	})
	if err != nil {
		t.Fatal(err)
	}
	snapshot := mustRead(t, root)
	if q := snapshot.Files.Value.Quorate; !q.Told || q.Value || len(snapshot.Guests.Value) != 3 {
		t.Errorf("%+v, %v", snapshot.Files.Value, guestList(snapshot))
	}
}

func TestQuorate(t *testing.T) {
	alone := `{"nodename":"pve-a","version":4}`
	for name, c := range map[string]struct {
		files map[string]string
		want  facts.Opt[bool]
		state facts.ReadState
	}{
		"no .members":    {nil, facts.Opt[bool]{}, facts.OK},
		"standalone":     {map[string]string{membersFile: alone}, facts.Told(true), facts.OK},
		"not connected":  {map[string]string{membersFile: alone, corosyncFile: "totem {\n}\n"}, facts.Told(false), facts.OK},
		"quorate":        {map[string]string{membersFile: members}, facts.Told(true), facts.OK},
		"not JSON":       {map[string]string{membersFile: "{"}, facts.Opt[bool]{}, facts.Partial},
		"broken .vmlist": {map[string]string{membersFile: alone, vmListFile: "{"}, facts.Told(true), facts.Partial},
		"odd .vmlist": {
			map[string]string{membersFile: alone, vmListFile: `{"ids":{"1":{"node":"a","type":"qemu"}}}`},
			facts.Told(true), facts.Partial,
		},
	} {
		t.Run(name, func(t *testing.T) {
			files := mustRead(t, node().add(c.files).write(t)).Files
			if files.Value.Quorate != c.want || files.State != c.state || files.Value.Mounted != (c.files != nil) {
				t.Errorf("%+v", files)
			}
			if files.State == facts.Partial && !slices.Equal(problemCodes(files.Problems), []string{facts.ProblemMalformed}) {
				t.Errorf("%+v", files.Problems)
			}
		})
	}
}

func TestMappings(t *testing.T) {
	none := node()
	delete(none.Files, mappingFile)
	for name, c := range map[string]struct {
		root  string
		state facts.ReadState
		count int
		lines int
		code  string
	}{
		"there":    {node().write(t), facts.OK, 1, 0, ""},
		"none":     {none.write(t), facts.OK, 0, 0, ""},
		"dropped":  {node().add(map[string]string{mappingFile: "gpu\n\tmap id=1,node=a\n"}).write(t), facts.OK, 0, 2, ""},
		"nowhere":  {none.link(mappingFile, "gone").write(t), facts.Failed, 0, 0, facts.ProblemMalformed},
		"outside":  {none.link(mappingFile, "/etc/passwd").write(t), facts.Failed, 0, 0, facts.ProblemOutside},
		"a folder": {tree{Files: none.Files, Dirs: []string{mappingFile}}.write(t), facts.Failed, 0, 0, facts.ProblemMalformed},
		"not UTF-8": {
			node().add(map[string]string{mappingFile: "gpu\n\tdescription \xe4\xf6\n\tmap id=10de:2504,node=pve-a,path=0000:01:00.0,description=\xff\n\tx\xff\n"}).write(t),
			facts.OK, 1, 1, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			snapshot := mustRead(t, c.root)
			checkJSON(t, snapshot)
			read := snapshot.Mappings
			if read.State != c.state || len(read.Value) != c.count || len(snapshot.MappingLines) != c.lines {
				t.Errorf("%+v, %+v", read, snapshot.MappingLines)
			}
			if c.code != "" && (len(read.Problems) != 1 || read.Problems[0].Code != c.code) {
				t.Errorf("%+v", read.Problems)
			}
		})
	}
}
