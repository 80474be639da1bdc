package store

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

// lockName is the file whose lock is held while the store is made, set up or
// brought to this version, so that one process does it and the others find it
// done. The system gives the lock back when its holder dies.
const lockName = "store.lock"

const (
	patience  = 5 * time.Second // for which another process is waited for
	lockPause = 5 * time.Millisecond
)

// alone runs do while no other process, and nobody else in this one, runs it.
func alone(ctx context.Context, folder *state.Folder, do func() error) (err error) {
	path := filepath.Join(folder.Path(), lockName)
	file, err := folder.OpenFile(lockName, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	vouched, err := file.Stat()
	if err != nil {
		return fmt.Errorf("look at %s: %w", path, err)
	}
	held := flock.New(path, flock.SetFlag(os.O_RDWR))
	if err := take(ctx, held, path); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, held.Unlock()) }()
	locked, err := held.Stat()
	if err != nil || !os.SameFile(vouched, locked) || !folder.Same(lockName, locked) {
		return &Error{Reason: Replaced, Path: path, Message: "the lock file was replaced while it was being taken", Err: err, Next: "try again"}
	}
	return do()
}

func take(ctx context.Context, held *flock.Flock, path string) error {
	wait, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	taken, err := held.TryLockContext(wait, lockPause)
	switch {
	case taken:
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case wait.Err() != nil:
		return &Error{Reason: Busy, Path: path, Message: "another process held it for too long", Next: nextBusy}
	}
	return &Error{Reason: Inaccessible, Path: path, Message: "it cannot be locked", Err: err, Next: "make it accessible to this user"}
}
