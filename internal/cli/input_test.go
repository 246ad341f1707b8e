package cli_test

import (
	"bytes"
	"context"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"pciatlas/internal/cli"
	"pciatlas/internal/pvesim"
)

// oddFiles makes what is no regular file, by name.
func oddFiles(t *testing.T) (folder, pipe, socket string) {
	t.Helper()
	folder = t.TempDir()
	pipe, socket = filepath.Join(folder, "pipe"), filepath.Join(folder, "socket")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	return folder, pipe, socket
}

func TestInputsThatAreNoFiles(t *testing.T) {
	folder, pipe, socket := oddFiles(t)
	token := func(file string) []string {
		return []string{"scan", "--endpoint", "https://127.0.0.1:1", "--token-file", file}
	}
	from := func(file string) []string { return []string{"scan", "--from", file} }
	authorities := func(file string) []string {
		return append(token(tokenFile(t, "a@pve!b=c")), "--ca-file", file)
	}
	for name, test := range map[string]struct {
		args []string
		says string
	}{
		"token, pipe":        {token(pipe), "is a pipe; give the name of a regular file"},
		"token, folder":      {token(folder), "is a folder"},
		"token, socket":      {token(socket), "is a socket"},
		"token, device":      {token("/dev/zero"), "is a device"},
		"snapshot, folder":   {from(folder), "is a folder"},
		"snapshot, socket":   {from(socket), "is a socket"},
		"snapshot, device":   {from("/dev/zero"), "is a device"},
		"snapshot, no stdin": {from("-"), "no standard input"},
		"authorities":        {authorities("/dev/zero"), "is a device"},
	} {
		got := run(t, cli.Env{}, test.args...)
		if got.code != 1 || !strings.Contains(got.stderr, test.says) || strings.Contains(got.stderr, "chmod") {
			t.Errorf("%s: exit code %d: %s", name, got.code, got.stderr)
		}
	}
}

// TestInterruptedInput: a pipe that nobody writes to, or that does not end, does not
// keep the program.
func TestInterruptedInput(t *testing.T) {
	_, pipe, _ := oddFiles(t)
	never, writer := io.Pipe()
	defer func() { _ = writer.Close() }()
	for _, file := range []string{pipe, "-"} {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(50*time.Millisecond, cancel)
		var stderr bytes.Buffer
		env := cli.Env{
			Stdin: never, Stdout: io.Discard, Stderr: &stderr, Now: time.Now, Root: t.TempDir(),
			Getenv: func(string) string { return "" },
		}
		if code := cli.Run(ctx, []string{"scan", "--from", file}, env); code != 1 || stderr.String() != "pciatlas: interrupted\n" {
			t.Errorf("%s: exit code %d: %s", file, code, stderr.String())
		}
	}
}

// TestSnapshotsThroughPipes: a snapshot can come through a pipe and standard input.
func TestSnapshotsThroughPipes(t *testing.T) {
	_, pipe, _ := oddFiles(t)
	snapshot := run(t, cli.Env{}, "snapshot", "-", "--root", demoRoot(t))
	go func() { _ = os.WriteFile(pipe, []byte(snapshot.stdout), 0o600) }()
	for _, file := range []string{pipe, "-"} {
		got := run(t, cli.Env{Stdin: strings.NewReader(snapshot.stdout)}, "scan", "--from", file)
		if got.code != 0 || !strings.Contains(got.stdout, "visible VMs checked") {
			t.Errorf("%s: exit code %d: %s", file, got.code, got.stderr)
		}
	}
}

// TestTokenFilesAsEditorsLeaveThem: what stands around a token does no harm, and no
// message repeats what was read.
func TestTokenFilesAsEditorsLeaveThem(t *testing.T) {
	server, _ := demoAPI(t, pvesim.DemoToken)
	scan := func(text string) result {
		return run(t, cli.Env{}, "scan", "--endpoint", server.URL, "--tls-fingerprint", server.Fingerprint, "--token-file", tokenFile(t, text))
	}
	for _, text := range []string{
		"\ufeff" + pvesim.DemoToken, pvesim.DemoToken + "\r", "\r\n\n  \"" + pvesim.DemoToken + "\" \r\n\r\n", "'" + pvesim.DemoToken + "'",
	} {
		if got := scan(text); got.code != 0 {
			t.Errorf("%q: exit code %d: %s", text, got.code, got.stderr)
		}
	}
	for text, says := range map[string]string{
		"":                            "/token is empty; it must hold one line",
		"\ufeff \r\n":                 "/token is empty",
		`""`:                          "/token is empty",
		"a@pve!b=CANARY\x00":          "characters that cannot be seen",
		"a@pve!b=CANARY\nCANARY":      "holds several lines",
		"a@pve!b=CAN\u200bARY-CANARY": "characters that cannot be seen",
		"a@pve!b=CANARY\xff":          "is not UTF-8",
		"CANARY":                      "/token: an API token is written as",
	} {
		if got := scan(text); got.code != 1 || !strings.Contains(got.stderr, says) || strings.Contains(got.stderr, "CANARY") ||
			strings.Contains(got.stderr, "--token-file") {
			t.Errorf("%q: exit code %d: %s", text, got.code, got.stderr)
		}
	}
	none := run(t, cli.Env{}, "scan", "--endpoint", server.URL)
	for _, command := range []string{
		`pveum role add PciatlasRead --privs "Sys.Audit,VM.Audit,Mapping.Audit"`, "pveum user add pciatlas@pve",
		"pveum acl modify / --users 'pciatlas@pve' --roles PciatlasRead", "pveum user token add pciatlas@pve scan --privsep 0",
	} {
		if none.code != 2 || !strings.Contains(none.stderr, "\n  "+command+"\n") {
			t.Errorf("exit code %d, no %q: %s", none.code, command, none.stderr)
		}
	}
}
