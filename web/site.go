package web

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// site is the console as it lies in memory. It is not changed after newSite.
type site struct {
	files   map[string]*file // by path, as in "/assets/x.js"
	page    *file            // the page of the console; nil: it was not built
	unbuilt *file            // the page instead of it
}

// file is one file with the encodings that it was compressed to beforehand.
type file struct {
	kind     string // content type
	identity body
	br, gzip *body // nil: not compressed
	hashed   bool  // the name changes with the content
}

// body is one representation of a file.
type body struct {
	data []byte
	tag  string // of its content, without quotes
}

// kinds are the content types of what a build can hold. The tables of the machine
// are not asked: the type has to be right everywhere, because nothing is guessed.
var kinds = map[string]string{
	".css":  "text/css; charset=utf-8",
	".html": "text/html; charset=utf-8",
	".ico":  "image/x-icon",
	".js":   "text/javascript; charset=utf-8",
	".json": "application/json",
	".png":  "image/png",
	".svg":  "image/svg+xml",
	".txt":  "text/plain; charset=utf-8",
}

// newSite reads unbuilt.html and, if it is there, the folder app.
func newSite(files fs.FS) (*site, error) {
	s := &site{files: map[string]*file{}}
	var err error
	if s.unbuilt, err = readFile(files, "unbuilt.html"); err != nil {
		return nil, err
	}
	err = fs.WalkDir(files, "app", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || isEncoded(name) {
			return err
		}
		s.files[strings.TrimPrefix(name, "app")], err = readFile(files, name)
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the console: %w", err)
	}
	s.page = s.files["/index.html"]
	delete(s.files, "/index.html")
	return s, nil
}

func isEncoded(name string) bool { return path.Ext(name) == ".br" || path.Ext(name) == ".gz" }

func readFile(files fs.FS, name string) (*file, error) {
	identity, err := readBody(files, name)
	if err != nil {
		return nil, err
	}
	f := &file{identity: *identity, kind: kinds[path.Ext(name)], hashed: strings.HasPrefix(name, "app/assets/")}
	if f.kind == "" {
		f.kind = "application/octet-stream"
	}
	if f.br, err = readEncoded(files, name+".br"); err != nil {
		return nil, err
	}
	f.gzip, err = readEncoded(files, name+".gz")
	return f, err
}

// readEncoded gives nil for a file that is not there.
func readEncoded(files fs.FS, name string) (*body, error) {
	b, err := readBody(files, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // nil is the answer.
	}
	return b, err
}

func readBody(files fs.FS, name string) (*body, error) {
	data, err := fs.ReadFile(files, name)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	sum := sha256.Sum256(data)
	return &body{data: data, tag: base64.RawURLEncoding.EncodeToString(sum[:12])}, nil
}
