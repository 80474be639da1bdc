package store

import (
	"context"
	"errors"
	"fmt"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// A Reason names one kind of [Error].
type Reason string

// The reasons for which the store does not do what it was asked.
const (
	Missing      Reason = "missing"      // it does not exist, and was not to be made
	NotStore     Reason = "not_a_store"  // the file is something else
	Newer        Reason = "newer"        // it was written by a newer version
	Damaged      Reason = "damaged"      // it is not what this program writes
	Replaced     Reason = "replaced"     // another file has taken its place
	ReadOnly     Reason = "read_only"    // it cannot be written
	Full         Reason = "full"         // the disk, or the room that is allowed, is used up
	Failing      Reason = "failing"      // the system failed to read or write it
	Busy         Reason = "busy"         // another process held it for too long
	Inaccessible Reason = "inaccessible" // the system does not let it be opened
	Closed       Reason = "closed"       // this program has closed it
	TooLarge     Reason = "too_large"    // what was to be kept is larger than the bound
	BadRequest   Reason = "bad_request"  // what was to be kept cannot be
	BadClock     Reason = "bad_clock"    // the clock is out of all bounds
)

// An Error says why the store was not used or did not keep something, and what
// to do about it.
type Error struct {
	Reason  Reason
	Path    string
	Message string
	Next    string // what a person can do
	Err     error  // of SQLite or the system, may be nil
}

func (e *Error) Error() string {
	text := fmt.Sprintf("store: %s: %s", e.Path, e.Message)
	if e.Err != nil {
		text += fmt.Sprintf(": %v", e.Err)
	}
	if e.Next != "" {
		text += "; " + e.Next
	}
	return text
}

func (e *Error) Unwrap() error { return e.Err }

const (
	nextDamaged = "have a person find out what changed it, then move it away with its -wal and -shm: what was approved is asked for again"
	nextBusy    = "try again; if it stays so, find the process that holds it and stop it"
)

// damage is a row that this program does not write.
type damage string

func (d damage) Error() string { return string(d) }

// explain makes an [Error] of what SQLite said, or of damage. Other errors are
// left alone.
func explain(path string, err error) error {
	if damaged, ok := errors.AsType[damage](err); ok {
		return &Error{Reason: Damaged, Path: path, Message: string(damaged), Next: nextDamaged}
	}
	failed, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return err
	}
	e := &Error{Path: path, Err: err}
	switch failed.Code() & 0xff {
	case sqlite3.SQLITE_FULL:
		e.Reason, e.Message, e.Next = Full, "there is no room left to write", "make room on the disk, and try again"
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM:
		e.Reason, e.Message, e.Next = ReadOnly, "it cannot be written", "make the file, its folder and the disk writable to this user"
	case sqlite3.SQLITE_IOERR:
		e.Reason, e.Message, e.Next = Failing, "the system failed to read or write it", "look after the disk, and try again"
	case sqlite3.SQLITE_CORRUPT:
		e.Reason, e.Message, e.Next = Damaged, "it is damaged", nextDamaged
	case sqlite3.SQLITE_NOTADB:
		e.Reason, e.Message, e.Next = NotStore, "it is not a store", nextDamaged
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL:
		e.Reason, e.Message, e.Next = Busy, "another process held it for too long", nextBusy
	case sqlite3.SQLITE_CANTOPEN:
		e.Reason, e.Message, e.Next = Inaccessible, "it cannot be opened", "make it accessible to this user"
	case sqlite3.SQLITE_TOOBIG:
		e.Reason, e.Message = TooLarge, "it is larger than SQLite keeps"
	case sqlite3.SQLITE_CONSTRAINT:
		e.Reason, e.Message = BadRequest, "the request cannot be kept as it is"
	default:
		e.Reason, e.Message, e.Next = Failing, "it failed", "try again"
	}
	return e
}

// told prefers the reason for which a context ended to what came of it.
func told(ctx context.Context, path string, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return explain(path, err)
}
