//go:build unix

package server

import (
	"os"
	"syscall"
)

func endSignals() []os.Signal {
	return []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP}
}

func pipeSignals() []os.Signal { return []os.Signal{syscall.SIGPIPE} }
