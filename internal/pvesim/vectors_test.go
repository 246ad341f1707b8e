package pvesim_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pciatlas/internal/pvesim"
)

// TestHTTPCases compares the answer to each token of permissions.json with what
// PVE said.
func TestHTTPCases(t *testing.T) {
	t.Parallel()
	world := recordedWorld(t)
	server := start(t, &pvesim.Server{World: world, AuthDelay: -1, MuteDelay: -1})
	c := client(t, server)
	cases := readPermissions(t).HTTPCases
	for _, test := range cases {
		where := test.Token + " " + test.Path
		got := send(t, c, test.Method, server.URL+test.Path, auth(world.Token(test.Token)))
		if want := fmt.Sprintf("%d %s", test.Status, test.Reason); got.status != want {
			t.Errorf("%s: %q, PVE %q", where, got.status, want)
			continue
		}
		if (len(got.body) == 0) != test.BodyIsEmpty {
			t.Errorf("%s: body %q, empty in PVE: %v", where, got.body, test.BodyIsEmpty)
		}
		if test.BodyIsEmpty {
			continue
		}
		var answer struct {
			Message *string `json:"message"`
			Data    any     `json:"data"`
		}
		if err := json.Unmarshal(got.body, &answer); err != nil {
			t.Errorf("%s: %v", where, err)
			continue
		}
		if text(answer.Message) != text(test.Message) {
			t.Errorf("%s: message %s, PVE %s", where, text(answer.Message), text(test.Message))
		}
		switch {
		case test.IDs != nil:
			if ids := idsOf(answer.Data); text(ids) != text(sortedIDs(test.IDs)) {
				t.Errorf("%s: %s, PVE %s", where, text(ids), text(test.IDs))
			}
		case test.Permissions != nil:
			if text(answer.Data) != text(test.Permissions) {
				t.Errorf("%s: %s, PVE %s", where, text(answer.Data), text(test.Permissions))
			}
		case test.HasData != (answer.Data != nil):
			t.Errorf("%s: data %v, PVE has some: %v", where, answer.Data, test.HasData)
		}
	}
	if len(cases) != 369 {
		t.Errorf("%d cases, expected 369", len(cases))
	}
}

func idsOf(data any) []any {
	ids := []any{}
	rows, _ := data.([]any)
	for _, row := range rows {
		fields, _ := row.(map[string]any)
		ids = append(ids, fmt.Sprint(firstOf(fields, "id", "vmid", "key")))
	}
	return sortedIDs(ids)
}

func firstOf(fields map[string]any, keys ...string) any {
	for _, key := range keys {
		if value, ok := fields[key]; ok {
			return value
		}
	}
	return nil
}

func sortedIDs(ids []any) []any {
	ids = slices.Clone(ids)
	slices.SortFunc(ids, func(a, b any) int { return cmp.Compare(text(a), text(b)) })
	return ids
}

// TestMappingVectors compares the list and the checks of single mappings.
func TestMappingVectors(t *testing.T) {
	t.Parallel()
	file := readJSON[struct {
		Checks []struct {
			Kind   string                      `json:"kind"`
			Config map[string]any              `json:"config"`
			Listed map[string]any              `json:"listed"`
			Checks map[string][]map[string]any `json:"checks"`
		} `json:"checks"`
	}](t, vectors+"mapping.json")
	world := recordedWorld(t)
	server := &pvesim.Server{World: world}
	front := start(t, server)
	c := client(t, front)
	token := auth(world.Token("root@pam!full"))
	for _, test := range file.Checks {
		id, _ := test.Config["id"].(string)
		server.Update(func(w *pvesim.World) { w.MappingCfg = mappingText(test.Config) })
		for _, node := range []string{"pve-a", "pve-b"} {
			got := send(t, c, "GET", front.URL+"/api2/json/cluster/mapping/pci?check-node="+node, token)
			rows := body[[]map[string]any](t, got.body)
			if test.Listed == nil {
				if len(rows) != 0 {
					t.Errorf("%s is listed: %v", id, rows)
				}
				continue
			}
			if len(rows) != 1 {
				t.Errorf("%s: %d rows", id, len(rows))
				continue
			}
			checks := rows[0]["checks"]
			delete(rows[0], "checks")
			delete(rows[0], "digest")
			if text(rows[0]) != text(test.Listed) {
				t.Errorf("%s (%s): %s, PVE %s", id, test.Kind, text(rows[0]), text(test.Listed))
			}
			if want := test.Checks[node]; text(checks) != text(want) {
				t.Errorf("%s (%s) on %s: %s, PVE %s", id, test.Kind, node, text(checks), text(want))
			}
		}
	}
	if len(file.Checks) != 62 {
		t.Errorf("%d mappings, expected 62", len(file.Checks))
	}
}

func mappingText(config map[string]any) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%v\n", config["id"])
	for key, value := range config {
		switch value := value.(type) {
		case []any:
			for _, entry := range value {
				fmt.Fprintf(&out, "\t%s %v\n", key, entry)
			}
		default:
			if key != "id" {
				fmt.Fprintf(&out, "\t%s %v\n", key, value)
			}
		}
	}
	return out.String()
}

// TestPendingVectors compares what the API makes of configuration files.
func TestPendingVectors(t *testing.T) {
	t.Parallel()
	file := readJSON[struct {
		Cases []struct {
			Kind          string           `json:"kind"`
			VMID          int              `json:"vmid"`
			File          string           `json:"file"`
			Pending       []map[string]any `json:"pending"`
			PendingStatus int              `json:"pending_status"`
			Config        json.RawMessage  `json:"config"`
			ConfigStatus  int              `json:"config_status"`
			Current       json.RawMessage  `json:"config_current"`
			CurrentStatus int              `json:"config_current_status"`
			Snapshots     []map[string]any `json:"snapshots"`
		} `json:"cases"`
	}](t, vectors+"pending.json")
	world := recordedWorld(t)
	server := &pvesim.Server{World: world}
	front := start(t, server)
	c := client(t, front)
	token := auth(world.Token("root@pam!full"))
	for _, test := range file.Cases {
		server.Update(func(w *pvesim.World) {
			w.Guests = []pvesim.Guest{{VMID: test.VMID, Kind: pvesim.QEMU, Node: "pve-a", Config: test.File}}
		})
		base := fmt.Sprintf("%s/api2/json/nodes/pve-a/qemu/%d/", front.URL, test.VMID)
		where := fmt.Sprintf("%s %d", test.Kind, test.VMID)
		for what, want := range map[string]struct {
			status int
			data   any
		}{
			"pending":          {test.PendingStatus, test.Pending},
			"config":           {test.ConfigStatus, test.Config},
			"config?current=1": {test.CurrentStatus, test.Current},
		} {
			got := send(t, c, "GET", base+what, token)
			if got.code != want.status {
				t.Errorf("%s %s: status %d, PVE %d", where, what, got.code, want.status)
				continue
			}
			sameJSON(t, where+" "+what, false, got.body, []byte(`{"data":`+text(want.data)+`}`))
		}
		if test.Snapshots != nil {
			got := send(t, c, "GET", base+"snapshot", token)
			sameJSON(t, where+" snapshot", false, got.body, []byte(`{"data":`+text(test.Snapshots)+`}`))
		}
	}
	if len(file.Cases) != 78 {
		t.Errorf("%d files, expected 78", len(file.Cases))
	}
}

// TestUsualDelays: without settings, refused tokens and mute nodes take as long
// as in PVE. Nobody waits for it here: the client goes away.
func TestUsualDelays(t *testing.T) {
	t.Parallel()
	world := recordedWorld(t)
	server := start(t, &pvesim.Server{World: world})
	c := client(t, server)
	c.Timeout = 200 * time.Millisecond
	for target, token := range map[string]string{
		"/api2/json/version":          "root@pam!full=wrong",
		"/api2/json/nodes/pve-d/qemu": world.Token("root@pam!full"),
	} {
		if code, err := try(t, c, server.URL+target, token); err == nil {
			t.Errorf("%s: %d at once", target, code)
		}
	}
}
