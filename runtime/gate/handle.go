package gate

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"runtime/debug"
)

// Causes with which the context of a handler ends.
var (
	errDeadline = errors.New("the deadline of the tool has passed")
	errShutdown = errors.New("the server is shutting down")
	errOver     = errors.New("the call is over")
)

// A returned is what a handler gave back.
type returned struct {
	output  []byte
	err     error  // of the handler
	invalid error  // of an output that does not fit
	crash   string // stack of a handler that did not return
}

// handle runs the handler under a fresh grant. The grant is over when handle
// returns, whatever the handler does then.
func (a *admission) handle(ctx context.Context) ([]byte, *Refusal) {
	ctx, end := context.WithCancelCause(ctx)
	defer end(errOver)

	grant := a.grant(ctx)
	defer grant.over.Store(true)

	done := make(chan returned, 1)
	go call(ctx, a.tool, grant, a.input.Value, done)

	got, back := a.await(ctx, end, done)
	switch {
	case !back:
		return nil, Refuse(HandlerAbandoned, "%q did not stop within %s after %v", a.tool.Name, StopGrace, context.Cause(ctx))
	case got.crash != "":
		refusal := Refuse(HandlerPanicked, "%q crashed: %v", a.tool.Name, got.err)
		refusal.Detail = got.crash
		return nil, refusal
	case got.err != nil:
		return nil, failure(ctx, a.tool, got.err)
	case got.invalid != nil:
		return nil, Refuse(OutputInvalid, "%q ran, but its result was refused: %v", a.tool.Name, got.invalid)
	}
	return got.output, nil
}

func (a *admission) grant(ctx context.Context) *Grant {
	c := &a.gate.config
	grant := &Grant{key: c.Key, effect: a.tool.Effect}
	grant.call = &Call{
		ID: a.id, Protocol: c.Protocol, Mode: c.Mode, Tool: a.tool.Name, Actor: c.Actor, Workspace: c.Workspace,
		ctx: ctx, log: c.Log.With("call", a.id, "tool", a.tool.Name), progress: a.request.Progress, grant: grant,
	}
	return grant
}

// await waits for the handler until its context ends, and for StopGrace more.
// It returns false for a handler that does not come back.
func (a *admission) await(ctx context.Context, end context.CancelCauseFunc, done <-chan returned) (returned, bool) {
	deadline, stop := a.gate.config.Clock.After(a.tool.Deadline)
	defer stop()
	select {
	case got := <-done:
		return got, true
	case <-deadline:
		end(errDeadline)
	case <-ctx.Done():
	}
	grace, stopGrace := a.gate.config.Clock.After(StopGrace)
	defer stopGrace()
	select {
	case got := <-done:
		return got, true
	case <-grace:
		return returned{}, false
	}
}

// call runs a handler, encodes its output and sends what came of it. The send
// is deferred because a handler may panic, and may end its goroutine.
func call(ctx context.Context, tool Tool, grant *Grant, input any, done chan<- returned) {
	var got returned
	back := false
	defer func() {
		if cause := recover(); !back {
			if cause == nil {
				cause = "its goroutine ended"
			}
			got = returned{err: fmt.Errorf("%v", cause), crash: string(debug.Stack())}
		}
		done <- got
	}()
	output, err := tool.Handler.Call(ctx, grant, input)
	if err == nil {
		got.output, got.invalid = tool.Codec.Encode(output)
	}
	got.err, back = err, true
}

// failure words a handler's error.
func failure(ctx context.Context, t Tool, err error) *Refusal {
	tool := t.Name
	var partial *Partial
	if t.Phase == Commit && errors.As(err, &partial) {
		refusal := Refuse(CommitPartial, "%q was carried out in part (%d finished, %d failed): %s", tool, len(partial.Finished), len(partial.Failed), partial.Message)
		refusal.Partial = partial.bounded()
		return refusal
	}
	if cause := context.Cause(ctx); cause != nil {
		code, why := HandlerCancelled, cause.Error()
		if errors.Is(cause, errDeadline) {
			code = HandlerTimedOut
		}
		if err.Error() != why {
			why += ": " + err.Error()
		}
		return Refuse(code, "%q was stopped: %s", tool, why)
	}
	var own *Failure
	if !errors.As(err, &own) || !handlerCode(own.Code) {
		return Refuse(HandlerFailed, "%q failed: %v", tool, err)
	}
	retryable := own.Retryable && t.Phase != Commit // whose plan is used up
	return &Refusal{Code: own.Code, Message: err.Error(), Next: own.Next, Retryable: retryable}
}

// handlerCode reports whether a handler may use a code: it is well formed and
// not one of the gate's.
func handlerCode(code Code) bool {
	_, taken := Explain(code)
	return !taken && regexp.MustCompile(`^[A-Z][A-Z0-9_]{2,39}$`).MatchString(string(code))
}
