package cli_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"pciatlas/internal/cli"
	"pciatlas/internal/pvesim"
)

// running is a command that goes on until it is stopped.
type running struct {
	cancel context.CancelFunc
	code   chan int
	stderr *lockedBuffer
}

type lockedBuffer struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

func (b *lockedBuffer) Write(data []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.Write(data)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buffer.String()
}

// begin runs a command and gives its output up to a line that has the text.
func begin(t *testing.T, until string, args ...string) (*running, string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	read, write := io.Pipe()
	r := &running{cancel: cancel, code: make(chan int, 1), stderr: &lockedBuffer{}}
	env := cli.Env{Stdout: write, Stderr: r.stderr, Getenv: func(string) string { return "" }, Now: time.Now, Columns: 100, Root: t.TempDir()}
	go func() {
		r.code <- cli.Run(ctx, args, env)
		_ = write.Close()
	}()
	t.Cleanup(cancel)
	var said strings.Builder
	lines := bufio.NewScanner(read)
	for lines.Scan() {
		said.WriteString(lines.Text() + "\n")
		if strings.Contains(lines.Text(), until) {
			go func() { _, _ = io.Copy(io.Discard, read) }()
			return r, said.String()
		}
	}
	t.Fatalf("%v did not say %q: %s%s", args, until, said.String(), r.stderr)
	return nil, ""
}

// stop ends the command as Ctrl-C does.
func (r *running) stop(t *testing.T) {
	t.Helper()
	r.cancel()
	select {
	case code := <-r.code:
		if code != 0 {
			t.Errorf("exit code %d: %s", code, r.stderr)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("it does not stop")
	}
}

func fetch(t *testing.T, request *http.Request, want int) (http.Header, string) {
	t.Helper()
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != want {
		t.Fatalf("%s: %d, %v: %s", request.URL, response.StatusCode, err, body)
	}
	return response.Header, string(body)
}

func ask(t *testing.T, method, url, body string) *http.Request {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	return request
}

// TestDemo does what the demo says can be tried, and finds nothing of it afterwards.
func TestDemo(t *testing.T) {
	folder := t.TempDir()
	t.Setenv("TMPDIR", folder)
	demo, said := begin(t, "Ctrl-C", "demo")
	base := regexp.MustCompile(`http://127\.0\.0\.1:\d+`).FindString(said)
	for _, want := range []string{"demo-only", "admin", "operator", "auditor", base + "/api/v1/resources/gpus?cluster=lab&node=pve-a"} {
		if base == "" || !strings.Contains(said, want) {
			t.Fatalf("no %q in %s", want, said)
		}
	}
	if strings.Contains(said, pvesim.DemoToken) {
		t.Error("the token is shown, not its file")
	}
	header, _ := fetch(t, ask(t, http.MethodPost, base+"/api/v1/session", `{"name":"auditor","password":"demo-only"}`), http.StatusOK)
	request := ask(t, http.MethodGet, base+"/api/v1/resources/gpus?cluster=lab&node=pve-a", "")
	request.Header.Set("Cookie", strings.SplitN(header.Get("Set-Cookie"), ";", 2)[0])
	_, answer := fetch(t, request, http.StatusOK)
	var node struct{ Digest string }
	if err := json.Unmarshal([]byte(answer), &node); err != nil {
		t.Fatal(err)
	}
	scan := regexp.MustCompile(`(?m)^\s+pciatlas (scan .*)$`).FindStringSubmatch(said)
	if scan == nil {
		t.Fatalf("no scan in %s", said)
	}
	got := run(t, cli.Env{}, append(strings.Fields(scan[1]), "--node", "pve-a", "-o", "json")...)
	if got.code != 0 || node.Digest == "" || !strings.Contains(got.stdout, node.Digest) {
		t.Errorf("the scan is not what the server answers: exit code %d: %s", got.code, got.stderr)
	}
	demo.stop(t)
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestDemoListensAtLoopbackOnly(t *testing.T) {
	for _, listen := range []string{"0.0.0.0:0", ":8080", "[::]:0", "192.0.2.1:80", "example.com:80", "8080"} {
		if got := run(t, cli.Env{}, "demo", "--listen", listen); got.code != 2 || !strings.Contains(got.stderr, "127.0.0.1:PORT") {
			t.Errorf("%s: exit code %d: %s", listen, got.code, got.stderr)
		}
	}
}

// TestServeBackupRestore makes the administrator with the link that serve prints, and
// takes a backup to other places.
func TestServeBackupRestore(t *testing.T) {
	folder := t.TempDir()
	data, backup := filepath.Join(folder, "data"), filepath.Join(folder, "backup")
	flags := []string{"--data", data, "--listen", "127.0.0.1:0"}
	served, said := begin(t, "curl", append([]string{"serve"}, flags...)...)
	link := regexp.MustCompile(`(http://[^/]+)/setup#(\S+)`).FindStringSubmatch(said)
	if link == nil {
		t.Fatalf("no link in %s", said)
	}
	command := regexp.MustCompile(`-d '(.*)' (\S+)`).FindStringSubmatch(said)
	if command == nil {
		t.Fatalf("no command in %s", said)
	}
	fetch(t, ask(t, http.MethodPost, command[2], command[1]), http.StatusUnprocessableEntity) // PASSWORD is none
	fetch(t, ask(t, http.MethodPost, command[2], strings.Replace(command[1], "PASSWORD", "horse battery staple", 1)), http.StatusOK)
	if strings.Contains(served.stderr.String(), link[2]) {
		t.Error("the token of the link is in the log")
	}
	if got := run(t, cli.Env{}, "backup", "--data", data, backup); got.code != 0 {
		t.Fatalf("backup: %s", got.stderr)
	}
	served.stop(t)
	if info, err := os.Stat(backup); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}

	again, said := begin(t, "listens at", append([]string{"serve"}, flags...)...)
	again.stop(t)
	if strings.Contains(said, "setup") {
		t.Errorf("a second link: %s", said)
	}
	if got := run(t, cli.Env{}, "restore", "--data", data, backup); got.code != 1 || !strings.Contains(got.stderr, "--replace") {
		t.Errorf("exit code %d: %s", got.code, got.stderr)
	}
	for _, args := range [][]string{{"--data", data, "--replace"}, {"--data", filepath.Join(folder, "other")}} {
		got := run(t, cli.Env{}, append(append([]string{"restore"}, args...), backup)...)
		if got.code != 0 || !strings.Contains(got.stdout, "1 administrator,") {
			t.Errorf("%v: exit code %d: %s%s", args, got.code, got.stdout, got.stderr)
		}
	}
	if got := run(t, cli.Env{}, "rotate-key", "--data", data); got.code != 0 || !strings.Contains(got.stdout, "new key") {
		t.Errorf("exit code %d: %s", got.code, got.stderr)
	}
}

// TestBackupReplacesNoOtherFile: a backup takes the place of nothing by mistake.
func TestBackupReplacesNoOtherFile(t *testing.T) {
	folder := t.TempDir()
	data := filepath.Join(folder, "data")
	served, _ := begin(t, "listens at", "serve", "--data", data, "--listen", "127.0.0.1:0")
	served.stop(t)
	database, backup := filepath.Join(data, "pciatlas.db"), filepath.Join(folder, "backup")
	for _, test := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{backup}, 0, ""},
		{[]string{backup}, 1, "--force"},
		{[]string{backup, "--force"}, 0, ""},
		{[]string{database, "--force"}, 1, "no backup"},
		{[]string{filepath.Join(data, "keyring"), "--force"}, 1, "no backup"},
		{[]string{folder, "--force"}, 1, "regular"},
		{[]string{filepath.Join(folder, "not-there", "backup")}, 1, "no such file"},
	} {
		got := run(t, cli.Env{}, append([]string{"backup", "--data", data}, test.args...)...)
		if got.code != test.code || !strings.Contains(got.stderr, test.says) {
			t.Errorf("%v: exit code %d: %s", test.args, got.code, got.stderr)
		}
	}
	for _, command := range [][]string{{"backup", backup + "2"}, {"rotate-key"}} {
		got := run(t, cli.Env{}, append(command, "--data", filepath.Join(folder, "wrong"))...)
		if got.code != 1 || !strings.Contains(got.stderr, "there is no database") {
			t.Errorf("%v: exit code %d: %s", command, got.code, got.stderr)
		}
	}
	if _, err := os.Stat(filepath.Join(folder, "wrong")); err == nil {
		t.Error("a wrong path made a folder")
	}
	for name, text := range map[string]string{"empty": "", "text": "hello"} {
		file := filepath.Join(folder, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		got := run(t, cli.Env{}, "restore", "--data", data, "--replace", file)
		if got.code != 1 || !strings.Contains(got.stderr, "not a complete backup") {
			t.Errorf("%s: exit code %d: %s", name, got.code, got.stderr)
		}
	}
}

func TestServeSaysWhyItCannotStart(t *testing.T) {
	folder := t.TempDir()
	for name, test := range map[string]struct {
		args []string
		says []string
	}{
		"settings":          {[]string{"--listen", "nowhere", "--share", "9"}, []string{"2 faults", "listen (--listen)", "share (--share)", "config check"}},
		"database away":     {[]string{"--database", "postgres://atlas@127.0.0.1:1/atlas"}, []string{"postgres://atlas@127.0.0.1:1/atlas", "cannot be used", "config check"}},
		"no folder":         {[]string{"--database", "sqlite:" + folder + "/not-there/db"}, []string{"cannot be used", "no such file"}},
		"address not here":  {[]string{"--listen", "192.0.2.1:80"}, []string{"listen at 192.0.2.1:80", "--listen"}},
		"data is no folder": {[]string{"--data", "/dev/null/x"}, []string{"data folder"}},
	} {
		got := run(t, cli.Env{}, append([]string{"serve", "--data", folder}, test.args...)...)
		if got.code != 1 || got.stdout != "" {
			t.Errorf("%s: exit code %d, %s", name, got.code, got.stdout)
		}
		for _, says := range test.says {
			if !strings.Contains(got.stderr, says) {
				t.Errorf("%s: no %q in %s", name, says, got.stderr)
			}
		}
	}
}
