package pvesim_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"pciatlas/internal/pvesim"
)

// at runs a command line, whose words have no blanks, on a node.
func at(server *pvesim.Server, node, line string) (stdout, stderr string, code int) {
	var out, problems bytes.Buffer
	code = server.Command(node, strings.Fields(line), &out, &problems)
	return out.String(), problems.String(), code
}

func TestCommands(t *testing.T) {
	t.Parallel()
	server := &pvesim.Server{World: writingWorld()}
	for _, test := range []struct {
		line, stdout, stderr string
		code                 int
	}{
		{"pvesh create /cluster/mapping/pci --id new --map " + anEntry + " --map node=pve-b,path=0000:0d:00.0,id=1e0f:0001 --mdev yes", "", "", 0},
		{"pvesh create /cluster/mapping/pci --id new --map " + anEntry, "", "create hardware mapping failed: pci ID 'new' already defined\n", 255},
		{
			"/usr/bin/pvesh create cluster/mapping/pci --id=x --mdev --map=" + anEntry, "",
			"400 Parameter verification failed.\nid: invalid format - invalid configuration ID 'x'\n", 255,
		},
		{"pvesh set /cluster/mapping/pci/new --map " + anEntry + " --delete mdev", "", "", 0},
		{
			"pvesh set /cluster/mapping/pci/new --map " + anEntry + " --digest 00", "",
			"update hardware mapping failed: detected modified configuration - file changed by other user? Try again.\n", 255,
		},
		{"pvesh delete /cluster/mapping/pci/new", "", "", 0},
		{"pvesh delete /cluster/mapping/pci/new", "", "", 0},
		{"pvesh delete /cluster/nosuch", "", "No 'delete' handler defined for '/cluster/nosuch'\n", 1},
		{"pvesh get /cluster/nextid --output-format json", "\"103\"\n", "", 0},
		{"pvesh get /cluster/nextid more", "", "400 too many arguments\n", 255},
		{"pvesh", "", "400 not enough arguments\n", 255},
		{"pvesh wash /cluster/nextid", "", "ERROR: unknown command 'pvesh wash'\n", 255},
		{"lspci -n -n", "", "lspci: command not found\n", 127},

		{"qm set 100 --hostpci1 0000:0e:00.0 --delete hostpci0 --onboot", "update VM 100: -delete hostpci0 -hostpci1 0000:0e:00.0 -onboot 1\n", "", 0},
		{
			"qm set 100 --delete hostpci9 --cores 4", "update VM 100: -cores 4 -delete hostpci9\n",
			"cannot delete 'hostpci9' - not set in current configuration!\n", 0,
		},
		{"qm config 100", "cores: 4\nhostpci1: 0000:0e:00.0\nmemory: 2048\nname: stopped\nonboot: 1\n", "", 0},
		{"qm set 100 -cores 1 --digest 00", "", "checksum mismatch (file change by other user?)\n", 255},
		{"qm set 102 --cores 1", "", "VM is locked (snapshot)\n", 255},
		{"qm set 102 --cores 1 --skiplock", "update VM 102: -cores 1 -skiplock 1\n", "", 0},
		{"qm set 100 --hostpci0", "", "Option hostpci0 requires an argument\n400 unable to parse option\n", 255},
		{"qm set 100 --cores many", "", "400 Parameter verification failed.\ncores: type check ('integer') failed - got 'many'\n", 255},
		{"qm set 200 --cores 1", "", "Configuration file 'nodes/pve-a/qemu-server/200.conf' does not exist\n", 255},

		{"qm set 101 --hostpci0 mapping=one,pcie=1 --delete memory", "update VM 101: -delete memory -hostpci0 mapping=one,pcie=1\n", "", 0},
		{
			"qm pending 101", "cur cores: 2\ncur description:  kept\ncur hostpci0: 0000:0d:00.0,pcie=1\nnew hostpci0: mapping=one,pcie=1\n" +
				"del memory: 2048\ncur name: running\n", "", 0,
		},
		{"qm config 101 --current", "cores: 2\ndescription:  kept\nhostpci0: 0000:0d:00.0,pcie=1\nmemory: 2048\nname: running\n", "", 0},
		{"qm config 101 --snapshot before", "hostpci3: 0000:0e:00\nsnaptime: 1755000000\n", "", 0},
		{"qm stop 101", "", "", 0},
		{"qm start 101", "", "", 0},
		{"qm config 101 --current 1", "cores: 2\ndescription:  kept\nhostpci0: mapping=one,pcie=1\nname: running\n", "", 0},
		{"qm start 200", "", "Configuration file 'nodes/pve-a/qemu-server/200.conf' does not exist\n", 255},
		{"qm wash 100", "", "ERROR: unknown command 'qm wash'\n", 255},
	} {
		stdout, stderr, code := at(server, "pve-a", test.line)
		if stdout != test.stdout || stderr != test.stderr || code != test.code {
			t.Errorf("%s: exit %d, expected %d\nstdout %q, expected %q\nstderr %q, expected %q",
				test.line, code, test.code, stdout, test.stdout, stderr, test.stderr)
		}
	}
}

// TestCommandsMeetFaults: commands pass through what requests do.
func TestCommandsMeetFaults(t *testing.T) {
	t.Parallel()
	server := &pvesim.Server{World: writingWorld()}
	var seen []string
	server.Before(func(method, path string) { seen = append(seen, method+" "+path) })
	server.Inject(&pvesim.Fault{Kind: pvesim.FaultInternal, Method: "PUT", Reason: "got no lock"}, &pvesim.Fault{Kind: pvesim.FaultDrop, Method: "DELETE"})
	if _, stderr, code := at(server, "pve-b", "qm set 200 --cores 1"); code != 255 || stderr != "got no lock\n" {
		t.Errorf("exit %d, %q", code, stderr)
	}
	if _, stderr, code := at(server, "pve-b", "pvesh delete /cluster/mapping/pci/one"); code != 255 || stderr == "" {
		t.Errorf("exit %d, %q", code, stderr)
	}
	if got := strings.Join(seen, ","); got != "PUT /nodes/pve-b/qemu/200/config,DELETE "+pciMappings+"/one" {
		t.Errorf("called for %s", got)
	}
	if state := server.State(); state.MappingCfg != writingWorld().MappingCfg {
		t.Error("the mappings have changed")
	}
}

// TestCommandsOverNetwork: the handler that test/pvecommand asks.
func TestCommandsOverNetwork(t *testing.T) {
	t.Parallel()
	server := &pvesim.Server{World: writingWorld()}
	front := start(t, server.Commands())
	for body, want := range map[string]string{
		`{"node":"pve-a","argv":["qm","set","100","--name","a b"]}`: `{"stdout":"","stderr":"400 Parameter verification failed.\nname: invalid format - value not accepted\n","code":255}`,
		`{"node":"pve-a","argv":["qm","set","100","--name","ab"]}`:  `{"stdout":"update VM 100: -name ab\n","stderr":"","code":0}`,
	} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, front.URL, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if got := do(t, client(t, front), request); strings.TrimSpace(string(got.body)) != want || !json.Valid(got.body) {
			t.Errorf("%s: %s", body, got.body)
		}
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, front.URL, strings.NewReader("no JSON"))
	if err != nil {
		t.Fatal(err)
	}
	if got := do(t, client(t, front), request); got.code != http.StatusBadRequest {
		t.Errorf("%s", got.status)
	}
}
