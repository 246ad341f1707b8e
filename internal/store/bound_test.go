package store_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"pciatlas/internal/fleet"
	"pciatlas/internal/store"
	"pciatlas/internal/store/storetest"
)

// A cluster never has more desktops than one file holds, so that an export can be
// imported.
func TestDesktopsAreBounded(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t storetest.T, s *store.Store) {
		addLab(t, s)
		list := make([]fleet.Desktop, fleet.MaxDesktops)
		for i := range list {
			list[i] = fleet.Desktop{VMID: 100 + i, Name: fmt.Sprint(i)}
		}
		_, _, _, err := s.ImportDesktops(t.Context(), "lab", list, false, done())
		ok(t, err)
		more := fleet.Desktop{Cluster: "lab", VMID: 99_999, Name: "one more"}
		_, err = s.PutDesktop(t.Context(), more, done())
		is(t, err, store.ErrTooMany)
		_, _, _, err = s.ImportDesktops(t.Context(), "lab", []fleet.Desktop{more}, false, done())
		is(t, err, store.ErrTooMany)
		same(t, len(got(s.Desktops(t.Context(), "lab"))(t)), fleet.MaxDesktops)

		list[0].Cluster, list[0].Name = "lab", "another name"
		_, err = s.PutDesktop(t.Context(), list[0], done())
		ok(t, err)
		list[1] = more
		_, _, _, err = s.ImportDesktops(t.Context(), "lab", list, true, done())
		ok(t, err)
	})
}

func TestAuditIsNotReplaced(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t, storetest.SQLite)
	ok(t, s.AppendAudit(t.Context(), done()))
	const columns = `(id, at, actor, actor_kind, address, request_id, action, object, result, reason)
		SELECT id, at, 'eve', actor_kind, address, request_id, action, object, result, reason FROM audit_log`
	for _, statement := range []string{
		`INSERT OR REPLACE INTO audit_log ` + columns, `REPLACE INTO audit_log ` + columns,
	} {
		if err := store.TryExec(t, s, statement); err == nil {
			t.Error("an entry was replaced")
		}
	}
	same(t, store.Count(t, s, `SELECT COUNT(*) FROM audit_log WHERE actor = 'eve'`), 0)
	ok(t, s.AppendAudit(t.Context(), done()))
}

// A rotation that was killed leaves a file with keys behind.
func TestLeftKeysAreRemoved(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "[odd] * name")
	ok(t, os.Mkdir(folder, 0o700))
	path := filepath.Join(folder, "keyring")
	_ = got(store.OpenKeyring(path))(t)
	old, fresh := path+".new-1", path+".new-2"
	for _, file := range []string{old, fresh, path + ".newer"} {
		ok(t, os.WriteFile(file, []byte("key"), 0o600))
	}
	ok(t, os.Chtimes(old, time.Time{}, time.Now().Add(-time.Hour)))
	_ = got(store.OpenKeyring(path))(t)
	entries := got(os.ReadDir(folder))(t)
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	same(t, names, []string{"keyring", "keyring.new-2", "keyring.newer"})
}
