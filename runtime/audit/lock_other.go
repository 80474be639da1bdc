//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package audit

import (
	"errors"
	"os"

	"github.com/gofrs/flock"
)

// A locker locks a file by its path, with an opening of the library's own.
type locker struct{ held *flock.Flock }

// try takes the lock if nobody has it.
func (k *locker) try(file *os.File, path string) (taken bool, err error) {
	k.held = flock.New(path, flock.SetFlag(os.O_RDWR|noFollow))
	if taken, err = k.held.TryLock(); err != nil || !taken {
		return false, err
	}
	locked, err := k.held.Stat()
	if err != nil {
		return false, errors.Join(err, k.held.Unlock())
	}
	opened, err := file.Stat()
	if err == nil && !os.SameFile(locked, opened) {
		err = errSwapped
	}
	if err != nil {
		return false, errors.Join(err, k.held.Unlock())
	}
	return true, nil
}

func (k *locker) release(*os.File) error { return k.held.Unlock() }
