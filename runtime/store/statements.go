package store

import (
	"context"
	"database/sql"
	"sync"
)

// maxStatements bounds how many are kept; the store has fewer.
const maxStatements = 200

// statements keep compiled what is executed more than once: to compile takes
// longer than to execute. The zero value is ready.
type statements struct {
	mu       sync.Mutex
	compiled map[string]*sql.Stmt // nil for one that was executed once
	wanted   []string
}

// get returns a statement that is compiled, or nil.
func (s *statements) get(query string) *sql.Stmt {
	s.mu.Lock()
	defer s.mu.Unlock()
	statement, seen := s.compiled[query]
	switch {
	case seen && statement == nil:
		s.wanted = append(s.wanted, query)
	case !seen && len(s.compiled) < maxStatements:
		if s.compiled == nil {
			s.compiled = map[string]*sql.Stmt{}
		}
		s.compiled[query] = nil
	}
	return statement
}

// compile compiles what was wanted since. It needs the connection, and is called
// before that is taken. What cannot be compiled is executed as it is.
func (s *statements) compile(ctx context.Context, db *sql.DB) {
	s.mu.Lock()
	wanted := s.wanted
	s.wanted = nil
	s.mu.Unlock()
	for _, query := range wanted {
		statement, err := db.PrepareContext(ctx, query)
		if err != nil {
			return
		}
		if !s.put(query, statement) {
			_ = statement.Close() //nolint:sqlclosecheck // somebody else was faster, and the loop goes on
		}
	}
}

func (s *statements) put(query string, statement *sql.Stmt) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.compiled[query] != nil {
		return false
	}
	s.compiled[query] = statement
	return true
}

// A compiling transaction is one whose statements are kept.
type compiling struct {
	*sql.Tx

	statements *statements
}

func (c compiling) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if statement := c.statements.get(query); statement != nil {
		return c.StmtContext(ctx, statement).ExecContext(ctx, args...) //nolint:sqlclosecheck // it ends with the transaction
	}
	return c.Tx.ExecContext(ctx, query, args...)
}

func (c compiling) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if statement := c.statements.get(query); statement != nil {
		return c.StmtContext(ctx, statement).QueryContext(ctx, args...) //nolint:sqlclosecheck // it ends with the transaction
	}
	return c.Tx.QueryContext(ctx, query, args...)
}

func (c compiling) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	if statement := c.statements.get(query); statement != nil {
		return c.StmtContext(ctx, statement).QueryRowContext(ctx, args...) //nolint:sqlclosecheck // it ends with the transaction
	}
	return c.Tx.QueryRowContext(ctx, query, args...)
}
