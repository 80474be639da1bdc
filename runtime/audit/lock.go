package audit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

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
	flock  *flock.Flock
}

// newLock makes the lock file where it is missing.
func newLock(folder *state.Folder) (*lock, error) {
	file, err := folder.OpenFile(LockName, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, err
	}
	if err := file.Close(); err != nil {
		return nil, err
	}
	path := filepath.Join(folder.Path(), LockName)
	return &lock{folder: folder, flock: flock.New(path, flock.SetFlag(os.O_RDWR|noFollow))}, nil
}

// acquire takes the lock, or gives up when ctx ends.
func (l *lock) acquire(ctx context.Context) error {
	for wait := shortestWait; ; wait = min(2*wait, longestWait) {
		taken, err := l.flock.TryLock()
		if err != nil {
			return fmt.Errorf("take the lock: %w", err)
		}
		if taken {
			return l.check()
		}
		select {
		case <-ctx.Done():
			return &LockError{Path: l.flock.Path(), Err: context.Cause(ctx)}
		case <-time.After(wait):
		}
	}
}

// check makes sure that the file that was locked, which the library opened by
// path, is the one in the opened folder.
func (l *lock) check() error {
	info, err := l.flock.Stat()
	if err == nil && !l.folder.Same(LockName, info) {
		err = errSwapped
	}
	if err != nil {
		return errors.Join(err, l.release())
	}
	return nil
}

func (l *lock) release() error { return l.flock.Unlock() }
