package audit

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"github.com/gatewright/gatewright/runtime/gate"
	"github.com/gatewright/gatewright/runtime/state"
)

// DefaultLockTimeout is how long an entry waits for other processes and other
// calls of this one before it is refused.
const DefaultLockTimeout = 5 * time.Second

// Options say who writes.
type Options struct {
	Protocol    string
	Digest      string // of the protocol this program was built from
	Text        string // of that protocol, in canonical form, to be kept in the folder while it is pinned; may be empty
	Mode        string
	Actor       string
	Session     string
	LockTimeout time.Duration    // 0 is DefaultLockTimeout
	Now         func() time.Time // for entries of the log's own; nil is time.Now
}

// A Log appends to the audit log of a state folder. It implements
// [gate.Ledger] and is safe for concurrent use.
type Log struct {
	folder  *state.Folder
	options Options
	lock    *lock

	// turn is held, by what it takes, around the lock. It guards what follows.
	turn   chan struct{}
	*part                // the file that is written to
	offset int64         // of the end of what this process has verified or written of it
	head   Head          // of the chain there
	seen   time.Time     // when this process last looked
	broken error         // why nothing is appended any more
	line   []byte        // the line being written, kept for its memory
	reader *bufio.Reader // of what others wrote, likewise
	vouch  vouched
	guest  bool // it is not a server's: nothing is made or pinned
}

// A part is one of the files that the log is in, as this process writes to it.
type part struct {
	file  file
	first uint64 // number of the entry it begins with
	base  int64  // bytes in the files before it

	appended atomic.Int64 // what the offset was after the last append
	syncs    syncs
}

var _ gate.Ledger = (*Log)(nil)

// Open opens the log of a folder, makes it where it is missing, sets aside what
// a crash left at its end, and pins the protocol where none is pinned. It
// verifies the end of the log; [Verify] verifies the whole. The folder must
// stay open as long as the log.
func Open(ctx context.Context, folder *state.Folder, options Options) (*Log, error) {
	if folder == nil || options.Protocol == "" || options.Digest == "" || options.Mode == "" {
		return nil, errors.New("open the audit log: folder, protocol, digest and mode are all needed")
	}
	return open(ctx, folder, options, false)
}

func open(ctx context.Context, folder *state.Folder, options Options, guest bool) (*Log, error) {
	flags := os.O_RDWR | os.O_APPEND | os.O_CREATE
	if guest {
		flags &^= os.O_CREATE
	}
	if options.LockTimeout <= 0 {
		options.LockTimeout = DefaultLockTimeout
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	opened, err := folder.OpenFile(FileName, flags)
	if err != nil {
		return nil, fmt.Errorf("open the audit log: %w", err)
	}
	lock, err := newLock(folder)
	if err != nil {
		return nil, fmt.Errorf("open the audit log: %w", errors.Join(err, opened.Close()))
	}
	l := &Log{folder: folder, options: options, part: &part{file: systemFile{opened}}, lock: lock, guest: guest,
		turn: make(chan struct{}, 1), reader: bufio.NewReaderSize(nil, maxLine)}
	if err := l.start(ctx); err != nil {
		return nil, fmt.Errorf("open the audit log: %w", errors.Join(err, l.file.Close(), lock.close()))
	}
	return l, nil
}

// start finds the head and the pinned protocol.
func (l *Log) start(ctx context.Context) error {
	if err := l.enter(ctx, l.findHead); err != nil {
		return err
	}
	digest, err := l.pinned()
	if err == nil && l.options.Text != "" && digest == l.options.Digest {
		err = l.folder.Keep(digest, l.options.Text)
	}
	return errors.Join(err, l.leave())
}

// Admit writes down that a call is about to run. For a write it returns when
// the entry is durable, and it refuses a write whose protocol is not the one
// pinned in the state folder. See [gate.Ledger].
func (l *Log) Admit(ctx context.Context, entry gate.Entry) error {
	if entry.Effect == gate.Read {
		return l.Record(ctx, entry)
	}
	part, end, err := l.append(ctx, entry, l.inForce)
	if err != nil {
		return err
	}
	if err := part.durable(ctx, end); err != nil {
		return fmt.Errorf("sync the audit log: %w", err)
	}
	return nil
}

// Record writes down anything else. The entry is in the log when it returns,
// in order, and survives the end of this process but perhaps not that of the
// machine. Nobody is asked about a write that [Log.Admit] would refuse.
func (l *Log) Record(ctx context.Context, entry gate.Entry) error {
	check := func(gate.Entry) error { return nil }
	if entry.Event == gate.ApprovalRequest && entry.Effect != gate.Read {
		check = l.inForce
	}
	_, _, err := l.append(ctx, entry, check)
	return err
}

// Note writes down an event that is not one of a call, with details.
func (l *Log) Note(ctx context.Context, event gate.Event, details map[string]string) error {
	if err := l.enter(ctx, l.catchUp); err != nil {
		return fmt.Errorf("write to the audit log: %w", err)
	}
	entry := l.own(event, boundAll(details))
	if err := errors.Join(l.write(&entry), l.leave()); err != nil {
		return fmt.Errorf("write to the audit log: %w", err)
	}
	return nil
}

// Head returns the end of the chain as this process knows it.
func (l *Log) Head(ctx context.Context) (Head, error) {
	if err := l.enter(ctx, l.catchUp); err != nil {
		return Head{}, err
	}
	head := l.head
	return head, l.leave()
}

// Close makes the log durable and closes it. It gives up when ctx ends; what
// was written stays written.
func (l *Log) Close(ctx context.Context) error {
	select {
	case l.turn <- struct{}{}:
	case <-ctx.Done():
		return fmt.Errorf("close the audit log: an entry is still being written: %w", context.Cause(ctx))
	}
	defer func() { <-l.turn }()
	if errors.Is(l.broken, ErrClosed) {
		return nil
	}
	err := l.durable(ctx, l.appended.Load())
	l.broken = ErrClosed
	if err = errors.Join(err, l.file.Close(), l.lock.close()); err != nil {
		return fmt.Errorf("close the audit log: %w", err)
	}
	return nil
}

// append writes an entry that allow lets through, and returns where it ends.
func (l *Log) append(ctx context.Context, entry gate.Entry, allow func(gate.Entry) error) (in *part, end int64, err error) {
	if err := l.enter(ctx, l.catchUp); err != nil {
		return nil, 0, fmt.Errorf("write to the audit log: %w", err)
	}
	if err = allow(entry); err == nil {
		written := entryOf(entry)
		err = l.write(&written)
	}
	in, end = l.part, l.offset
	if err := errors.Join(err, l.leave()); err != nil {
		return nil, 0, fmt.Errorf("write to the audit log: %w", err)
	}
	return in, end, nil
}

// enter keeps everybody else out and brings this process up to date. Without
// an error, leave must be called.
func (l *Log) enter(ctx context.Context, update func() error) error {
	late := time.Now().Add(l.options.LockTimeout)
	select {
	case l.turn <- struct{}{}: // most often, and then no timer is needed
	default:
		if err := l.wait(ctx, late); err != nil {
			return err
		}
	}
	err := l.sound()
	if err == nil {
		l.readAhead()
		err = l.lock.acquire(ctx, late)
	}
	if err != nil {
		<-l.turn
		return err
	}
	if err := update(); err != nil {
		return errors.Join(err, l.leave())
	}
	return nil
}

// wait waits for the turn.
func (l *Log) wait(ctx context.Context, late time.Time) error {
	ctx, cancel := context.WithDeadlineCause(ctx, late, errLate)
	defer cancel()
	select {
	case l.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return &LockError{Path: l.lock.path, Err: context.Cause(ctx)}
	}
}

// leave lets the others in. A lock that cannot be given back is kept, and then
// nothing more is written.
func (l *Log) leave() error {
	defer func() { <-l.turn }()
	if err := l.lock.release(); err != nil {
		l.broken = &BrokenError{Doing: "release the lock", Err: err}
		return l.broken
	}
	return nil
}

// sound reports why nothing may be appended any more.
func (l *Log) sound() error {
	if l.broken != nil {
		return l.broken
	}
	return l.syncs.failed()
}
