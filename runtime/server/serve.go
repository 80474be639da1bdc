package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"

	"golang.org/x/term"

	"github.com/gatewright/gatewright/runtime/internal/stdio"
)

// serve runs the server on the standard streams until the client goes away or
// a signal comes.
func serve(mode Mode, at flags) int {
	if term.IsTerminal(int(os.Stdin.Fd())) {
		fmt.Fprintf(os.Stderr, "%s: an MCP server, waiting for a client on standard input; -h lists what else there is\n", name(mode))
	}
	stop, release := signals()
	defer release()
	streams, err := stdio.Protect()
	if err != nil {
		return fail(mode, err)
	}
	opened, err := open(context.Background(), mode, setup{
		workspace: at.workspace, stateDir: at.stateDir, actor: at.actor, log: log(),
	})
	if err != nil {
		return fail(mode, err)
	}
	if err := opened.attend(context.Background()); err != nil {
		return fail(mode, errors.Join(err, opened.closeGate(), opened.closeRest()))
	}
	started, err := opened.connect(stdio.New(streams.In, streams.Out))
	if err != nil {
		return fail(mode, errors.Join(err, opened.closeGate(), opened.closeRest()))
	}
	select {
	case <-started.ended():
	case <-stop:
	}
	return finish(mode, stop, started.end)
}

// finish ends in bounded time, and at once if a second signal comes.
func finish(mode Mode, stop <-chan os.Signal, end func() error) int {
	done := make(chan error, 1)
	go func() { done <- end() }()
	select {
	case err := <-done:
		if err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", name(mode), err)
			return exitFailed
		}
		return exitOK
	case again := <-stop:
		fmt.Fprintf(os.Stderr, "%s: stopped at once by a second signal (%v)\n", name(mode), again)
		return exitFailed
	}
}

// signals returns the signals that end a process. A broken pipe is reported by
// the write that meets it, and does not end the process.
func signals() (stop <-chan os.Signal, release func()) {
	ending := make(chan os.Signal, 2)
	signal.Notify(ending, endSignals()...)
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, pipeSignals()...)
	return ending, func() {
		signal.Stop(ending)
		signal.Stop(broken)
	}
}

// log writes to standard error, which is the server's own; clients show it or
// keep it.
func log() *slog.Logger { return slog.New(slog.NewTextHandler(os.Stderr, nil)) }
