//go:build unix

package stdio

import (
	"os"

	"golang.org/x/sys/unix"
)

func protect() (Streams, error) {
	in, err := private(unix.Stdin, "client input")
	if err != nil {
		return Streams{}, err
	}
	out, err := private(unix.Stdout, "client output")
	if err != nil {
		return Streams{}, err
	}
	empty, err := os.OpenFile(os.DevNull, os.O_RDONLY, 0)
	if err != nil {
		return Streams{}, err
	}
	if err := duplicate(int(empty.Fd()), unix.Stdin); err != nil {
		return Streams{}, err
	}
	if err := empty.Close(); err != nil {
		return Streams{}, err
	}
	if err := duplicate(unix.Stderr, unix.Stdout); err != nil {
		return Streams{}, err
	}
	return Streams{In: in, Out: out}, nil
}

// private duplicates a descriptor; children do not inherit the copy.
func private(fd int, name string) (*os.File, error) {
	copied, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(copied), name), nil
}
