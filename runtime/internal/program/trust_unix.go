//go:build unix

package program

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

func withExtension(path string) string { return path }

// executable reports whether this user may execute a regular file.
func executable(path string, info fs.FileInfo) bool {
	return info.Mode().IsRegular() && unix.Faccessat(unix.AT_FDCWD, path, unix.X_OK, unix.AT_EACCESS) == nil
}

// exposed says why others could put something else in the place of a file, a
// folder's content or a link; it is empty where they cannot.
func exposed(info fs.FileInfo) string {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "has an owner that cannot be told"
	}
	return doubt(info.Mode(), int(stat.Uid), os.Geteuid())
}

func doubt(mode fs.FileMode, owner, user int) string {
	switch {
	case owner != 0 && owner != user:
		return fmt.Sprintf("belongs to uid %d", owner)
	case mode&fs.ModeSymlink != 0: // whose mode means nothing
		return ""
	case mode.Perm()&0o022 == 0, mode.IsDir() && mode&fs.ModeSticky != 0:
		return ""
	default:
		return fmt.Sprintf("can be written by others (%s; chmod go-w)", mode)
	}
}

func identify(file *os.File) (identity, error) {
	info, err := file.Stat()
	if err != nil {
		return identity{}, err
	}
	raw, err := file.SyscallConn()
	if err != nil {
		return identity{}, err
	}
	var stat unix.Stat_t
	failed := raw.Control(func(fd uintptr) { err = unix.Fstat(int(fd), &stat) })
	if failed != nil {
		return identity{}, failed
	}
	return identity{info: info, touched: stat.Ctim.Nano()}, err
}
