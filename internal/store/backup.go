package store

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"
)

// backupFormat stands in the head of each backup. A backup is gzip over lines of
// JSON: the head; for each table a line with its name and columns and one line,
// an array, for each row; the tail.
const backupFormat = "pciatlas backup 1"

type backupHead struct {
	Format  string    `json:"format"`
	Schema  int       `json:"schema"`
	Created time.Time `json:"created"`
}

type backupTable struct {
	Table   string   `json:"table"`
	Columns []string `json:"columns"`
	Rows    int      `json:"rows"`
}

// backupTail shows that the backup is whole.
type backupTail struct {
	End bool `json:"end"`
}

// Backup writes all that is stored but sessions, failed sign-ins, known addresses
// and set-up tokens, as it is at one moment; changes go on meanwhile. Tokens of
// clusters stay sealed: they can be read again with the keyring alone, which is
// not part of it. Passwords and API tokens are in it as hashes.
func (s *Store) Backup(ctx context.Context, w io.Writer) error {
	packed := gzip.NewWriter(w)
	out := json.NewEncoder(packed)
	out.SetEscapeHTML(false)
	if err := out.Encode(backupHead{backupFormat, SchemaVersion, s.now().UTC()}); err != nil {
		return fmt.Errorf("write the backup: %w", err)
	}
	err := s.transaction(ctx, s.dialect.snapshot, func(tx conn) error {
		for _, t := range tables {
			if err := s.step(t.name); err != nil {
				return err
			}
			if err := t.backup(ctx, tx, out); err != nil {
				return fmt.Errorf("back up %s: %w", t.name, err)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := out.Encode(backupTail{true}); err != nil {
		return fmt.Errorf("write the backup: %w", err)
	}
	if err := packed.Close(); err != nil {
		return fmt.Errorf("write the backup: %w", err)
	}
	return nil
}

func (t table) backup(ctx context.Context, tx conn, out *json.Encoder) error {
	names := t.columnNames()
	var count int
	if err := tx.row(ctx, into(&count), `SELECT COUNT(*) FROM `+t.name); err != nil {
		return err
	}
	if err := out.Encode(backupTable{t.name, names, count}); err != nil {
		return err
	}
	cursor, err := tx.QueryContext(ctx, `SELECT `+strings.Join(names, ", ")+` FROM `+t.name+` ORDER BY `+t.key())
	if err != nil {
		return translate(ctx, err)
	}
	defer func() { _ = cursor.Close() }() // Err has told what went wrong
	for cursor.Next() {
		fields := t.fields()
		if err := cursor.Scan(fields...); err != nil {
			return translate(ctx, err)
		}
		if err := out.Encode(t.values(fields)); err != nil {
			return err
		}
	}
	return translate(ctx, cursor.Err())
}

func (t table) columnNames() []string {
	names := make([]string, len(t.columns))
	for i, c := range t.columns {
		names[i] = c.name
	}
	return names
}

// key is what no two rows have in common.
func (t table) key() string {
	if t.name == "managed_desktops" {
		return "cluster, vmid"
	}
	return t.columns[0].name
}
