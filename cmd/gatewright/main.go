// Command gatewright checks a protocol file and generates from it one gated
// MCP server per mode. It is a thin shell: what it knows is in gen.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/gatewright/gatewright/gen/check"
	"github.com/gatewright/gatewright/gen/diag"
)

func main() { os.Exit(run()) }

// run is main with an exit code, so that tests can be this program.
func run() (code int) {
	defer func() {
		if trouble := recover(); trouble != nil {
			_ = diag.Text(os.Stderr, []diag.Diagnostic{check.Crash("", trouble, debug.Stack())}, nil, wantsColour(os.Stderr)) // nowhere else to say it
			code = exitFailed
		}
	}()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	root := newRoot()
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	var exit exitError
	if !errors.As(err, &exit) {
		exit = exitError{code: exitFailed, err: err}
	}
	if exit.err != nil {
		fmt.Fprintf(root.ErrOrStderr(), "gatewright: %v\n", exit.err)
	}
	return exit.code
}
