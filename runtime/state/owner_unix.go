//go:build unix

package state

import (
	"io/fs"
	"syscall"
)

// ownerOf returns the uid a file belongs to.
func ownerOf(info fs.FileInfo) (uid int, known bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(stat.Uid), true
}
