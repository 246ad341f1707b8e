package test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"pciatlas/internal/pvesim"
)

// binaryFolder holds the program once it is built.
var binaryFolder string

// binary builds the program once, as it is shipped.
var binary = sync.OnceValues(func() (string, error) {
	folder, err := os.MkdirTemp("", "pciatlas-test-")
	if err != nil {
		return "", err
	}
	binaryFolder = folder
	path := filepath.Join(folder, "pciatlas")
	build := exec.CommandContext(context.Background(), "go", "build", "-ldflags", "-s -w -X pciatlas/internal/cli.version=v9.9.9", "-o", path, "../cmd/pciatlas")
	if output, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build: %w\n%s", err, output)
	}
	return path, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if binaryFolder != "" {
		_ = os.RemoveAll(binaryFolder)
	}
	os.Exit(code)
}

func program(t testing.TB) string {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestBinaryVersion(t *testing.T) {
	output, err := exec.CommandContext(t.Context(), program(t), "version").Output()
	if err != nil || !strings.HasPrefix(string(output), "pciatlas v9.9.9\n") {
		t.Errorf("%q, %v", output, err)
	}
}

// TestBinaryClosedPipe: a reader that goes away early ends the program quietly.
func TestBinaryClosedPipe(t *testing.T) {
	root := t.TempDir()
	if err := pvesim.Demo().Tree(pvesim.DemoNode).WriteTo(root); err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), program(t), "scan", "--root", root, "-o", "json", "--all-devices")
	var stderr bytes.Buffer
	command.Stderr = &stderr
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	_, _ = io.ReadFull(output, make([]byte, 10))
	_ = output.Close()
	_ = command.Wait() // how it ends does not matter
	if strings.Contains(stderr.String(), "panic") {
		t.Error(stderr.String())
	}
}

// TestBinaryInterrupt: while a cluster does not answer, an interrupt ends the
// program at once.
func TestBinaryInterrupt(t *testing.T) {
	simulated := &pvesim.Server{World: pvesim.Demo()}
	simulated.Inject(&pvesim.Fault{Kind: pvesim.FaultHang})
	server, err := pvesim.NewTLSServer(simulated)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	command := exec.CommandContext(t.Context(), program(t), "scan", "--endpoint", server.URL, "--tls-fingerprint", server.Fingerprint)
	command.Env = append(os.Environ(), "PCIATLAS_TOKEN="+pvesim.DemoToken)
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for simulated.Stats().Requests == 0 {
		<-tick.C
	}
	began := time.Now()
	if err := command.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := command.Wait(); err == nil || time.Since(began) > 3*time.Second {
		t.Errorf("ended after %s with %v", time.Since(began), err)
	}
}

// TestSimulatedDataStaysInTheDemo: no command but demo can show it.
func TestSimulatedDataStaysInTheDemo(t *testing.T) {
	for _, args := range [][]string{{"scan"}, {"vm", "100"}, {"device", "01:00.0"}, {"snapshot", "-"}} {
		command := exec.CommandContext(t.Context(), program(t), append(args, "--root", t.TempDir())...)
		output, err := command.CombinedOutput()
		if err == nil || strings.Contains(string(output), "render-1") {
			t.Errorf("%v shows %s", args, output)
		}
	}
}

// BenchmarkScanMemory reads 3,200 VMs over the API with the real program and
// reports the most memory that it held.
func BenchmarkScanMemory(b *testing.B) {
	world := pvesim.Demo()
	node := world.Nodes[0]
	world.Nodes, world.Guests = nil, nil
	for n := range 16 {
		node.Name = fmt.Sprintf("pve-%02d", n)
		world.Nodes = append(world.Nodes, node)
		for v := range 200 {
			world.Guests = append(world.Guests, pvesim.Guest{
				VMID: 100 + 200*n + v, Kind: pvesim.QEMU, Node: node.Name,
				Config: fmt.Sprintf("name: vm-%d\nmemory: 8192\nmachine: q35\nhostpci0: 0000:0%d:00,pcie=1\n", v, v%4+1),
			})
		}
	}
	server, err := pvesim.NewTLSServer(&pvesim.Server{World: world, RelayLimit: -1})
	if err != nil {
		b.Fatal(err)
	}
	defer server.Close()
	var most int64
	for b.Loop() {
		command := exec.CommandContext(b.Context(), program(b), "scan", "-o", "json", "--endpoint", server.URL, "--tls-fingerprint", server.Fingerprint)
		command.Env = append(os.Environ(), "PCIATLAS_TOKEN="+pvesim.DemoToken)
		output, err := command.Output()
		if err != nil {
			b.Fatal(err)
		}
		var inventory struct {
			Nodes []struct {
				Checked int `json:"checked_vms"`
			}
		}
		if err := json.Unmarshal(output, &inventory); err != nil || len(inventory.Nodes) != 16 || inventory.Nodes[15].Checked != 200 {
			b.Fatalf("%v", err)
		}
		if usage, ok := command.ProcessState.SysUsage().(*syscall.Rusage); ok {
			most = max(most, usage.Maxrss)
		}
	}
	b.ReportMetric(float64(most)/1024, "MB-RSS")
}
