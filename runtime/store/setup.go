package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
)

// setUp makes a new store, brings one of an older version to this one, and
// makes sure that one of this version is what this version writes. It looks before it changes anything, so that a file which is
// something else stays as it is.
func (s *Store) setUp(ctx context.Context) error {
	found, err := s.header(ctx, s.db)
	if err != nil {
		return err
	}
	if err := s.journal(ctx); err != nil {
		return err
	}
	if found.version != version {
		return s.migrate(ctx, found.version)
	}
	return nil
}

// A header is what a store says of itself.
type header struct {
	application, version, objects int
}

func (h header) empty() bool { return h == header{} }

// queries is a connection or a transaction.
type queries interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// header reads what the store says of itself and refuses one that is of no
// version that there is. An empty file is one that is still to be set up.
func (s *Store) header(ctx context.Context, in queries) (header, error) {
	var h header
	err := in.QueryRowContext(ctx, `SELECT (SELECT application_id FROM pragma_application_id), (SELECT user_version FROM pragma_user_version),
		(SELECT count(*) FROM sqlite_schema)`).Scan(&h.application, &h.version, &h.objects)
	refuse := func(reason Reason, message, next string) (header, error) {
		return h, &Error{Reason: reason, Path: s.file.path, Message: message, Next: next}
	}
	switch {
	case err != nil:
		return h, err
	case h.empty():
		return h, nil
	case h.application != applicationID:
		return refuse(NotStore, "it is a database of another program", "move it away")
	case h.version > version:
		return refuse(Newer, fmt.Sprintf("it has version %d, and this program knows versions up to %d", h.version, version), "use the newer program")
	case h.version < 1:
		return refuse(Damaged, fmt.Sprintf("it says that it has version %d", h.version), nextDamaged)
	}
	return h, s.compare(ctx, in, h.version)
}

// compare refuses a store whose tables are not those of its version.
func (s *Store) compare(ctx context.Context, in queries, of int) error {
	rows, err := in.QueryContext(ctx, `SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY sql`)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	var found []string
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return err
		}
		found = append(found, text)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	if !slices.Equal(found, slices.Sorted(slices.Values(schema(of)))) {
		return &Error{Reason: Damaged, Path: s.file.path, Message: "its tables are not those that this program makes", Next: nextDamaged}
	}
	return nil
}

// journal switches to the write-ahead log, which stays switched on in the file.
func (s *Store) journal(ctx context.Context) error {
	var mode string
	if err := s.db.QueryRowContext(ctx, `PRAGMA journal_mode = WAL`).Scan(&mode); err != nil {
		return err
	}
	if mode != "wal" {
		return &Error{Reason: Inaccessible, Path: s.file.path, Message: "its journal cannot be a write-ahead log but is " + mode,
			Next: "keep the state folder on a disk of this machine"}
	}
	return nil
}

// migrate makes what this version has beyond the one that the store has, all of
// it or none. An empty store has version 0.
func (s *Store) migrate(ctx context.Context, from int) error {
	there := 0
	if from > 0 {
		there = len(schema(from))
	}
	return s.transact(ctx, func(t *transaction) error {
		for _, statement := range schema(version)[there:] {
			if _, err := t.exec(statement); err != nil {
				return err
			}
		}
		_, err := t.exec(fmt.Sprintf(`PRAGMA application_id = %d; PRAGMA user_version = %d`, applicationID, version))
		return err
	})
}
