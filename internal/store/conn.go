package store

import (
	"context"
	"database/sql"
	"strings"
	"unicode/utf8"

	"pciatlas/internal/fleet"
)

// conn is the database or a transaction in it. Statements count their arguments
// as $1, $2 …, in this order: SQLite knows no other.
type conn struct {
	querier
}

// querier is what *sql.DB and *sql.Tx have in common.
type querier interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// exec runs a statement and says how many rows it concerned.
func (c conn) exec(ctx context.Context, query string, args ...any) (int64, error) {
	if err := checkArguments(args); err != nil {
		return 0, err
	}
	result, err := c.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, translate(ctx, err)
	}
	rows, err := result.RowsAffected()
	return rows, translate(ctx, err)
}

// one runs a statement that has to concern a row; ErrNotFound if it does not.
func (c conn) one(ctx context.Context, query string, args ...any) error {
	rows, err := c.exec(ctx, query, args...)
	if err == nil && rows == 0 {
		return ErrNotFound
	}
	return err
}

// row reads the first row; ErrNotFound if there is none.
func (c conn) row(ctx context.Context, to []any, query string, args ...any) error {
	if err := checkArguments(args); err != nil {
		return err
	}
	return translate(ctx, c.QueryRowContext(ctx, query, args...).Scan(to...))
}

// rows reads all rows; fields says where the columns of a row go.
func rows[T any](ctx context.Context, c conn, fields func(*T) []any, query string, args ...any) ([]T, error) {
	if err := checkArguments(args); err != nil {
		return nil, err
	}
	cursor, err := c.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, translate(ctx, err)
	}
	defer func() { _ = cursor.Close() }() // Err has told what went wrong
	var found []T
	for cursor.Next() {
		var value T
		if err := cursor.Scan(fields(&value)...); err != nil {
			return nil, translate(ctx, err)
		}
		found = append(found, value)
	}
	return found, translate(ctx, cursor.Err())
}

// into lists destinations.
func into(to ...any) []any { return to }

// checkArguments refuses text that only one of the two databases would take.
func checkArguments(args []any) error {
	for _, arg := range args {
		if text, ok := arg.(string); ok {
			if err := checkText(text); err != nil {
				return err
			}
		}
	}
	return nil
}

func checkText(texts ...string) error {
	for _, text := range texts {
		if strings.ContainsRune(text, 0) || !utf8.ValidString(text) {
			return ErrInvalidText
		}
	}
	return nil
}

// change runs work and appends the audit entry, both or none. All changes of all
// processes go one after the other: the number of the next audit entry is taken
// first, and its row stays locked until the end. So the numbers are in the order
// of the changes, without gaps, and work may check a rule over several rows.
func (s *Store) change(ctx context.Context, audit fleet.AuditEntry, work func(context.Context, conn) error) error {
	ctx, cancel := bounded(ctx, s.timeout)
	defer cancel()
	return s.changeUnbounded(ctx, audit, work)
}

func (s *Store) changeUnbounded(ctx context.Context, audit fleet.AuditEntry, work func(context.Context, conn) error) error {
	return s.transaction(ctx, nil, func(tx conn) error {
		var err error
		if audit.ID, err = next(ctx, tx, "audit"); err != nil {
			return err
		}
		audit.At = orNow(audit.At, s.now())
		if err := work(ctx, tx); err != nil {
			return err
		}
		return insertAudit(ctx, tx, audit)
	})
}

// writeEntry appends an entry behind all others; no other change may run.
func (s *Store) writeEntry(ctx context.Context, tx conn, audit fleet.AuditEntry) error {
	var err error
	if audit.ID, err = next(ctx, tx, "audit"); err != nil {
		return err
	}
	audit.At = orNow(audit.At, s.now())
	return insertAudit(ctx, tx, audit)
}

// transaction commits what work did unless it gives an error.
func (s *Store) transaction(ctx context.Context, options *sql.TxOptions, work func(conn) error) error {
	tx, err := s.pool.BeginTx(ctx, options)
	if err != nil {
		return translate(ctx, err)
	}
	if err := work(conn{tx}); err != nil {
		_ = tx.Rollback() // if it fails, the database has done so by itself or is away
		return err
	}
	return translate(ctx, tx.Commit())
}

// next counts up and locks the counter until the transaction ends.
func next(ctx context.Context, tx conn, counter string) (int64, error) {
	var value int64
	err := tx.row(ctx, into(&value), `UPDATE counters SET value = value + 1 WHERE name = $1 RETURNING value`, counter)
	return value, err
}

// lockChanges waits until no other change runs, and lets none begin before the
// transaction ends.
func lockChanges(ctx context.Context, tx conn) error {
	return tx.one(ctx, `UPDATE counters SET value = value WHERE name = 'audit'`)
}
