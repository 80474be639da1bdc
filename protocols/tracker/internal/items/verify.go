package items

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"github.com/gatewright/gatewright/protocols/tracker/internal/refusal"
)

// verify refuses a database that is not exactly what this version makes, before
// any statement touches its tables.
func verify(ctx context.Context, db *sql.DB) error {
	return within(ctx, db, func(tx *sql.Tx) error {
		var application, found int
		err := tx.QueryRowContext(ctx, `SELECT (SELECT application_id FROM pragma_application_id), (SELECT user_version FROM pragma_user_version)`).
			Scan(&application, &found)
		switch {
		case err != nil:
			return err
		case application != applicationID:
			return refusal.New(refusal.TrackerUnusable, "%s/%s is no tracker", FolderName, FileName)
		case found > version:
			return refusal.New(refusal.TrackerNewer, "the tracker has version %d, and this server knows versions up to %d", found, version)
		case found != version:
			return refusal.New(refusal.TrackerDamaged, "the tracker says that it has version %d", found)
		}
		return compare(ctx, tx)
	})
}

func compare(ctx context.Context, tx *sql.Tx) error {
	var found []string
	err := each(ctx, tx, func(rows *sql.Rows) error {
		var text string
		err := rows.Scan(&text)
		found = append(found, text)
		return err
	}, `SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY sql`)
	if err != nil {
		return err
	}
	if !slices.Equal(found, slices.Sorted(slices.Values(schema()))) {
		return refusal.New(refusal.TrackerDamaged, "the tables of the tracker are not those that this server makes")
	}
	return nil
}

// within does something in a transaction that is kept if it goes well. The
// transaction of a connection that cannot write is kept from nothing.
func within(ctx context.Context, db *sql.DB, do func(*sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := do(tx); err != nil {
		_ = tx.Rollback() // which also happens by itself
		return err
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("keep the change: %w", err)
	}
	return nil
}

// each calls do for every row of a query.
func each(ctx context.Context, tx *sql.Tx, do func(*sql.Rows) error, query string, args ...any) error {
	rows, err := tx.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		if err := do(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}
