package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/gatewright/gatewright/runtime/approval"
	"github.com/gatewright/gatewright/runtime/gate"
	"github.com/gatewright/gatewright/runtime/internal/stdio"
)

// call makes one call from a terminal, through the same gate as a client's. A
// write is asked for first.
func call(mode Mode, with flags, args []string) int {
	stop, release := signals()
	defer release()
	streams, err := stdio.Protect()
	if err != nil {
		return fail(mode, err)
	}
	opened, err := open(context.Background(), mode, setup{
		workspace: with.workspace, stateDir: with.stateDir, actor: with.actor,
		terminal: approval.NewTerminal(), log: log(),
	})
	if err != nil {
		return fail(mode, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	got := make(chan gate.Result, 1)
	request := gate.Request{Tool: args[0], Progress: report}
	if len(args) > 1 {
		request.Arguments = []byte(args[1])
	}
	go func() { got <- opened.gate.Call(ctx, request) }()

	var result gate.Result
	select {
	case result = <-got:
	case <-stop:
		cancel()
		select {
		case result = <-got: // bounded by the gate
		case <-stop:
			return exitFailed
		}
	}
	opened.detail(result)
	code := say(streams.Out, result)
	if err := errors.Join(opened.closeGate(), opened.closeRest()); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name(mode), err)
		code = max(code, exitFailed)
	}
	return code
}

// say writes the result to standard output, and a refusal in words as well to
// standard error.
func say(out io.Writer, result gate.Result) int {
	if result.Refusal == nil {
		if result.Output != nil {
			fmt.Fprintf(out, "%s\n", result.Output)
		}
		return exitOK
	}
	said := refusal(result)
	if text, err := json.Marshal(said); err == nil {
		fmt.Fprintf(out, "%s\n", text)
	}
	fmt.Fprintln(os.Stderr, approval.Visible(words(said)))
	if said.Code == gate.ApprovalNobody {
		return exitNoTerminal
	}
	return exitFailed
}

func report(done, total float64, message string) {
	if total > 0 {
		fmt.Fprintf(os.Stderr, "%v/%v %s\n", done, total, approval.Visible(message))
	} else {
		fmt.Fprintf(os.Stderr, "%v %s\n", done, approval.Visible(message))
	}
}
