//go:build unix

package items

import (
	"io/fs"
	"os"
	"syscall"

	"github.com/gatewright/gatewright/protocols/tracker/internal/refusal"
)

// private refuses what belongs to another user or lets others in.
func private(name string, info fs.FileInfo) error {
	if stat, ok := info.Sys().(*syscall.Stat_t); !ok || int64(stat.Uid) != int64(os.Geteuid()) {
		return refusal.New(refusal.TrackerUnusable, "%s belongs to another user", name)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return refusal.New(refusal.TrackerUnusable, "%s has the mode %s, which lets other users in", name, info.Mode().Perm())
	}
	return nil
}

func syncFolder(handle *os.File) error { return handle.Sync() }
