package store_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pciatlas/internal/auth"
	"pciatlas/internal/fleet"
	"pciatlas/internal/store"
	"pciatlas/internal/store/storetest"
)

// fill stores something of everything.
func fill(t testing.TB, s *store.Store) {
	t.Helper()
	addAdmin(t, s, "zoe", auth.Admin)
	oidc := admin("adam")
	oidc.Hash, oidc.Subject, oidc.Role = "", "https://id.example|7", auth.Operator
	oidc.CreatedAt = storetest.Start().Add(-123456 * time.Microsecond)
	ok(t, s.CreateAdministrator(t.Context(), oidc, done()))
	addSession(t, s, "session-hash", "zoe")
	ok(t, s.AddFailure(t.Context(), "zoe", "192.0.2.1", storetest.Start()))
	ok(t, s.ClearFailures(t.Context(), "zoe", "192.0.2.2"))
	ok(t, s.AddSetupToken(t.Context(), "setup-hash", storetest.Start().Add(time.Hour)))
	ok(t, s.CreateToken(t.Context(), token("t1", "zoe"), done()))
	forever := token("t2", "adam")
	forever.ExpiresAt = time.Time{}
	ok(t, s.CreateToken(t.Context(), forever, done()))
	ok(t, s.TouchToken(t.Context(), "t2", storetest.Start()))
	addLab(t, s)
	got(s.CreateCluster(t.Context(), fleet.Cluster{Name: "bare"}, "bare secret", done()))(t)
	list := make([]fleet.Desktop, 250)
	for i := range list {
		list[i] = desktop(100+i, fmt.Sprint("desktop 桌 ", i), "'; --\n"+`"\u0000"`)
	}
	_, _, _, err := s.ImportDesktops(t.Context(), "lab", list, true, done())
	ok(t, err)
	entry := done()
	entry.Before, entry.After = map[string]any{"a": []any{1.5, nil, "<x>"}}, map[string]any{}
	ok(t, s.AppendAudit(t.Context(), entry))
}

// contents is all that a backup keeps.
type contents struct {
	Administrators []auth.Administrator
	Tokens         []auth.Token
	Clusters       []fleet.Cluster
	Secrets        []string
	Desktops       map[string][]fleet.Desktop
	Revisions      []int64
	Audit          []fleet.AuditEntry
}

func read(t testing.TB, s *store.Store) contents {
	t.Helper()
	c := contents{
		Administrators: got(s.Administrators(t.Context()))(t),
		Tokens:         got(s.Tokens(t.Context(), ""))(t),
		Clusters:       got(s.Clusters(t.Context()))(t),
		Desktops:       map[string][]fleet.Desktop{},
		Audit:          entries(t, s, store.AuditFilter{Limit: 1000}),
	}
	for _, cluster := range c.Clusters {
		c.Secrets = append(c.Secrets, got(s.ClusterSecret(t.Context(), cluster.Name))(t))
		c.Desktops[cluster.Name] = got(s.Desktops(t.Context(), cluster.Name))(t)
		c.Revisions = append(c.Revisions, got(s.DesktopsRevision(t.Context(), cluster.Name))(t))
	}
	return c
}

func backup(t testing.TB, s *store.Store) []byte {
	t.Helper()
	var packed bytes.Buffer
	ok(t, s.Backup(t.Context(), &packed))
	return packed.Bytes()
}

func unpack(t testing.TB, packed []byte) string {
	t.Helper()
	reader := got(gzip.NewReader(bytes.NewReader(packed)))(t)
	return string(got(io.ReadAll(reader))(t))
}

// restoring is the entry of a restore.
func restoring() fleet.AuditEntry {
	entry := done()
	entry.Action = "backup.restore"
	return entry
}

// unrestored is a backup without the last entry of the audit log.
func unrestored(t testing.TB, packed []byte) string {
	t.Helper()
	lines := strings.SplitAfter(unpack(t, packed), "\n")
	for i, line := range lines {
		var head struct {
			Table string
			Rows  int
		}
		if json.Unmarshal([]byte(line), &head) == nil && head.Table == "audit_log" {
			lines[i] = strings.Replace(line, fmt.Sprintf(`"rows":%d`, head.Rows), fmt.Sprintf(`"rows":%d`, head.Rows-1), 1)
			return strings.Join(slices.Delete(lines, i+head.Rows, i+head.Rows+1), "")
		}
	}
	t.Fatal("there is no audit log")
	return ""
}

func pack(t testing.TB, text string) []byte {
	t.Helper()
	var packed bytes.Buffer
	writer := gzip.NewWriter(&packed)
	got(io.WriteString(writer, text))(t)
	ok(t, writer.Close())
	return packed.Bytes()
}

// A backup goes from either kind of database to either kind, and back.
func TestBackupAndRestore(t *testing.T) {
	t.Parallel()
	for _, from := range storetest.Kinds() {
		for _, to := range storetest.Kinds() {
			t.Run(fmt.Sprint(from, " to ", to), func(t *testing.T) {
				t.Parallel()
				origin := storetest.Fresh(t, from)
				s := origin.Open(t)
				fill(t, s)
				want, saved := read(t, s), backup(t, s)

				target := storetest.Fresh(t, to)
				target.Keyring = origin.Keyring
				there := target.Open(t)
				ok(t, there.AddSetupToken(t.Context(), "link", storetest.Start().Add(time.Hour)))
				ok(t, there.Restore(t.Context(), bytes.NewReader(saved), false, restoring()))
				have := read(t, there)
				same(t, have.Audit[0].ID, want.Audit[0].ID+1)
				same(t, have.Audit[0].Action, "backup.restore")
				have.Audit = have.Audit[1:]
				same(t, have, want)
				same(t, unrestored(t, backup(t, there)), unpack(t, saved))
				for _, table := range []string{"sessions", "sign_in_failures", "known_addresses", "setup_tokens"} {
					same(t, store.Count(t, there, `SELECT COUNT(*) FROM `+table), 0)
				}

				// Everything goes on behind what was restored.
				ok(t, there.AppendAudit(t.Context(), done()))
				same(t, entries(t, there, store.AuditFilter{Limit: 1})[0].ID, want.Audit[0].ID+2)
				changed := got(there.UpdateCluster(t.Context(), lab(), nil, want.Clusters[1].Revision, done()))(t)
				if slices.Contains(append(want.Revisions, want.Clusters[0].Revision, want.Clusters[1].Revision), changed.Revision) {
					t.Errorf("revision %d was used before", changed.Revision)
				}
				if err := store.TryExec(t, there, `DELETE FROM audit_log`); err == nil {
					t.Error("audit entries can be deleted after a restore")
				}

				// And back, over what is there.
				is(t, s.Restore(t.Context(), bytes.NewReader(backup(t, there)), false, restoring()), store.ErrNotEmpty)
				same(t, read(t, s), want)
				ok(t, s.Restore(t.Context(), bytes.NewReader(backup(t, there)), true, restoring()))
				have, want = read(t, s), read(t, there)
				have.Audit = have.Audit[1:]
				if have.Clusters[0].Revision <= want.Clusters[0].Revision || have.Revisions[1] <= want.Revisions[1] {
					t.Error("revisions that somebody may remember are used again")
				}
				for i := range have.Clusters {
					have.Clusters[i].Revision, have.Revisions[i] = want.Clusters[i].Revision, want.Revisions[i]
				}
				same(t, have, want)
				_, _, err := s.Session(t.Context(), "session-hash")
				is(t, err, store.ErrNotFound)
			})
		}
	}
}

// A backup that is damaged anywhere changes nothing.
func TestRestoreOfADamagedBackup(t *testing.T) {
	t.Parallel()
	storetest.RunAt(t, func(t storetest.T, place storetest.Place) {
		s := place.Open(t)
		fill(t, s)
		saved := backup(t, s)
		text := unpack(t, saved)
		want := read(t, s)
		lines := slices.Collect(strings.Lines(text))
		damaged := map[string][]byte{
			"nothing":             nil,
			"not packed":          []byte(text),
			"cut":                 saved[:len(saved)/2],
			"cut at the checksum": saved[:len(saved)-4],
			"a wrong checksum":    append(slices.Clone(saved[:len(saved)-8]), 1, 2, 3, 4, 5, 6, 7, 8),
			"only its head":       pack(t, lines[0]),
			"no tail":             pack(t, strings.Join(lines[:len(lines)-1], "")),
			"more behind it":      pack(t, text+"{}\n"),
			"no head":             pack(t, strings.Join(lines[1:], "")),
			"another format":      pack(t, strings.Replace(text, "pciatlas backup 1", "pciatlas backup 2", 1)),
			"a row too few":       pack(t, strings.Join(slices.Delete(slices.Clone(lines), 2, 3), "")),
			"a row twice":         pack(t, strings.Replace(strings.Join(slices.Insert(slices.Clone(lines), 3, lines[2]), ""), `"rows":2}`, `"rows":3}`, 1)),
			"a missing table":     pack(t, strings.Replace(text, `"api_tokens"`, `"tokens"`, 1)),
			"another column":      pack(t, strings.Replace(text, `"subject"`, `"hash) --"`, 1)),
			"a number for a text": pack(t, strings.Replace(text, `"zoe"`, `7`, 1)),
			"no value":            pack(t, strings.Replace(text, `"zoe"`, `null`, 1)),
			"a value too few":     pack(t, strings.Replace(text, `"zoe",`, ``, 1)),
			"an unknown owner":    pack(t, strings.ReplaceAll(text, `"monitoring","zoe"`, `"monitoring","eve"`)),
			"a zero byte":         pack(t, strings.Replace(text, `"monitoring"`, `"monit\u0000ring"`, 1)),
			"a line of rubbish":   pack(t, strings.Replace(text, lines[2], "canary\n", 1)),
		}
		empty := storetest.Fresh(t, storetest.SQLite).Open(t)
		for name, packed := range damaged {
			for _, target := range []*store.Store{s, empty} {
				err := target.Restore(t.Context(), bytes.NewReader(packed), true, restoring())
				if code(err) != "bad_backup" {
					t.Errorf("%s: %v", name, err)
				}
				if err != nil && strings.Contains(err.Error(), "canary") {
					t.Errorf("%s: the error tells what is in the backup: %v", name, err)
				}
			}
		}
		is(t, s.Restore(t.Context(), bytes.NewReader(pack(t, strings.Replace(text, `"schema":2`, `"schema":3`, 1))), true, restoring()), store.ErrSchemaNewer)
		same(t, read(t, s), want)
		same(t, read(t, empty), contents{Desktops: map[string][]fleet.Desktop{}})
		_, _, err := s.Session(t.Context(), "session-hash")
		ok(t, err)
	})
}

// code gives the stable code of an error, "" if it has none.
func code(err error) string {
	if coded, ok := errors.AsType[interface {
		error
		ErrorCode() string
	}](err); ok {
		return coded.ErrorCode()
	}
	return ""
}

// Every column of every table is in a backup, or its table is left out on purpose.
func TestBackupKnowsTheSchema(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t storetest.T, s *store.Store) {
		leftOut := []string{"counters", "goose_db_version", "known_addresses", "sessions", "setup_tokens", "sign_in_failures"}
		inBackup := store.BackupColumns()
		for _, table := range store.TableNames(t, s) {
			columns, kept := inBackup[table]
			switch {
			case kept == slices.Contains(leftOut, table):
				t.Errorf("table %s is neither in the backup nor left out", table)
			case kept:
				have := store.ColumnNames(t, s, table)
				slices.Sort(have)
				slices.Sort(columns)
				same(t, columns, have)
			}
		}
	})
}

// Backup sees one moment, while others write.
func TestBackupIsOfOneMoment(t *testing.T) {
	t.Parallel()
	storetest.RunAt(t, func(t storetest.T, place storetest.Place) {
		s, other := place.Open(t), place.Open(t)
		addLab(t, s)
		want := read(t, s)
		var packed bytes.Buffer
		store.BetweenTables(s, func(table string) {
			if table == "clusters" {
				_, err := other.PutDesktop(t.Context(), desktop(100, "late", ""), done())
				ok(t, err)
			}
		})
		ok(t, s.Backup(t.Context(), &packed))
		same(t, len(entries(t, s, store.AuditFilter{})), 2)
		place.Database = filepath.Join(t.TempDir(), "restored.db")
		restored := place.Open(t)
		ok(t, restored.Restore(t.Context(), &packed, false, restoring()))
		have := read(t, restored)
		have.Audit = have.Audit[1:]
		same(t, have, want)
	})
}

// What the token of a cluster is, stands in no file.
func TestSecretsAreNotInPlain(t *testing.T) {
	t.Parallel()
	storetest.RunAt(t, func(t storetest.T, place storetest.Place) {
		s := place.Open(t)
		addLab(t, s)
		second := "second-canary-secret-of-lab"
		got(s.UpdateCluster(t.Context(), lab(), &second, got(s.Cluster(t.Context(), "lab"))(t).Revision, done()))(t)
		got(s.RotateKey(t.Context(), done()))(t)
		search := func(where, text string) {
			t.Helper()
			for _, form := range []string{"canary-secret", "Y2FuYXJ5LXNlY3JldC", "NhbmFyeS1zZWNyZXQ", "jYW5hcnktc2VjcmV0", "63616e6172792d736563726574"} {
				if strings.Contains(text, form) {
					t.Errorf("%s holds the secret, as %s", where, form)
				}
			}
		}
		search("the backup", unpack(t, backup(t, s)))
		seen := 0
		for _, folder := range storetest.Files(t, place) {
			ok(t, filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
				if err != nil || !entry.Type().IsRegular() {
					return ignoreMissing(err)
				}
				text, err := os.ReadFile(path)
				if err != nil {
					return ignoreMissing(err)
				}
				search(path, string(text))
				seen += bytes.Count(text, []byte("atlas@pve!read"))
				return nil
			}))
		}
		if seen == 0 {
			t.Error("the search does not see the database")
		}
	})
}

// ignoreMissing is for files of the server that belong to other tests: they go
// while this one looks at them.
func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
