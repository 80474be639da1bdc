package audit

import (
	"fmt"
)

// A constant is an error that no package of the process can set to nil.
type constant string

func (c constant) Error() string { return string(c) }

// ErrClosed is returned once the log is closed.
const ErrClosed constant = "the audit log is closed"

// ErrEmpty is returned where there is a log and no entry in it.
const ErrEmpty constant = "the audit log is empty"

// ErrNotPinned is returned where a protocol is to take the place of another and
// no server has ever pinned one.
const ErrNotPinned constant = "no protocol is pinned here yet; the first server that starts pins its own"

// ErrPinnedMeanwhile is returned where another protocol is in force than the
// one that was to be replaced.
const ErrPinnedMeanwhile constant = "another protocol was put in force in the meantime"

// A DamageError says where the log is not what was written to it. Nothing is
// appended to a damaged log.
type DamageError struct {
	File         string // empty where it is the one being written, or not known
	Line         uint64 // from 1; 0 where the line is not known
	Offset       int64  // in bytes, of the start of what is wrong
	Problem      string
	Unterminated bool // the last line only lacks its end, as after a crash; opening the log sets it aside
}

func (e *DamageError) Error() string {
	place := fmt.Sprintf("byte %d", e.Offset)
	if e.Line > 0 {
		place = fmt.Sprintf("line %d (%s)", e.Line, place)
	}
	if e.File != "" && e.File != FileName {
		place += " of " + e.File
	}
	return fmt.Sprintf("the audit log is damaged at %s: %s; keep the file for whoever looks into it", place, e.Problem)
}

// A LockError says that the log's lock could not be taken in time.
type LockError struct {
	Path string
	Err  error
}

func (e *LockError) Error() string {
	return fmt.Sprintf("the lock of the audit log, %s, could not be taken: %v; the process that holds it may have been stopped", e.Path, e.Err)
}

func (e *LockError) Unwrap() error { return e.Err }

// A BrokenError says that the log can no longer be trusted by this process:
// the system failed to write or to sync, and what the disk holds is not known.
type BrokenError struct {
	Doing string
	Err   error
}

func (e *BrokenError) Error() string {
	return fmt.Sprintf("the audit log takes no more entries from this process: %s: %v; start again once the disk is sound", e.Doing, e.Err)
}

func (e *BrokenError) Unwrap() error { return e.Err }
