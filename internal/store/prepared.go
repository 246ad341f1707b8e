package store

import (
	"context"
	"database/sql"
	"sync"
)

// prepared keeps statements that run with every request: SQLite takes longer to
// understand them than to run them. The driver of PostgreSQL does the same by
// itself, and can be told not to in the address of the database. Statements are
// prepared anew on each connection that needs them.
type prepared struct {
	mu         sync.Mutex
	statements map[string]*sql.Stmt
}

// hotRow is conn.row for a statement that runs with every request.
func (s *Store) hotRow(ctx context.Context, to []any, query string, args ...any) error {
	if s.dialect.file == "" {
		return s.db.row(ctx, to, query, args...)
	}
	if err := checkArguments(args); err != nil {
		return err
	}
	statement, err := s.prepared.get(ctx, s.pool, query) //nolint:sqlclosecheck // Close closes all of them
	if err != nil {
		return translate(ctx, err)
	}
	return translate(ctx, statement.QueryRowContext(ctx, args...).Scan(to...))
}

func (p *prepared) get(ctx context.Context, pool *sql.DB, query string) (*sql.Stmt, error) {
	p.mu.Lock()
	statement := p.statements[query]
	p.mu.Unlock()
	if statement != nil {
		return statement, nil
	}
	statement, err := pool.PrepareContext(ctx, query)
	if err != nil {
		return nil, err //nolint:wrapcheck // hotRow translates it
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if first := p.statements[query]; first != nil {
		_ = statement.Close() //nolint:sqlclosecheck // another one was first
		return first, nil
	}
	if p.statements == nil {
		p.statements = map[string]*sql.Stmt{}
	}
	p.statements[query] = statement
	return statement, nil
}

// close forgets the statements; the pool is closed next.
func (p *prepared) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, statement := range p.statements {
		_ = statement.Close() // the pool tells what is wrong with its connections
	}
	p.statements = nil
}
