package audit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"time"

	"github.com/gatewright/gatewright/runtime/state"
)

// A Reader reads the log of a state folder entry by entry, from the first one,
// across its files, and holds each entry against the one before. It needs
// memory for one entry. It is not safe for concurrent use.
type Reader struct {
	folder *state.Folder
	end    fs.FileInfo // the file to end with; nil where the reader goes on with what is written
	size   int64       // how much of that file is read

	walk   *walker
	file   *os.File
	info   fs.FileInfo
	name   string
	files  uint64
	at     Position // of the entry read last
	before int64    // bytes in the files before this one
	rest   bool     // another file took the place of this one, of which the rest is read now
}

// A Position says where an entry stands.
type Position struct {
	File   string
	Line   uint64 // from 1, in the file
	Offset int64  // in bytes, of the start of the line in the file
	Start  int64  // in bytes, of the start of the line in the whole log
}

// NewReader returns a reader of what is in the log now. It takes the lock for a
// moment, so that it does not end in an entry that is being written; where that
// takes longer than [DefaultLockTimeout], its error is a *[LockError]. A folder
// without a log is an error that matches fs.ErrNotExist.
func NewReader(ctx context.Context, folder *state.Folder) (*Reader, error) {
	r := &Reader{folder: folder}
	return r, still(ctx, folder, func(_ *os.File, info fs.FileInfo) error {
		r.end, r.size = info, info.Size()
		return nil
	})
}

// NewFollower returns a reader that returns io.EOF where the log ends for now,
// and goes on from there once more was written. It takes no lock, and leaves a
// line that has no end yet for later.
func NewFollower(folder *state.Folder) *Reader { return &Reader{folder: folder} }

// still does something with the log's file while nobody writes to it.
func still(ctx context.Context, folder *state.Folder, do func(file *os.File, info fs.FileInfo) error) (err error) {
	file, err := folder.OpenFile(FileName, os.O_RDONLY)
	if err != nil {
		return err // no lock is made where there is no log
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	lock, err := newLock(folder)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.close()) }()
	if err := lock.acquire(ctx, time.Now().Add(DefaultLockTimeout)); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.release()) }()
	current, err := folder.OpenFile(FileName, os.O_RDONLY)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, current.Close()) }()
	info, err := current.Stat()
	if err != nil {
		return err
	}
	return do(current, info)
}

// Next returns the next entry. After the last one it returns io.EOF, and where
// the log is not what was written to it, a *[DamageError].
func (r *Reader) Next() (Entry, error) {
	if r.file == nil {
		if err := r.first(); err != nil {
			return Entry{}, err
		}
	}
	for {
		offset := r.walk.offset
		entry, err := r.walk.next()
		if err == nil && r.walk.line == 1 && r.files > 1 {
			if wrong := succeeds(&entry, r.walk.before, r.before); wrong != nil {
				err = &DamageError{Line: 1, Problem: wrong.Error()}
			}
		}
		damage := new(DamageError)
		switch {
		case err == nil:
			r.at = Position{File: r.name, Line: r.walk.line, Offset: offset, Start: r.before + offset}
			return entry, nil
		case errors.As(err, &damage) && (!damage.Unterminated || r.end != nil || r.rest):
			damage.File = r.name
			return Entry{}, damage
		case !errors.Is(err, io.EOF) && damage.Problem == "":
			return Entry{}, fmt.Errorf("read the audit log: %w", err)
		}
		if err := r.goOn(); err != nil {
			return Entry{}, err
		}
	}
}

// Line returns the line of the entry that Next returned, without its newline.
// It is good until Next is called again.
func (r *Reader) Line() []byte { return r.walk.raw }

// Position returns where the entry stands that Next returned.
func (r *Reader) Position() Position { return r.at }

// Head returns the head of the chain as far as it was read.
func (r *Reader) Head() Head {
	if r.walk == nil {
		return Head{}
	}
	return r.walk.head
}

// Close gives the open file back.
func (r *Reader) Close() error {
	if r.file == nil {
		return nil
	}
	return r.file.Close()
}

// first opens the first file of the log. An old file that comes to be in
// between is found by looking again.
func (r *Reader) first() error {
	for {
		before, err := oldFiles(r.folder)
		if err != nil {
			return err
		}
		name := FileName
		if len(before) > 0 {
			name = OldName(before[0])
		}
		if err := r.open(name, Head{}); err != nil {
			return err
		}
		after, err := oldFiles(r.folder)
		if err != nil || (len(before) == 0) == (len(after) == 0) {
			return err
		}
	}
}

// goOn goes to where there may be more to read, and returns io.EOF where there
// is no more.
func (r *Reader) goOn() error {
	ends := r.end != nil && os.SameFile(r.info, r.end) || r.folder.Same(FileName, r.info)
	switch {
	case ends && r.files > 1 && r.walk.line == 0:
		return &DamageError{File: r.name, Problem: "the file is empty, and the log went on in it"}
	case r.end != nil && os.SameFile(r.info, r.end):
		return io.EOF
	case r.folder.Same(FileName, r.info):
		if info, err := r.file.Stat(); err != nil || info.Size() < r.walk.offset {
			return errors.Join(err, &DamageError{Offset: r.walk.offset, Problem: "the file shrank while it was being read"})
		}
		r.again()
		return io.EOF
	case !r.rest:
		// It may have grown between the end that was seen and the moment when
		// another took its place. From then on nobody writes to it.
		r.rest = true
		r.again()
		return nil
	}
	if r.walk.line == 0 {
		return &DamageError{File: r.name, Problem: "the file is empty, and the log goes on in another"}
	}
	r.before += r.walk.offset
	head := r.walk.head
	name := OldName(head.Seq + 1)
	err := r.open(name, head)
	if errors.Is(err, fs.ErrNotExist) {
		err = r.open(FileName, head)
	}
	return err
}

// again reads on from the last whole line.
func (r *Reader) again() {
	r.walk.reader.Reset(io.NewSectionReader(r.file, r.walk.offset, math.MaxInt64-r.walk.offset))
}

// open goes on with another file, which is to follow on head.
func (r *Reader) open(name string, head Head) error {
	file, err := r.folder.OpenFile(name, os.O_RDONLY)
	if err != nil {
		return err
	}
	info, err := file.Stat()
	if err != nil {
		return errors.Join(err, file.Close())
	}
	if r.file != nil {
		if err := r.file.Close(); err != nil {
			return errors.Join(err, file.Close())
		}
	}
	if r.folder.Same(FileName, info) {
		name = FileName // whatever else it is called for now
	}
	size := int64(math.MaxInt64)
	if r.end != nil && os.SameFile(info, r.end) {
		size = r.size
	}
	r.file, r.info, r.name, r.rest = file, info, name, false
	r.files++
	if head == (Head{}) {
		r.files = 1
	}
	r.walk = newWalker(io.NewSectionReader(file, 0, size))
	r.walk.head, r.walk.before = head, head
	return nil
}
