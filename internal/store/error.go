package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"pciatlas/internal/fleet"
)

// codedError is a sentence with a stable code.
type codedError struct{ code, sentence string }

// Error gives the sentence.
func (e *codedError) Error() string { return e.sentence }

// ErrorCode gives the code.
func (e *codedError) ErrorCode() string { return e.code }

// The errors that callers tell apart.
var (
	ErrNotFound     error = &codedError{"not_found", "there is no such entry"}
	ErrExists       error = &codedError{"exists", "there is such an entry already"}
	ErrConflict     error = &codedError{"conflict", "somebody else changed this meanwhile: read it again"}
	ErrLastAdmin    error = &codedError{"last_admin", "this is the last administrator with the role admin who can sign in: make another one first"}
	ErrSetupDone    error = &codedError{"setup_done", "there is an administrator already: sign in"}
	ErrSetupToken   error = &codedError{"setup_token", "this set-up link is not valid any more: restart the server for a new one"}
	ErrTooMany      error = &codedError{"too_many_desktops", fmt.Sprintf("a cluster has up to %d managed desktops: remove some first", fleet.MaxDesktops)}
	ErrInvalidText  error = &codedError{"invalid_text", "a text holds a zero byte or bytes that are not UTF-8"}
	ErrNoKey        error = &codedError{"no_key", "the keyring does not hold the key of this token: put the keyring file back, or enter the token again"}
	ErrSealed       error = &codedError{"sealed", "the stored token does not fit its key or its cluster: enter the token again"}
	ErrSecretNeeded error = &codedError{"secret_needed", "another token needs its secret"}
	ErrNotEmpty     error = &codedError{"not_empty", "the database is not empty"}
	ErrBadBackup    error = &codedError{"bad_backup", "this is not a complete backup of pciatlas"}
	ErrSchemaNewer  error = &codedError{"schema_newer", "the data was written by a newer pciatlas: use at least that version"}
	ErrUnavailable  error = &codedError{"database_unavailable", "the database cannot be used at the moment"}
)

// errTooSlow ends an operation that takes longer than the store allows.
var errTooSlow = errors.New("it did not answer in time")

// bounded gives a context that ends after the timeout, too.
func bounded(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, timeout, errTooSlow)
}

// translate turns an error of a driver into one of this package. That of a
// caller who gave up stays what it is.
func translate(ctx context.Context, err error) error {
	coded := (*codedError)(nil)
	switch {
	case err == nil:
		return nil
	case errors.As(err, &coded):
		return err
	case errors.Is(context.Cause(ctx), errTooSlow):
		return fmt.Errorf("%w: %w", ErrUnavailable, errTooSlow)
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, sql.ErrNoRows):
		return ErrNotFound
	}
	if sentinel := meaning(err); sentinel != nil {
		return fmt.Errorf("%w: %w", sentinel, err)
	}
	return fmt.Errorf("database: %w", err)
}

// meaning gives the sentinel for an error of a driver, nil if there is none.
func meaning(err error) error {
	if failure, ok := errors.AsType[*sqlite.Error](err); ok {
		return sqliteMeaning(failure.Code())
	}
	if failure, ok := errors.AsType[*pgconn.PgError](err); ok {
		return postgresMeaning(failure.Code)
	}
	if _, ok := errors.AsType[*pgconn.ConnectError](err); ok {
		return ErrUnavailable
	}
	if _, ok := errors.AsType[net.Error](err); ok {
		return ErrUnavailable
	}
	for _, away := range []error{driver.ErrBadConn, sql.ErrConnDone, io.EOF, io.ErrUnexpectedEOF, net.ErrClosed} {
		if errors.Is(err, away) {
			return ErrUnavailable
		}
	}
	return nil
}

func sqliteMeaning(code int) error {
	switch code {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY:
		return ErrExists
	case sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY:
		return ErrNotFound
	}
	switch code & 0xff {
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY,
		sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL, sqlite3.SQLITE_NOMEM,
		sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH:
		return ErrUnavailable
	}
	return nil
}

// postgresMeaning goes by the classes of PostgreSQL's manual, appendix A.
func postgresMeaning(code string) error {
	switch code {
	case "23505": // unique_violation
		return ErrExists
	case "23503": // foreign_key_violation
		return ErrNotFound
	case "25006", // read_only_sql_transaction: a standby
		"40001", "40P01", // serialization_failure, deadlock_detected
		"3D000": // invalid_catalog_name
		return ErrUnavailable
	}
	if len(code) != 5 {
		return nil
	}
	switch code[:2] {
	case "08", // connection_exception
		"28", // invalid_authorization_specification
		"53", // insufficient_resources, disk full among them
		"57", // operator_intervention
		"58", // system_error
		"XX": // internal_error
		return ErrUnavailable
	}
	return nil
}
