package hostfs

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pciatlas/internal/facts"
)

// oddities makes a tree with everything a name can stand for in the folder vms.
func oddities(t *testing.T) (root string, top *folder) {
	t.Helper()
	root = tree{
		Files: map[string]string{"vms/file": "text\n", "vms/empty": "", "etc/secret": "inside\n"},
		Links: map[string]string{
			"vms/link": "file", "vms/inside": "../etc/secret", "vms/nowhere": "gone", "vms/loop": "loop",
			"vms/ping": "pong", "vms/pong": "ping", "vms/outside": "../../x", "vms/absolute": "/etc/passwd",
			"vms/up": "..", "vms/through": "up/etc/secret", "linked": "vms",
		},
		Dirs: []string{"vms/folder"},
	}.write(t)
	in := func(name string) string { return filepath.Join(root, "vms", name) }
	if err := syscall.Mkfifo(in("pipe"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("pipe", in("to-pipe")); err != nil {
		t.Fatal(err)
	}
	socket, err := net.ListenUnix("unix", &net.UnixAddr{Name: in("socket"), Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = socket.Close() })
	if os.Getuid() == 0 {
		const nullDevice = 1<<8 | 3
		if err := syscall.Mknod(in("device"), syscall.S_IFCHR|0o644, nullDevice); err != nil {
			t.Logf("without a device: %v", err)
		}
	}
	huge, err := os.Create(in("huge"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(huge.Truncate(2<<30), huge.Close()); err != nil {
		t.Fatal(err)
	}
	top, err = openTop(t.Context(), root, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(top.close)
	return root, top
}

// TestFolderRead reads each oddity by its path from the root, from its folder,
// and from its folder opened through a link: always with the same outcome.
func TestFolderRead(t *testing.T) {
	root, top := oddities(t)
	folders := map[string]*folder{"": top}
	for _, name := range []string{"vms", "linked"} {
		folder, err := top.open(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(folder.close)
		folders[name] = folder
	}
	for name, want := range map[string]string{
		"file": "text\n", "empty": "", "link": "text\n", "inside": "inside\n", "through": "inside\n",
		"nowhere": facts.ProblemMissing, "gone": facts.ProblemMissing, "loop": facts.ProblemMalformed,
		"ping": facts.ProblemMalformed, "outside": facts.ProblemOutside, "absolute": facts.ProblemOutside,
		"folder": facts.ProblemMalformed, "pipe": facts.ProblemMalformed, "to-pipe": facts.ProblemMalformed,
		"socket": facts.ProblemMalformed, "device": facts.ProblemMalformed, "huge": facts.ProblemTooLarge,
		"file/below": facts.ProblemMalformed, "up": facts.ProblemMalformed,
	} {
		if _, err := os.Lstat(filepath.Join(root, "vms", name)); name == "device" && err != nil {
			continue
		}
		for at, folder := range folders {
			path := name
			if at == "" {
				path = "vms/" + name
			}
			got, err := folder.read(path, 1<<20)
			if err != nil {
				got = problemOf(path, err).Code
			}
			if got != want {
				t.Errorf("%s in %q: %q (%v), want %q", name, at, got, err, want)
			}
			if err != nil && strings.Contains(problemOf(path, err).Message, root) {
				t.Errorf("%s: the message tells where the root is: %s", name, problemOf(path, err).Message)
			}
		}
	}
}

func TestFolderLimits(t *testing.T) {
	_, top := oddities(t)
	for limit, want := range map[int]error{4: errTooLarge, 5: nil, 6: nil} {
		if _, err := top.read("vms/file", limit); !errors.Is(err, want) {
			t.Errorf("limit %d: %v", limit, err)
		}
	}
	list, err := top.list("vms", 3)
	if len(list) != 3 || !errors.Is(err, errManyEntries) {
		t.Errorf("%v, %v", list, err)
	}
	whole, err := top.list("linked", 100)
	if len(whole) < 17 || err != nil {
		t.Errorf("%v, %v", whole, err)
	}
	if _, err := top.list("vms", len(whole)); err != nil {
		t.Errorf("a folder of as many entries as the limit: %v", err)
	}
	for name, code := range map[string]string{
		"vms/file": facts.ProblemMalformed, "vms/pipe": facts.ProblemMalformed, "vms/to-pipe": facts.ProblemMalformed,
		"gone": facts.ProblemMissing, "vms/absolute": facts.ProblemOutside, "vms/loop": facts.ProblemMalformed,
	} {
		if _, err := top.list(name, 1); err == nil || problemOf(name, err).Code != code {
			t.Errorf("list %s: %v", name, err)
		}
		if _, err := top.open(name); err == nil || problemOf(name, err).Code != code {
			t.Errorf("open %s: %v", name, err)
		}
	}
	head, err := top.head("vms/huge", 10)
	if err != nil || head != strings.Repeat("\x00", 10) {
		t.Errorf("%q, %v", head, err)
	}
	if head, err := top.head("vms/file", 10); err != nil || head != "text\n" {
		t.Errorf("%q, %v", head, err)
	}
}

func TestFolderReadsLargeFiles(t *testing.T) {
	for _, size := range []int{1, 8191, 8192, 8193, 32768, 100_000} {
		text := strings.Repeat("0123456789abcdef", size/16+1)[:size]
		top, err := openTop(t.Context(), tree{Files: map[string]string{"x": text}}.write(t), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := top.read("x", size); got != text || err != nil {
			t.Errorf("size %d: %d, %v", size, len(got), err)
		}
		top.close()
	}
}

func TestFolderLinks(t *testing.T) {
	_, top := oddities(t)
	for name, want := range map[string]string{
		"link": "file", "inside": "secret", "nowhere": "gone", "loop": "loop", "absolute": "passwd", "up": "..",
	} {
		if got, err := top.link("vms/" + name); got != want || err != nil {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		if there, err := top.there("vms/" + name); !there || err != nil {
			t.Errorf("%s: %v, %v", name, there, err)
		}
	}
	for _, name := range []string{"file", "folder", "pipe"} {
		var kind *kindError
		if _, err := top.link("vms/" + name); !errors.As(err, &kind) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if there, err := top.there("vms/gone"); there || err != nil {
		t.Errorf("gone: %v, %v", there, err)
	}
}

// TestLeadsOut guards the one text that is compared: os.Root's error for a path
// that leaves it has no name.
func TestLeadsOut(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if _, err := root.Stat("../x"); !leadsOut(err) {
		t.Errorf("%v", err)
	}
	if _, err := root.Stat("x"); leadsOut(err) {
		t.Errorf("%v", err)
	}
}

// TestProblems: each error of the operating system is told in words, with what
// to do where something can be done.
func TestProblems(t *testing.T) {
	for _, c := range []struct {
		subject       string
		err           error
		code, message string
	}{
		{"etc/pve/nodes", syscall.EACCES, facts.ProblemPermission, "%s may not be read. Only root and the group www-data may read /etc/pve: run this as root (sudo)."},
		{"etc/pve", syscall.EPERM, facts.ProblemPermission, "%s may not be read. Only root and the group www-data may read /etc/pve: run this as root (sudo)."},
		{"sys/x", fs.ErrPermission, facts.ProblemPermission, "%s may not be read. Run this as root (sudo)."},
		{"etc/pvenot", syscall.EACCES, facts.ProblemPermission, "%s may not be read. Run this as root (sudo)."},
		{"x", syscall.EIO, facts.ProblemIO, "%s cannot be read: input/output error."},
		{"x", syscall.ENOTCONN, facts.ProblemIO, "%s is on a file system that has stopped. For etc/pve, see: systemctl status pve-cluster."},
		{"x", syscall.ENOTDIR, facts.ProblemMalformed, "%s is, or is below, something that is not a folder."},
		{"x", &kindError{want: fs.ModeDir, is: fs.ModeNamedPipe}, facts.ProblemMalformed, "%s is a pipe, not a folder."},
		{"x", &kindError{is: fs.ModeDevice | fs.ModeCharDevice}, facts.ProblemMalformed, "%s is a device, not a file."},
		{"x", &kindError{is: fs.ModeIrregular}, facts.ProblemMalformed, "%s is something else, not a file."},
		{"x", malformed("holds no number"), facts.ProblemMalformed, "%s holds no number."},
		{"x", errors.New("secret"), facts.ProblemIO, "%s cannot be read."},
		{"a\nb\xff", syscall.ENOENT, facts.ProblemMissing, "%s is not there."},
	} {
		got := problemOf(c.subject, &fs.PathError{Op: "open", Path: "/root/x", Err: c.err})
		if diff := cmp.Diff(facts.Problem{Code: c.code, Subject: printable(c.subject), Message: strings.Replace(c.message, "%s", printable(c.subject), 1)}, got); diff != "" {
			t.Errorf("%v: %s", c.err, diff)
		}
	}
	if got := printable("a\nb\xff 日"); got != `a\nb\xff 日` {
		t.Errorf("%s", got)
	}
}
