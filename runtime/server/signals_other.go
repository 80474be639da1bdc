//go:build !unix

package server

import (
	"os"
	"syscall"
)

func endSignals() []os.Signal { return []os.Signal{os.Interrupt, syscall.SIGTERM} }

// Elsewhere no signal says that a pipe is broken. The one named here never
// comes; an empty list would stand for all signals.
func pipeSignals() []os.Signal { return []os.Signal{os.Kill} }
