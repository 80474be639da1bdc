package gate

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestINV4_EveryDoubtOfAnApproverIsANo(t *testing.T) {
	for name, approver := range map[string]struct {
		decide approverFunc
		code   Code
	}{
		"error":         {func(context.Context, Ask) (Decision, error) { return Decision{}, errors.New("gone") }, ApprovalFailed},
		"zero decision": {func(context.Context, Ask) (Decision, error) { return Decision{}, nil }, ApprovalFailed},
		"approved, error": {func(_ context.Context, a Ask) (Decision, error) {
			return Decision{Verdict: Approved, Binding: a.Binding}, errors.New("crash")
		}, ApprovalFailed},
		"other binding": {func(context.Context, Ask) (Decision, error) {
			return Decision{Verdict: Approved, Binding: "sha256:2"}, nil
		}, ApprovalFailed},
		"no binding": {func(context.Context, Ask) (Decision, error) { return Decision{Verdict: Approved}, nil }, ApprovalFailed},
		"unknown verdict": {func(_ context.Context, a Ask) (Decision, error) {
			return Decision{Verdict: 99, Binding: a.Binding}, nil
		}, ApprovalFailed},
		"denied": {func(context.Context, Ask) (Decision, error) {
			return Decision{Verdict: Denied, Reason: "no tests"}, nil
		}, ApprovalDenied},
		"pending":   {func(context.Context, Ask) (Decision, error) { return Decision{Verdict: Pending}, nil }, ApprovalPending},
		"expired":   {func(context.Context, Ask) (Decision, error) { return Decision{Verdict: Expired}, nil }, ApprovalExpired},
		"stale":     {func(context.Context, Ask) (Decision, error) { return Decision{Verdict: Stale}, nil }, ApprovalStale},
		"timed out": {func(context.Context, Ask) (Decision, error) { return Decision{Verdict: TimedOut}, nil }, ApprovalTimedOut},
		"nobody":    {func(context.Context, Ask) (Decision, error) { return Decision{Verdict: Nobody}, nil }, ApprovalNobody},
		"used":      {func(context.Context, Ask) (Decision, error) { return Decision{Verdict: Used}, nil }, ApprovalUsed},
		"unasked":   {func(context.Context, Ask) (Decision, error) { return Decision{Verdict: Unasked}, nil }, ApprovalUnasked},
		"panic":     {func(context.Context, Ask) (Decision, error) { panic("boom") }, Internal},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(succeed)
			w.config.Approver = approver.decide
			refusedUnapproved(t, w, approver.code)

			approved := newWorld(succeed).config.Approver.(fakeApprover)
			approved.claim = func(ctx context.Context, ask Ask, _ string) (Decision, error) { return approver.decide(ctx, ask) }
			w = newWorld(succeed)
			w.config.Approver = approved
			refusedUnapproved(t, w, approver.code)
		})
	}
}

func refusedUnapproved(t *testing.T, w *world, code Code) {
	t.Helper()
	result := w.call(t, "release")
	refusedWith(t, code, result)
	require.NotContains(t, w.steps.all(), "handle")
	require.NotContains(t, w.steps.all(), "admit")
	require.Equal(t, code, w.ledger.last().Code)
	require.Equal(t, Refused, w.ledger.last().Decision)
	if code != Internal {
		require.NotNil(t, result.Refusal.Approval)
		require.Equal(t, result.Refusal.Approval, w.ledger.last().Approval)
	}
}

// What is approved is bound to the digest of the protocol, mode, tool, actor
// and arguments, each kept apart from the next.
func TestINV5_BindingTellsEveryPartApart(t *testing.T) {
	seen := map[string]string{}
	ask := func(name string, change func(*Config), tool, arguments string) {
		w := newWorld(succeed)
		w.config.Tools = append(w.config.Tools, Tool{Name: "releas", Effect: Write, Codec: fakeCodec{steps: w.steps}, Handler: handlerFunc(succeed), Approval: []string{"queue"}})
		change(&w.config)
		w.config.Approver = approverFunc(func(_ context.Context, ask Ask) (Decision, error) {
			require.Empty(t, seen[ask.Binding], name)
			seen[ask.Binding] = name
			return Decision{Verdict: Denied}, nil
		})
		refusedWith(t, ApprovalDenied, w.gate(t).Call(t.Context(), Request{Tool: tool, Arguments: []byte(arguments)}))
	}
	same := func(*Config) {}
	ask("as it is", same, "release", `{"a":1}`)
	ask("arguments", same, "release", `{"a":2}`)
	ask("type", same, "release", `{"a":"1"}`)
	ask("tool", same, "releas", `{"a":1}`)
	ask("digest", func(c *Config) { c.Digest = "sha256:2" }, "release", `{"a":1}`)
	ask("mode", func(c *Config) { c.Mode = "review" }, "release", `{"a":1}`)
	ask("actor", func(c *Config) { c.Actor = "ada" }, "release", `{"a":1}`)
	ask("a part that moved over", func(c *Config) { c.Actor = "eunlabelled" }, "releas", `{"a":1}`)
}

// The claim comes after the decision and before the entry: what is lost in
// between is the approval.
func TestINV5_AnApprovalIsClaimedBeforeItsEntryAndTheHandler(t *testing.T) {
	w := newWorld(succeed)
	w.ledger.admitErr = errDisk
	refusedWith(t, AuditUnavailable, w.call(t, "release"))
	require.Equal(t, []string{"decode", "approve", "claim a1", "admit", "record tool_call"}, w.steps.all())

	w = newWorld(succeed)
	ctx, cancel := context.WithCancel(t.Context())
	approver := w.config.Approver.(fakeApprover)
	decide := approver.decide
	approver.decide = func(ctx context.Context, ask Ask) (Decision, error) {
		cancel()
		return decide(ctx, ask)
	}
	w.config.Approver = approver
	refusedWith(t, Cancelled, w.gate(t).Call(ctx, Request{Tool: "release"}))
	require.Equal(t, []string{"decode", "approve", "record tool_call"}, w.steps.all(), "nobody waits for it, so it is not used up")
}

func TestAToolThatAsksNobodyClaimsNothing(t *testing.T) {
	w := newWorld(succeed)
	require.Nil(t, w.call(t, "edit").Refusal)
	require.Equal(t, []string{"decode", "admit", "handle", "encode", "record tool_result"}, w.steps.all())
}

func TestINV4_AnAnswerThatNobodyAskedForIsRefused(t *testing.T) {
	for _, tool := range []string{"edit", "list"} {
		w := newWorld(succeed)
		refusedWith(t, ApprovalUnasked, w.gate(t).Call(t.Context(), Request{Tool: tool, Answered: true}))
		require.Equal(t, []string{"decode", "record tool_call"}, w.steps.all())
	}
}

// A question ends the call for now. Its only decision is the one it comes to
// when it is entered again, under the same id.
func TestAQuestionIsNoDecision(t *testing.T) {
	w := newWorld(succeed)
	approver := w.config.Approver.(fakeApprover)
	decide := approver.decide
	expires := time.Date(2026, 1, 2, 4, 0, 0, 0, time.UTC)
	approver.decide = func(ctx context.Context, ask Ask) (Decision, error) {
		if ask.Client == nil {
			return Decision{Verdict: Pending, Binding: ask.Binding, ID: "a1", Question: "may it?", ExpiresAt: expires}, nil
		}
		if first := ask.Client.(string); first != "a stranger" {
			ask.Continue(first)
		}
		return decide(ctx, ask)
	}
	w.config.Approver = approver
	g := w.gate(t)
	first := g.Call(t.Context(), Request{Tool: "release"})
	refusedWith(t, ApprovalPending, first)
	require.Equal(t, "may it?", first.Refusal.Question)
	require.Equal(t, "2026-01-02T04:00:00Z", first.Refusal.Approval.ExpiresAt)
	require.Empty(t, w.ledger.entries)

	second := g.Call(t.Context(), Request{Tool: "release", Client: first.CallID, Answered: true})
	require.Nil(t, second.Refusal)
	require.Equal(t, first.CallID, second.CallID)
	require.Equal(t, first.CallID, w.ledger.last().CallID)
	require.Len(t, w.ledger.entries, 2)

	third := g.Call(t.Context(), Request{Tool: "release", Client: "a stranger", Answered: true})
	require.NotEqual(t, first.CallID, third.CallID, "the approver says which call goes on, and nobody else")
	require.Equal(t, third.CallID, w.ledger.last().CallID)
}

// Only a pending request can carry a question: with anything else it counts
// for nothing.
func TestINV4_AQuestionWithAnotherVerdictIsARefusal(t *testing.T) {
	for verdict, code := range map[Verdict]Code{Denied: ApprovalDenied, Undecided: ApprovalFailed, Nobody: ApprovalNobody} {
		w := newWorld(succeed)
		w.config.Approver = approverFunc(func(_ context.Context, ask Ask) (Decision, error) {
			return Decision{Verdict: verdict, Binding: ask.Binding, Question: "?"}, nil
		})
		result := w.call(t, "release")
		refusedWith(t, code, result)
		require.Nil(t, result.Refusal.Question)
		require.Equal(t, Refused, w.ledger.last().Decision)
	}
}

func TestWhatAnApproverRecordsIsOfThisCall(t *testing.T) {
	w := newWorld(succeed)
	w.config.Approver = approverFunc(func(ctx context.Context, ask Ask) (Decision, error) {
		require.NoError(t, ask.Record(ctx, ApprovalRequest, Approval{ID: "a1", Decision: "asked"}))
		require.NoError(t, ask.Record(ctx, ApprovalDecision, Approval{ID: "a1", Decision: "denied"}))
		for _, event := range []Event{ToolCall, ToolResult, WF1Violation, "protocol_adopted", ""} {
			require.Error(t, ask.Record(ctx, event, Approval{}), "an approver decides nothing else")
		}
		return Decision{Verdict: Denied, Binding: ask.Binding, ID: "a1"}, nil
	})
	result := w.call(t, "release")
	refusedWith(t, ApprovalDenied, result)
	require.Len(t, w.ledger.entries, 3)
	for _, entry := range w.ledger.entries {
		require.Equal(t, result.CallID, entry.CallID)
		require.Equal(t, digest([]byte(`{}`)), entry.Args)
		require.Equal(t, "a1", entry.Approval.ID)
	}
	require.Equal(t, ApprovalRequest, w.ledger.entries[0].Event)
}

// The log may refuse that anybody is asked, and then its words are the answer.
func TestARefusalToAskIsPassedOn(t *testing.T) {
	w := newWorld(succeed)
	mismatch := Refuse(ProtocolMismatch, "another protocol is in force")
	w.ledger.failAt = func(e Entry) error {
		if e.Event == ApprovalRequest {
			return mismatch
		}
		return nil
	}
	w.config.Approver = approverFunc(func(ctx context.Context, ask Ask) (Decision, error) {
		return Decision{}, ask.Record(ctx, ApprovalRequest, Approval{})
	})
	refusedWith(t, ProtocolMismatch, w.call(t, "release"))
	require.Equal(t, ProtocolMismatch, w.ledger.last().Code)
}

// The time a person takes is not the handler's.
func TestWaitingSpendsNoneOfTheHandlersTime(t *testing.T) {
	w := newWorld(succeed)
	approver := w.config.Approver.(fakeApprover)
	decide := approver.decide
	approver.decide = func(ctx context.Context, ask Ask) (Decision, error) {
		require.Empty(t, w.clock.asked, "the deadline runs already")
		return decide(ctx, ask)
	}
	w.config.Approver = approver
	require.Nil(t, w.call(t, "release").Refusal)
	require.Equal(t, testDeadline, <-w.clock.asked)
}

// An error of the approver can hold paths and what programs printed. It is for
// whoever runs the server.
func TestWhatAnApproverFailsWithIsForTheServerAlone(t *testing.T) {
	w := newWorld(succeed)
	w.config.Approver = approverFunc(func(context.Context, Ask) (Decision, error) {
		return Decision{}, errors.New("open /home/ada/secret")
	})
	result := w.call(t, "release")
	refusedWith(t, ApprovalFailed, result)
	require.NotContains(t, result.Refusal.Message, "secret")
	require.NotContains(t, w.ledger.last().Approval.Reason, "secret")
	require.Equal(t, "open /home/ada/secret", result.Refusal.Detail)
}
