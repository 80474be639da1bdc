package gate

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// approve asks somebody else, where the tool wants that.
func (a *admission) approve(ctx context.Context) *Refusal {
	if len(a.tool.Approval) == 0 {
		if a.request.Answered {
			return a.refuse(ctx, ToolCall, Refuse(ApprovalUnasked, "%q asks nobody, and the call carries an answer", a.tool.Name))
		}
		return nil
	}
	c := &a.gate.config
	a.ask = Ask{
		Binding: binding([]byte(c.Digest), []byte(c.Mode), []byte(a.tool.Name), []byte(c.Actor), a.input.Canonical),
		CallID:  a.id, Protocol: c.Protocol, Digest: c.Digest, Mode: c.Mode, Tool: a.tool.Name, Actor: c.Actor,
		Session: c.Session, Workspace: c.Workspace, Arguments: a.input.Canonical, By: a.tool.Approval,
		Client: a.request.Client, Progress: a.request.Progress, Record: a.note,
		Continue: func(call string) { a.id, a.ask.CallID = call, call },
	}
	decision, err := c.Approver.Decide(ctx, a.ask)
	if err == nil && decision.Verdict == Pending && a.tool.Phase == Commit {
		err = c.Plans.Hold(ctx, a.commitment, decision.ExpiresAt)
	}
	return a.judge(ctx, decision, err)
}

// claim uses the approval up. What comes between this and the handler can lose
// the approval; nothing can use it again.
func (a *admission) claim(ctx context.Context) *Refusal {
	if len(a.tool.Approval) == 0 {
		return nil
	}
	if ctx.Err() != nil {
		return a.refuse(ctx, ToolCall, a.cancelled())
	}
	decision, err := a.gate.config.Approver.Claim(ctx, a.ask, a.approval.ID)
	return a.judge(ctx, decision, err)
}

// judge refuses unless a decision is an approval of exactly what was asked.
func (a *admission) judge(ctx context.Context, decision Decision, err error) *Refusal {
	if err != nil {
		decision.Verdict, decision.Reason, decision.Detail = Undecided, "the approver failed", err.Error()
	}
	code, words := verdict(decision, a.ask.Binding)
	a.approval = &Approval{
		ID: decision.ID, Provider: decision.Provider, Approver: decision.Approver, Decision: words, Reason: decision.Reason,
	}
	if !decision.ExpiresAt.IsZero() {
		a.approval.ExpiresAt = decision.ExpiresAt.UTC().Format(time.RFC3339)
	}
	if decision.Waited > 0 {
		a.approval.Waited = decision.Waited.Round(time.Millisecond).String()
	}
	if code == "" {
		return nil
	}
	refusal := new(Refusal)
	switch {
	case errors.As(err, &refusal): // the log may refuse to have anybody asked
	case err != nil && ctx.Err() != nil:
		refusal = a.cancelled()
	default:
		refusal = Refuse(code, "%s", a.unapproved(decision, words))
		refusal.Detail = decision.Detail
	}
	refusal.Approval = a.approval
	if code == ApprovalPending && decision.Question != nil {
		refusal.Question = decision.Question
		return refusal // the call goes on when it is answered, and is recorded then
	}
	return a.refuse(ctx, ToolCall, refusal)
}

func (a *admission) unapproved(decision Decision, words string) string {
	message := fmt.Sprintf("the approval of %q was not given: %s", a.tool.Name, words)
	if decision.Verdict == Pending {
		message = fmt.Sprintf("%q waits for approval %s, which can be given until %s", a.tool.Name, a.approval.ID, a.approval.ExpiresAt)
	}
	if decision.Approver != "" {
		message += " by " + decision.Approver
	}
	if decision.Reason != "" {
		message += ": " + decision.Reason
	}
	return message
}

// note records what happens to the approval of this call.
func (a *admission) note(ctx context.Context, event Event, approval Approval) error {
	if event != ApprovalRequest && event != ApprovalDecision {
		return fmt.Errorf("an approver cannot record %q", event)
	}
	if err := a.hold(ctx, event, approval.ExpiresAt); err != nil {
		return err
	}
	entry := a.entry(event)
	entry.Approval = &approval
	return a.record(ctx, entry)
}

// verdict names the code with which a decision refuses; it is empty for an
// approval of exactly what was asked, and only for that.
func verdict(d Decision, asked string) (Code, string) {
	switch d.Verdict {
	case Approved:
		if d.Binding != asked {
			return ApprovalFailed, "the provider approved something else"
		}
		return "", "approved"
	case Denied:
		return ApprovalDenied, "denied"
	case Pending:
		return ApprovalPending, "pending"
	case Expired:
		return ApprovalExpired, "expired"
	case Stale:
		return ApprovalStale, "stale"
	case TimedOut:
		return ApprovalTimedOut, "timed out"
	case Nobody:
		return ApprovalNobody, "nobody can be asked"
	case Used:
		return ApprovalUsed, "used"
	case Unasked:
		return ApprovalUnasked, "no such question"
	default:
		return ApprovalFailed, "no decision"
	}
}
