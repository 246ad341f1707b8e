package store

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// Keyring is the file with the keys that seal the tokens of clusters: a line for
// each key, its id and its 32 bytes in base64. The first key seals; the others
// only unseal. Several processes may use one file, and each of them reads it
// again before it seals.
type Keyring struct {
	path string
	mu   sync.Mutex
	keys []sealingKey
}

// sealingKey is one line of the file.
type sealingKey struct {
	id    string
	bytes [32]byte
}

const keyringHead = "# Keys of pciatlas. Without this file the stored tokens of clusters cannot be read: keep a copy apart from the backups.\n"

// OpenKeyring reads the file, and creates it with a new key if there is none. A
// file that others than its owner may read or write is refused.
func OpenKeyring(path string) (*Keyring, error) {
	k := &Keyring{path: path}
	switch err := k.Reload(); {
	case err == nil:
		k.tidy()
		return k, nil
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	key, err := newSealingKey()
	if err != nil {
		return nil, err
	}
	// Another process may create the file at this moment: the one that comes
	// first wins, and neither sees a file that is half written.
	if err := writeKeys(path, []sealingKey{key}, os.Link); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	if err := k.Reload(); err != nil {
		return nil, err
	}
	return k, nil
}

// Reload reads the file again: another process may have changed the keys.
func (k *Keyring) Reload() error {
	keys, err := readKeys(k.path)
	if err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.keys = keys
	return nil
}

// sealing gives the key that seals, as the file has it now.
func (k *Keyring) sealing() (sealingKey, error) {
	if err := k.Reload(); err != nil {
		return sealingKey{}, err
	}
	return k.all()[0], nil
}

// find gives the key with the id, ErrNoKey if the file does not have it either.
func (k *Keyring) find(id string) (sealingKey, error) {
	has := func(key sealingKey) bool { return key.id == id }
	if i := slices.IndexFunc(k.all(), has); i >= 0 {
		return k.all()[i], nil
	}
	if err := k.Reload(); err != nil {
		return sealingKey{}, err
	}
	keys := k.all()
	if i := slices.IndexFunc(keys, has); i >= 0 {
		return keys[i], nil
	}
	return sealingKey{}, ErrNoKey
}

// all gives the keys, at least one.
func (k *Keyring) all() []sealingKey {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.keys
}

// replace writes other keys into the file, at once or not at all.
func (k *Keyring) replace(keys []sealingKey) error {
	if err := writeKeys(k.path, keys, os.Rename); err != nil {
		return err
	}
	k.tidy()
	return k.Reload()
}

// tidy removes what a rotation left behind that was killed. A file that is new may
// be one that another process writes at this moment.
func (k *Keyring) tidy() {
	left, err := filepath.Glob(globLiteral(k.path) + newSuffix + "*")
	if err != nil {
		return
	}
	for _, path := range left {
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > time.Minute {
			_ = os.Remove(path) // The next one tries again.
		}
	}
}

// newSuffix and a number end the names of files that are being written.
const newSuffix = ".new-"

func globLiteral(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}

func newSealingKey() (sealingKey, error) {
	var id [8]byte
	var key sealingKey
	for _, part := range [][]byte{id[:], key.bytes[:]} {
		if _, err := rand.Read(part); err != nil {
			return sealingKey{}, fmt.Errorf("make a key: %w", err)
		}
	}
	key.id = hex.EncodeToString(id[:])
	return key, nil
}

func readKeys(path string) ([]sealingKey, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("read the keyring: %w", err)
	}
	if !info.Mode().IsRegular() || info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("the keyring %s must be a file that only its owner can read: chmod 600 %s", path, path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the keyring: %w", err)
	}
	var keys []sealingKey
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		key, ok := parseKey(line)
		if !ok || slices.ContainsFunc(keys, func(k sealingKey) bool { return k.id == key.id }) {
			return nil, fmt.Errorf("the keyring %s is damaged in line %d: put back a copy of it", path, number)
		}
		keys = append(keys, key)
	}
	if len(keys) == 0 {
		return nil, fmt.Errorf("the keyring %s holds no key: put back a copy of it, or remove it if no token is stored yet", path)
	}
	return keys, nil
}

func parseKey(line string) (sealingKey, bool) {
	id, text, ok := strings.Cut(line, " ")
	raw, err := base64.StdEncoding.DecodeString(strings.TrimSpace(text))
	if !ok || err != nil || id == "" || strings.Contains(id, ".") {
		return sealingKey{}, false
	}
	key := sealingKey{id: id}
	return key, copy(key.bytes[:], raw) == len(key.bytes) && len(raw) == len(key.bytes)
}

// writeKeys writes the keys to a file of their own, waits until they are on the
// disk, and gives the file its name by os.Rename or, if there must be none yet,
// by os.Link.
func writeKeys(path string, keys []sealingKey, name func(from, to string) error) error {
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+newSuffix+"*") // mode 0600
	if err != nil {
		return fmt.Errorf("write the keyring: %w", err)
	}
	defer func() { _ = os.Remove(file.Name()) }() // gone already after os.Rename
	var text strings.Builder
	text.WriteString(keyringHead)
	for _, key := range keys {
		text.WriteString(key.id + " " + base64.StdEncoding.EncodeToString(key.bytes[:]) + "\n")
	}
	_, err = file.WriteString(text.String())
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return fmt.Errorf("write the keyring: %w", err)
	}
	if err := name(file.Name(), path); err != nil {
		return fmt.Errorf("write the keyring: %w", err)
	}
	folder, err := os.Open(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("write the keyring: %w", err)
	}
	if err := errors.Join(folder.Sync(), folder.Close()); err != nil {
		return fmt.Errorf("write the keyring: %w", err)
	}
	return nil
}
