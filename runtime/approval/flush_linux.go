package approval

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// flushTerminal drops what was typed before the question was asked.
func flushTerminal(terminal io.ReadWriteCloser) {
	if file, ok := terminal.(*os.File); ok {
		_ = unix.IoctlSetInt(int(file.Fd()), unix.TCFLSH, unix.TCIFLUSH)
	}
}
