package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/gatewright/gatewright/runtime/gate"
	"github.com/gatewright/gatewright/runtime/state"
)

// A Report is what [Verify] found in the part of a log that is whole.
type Report struct {
	Entries  uint64
	Bytes    int64
	Files    int        // that the log is in
	Head     Head       // keep it elsewhere to be able to tell later whether the end was cut off
	Time     time.Time  // of the entry there
	InFlight []OpenCall // admitted and without a result, in order
	Approved uint64     // admitted calls that name an approval
	Findings []Finding  // the first of them, in order
	Found    uint64     // how many there are
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
// calls in flight at a time and of approvals, and not with the log. A log that
// goes on in further files is verified by [VerifyFolder].
func Verify(r io.Reader) (Report, error) { return VerifyAgainst(r, Head{}) }

// VerifyAgainst also checks that the log holds the entry a head names, which
// was taken from the same log earlier. A log that was cut off since, or
// written anew, does not.
func VerifyAgainst(r io.Reader, known Head) (Report, error) {
	w := newWalker(r)
	v := newVerifier(known)
	for {
		at := w.offset
		entry, err := w.next()
		v.report.Bytes = w.offset
		if errors.Is(err, io.EOF) {
			return v.end(Position{Line: w.line + 1, Offset: w.offset})
		}
		if err == nil {
			err = v.add(&entry, Position{Line: w.line, Offset: at, Start: at})
		}
		if err != nil {
			return v.whole(), err
		}
	}
}

// VerifyFolder verifies the log of a state folder, in all its files, up to where
// it ends now, while servers go on appending to it. It also holds it against
// heads that were kept, where they are not zero, and against state.json; what
// is wrong there is an error of type *[state.Error]. It takes the lock for a
// moment, as [NewReader] does, and stops when ctx ends. A folder without a log is an error that matches fs.ErrNotExist.
func VerifyFolder(ctx context.Context, folder *state.Folder, known ...Head) (Report, error) {
	v := newVerifier(known...)
	r := &Reader{folder: folder}
	if err := v.stand(ctx, r); err != nil {
		return Report{}, err
	}
	defer func() { _ = r.Close() }()
	for {
		entry, err := r.Next()
		if err == nil {
			err = context.Cause(ctx)
		}
		v.report.Files = int(r.files) //nolint:gosec // there are not that many
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return v.whole(), err
		}
		v.report.Bytes = r.before + r.walk.offset
		if err := v.add(&entry, r.at); err != nil {
			return v.whole(), err
		}
	}
	report, err := v.end(Position{File: r.name, Line: r.walk.line + 1, Offset: r.walk.offset})
	if err == nil {
		err = v.force.agrees(folder)
	}
	return report, err
}

// A verifier is one verification on its way through a log.
type verifier struct {
	known  []Head
	report Report
	open   map[string]OpenCall
	used   approvals
	force  inForce
}

func newVerifier(known ...Head) *verifier {
	return &verifier{known: known, open: map[string]OpenCall{}, used: approvals{}}
}

// add takes the next entry, whose place in the chain is checked.
func (v *verifier) add(e *Entry, at Position) error {
	for _, known := range v.known {
		if e.Seq == known.Seq && e.Hash != known.Hash {
			return &DamageError{File: at.File, Line: at.Line, Offset: at.Offset,
				Problem: fmt.Sprintf("entry %d is not the one that was there before", known.Seq)}
		}
	}
	v.report.Entries++
	v.report.Head, v.report.Time = Head{Seq: e.Seq, Hash: e.Hash}, e.Time
	track(v.open, e)
	if e.Approval != nil {
		if e.Event == gate.ToolCall && e.Decision == gate.Admitted {
			v.report.Approved++
		}
		v.note(e.Seq, v.used.add(e))
	}
	v.force.add(e, at)
	return nil
}

// end is the report at the end of the log, which is at a position.
func (v *verifier) end(at Position) (Report, error) {
	for _, known := range v.known {
		if v.report.Head.Seq < known.Seq {
			return v.whole(), &DamageError{File: at.File, Line: at.Line, Offset: at.Offset,
				Problem: fmt.Sprintf("the log ends with entry %d, and it had %d", v.report.Head.Seq, known.Seq)}
		}
	}
	return v.whole(), nil
}

func (v *verifier) whole() Report {
	v.report.InFlight = slices.SortedFunc(maps.Values(v.open), func(a, b OpenCall) int { return cmp.Compare(a.Seq, b.Seq) })
	return v.report
}

// track keeps the calls that are open after an entry. A call that was admitted
// and then refused, because its admission could not be made durable or the gate
// failed, did not run. No other refusal is one of a call that was admitted.
func track(open map[string]OpenCall, e *Entry) {
	switch {
	case e.Event == gate.ToolCall && e.Decision == gate.Admitted:
		open[e.Call] = OpenCall{Seq: e.Seq, Time: e.Time, Mode: e.Mode, Tool: e.Tool, Effect: e.Effect, Call: e.Call}
	case e.Event == gate.ToolResult,
		e.Decision == gate.Refused && (e.Code == gate.AuditUnavailable || e.Code == gate.Internal):
		delete(open, e.Call)
	}
}
