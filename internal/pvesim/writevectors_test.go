package pvesim_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pciatlas/internal/pvesim"
)

// parseFault is how the vectors tell of a refused property string.
type parseFault struct {
	Message string            `json:"message"`
	Errors  map[string]string `json:"errors"`
}

// said gives the fault of a parameter as the API says it.
func (f *parseFault) said(name string) string {
	lines := make([]string, 0, len(f.Errors))
	for key, text := range f.Errors {
		lines = append(lines, name+"."+key+": "+strings.TrimSuffix(text, "\n")+"\n")
	}
	slices.Sort(lines)
	return "invalid format - " + f.Message + strings.Join(lines, "")
}

// faultOf gives what an answer says of one parameter.
func faultOf(t testing.TB, got answer, name string) string {
	t.Helper()
	var refusal struct {
		Errors map[string]string `json:"errors"`
	}
	if err := json.Unmarshal(got.body, &refusal); err != nil {
		t.Fatal(err)
	}
	return refusal.Errors[name]
}

// TestWritesHostPCIVectors: PVE takes exactly the lines that the vectors say, with
// its words, and shows them as it would those of a file.
func TestWritesHostPCIVectors(t *testing.T) {
	t.Parallel()
	file := readJSON[struct {
		Values []struct {
			Input       string      `json:"input"`
			Accepts     bool        `json:"api_write_accepts"`
			ConfigValue *string     `json:"config_value"`
			ParseError  *parseFault `json:"parse_error"`
		} `json:"values"`
	}](t, vectors+"hostpci.json")
	server, w := vmWriter(t)
	root := rootSession(t, w)
	accepted := 0
	for _, value := range file.Values {
		server.Update(func(w *pvesim.World) { w.Guests[0].Config = "cores: 1\n" })
		got := root.do(t, "PUT", vm100+"/config", map[string]any{"hostpci0": value.Input})
		if (got.code == http.StatusOK) != value.Accepts {
			t.Errorf("%q: %s %s, accepted by PVE: %v", value.Input, got.status, got.body, value.Accepts)
			continue
		}
		if !value.Accepts {
			if value.ParseError != nil {
				if text := faultOf(t, got, "hostpci0"); strings.TrimSpace(text) != strings.TrimSpace(value.ParseError.said("hostpci0")) {
					t.Errorf("%q: %q, PVE says %q", value.Input, text, value.ParseError.said("hostpci0"))
				}
			}
			continue
		}
		accepted++
		shown := get[map[string]any](t, root, vm100+"/config")["hostpci0"]
		if value.ConfigValue == nil && shown != nil || value.ConfigValue != nil && shown != *value.ConfigValue {
			t.Errorf("%q is shown as %v", value.Input, shown)
		}
	}
	if accepted < 100 || len(file.Values)-accepted < 50 {
		t.Errorf("%d of %d values accepted", accepted, len(file.Values))
	}
}

// TestWritesMappingVectors: the same for the entries of mappings.
func TestWritesMappingVectors(t *testing.T) {
	t.Parallel()
	file := readJSON[struct {
		Entries []struct {
			Input      string      `json:"input"`
			After      []string    `json:"map_after_file"`
			ParseError *parseFault `json:"parse_error"`
		} `json:"entries"`
	}](t, vectors+"mapping.json")
	_, w := mappingWriter(t, "")
	accepted := 0
	for _, entry := range file.Entries {
		got := w.do(t, "POST", pciMappings, map[string]any{"id": "new", "map": entry.Input})
		if (got.code == http.StatusOK) != (entry.ParseError == nil) {
			t.Errorf("%q: %s, %v", entry.Input, got.status, entry.ParseError)
		}
		if entry.ParseError != nil {
			if text := faultOf(t, got, "map[0]"); strings.TrimSpace(text) != strings.TrimSpace(entry.ParseError.said("map[0]")) {
				t.Errorf("%q: %q, PVE says %q", entry.Input, text, entry.ParseError.said("map[0]"))
			}
			continue
		}
		accepted++
		if entry.After != nil {
			if shown := sprint(get[map[string]any](t, w, pciMappings+"/new")["map"]); shown != sprint(entry.After) {
				t.Errorf("%q is shown as %s", entry.Input, shown)
			}
			w.expect(t, "200 OK", "DELETE", pciMappings+"/new", nil)
		}
	}
	if accepted < 10 || len(file.Entries)-accepted < 10 {
		t.Errorf("%d of %d entries accepted", accepted, len(file.Entries))
	}
}

// TestWritingKeepsTheRest: a change of one key leaves what all others will be, and
// what waits for the devices, in every file of the vectors. Only what would change
// nothing no longer waits, as PVE tidies up with each change.
func TestWritingKeepsTheRest(t *testing.T) {
	t.Parallel()
	file := readJSON[struct {
		Cases []struct {
			File string `json:"file"`
		} `json:"cases"`
	}](t, vectors+"pending.json")
	server, w := vmWriter(t)
	root := rootSession(t, w)
	written := 0
	for i, test := range file.Cases {
		server.Update(func(w *pvesim.World) { w.Guests[1].Config = test.File })
		before := standing(t, root)
		root.expect(t, "200 OK", "PUT", vm101+"/config", map[string]any{"onboot": 1, "skiplock": 1})
		if diff := cmp.Diff(before, standing(t, root)); diff != "" {
			t.Errorf("case %d: %s\n%s\nbecomes\n%s", i, diff, test.File, configOf(server, 101))
		}
		if configOf(server, 101) != test.File {
			written++
		}
	}
	if written < 50 {
		t.Errorf("%d of %d files were written", written, len(file.Cases))
	}
}

// standing is what a change of onboot leaves of VM 101: its future, what waits for
// the devices, and its snapshots.
func standing(t testing.TB, w *writer) map[string]any {
	t.Helper()
	future := get[map[string]any](t, w, vm101+"/config")
	for _, key := range []string{"digest", "onboot"} {
		delete(future, key)
	}
	devices := map[string]pendingItem{}
	for _, item := range get[[]pendingItem](t, w, vm101+"/pending") {
		if item.Pending == item.Value {
			item.Pending = nil
		}
		if strings.HasPrefix(item.Key, "hostpci") && (item.Value != nil || item.Pending != nil) {
			devices[item.Key] = item
		}
	}
	snapshots := map[string]any{}
	for _, row := range get[[]map[string]any](t, w, vm101+"/snapshot") {
		if name := sprint(row["name"]); name != "current" {
			config := get[map[string]any](t, w, vm101+"/config?snapshot="+name)
			delete(config, "digest")
			snapshots[name] = config
		}
	}
	return map[string]any{"future": future, "devices": devices, "snapshots": snapshots}
}
