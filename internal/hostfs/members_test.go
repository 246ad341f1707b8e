package hostfs

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pciatlas/internal/facts"
	"pciatlas/internal/pve"
)

func TestParseMembers(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want memberFile
	}{
		"cluster": {members, memberFile{
			node: "pve-a", cluster: "lab", inCluster: true, quorate: true,
			online: map[string]bool{"pve-a": true, "pve-b": false},
		}},
		"standalone": {`{"nodename":"pve","version":4}`, memberFile{node: "pve", online: map[string]bool{}}},
		"booleans": {
			`{"nodename":"pve","cluster":{"quorate":true},"nodelist":{"pve":{"online":false}}}`,
			memberFile{node: "pve", inCluster: true, quorate: true, online: map[string]bool{"pve": false}},
		},
		"bad names": {
			`{"nodename":"../x","cluster":{"name":"a\nb"},"nodelist":{"a/b":{},"ok":{"online":1}}}`,
			memberFile{inCluster: true, refused: 2, online: map[string]bool{"ok": true}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := parseMembers(c.text)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(memberFile{})); diff != "" {
				t.Error(diff)
			}
		})
	}
	for _, text := range []string{
		"", "[]", "{", `{"nodelist":{"a":{"online":"SECRET"}}}`, `{"nodename":7}`, "\xff", "null", "{}", `{"version":4}`,
		`{"nodename":"a","nodelist":{"a":{"online":1}}}`, `{"nodename":"a","cluster":null}`, `{"nodename":"a","cluster":null,"nodelist":null}`,
		`{"nodename":"a","cluster":{"quorate":1}}`, members + "x",
	} {
		_, err := parseMembers(text)
		if err == nil || !errors.As(err, new(malformed)) || strings.Contains(err.Error(), "SECRET") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func FuzzParseMembers(f *testing.F) {
	for _, text := range []string{members, `{"nodename":"pve","version":4}`, `{"cluster":{"quorate":2}}`, `{"nodelist":null}`, "{}"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		file, err := parseMembers(text)
		if err != nil {
			return
		}
		for name := range file.online {
			if !pve.ValidNodeName(name) {
				t.Errorf("node %q", name)
			}
		}
		if file.node != "" && !pve.ValidNodeName(file.node) || file.cluster != "" && !showable(file.cluster) {
			t.Errorf("%q, %q", file.node, file.cluster)
		}
	})
}

func TestParseVMList(t *testing.T) {
	list, err := parseVMList(vmlist)
	want := vmList{nodes: map[guestID]string{
		{100, facts.QEMU}: "pve-a", {200, facts.QEMU}: "pve-b", {300, facts.LXC}: "pve-b",
	}}
	if diff := cmp.Diff(want, list, cmp.AllowUnexported(vmList{}, guestID{})); diff != "" || err != nil {
		t.Error(diff, err)
	}
	list, err = parseVMList(`{"ids":{"99":{"node":"a","type":"qemu"},"100":{"node":"a/b","type":"qemu"},"101":{"node":"a","type":"openvz"},"102":{}}}`)
	if list.refused != 4 || len(list.nodes) != 0 || err != nil {
		t.Errorf("%+v, %v", list, err)
	}
	for _, text := range []string{"", "{", `{"ids":[]}`, `{"ids":{"100":7}}`} {
		if _, err := parseVMList(text); !errors.As(err, new(malformed)) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func FuzzParseVMList(f *testing.F) {
	for _, text := range []string{vmlist, `{"version":1,"ids":{}}`, `{"ids":{"100":{"node":"a","type":"lxc"}}}`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		list, _ := parseVMList(text)
		for id, node := range list.nodes {
			if !pve.ValidNodeName(node) || id.vmid < 100 || id.vmid > 999_999_999 {
				t.Errorf("%+v on %q", id, node)
			}
		}
	})
}

func FuzzParseVMID(f *testing.F) {
	for _, text := range []string{"100", "99", "0100", "999999999", "1000000000", "+100", "１００"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		vmid, ok := parseVMID(text)
		if ok && (vmid < 100 || vmid > 999_999_999 || fileName(vmid) != text+".conf") {
			t.Errorf("%q is read as %d", text, vmid)
		}
	})
}

func TestLocalName(t *testing.T) {
	sys := tree{Dirs: []string{"sys/bus/pci/devices"}}
	pveFiles := tree{Dirs: append([]string{nodesFolder}, sys.Dirs...)}
	files := pveFiles.add
	alone := `{"nodename":"from-members","version":4}`
	for name, c := range map[string]struct {
		tree  tree
		want  string
		codes []string
	}{
		"link":              {files(map[string]string{membersFile: alone}).link(localLink, "nodes/from-link"), "from-link", nil},
		"absolute link":     {pveFiles.link(localLink, "/etc/pve/nodes/from-link"), "from-link", nil},
		"bad link":          {files(map[string]string{membersFile: alone}).link(localLink, "nodes/.."), "from-members", []string{facts.ProblemMalformed}},
		"a folder":          {tree{Dirs: []string{"etc/pve/local", nodesFolder}}.add(map[string]string{membersFile: alone}), "from-members", []string{facts.ProblemMalformed}},
		"members":           {files(map[string]string{membersFile: alone, hostnameFile: "host\n"}), "from-members", nil},
		"hostname":          {files(map[string]string{hostnameFile: "host.example.org\n", "etc/pve/x": ""}), "host", nil},
		"bad hostname":      {files(map[string]string{hostnameFile: "not a name\n", "etc/pve/nodes/only/x": ""}), "only", []string{facts.ProblemMalformed}},
		"the only folder":   {files(map[string]string{"etc/pve/nodes/only/x": ""}), "only", nil},
		"nothing tells":     {files(map[string]string{"etc/pve/nodes/a/x": "", "etc/pve/nodes/b/x": ""}), "localhost", []string{facts.ProblemMissing}},
		"huge hostname":     {files(map[string]string{hostnameFile: strings.Repeat("x", 10000), "etc/pve/nodes/only/x": ""}), "only", []string{facts.ProblemTooLarge}},
		"hostname outside":  {sys.link(hostnameFile, "/etc/hostname"), "localhost", []string{facts.ProblemOutside, facts.ProblemMissing, facts.ProblemMissing}},
		"hostname nowhere":  {sys.link(hostnameFile, "gone"), "localhost", []string{facts.ProblemMissing, facts.ProblemMissing}},
		"members unmounted": {sys, "localhost", []string{facts.ProblemMissing, facts.ProblemMissing}},
	} {
		t.Run(name, func(t *testing.T) {
			snapshot := mustRead(t, c.tree.write(t))
			read := snapshot.Members
			if got := localOf(read.Value); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
			if diff := cmp.Diff(c.codes, problemCodes(read.Problems)); diff != "" {
				t.Error(diff, read.Problems)
			}
			if snapshot.Nodes[c.want].Devices.State == facts.NotAsked {
				t.Error("the devices belong to no node")
			}
		})
	}
}

func TestLocalNameOfUnreadableLink(t *testing.T) {
	root := mounted().write(t)
	snapshot := mustRead(t, root, faulty(map[string]error{localLink: syscall.EIO, membersFile: syscall.EIO, hostnameFile: syscall.EIO}))
	if got := localOf(snapshot.Members.Value); got != "localhost" || snapshot.Members.State != facts.Partial || len(snapshot.Members.Problems) != 3 {
		t.Errorf("%q %+v", got, snapshot.Members)
	}
	if snapshot.Files.State != facts.Partial || !snapshot.Files.Value.Mounted || snapshot.Files.Value.Quorate.Told {
		t.Errorf("%+v", snapshot.Files)
	}
}

func TestFlag(t *testing.T) {
	var f flag
	if err := json.Unmarshal([]byte("2"), &f); err == nil || !errors.As(err, new(malformed)) {
		t.Errorf("%v", err)
	}
}

// TestFoldersOfNodesThatAreGone: a folder is left of a node that was removed from
// the cluster. Without guests it is no node; with guests it is none that anything
// could move to.
func TestFoldersOfNodesThatAreGone(t *testing.T) {
	empty := map[string]string{"etc/pve/nodes/pve-old/qemu-server/notes.txt": ""}
	full := map[string]string{
		"etc/pve/nodes/pve-old/qemu-server/900.conf": "hostpci0: 01:00\n", "etc/pve/nodes/pve-older/lxc/901.conf": "memory: 512\n",
	}
	for name, c := range map[string]struct {
		root           tree
		members, nodes string
	}{
		"empty":       {mounted().add(empty), "pve-a pve-b", "pve-a pve-b"},
		"with guests": {mounted().add(full), "pve-a pve-b", "pve-a pve-b pve-old pve-older"},
		"no .members": {node().add(empty), "pve-a pve-b pve-old", "pve-a pve-b pve-old"},
		"broken":      {mounted().add(empty).add(map[string]string{membersFile: "{"}), "pve-a pve-b pve-old", "pve-a pve-b pve-old"},
		"not connected": {
			mounted().add(empty).add(map[string]string{membersFile: `{"nodename":"pve-a","version":4}`, corosyncFile: "totem {\n}\n"}),
			"pve-a pve-b pve-old", "pve-a pve-b pve-old",
		},
	} {
		snapshot := mustRead(t, c.root.write(t))
		var members []string
		for _, member := range snapshot.Members.Value {
			members = append(members, member.Name)
		}
		if got := strings.Join(members, " "); got != c.members {
			t.Errorf("%s: members %s", name, got)
		}
		if got := strings.Join(slices.Sorted(maps.Keys(snapshot.Nodes)), " "); got != c.nodes {
			t.Errorf("%s: nodes %s", name, got)
		}
	}
}
