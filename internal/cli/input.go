package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// The most that is read of files: nothing real is larger.
const (
	maxSnapshot    = 1 << 30
	maxAuthorities = 16 << 20
	maxToken       = 64 << 10
)

// readInput reads a regular file or a pipe, and standard input for "-". A pipe may
// never end, so the end of the context ends the wait.
func readInput(ctx context.Context, env Env, file string, most int64) ([]byte, error) {
	type result struct {
		data []byte
		err  error
	}
	done := make(chan result, 1)
	go func() {
		data, err := openAndRead(env, file, most)
		done <- result{data, err}
	}()
	select {
	case r := <-done:
		return r.data, r.err
	case <-ctx.Done():
		return nil, fmt.Errorf("%s: the data did not come to an end: %w", file, ctx.Err())
	}
}

func openAndRead(env Env, file string, most int64) ([]byte, error) {
	if file == "-" {
		if env.Stdin == nil {
			return nil, errors.New("there is no standard input to read from")
		}
		return readBounded(env.Stdin, "standard input", most)
	}
	info, err := os.Stat(file)
	if err == nil {
		err = checkKind(file, info, true)
	}
	if err != nil {
		return nil, err
	}
	opened, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = opened.Close() }()
	return readBounded(opened, file, most)
}

// readRegular reads a regular file and nothing else. It gives what the file was when
// it was opened, and waits for nobody.
func readRegular(file string, most int64) ([]byte, fs.FileInfo, error) {
	info, err := os.Stat(file)
	if err == nil {
		err = checkKind(file, info, false)
	}
	if err != nil {
		return nil, nil, err
	}
	// What stands there may be another file by now, so it is opened without waiting
	// and looked at again.
	opened, err := os.OpenFile(file, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = opened.Close() }()
	if info, err = opened.Stat(); err == nil {
		err = checkKind(file, info, false)
	}
	if err != nil {
		return nil, nil, err
	}
	data, err := readBounded(opened, file, most)
	return data, info, err
}

// checkKind refuses what is no file to read from: reading it would fail in odd
// words, or never end.
func checkKind(file string, info fs.FileInfo, pipes bool) error {
	var kind string
	switch mode := info.Mode(); {
	case mode.IsRegular(), pipes && mode&fs.ModeNamedPipe != 0:
		return nil
	case mode.IsDir():
		kind = "a folder"
	case mode&fs.ModeNamedPipe != 0:
		kind = "a pipe"
	case mode&fs.ModeSocket != 0:
		kind = "a socket"
	default:
		kind = "a device"
	}
	return fmt.Errorf("%s is %s; give the name of a regular file", file, kind)
}

func readBounded(from io.Reader, name string, most int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(from, most+1))
	switch {
	case err != nil:
		return nil, err
	case int64(len(data)) > most:
		return nil, fmt.Errorf("%s holds more than %d bytes, so it is not what is expected here", name, most)
	default:
		return data, nil
	}
}
