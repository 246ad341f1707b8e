package main

import (
	"bytes"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pciatlas/internal/pvesim"
)

// TestMain lets the test's own binary be the command when a shell calls it.
func TestMain(m *testing.M) {
	if name := filepath.Base(os.Args[0]); name == "pvesh" || name == "qm" {
		main()
	}
	os.Exit(m.Run())
}

// TestShell runs shell text against a simulated cluster.
func TestShell(t *testing.T) {
	t.Parallel()
	server := &pvesim.Server{World: pvesim.Demo()}
	front := httptest.NewServer(server.Commands())
	t.Cleanup(front.Close)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for _, name := range []string{"pvesh", "qm"} {
		if err := os.Symlink(self, filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	const text = `set -e
pvesh create /cluster/mapping/pci --id 'amd' --description 'a "new" card; $HOME' --map 'node=pve-a,path=0000:07:00.0,id=1002:74a1,iommugroup=20,subsystem-id=1002:74a1'
qm set 101 --hostpci0 'mapping=amd,pcie=1'
qm config 101 | grep hostpci
qm set 999 --cores 1
echo not reached
`
	shell := exec.CommandContext(t.Context(), "sh", "-c", text)
	shell.Env = append(os.Environ(), "PATH="+folder+":"+os.Getenv("PATH"), "PVESIM_COMMANDS="+front.URL, "PVESIM_NODE=pve-a")
	var stdout, stderr bytes.Buffer
	shell.Stdout, shell.Stderr = &stdout, &stderr
	_ = shell.Run() // ends as the failing command does
	const wantOut = "update VM 101: -hostpci0 mapping=amd,pcie=1\nhostpci0: mapping=amd,pcie=1\n"
	const wantErr = "Configuration file 'nodes/pve-a/qemu-server/999.conf' does not exist\n"
	if code := shell.ProcessState.ExitCode(); code != 255 || stdout.String() != wantOut || stderr.String() != wantErr {
		t.Errorf("exit %d\nstdout %q\nstderr %q", code, stdout.String(), stderr.String())
	}
	if text := server.State().MappingCfg; !strings.Contains(text, "\tdescription a \"new\" card; $HOME\n") {
		t.Errorf("%s", text)
	}
}

func TestNoCluster(t *testing.T) {
	t.Parallel()
	front := httptest.NewServer(nil)
	front.Close()
	for _, address := range []string{"", front.URL, "://"} {
		var out, problems bytes.Buffer
		if code, err := run(address, "pve-a", []string{"qm", "config", "100"}, &out, &problems); code != exitNoCluster || err == nil {
			t.Errorf("%q: exit %d, %v", address, code, err)
		}
	}
}
