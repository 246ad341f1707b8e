package server_test

import (
	"bufio"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"pciatlas/internal/pvesim"
)

// The most memory that the process may hold, in MiB.
const (
	restMemory = 40
	readMemory = 150
)

// BenchmarkServerMemory measures the memory of the real program: at rest, and the
// most that it held while it read 128 GPUs and 3,200 VMs for several clients.
func BenchmarkServerMemory(b *testing.B) {
	program := filepath.Join(b.TempDir(), "pciatlas")
	build := exec.CommandContext(b.Context(), "go", "build", "-ldflags", "-s -w", "-o", program, "../../cmd/pciatlas")
	if output, err := build.CombinedOutput(); err != nil {
		b.Fatalf("build: %v\n%s", err, output)
	}
	lab := newLab(b, &pvesim.Server{World: bigWorld(), RelayLimit: -1})
	for b.Loop() {
		p := startProcess(b, program)
		rest := p.memory(b, "VmRSS")
		p.site.setUpWith(b, p.token)
		p.site.register(b, "big", connection(lab.tls.URL, lab.tls.Fingerprint))
		for range 3 {
			for _, path := range []string{"/clusters/big/inventory?class=all", "/clusters/big/findings", "/clusters/big/vms?findings=true", "/resources/gpus?node=pve-03"} {
				if answer, err := p.site.call(b.Context(), http.MethodGet, path, nil); err != nil || answer.status != http.StatusOK {
					b.Fatalf("%s: %d, %v: %s", path, answer.status, err, answer.body)
				}
			}
		}
		most := p.memory(b, "VmHWM")
		p.stop(b)
		b.ReportMetric(rest, "rest-MiB")
		b.ReportMetric(most, "reading-MiB")
		if rest > restMemory || most > readMemory {
			b.Errorf("%.0f MiB at rest (at most %d), %.0f MiB while reading (at most %d)", rest, restMemory, most, readMemory)
		}
	}
}

// process is the real program, serving.
type process struct {
	site    *site
	command *exec.Cmd
	token   string // of the set-up link
}

func startProcess(b *testing.B, program string) *process {
	b.Helper()
	command := exec.CommandContext(b.Context(), program, "serve", "--listen", "127.0.0.1:0", "--data", b.TempDir(),
		"--allow-local-endpoints", "--share", "1ms", "--log-level", "warn")
	command.Stderr = os.Stderr
	output, err := command.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := command.Start(); err != nil {
		b.Fatal(err)
	}
	link := regexp.MustCompile(`(http://[^/]+)/setup#(\S+)`)
	lines := bufio.NewScanner(output)
	for lines.Scan() {
		if found := link.FindStringSubmatch(lines.Text()); found != nil {
			return &process{site: &site{client: browser(b), remote: found[1]}, command: command, token: found[2]}
		}
	}
	b.Fatal("the program does not say where it is")
	return nil
}

// memory gives a line of the process's status, in MiB.
func (p *process) memory(b *testing.B, line string) float64 {
	b.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.command.Process.Pid))
	if err != nil {
		b.Skip("SKIPPED: there is no /proc: " + err.Error())
	}
	for text := range strings.SplitSeq(string(data), "\n") {
		if fields := strings.Fields(text); len(fields) == 3 && fields[0] == line+":" {
			kib, err := strconv.ParseFloat(fields[1], 64)
			if err != nil {
				b.Fatal(err)
			}
			return kib / 1024
		}
	}
	b.Fatalf("no %s in %s", line, data)
	return 0
}

func (p *process) stop(b *testing.B) {
	b.Helper()
	p.site.client.CloseIdleConnections()
	if err := p.command.Process.Signal(syscall.SIGTERM); err != nil {
		b.Fatal(err)
	}
	if err := p.command.Wait(); err != nil {
		b.Errorf("the program: %v", err)
	}
}
