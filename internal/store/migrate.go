package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/pressly/goose/v3"
)

// SchemaVersion is the schema that this package reads and writes.
const SchemaVersion = 2

//go:embed migrations/*.sql
var migrations embed.FS

// migrationTimeout bounds the wait for another process that migrates, and the
// migration.
const migrationTimeout = time.Minute

// prepare makes the first connection and brings the schema up to date, while no
// other process does: a new SQLite file is set up by the first connection, too.
func (s *Store) prepare(ctx context.Context) error {
	ctx, cancel := bounded(ctx, migrationTimeout)
	defer cancel()
	unlock, err := s.dialect.lockMigrations(ctx, s.pool)
	if err != nil {
		return fmt.Errorf("open the database: %w", translate(ctx, err))
	}
	err = s.dialect.check(ctx, s.db)
	if err == nil {
		err = migrate(ctx, s.pool, s.dialect)
	}
	return errors.Join(err, translate(ctx, unlock()))
}

func migrate(ctx context.Context, pool *sql.DB, d dialect) error {
	provider, err := migrationsOf(pool, d)
	if err != nil {
		return err
	}
	have, want, err := provider.GetVersions(ctx)
	if err != nil {
		return fmt.Errorf("read the version of the schema: %w", translate(ctx, err))
	}
	if have > want {
		return fmt.Errorf("%w (the database has schema %d, this program knows %d)", ErrSchemaNewer, have, want)
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("bring the schema from %d to %d: %w", have, want, translate(ctx, err))
	}
	return nil
}

func migrationsOf(pool *sql.DB, d dialect) (*goose.Provider, error) {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return nil, fmt.Errorf("read the migrations: %w", err)
	}
	provider, err := goose.NewProvider(d.goose, pool, files,
		goose.WithDisableGlobalRegistry(true),
		goose.WithGoMigrations(goose.NewGoMigration(2, &goose.GoFunc{
			RunTx: func(ctx context.Context, tx *sql.Tx) error { return d.protectAudit(ctx, conn{tx}) },
		}, nil)))
	if err != nil {
		return nil, fmt.Errorf("read the migrations: %w", err)
	}
	return provider, nil
}

// protectAudit makes the database refuse to change or remove audit entries.
func (d dialect) protectAudit(ctx context.Context, tx conn) error {
	return runAll(ctx, tx, d.refuseAuditChanges)
}

// exposeAudit undoes protectAudit.
func (d dialect) exposeAudit(ctx context.Context, tx conn) error {
	return runAll(ctx, tx, d.allowAuditChanges)
}

func runAll(ctx context.Context, tx conn, statements []string) error {
	for _, statement := range statements {
		if _, err := tx.exec(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

func (d dialect) lockMigrations(ctx context.Context, pool *sql.DB) (unlock func() error, err error) {
	if d.file == "" {
		return lockPostgres(ctx, pool)
	}
	return lockFolder(ctx, filepath.Dir(d.file))
}

// migrationLock is the number of the advisory lock; any number that no other
// user of the database takes.
const migrationLock = 7_236_012_845_190_377

func lockPostgres(ctx context.Context, pool *sql.DB) (unlock func() error, err error) {
	session, err := pool.Conn(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := session.ExecContext(ctx, `SELECT pg_advisory_lock($1)`, migrationLock); err != nil {
		return nil, errors.Join(err, session.Close())
	}
	return func() error {
		_, err := session.ExecContext(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock($1)`, migrationLock)
		return errors.Join(err, session.Close())
	}, nil
}

// lockFolder locks the folder itself: SQLite would lose its own locks if its file
// were opened and closed beside it, and a lock file would stay behind.
func lockFolder(ctx context.Context, folder string) (unlock func() error, err error) {
	file, err := os.Open(folder)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return file.Close, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			return nil, errors.Join(fmt.Errorf("lock the folder %s: %w", folder, err), file.Close())
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), file.Close())
		case <-ticker.C:
		}
	}
}
