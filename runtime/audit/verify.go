package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/gatewright/gatewright/runtime/gate"
	"github.com/gatewright/gatewright/runtime/state"
)

// A Report is what [Verify] found in the part of a log that is whole.
type Report struct {
	Entries  uint64
	Bytes    int64
	Head     Head       // keep it elsewhere to be able to tell later whether the end was cut off
	InFlight []OpenCall // admitted and without a result, in order
}

// An OpenCall is a call that was admitted and whose result the log does not
// hold: it is still running, or its server ended before it did. Whether the
// call had its effect cannot be told from the log.
type OpenCall struct {
	Seq    uint64
	Time   time.Time
	Mode   string
	Tool   string
	Effect string
	Call   string
}

// Verify reads a whole log and checks every entry and the chain. Its error is
// a *[DamageError] for the first line that is wrong, or an error of the reader;
// the report covers what comes before. Its memory grows with the number of
// calls in flight at a time, and not with the log.
func Verify(r io.Reader) (Report, error) { return verify(r, Head{}) }

// VerifyAgainst also checks that the log holds the entry a head names, which
// was taken from the same log earlier. A log that was cut off since, or
// written anew, does not.
func VerifyAgainst(r io.Reader, head Head) (Report, error) { return verify(r, head) }

// VerifyFolder verifies the log of a state folder up to where it ends now, while
// servers go on appending to it, and against a head that was kept; the zero
// Head is none. It waits for the lock until ctx ends. A folder without a log is
// an error that matches fs.ErrNotExist.
func VerifyFolder(ctx context.Context, folder *state.Folder, known Head) (Report, error) {
	file, err := folder.OpenFile(FileName, os.O_RDONLY)
	if err != nil {
		return Report{}, err
	}
	defer func() { _ = file.Close() }()
	lock, err := newLock(folder)
	if err != nil {
		return Report{}, err
	}
	defer func() { _ = lock.close() }()
	if err := lock.acquire(ctx, time.Time{}); err != nil {
		return Report{}, err
	}
	info, err := file.Stat()
	if err := errors.Join(err, lock.release()); err != nil {
		return Report{}, err
	}
	return verify(io.NewSectionReader(file, 0, info.Size()), known)
}

func verify(r io.Reader, known Head) (Report, error) {
	w := newWalker(r)
	open := map[string]OpenCall{}
	report := func() Report {
		calls := slices.SortedFunc(maps.Values(open), func(a, b OpenCall) int { return cmp.Compare(a.Seq, b.Seq) })
		return Report{Entries: w.line, Bytes: w.offset, Head: w.head, InFlight: calls}
	}
	for {
		at := w.offset
		entry, err := w.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return report(), err
		}
		track(open, &entry)
		if entry.Seq == known.Seq && entry.Hash != known.Hash {
			return report(), &DamageError{Line: w.line, Offset: at,
				Problem: fmt.Sprintf("entry %d is not the one that was there before", known.Seq)}
		}
	}
	if w.head.Seq < known.Seq {
		return report(), &DamageError{Line: w.line + 1, Offset: w.offset,
			Problem: fmt.Sprintf("the log ends with entry %d, and it had %d", w.head.Seq, known.Seq)}
	}
	return report(), nil
}

// track keeps the calls that are open after an entry. A call that was admitted
// and then refused, because its admission could not be made durable, did not
// run.
func track(open map[string]OpenCall, e *Entry) {
	switch {
	case e.Event == gate.ToolCall && e.Decision == gate.Admitted:
		open[e.Call] = OpenCall{Seq: e.Seq, Time: e.Time, Mode: e.Mode, Tool: e.Tool, Effect: e.Effect, Call: e.Call}
	case e.Event == gate.ToolResult || e.Decision == gate.Refused:
		delete(open, e.Call)
	}
}
