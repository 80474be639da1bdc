package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"
)

// tailWindow holds, whatever their length, the last entry and an unterminated
// line after it.
const tailWindow = 2*maxLine + 2

// moment is for how long nothing is read ahead.
const moment = time.Millisecond

// findHead verifies the end of the log and finds the head there. It is the
// first update of a process; catchUp is each one after.
func (l *Log) findHead() error {
	before, err := l.begin()
	if err != nil {
		return err
	}
	size, _, err := l.size()
	if err != nil {
		return err
	}
	start := max(0, size-tailWindow)
	window := make([]byte, size-start)
	if _, err := l.file.ReadAt(window, start); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read the end of the log: %w", err)
	}
	skip := 0
	if start > 0 {
		if skip = bytes.IndexByte(window, '\n') + 1; skip == 0 {
			return &DamageError{Offset: start, Problem: "the line is longer than an entry can be"}
		}
	}
	l.head = before
	w := l.walk(bytes.NewReader(window[skip:]), start+int64(skip))
	w.loose = start > 0
	if err := l.follow(w, size, true); err != nil {
		return err
	}
	if l.head.Seq == 0 && l.offset > 0 {
		return &DamageError{Offset: start, Problem: "there is no entry at its end"}
	}
	return nil
}

// catchUp verifies what other processes have appended since this one looked,
// and goes on in the file where the log goes on.
func (l *Log) catchUp() error {
	l.seen = time.Now()
	for {
		size, current, err := l.size()
		switch {
		case err != nil:
			return err
		case size < l.offset:
			return &DamageError{Offset: size, Problem: fmt.Sprintf("the file shrank; this process has seen %d bytes", l.offset)}
		case size > l.offset:
			rest := io.NewSectionReader(l.file, l.offset, size-l.offset)
			if err := l.follow(l.walk(rest, l.offset), size, current); err != nil {
				return err
			}
		}
		if current {
			return nil
		}
		if err := l.moveOn(); err != nil {
			return err
		}
	}
}

// readAhead verifies, before the lock is taken, what would keep others waiting
// if it were verified under it. What it finds wrong is left to catchUp: it may
// only be an entry that is being written. In a moment, others do not write much.
func (l *Log) readAhead() {
	if time.Since(l.seen) < moment {
		return
	}
	info, err := l.file.Stat()
	if err != nil || l.head.Seq == 0 || info.Size() < l.offset+tailWindow {
		return
	}
	w := l.walk(io.NewSectionReader(l.file, l.offset, info.Size()-l.offset), l.offset)
	for err == nil {
		l.offset, l.head = w.offset, w.head
		_, err = w.next()
	}
	l.appended.Store(l.offset)
}

// walk reads on from the head of this process.
func (l *Log) walk(r io.Reader, offset int64) *walker {
	l.reader.Reset(r)
	return &walker{reader: l.reader, offset: offset, head: l.head}
}

// follow takes over what a walker finds, up to the end of the file, and sets
// aside an unterminated last line. In a file that nobody writes to any more
// there is none.
func (l *Log) follow(w *walker, size int64, current bool) error {
	for {
		_, err := w.next()
		damage := new(DamageError)
		switch {
		case err == nil:
			l.offset, l.head = w.offset, w.head
		case errors.Is(err, io.EOF):
			l.offset = w.offset
			l.appended.Store(l.offset)
			return nil
		case errors.As(err, &damage) && damage.Unterminated && !w.loose && current:
			l.offset = w.offset
			return l.setAside(size)
		default:
			damage.Line, damage.Unterminated = 0, false // the lines were counted from the middle
			return err
		}
	}
}

// setAside moves the unterminated last line, from the offset to the end, to a
// file of its own. That is named for its content, so doing it again after a
// crash changes nothing.
func (l *Log) setAside(size int64) error {
	rest := make([]byte, size-l.offset)
	if _, err := l.file.ReadAt(rest, l.offset); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("read the unterminated last line: %w", err)
	}
	sum := sha256.Sum256(rest)
	hash := hex.EncodeToString(sum[:])
	name := fmt.Sprintf("audit.set-aside-%d-%s.jsonl", l.head.Seq+1, hash[:16])
	if err := l.folder.Replace(name, rest); err != nil {
		return fmt.Errorf("set the unterminated last line aside: %w", err)
	}
	if err := l.file.Truncate(l.offset); err != nil {
		return fmt.Errorf("set the unterminated last line aside: %w", err)
	}
	entry := l.own(LogRepaired, map[string]string{"bytes": strconv.Itoa(len(rest)), "file": name, "sha256": hash})
	if err := l.write(&entry); err != nil {
		return fmt.Errorf("log the repair: %w", err)
	}
	return l.syncNow()
}
