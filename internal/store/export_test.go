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
