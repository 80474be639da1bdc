package gate

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
)

// An admission is one request on its way through the gate.
type admission struct {
	gate     *Gate
	request  Request
	id       string
	tool     Tool
	input    Input
	args     string
	ask      Ask
	approval *Approval
	started  bool   // the handler was started
	output   []byte // of the handler, as it is

	// Of a phase:
	commitment Commitment
	planDigest string
	ending     *Ending // of a commit that has ended before
	begun      bool    // the plan is used up
}

// run takes the request through the order of admission. A panic in a codec, a
// ledger or an approver is a refusal like any other doubt.
func (a *admission) run(ctx context.Context) (output []byte, refusal *Refusal) {
	defer func() {
		if cause := recover(); cause != nil {
			output, refusal = nil, a.crashed(ctx, cause, string(debug.Stack()))
		}
	}()
	defer a.release(ctx)
	for _, step := range []func(context.Context) *Refusal{a.find, a.decode, a.plan, a.approve, a.claim, a.begin, a.admit} {
		if refusal := step(ctx); refusal != nil {
			return nil, refusal
		}
		if a.ending != nil {
			return a.replay(ctx)
		}
	}
	a.started = true
	a.output, refusal = a.handle(ctx)
	output, refusal = a.close(ctx, a.output, refusal)
	return a.settle(ctx, output, refusal)
}

// crashed words a panic of the gate or of what stands around it. After the
// handler was started it leaves an outcome nobody can vouch for, so it also
// shuts the gate.
func (a *admission) crashed(ctx context.Context, cause any, stack string) (refusal *Refusal) {
	event := ToolCall
	refusal = Refuse(Internal, "the gate failed: %v", cause)
	if a.started {
		a.gate.shut()
		event = ToolResult
		refusal = Refuse(OutcomeUnrecorded, "%q ran, and the gate failed: %v", a.tool.Name, cause)
	}
	refusal.Detail = stack
	defer func() { _ = recover() }() // it may be the ledger that panics
	return a.refuse(ctx, event, refusal)
}

// find looks the name up among the tools of this mode.
func (a *admission) find(ctx context.Context) *Refusal {
	name := a.request.Tool
	a.args = "raw:" + digest(a.request.Arguments)
	tool, held := a.gate.tools[name]
	if held {
		a.tool = tool
		return nil
	}
	a.tool = Tool{Name: bounded(name, maxName)}
	other, known := a.gate.foreign[name]
	if !known {
		return a.refuse(ctx, ToolCall, Refuse(UnknownTool, "mode %q has no tool %q", a.gate.config.Mode, a.tool.Name))
	}
	event := ToolCall
	if other.Exclusive {
		event = WF1Violation
	}
	return a.refuse(ctx, event, Refuse(ToolNotInMode, "tool %q is not a tool of mode %q; it belongs to mode %s",
		name, a.gate.config.Mode, strings.Join(other.Modes, ", ")))
}

// decode turns the arguments into the handler's input.
func (a *admission) decode(ctx context.Context) *Refusal {
	input, err := a.tool.Codec.Decode(a.request.Arguments)
	if err != nil {
		refused := &ArgumentError{Code: ArgumentsInvalid, Message: err.Error()}
		errors.As(err, &refused)
		return a.refuse(ctx, ToolCall, Refuse(refused.Code, "the arguments of %q were refused: %s", a.tool.Name, refused.Message))
	}
	a.input, a.args = input, digest(input.Canonical)
	return nil
}

// admit writes the admission to the log. From here on the call counts as run.
func (a *admission) admit(ctx context.Context) *Refusal {
	if ctx.Err() != nil {
		return a.refuse(ctx, ToolCall, a.cancelled())
	}
	entry := a.entry(ToolCall)
	entry.Decision = Admitted
	err := a.gate.config.Ledger.Admit(ctx, entry)
	if err == nil {
		return nil
	}
	refusal := new(Refusal)
	if !errors.As(err, &refusal) {
		refusal = Refuse(AuditUnavailable, "%q did not run, because the audit log could not be written: %v", a.tool.Name, err)
	}
	return a.refuse(ctx, ToolCall, refusal)
}

func (a *admission) cancelled() *Refusal {
	return Refuse(Cancelled, "the call was cancelled before %q ran", a.tool.Name)
}

// settle records the outcome. A result that cannot be recorded is handed out
// with a code of its own, and is the last this gate hands out.
func (a *admission) settle(ctx context.Context, output []byte, refusal *Refusal) ([]byte, *Refusal) {
	entry := a.entry(ToolResult)
	entry.Outcome = Succeeded
	if refusal != nil {
		entry.Outcome, entry.Code = Failed, refusal.Code
	}
	if err := a.record(ctx, entry); err != nil {
		a.gate.shut()
		unrecorded := Refuse(OutcomeUnrecorded, "%q ran, but its outcome could not be recorded: %v", a.tool.Name, err)
		unrecorded.Output = a.output
		if refusal != nil {
			unrecorded.Message += "; the outcome was " + refusal.Error()
		}
		return nil, unrecorded
	}
	return output, refusal
}

// refuse records a refusal. A refusal that cannot be recorded stays one, and
// says so.
func (a *admission) refuse(ctx context.Context, event Event, refusal *Refusal) *Refusal {
	entry := a.entry(event)
	entry.Code = refusal.Code
	if event == ToolResult {
		entry.Outcome = Failed
	} else {
		entry.Decision = Refused
	}
	if err := a.record(ctx, entry); err != nil {
		refusal.Message += fmt.Sprintf(" (and the audit log could not record this refusal: %v)", err)
	}
	return refusal
}

// record writes to the log even when the request has been cancelled: what was
// decided is recorded whether or not anybody still waits for it.
func (a *admission) record(ctx context.Context, entry Entry) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordDeadline)
	defer cancel()
	return a.gate.config.Ledger.Record(ctx, entry)
}

func (a *admission) entry(event Event) Entry {
	c := &a.gate.config
	return Entry{
		Event: event, Time: c.Clock.Now(), Protocol: c.Protocol, Digest: c.Digest, Mode: c.Mode,
		Tool: a.tool.Name, Effect: a.tool.Effect, CallID: a.id, Actor: c.Actor, Session: c.Session,
		Args: a.args, Plan: a.planDigest, Recorded: a.input.Recorded, Approval: a.approval,
	}
}

func bounded(text string, most int) string {
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "…"
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}
