package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	_ "modernc.org/sqlite" // registers the driver "sqlite"
)

// dialect is where the two databases differ.
type dialect struct {
	goose goose.Dialect
	// file is the path of the SQLite file, "" for PostgreSQL.
	file string
	// snapshot are the options of a transaction that sees one state throughout.
	snapshot *sql.TxOptions
	// refuseAuditChanges are the statements after which the database itself
	// refuses to change or remove an audit entry, allowAuditChanges undo them.
	refuseAuditChanges, allowAuditChanges []string
}

// openPool opens no connection yet.
func openPool(database string, pragmas []string) (*sql.DB, dialect, error) {
	if strings.HasPrefix(database, "postgres://") || strings.HasPrefix(database, "postgresql://") {
		pool, err := openPostgres(database)
		return pool, postgresDialect, err
	}
	path := strings.TrimPrefix(database, "sqlite:")
	switch {
	case path == "":
		return nil, dialect{}, errors.New("no database is named: give the path of a SQLite file or a postgres:// address")
	case strings.Contains(path, "://"):
		return nil, dialect{}, errors.New("the database is neither the path of a SQLite file nor a postgres:// address")
	}
	return openSQLite(path, pragmas)
}

// connectTimeout bounds the wait for a PostgreSQL server that does not answer,
// unless the address says otherwise (connect_timeout).
const connectTimeout = 5 * time.Second

func openPostgres(address string) (*sql.DB, error) {
	config, err := pgx.ParseConfig(address)
	if err != nil {
		// The cause may repeat the address, and with it the password.
		return nil, errors.New("the address of the PostgreSQL database cannot be read; it is written postgres://USER:PASSWORD@HOST:PORT/DATABASE, with %XX for special characters")
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectTimeout
	}
	pool := stdlib.OpenDB(*config)
	pool.SetMaxOpenConns(16)
	pool.SetMaxIdleConns(8)
	pool.SetConnMaxIdleTime(5 * time.Minute)
	return pool, nil
}

func openSQLite(path string, pragmas []string) (*sql.DB, dialect, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, dialect{}, fmt.Errorf("find the database file: %w", err)
	}
	// SQLite would create it with the usual mode; its other files get the mode of
	// this one.
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, dialect{}, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	if err := file.Close(); err != nil {
		return nil, dialect{}, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	pool, err := sql.Open("sqlite", sqliteAddress(path, pragmas))
	if err != nil {
		return nil, dialect{}, fmt.Errorf("open the database %s: %w", path, err)
	}
	pool.SetMaxOpenConns(8)
	pool.SetMaxIdleConns(8)
	d := sqliteDialect
	d.file = path
	return pool, d, nil
}

// sqliteAddress asks for what keeps acknowledged changes: the log is written to
// the disk before a commit returns. Transactions take the write lock when they
// begin, so that none fails half-way because another one wrote.
func sqliteAddress(path string, pragmas []string) string {
	query := url.Values{
		"_pragma":      append([]string{"busy_timeout(5000)", "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)"}, pragmas...),
		"_txlock":      {"immediate"},
		"_time_format": {"sqlite"},
		"_timezone":    {"UTC"},
		"_dqs":         {"0"},
		"_defensive":   {"1"},
		"_error_rc":    {"1"},
	}
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + query.Encode()
}

// check refuses a database that could not keep what is written to it.
func (d dialect) check(ctx context.Context, db conn) error {
	var encoding string
	query := `SHOW server_encoding`
	if d.file != "" {
		query = `SELECT REPLACE(encoding, '-', '') FROM pragma_encoding`
	}
	if err := db.row(ctx, into(&encoding), query); err != nil {
		return fmt.Errorf("open the database: %w", err)
	}
	if encoding != "UTF8" {
		return fmt.Errorf("the database has the encoding %s: create it with ENCODING 'UTF8'", encoding)
	}
	return nil
}

const auditRefusal = "audit entries are only appended"

var sqliteDialect = dialect{
	goose:    goose.DialectSQLite3,
	snapshot: &sql.TxOptions{ReadOnly: true},
	refuseAuditChanges: []string{
		`CREATE TRIGGER audit_log_update BEFORE UPDATE ON audit_log BEGIN SELECT RAISE(ABORT, '` + auditRefusal + `'); END`,
		// INSERT OR REPLACE removes a row without the trigger for that.
		`CREATE TRIGGER audit_log_replace BEFORE INSERT ON audit_log WHEN EXISTS (SELECT 1 FROM audit_log WHERE id = NEW.id)
			BEGIN SELECT RAISE(ABORT, '` + auditRefusal + `'); END`,
		`CREATE TRIGGER audit_log_delete BEFORE DELETE ON audit_log BEGIN SELECT RAISE(ABORT, '` + auditRefusal + `'); END`,
	},
	allowAuditChanges: []string{
		`DROP TRIGGER audit_log_update`,
		`DROP TRIGGER audit_log_replace`,
		`DROP TRIGGER audit_log_delete`,
	},
}

var postgresDialect = dialect{
	goose:    goose.DialectPostgres,
	snapshot: &sql.TxOptions{ReadOnly: true, Isolation: sql.LevelRepeatableRead},
	refuseAuditChanges: []string{
		`CREATE FUNCTION audit_log_refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION '` + auditRefusal + `'; END $$`,
		`CREATE TRIGGER audit_log_change BEFORE UPDATE OR DELETE ON audit_log FOR EACH ROW EXECUTE FUNCTION audit_log_refuse()`,
		`CREATE TRIGGER audit_log_truncate BEFORE TRUNCATE ON audit_log FOR EACH STATEMENT EXECUTE FUNCTION audit_log_refuse()`,
	},
	allowAuditChanges: []string{
		`DROP TRIGGER audit_log_change ON audit_log`,
		`DROP TRIGGER audit_log_truncate ON audit_log`,
		`DROP FUNCTION audit_log_refuse()`,
	},
}
