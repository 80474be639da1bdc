package audit

import (
	"context"
	"io/fs"
	"os"

	"github.com/gatewright/gatewright/runtime/state"
)

// Last returns the last entry of a log, which it checks by itself alone. It
// takes the lock for a moment, as [NewReader] does. A folder without a log is an
// error that matches fs.ErrNotExist, and an empty log is an [ErrEmpty].
func Last(ctx context.Context, folder *state.Folder) (last Entry, err error) {
	err = still(ctx, folder, func(file *os.File, info fs.FileInfo) error {
		last, err = lastEntry(file, info.Size())
		return err
	})
	return last, err
}
