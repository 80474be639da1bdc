//go:build !linux

package approval

import "io"

// flushTerminal leaves what was typed before the question where it is.
func flushTerminal(io.ReadWriteCloser) {}
