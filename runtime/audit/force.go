package audit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gatewright/gatewright/runtime/state"
)

// inForce is what a verification learns of the protocol in force: from
// state.json as it was when the log ended where it ends, and from the log.
type inForce struct {
	content []byte // nil where there is no state.json
	found   state.State
	wrong   error // what is the matter with state.json by itself

	named string // what is the matter with the entry it names; empty once that was met
	met   bool
	last  Head // the last entry that puts a protocol in force
}

// stand takes state.json, the names of the old files and the end of the log at
// one moment.
func (v *verifier) stand(ctx context.Context, r *Reader) error {
	return still(ctx, r.folder, func(_ *os.File, info fs.FileInfo) error {
		r.end, r.size = info, info.Size()
		firsts, err := oldFiles(r.folder)
		if err != nil {
			return err
		}
		v.old = make(map[uint64]bool, len(firsts))
		for _, first := range firsts {
			v.old[first] = true
		}
		content, err := r.folder.Read()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if v.force.wrong = err; err == nil {
			v.force.content = content
			v.force.found, v.force.wrong = r.folder.Parse(content)
		}
		return nil
	})
}

func (f *inForce) add(e *Entry, at Position) {
	if pins(e) {
		f.last = Head{Seq: e.Seq, Hash: e.Hash}
	}
	s := &f.found
	if f.content == nil || e.Seq != s.SetBy.Seq {
		return
	}
	f.met, f.named = true, pinnedBy(e, s)
	if f.named == "" && at.Start != s.SetBy.Offset {
		f.named = fmt.Sprintf("that entry starts at byte %d, not %d", at.Start, s.SetBy.Offset)
	}
}

// pinnedBy says how an entry differs from the one a state names; empty where it
// does not.
func pinnedBy(e *Entry, s *state.State) string {
	switch {
	case e.Seq != s.SetBy.Seq || e.Hash != s.SetBy.Hash:
		return "another entry stands there"
	case !pins(e) || e.Protocol != s.Protocol || e.Digest != s.Digest:
		return "that entry does not pin this protocol"
	}
	return ""
}

// agrees holds state.json against the whole log. That it is missing, or behind
// by what an adoption has just written, is what a crash leaves; the next server
// mends it.
func (f *inForce) agrees(folder *state.Folder) error {
	if f.wrong != nil || f.content == nil {
		return f.wrong
	}
	s := &f.found
	problem := f.named
	switch {
	case !f.met:
		problem = "the log has no such entry"
	case problem != "":
	case f.last.Seq != s.SetBy.Seq && (s.Pending == nil || s.Pending.Seq != f.last.Seq):
		problem = fmt.Sprintf("entry %d put another protocol in force since", f.last.Seq)
	}
	if problem == "" {
		return nil
	}
	return disagreement(folder, s, errors.New(problem))
}

// disagreement says that state.json is not what the log makes of it.
func disagreement(folder *state.Folder, s *state.State, err error) error {
	return &state.Error{Reason: state.Damaged, Path: filepath.Join(folder.Path(), state.FileName), Err: err,
		Message: fmt.Sprintf("it does not agree with entry %d of the audit log, which it names", s.SetBy.Seq),
		Next:    "find out whether the file or the log was changed; remove the file to have it made again from the log"}
}
