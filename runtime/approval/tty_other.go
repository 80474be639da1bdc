//go:build !unix

package approval

import (
	"errors"
	"io"
)

func openTerminal() (io.ReadWriteCloser, error) {
	return nil, errors.New("asking at a terminal is not supported on this system")
}
