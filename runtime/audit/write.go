package audit

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/gatewright/gatewright/runtime/gate"
)

// write appends an entry in one go. When that fails, what was written of it is
// taken back.
func (l *Log) write(entry *Entry) error {
	if err := l.place(entry); err != nil {
		return err
	}
	n, err := l.file.Write(l.line)
	if err == nil && n < len(l.line) {
		err = errors.New("it was written in part")
	}
	if err != nil {
		if undo := l.file.Truncate(l.offset); undo != nil {
			l.broken = &BrokenError{Doing: "take back an entry that was written in part", Err: errors.Join(undo, err)}
			return l.broken
		}
		return err
	}
	l.offset += int64(len(l.line))
	l.head = Head{Seq: entry.Seq, Hash: entry.Hash}
	l.appended.Store(l.offset)
	return nil
}

// place makes an entry the next of the chain, and its line.
func (l *Log) place(entry *Entry) error {
	if year := entry.Time.UTC().Year(); year < 0 || year > 9999 {
		return fmt.Errorf("an entry of the year %d cannot be written", year)
	}
	entry.V, entry.Seq, entry.Prev = version, l.head.Seq+1, l.head.prev()
	l.line = seal(l.line[:0], entry)
	if len(l.line) > maxLine {
		return fmt.Errorf("an entry of %d bytes cannot be written", len(l.line))
	}
	return nil
}

// own is an entry of the log's own.
func (l *Log) own(event gate.Event, details map[string]string) Entry {
	o := &l.options
	entry := entryOf(gate.Entry{Event: event, Time: o.Now(), Protocol: o.Protocol, Digest: o.Digest, Mode: o.Mode, Actor: o.Actor, Session: o.Session})
	entry.Details = details
	return entry
}

// size is that of the file, and whether it is still the one of that name. One
// that is neither that nor kept under the name of an old file is a doubt.
func (l *Log) size() (size int64, current bool, err error) {
	info, err := l.file.Stat()
	if err != nil {
		return 0, false, err
	}
	if current = l.folder.Same(FileName, info); !current && !l.folder.Same(OldName(l.first), info) {
		return 0, false, &DamageError{Offset: l.offset, Problem: "the file was removed or replaced by another"}
	}
	if !info.Mode().IsRegular() || info.Mode().Perm()&^fs.FileMode(0o600) != 0 {
		return 0, false, &DamageError{Offset: l.offset, Problem: "the file's mode was changed to " + info.Mode().String()}
	}
	return info.Size(), current, nil
}
