package pvesim_test

import (
	"maps"
	"net/http"
	"strings"
	"testing"

	"pciatlas/internal/pve"
	"pciatlas/internal/pvesim"
)

// writingUserCfg has a user who may do all, one who may use one mapping and
// change the hardware of VM 100, and one who may change its memory alone.
const writingUserCfg = `user:admin@pve:1:0::::::
user:user@pve:1:0::::::
user:memory@pve:1:0::::::
token:root@pam!all:0:0::
token:admin@pve!tok:0:0::
token:user@pve!tok:0:0::
token:memory@pve!tok:0:0::
role:Hardware:VM.Audit,VM.Config.HWType:
role:Memory:VM.Audit,VM.Config.Memory:
acl:1:/:admin@pve:Administrator:
acl:1:/vms/100:user@pve:Hardware:
acl:1:/mapping/pci/one:user@pve:PVEMappingUser:
acl:1:/vms/100:memory@pve:Memory:
`

func writingWorld() *pvesim.World {
	return &pvesim.World{
		Cluster: "lab", UserCfg: writingUserCfg, Secrets: secretsOf(writingUserCfg),
		Nodes:      []pvesim.Node{{Name: "pve-a"}, {Name: "pve-b"}},
		MappingCfg: "one\n\tmap " + anEntry + "\n\ntwo\n\tmap " + anEntry + "\n\n",
		Accounts:   map[string]pvesim.Account{"root@pam": {Password: "pw"}, "admin@pve": {Password: "pw", Code: "123456"}},
		Guests: []pvesim.Guest{
			{VMID: 100, Kind: pvesim.QEMU, Node: "pve-a", Config: "cores: 2\nhostpci0: mapping=one,pcie=1\nmemory: 2048\nname: stopped\n"},
			{
				VMID: 101, Kind: pvesim.QEMU, Node: "pve-a", Running: true,
				Config: "# kept\ncores: 2\nhostpci0: 0000:0d:00.0,pcie=1\nmemory: 2048\nname: running\n\n[before]\nhostpci3: 0000:0e:00\nsnaptime: 1755000000\n",
			},
			{VMID: 102, Kind: pvesim.QEMU, Node: "pve-a", Config: "cores: 2\nlock: snapshot\n"},
			{VMID: 200, Kind: pvesim.QEMU, Node: "pve-b", Config: "cores: 2\nhostpci0: mapping=one\n"},
			{VMID: 300, Kind: pvesim.LXC, Node: "pve-a", Config: "arch: amd64\n"},
		},
	}
}

func vmWriter(t testing.TB) (*pvesim.Server, *writer) {
	t.Helper()
	world := writingWorld()
	server := &pvesim.Server{World: world, AuthDelay: quick, MuteDelay: quick}
	return server, writerOf(t, server, world.Token("admin@pve!tok"))
}

func (w *writer) token(id string) *writer { return w.as(auth(writingWorld().Token(id))) }

func configOf(s *pvesim.Server, vmid int) string {
	state := s.State()
	return state.Guests[guestIndex(state, vmid)].Config
}

const (
	vm100 = "/nodes/pve-a/qemu/100"
	vm101 = "/nodes/pve-a/qemu/101"
)

// TestStoppedVM: a change counts at once.
func TestStoppedVM(t *testing.T) {
	t.Parallel()
	server, w := vmWriter(t)
	w.expect(t, "200 OK", "PUT", vm100+"/config", map[string]any{"hostpci1": "mapping=two", "delete": "hostpci0", "onboot": 1, "tags": "B;a,b"})
	want := "cores: 2\nhostpci1: mapping=two\nmemory: 2048\nname: stopped\nonboot: 1\ntags: a;b\n"
	if got := configOf(server, 100); got != want {
		t.Errorf("%s", got)
	}
	if got := get[map[string]any](t, w, vm100+"/config")["digest"]; got != pve.Digest(want) {
		t.Errorf("digest %v", got)
	}
	w.expect(t, "200 OK", "PUT", vm100+"/config", map[string]any{"description": "50 %: a line\nä"})
	if got := configOf(server, 100); got != "#50 %25%3A a line\n#%C3%A4\n"+want {
		t.Errorf("%s", got)
	}
	if got := get[map[string]any](t, w, vm100+"/config")["description"]; got != "50 %: a line\nä" {
		t.Errorf("description %q", got)
	}
}

// pendingOf gives the pending list of a VM without what has no change.
func pendingOf(t testing.TB, w *writer, vm string) map[string]pendingItem {
	t.Helper()
	items := map[string]pendingItem{}
	for _, item := range get[[]pendingItem](t, w, vm+"/pending") {
		if item.Pending != nil || item.Delete != 0 {
			items[item.Key] = item
		}
	}
	return items
}

// TestRunningVM: passed-through devices wait for a full stop, other keys do not;
// what changes nothing does not wait; reverting and a start.
func TestRunningVM(t *testing.T) {
	t.Parallel()
	server, w := vmWriter(t)
	root := rootSession(t, w)
	for i, step := range []struct {
		params map[string]any
		want   string
	}{
		{map[string]any{"hostpci1": "mapping=one", "name": "renamed"}, "hostpci1 mapping=one 0"},
		{map[string]any{"hostpci1": "mapping=two"}, "hostpci1 mapping=two 0"},
		{map[string]any{"delete": "hostpci0"}, "hostpci0 <nil> 1,hostpci1 mapping=two 0"},
		{map[string]any{"delete": "hostpci0", "force": 1}, "hostpci0 <nil> 2,hostpci1 mapping=two 0"},
		{map[string]any{"revert": "hostpci0"}, "hostpci1 mapping=two 0"},
		{map[string]any{"hostpci0": "mapping=two,pcie=1"}, "hostpci0 mapping=two,pcie=1 0,hostpci1 mapping=two 0"},
		{map[string]any{"revert": "hostpci0;hostpci1;hostpci9"}, ""},
		{map[string]any{"hostpci0": "0000:0d:00.0,pcie=1"}, ""},
		{map[string]any{"delete": "hostpci9"}, ""},
		{map[string]any{"hostpci0": "mapping=one", "delete": "memory"}, "hostpci0 mapping=one 0,memory <nil> 1"},
	} {
		root.expect(t, "200 OK", "PUT", vm101+"/config", step.params)
		if got := pendingText(pendingOf(t, w, vm101)); got != step.want {
			t.Errorf("step %d, %v: %q waits, expected %q", i, step.params, got, step.want)
		}
	}
	want := "#%20kept\ncores: 2\nhostpci0: 0000:0d:00.0,pcie=1\nmemory: 2048\nname: renamed\n\n" +
		"[PENDING]\ndelete: memory\nhostpci0: mapping=one\n\n[before]\nhostpci3: 0000:0e:00\nsnaptime: 1755000000\n"
	want = strings.Replace(want, "#%20", "# ", 1)
	if got := configOf(server, 101); got != want {
		t.Errorf("%q\n%q", got, want)
	}
	future, current := get[map[string]any](t, w, vm101+"/config"), get[map[string]any](t, w, vm101+"/config?current=1")
	if future["hostpci0"] != "mapping=one" || current["hostpci0"] != "0000:0d:00.0,pcie=1" || future["memory"] != nil {
		t.Errorf("config %v, current %v", future, current)
	}
	if err := server.Stop(101); err != nil {
		t.Error(err)
	}
	if err := server.Start(101); err != nil {
		t.Error(err)
	}
	if got := configOf(server, 101); strings.Contains(got, "PENDING") || !strings.Contains(got, "\nhostpci0: mapping=one\nname: renamed\n") {
		t.Errorf("after stop and start: %s", got)
	}
	for _, vmid := range []int{300, 999} {
		if server.Start(vmid) == nil || server.Stop(vmid) == nil {
			t.Errorf("%d starts and stops", vmid)
		}
	}
}

func pendingText(items map[string]pendingItem) string {
	var words []string
	for key, item := range items {
		words = append(words, strings.Join([]string{key, sprint(item.Pending), sprint(item.Delete)}, " "))
	}
	return sortedJoin(words)
}

// TestRawAddresses: raw lines are the user root's, in whatever way they are
// touched, and no token is that user.
func TestRawAddresses(t *testing.T) {
	t.Parallel()
	const onlyRoot = "500 only root can set 'hostpci0' config for non-mapped devices"
	for _, params := range []map[string]any{
		{"hostpci0": "0000:0d:00.0"},
		{"hostpci0": "mapping=one"},
		{"delete": "hostpci0"},
		{"revert": "hostpci0"},
		{"hostpci0": "0000:0d:00.0,pcie=1"},
		{"hostpci0": "host=0d:00,mapping=one"},
	} {
		for _, token := range []string{"admin@pve!tok", "root@pam!all"} {
			server, w := vmWriter(t)
			before := configOf(server, 101)
			w.token(token).expect(t, onlyRoot, "PUT", vm101+"/config", params)
			if configOf(server, 101) != before {
				t.Errorf("%s with %v changes the file", token, params)
			}
		}
		_, w := vmWriter(t)
		rootSession(t, w).expect(t, "200 OK", "PUT", vm101+"/config", params)
	}
}

func TestRightsToMappedLines(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		token, status string
		params        map[string]any
	}{
		{"user@pve!tok", "200 OK", map[string]any{"hostpci0": "mapping=one"}},
		{"user@pve!tok", "200 OK", map[string]any{"delete": "hostpci0"}},
		{"user@pve!tok", "403 Permission check failed (/mapping/pci/two, Mapping.Use)", map[string]any{"hostpci0": "mapping=two"}},
		{"user@pve!tok", "400 Parameter verification failed.", map[string]any{"hostpci0": "mapping=one,romfile=x.rom"}},
		{"user@pve!tok", "500 either 'host' or 'mapping' must be set.", map[string]any{"hostpci1": "pcie=1"}},
		{"user@pve!tok", "403 Permission check failed (/vms/100, VM.Config.Memory)", map[string]any{"memory": "4096"}},
		{"user@pve!tok", "500 only root can set 'args' config", map[string]any{"args": "-no-hpet"}},
		{"memory@pve!tok", "403 Permission check failed (/mapping/pci/one, Mapping.Use)", map[string]any{"hostpci0": "mapping=one,pcie=0"}},
		{"memory@pve!tok", "200 OK", map[string]any{"memory": "4096"}},
		{"root@pam!all", "200 OK", map[string]any{"hostpci0": "mapping=two"}},
		{"root@pam!all", "400 Parameter verification failed.", map[string]any{"skiplock": 1, "cores": 1}},
	} {
		_, w := vmWriter(t)
		w.token(test.token).expect(t, test.status, "PUT", vm100+"/config", test.params)
	}
	// The old mapping has to be one that the user may use, too.
	server, w := vmWriter(t)
	server.Update(func(w *pvesim.World) { w.Guests[0].Config = "hostpci0: mapping=two\n" })
	for _, params := range []map[string]any{{"hostpci0": "mapping=one"}, {"delete": "hostpci0"}} {
		w.token("user@pve!tok").expect(t, "403 Permission check failed (/mapping/pci/two, Mapping.Use)", "PUT", vm100+"/config", params)
	}
}

func TestVMRefusals(t *testing.T) {
	t.Parallel()
	server, w := vmWriter(t)
	digest := pve.Digest(configOf(server, 100))
	const failed, mismatch = "400 Parameter verification failed.", "500 checksum mismatch (file change by other user?)"
	for _, test := range []struct {
		path   string
		params map[string]any
		status string
		body   string
	}{
		{vm100, map[string]any{}, "500 no options specified", ""},
		{vm100, map[string]any{"digest": digest}, "500 no options specified", ""},
		{vm100, map[string]any{"cores": 1, "digest": strings.Repeat("0", 40)}, mismatch, ""},
		{vm100, map[string]any{"cores": 1, "digest": strings.Repeat("0", 41)}, failed, `"digest":"value may only be 40 characters long"`},
		{vm100, map[string]any{"cores": "many"}, failed, `"cores":"type check ('integer') failed - got 'many'"`},
		{vm100, map[string]any{"onboot": "yes"}, failed, `"onboot":"type check ('boolean') failed - got 'yes'"`},
		{vm100, map[string]any{"delete": "hostpci0", "hostpci0": "mapping=two"}, failed, `"delete":"you can't use '-hostpci0' and -delete hostpci0' at the same time"`},
		{vm100, map[string]any{"delete": "hostpci0", "revert": "hostpci0"}, failed, `"revert":"you can't use '-delete hostpci0' and -revert hostpci0' at the same time"`},
		{vm100, map[string]any{"delete": "hostpci16"}, failed, `"delete":"unknown option 'hostpci16'"`},
		{vm100, map[string]any{"revert": "nosuch"}, failed, `"revert":"unknown option 'nosuch'"`},
		{vm100, map[string]any{"delete": "x"}, failed, `"delete":"invalid format - invalid configuration ID 'x'\n"`},
		{vm100, map[string]any{"hostpci1": "mapping=x"}, failed, `"hostpci1":"invalid format - format error\nhostpci1.mapping: invalid format - invalid configuration ID 'x'\n`},
		{vm100, map[string]any{"snaptime": 1}, failed, "not defined in schema"},
		{vm100, map[string]any{"name": "a b"}, failed, `"name":"invalid format - `},
		{"/nodes/pve-a/qemu/102", map[string]any{"hostpci0": "mapping=one"}, "500 VM is locked (snapshot)", ""},
		{"/nodes/pve-a/qemu/999", map[string]any{"cores": 1}, "500 Configuration file 'nodes/pve-a/qemu-server/999.conf' does not exist", ""},
		{"/nodes/pve-a/qemu/200", map[string]any{"cores": 1}, "500 Configuration file 'nodes/pve-a/qemu-server/200.conf' does not exist", ""},
	} {
		before := server.State()
		got := w.expect(t, test.status, "PUT", test.path+"/config", test.params)
		if !strings.Contains(string(got.body), test.body) {
			t.Errorf("%v: %s, expected %s", test.params, got.body, test.body)
		}
		if after := server.State(); after.Guests[0].Config != before.Guests[0].Config {
			t.Errorf("%v changes the file", test.params)
		}
	}
	root := rootSession(t, w)
	root.expect(t, "200 OK", "PUT", "/nodes/pve-a/qemu/102/config", map[string]any{"cores": 1, "skiplock": 1})
	w.expect(t, "200 OK", "PUT", vm100+"/config", map[string]any{"cores": 1, "digest": digest})
	w.expect(t, mismatch, "PUT", vm100+"/config", map[string]any{"cores": 2, "digest": digest})
}

// TestHalfDone: PVE writes key after key, so that a refused one leaves those before
// it in the file, and waiting even in that of a stopped VM.
func TestHalfDone(t *testing.T) {
	t.Parallel()
	server, w := vmWriter(t)
	w.expect(t, "500 only root can set 'hostpci1' config for non-mapped devices", "PUT", vm100+"/config",
		map[string]any{"delete": "hostpci0", "hostpci1": "0000:0d:00.0"})
	if got := configOf(server, 100); !strings.Contains(got, "\nhostpci0: mapping=one,pcie=1\n") || !strings.HasSuffix(got, "\n[PENDING]\ndelete: hostpci0\n") {
		t.Errorf("%s", got)
	}
	w.expect(t, "200 OK", "PUT", vm100+"/config", map[string]any{"cores": 4})
	if got := configOf(server, 100); strings.Contains(got, "hostpci0") {
		t.Errorf("the next change leaves it: %s", got)
	}
}

// TestPassedOn: another node's API passes changes on, unless the node is off.
func TestPassedOn(t *testing.T) {
	t.Parallel()
	server, w := vmWriter(t)
	const vm200 = "/nodes/pve-b/qemu/200/config"
	w.expect(t, "200 OK", "PUT", vm200, map[string]any{"hostpci0": "mapping=two"})
	server.Update(func(w *pvesim.World) { w.Nodes[1].Offline = true })
	w.expect(t, "595 Connection refused", "PUT", vm200, map[string]any{"hostpci0": "mapping=one"})
	server.Update(func(w *pvesim.World) { w.Nodes[1].Offline, w.Nodes[1].Mute = false, true })
	w.expect(t, "596 Connection timed out", "PUT", vm200, map[string]any{"hostpci0": "mapping=one"})
	w.token("user@pve!tok").expect(t, "403 Permission check failed (/vms/200, VM.Config.Disk|VM.Config.CDROM|VM.Config.CPU|VM.Config.Memory|"+
		"VM.Config.Network|VM.Config.HWType|VM.Config.Options|VM.Config.Cloudinit)", "PUT", vm200, map[string]any{"hostpci0": "mapping=one"})
	if got := configOf(server, 200); got != "cores: 2\nhostpci0: mapping=two\n" {
		t.Errorf("%s", got)
	}
}

// TestTasks: POST answers with a task, whose state tells what came of it.
func TestTasks(t *testing.T) {
	t.Parallel()
	_, w := vmWriter(t)
	for _, test := range []struct{ hostpci, outcome string }{
		{"mapping=two", "OK"}, {"0000:01:00", "only root can set 'hostpci0' config for non-mapped devices"},
	} {
		upid := body[string](t, w.expect(t, "200 OK", "POST", vm100+"/config", map[string]any{"hostpci0": test.hostpci}).body)
		if !strings.HasPrefix(upid, "UPID:pve-a:") || !strings.HasSuffix(upid, ":qmconfig:100:admin@pve!tok:") {
			t.Errorf("task %s", upid)
		}
		state := get[map[string]any](t, w, "/nodes/pve-a/tasks/"+upid+"/status")
		if state["status"] != "stopped" || state["exitstatus"] != test.outcome {
			t.Errorf("task %v", state)
		}
		w.token("user@pve!tok").expect(t, "403 Permission check failed (/nodes/pve-a, Sys.Audit)", "GET", "/nodes/pve-a/tasks/"+upid+"/status", nil)
	}
	got := w.expect(t, "200 OK", "POST", vm100+"/config", map[string]any{"hostpci0": "mapping=one", "background_delay": 5})
	if string(got.body) != `{"data":null}` {
		t.Errorf("%s", got.body)
	}
	w.expect(t, "500 failed to update VM 100: only root can set 'hostpci0' config for non-mapped devices", "POST", vm100+"/config",
		map[string]any{"hostpci0": "0000:01:00", "background_delay": 5})
	w.expect(t, "500 VM is locked (snapshot)", "POST", "/nodes/pve-a/qemu/102/config", map[string]any{"cores": 1})
}

// rootSession signs root@pam in.
func rootSession(t testing.TB, w *writer) *writer {
	t.Helper()
	signedIn := w.as(nil)
	answer := body[map[string]any](t, signedIn.expect(t, "200 OK", "POST", "/access/ticket",
		map[string]any{"username": "root@pam", "password": "pw"}).body)
	return w.as(sessionHeaders(answer))
}

func sessionHeaders(answer map[string]any) map[string]string {
	headers := map[string]string{"Cookie": "PVEAuthCookie=" + sprint(answer["ticket"])}
	if token, ok := answer["CSRFPreventionToken"]; ok {
		headers[http.CanonicalHeaderKey("CSRFPreventionToken")] = sprint(token)
	}
	return maps.Clone(headers)
}
