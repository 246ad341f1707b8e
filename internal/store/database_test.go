package store_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"pciatlas/internal/auth"
	"pciatlas/internal/store"
	"pciatlas/internal/store/storetest"
)

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for name, database := range map[string]string{
		"nothing":          "",
		"nothing at all":   "sqlite:",
		"another database": "mysql://user:canary-password@host/db",
		"a bad address":    "postgres://user:canary-password@host:port/db",
		"a bad escape":     "postgres://user:canary-password%zz@host/db",
		"a folder":         folder,
		"a missing folder": filepath.Join(folder, "missing", "atlas.db"),
	} {
		s, err := store.Open(t.Context(), store.Options{Database: database})
		switch {
		case err == nil:
			t.Errorf("%s: opened (%v)", name, s.Close())
		case strings.Contains(err.Error(), "canary"):
			t.Errorf("%s: the error tells the password: %v", name, err)
		}
	}
}

func TestOpenRefusesWhatIsNoDatabase(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "atlas.db")
	ok(t, os.WriteFile(path, []byte(strings.Repeat("not a database ", 100)), 0o600))
	_, err := store.Open(t.Context(), store.Options{Database: path})
	is(t, err, store.ErrUnavailable)
	same(t, string(got(os.ReadFile(path))(t)), strings.Repeat("not a database ", 100))
}

// Any path is a path, and what is stored is for its owner alone.
func TestSQLitePaths(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"plain.db", "with blank.db", "a?b#c%d%41&_pragma=x.db", "日本.db", "file:x"} {
		folder := t.TempDir()
		s := got(store.Open(t.Context(), store.Options{Database: "sqlite:" + filepath.Join(folder, name)}))(t)
		addAdmin(t, s, "zoe", auth.Admin)
		for _, file := range got(os.ReadDir(folder))(t) {
			if !strings.HasPrefix(file.Name(), name) {
				t.Errorf("the file of %q is %q", name, file.Name())
			}
			if mode := got(file.Info())(t).Mode(); mode != 0o600 {
				t.Errorf("%s has the mode %v", file.Name(), mode)
			}
		}
		ok(t, s.Close())
		ok(t, s.Close())
		same(t, len(got(os.ReadDir(folder))(t)), 1)
	}
}

// empties are databases without a schema.
func empties(t *testing.T, test func(t storetest.T, database string)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		test(storetest.T{T: t}, filepath.Join(t.TempDir(), "atlas.db"))
	})
	t.Run("postgresql", func(t *testing.T) {
		t.Parallel()
		test(storetest.T{T: t}, storetest.Shared(t).Empty(t))
	})
}

func TestSeveralProcessesMigrateOnce(t *testing.T) {
	t.Parallel()
	empties(t, func(t storetest.T, database string) {
		stores := make([]*store.Store, 8)
		errs := make([]error, len(stores))
		begin := make(chan struct{})
		var wait sync.WaitGroup
		for i := range stores {
			wait.Go(func() {
				<-begin
				stores[i], errs[i] = store.Open(t.Context(), store.Options{Database: database})
			})
		}
		close(begin)
		wait.Wait()
		for i, s := range stores {
			ok(t, errs[i])
			ok(t, s.Ping(t.Context()))
			t.Cleanup(func() { ok(t, s.Close()) })
		}
		same(t, store.Count(t, stores[0], `SELECT COUNT(*) FROM goose_db_version WHERE version_id > 0`), store.SchemaVersion)
		same(t, store.Count(t, stores[0], `SELECT MAX(version_id) FROM goose_db_version`), store.SchemaVersion)
	})
}

func TestNewerSchemaIsRefused(t *testing.T) {
	t.Parallel()
	storetest.RunAt(t, func(t storetest.T, place storetest.Place) {
		s := place.Open(t)
		store.Exec(t, s, `INSERT INTO goose_db_version (version_id, is_applied) VALUES ($1, $2)`, store.SchemaVersion+5, true)
		_, err := store.Open(t.Context(), store.Options{Database: place.Database})
		is(t, err, store.ErrSchemaNewer)
		if !strings.Contains(err.Error(), "schema 7, this program knows 2") {
			t.Errorf("the error does not say which: %v", err)
		}
	})
}

func TestPing(t *testing.T) {
	t.Parallel()
	storetest.RunAt(t, func(t storetest.T, place storetest.Place) {
		s := place.Open(t)
		ok(t, s.Ping(t.Context()))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		is(t, s.Ping(ctx), context.Canceled)
	})
}

// An operation does not wait for ever for another one that holds on to the
// database, and says so.
func TestBusyDatabaseIsUnavailable(t *testing.T) {
	t.Parallel()
	storetest.RunAt(t, func(t storetest.T, place storetest.Place) {
		holder := place.Open(t)
		s := got(store.Open(t.Context(), store.Options{Database: place.Database, Timeout: time.Second}))(t)
		defer func() { ok(t, s.Close()) }()
		addAdmin(t, holder, "zoe", auth.Admin)
		ok(t, holder.UpdateAdministrator(t.Context(), "zoe", false, func(*auth.Administrator) error {
			is(t, s.AppendAudit(t.Context(), done()), store.ErrUnavailable)
			_, err := s.Administrators(t.Context()) // reading goes on
			return err
		}, done()))
		ok(t, s.AppendAudit(t.Context(), done()))
	})
}

func TestFullDisk(t *testing.T) {
	t.Parallel()
	place := storetest.Fresh(t, storetest.SQLite)
	s := place.Open(t)
	pages := store.Count(t, s, `PRAGMA page_count`)
	small := got(store.OpenWith(t.Context(), store.Options{Database: place.Database}, "max_page_count("+itoa(pages+20)+")"))(t)
	defer func() { ok(t, small.Close()) }()

	written := 0
	entry := done()
	entry.Reason = strings.Repeat("x", 2000)
	var err error
	for err == nil && written < 1000 {
		if err = small.AppendAudit(t.Context(), entry); err == nil {
			written++
		}
	}
	is(t, err, store.ErrUnavailable)
	if written == 0 {
		t.Fatal("nothing was written before the disk was full")
	}
	same(t, len(entries(t, small, store.AuditFilter{Limit: 1000})), written) // it can still be read
	ok(t, s.AppendAudit(t.Context(), entry))                                 // there is room again
	have := entries(t, s, store.AuditFilter{Limit: 1000})
	same(t, len(have), written+1)
	same(t, have[0].ID, int64(written+1))
}

func TestReadOnlyDatabaseIsUnavailable(t *testing.T) {
	t.Parallel()
	place := storetest.Fresh(t, storetest.SQLite)
	place.Open(t)
	s := got(store.OpenWith(t.Context(), store.Options{Database: place.Database}, "query_only(1)"))(t)
	defer func() { ok(t, s.Close()) }()
	is(t, s.AppendAudit(t.Context(), done()), store.ErrUnavailable)
}

func TestStoppedPostgreSQL(t *testing.T) {
	t.Parallel()
	server := storetest.Postgres(t)
	place := storetest.Fresh(t, storetest.SQLite) // for its keyring
	place.Database = server.Empty(t)
	s := place.Open(t)
	addAdmin(t, s, "zoe", auth.Admin)
	addLab(t, s)
	want := entries(t, s, store.AuditFilter{})

	server.Stop(t)
	began := time.Now()
	is(t, s.Ping(t.Context()), store.ErrUnavailable)
	is(t, s.AppendAudit(t.Context(), done()), store.ErrUnavailable)
	_, err := s.Clusters(t.Context())
	is(t, err, store.ErrUnavailable)
	_, _, err = s.Session(t.Context(), "h")
	is(t, err, store.ErrUnavailable)
	_, err = store.Open(t.Context(), store.Options{Database: place.Database})
	is(t, err, store.ErrUnavailable)
	if passed := time.Since(began); passed > 20*time.Second {
		t.Errorf("it took %v to say so", passed)
	}

	server.Start(t)
	same(t, entries(t, s, store.AuditFilter{}), want)
	ok(t, s.AppendAudit(t.Context(), done()))
	same(t, got(s.ClusterSecret(t.Context(), "lab"))(t), labSecret)
}

// A server that takes the connection and then says nothing.
func TestSilentPostgreSQL(t *testing.T) {
	t.Parallel()
	address := silentServer(t)
	began := time.Now()
	_, err := store.Open(t.Context(), store.Options{Database: "postgres://user:canary-password@" + address + "/atlas?sslmode=disable&connect_timeout=1"})
	is(t, err, store.ErrUnavailable)
	if strings.Contains(err.Error(), "canary") {
		t.Errorf("the error tells the password: %v", err)
	}
	if passed := time.Since(began); passed > 10*time.Second {
		t.Errorf("it took %v to say so", passed)
	}
}

func TestMissingFolderIsUnavailable(t *testing.T) {
	t.Parallel()
	_, err := store.Open(t.Context(), store.Options{Database: filepath.Join(t.TempDir(), "missing", "atlas.db")})
	is(t, err, store.ErrUnavailable)
	is(t, err, fs.ErrNotExist)
}
