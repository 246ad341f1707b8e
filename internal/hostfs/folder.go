package hostfs

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"sync"
	"syscall"
)

// folder is the only way to the files of a node: one folder of the tree, opened.
// Names are relative to it. No access leaves the tree, whatever links say; no
// access reads more than a limit or waits for the other end of a pipe.
//
// Opening a folder once and its files by their last name matters on /etc/pve,
// where each part of a path is a question to a daemon.
type folder struct {
	root *os.Root
	path string  // from the root of the tree, "" for the root itself
	top  *folder // the root of the tree, nil for the root itself
	// check is asked before each access to a name in a folder; an error is the
	// outcome of the access. It ends a cancelled read.
	check func(folder, name string) error
}

// Errors of folder besides those of os.
var (
	errTooLarge    = errors.New("larger than the limit")
	errManyEntries = errors.New("more entries than the limit")
)

// kindError says that something is there, but is neither the file nor the folder
// that was asked for.
type kindError struct{ want, is fs.FileMode }

// Error implements error.
func (e *kindError) Error() string { return "is " + kindName(e.is) + ", not " + kindName(e.want) }

func kindName(mode fs.FileMode) string {
	switch {
	case mode.IsRegular():
		return "a file"
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeSymlink != 0:
		return "a link"
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	default:
		return "something else"
	}
}

// openTop opens the root of a tree. Its own path may hold links of any kind.
func openTop(ctx context.Context, name string, fault func(string) error) (*folder, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, &kindError{want: fs.ModeDir, is: info.Mode()}
	}
	root, err := os.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	check := func(folder, name string) error {
		if err := ctx.Err(); err != nil || fault == nil {
			return err
		}
		return fault(path.Join(folder, name))
	}
	return &folder{root: root, check: check}, nil
}

// open opens a folder below.
func (f *folder) open(name string) (*folder, error) {
	return within(f, name, func(f *folder, name string) (*folder, error) {
		if err := f.expect(name, fs.ModeDir); err != nil {
			return nil, err
		}
		root, err := f.root.OpenRoot(name)
		if err != nil {
			return nil, err
		}
		return &folder{root: root, path: path.Join(f.path, name), top: f.tree(), check: f.check}, nil
	})
}

func (f *folder) close() { _ = f.root.Close() }

// tree gives the root of the tree.
func (f *folder) tree() *folder {
	if f.top != nil {
		return f.top
	}
	return f
}

// read gives the text of a regular file of at most limit bytes. Nothing else is
// opened: opening a device can have effects, and opening a pipe can wait forever.
func (f *folder) read(name string, limit int) (string, error) {
	return within(f, name, func(f *folder, name string) (string, error) {
		file, size, err := f.file(name)
		if err != nil {
			return "", err
		}
		defer file.Close()
		return readUpTo(file, size, limit)
	})
}

// head gives the first bytes of a regular file.
func (f *folder) head(name string, size int) (string, error) {
	return within(f, name, func(f *folder, name string) (string, error) {
		file, _, err := f.file(name)
		if err != nil {
			return "", err
		}
		defer file.Close()
		buf := make([]byte, size)
		n, err := io.ReadFull(file, buf)
		if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
			return "", err
		}
		return string(buf[:n]), nil
	})
}

// file opens a regular file and gives its size, which for files of sysfs means
// nothing. What takes the file's place between looking and opening is opened
// without waiting and closed again.
func (f *folder) file(name string) (*os.File, int64, error) {
	if err := f.expect(name, 0); err != nil {
		return nil, 0, err
	}
	file, err := f.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, 0, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &kindError{is: info.Mode()}
	}
	if err != nil {
		_ = file.Close()
		return nil, 0, err
	}
	return file, info.Size(), nil
}

// expect follows links and checks what is at their end.
func (f *folder) expect(name string, want fs.FileMode) error {
	info, err := f.root.Stat(name)
	if err == nil && info.Mode().Type() != want {
		return &kindError{want: want, is: info.Mode()}
	}
	return err
}

// buffers are for reading: most files are small, and what is kept of them is
// copied.
var buffers = sync.Pool{New: func() any { return new([8 << 10]byte) }}

// readUpTo reads a file to its end, which is where its size says or where nothing
// more comes.
func readUpTo(file io.Reader, size int64, limit int) (string, error) {
	small, _ := buffers.Get().(*[8 << 10]byte)
	defer buffers.Put(small)
	buf, n := small[:], 0
	for {
		read, err := file.Read(buf[n:])
		n += read
		switch {
		case n > limit:
			return "", errTooLarge
		case errors.Is(err, io.EOF), err == nil && int64(n) == size:
			return string(buf[:n]), nil
		case err != nil:
			return "", err
		case n == len(buf):
			buf = append(make([]byte, 0, 4*n), buf...)[:4*n]
		}
	}
}

// list gives the names in a folder below, in no order. More of them than the
// limit is an error; the names up to there come with it. What stands behind a
// name is not looked at: on /etc/pve that would cost one question each.
func (f *folder) list(name string, limit int) ([]string, error) {
	return within(f, name, func(f *folder, name string) ([]string, error) {
		file, err := f.root.OpenFile(name, os.O_RDONLY|syscall.O_DIRECTORY, 0)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		var list []string
		for {
			some, err := file.Readdirnames(min(limit-len(list)+1, 1<<12))
			list = append(list, some...)
			switch {
			case len(list) > limit:
				return list[:limit], errManyEntries
			case errors.Is(err, io.EOF):
				return list, nil
			case err != nil:
				return list, err
			}
		}
	})
}

// link gives the last part of what a link says.
func (f *folder) link(name string) (string, error) {
	target, err := f.target(name)
	if err != nil {
		return "", err
	}
	return path.Base(target), nil
}

// target gives what a link says. The link is not followed, so it may lead anywhere.
func (f *folder) target(name string) (string, error) {
	return within(f, name, func(f *folder, name string) (string, error) {
		target, err := f.root.Readlink(name)
		if errors.Is(err, syscall.EINVAL) {
			if info, err := f.root.Lstat(name); err == nil {
				return "", &kindError{want: fs.ModeSymlink, is: info.Mode()}
			}
		}
		return target, err
	})
}

// there tells whether a name is in the folder, whatever it is: a link counts
// even if it leads nowhere.
func (f *folder) there(name string) (bool, error) {
	_, err := within(f, name, func(f *folder, name string) (fs.FileInfo, error) { return f.root.Lstat(name) })
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// stamp tells when the content of a folder changed last.
func (f *folder) stamp(name string) (int64, error) {
	info, err := within(f, name, func(f *folder, name string) (fs.FileInfo, error) { return f.root.Stat(name) })
	if err != nil {
		return 0, err
	}
	return info.ModTime().UnixNano(), nil
}

// within does one access. A link that leads out of the folder may still stay
// within the tree, so the tree's root decides.
func within[T any](f *folder, name string, do func(*folder, string) (T, error)) (T, error) {
	if err := f.check(f.path, name); err != nil {
		var none T
		return none, &fs.PathError{Op: "read", Path: path.Join(f.path, name), Err: err}
	}
	result, err := do(f, name)
	if err != nil && f.top != nil && leadsOut(err) {
		return do(f.top, path.Join(f.path, name))
	}
	return result, err
}

// leadsOut recognises the error of os.Root for a path that leaves it. The error
// is not exported; a test compares the text.
func leadsOut(err error) bool {
	var pathError *fs.PathError
	return errors.As(err, &pathError) && pathError.Err.Error() == "path escapes from parent"
}
