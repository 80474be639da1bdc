package items

import (
	"context"
	"errors"
	"fmt"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/gatewright/gatewright/protocols/tracker/internal/refusal"
	"github.com/gatewright/gatewright/runtime/gate"
)

// told wraps an error with what was being done, unless it says that itself.
func told(ctx context.Context, doing string, err error) error {
	err = explain(ctx, err)
	var failure *gate.Failure
	if err == nil || errors.As(err, &failure) {
		return err
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// explain gives an error of SQLite a code that a caller can act on. That the
// call has ended explains whatever SQLite says then.
func explain(ctx context.Context, err error) error {
	var of *sqlite.Error
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case !errors.As(err, &of):
		return err
	}
	switch of.Code() & 0xff {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return refusal.New(refusal.TrackerBusy, "the tracker is in use: %v", err)
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return refusal.New(refusal.TrackerDamaged, "the tracker cannot be read: %v", err)
	case sqlite3.SQLITE_TOOBIG:
		return refusal.New(refusal.TrackerDamaged, "the tracker holds more in one place than any server writes: %v", err)
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM:
		return refusal.New(refusal.TrackerUnwritable, "the tracker cannot be used: %v", err)
	}
	return err
}
