package audit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/gatewright/gatewright/runtime/state"
)

// Rotate lets the log go on in a new file. What it holds so far stays in the
// folder under the name that [OldName] gives it. The entry that it returns is
// the first of the new file; it is durable, and so is everything before it.
// After an error, or a kill between any two steps, the log goes on in the old
// file or in the new one, and nothing of it is lost. Where no server has pinned
// a protocol its error matches [ErrNotPinned].
func Rotate(ctx context.Context, folder *state.Folder, actor, session string) (first Entry, err error) {
	options := Options{Protocol: folder.Protocol(), Actor: actor, Session: session}
	err = visit(ctx, folder, options, func(l *Log) error {
		first, err = l.rotate()
		return err
	})
	if err != nil {
		return Entry{}, fmt.Errorf("let the audit log go on in a new file: %w", err)
	}
	return first, nil
}

// rotate gives the file a second name and then puts a new one in the place of
// the first. So there is a file of that name at every moment, and whoever has
// the old one open finds it under its other name.
func (l *Log) rotate() (Entry, error) {
	digest, err := l.pinned()
	if err != nil {
		return Entry{}, err
	}
	l.options.Digest = digest
	if err := l.syncNow(); err != nil {
		return Entry{}, err
	}
	old := OldName(l.first)
	if err := l.alsoName(old); err != nil {
		return Entry{}, err
	}
	entry := l.own(LogRotated, map[string]string{
		"file": old, "seq": strconv.FormatUint(l.head.Seq, 10), "hash": l.head.Hash, "offset": strconv.FormatInt(l.base+l.offset, 10),
	})
	if err := l.place(&entry); err != nil {
		return Entry{}, err
	}
	if err := l.folder.Replace(FileName, l.line); err != nil {
		return Entry{}, err
	}
	return entry, l.moveOn()
}

// alsoName gives the file another name, durably. One that has it already got it
// from whoever was killed before the next step.
func (l *Log) alsoName(name string) error {
	info, err := l.file.Stat()
	if err != nil {
		return err
	}
	path := func(name string) string { return filepath.Join(l.folder.Path(), name) }
	if err := os.Link(path(FileName), path(name)); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if !l.folder.Same(name, info) {
		return fmt.Errorf("%s is another file; find out what it is, and move it away", path(name))
	}
	return l.folder.Sync()
}

// begin finds out where in the log the file stands, and returns the head that
// it goes on from. Another file may have taken its place since it was opened.
func (l *Log) begin() (Head, error) {
	info, err := l.file.Stat()
	if err != nil {
		return Head{}, err
	}
	if !l.folder.Same(FileName, info) {
		opened, err := l.folder.OpenFile(FileName, os.O_RDWR|os.O_APPEND)
		if err != nil {
			return Head{}, err
		}
		if info, err = opened.Stat(); err != nil {
			return Head{}, errors.Join(err, opened.Close())
		}
		old := l.file
		l.part = &part{file: systemFile{opened}}
		if err := old.Close(); err != nil {
			return Head{}, err
		}
	}
	l.first = 1
	first, err := firstEntry(l.file, info.Size())
	switch {
	case err != nil:
		return Head{}, &DamageError{Line: 1, Problem: err.Error()}
	case first == nil || first.Seq == 1:
		return Head{}, l.alone(info)
	}
	l.first = first.Seq
	var before Head
	if before, l.base, err = rotatedFrom(first); err == nil {
		err = l.endsWith(first.Details["file"], before)
	}
	if err != nil {
		return Head{}, &DamageError{Line: 1, Problem: err.Error()}
	}
	// Whoever put the file there may have been killed before that was durable.
	return before, l.folder.Sync()
}

// alone checks that there is no file before the one that the log begins with.
func (l *Log) alone(info fs.FileInfo) error {
	firsts, err := oldFiles(l.folder)
	if err != nil {
		return err
	}
	for _, first := range firsts {
		if name := OldName(first); !l.folder.Same(name, info) {
			return &DamageError{Line: 1, Problem: "the file does not go on from " + name}
		}
	}
	return nil
}

// endsWith checks that an old file ends with a head.
func (l *Log) endsWith(name string, head Head) error {
	if _, ok := oldFirst(name); !ok {
		return fmt.Errorf("it names %q as the file before it", name)
	}
	file, err := l.folder.OpenFile(name, os.O_RDONLY)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	last, err := lastEntry(file, info.Size())
	if err == nil && (last.Seq != head.Seq || last.Hash != head.Hash) {
		err = fmt.Errorf("the file before it, %s, ends with another entry than it says", name)
	}
	return err
}

// moveOn goes on in the file that follows on the one that is open, which
// nobody writes to any more.
func (l *Log) moveOn() error {
	if err := l.syncNow(); err != nil {
		return err
	}
	opened, err := l.folder.OpenFile(OldName(l.head.Seq+1), os.O_RDWR|os.O_APPEND)
	if errors.Is(err, fs.ErrNotExist) {
		opened, err = l.folder.OpenFile(FileName, os.O_RDWR|os.O_APPEND)
	}
	if err != nil {
		return err
	}
	next, err := l.following(systemFile{opened})
	if err == nil {
		err = l.folder.Sync() // as in begin
	}
	if err != nil {
		return errors.Join(err, opened.Close())
	}
	old := l.part
	old.finish()
	l.part, l.offset = next.part, next.offset
	l.head = next.head
	l.appended.Store(l.offset)
	return old.file.Close()
}

// A following is a file after its first entry.
type following struct {
	part   *part
	offset int64
	head   Head
}

// following checks that a file goes on from the end of the one that is open.
func (l *Log) following(opened file) (following, error) {
	info, err := opened.Stat()
	if err != nil {
		return following{}, err
	}
	first, err := firstEntry(opened, info.Size())
	if err == nil && first == nil {
		err = errors.New("it is empty")
	}
	if err == nil {
		err = follow(l.head, first)
	}
	if err == nil {
		err = succeeds(first, l.head, l.base+l.offset)
	}
	if err != nil {
		return following{}, &DamageError{Line: 1, Problem: "another file took the place of the one before, and does not go on from it: " + err.Error()}
	}
	line := seal(nil, first)
	return following{part: &part{file: opened, first: first.Seq, base: l.base + l.offset}, offset: int64(len(line)), head: Head{Seq: first.Seq, Hash: first.Hash}}, nil
}
