package store

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"pciatlas/internal/fleet"
)

// Restore puts a backup of either kind of database into this one, all of it or
// nothing. The database has to be empty (ErrNotEmpty), unless replace says that
// everything in it goes, the audit log included. Sessions end. ErrBadBackup if
// the backup is damaged or incomplete, ErrSchemaNewer if a newer version made it.
// The ids of audit entries are kept, and audit is appended behind them.
func (s *Store) Restore(ctx context.Context, r io.Reader, replace bool, audit fleet.AuditEntry) error {
	in, err := openBackup(r)
	if err != nil {
		return err
	}
	return s.transaction(ctx, nil, func(tx conn) error {
		if err := lockChanges(ctx, tx); err != nil {
			return err
		}
		if err := s.makeEmpty(ctx, tx, replace); err != nil {
			return err
		}
		for _, t := range tables {
			if err := in.restore(ctx, tx, t); err != nil {
				return fmt.Errorf("restore %s: %w", t.name, err)
			}
		}
		var tail backupTail
		if err := in.line(&tail); err != nil || !tail.End || !in.atEnd() {
			return fmt.Errorf("%w (it does not end as one)", ErrBadBackup)
		}
		if err := restoreCounters(ctx, tx, replace); err != nil {
			return err
		}
		return s.writeEntry(ctx, tx, audit)
	})
}

// makeEmpty removes everything, or gives ErrNotEmpty if it may not.
func (s *Store) makeEmpty(ctx context.Context, tx conn, replace bool) error {
	if !replace {
		for _, t := range tables {
			var count int
			if err := tx.row(ctx, into(&count), `SELECT COUNT(*) FROM `+t.name); err != nil {
				return err
			}
			if count > 0 {
				return ErrNotEmpty
			}
		}
	}
	if err := s.dialect.exposeAudit(ctx, tx); err != nil {
		return err
	}
	for _, t := range slices.Backward(tables) {
		if _, err := tx.exec(ctx, `DELETE FROM `+t.name); err != nil {
			return err
		}
	}
	for _, name := range []string{"sessions", "sign_in_failures", "known_addresses", "setup_tokens"} {
		if _, err := tx.exec(ctx, `DELETE FROM `+name); err != nil {
			return err
		}
	}
	return s.dialect.protectAudit(ctx, tx)
}

// restoreCounters goes on behind the restored audit entries. Where other contents
// are replaced, each revision becomes a new one, so that nobody takes what they
// remember for what is stored now.
func restoreCounters(ctx context.Context, tx conn, replace bool) error {
	_, err := tx.exec(ctx, `UPDATE counters SET value = (SELECT COALESCE(MAX(id), 0) FROM audit_log) WHERE name = 'audit'`)
	if err != nil {
		return err
	}
	_, err = tx.exec(ctx, `UPDATE counters SET value = value + (SELECT COALESCE(MAX(revision), 0) + COALESCE(MAX(desktops_revision), 0)
		FROM clusters) WHERE name = 'revision'`)
	if err != nil || !replace {
		return err
	}
	revision, err := next(ctx, tx, "revision")
	if err != nil {
		return err
	}
	_, err = tx.exec(ctx, `UPDATE clusters SET revision = $1, desktops_revision = $1`, revision)
	return err
}

// backupReader reads the lines of a backup.
type backupReader struct{ lines *bufio.Reader }

func openBackup(r io.Reader) (*backupReader, error) {
	unpacked, err := gzip.NewReader(r)
	if err != nil {
		return nil, fmt.Errorf("%w (it is not compressed with gzip)", ErrBadBackup)
	}
	in := &backupReader{bufio.NewReader(unpacked)}
	var head backupHead
	if err := in.line(&head); err != nil || head.Format != backupFormat {
		return nil, fmt.Errorf("%w (it does not begin as one)", ErrBadBackup)
	}
	if head.Schema > SchemaVersion {
		return nil, fmt.Errorf("%w (the backup has schema %d, this program knows %d)", ErrSchemaNewer, head.Schema, SchemaVersion)
	}
	return in, nil
}

// line reads one line of JSON. Its error never repeats what the line holds.
func (in *backupReader) line(to any) error {
	text, err := in.lines.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("%w (it ends too early, or was altered)", ErrBadBackup)
	}
	if err := json.Unmarshal(text, to); err != nil {
		return fmt.Errorf("%w (a line is not what was written)", ErrBadBackup)
	}
	return nil
}

// atEnd says whether nothing follows and the checksum is right.
func (in *backupReader) atEnd() bool {
	_, err := in.lines.ReadByte()
	return errors.Is(err, io.EOF)
}

// rowsAtOnce keeps the arguments of a statement far below what databases allow.
const rowsAtOnce = 100

// restore reads one table. A backup of an older schema may lack its last columns,
// which get their defaults.
func (in *backupReader) restore(ctx context.Context, tx conn, t table) error {
	var head backupTable
	if err := in.line(&head); err != nil {
		return err
	}
	names := t.columnNames()
	if head.Table != t.name || len(head.Columns) > len(names) || !slices.Equal(head.Columns, names[:len(head.Columns)]) || head.Rows < 0 {
		return fmt.Errorf("%w (a table is missing)", ErrBadBackup)
	}
	t.columns = t.columns[:len(head.Columns)]
	for done := 0; done < head.Rows; {
		count := min(rowsAtOnce, head.Rows-done)
		args, err := in.rows(t, count)
		if err != nil {
			return err
		}
		_, err = tx.exec(ctx, `INSERT INTO `+t.name+` (`+strings.Join(head.Columns, ", ")+`) VALUES `+placeholders(count, len(head.Columns)), args...)
		if errors.Is(err, ErrExists) || errors.Is(err, ErrNotFound) || errors.Is(err, ErrInvalidText) {
			return fmt.Errorf("%w (its rows do not fit together)", ErrBadBackup)
		}
		if err != nil {
			return err
		}
		done += count
	}
	return nil
}

// rows reads some rows, as arguments of one INSERT.
func (in *backupReader) rows(t table, count int) ([]any, error) {
	var args []any
	for range count {
		var values []json.RawMessage
		if err := in.line(&values); err != nil {
			return nil, err
		}
		more, err := t.arguments(values)
		if err != nil {
			return nil, fmt.Errorf("%w (%w)", ErrBadBackup, err)
		}
		args = append(args, more...)
	}
	return args, nil
}
