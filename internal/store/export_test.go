package store

import (
	"context"
	"testing"
)

// OpenWith opens a store with further PRAGMAs for SQLite.
func OpenWith(ctx context.Context, options Options, pragmas ...string) (*Store, error) {
	return open(ctx, options, pragmas)
}

// FailAt makes RotateKey fail where step says so.
func FailAt(s *Store, step func(point string) error) { s.step = step }

// Exec runs a statement that no method of the store would.
func Exec(t testing.TB, s *Store, statement string, args ...any) {
	t.Helper()
	if _, err := s.db.exec(t.Context(), statement, args...); err != nil {
		t.Fatal(err)
	}
}

// TryExec is Exec for a statement that has to fail.
func TryExec(t testing.TB, s *Store, statement string, args ...any) error {
	t.Helper()
	_, err := s.pool.ExecContext(t.Context(), statement, args...)
	return err
}

// Count reads one number.
func Count(t testing.TB, s *Store, query string, args ...any) int {
	t.Helper()
	var count int
	if err := s.db.row(t.Context(), into(&count), query, args...); err != nil {
		t.Fatal(err)
	}
	return count
}

// BackupColumns gives the columns that a backup holds, by table.
func BackupColumns() map[string][]string {
	columns := map[string][]string{}
	for _, t := range tables {
		columns[t.name] = t.columnNames()
	}
	return columns
}

// TableNames gives the tables of the database.
func TableNames(t testing.TB, s *Store) []string {
	t.Helper()
	query := `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`
	if s.dialect.file == "" {
		query = `SELECT tablename FROM pg_tables WHERE schemaname = 'public'`
	}
	names, err := rows(t.Context(), s.db, func(name *string) []any { return into(name) }, query)
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// ColumnNames gives the columns of a table.
func ColumnNames(t testing.TB, s *Store, table string) []string {
	t.Helper()
	cursor, err := s.pool.QueryContext(t.Context(), `SELECT * FROM `+table+` LIMIT 0`)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = cursor.Close() }()
	names, err := cursor.Columns()
	if err != nil || cursor.Err() != nil {
		t.Fatal(err, cursor.Err())
	}
	return names
}

// BetweenTables calls do before a backup reads each table.
func BetweenTables(s *Store, do func(table string)) {
	s.step = func(point string) error {
		do(point)
		return nil
	}
}
