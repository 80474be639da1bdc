//go:build unix

package approval

import (
	"errors"
	"io"
	"os"

	"golang.org/x/term"
)

func openTerminal() (io.ReadWriteCloser, error) {
	terminal, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	if !term.IsTerminal(int(terminal.Fd())) {
		return nil, errors.Join(errors.New("/dev/tty is not a terminal"), terminal.Close())
	}
	return terminal, nil
}
