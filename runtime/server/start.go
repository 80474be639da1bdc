package server

import (
	"context"
	"errors"
	"io"
	"log/slog"

	"github.com/gatewright/gatewright/runtime/internal/seal"
	"github.com/gatewright/gatewright/runtime/internal/stdio"
)

// A Place is where a server works and for whom.
type Place struct {
	Workspace string
	StateDir  string // empty for the default
	Actor     string
}

// Start serves a mode over a pair of streams, until the client closes its side
// or stop is called; stop returns when everything is closed. It can be called
// from runtime alone: see package seal.
func Start[S seal.Only](s S, mode Mode, at Place, in io.Reader, out io.Writer, log *slog.Logger) (stop func() error, err error) {
	if !seal.Made(s) {
		return nil, errors.New("start a server: the seal was not made by runtime")
	}
	opened, err := open(context.Background(), mode, setup{
		workspace: at.Workspace, stateDir: at.StateDir, actor: at.Actor, log: log,
	})
	if err != nil {
		return nil, err
	}
	started, err := opened.connect(stdio.New(in, out))
	if err != nil {
		return nil, errors.Join(err, opened.closeGate(), opened.closeRest())
	}
	return started.end, nil
}
