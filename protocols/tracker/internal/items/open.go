package items

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// maxRow is the size in bytes up to which a row is read and written. Texts are
// bounded in characters, which is far less.
const maxRow = 1 << 20

// A Reader reads a tracker. It is safe for concurrent use.
type Reader struct{ database }

// A Writer changes a tracker. It is safe for concurrent use.
type Writer struct {
	database

	now func() time.Time
}

// A database is an open tracker, or none at all.
type database struct {
	place *place
	db    *sql.DB // nil where there is no tracker
	close func() error
}

// OpenReader opens the tracker of a workspace to read. Where there is none, it
// reads as empty, and none is made.
func OpenReader(ctx context.Context, workspace string) (*Reader, error) {
	place, err := findPlace(workspace)
	if err != nil {
		return nil, told(ctx, "open the tracker", err)
	}
	if place == nil {
		return &Reader{}, nil
	}
	if place.lacks(FileName) {
		return &Reader{}, place.close()
	}
	opened, err := open(ctx, place, readOnly)
	if err != nil {
		return nil, told(ctx, "open the tracker", err)
	}
	return &Reader{opened}, nil
}

// OpenWriter opens the tracker of a workspace to change it, and makes one where
// there is none. Only the opening of a guarded client calls it.
func OpenWriter(ctx context.Context, workspace string) (*Writer, error) {
	place, err := makePlace(workspace)
	if err != nil {
		return nil, told(ctx, "open the tracker", err)
	}
	if place.lacks(FileName) {
		if err := place.create(ctx); err != nil {
			return nil, told(ctx, "make the tracker", errors.Join(err, place.close()))
		}
	}
	opened, err := open(ctx, place, readWrite)
	if err != nil {
		return nil, told(ctx, "open the tracker", err)
	}
	return &Writer{database: opened, now: time.Now}, nil
}

// open opens the database of a place, which it closes where that fails.
func open(ctx context.Context, place *place, access access) (opened database, err error) {
	defer func() {
		if err != nil {
			err = errors.Join(err, opened.Close())
		}
	}()
	opened.place = place
	file, err := place.look(FileName)
	if err != nil {
		return opened, err
	}
	if opened.db, err = place.connect(FileName, file, access); err != nil {
		return opened, err
	}
	opened.close = sync.OnceValue(func() error { return errors.Join(opened.db.Close(), place.close()) })
	if err := bound(ctx, opened.db); err != nil {
		return opened, err
	}
	return opened, verify(ctx, opened.db)
}

// bound keeps the one connection from reading or writing a row that is larger
// than any of a tracker.
func bound(ctx context.Context, db *sql.DB) (err error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	_, err = sqlite.Limit(conn, sqlite3.SQLITE_LIMIT_LENGTH, maxRow)
	return err
}

// Close releases the tracker. Closing it again does nothing.
func (d *database) Close() error {
	switch {
	case d.close != nil:
		return d.close()
	case d.place != nil:
		return d.place.close()
	}
	return nil
}
