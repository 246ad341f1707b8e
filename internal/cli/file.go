package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// writeFile writes what only its owner may read. A regular file, or one that is
// not there, is replaced whole or not at all; a symbolic link stays, and what it
// leads to is written. Anything else that can be written to (a pipe, a device) is
// written to and never replaced.
func writeFile(ctx context.Context, file string, data []byte) error {
	target, err := followLinks(file)
	if err != nil {
		return err
	}
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return writeWhole(target, data)
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%s is a folder; give the name of a file", file)
	}
	// A link of /proc may lead to a file that has no name; it is written in place.
	named, err := os.Lstat(target)
	if err == nil && info.Mode().IsRegular() && os.SameFile(info, named) {
		return writeWhole(target, data)
	}
	return writeInPlace(ctx, file, data)
}

// followLinks gives the path that a path leads to, which need not exist.
func followLinks(file string) (string, error) {
	path := file
	for range 40 {
		folder, base := filepath.Split(path)
		if folder == "" {
			folder = "."
		}
		folder, err := filepath.EvalSymlinks(folder)
		if err != nil {
			return "", err
		}
		path = filepath.Join(folder, base)
		link, err := os.Readlink(path)
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.EINVAL): // nothing, or no link
			return path, nil
		case err != nil:
			return "", err
		case filepath.IsAbs(link):
			path = link
		default:
			path = folder + string(filepath.Separator) + link
		}
	}
	return "", fmt.Errorf("%s is a link that leads in circles", file)
}

// writeInPlace writes to what is there. Nobody may be reading a pipe, so the end
// of the context ends the wait.
func writeInPlace(ctx context.Context, file string, data []byte) error {
	done := make(chan error, 1)
	go func() { done <- openAndWrite(file, data) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return fmt.Errorf("%s: nobody took the data: %w", file, ctx.Err())
	}
}

func openAndWrite(file string, data []byte) error {
	opened, err := os.OpenFile(file, os.O_WRONLY|os.O_TRUNC, 0)
	switch {
	case errors.Is(err, syscall.ENXIO):
		return fmt.Errorf("%w: a socket cannot be written to; give a file, or - for standard output", err)
	case err != nil:
		return err
	}
	_, err = opened.Write(data)
	if closeErr := opened.Close(); err == nil {
		err = closeErr
	}
	return err
}

// writeWhole puts a new file, complete or not at all, in the place of a file.
func writeWhole(file string, data []byte) error {
	return writeWholeWith(file, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// writeWholeWith is writeWhole for data that is not in memory. When it returns
// without an error, the data is on the disk.
func writeWholeWith(file string, write func(io.Writer) error) error {
	temporary, err := os.CreateTemp(filepath.Dir(file), ".pciatlas-*")
	if err != nil {
		return err
	}
	err = write(temporary)
	if err == nil {
		err = temporary.Sync()
	}
	if closeErr := temporary.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(temporary.Name(), file)
	}
	if err != nil {
		_ = os.Remove(temporary.Name())
	}
	return err
}
