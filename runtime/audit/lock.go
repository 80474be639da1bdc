package audit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gatewright/gatewright/runtime/state"
)

// How long to wait between two attempts to take the lock. It is held for some
// ten microseconds at a time.
const (
	shortestWait = 20 * time.Microsecond
	longestWait  = 2 * time.Millisecond
)

var (
	errSwapped = errors.New("the file that was locked is not the lock file of the state folder")
	errLate    = errors.New("the time to wait for it is over")
)

// A lock keeps other processes out. The system gives it back when its holder
// dies. Only one goroutine may use it at a time.
type lock struct {
	folder *state.Folder
	path   string
	locker locker
	file   *os.File    // kept open: opening it anew for each entry would take longer than writing one
	info   fs.FileInfo // of the open file; its identity never changes
}

// newLock makes the lock file where it is missing.
func newLock(folder *state.Folder) (*lock, error) {
	l := &lock{folder: folder, path: filepath.Join(folder.Path(), LockName)}
	if err := l.open(os.O_RDWR | os.O_CREATE); err != nil {
		return nil, err
	}
	return l, nil
}

func (l *lock) open(flag int) error {
	file, err := l.folder.OpenFile(LockName, flag)
	if err != nil {
		return err
	}
	info, err := file.Stat()
	if err != nil {
		return errors.Join(err, file.Close())
	}
	l.file, l.info = file, info
	return nil
}

// acquire takes the lock, or gives up when ctx ends or it is late; the zero
// time is never late.
func (l *lock) acquire(ctx context.Context, late time.Time) error {
	taken, err := l.try()
	if taken || err != nil {
		return err
	}
	if !late.IsZero() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadlineCause(ctx, late, errLate)
		defer cancel()
	}
	for wait := shortestWait; ; wait = min(2*wait, longestWait) {
		select {
		case <-ctx.Done():
			return &LockError{Path: l.path, Err: context.Cause(ctx)}
		case <-time.After(wait):
		}
		if taken, err := l.try(); taken || err != nil {
			return err
		}
	}
}

// try takes the lock if nobody has it.
func (l *lock) try() (taken bool, err error) {
	taken, err = l.locker.try(l.file, l.path)
	if err == nil && taken {
		taken, err = l.check()
	}
	if err != nil {
		return false, fmt.Errorf("take the lock: %w", err)
	}
	return taken, nil
}

// check makes sure that what was locked is what everybody else locks: the file
// of that name, both at the path and in the opened folder. Where there is a new
// lock file, it is opened, and not taken yet.
func (l *lock) check() (taken bool, err error) {
	named, err := os.Lstat(l.path)
	if err == nil && os.SameFile(named, l.info) && l.folder.Same(LockName, l.info) {
		return true, nil
	}
	if err == nil && !l.folder.Same(LockName, named) {
		err = errSwapped
	}
	if err := errors.Join(err, l.release()); err != nil {
		return false, err
	}
	old := l.file
	if err := l.open(os.O_RDWR); err != nil {
		return false, err
	}
	return false, old.Close()
}

func (l *lock) release() error { return l.locker.release(l.file) }

func (l *lock) close() error { return l.file.Close() }
