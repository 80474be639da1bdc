//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// lock keeps other calls, of this process or another, from replacing files of
// the same folder meanwhile: clients call concurrently, and the second of two
// edits must see the first. A file system without such locks has none; a file
// that changed under the edit is then still noticed.
func lock(ctx context.Context, folder *os.Root) (release func(), err error) {
	handle, err := folder.Open(".")
	if err != nil {
		return nil, fmt.Errorf("open the folder: %w", err)
	}
	again := time.NewTicker(2 * time.Millisecond)
	defer again.Stop()
	for {
		err := syscall.Flock(int(handle.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil || (!errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR)) {
			return func() { shut(handle) }, nil
		}
		select {
		case <-ctx.Done():
			shut(handle)
			return nil, context.Cause(ctx)
		case <-again.C:
		}
	}
}
