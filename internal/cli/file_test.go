package cli_test

import (
	"context"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"pciatlas/internal/cli"
)

func isSnapshot(data []byte) bool { return strings.Contains(string(data), `"schema"`) }

func readSnapshot(t *testing.T, file string) {
	t.Helper()
	if data, err := os.ReadFile(file); err != nil || !isSnapshot(data) {
		t.Errorf("%s holds no snapshot: %v", file, err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%s can be read by others: %v, %v", file, info.Mode(), err)
	}
}

func writeText(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestSnapshotReplacesOnlyFiles: a new or regular file is written whole, a link
// stays a link.
func TestSnapshotReplacesOnlyFiles(t *testing.T) {
	root, folder := demoRoot(t), t.TempDir()
	path := func(name string) string { return filepath.Join(folder, name) }
	if err := os.Mkdir(path("inner"), 0o700); err != nil {
		t.Fatal(err)
	}
	writeText(t, path("old"), "old")
	writeText(t, path("linked"), "old")
	for link, to := range map[string]string{
		"link": "linked", "dangling": "inner/new", "far": path("absolute"), "second": "dangling2", "dangling2": "inner/../chained",
	} {
		if err := os.Symlink(to, path(link)); err != nil {
			t.Fatal(err)
		}
	}
	for given, written := range map[string]string{
		"fresh": "fresh", "old": "old", "link": "linked", "dangling": "inner/new", "far": "absolute", "second": "chained",
	} {
		if got := run(t, cli.Env{}, "snapshot", path(given), "--root", root); got.code != 0 {
			t.Errorf("%s: %s", given, got.stderr)
		}
		readSnapshot(t, path(written))
		if info, err := os.Lstat(path(given)); err != nil || (info.Mode()&fs.ModeSymlink != 0) != (given != written) {
			t.Errorf("%s is not what it was: %v", given, info.Mode())
		}
	}
	left, err := filepath.Glob(path(".pciatlas-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestSnapshotWritesIntoPipesAndDevices: what is no regular file is never replaced.
func TestSnapshotWritesIntoPipesAndDevices(t *testing.T) {
	root, folder := demoRoot(t), t.TempDir()
	pipe, null := filepath.Join(folder, "pipe"), filepath.Join(folder, "null")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/null", null); err != nil {
		t.Fatal(err)
	}
	taken := make(chan []byte, 1)
	go func() {
		data, _ := os.ReadFile(pipe)
		taken <- data
	}()
	for _, file := range []string{pipe, null} {
		before, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if got := run(t, cli.Env{}, "snapshot", file, "--root", root); got.code != 0 {
			t.Fatalf("%s: %s", file, got.stderr)
		}
		if after, err := os.Stat(file); err != nil || !os.SameFile(before, after) {
			t.Errorf("%s was replaced", file)
		}
	}
	if !isSnapshot(<-taken) {
		t.Error("the pipe gave no snapshot")
	}
	var lone cli.Env
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	lone.Stdout, lone.Stderr = io.Discard, io.Discard
	lone.Getenv, lone.Now, lone.Root = func(string) string { return "" }, time.Now, root
	if code := cli.Run(ctx, []string{"snapshot", pipe}, lone); code != 1 {
		t.Errorf("a pipe that nobody reads: exit code %d", code)
	}
}

func TestSnapshotTargetsThatCannotBeWritten(t *testing.T) {
	root, folder := demoRoot(t), t.TempDir()
	socket := filepath.Join(folder, "socket")
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	if err := os.Symlink("circle", filepath.Join(folder, "circle")); err != nil {
		t.Fatal(err)
	}
	for file, says := range map[string]string{
		folder:                           "is a folder",
		folder + "/":                     "is a folder",
		socket:                           "a socket cannot be written to",
		filepath.Join(folder, "circle"):  "leads in circles",
		filepath.Join(folder, "no", "x"): "no such file",
	} {
		if got := run(t, cli.Env{}, "snapshot", file, "--root", root); got.code != 1 || !strings.Contains(got.stderr, says) {
			t.Errorf("%s: exit code %d: %s", file, got.code, got.stderr)
		}
	}
	if info, err := os.Stat(socket); err != nil || info.Mode()&fs.ModeSocket == 0 {
		t.Errorf("the socket is gone: %v", err)
	}
}
