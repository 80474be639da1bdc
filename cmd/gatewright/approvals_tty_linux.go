package main

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// flushTTY drops what was typed and not read yet.
func flushTTY(terminal io.ReadWriteCloser) {
	if file, ok := terminal.(*os.File); ok {
		_ = unix.IoctlSetInt(int(file.Fd()), unix.TCFLSH, unix.TCIFLUSH)
	}
}
