package approval

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/gatewright/gatewright/runtime/gate"
)

// recently is how long ago an identical call is told of.
const recently = 24 * time.Hour

// A round is one call on its way along the chain.
type round struct {
	chain  *Chain
	book   Book
	ask    gate.Ask
	tool   link
	client Client

	identical []Request // of this subject, a short while ago
	detail    []string  // of the errors of providers, for the server's log alone
}

// begin finds the request that the call stands before, or makes it, and asks
// about it while it is pending.
func (r *round) begin(ctx context.Context) (gate.Decision, error) {
	asked := fresh(r.ask, r.tool.policy)
	if err := r.show(ctx, &asked); err != nil {
		return gate.Decision{}, err
	}
	request, made, err := r.book.Ask(ctx, asked, r.tool.policy.TTL)
	switch {
	case errors.Is(err, ErrFull):
		r.keep("the store", err)
		return gate.Decision{Verdict: gate.Undecided, Reason: ErrFull.Error()}, nil
	case err != nil:
		return gate.Decision{}, err
	case made:
		if err := r.made(ctx, request); err != nil {
			return decision(request, gate.Undecided), err
		}
	case request.Status != StatusPending:
		return outcome(request), nil
	default:
		if err := r.asking(ctx, request, "asked again"); err != nil {
			return decision(request, gate.Undecided), err
		}
	}
	return r.along(ctx, request, 0, tried{verdict: gate.Nobody})
}

// show adds what the policy's tool says of the call, before anybody can see the
// request without it. A request that is there already has it.
func (r *round) show(ctx context.Context, asked *Request) error {
	if r.tool.policy.Show == "" {
		return nil
	}
	stands, err := r.book.Stands(ctx, asked.Binding, asked.Subject)
	if err != nil || stands {
		return err
	}
	if r.chain.options.Show != nil {
		asked.Shown = r.chain.options.Show(ctx, r.ask, r.tool.policy.Show)
	}
	if asked.Shown == "" {
		asked.Shown = NotShown("there is nothing that could be shown")
	}
	return nil
}

// made writes a new request to the log. Where the log refuses, the request is
// closed again.
func (r *round) made(ctx context.Context, request Request) error {
	err := r.asking(ctx, request, "asked")
	if err == nil {
		return nil
	}
	ctx = context.WithoutCancel(ctx)
	ruling := Ruling{Status: StatusFailed, Reason: "the audit log could not record the request"}
	_, closed := r.book.Decide(ctx, request.ID, ruling)
	return errors.Join(err, closed, r.book.Told(ctx, request.ID))
}

// asking writes down that this call stands before a request that waits. A call
// that ends in a question leaves no other trace.
func (r *round) asking(ctx context.Context, request Request, word string) error {
	return r.ask.Record(ctx, gate.ApprovalRequest, gate.Approval{
		ID: request.ID, Provider: strings.Join(request.By, ", "), Decision: word, Reason: request.Why,
		ExpiresAt: request.ExpiresAt.UTC().Format(time.RFC3339),
	})
}

// tried is what came of the providers that were asked so far.
type tried struct {
	open    bool         // one of them has the request and may still decide
	verdict gate.Verdict // if none has
	said    []string
}

// failing adds a provider that took no request. That a question was turned down
// says more than that it was left unanswered, and that more than that it could
// not be put.
func (t *tried) failing(provider string, err error) {
	t.said = append(t.said, provider+": "+said(err))
	switch {
	case errors.Is(err, ErrDeclined), t.verdict == gate.Denied:
		t.verdict = gate.Denied
	case errors.Is(err, ErrTimedOut), t.verdict == gate.TimedOut:
		t.verdict = gate.TimedOut
	default:
		t.verdict = gate.Nobody
	}
}

// along asks the providers from one on, until one decides.
func (r *round) along(ctx context.Context, request Request, from int, before tried) (gate.Decision, error) {
	var err error
	if r.identical, err = r.book.Recent(ctx, request.Subject, request.ID, time.Now().Add(-recently)); err != nil {
		return decision(request, gate.Undecided), err
	}
	for i := from; i < len(r.tool.providers); i++ {
		name := r.name(i)
		answer, err := r.put(ctx, i, request)
		r.keep(name, err)
		switch {
		case ctx.Err() != nil:
			return outcome(request), context.Cause(ctx)
		case errors.As(err, new(unkept)):
			return decision(request, gate.Undecided), err
		case errors.Is(err, ErrUnreachable), turnedDown(err):
			if err := r.noteTurned(ctx, request, i, before.open, err); err != nil {
				return decision(request, gate.Undecided), err
			}
			before.failing(name, err)
		case err != nil:
			return r.failed(ctx, request, name, err)
		case answer.Settled:
			return r.settled(ctx, request)
		case answer.Decision == Approved, answer.Decision == Denied:
			return r.rule(ctx, request, name, answer)
		case answer.Decision != Undecided:
			return r.failed(ctx, request, name, fmt.Errorf("it said %.40q, which is no decision", answer.Decision))
		case answer.Question != nil:
			pending := outcome(request)
			pending.Provider, pending.Question = name, *answer.Question
			return pending, nil
		default:
			before.open = true
		}
	}
	if before.open {
		return r.settled(ctx, request)
	}
	return r.nobody(ctx, request, before.verdict, strings.Join(before.said, "; "))
}

// keep keeps what a provider failed with, where that is more than is said.
func (r *round) keep(provider string, err error) {
	if _, ours := errors.AsType[because](err); err != nil && !ours {
		r.detail = append(r.detail, provider+": "+err.Error())
	}
}

// name is that of a provider as it is asked: a call by hand has a terminal in
// the place of its client.
func (r *round) name(i int) string {
	if _, ok := r.tool.providers[i].(*Terminal); ok {
		return TerminalProvider
	}
	return r.tool.policy.By[i].Provider
}

// noteTurned writes down that a question was turned down, where no decision
// follows that says so.
func (r *round) noteTurned(ctx context.Context, request Request, i int, open bool, cause error) error {
	last := !open && i == len(r.tool.providers)-1
	if last || !turnedDown(cause) {
		return nil
	}
	word := "dismissed"
	if errors.Is(cause, ErrDeclined) {
		word = "declined"
	}
	return r.write(ctx, request, word, Ruling{Provider: r.name(i), Reason: said(cause)})
}

// put asks one provider. A panic of it is an error like any other.
func (r *round) put(ctx context.Context, i int, request Request) (answer Answer, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			answer, err = Answer{}, fmt.Errorf("the provider failed: %v", cause)
		}
	}()
	return r.tool.providers[i].Ask(ctx, Inquiry{
		Request: request, Identical: r.identical, Call: r.ask.CallID, Hold: r.tool.policy.Hold, Client: r.client, Progress: r.ask.Progress,
	})
}

// rule writes a decision down and then makes it. Somebody else may have decided
// in the meantime, and then theirs stands.
func (r *round) rule(ctx context.Context, request Request, provider string, answer Answer) (gate.Decision, error) {
	ruling := Ruling{Status: StatusDenied, Provider: provider, Approver: answer.Approver, Reason: answer.Reason}
	if answer.Decision == Approved {
		ruling.Status = StatusApproved
	}
	if err := r.note(ctx, request, ruling); err != nil {
		return decision(request, gate.Undecided), err
	}
	decided, err := r.book.Decide(ctx, request.ID, ruling)
	if err != nil && !errors.Is(err, ErrNotPending) {
		return decision(request, gate.Undecided), err
	}
	return r.tell(ctx, decided)
}

func (r *round) note(ctx context.Context, request Request, ruling Ruling) error {
	return r.write(ctx, request, string(ruling.Status), ruling)
}

func (r *round) write(ctx context.Context, request Request, word string, ruling Ruling) error {
	return r.ask.Record(ctx, gate.ApprovalDecision, gate.Approval{
		ID: request.ID, Provider: ruling.Provider, Approver: ruling.Approver, Decision: word, Reason: ruling.Reason,
		Waited: waited(request, time.Now()),
	})
}

// failed closes a request whose provider gave nothing that counts.
func (r *round) failed(ctx context.Context, request Request, provider string, cause error) (gate.Decision, error) {
	verdict := gate.Undecided
	if errors.Is(cause, ErrTimedOut) {
		verdict = gate.TimedOut
	}
	return r.closed(ctx, request, verdict, Ruling{Status: StatusFailed, Provider: provider, Reason: said(cause)})
}

// nobody closes a request that no provider took.
func (r *round) nobody(ctx context.Context, request Request, verdict gate.Verdict, said string) (gate.Decision, error) {
	ruling := Ruling{Status: StatusFailed, Provider: strings.Join(request.By, ", "), Reason: said}
	if verdict == gate.Denied {
		ruling.Status = StatusDenied
	}
	return r.closed(ctx, request, verdict, ruling)
}

func (r *round) closed(ctx context.Context, request Request, verdict gate.Verdict, ruling Ruling) (gate.Decision, error) {
	if err := r.note(ctx, request, ruling); err != nil {
		return decision(request, gate.Undecided), err
	}
	decided, err := r.book.Decide(ctx, request.ID, ruling)
	switch {
	case errors.Is(err, ErrNotPending):
		return r.tell(ctx, decided)
	case err != nil:
		return decision(request, gate.Undecided), err
	}
	return decision(decided, verdict), r.book.Told(ctx, request.ID)
}

// settled is what the book says by now.
func (r *round) settled(ctx context.Context, request Request) (gate.Decision, error) {
	found, err := r.book.Get(ctx, request.ID)
	if err != nil {
		return decision(request, gate.Undecided), err
	}
	return r.tell(ctx, found)
}

// tell hands out what became of a request. What has ended is told once; an
// approval is there until it is used.
func (r *round) tell(ctx context.Context, request Request) (gate.Decision, error) {
	if request.Status != StatusApproved && request.Status != StatusPending {
		if err := r.book.Told(ctx, request.ID); err != nil {
			return decision(request, gate.Undecided), err
		}
	}
	return outcome(request), nil
}

// answered takes the answer that came with the call for what it decides. It
// counts only for the question it was asked, and only while that is open.
func (r *round) answered(ctx context.Context, reply Reply) (gate.Decision, error) {
	request, err := r.book.Get(ctx, reply.State.ID)
	switch {
	case errors.Is(err, ErrUnknown):
		return gate.Decision{Verdict: gate.Unasked, Reason: "the request it answers is not known"}, nil
	case err != nil:
		return gate.Decision{}, err
	case reply.State.Binding != r.ask.Binding || request.Binding != r.ask.Binding:
		return gate.Decision{Verdict: gate.Unasked, ID: request.ID, Reason: "it answers a question about another call"}, nil
	case request.Status != StatusPending:
		return r.tell(ctx, request)
	case r.elicit() < 0:
		return gate.Decision{Verdict: gate.Unasked, ID: request.ID, Reason: "the client is not asked about this tool"}, nil
	}
	err = r.book.Take(ctx, request.ID, reply.State.Round)
	switch {
	case errors.Is(err, ErrAnswered):
		return gate.Decision{Verdict: gate.Unasked, ID: request.ID, Reason: "the question it answers was answered, or asked again since"}, nil
	case errors.Is(err, ErrNotPending):
		return r.settled(ctx, request)
	case err != nil:
		return decision(request, gate.Undecided), err
	}
	r.ask.Continue(reply.State.Call)
	r.ask.CallID = reply.State.Call
	return r.taken(ctx, request, reply)
}

// taken decides by an answer that no other call can use any more.
func (r *round) taken(ctx context.Context, request Request, reply Reply) (gate.Decision, error) {
	answer, err := read(reply)
	r.keep(ElicitProvider, err)
	at := r.elicit()
	switch {
	case turnedDown(err):
		return r.after(ctx, request, at, err)
	case err != nil:
		return r.failed(ctx, request, ElicitProvider, err)
	}
	return r.rule(ctx, request, ElicitProvider, answer)
}

// after goes on where the client turned the question down: to the providers
// behind it. What stands before it has the request already.
func (r *round) after(ctx context.Context, request Request, at int, cause error) (gate.Decision, error) {
	before := tried{open: at > 0}
	if err := r.noteTurned(ctx, request, at, before.open, cause); err != nil {
		return decision(request, gate.Undecided), err
	}
	before.failing(ElicitProvider, cause)
	return r.along(ctx, request, at+1, before)
}

// elicit is the place of the client among the providers, or -1.
func (r *round) elicit() int {
	for i, source := range r.tool.policy.By {
		if source.Provider == ElicitProvider {
			return i
		}
	}
	return -1
}
