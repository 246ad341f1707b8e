package pvesim_test

import (
	"fmt"
	"strings"
	"testing"

	"pciatlas/internal/pvesim"
)

const (
	pciMappings = "/cluster/mapping/pci"
	anEntry     = "node=pve-a,path=0000:0d:00.0,id=1e0f:0001,iommugroup=44"
)

func mappingWriter(t testing.TB, text string) (*pvesim.Server, *writer) {
	t.Helper()
	server := &pvesim.Server{World: &pvesim.World{MappingCfg: text, Nodes: []pvesim.Node{{Name: "pve-a"}}}, AuthDelay: quick}
	return server, writerOf(t, server, pvesim.RootToken)
}

// TestMappingFileAsWritten: what PVE writes for each property, the order of
// sections and entries, and what it drops by writing.
func TestMappingFileAsWritten(t *testing.T) {
	t.Parallel()
	server, w := mappingWriter(t, "# a remark\n"+
		"zeta\n\tdescription first\n\tmap id=10de:2204,node=pve-a,path=0000:01:00\n\tmap nonsense\n\tnewer-option 1\n\n"+
		"alpha\n\tmdev 0\n\tlive-migration-capable 1\n\tmap "+anEntry+"\n\n")
	w.expect(t, "200 OK", "POST", pciMappings, map[string]any{
		"id": "middle", "mdev": 1, "description": "two cards", "map": []any{"path=0000:02:00,node=pve-a,id=10de:2204", anEntry},
	})
	want := "zeta\n\tmap id=10de:2204,node=pve-a,path=0000:01:00\n\tdescription first\n\n" +
		"alpha\n\tmap " + anEntry + "\n\tlive-migration-capable 1\n\tmdev 0\n\n" +
		"middle\n\tmap path=0000:02:00,node=pve-a,id=10de:2204\n\tmap " + anEntry + "\n\tdescription two cards\n\tmdev 1\n\n"
	if got := server.State().MappingCfg; got != want {
		t.Errorf("after POST:\n%s\nexpected:\n%s", got, want)
	}
	w.expect(t, "200 OK", "PUT", pciMappings+"/zeta", map[string]any{"map": anEntry, "delete": "description;mdev"})
	want = strings.Replace(want, "\tmap id=10de:2204,node=pve-a,path=0000:01:00\n\tdescription first\n", "\tmap "+anEntry+"\n", 1)
	if got := server.State().MappingCfg; got != want {
		t.Errorf("after PUT:\n%s\nexpected:\n%s", got, want)
	}
	w.expect(t, "200 OK", "DELETE", pciMappings+"/alpha", nil)
	if got := server.State().MappingCfg; strings.Contains(got, "alpha") || !strings.HasPrefix(got, "zeta\n") {
		t.Errorf("after DELETE:\n%s", got)
	}
}

func TestMappingDigest(t *testing.T) {
	t.Parallel()
	_, w := mappingWriter(t, "one\n\tmap "+anEntry+"\n\n")
	digest := func() string { return get[map[string]any](t, w, pciMappings+"/one")["digest"].(string) }
	seen := map[string]bool{digest(): true}
	first := digest()
	for i, request := range []struct {
		method, path string
		params       map[string]any
	}{
		{"POST", pciMappings, map[string]any{"id": "two", "map": anEntry}},
		{"PUT", pciMappings + "/one", map[string]any{"map": anEntry, "description": "x"}},
		{"DELETE", pciMappings + "/two", nil},
	} {
		w.expect(t, "200 OK", request.method, request.path, request.params)
		if now := digest(); seen[now] {
			t.Errorf("change %d leaves the digest at %s", i, now)
		} else {
			seen[now] = true
		}
	}
	const modified = "500 update hardware mapping failed: detected modified configuration - file changed by other user? Try again."
	w.expect(t, modified, "PUT", pciMappings+"/one", map[string]any{"map": anEntry, "digest": first})
	w.expect(t, "200 OK", "PUT", pciMappings+"/one", map[string]any{"map": anEntry, "digest": digest()})
	w.expect(t, modified, "PUT", pciMappings+"/gone", map[string]any{"map": anEntry, "digest": first})
	for _, method := range []string{"POST", "DELETE"} {
		path, params := pciMappings+"/one?digest="+first, map[string]any(nil)
		if method == "POST" {
			path, params = pciMappings, map[string]any{"id": "new", "map": anEntry, "digest": first}
		}
		w.expect(t, "400 Parameter verification failed.", method, path, params)
	}
}

func TestMappingRefusals(t *testing.T) {
	t.Parallel()
	server, w := mappingWriter(t, "one\n\tmap "+anEntry+"\n\n")
	const failed = "400 Parameter verification failed."
	for _, test := range []struct {
		method, path string
		params       map[string]any
		status, body string
	}{
		{"POST", pciMappings, map[string]any{"id": "two"}, failed, `"map":"property is missing and it is not optional"`},
		{
			"POST", pciMappings,
			map[string]any{"id": "two", "map": []any{anEntry, "node=pve-a,path=01:00.0,id=1e0f:0001"}},
			failed,
			`"map[1]":"invalid format - format error\nmap[1].path: value does not match the regex pattern\n"`,
		},
		{
			"POST", pciMappings,
			map[string]any{"id": "two", "map": anEntry, "mdev": "yes"},
			failed,
			`"mdev":"type check ('boolean') failed - got 'yes'"`,
		},
		{
			"POST", pciMappings,
			map[string]any{"id": "two", "map": anEntry, "description": strings.Repeat("x", 4097)},
			failed,
			`"description":"value may only be 4096 characters long"`,
		},
		{"POST", pciMappings, map[string]any{"id": "two", "map": anEntry, "description": "a\nb"}, "500 property contains a line feed", ""},
		{
			"PUT", pciMappings + "/two",
			map[string]any{"map": anEntry},
			"500 update hardware mapping failed: pci ID 'two' does not exist", "",
		},
		{
			"PUT", pciMappings + "/one",
			map[string]any{"map": anEntry, "delete": "map"},
			"500 update hardware mapping failed: unable to delete required option 'map'", "",
		},
		{
			"PUT", pciMappings + "/one",
			map[string]any{"map": anEntry, "description": "x", "delete": "description"},
			"500 update hardware mapping failed: cannot set and delete property 'description' at the same time!", "",
		},
		{"PATCH", pciMappings + "/one", nil, "501 method 'PATCH' not available", ""},
		{"DELETE", pciMappings, nil, "501 Method 'DELETE /cluster/mapping/pci' not implemented", ""},
	} {
		before := server.State().MappingCfg
		got := w.expect(t, test.status, test.method, test.path, test.params)
		if !strings.Contains(string(got.body), test.body) {
			t.Errorf("%s %v: %s, expected %s", test.method, test.params, got.body, test.body)
		}
		if server.State().MappingCfg != before {
			t.Errorf("%s %v changes the file", test.method, test.params)
		}
	}
}

// TestMappingTexts: what becomes of characters beyond ASCII, as seen in PVE.
func TestMappingTexts(t *testing.T) {
	t.Parallel()
	server, w := mappingWriter(t, "")
	for text, shown := range map[string]string{"plain": "plain", "Ümläut": "Ümläut", "日": "æ\u0097¥"} {
		w.expect(t, "200 OK", "POST", pciMappings, map[string]any{"id": "text", "map": anEntry, "description": text})
		if got := get[map[string]any](t, w, pciMappings+"/text")["description"]; got != shown {
			t.Errorf("%s is shown as %q, expected %q", text, got, shown)
		}
		w.expect(t, "200 OK", "DELETE", pciMappings+"/text", nil)
	}
	if server.State().MappingCfg != "" {
		t.Errorf("%q is left", server.State().MappingCfg)
	}
}

// TestMappingWithoutEntries: PVE reads a section without a valid entry as none and
// cannot write the file any more.
func TestMappingWithoutEntries(t *testing.T) {
	t.Parallel()
	_, w := mappingWriter(t, "broken\n\tmap nonsense\n\none\n\tmap "+anEntry+"\n\n")
	w.expect(t, "500 delete pci mapping failed: unknown section type ''", "DELETE", pciMappings+"/one", nil)
	w.expect(t, "500 update hardware mapping failed: pci ID 'broken' does not exist", "PUT", pciMappings+"/broken",
		map[string]any{"map": anEntry})
	w.expect(t, "200 OK", "POST", pciMappings, map[string]any{"id": "broken", "map": anEntry})
	w.expect(t, "200 OK", "DELETE", pciMappings+"/one", nil)
}

// TestMappingsBeforeTheirRelease: PVE 7 knows no mappings.
func TestMappingsBeforeTheirRelease(t *testing.T) {
	t.Parallel()
	server := &pvesim.Server{World: &pvesim.World{Version: "7.4-16"}}
	w := writerOf(t, server, pvesim.RootToken)
	w.expect(t, fmt.Sprintf("501 Method 'POST %s' not implemented", pciMappings), "POST", pciMappings,
		map[string]any{"id": "one", "map": anEntry})
}
