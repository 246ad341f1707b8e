package pvesh_test

import (
	"errors"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"pciatlas/internal/apply"
	"pciatlas/internal/atlas"
	"pciatlas/internal/plan"
	"pciatlas/internal/pveapi"
	"pciatlas/internal/pvesh"
	"pciatlas/internal/pvesim"
)

// nodeOf gives a node of a simulated cluster, whose pvesh is a program of its own.
func nodeOf(t *testing.T, server *pvesim.Server, name string) *pvesh.Node {
	t.Helper()
	commands := httptest.NewServer(server.Commands())
	t.Cleanup(commands.Close)
	program := filepath.Join(t.TempDir(), "pvesh")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, "../../test/pvecommand")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return &pvesh.Node{
		Command: program, Env: []string{"PVESIM_COMMANDS=" + commands.URL, "PVESIM_NODE=" + name},
		ReadFile: func(path string) ([]byte, error) {
			state := server.State()
			if strings.HasSuffix(path, "mapping/pci.cfg") {
				return []byte(state.MappingCfg), nil
			}
			for _, guest := range state.Guests {
				if strings.HasSuffix(path, filepath.Join("nodes", guest.Node, "qemu-server", strconv.Itoa(guest.VMID)+".conf")) {
					return []byte(guest.Config), nil
				}
			}
			return nil, os.ErrNotExist
		},
	}
}

// TestConvert converts VMs of both nodes from one of them, as root.
func TestConvert(t *testing.T) {
	server := &pvesim.Server{World: pvesim.DemoOffice(), AuthDelay: -1, MuteDelay: -1}
	front, err := pvesim.NewTLSServer(server)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(front.Close)
	report := reportOf(t, front)
	p, err := plan.Make(report, plan.Intent{Kind: plan.Convert, VMs: []int{101}})
	if err != nil || p.Stopped() {
		t.Fatalf("%v %+v", err, p.Notes)
	}
	node := nodeOf(t, server, "office-b")
	result, err := apply.Run(t.Context(), p, node, apply.Options{})
	if err != nil || !result.OK() {
		t.Fatalf("%v %+v", err, result)
	}
	if again, err := apply.Run(t.Context(), p, node, apply.Options{}); err != nil || again.Steps[0].Outcome != apply.Already {
		t.Errorf("%v %+v", err, again)
	}
	refused := node.Do(t.Context(), *p.Steps[0].Request, "")
	failure, ok := errors.AsType[*pvesh.Error](refused)
	if !ok || !strings.Contains(failure.Sentence, "already defined") {
		t.Errorf("%v", refused)
	}
	missing := &pvesh.Node{Command: filepath.Join(t.TempDir(), "none")}
	if failure, ok := errors.AsType[*pvesh.Error](missing.Do(t.Context(), *p.Steps[0].Request, "")); !ok || failure.Sentence != "" {
		t.Errorf("a program that is not there: %v", failure)
	}
}

func reportOf(t *testing.T, front *pvesim.TLSServer) *atlas.Report {
	t.Helper()
	fingerprint, err := pveapi.ParseFingerprint(front.Fingerprint)
	if err != nil {
		t.Fatal(err)
	}
	token, err := pveapi.ParseToken(pvesim.DemoToken)
	if err != nil {
		t.Fatal(err)
	}
	client, err := pveapi.New(pveapi.Options{Cluster: "office", Endpoints: []string{front.URL}, Fingerprints: []pveapi.Fingerprint{fingerprint}, Token: token})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	snapshot, err := client.Read(t.Context(), pveapi.Request{Policy: true, Details: true})
	if err != nil {
		t.Fatal(err)
	}
	return atlas.Build(&snapshot)
}

// TestNotMounted: a node without its cluster file system has not no mappings.
func TestNotMounted(t *testing.T) {
	node := &pvesh.Node{Root: t.TempDir()}
	if mappings, err := node.Mappings(t.Context()); err == nil {
		t.Errorf("%v", mappings)
	}
	folder := filepath.Join(node.Root, "etc", "pve")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, ".members"), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if mappings, err := node.Mappings(t.Context()); err != nil || len(mappings) > 0 {
		t.Errorf("%v %v", mappings, err)
	}
}
