// Package store keeps what operators register and do in a database: SQLite or
// PostgreSQL, with one set of statements and one behaviour for both. Every
// change is written together with its audit entry in one transaction. Tokens of
// clusters are sealed with a key that is kept outside the database.
//
// It knows the pure packages and database/sql, nothing else of this module; the
// server and the command line may import it.
package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"io"
	"time"
)

// Options say what to open.
type Options struct {
	// Database is the path of a SQLite file, with or without "sqlite:" before it,
	// or the address of a PostgreSQL database (postgres://…). The folder of a file
	// has to exist; the file is created.
	Database string
	// Keyring seals the tokens of clusters. Without one, everything works that
	// needs neither to write nor to read such a token.
	Keyring *Keyring
	// Issuer is the OpenID Connect issuer through which one can sign in; "" for
	// none. Administrators who could only do so through another one, or through
	// none, do not count as able to sign in.
	Issuer string
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// Timeout bounds each operation but Backup, Restore and RotateKey; 0 is 10 s.
	// An operation that takes longer fails with ErrUnavailable.
	Timeout time.Duration
}

const (
	defaultTimeout = 10 * time.Second
	pingTimeout    = 2 * time.Second
)

// Store is an open database. Its methods may be called from several goroutines,
// and several processes may have the same database open. Their errors are the
// sentinels of this package, wrapped; whatever else goes wrong has no code.
type Store struct {
	db      conn
	pool    *sql.DB
	dialect dialect
	keyring *Keyring
	issuer  string
	now     func() time.Time
	timeout time.Duration
	random  io.Reader
	// prepared are statements that run with every request.
	prepared prepared
	// step is called at each point of RotateKey where a crash leaves another
	// state behind, and before Backup reads a table, with the name of the point.
	// Tests fail it.
	step func(point string) error
}

// Open opens the database and brings its schema up to date, once if several
// processes do so at the same time. A schema that is newer than SchemaVersion
// gives ErrSchemaNewer and is left alone.
func Open(ctx context.Context, options Options) (*Store, error) {
	return open(ctx, options, nil)
}

// open takes further PRAGMAs for SQLite.
func open(ctx context.Context, options Options, pragmas []string) (*Store, error) {
	s := &Store{
		keyring: options.Keyring,
		issuer:  options.Issuer,
		now:     options.Now,
		timeout: options.Timeout,
		random:  rand.Reader,
		step:    func(string) error { return nil },
	}
	if s.now == nil {
		s.now = time.Now
	}
	if s.timeout == 0 {
		s.timeout = defaultTimeout
	}
	var err error
	if s.pool, s.dialect, err = openPool(options.Database, pragmas); err != nil {
		return nil, err
	}
	s.db = conn{s.pool}
	if err := s.prepare(ctx); err != nil {
		_ = s.pool.Close() // the first error is the one to tell
		return nil, err
	}
	return s, nil
}

// Close gives the connections back. It may be called more than once.
func (s *Store) Close() error {
	s.prepared.close()
	return s.pool.Close()
}

// Ping says whether the database answers, within 2 s.
func (s *Store) Ping(ctx context.Context) error {
	ctx, cancel := bounded(ctx, pingTimeout)
	defer cancel()
	var value int64
	return s.db.row(ctx, into(&value), `SELECT value FROM counters WHERE name = 'audit'`)
}
