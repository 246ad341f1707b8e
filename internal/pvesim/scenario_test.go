package pvesim_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"pciatlas/internal/pci"
	"pciatlas/internal/pvesim"
)

// TestWorldsFromTreesAnswerAsRecorded builds a World from the files of each
// scenario and compares its API with the recorded one, exchange by exchange.
func TestWorldsFromTreesAnswerAsRecorded(t *testing.T) {
	t.Parallel()
	total, byType := 0, 0
	for _, name := range scenarioNames(t, "FC-*") {
		scenario := readScenario(t, name)
		world, err := pvesim.FromTrees(scenario.Root)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		world.UserCfg = "token:root@pam!full:0:0::\n"
		world.Secrets = map[string]string{"root@pam!full": madeUpSecret}
		world.Names = scenarioNamesOf(t, scenario)
		takeFromAnswers(t, world, scenario)
		server := start(t, &pvesim.Server{World: world, Entry: scenario.Nodes[0], Seed: 3})
		c := client(t, server)
		for i := range scenario.Exchanges {
			byType += replayExchange(t, c, server.URL, name, world.Token("root@pam!full"), &scenario.Exchanges[i], false)
			total++
		}
		server.Close()
	}
	t.Logf("%d exchanges of FC-* from trees, %d values compared by type", total, byType)
	if total < 1200 {
		t.Errorf("only %d exchanges", total)
	}
}

// takeFromAnswers adds what the files do not tell: the certificates' fingerprints
// and which containers run.
func takeFromAnswers(t *testing.T, world *pvesim.World, scenario *pvesim.Scenario) {
	t.Helper()
	for i := range scenario.Exchanges {
		exchange := &scenario.Exchanges[i]
		switch {
		case exchange.Request.Path == "/api2/json/nodes":
			for _, row := range body[[]struct {
				Node        string `json:"node"`
				Fingerprint string `json:"ssl_fingerprint"`
			}](t, exchange.Body) {
				world.Node(row.Node).Fingerprint = row.Fingerprint
			}
		case exchange.Request.Path == "/api2/json/cluster/resources" && exchange.Request.Query == "type=vm":
			for _, row := range body[[]resourceRow](t, exchange.Body) {
				takeState(world, row)
			}
		}
	}
}

func takeState(world *pvesim.World, row resourceRow) {
	for i := range world.Guests {
		if guest := &world.Guests[i]; guest.VMID == row.VMID && guest.Kind == pvesim.LXC {
			guest.Running = row.Status == "running"
		}
	}
}

// scenarioNamesOf gives a list of names as a scenario's device lists show them.
func scenarioNamesOf(t *testing.T, scenario *pvesim.Scenario) *pci.Database {
	t.Helper()
	var rows []map[string]any
	for i := range scenario.Exchanges {
		exchange := &scenario.Exchanges[i]
		if strings.HasSuffix(exchange.Request.Path, "/hardware/pci") && exchange.Status == 200 {
			rows = append(rows, body[[]map[string]any](t, exchange.Body)...)
		}
	}
	return namesFrom(rows)
}

// replayExchange sends a recorded request of a scenario.
func replayExchange(
	t *testing.T, c *http.Client, url, name, token string, e *pvesim.Exchange, foreignDigests bool,
) int {
	t.Helper()
	target := e.Request.Path
	if e.Request.Query != "" {
		target += "?" + e.Request.Query
	}
	where := name + ": " + e.Request.Method + " " + target
	got := send(t, c, e.Request.Method, url+target, auth(token))
	if want := fmt.Sprintf("%d %s", e.Status, e.Reason); got.status != want {
		t.Errorf("%s: status %q, recorded %q", where, got.status, want)
		return 0
	}
	if least := scaled(time.Duration(e.DelayedSeconds * float64(time.Second))); got.took < least {
		t.Errorf("%s: took %s, at least %s is recorded", where, got.took, least)
	}
	if string(e.Body) == "null" || len(e.Body) == 0 {
		if len(got.body) > 0 || got.contentType != "" {
			t.Errorf("%s: body %q of type %q where none is recorded", where, got.body, got.contentType)
		}
		return 0
	}
	path := strings.TrimPrefix(e.Request.Path, "/api2/json")
	return sameJSON(t, path, foreignDigests, got.body, e.Body)
}

// TestTokensSeeWhatTheyDid compares the answers to every token of the PERM
// scenarios with the recorded ones.
func TestTokensSeeWhatTheyDid(t *testing.T) {
	t.Parallel()
	total := 0
	for _, name := range scenarioNames(t, "PERM-*") {
		scenario := readScenario(t, name)
		world := recordedWorld(t)
		world.UserCfg = userCfgOf(t, world.UserCfg, scenario)
		world.Secrets = secretsOf(world.UserCfg)
		for i := range world.Guests {
			world.Guests[i].Running, world.Guests[i].Reported = world.Guests[i].Reported == "running", ""
		}
		server := start(t, &pvesim.Server{
			World: world, Seed: 5, AuthDelay: scaled(3 * time.Second), MuteDelay: scaled(30 * time.Second),
		})
		c := client(t, server)
		for i := range scenario.Exchanges {
			exchange := &scenario.Exchanges[i]
			foreign := strings.Contains(exchange.Request.Path, "/qemu/") || strings.Contains(exchange.Request.Path, "/lxc/")
			replayExchange(t, c, server.URL, name, world.Token(scenario.Token), exchange, foreign)
			total++
		}
		server.Close()
	}
	t.Logf("%d exchanges of PERM-*", total)
	if total < 800 {
		t.Errorf("only %d exchanges", total)
	}
}

// userCfgOf adds the scenario's user, if it is new, and its own access rules
// where it may read them.
func userCfgOf(t *testing.T, base string, scenario *pvesim.Scenario) string {
	t.Helper()
	if strings.Contains(base, "token:"+scenario.Token+":") {
		return base
	}
	owner, _, _ := strings.Cut(scenario.Token, "!")
	base += fmt.Sprintf("user:%s:1:0::::::\ntoken:%s:0:0::\nrole:NoVm:Mapping.Audit,Sys.Audit:\n", owner, scenario.Token)
	for i := range scenario.Exchanges {
		if scenario.Exchanges[i].Request.Path != "/api2/json/access/acl" {
			continue
		}
		base = withoutRules(base)
		for _, rule := range body[[]struct {
			Path      string `json:"path"`
			Propagate int    `json:"propagate"`
			Role      string `json:"roleid"`
			Type      string `json:"type"`
			Subject   string `json:"ugid"`
		}](t, scenario.Exchanges[i].Body) {
			if rule.Type == "group" {
				rule.Subject = "@" + rule.Subject
			}
			base += fmt.Sprintf("acl:%d:%s:%s:%s:\n", rule.Propagate, rule.Path, rule.Subject, rule.Role)
		}
	}
	return base
}

func withoutRules(userCfg string) string {
	var kept strings.Builder
	for line := range strings.Lines(userCfg) {
		if !strings.HasPrefix(line, "acl:") {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

// TestRecordingsAnswerAsRecorded sends every request of every scenario to its
// Recording.
func TestRecordingsAnswerAsRecorded(t *testing.T) {
	t.Parallel()
	total := 0
	for _, name := range slices.Concat(scenarioNames(t, "FC-*"), scenarioNames(t, "PERM-*")) {
		scenario := readScenario(t, name)
		recording := scenario.Recording()
		recording.Speed = speed
		server := start(t, recording)
		c := client(t, server)
		for i := range scenario.Exchanges {
			exchange := &scenario.Exchanges[i]
			target := exchange.Request.Path + "?" + exchange.Request.Query
			got := send(t, c, exchange.Request.Method, server.URL+target, auth(recording.Token))
			wanted := cmp.Or(strings.TrimSpace(string(exchange.Body)), "null")
			if wanted == "null" {
				wanted = ""
			}
			if want := fmt.Sprintf("%d %s", exchange.Status, exchange.Reason); got.status != want || string(got.body) != wanted {
				t.Errorf("%s: %s: %q, recorded %q", name, target, got.status, want)
			}
			if least := scaled(time.Duration(exchange.DelayedSeconds * float64(time.Second))); got.took < least {
				t.Errorf("%s: %s took %s, at least %s is recorded", name, target, got.took, least)
			}
			total++
		}
		server.Close()
	}
	t.Logf("%d exchanges", total)
	if total != 2501 {
		t.Errorf("%d exchanges, expected 2501", total)
	}
}

func TestRecordingRefuses(t *testing.T) {
	t.Parallel()
	recording := readScenario(t, "PERM-auditor-full").Recording()
	recording.Speed = speed
	server := start(t, recording)
	c := client(t, server)
	for _, test := range []struct{ name, target, authorization, want string }{
		{"parameters in another order", "/api2/json/nodes/pve-a/hardware/pci?pci-class-blacklist=&verbose=1", "", "200 OK"},
		{"parameters escaped", "/api2/json/access/permissions?path=%2Fvms%2F101", "", "200 OK"},
		{"slashes", "/api2/json//version/", "", "200 OK"},
		{"one parameter more", "/api2/json/version?x=1", "", "501 Method 'GET /version' not implemented"},
		{"unknown", "/api2/json/nodes/pve-a/status", "", "501 Method 'GET /nodes/pve-a/status' not implemented"},
		{"no token", "/api2/json/version", "none", "401 No ticket"},
		{"another token", "/api2/json/version", "PVEAPIToken=root@pam!full=x", "401 Authentication failed!"},
	} {
		headers := auth(recording.Token)
		switch test.authorization {
		case "":
		case "none":
			headers = nil
		default:
			headers["Authorization"] = test.authorization
		}
		got := send(t, c, "GET", server.URL+test.target, headers)
		if got.status != test.want {
			t.Errorf("%s: %q, want %q", test.name, got.status, test.want)
		}
		if got.code == 401 && (len(got.body) > 0 || got.took < scaled(3*time.Second)) {
			t.Errorf("%s: body %q after %s", test.name, got.body, got.took)
		}
	}
}

func TestParseScenarioRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "[]", `{"nodes":1}`} {
		if _, err := pvesim.ParseScenario([]byte(text)); err == nil {
			t.Errorf("%q is taken for a scenario", text)
		}
	}
	if got, err := pvesim.ParseScenario([]byte(`{"id":"X"}`)); err != nil || got.ID != "X" || json.Valid(nil) {
		t.Errorf("%v, %v", got, err)
	}
}
