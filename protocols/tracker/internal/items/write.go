package items

import (
	"context"
	"database/sql"
	"errors"

	"github.com/gatewright/gatewright/protocols/tracker/internal/refusal"
)

// maxItems bounds a tracker.
const maxItems = 100_000

// A Placed draft is one that has an item now, or had one before.
type Placed struct {
	Draft Draft
	ID    int64
}

// Insert inserts drafts in one transaction. A draft whose key an item has
// already is left alone and returned as existing. Where that is all of them,
// nothing is done and it fails with ITEMS_EXIST.
func (w *Writer) Insert(ctx context.Context, by By, drafts []Draft) (created, existing []Placed, err error) {
	err = w.write(ctx, "insert items", func(tx *sql.Tx) error {
		created, existing = nil, nil
		var count int
		if err := tx.QueryRowContext(ctx, `SELECT count(*) FROM items`).Scan(&count); err != nil {
			return err
		}
		if count+len(drafts) > maxItems {
			return refusal.New(refusal.TrackerFull, "the tracker holds %d items and takes %d at most", count, maxItems)
		}
		for _, draft := range drafts {
			placed, fresh, err := w.insert(ctx, tx, by, draft)
			switch {
			case err != nil:
				return err
			case fresh:
				created = append(created, placed)
			default:
				existing = append(existing, placed)
			}
		}
		if len(created) == 0 {
			return refusal.New(refusal.ItemsExist, "all of the %d items have been imported meanwhile", len(drafts))
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	return created, existing, nil
}

func (w *Writer) insert(ctx context.Context, tx *sql.Tx, by By, d Draft) (placed Placed, fresh bool, err error) {
	placed.Draft = d
	err = tx.QueryRowContext(ctx, `INSERT INTO items (key, document, line, title, description, estimate, actor, call, at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO NOTHING RETURNING id`,
		d.Key, d.Document, d.Line, d.Title, d.Description, d.Estimate, by.Actor, by.Call, w.now().UnixMilli()).Scan(&placed.ID)
	if !errors.Is(err, sql.ErrNoRows) {
		return placed, true, err
	}
	placed.ID, err = idOf(ctx, tx, d.Key)
	return placed, false, err
}

// Report changes an item, as long as it is as the change says that it was, and
// returns its new revision.
func (w *Writer) Report(ctx context.Context, by By, change Change) (revision int64, err error) {
	err = w.write(ctx, "report progress", func(tx *sql.Tx) error {
		var state State
		err := tx.QueryRowContext(ctx, `SELECT state, revision FROM items WHERE id = ?`, change.Item).Scan(&state, &revision)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return notFound(change.Item)
		case err != nil:
			return err
		case state != change.Before || revision != change.Revision:
			return refusal.New(refusal.ItemChanged, "item %d was %s in revision %d at the preview, and is %s in revision %d now",
				change.Item, change.Before, change.Revision, state, revision)
		}
		revision++
		if _, err := tx.ExecContext(ctx, `UPDATE items SET state = ?, revision = ? WHERE id = ?`, string(change.After), revision, change.Item); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO reports (item, revision, before, after, note, actor, call, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
			change.Item, revision, string(change.Before), string(change.After), change.Note, by.Actor, by.Call, w.now().UnixMilli())
		return err
	})
	return revision, err
}

// write changes the tracker, as a whole or not at all.
func (w *Writer) write(ctx context.Context, doing string, do func(*sql.Tx) error) error {
	return told(ctx, doing, within(ctx, w.db, do))
}
