package gate

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/internal/seal"
)

// fakePlans keep one plan.
type fakePlans struct {
	steps  *steps
	body   string
	ending *Ending
	fail   map[string]error
	kept   []Plan
	ended  []Ending
	held   time.Time

	onBegin func()
}

func (p *fakePlans) step(name string) error {
	p.steps.add(name)
	return p.fail[name]
}

func (p *fakePlans) Keep(_ context.Context, plan Plan) (Kept, error) {
	p.kept = append(p.kept, plan)
	return Kept{Handle: "H", ExpiresAt: time.Date(2026, 1, 2, 3, 34, 5, 0, time.UTC)}, p.step("keep")
}

func (p *fakePlans) Find(_ context.Context, c Commitment) (Stored, error) {
	return Stored{Body: []byte(p.body), Ending: p.ending, Recorded: map[string]string{"/document": `"d"`}}, p.step("find " + c.Handle)
}

func (p *fakePlans) Hold(_ context.Context, _ Commitment, until time.Time) error {
	p.held = until
	return p.step("hold")
}

func (p *fakePlans) Begin(context.Context, Commitment) error {
	if p.onBegin != nil {
		p.onBegin()
	}
	return p.step("begin")
}

func (p *fakePlans) Release(context.Context, Commitment) error { return p.step("release") }

func (p *fakePlans) End(_ context.Context, _ Commitment, ending Ending) error {
	p.ended = append(p.ended, ending)
	return p.step("end")
}

// commitCodec reads the arguments of a commit.
type commitCodec struct{ fakeCodec }

func (c commitCodec) Decode(raw []byte) (Input, error) {
	input, err := c.fakeCodec.Decode(raw)
	var commitment Commitment
	if err == nil {
		err = json.Unmarshal(raw, &commitment)
	}
	input.Value = commitment
	return input, err
}

// planCodec reads the plan of a preview.
type planCodec struct {
	fakeCodec

	err error
}

func (c planCodec) Decode(raw []byte) (Input, error) {
	return Input{Canonical: append([]byte(" "), raw...)}, c.err
}

// phased is a world with a two-phase tool.
func phased(handler handlerFunc) (*world, *fakePlans) {
	w := newWorld(handler)
	sealed := w.config.Tools[0].Handler
	plans := &fakePlans{steps: w.steps, body: `{"items":[1,2]}`, fail: map[string]error{}}
	w.config.Plans = plans
	w.config.Tools = append(w.config.Tools,
		Tool{Name: "import_preview", Base: "import", Phase: Preview, Effect: Read, TTL: time.Hour, Codec: fakeCodec{steps: w.steps},
			Plan: planCodec{}, Handler: sealed},
		Tool{Name: "import_commit", Base: "import", Phase: Commit, Effect: Write, Codec: commitCodec{fakeCodec{steps: w.steps}},
			Plan: fakeCodec{steps: w.steps}, Handler: sealed, Approval: []string{"queue"}, Deadline: testDeadline},
	)
	return w, plans
}

const confirmed = `{"Handle":"H","Confirmed":true}`

func commit(t *testing.T, w *world, arguments string) Result {
	t.Helper()
	return w.gate(t).Call(t.Context(), Request{Tool: "import_commit", Arguments: []byte(arguments)})
}

func TestINV6_APlanIsStoredBeforeThePreviewAnswers(t *testing.T) {
	w, plans := phased(succeed)
	result := w.call(t, "import_preview")
	require.Nil(t, result.Refusal)
	require.Equal(t, `{"result_type":"preview","handle":"H","expires_at":"2026-01-02T03:34:05Z","plan": {"changed":true}}`, string(result.Output))
	require.Equal(t, []string{"decode", "admit", "handle", "encode", "keep", "record tool_result"}, w.steps.all())
	require.Equal(t, Plan{
		Tool: "import", Digest: "sha256:1", Mode: "implement", Actor: "unlabelled", Call: result.CallID, Body: []byte(` {"changed":true}`),
		Recorded: map[string]string{"/commit": `"abc"`}, TTL: time.Hour,
	}, plans.kept[0])
	require.Equal(t, digest([]byte(` {"changed":true}`)), w.ledger.last().Plan, "as the entries of its commit have it")

	w, plans = phased(succeed)
	w.config.Tools[3].Plan = planCodec{err: errors.New("it has lost digits")}
	refusedWith(t, OutputInvalid, w.call(t, "import_preview"))
	require.Empty(t, plans.kept, "no plan that its commit could not read")

	w, plans = phased(succeed)
	plans.fail["keep"] = Refuse(PlanTooLarge, "too large")
	refusedWith(t, PlanTooLarge, w.call(t, "import_preview"))
	w, plans = phased(succeed)
	plans.fail["keep"] = errDisk
	refusedWith(t, PlanStoreFailed, w.call(t, "import_preview"))
	require.Equal(t, Failed, w.ledger.last().Outcome)
}

func TestINV6_ACommitRunsTheStoredPlan(t *testing.T) {
	var ran any
	w, plans := phased(func(_ context.Context, _ *Grant, input any) (any, error) {
		ran = input
		return map[string]int{"made": 2}, nil
	})
	result := commit(t, w, confirmed)
	require.Nil(t, result.Refusal)
	require.Equal(t, `{"result_type":"committed","result":{"made":2}}`, string(result.Output))
	require.Equal(t, `{"items":[1,2]}`, ran)
	require.Equal(t, []string{
		"decode", "find H", "decode", "approve", "claim a1", "begin", "admit", "handle", "encode", "end", "record tool_result",
	}, w.steps.all())
	require.Equal(t, []Ending{{Output: result.Output}}, plans.ended)
	require.Equal(t, digest([]byte(`{"items":[1,2]}`)), w.ledger.last().Plan)
	require.Equal(t, map[string]string{"/document": `"d"`}, w.ledger.last().Recorded, "the subject is the preview's")
	require.Equal(t, digest([]byte(`{"handle":"H","plan":{"items":[1,2]}}`)), w.ledger.last().Args, "as it is approved")
}

// The person sees the plan, and approves it with its handle.
func TestINV5_WhatIsApprovedOfACommitIsItsPlanAndHandle(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range []struct{ arguments, body string }{
		{confirmed, `{"items":[1,2]}`}, {confirmed, `{"items":[1]}`}, {`{"Handle":"G","Confirmed":true}`, `{"items":[1,2]}`},
	} {
		w, plans := phased(succeed)
		plans.body = c.body
		w.config.Approver = approverFunc(func(_ context.Context, ask Ask) (Decision, error) {
			require.False(t, seen[ask.Binding])
			seen[ask.Binding] = true
			require.Contains(t, string(ask.Arguments), `"plan":`+c.body)
			return Decision{Verdict: Denied}, nil
		})
		refusedWith(t, ApprovalDenied, commit(t, w, c.arguments))
		require.NotContains(t, w.steps.all(), "begin")
	}
	same := func(key string) string {
		var binding string
		w, _ := phased(succeed)
		w.config.Approver = approverFunc(func(_ context.Context, ask Ask) (Decision, error) {
			binding = ask.Binding
			return Decision{Verdict: Denied}, nil
		})
		commit(t, w, `{"Handle":"H","Confirmed":true,"Key":"`+key+`"}`)
		return binding
	}
	require.Equal(t, same("one"), same("another"), "a key names an attempt, not what is done")
}

func TestINV6_AHandleAloneIsNoConsent(t *testing.T) {
	for _, arguments := range []string{`{"Handle":"H"}`, `{"Handle":"H","Confirmed":false}`} {
		w, _ := phased(succeed)
		refusedWith(t, NotConfirmed, commit(t, w, arguments))
		require.Equal(t, []string{"decode", "record tool_call"}, w.steps.all())
	}
}

func TestINV6_EveryDoubtAboutAPlanIsANo(t *testing.T) {
	for step, code := range map[string]Code{"find H": PlanStoreFailed, "begin": PlanStoreFailed} {
		w, plans := phased(succeed)
		plans.fail[step] = errDisk
		refusedWith(t, code, commit(t, w, confirmed))
		require.NotContains(t, w.steps.all(), "handle")
		require.Equal(t, step == "begin", slices.Contains(w.steps.all(), "release"), "a beginning that failed may have been kept")
		w, plans = phased(succeed)
		plans.fail[step] = Refuse(HandleExpired, "it is too late")
		refusedWith(t, HandleExpired, commit(t, w, confirmed))
		require.NotContains(t, w.steps.all(), "handle")
		require.NotContains(t, w.steps.all(), "release", "what was not begun is not given back")
	}
	w, _ := phased(succeed)
	w.config.Tools[4].Plan = fakeCodec{steps: w.steps, decodeErr: errors.New("changed on disk")}
	refusedWith(t, PlanStoreFailed, commit(t, w, confirmed))
	require.NotContains(t, w.steps.all(), "begin")

	w, _ = phased(succeed)
	w.config.Tools[4].Codec = fakeCodec{steps: w.steps}
	refusedWith(t, Internal, commit(t, w, confirmed))
}

func TestINV6_AReplayRunsNothingAndAsksNobody(t *testing.T) {
	for _, ending := range []Ending{{Output: []byte(`{"result_type":"committed"}`)}, {Refusal: Refuse(HandlerFailed, "it failed")}} {
		w, plans := phased(succeed)
		plans.ending = &ending
		result := commit(t, w, confirmed)
		require.Equal(t, ending.Output, result.Output)
		require.Equal(t, ending.Refusal, result.Refusal)
		require.Equal(t, []string{"decode", "find H", "record tool_call"}, w.steps.all())
		require.Equal(t, Replayed, w.ledger.last().Decision)

		w.ledger.failAt = func(Entry) error { return errDisk }
		refusedWith(t, AuditUnavailable, commit(t, w, confirmed))
	}
}

// Whoever comes second, and carries the same key, gets what the first got.
func TestINV6_ACommitThatLostTheRaceIsAReplay(t *testing.T) {
	w, plans := phased(succeed)
	plans.fail["begin"] = Refuse(HandleUsed, "another call was faster")
	plans.onBegin = func() { plans.ending = &Ending{Output: []byte(`{"result_type":"committed"}`)} }
	result := commit(t, w, confirmed)
	require.Nil(t, result.Refusal)
	require.JSONEq(t, `{"result_type":"committed"}`, string(result.Output))
	require.NotContains(t, w.steps.all(), "handle")
	require.NotContains(t, w.steps.all(), "release")
	require.Equal(t, Replayed, w.ledger.last().Decision)
}

// A plan that was begun, and whose handler is not going to run, is given back.
func TestINV6_APlanIsNotLostToALogThatRefuses(t *testing.T) {
	w, _ := phased(succeed)
	w.ledger.admitErr = errDisk
	refusedWith(t, AuditUnavailable, commit(t, w, confirmed))
	require.Equal(t, []string{"decode", "find H", "decode", "approve", "claim a1", "begin", "admit", "record tool_call", "release"}, w.steps.all())
}

func TestINV6_AnEndingThatCannotBeStoredIsTheLast(t *testing.T) {
	w, plans := phased(succeed)
	plans.fail["end"] = errDisk
	g := w.gate(t)
	result := g.Call(t.Context(), Request{Tool: "import_commit", Arguments: []byte(confirmed)})
	refusedWith(t, OutcomeUnrecorded, result)
	require.JSONEq(t, `{"changed":true}`, string(result.Refusal.Output), "an error never says committed")
	require.Equal(t, OutcomeUnrecorded, w.ledger.last().Code)
	refusedWith(t, GateClosed, g.Call(t.Context(), Request{Tool: "list"}))

	w, _ = phased(succeed)
	w.ledger.failAt = func(e Entry) error { return errDisk }
	result = commit(t, w, confirmed)
	refusedWith(t, OutcomeUnrecorded, result)
	require.NotContains(t, string(result.Refusal.Output), "committed")
}

func TestINV6_ACommitThatGoesOnHasNotEnded(t *testing.T) {
	w, plans := phased(func(ctx context.Context, _ *Grant, _ any) (any, error) { select {} })
	done := make(chan Result, 1)
	g := w.gate(t)
	go func() { done <- g.Call(t.Context(), Request{Tool: "import_commit", Arguments: []byte(confirmed)}) }()
	w.clock.fire(testDeadline)
	w.clock.fire(StopGrace)
	refusedWith(t, HandlerAbandoned, <-done)
	require.Empty(t, plans.ended)
	require.NotContains(t, w.steps.all(), "release")
}

func TestACommitCanSayHowFarItGot(t *testing.T) {
	partial := &Partial{Message: "the tracker is full", Finished: []string{"a"}, Failed: []FailedItem{{Item: "b", Reason: "full"}}}
	w, plans := phased(func(context.Context, *Grant, any) (any, error) { return nil, partial })
	result := commit(t, w, confirmed)
	refusedWith(t, CommitPartial, result)
	require.Equal(t, partial, result.Refusal.Partial)
	require.Equal(t, CommitPartial, plans.ended[0].Refusal.Code)
	require.Equal(t, CommitPartial, w.ledger.last().Code)

	w, _ = phased(func(context.Context, *Grant, any) (any, error) { return nil, partial })
	refusedWith(t, HandlerFailed, w.call(t, "edit"))
}

// A handle works once, so the same commit never succeeds later.
func TestAFailedCommitIsNotCalledRetryable(t *testing.T) {
	busy := func(context.Context, *Grant, any) (any, error) {
		return nil, &Failure{Code: "BUSY", Message: "busy", Next: "Wait.", Retryable: true}
	}
	w, plans := phased(busy)
	result := commit(t, w, confirmed)
	refusedWith(t, "BUSY", result)
	require.False(t, result.Refusal.Retryable)
	require.False(t, plans.ended[0].Refusal.Retryable)
	w, _ = phased(busy)
	result = w.call(t, "import_preview")
	refusedWith(t, "BUSY", result)
	require.True(t, result.Refusal.Retryable)
}

func TestWaitingForAnApprovalKeepsThePlan(t *testing.T) {
	until := time.Date(2026, 1, 2, 5, 0, 0, 0, time.UTC)
	w, plans := phased(succeed)
	w.config.Approver = approverFunc(func(_ context.Context, ask Ask) (Decision, error) {
		return Decision{Verdict: Pending, Binding: ask.Binding, ID: "a1", ExpiresAt: until}, nil
	})
	refusedWith(t, ApprovalPending, commit(t, w, confirmed))
	require.Equal(t, until, plans.held)
	require.NotContains(t, w.steps.all(), "begin")
	plans.fail["hold"] = errDisk
	refusedWith(t, ApprovalFailed, commit(t, w, confirmed))
}

// Somebody may be waited for inside the call, and be asked when the plan is about
// to expire.
func TestINV5_WhoeverIsAskedHasTheirTime(t *testing.T) {
	ask := func(w *world, event Event, expires string) {
		w.config.Approver = approverFunc(func(ctx context.Context, ask Ask) (Decision, error) {
			if err := ask.Record(ctx, event, Approval{ID: "a1", ExpiresAt: expires}); err != nil {
				return Decision{}, err
			}
			return Decision{Verdict: Approved, Binding: ask.Binding, ID: "a1"}, nil
		})
	}
	w, plans := phased(succeed)
	ask(w, ApprovalRequest, "2026-01-02T05:00:00Z")
	require.Nil(t, commit(t, w, confirmed).Refusal)
	require.Equal(t, time.Date(2026, 1, 2, 5, 0, 1, 0, time.UTC), plans.held)
	require.Less(t, slices.Index(w.steps.all(), "hold"), slices.Index(w.steps.all(), "record approval_request"))

	for _, expires := range []string{"2026-01-02T05:00:00Z", "tomorrow"} {
		w, plans = phased(succeed)
		plans.fail["hold"] = Refuse(HandleExpired, "it is too late")
		ask(w, ApprovalRequest, expires)
		require.NotNil(t, commit(t, w, confirmed).Refusal)
		require.NotContains(t, w.steps.all(), "record approval_request", "nobody is asked about a plan that cannot be kept")
		require.NotContains(t, w.steps.all(), "begin")
	}
	w, _ = phased(succeed)
	ask(w, ApprovalDecision, "2026-01-02T05:00:00Z")
	require.Nil(t, commit(t, w, confirmed).Refusal)
	require.NotContains(t, w.steps.all(), "hold")
}

func TestINV4_APhaseThatDoesNotFitIsRefusedAtStart(t *testing.T) {
	for name, spoil := range map[string]func(*Config){
		"no plans":               func(c *Config) { c.Plans = nil },
		"no name":                func(c *Config) { c.Tools[3].Base = "" },
		"a preview that writes":  func(c *Config) { c.Tools[3].Effect = Write },
		"a preview without end":  func(c *Config) { c.Tools[3].TTL = 0 },
		"a commit that reads":    func(c *Config) { c.Tools[4].Effect = Read },
		"a preview without plan": func(c *Config) { c.Tools[3].Plan = nil },
		"a commit without plan":  func(c *Config) { c.Tools[4].Plan = nil },
		"a phase of its own":     func(c *Config) { c.Tools[4].Phase = 3 },
		"a preview that confers": func(c *Config) { c.Tools[3].Exclusive = true },
	} {
		w, _ := phased(succeed)
		spoil(&w.config)
		_, err := New(seal.Make(), w.config)
		require.Error(t, err, name)
	}
}
