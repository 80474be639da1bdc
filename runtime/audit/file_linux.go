package audit

import (
	"errors"
	"syscall"
)

// Sync leaves out what fsync does for times, which saves a write to the
// journal.
func (f systemFile) Sync() error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = conn.Control(func(fd uintptr) {
		for {
			if failed = syscall.Fdatasync(int(fd)); !errors.Is(failed, syscall.EINTR) {
				return
			}
		}
	})
	return errors.Join(err, failed)
}
