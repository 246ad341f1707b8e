package store_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"pciatlas/internal/store"
)

func TestKeyringIsMadeOnce(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, "keyring")
	errs := make([]error, 8)
	var wait sync.WaitGroup
	for i := range errs {
		wait.Go(func() { _, errs[i] = store.OpenKeyring(path) })
	}
	wait.Wait()
	for _, err := range errs {
		ok(t, err)
	}
	text := string(got(os.ReadFile(path))(t))
	same(t, strings.Count(text, "\n"), 2) // its head and one key
	same(t, got(os.Stat(path))(t).Mode(), os.FileMode(0o600))
	same(t, len(got(os.ReadDir(folder))(t)), 1)
	got(store.OpenKeyring(path))(t)
	same(t, string(got(os.ReadFile(path))(t)), text)
}

func TestKeyringIsRefused(t *testing.T) {
	t.Parallel()
	const good = "a1 AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n"
	tests := map[string]struct {
		text string
		mode os.FileMode
		fine bool
	}{
		"good":                {good, 0o600, true},
		"read only":           {good, 0o400, true},
		"comments and blanks": {"# x\n\n  " + good, 0o600, true},
		"two keys":            {good + strings.Replace(good, "a1", "a2", 1), 0o600, true},
		"no line break":       {strings.TrimSpace(good), 0o600, true},
		"group may read":      {good, 0o640, false},
		"others may read":     {good, 0o604, false},
		"group may write":     {good, 0o620, false},
		"empty":               {"", 0o600, false},
		"no key":              {"# x\n", 0o600, false},
		"the same id twice":   {good + good, 0o600, false},
		"short":               {"a1 AAAA\n", 0o600, false},
		"long":                {"a1 AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n", 0o600, false},
		"no id":               {strings.TrimPrefix(good, "a1"), 0o600, false},
		"an id with a dot":    {strings.Replace(good, "a1", "a.1", 1), 0o600, false},
		"not base64":          {"a1 canarycanary!\n", 0o600, false},
	}
	for name, test := range tests {
		path := filepath.Join(t.TempDir(), "keyring")
		ok(t, os.WriteFile(path, []byte(test.text), 0o600))
		ok(t, os.Chmod(path, test.mode))
		_, err := store.OpenKeyring(path)
		if fine := err == nil; fine != test.fine {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil && strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: the error tells the key: %v", name, err)
		}
		same(t, string(got(os.ReadFile(path))(t)), test.text)
	}
	if _, err := store.OpenKeyring(t.TempDir()); err == nil {
		t.Error("a folder is taken for a keyring")
	}
	if _, err := store.OpenKeyring(filepath.Join(t.TempDir(), "missing", "keyring")); err == nil {
		t.Error("a keyring is made in a missing folder")
	}
}
