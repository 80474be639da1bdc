package gate

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// A Phase says which half of a two-phase tool a [Tool] is.
type Phase uint8

// The phases. A tool of one phase has the zero value.
const (
	Single  Phase = iota
	Preview       // reads, and makes a plan that is stored under a handle
	Commit        // carries the stored plan of a handle out, once
)

// Plans keep what previews made until it is carried out. Whatever they refuse
// is a *[Refusal]; any other error is a refusal too.
type Plans interface {
	// Keep stores a plan under a new handle. It is durable when Keep returns.
	Keep(ctx context.Context, plan Plan) (Kept, error)
	// Find says what a commit stands before: a plan that has not been carried
	// out, or with the same idempotency key the ending of one that was.
	Find(ctx context.Context, commitment Commitment) (Stored, error)
	// Hold keeps a plan from expiring before a moment, while somebody is asked
	// about it.
	Hold(ctx context.Context, commitment Commitment, until time.Time) error
	// Begin uses the plan up. It succeeds once for a handle, whoever begins at
	// the same time, in whatever process, and is durable then.
	Begin(ctx context.Context, commitment Commitment) error
	// Release takes Begin back, where the handler was not started.
	Release(ctx context.Context, commitment Commitment) error
	// End stores how it ended, durably.
	End(ctx context.Context, commitment Commitment, ending Ending) error
}

// A Plan is what a preview made.
type Plan struct {
	Tool     string // two-phase name, without the phase
	Digest   string // of the protocol
	Mode     string
	Actor    string
	Call     string // id of the preview
	Body     []byte // canonical JSON that satisfies the plan's schema
	Recorded map[string]string
	TTL      time.Duration
}

// Kept is where a plan is.
type Kept struct {
	Handle    string
	ExpiresAt time.Time
}

// A Commitment is what a commit asks for. A codec reads Handle, Key and
// Confirmed from the arguments; the gate adds the rest.
type Commitment struct {
	Handle    string
	Key       string // for idempotency; may be empty
	Confirmed bool

	Tool   string
	Digest string
	Mode   string
	Call   string
}

// Stored is a plan as it was kept, or how it ended.
type Stored struct {
	Body     []byte
	Recorded map[string]string
	Ending   *Ending
}

// An Ending is what a commit came to: an output or a refusal.
type Ending struct {
	Output  []byte
	Refusal *Refusal
}

// A Partial is the error of a commit that got only so far. What it finished
// stays done.
type Partial struct {
	Message  string       `json:"-"`
	Finished []string     `json:"finished"`
	Failed   []FailedItem `json:"failed"`
}

// A FailedItem is one item that a commit could not carry out.
type FailedItem struct {
	Item   string `json:"item"`
	Reason string `json:"reason"`
}

func (p *Partial) Error() string { return p.Message }

// bounded is what is kept and told of a partial commit, however much a handler
// has to say.
func (p *Partial) bounded() *Partial {
	finished := fitting(len(p.Finished), func(i int) int { return len(p.Finished[i]) })
	failed := fitting(len(p.Failed), func(i int) int { return len(p.Failed[i].Item) + len(p.Failed[i].Reason) })
	kept := &Partial{
		Message:  bounded(p.Message, maxWords),
		Finished: append(p.Finished[:0:0], p.Finished[:finished]...), Failed: append(p.Failed[:0:0], p.Failed[:failed]...),
	}
	if more := len(p.Finished) - finished; more > 0 {
		kept.Finished = append(kept.Finished, fmt.Sprintf("… %d more are not listed", more))
	}
	if more := len(p.Failed) - failed; more > 0 {
		kept.Failed = append(kept.Failed, FailedItem{Item: "…", Reason: fmt.Sprintf("%d more are not listed", more)})
	}
	return kept
}

// fitting is how many of n items there is room for.
func fitting(n int, size func(int) int) int {
	room := maxListed
	for i := range n {
		if room -= size(i) + 32; room < 0 { // and what stands around one
			return i
		}
	}
	return n
}

// plan puts the stored plan of a commit in the place of its arguments, so that
// what is approved and run from here on is what was previewed.
func (a *admission) plan(ctx context.Context) *Refusal {
	if a.tool.Phase != Commit {
		return nil
	}
	var ok bool
	if a.commitment, ok = a.input.Value.(Commitment); !ok {
		return a.refuse(ctx, ToolCall, Refuse(Internal, "the arguments of %q name no plan", a.tool.Name))
	}
	if !a.commitment.Confirmed {
		return a.refuse(ctx, ToolCall, Refuse(NotConfirmed, "%q ran nothing: confirmed has to be true", a.tool.Name))
	}
	c := &a.gate.config
	a.commitment.Tool, a.commitment.Digest, a.commitment.Mode, a.commitment.Call = a.tool.Base, c.Digest, c.Mode, a.id
	stored, err := c.Plans.Find(ctx, a.commitment)
	if err != nil {
		return a.refuse(ctx, ToolCall, a.planRefused(err))
	}
	if stored.Ending != nil {
		a.ending = stored.Ending
		return nil
	}
	plan, err := a.tool.Plan.Decode(stored.Body)
	if err != nil {
		return a.refuse(ctx, ToolCall, Refuse(PlanStoreFailed, "the stored plan of %q cannot be read: %v", a.tool.Name, err))
	}
	a.input = Input{Value: plan.Value, Recorded: stored.Recorded, Canonical: planned(a.commitment.Handle, plan.Canonical)}
	a.args, a.planDigest = digest(a.input.Canonical), digest(plan.Canonical)
	return nil
}

// hold keeps the plan of a commit for as long as somebody who is asked now may
// take: one that ran out while they are waited for would use their approval up.
func (a *admission) hold(ctx context.Context, event Event, expires string) error {
	if a.tool.Phase != Commit || event != ApprovalRequest || expires == "" {
		return nil
	}
	until, err := time.Parse(time.RFC3339, expires)
	if err != nil {
		return fmt.Errorf("the approval expires at no time: %w", err)
	}
	return a.gate.config.Plans.Hold(ctx, a.commitment, until.Add(time.Second)) // it was cut to seconds
}

// planned is what is approved of a commit, in canonical form. The handle was
// found, so it is one that [Plans] made, of letters and digits.
func planned(handle string, plan []byte) []byte {
	return append(append(fmt.Appendf(nil, `{"handle":%q,"plan":`, handle), plan...), '}')
}

// replay hands out what a commit came to before. Nothing runs.
func (a *admission) replay(ctx context.Context) ([]byte, *Refusal) {
	entry := a.entry(ToolCall)
	entry.Decision = Replayed
	if a.ending.Refusal != nil {
		entry.Code = a.ending.Refusal.Code
	}
	if err := a.record(ctx, entry); err != nil {
		return nil, Refuse(AuditUnavailable, "the result of %q was not handed out, because the audit log could not be written: %v", a.tool.Name, err)
	}
	return a.ending.Output, a.ending.Refusal
}

// begin uses the plan up.
func (a *admission) begin(ctx context.Context) *Refusal {
	if a.tool.Phase != Commit {
		return nil
	}
	if ctx.Err() != nil {
		return a.refuse(ctx, ToolCall, a.cancelled())
	}
	plans, refusal := a.gate.config.Plans, new(Refusal)
	err := plans.Begin(ctx, a.commitment)
	a.begun = !errors.As(err, &refusal) // one that failed may have been kept, and is taken back
	if err == nil {
		return nil
	}
	// Another call may have carried it out since it was looked for.
	if stored, missed := plans.Find(ctx, a.commitment); missed == nil && stored.Ending != nil {
		a.ending = stored.Ending
		return nil
	}
	return a.refuse(ctx, ToolCall, a.planRefused(err))
}

// release gives a plan back that was begun and whose handler is not going to
// run. Where that fails, the plan counts as interrupted.
func (a *admission) release(ctx context.Context) {
	if !a.begun || a.started {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordDeadline)
	defer cancel()
	if err := a.gate.config.Plans.Release(ctx, a.commitment); err != nil {
		a.gate.config.Log.Error("a plan that was not carried out could not be given back", "call", a.id, "error", err)
	}
}

// close stores what came of a phase: the plan of a preview, the ending of a
// commit.
func (a *admission) close(ctx context.Context, output []byte, refusal *Refusal) ([]byte, *Refusal) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordDeadline)
	defer cancel()
	switch {
	case a.tool.Phase == Preview && refusal == nil:
		return a.keep(ctx, output)
	case a.tool.Phase == Commit:
		return a.end(ctx, output, refusal)
	}
	return output, refusal
}

// keep stores the plan of a preview in the one form that is shown, digested and
// carried out, unless a commit could not read it.
func (a *admission) keep(ctx context.Context, output []byte) ([]byte, *Refusal) {
	plan, err := a.tool.Plan.Decode(output)
	if err != nil {
		return nil, Refuse(OutputInvalid, "%q ran, but no commit could read its plan: %v", a.tool.Name, err)
	}
	c := &a.gate.config
	kept, err := c.Plans.Keep(ctx, Plan{
		Tool: a.tool.Base, Digest: c.Digest, Mode: c.Mode, Actor: c.Actor, Call: a.id,
		Body: plan.Canonical, Recorded: a.input.Recorded, TTL: a.tool.TTL,
	})
	if err != nil {
		return nil, a.planRefused(err)
	}
	a.planDigest = digest(plan.Canonical)
	text := fmt.Appendf(nil, `{"result_type":"preview","handle":%q,"expires_at":%q,"plan":`, kept.Handle, kept.ExpiresAt.UTC().Format(time.RFC3339))
	return append(append(text, plan.Canonical...), '}'), nil
}

// end stores how a commit ended. A handler that may still be at work has not
// ended: its plan stays begun, and is interrupted once this process is gone.
func (a *admission) end(ctx context.Context, output []byte, refusal *Refusal) ([]byte, *Refusal) {
	if refusal != nil && refusal.Code == HandlerAbandoned {
		return nil, refusal
	}
	if refusal != nil {
		refusal.Message, refusal.Next = bounded(refusal.Message, maxWords), bounded(refusal.Next, maxWords)
	} else {
		text := []byte(`{"result_type":"committed"`)
		if output != nil {
			text = append(append(text, `,"result":`...), output...)
		}
		output = append(text, '}')
	}
	err := a.gate.config.Plans.End(ctx, a.commitment, Ending{Output: output, Refusal: refusal})
	if err == nil {
		return output, refusal
	}
	a.gate.shut()
	unstored := Refuse(OutcomeUnrecorded, "%q ran, but how it ended could not be stored: %v", a.tool.Name, err)
	if refusal != nil {
		unstored.Message += "; it ended in " + refusal.Error()
	}
	unstored.Output = a.output // an error never says committed
	return nil, unstored
}

func (a *admission) planRefused(err error) *Refusal {
	refusal := new(Refusal)
	if errors.As(err, &refusal) {
		return refusal
	}
	return Refuse(PlanStoreFailed, "the plans of %q cannot be used: %v", a.tool.Name, err)
}
