package items

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/gatewright/gatewright/protocols/tracker/internal/refusal"
)

// A Filter says which items are meant.
type Filter struct {
	State    State  // any where empty
	Document string // any where empty
	After    int64  // only items with a larger id
	Limit    int
}

const columns = `id, key, document, line, title, description, estimate, state, revision, actor, call, at`

// List returns items in the order of their ids, and whether there are more.
func (r *Reader) List(ctx context.Context, filter Filter) (found []Item, more bool, err error) {
	err = r.read(ctx, "list items", func(tx *sql.Tx) error {
		return each(ctx, tx, func(rows *sql.Rows) error {
			item, err := scan(rows)
			found = append(found, item)
			return err
		}, `SELECT `+columns+` FROM items WHERE id > ? AND ? IN ('', state) AND ? IN ('', document) ORDER BY id LIMIT ?`,
			filter.After, string(filter.State), filter.Document, filter.Limit+1)
	})
	if err == nil && len(found) > filter.Limit {
		return found[:filter.Limit], true, nil
	}
	return found, false, err
}

// Show returns an item and the latest reports on it, the latest first.
func (r *Reader) Show(ctx context.Context, id int64, limit int) (item Item, reports []Report, err error) {
	if r.db == nil {
		return item, nil, notFound(id)
	}
	err = r.read(ctx, "show an item", func(tx *sql.Tx) error {
		item, err = scan(tx.QueryRowContext(ctx, `SELECT `+columns+` FROM items WHERE id = ?`, id))
		if errors.Is(err, sql.ErrNoRows) {
			return notFound(id)
		}
		if err != nil {
			return err
		}
		return each(ctx, tx, func(rows *sql.Rows) error {
			report, at := Report{Change: Change{Item: id}}, int64(0)
			err := rows.Scan(&report.Revision, &report.Before, &report.After, &report.Note, &report.By.Actor, &report.By.Call, &at)
			report.At = time.UnixMilli(at).UTC()
			if err == nil && !sound([]State{report.Before, report.After}, report.Note, report.By.Actor, report.By.Call) {
				err = damaged(id)
			}
			reports = append(reports, report)
			return err
		}, `SELECT revision, before, after, note, actor, call, at FROM reports WHERE item = ? ORDER BY revision DESC LIMIT ?`, id, limit)
	})
	return item, reports, err
}

// Stored returns the ids of those keys that items have.
func (r *Reader) Stored(ctx context.Context, keys []string) (map[string]int64, error) {
	stored := map[string]int64{}
	err := r.read(ctx, "look for items", func(tx *sql.Tx) error {
		for _, key := range keys {
			id, err := idOf(ctx, tx, key)
			switch {
			case err == nil:
				stored[key] = id
			case !errors.Is(err, sql.ErrNoRows):
				return err
			}
		}
		return nil
	})
	return stored, err
}

func idOf(ctx context.Context, tx *sql.Tx, key string) (id int64, err error) {
	err = tx.QueryRowContext(ctx, `SELECT id FROM items WHERE key = ?`, key).Scan(&id)
	return id, err
}

// read does something in a view of the tracker as it is at one moment.
func (r *Reader) read(ctx context.Context, doing string, do func(*sql.Tx) error) error {
	if r.db == nil {
		return nil
	}
	return told(ctx, doing, within(ctx, r.db, do))
}

func scan(row interface{ Scan(to ...any) error }) (item Item, err error) {
	var at int64
	err = row.Scan(&item.ID, &item.Key, &item.Document, &item.Line, &item.Title, &item.Description, &item.Estimate,
		&item.State, &item.Revision, &item.By.Actor, &item.By.Call, &at)
	item.At = time.UnixMilli(at).UTC()
	if err == nil && !sound([]State{item.State}, item.Key, item.Document, item.Title, item.Description, item.By.Actor, item.By.Call) {
		err = damaged(item.ID)
	}
	return item, err
}

// sound reports whether states are known and texts are text, which the columns
// of a database that somebody else made need not be.
func sound(states []State, texts ...string) bool {
	for _, state := range states {
		if !slices.Contains([]State{Open, Doing, Done, Blocked}, state) {
			return false
		}
	}
	return !slices.ContainsFunc(texts, func(text string) bool { return !utf8.ValidString(text) })
}

func damaged(id int64) error {
	return refusal.New(refusal.TrackerDamaged, "item %d holds what no server writes", id)
}

func notFound(id int64) error {
	return refusal.New(refusal.ItemNotFound, "there is no item %d", id)
}
