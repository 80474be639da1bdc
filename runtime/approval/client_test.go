package approval_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/approval"
	"github.com/gatewright/gatewright/runtime/gate"
	"github.com/gatewright/gatewright/runtime/store"
)

// A speaker is a client that answers during the call, as in the older versions
// of MCP, or with another call, as in the newer.
type speaker struct {
	mute   bool // it shows no forms
	later  bool
	answer func(context.Context, approval.Question) (approval.Reply, error)
	reply  *approval.Reply // that came with this call
	forged error
	asked  []approval.Question
}

func (s *speaker) Reaches() bool { return !s.mute }

func (s *speaker) Elicit(ctx context.Context, question approval.Question) (approval.Reply, error) {
	s.asked = append(s.asked, question)
	if s.later {
		return approval.Reply{}, approval.ErrLater
	}
	return s.answer(ctx, question)
}

func (s *speaker) Reply() (*approval.Reply, error) { return s.reply, s.forged }

func says(action string, content map[string]any) func(context.Context, approval.Question) (approval.Reply, error) {
	return func(_ context.Context, question approval.Question) (approval.Reply, error) {
		return approval.Reply{Action: action, Content: content, State: question.State}, nil
	}
}

func yes() map[string]any { return map[string]any{"decision": "approve", "reason": "fine"} }

func through(providers ...string) approval.Policy {
	policy := approval.Policy{Hold: -1}
	for _, provider := range providers {
		policy.By = append(policy.By, approval.Source{Provider: provider})
	}
	return policy
}

func from(ask gate.Ask, client approval.Client) gate.Ask {
	ask.Client = client
	return ask
}

func TestAClientThatAnswersDuringTheCall(t *testing.T) {
	for name, c := range map[string]struct {
		action  string
		content map[string]any
		verdict gate.Verdict
	}{
		"approve":     {"accept", yes(), gate.Approved},
		"deny":        {"accept", map[string]any{"decision": "deny"}, gate.Denied},
		"bare accept": {"accept", nil, gate.Undecided},
		"decline":     {"decline", nil, gate.Denied},
		"cancel":      {"cancel", nil, gate.Nobody},
		"garbage":     {"whatever", yes(), gate.Undecided},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, through("elicit"))
			chain, ask := d.chain(t), d.ask(`{"commit":"`+name+`"}`)
			decision := decide(t, chain, from(ask, &speaker{answer: says(c.action, c.content)}))
			require.Equal(t, c.verdict, decision.Verdict, decision.Reason)
			require.Equal(t, []gate.Event{gate.ApprovalRequest, gate.ApprovalDecision}, d.events)
			require.NotEmpty(t, d.recorded[1].Waited)
			if c.verdict != gate.Approved {
				require.NotEqual(t, gate.Approved, claim(t, chain, ask, decision.ID).Verdict)
				return
			}
			require.Equal(t, gate.Approved, claim(t, chain, ask, decision.ID).Verdict)
			require.Equal(t, gate.Used, claim(t, chain, ask, decision.ID).Verdict)
		})
	}
}

// What the person sees is the whole of it.
func TestTheQuestionShowsTheWholeRequest(t *testing.T) {
	d := newDesk(t, through("elicit"))
	client := &speaker{answer: says("cancel", nil)}
	long := strings.Repeat("x", 4000)
	decide(t, d.chain(t), from(d.ask(`{"text":"`+long+` and then rm -rf \u202e"}`), client))
	require.Len(t, client.asked, 1)
	for _, part := range []string{"release", "integrate", "agent", long + ` and then rm -rf \u202e`} {
		require.Contains(t, strings.ReplaceAll(client.asked[0].Message, "\n  : ", ""), part)
	}
	for line := range strings.SplitSeq(client.asked[0].Message, "\n") {
		require.LessOrEqual(t, len(line), 80, "a client would break it itself, and start the rest where our words start")
	}

	d.policies["release"] = approval.Policy{By: d.policies["release"].By, Hold: -1, Show: "sum"}
	d.shown = `{"sum":1}`
	client = &speaker{answer: says("cancel", nil)}
	decide(t, d.chain(t), from(d.ask(`{"a":1}`), client))
	require.NotContains(t, client.asked[0].Message, "sum")
	require.Contains(t, client.asked[0].Message, "what a tool said of the call is not shown here")

	client = &speaker{answer: says("accept", yes())}
	decision := decide(t, d.chain(t), from(d.ask(`{"text":"`+strings.Repeat("x", 9000)+`"}`), client))
	require.Empty(t, client.asked, "a form might cut it")
	require.Equal(t, gate.Nobody, decision.Verdict)
}

// Clients that show no forms, refuse to or swallow the question lead to the
// next provider.
func TestAClientThatCannotBeAskedLeadsToTheQueue(t *testing.T) {
	for name, client := range map[string]*speaker{
		"none":     nil,
		"no forms": {mute: true},
		"refuses": {answer: func(context.Context, approval.Question) (approval.Reply, error) {
			return approval.Reply{}, errors.New("unknown method")
		}},
		"dismisses": {answer: says("cancel", nil)},
		"declines":  {answer: says("decline", nil)},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, through("elicit", "queue"))
			chain, ask := d.chain(t), d.ask(`{}`)
			if client != nil {
				ask = from(ask, client)
			}
			first := decide(t, chain, ask)
			require.Equal(t, gate.Pending, first.Verdict, first.Reason)
			require.Nil(t, first.Question)
			d.person(t, first.ID, approval.StatusApproved, "")
			require.Equal(t, gate.Approved, decide(t, chain, ask).Verdict)
		})
	}
}

func TestTheClientIsAskedWhenNobodyIsAtTheQueue(t *testing.T) {
	d := newDesk(t, through("queue", "elicit"))
	client := &speaker{answer: says("accept", yes())}
	require.Equal(t, gate.Approved, decide(t, d.chain(t), from(d.ask(`{}`), client)).Verdict)
	require.Equal(t, "elicit", d.recorded[1].Provider)

	decision := decide(t, d.chain(t), from(d.ask(`{"other":1}`), &speaker{answer: says("decline", nil)}))
	require.Equal(t, gate.Pending, decision.Verdict, "the queue has it still")
}

// Whoever decides first decides: the form is taken back.
func TestADecisionElsewhereEndsTheQuestion(t *testing.T) {
	d := newDesk(t, through("elicit"))
	client := &speaker{answer: func(ctx context.Context, question approval.Question) (approval.Reply, error) {
		d.person(t, question.State.ID, approval.StatusDenied, "not today")
		<-ctx.Done()
		return approval.Reply{}, ctx.Err()
	}}
	decision := decide(t, d.chain(t), from(d.ask(`{}`), client))
	require.Equal(t, gate.Denied, decision.Verdict)
	require.Equal(t, "not today", decision.Reason)
}

// later asks through a client that answers with another call, and returns the
// question.
func later(t *testing.T, chain *approval.Chain, ask gate.Ask) approval.Question {
	t.Helper()
	decision := decide(t, chain, from(ask, &speaker{later: true}))
	require.Equal(t, gate.Pending, decision.Verdict)
	question, ok := decision.Question.(approval.Question)
	require.True(t, ok)
	return question
}

func TestAClientThatAnswersWithAnotherCall(t *testing.T) {
	d := newDesk(t, through("elicit"))
	ask := d.ask(`{}`)
	question := later(t, d.chain(t), ask)
	require.Equal(t, ask.CallID, question.State.Call)
	reply := &approval.Reply{Action: "accept", Content: yes(), State: question.State}

	chain := d.chain(t) // after a restart
	decision := decide(t, chain, from(ask, &speaker{later: true, reply: reply}))
	require.Equal(t, gate.Approved, decision.Verdict)
	require.Equal(t, gate.Approved, claim(t, chain, ask, decision.ID).Verdict)

	replayed := decide(t, chain, from(ask, &speaker{later: true, reply: reply}))
	require.Equal(t, gate.Used, replayed.Verdict, "once is once")
}

func TestINV5_AnAnswerCountsOnlyForItsQuestion(t *testing.T) {
	d := newDesk(t, through("elicit"))
	chain, ask, other := d.chain(t), d.ask(`{"commit":1}`), d.ask(`{"commit":2}`)
	question := later(t, chain, ask)
	answering := func(ask gate.Ask, change func(*approval.State)) gate.Decision {
		state := question.State
		change(&state)
		reply := &approval.Reply{Action: "accept", Content: yes(), State: state}
		return decide(t, chain, from(ask, &speaker{later: true, reply: reply}))
	}
	same := func(*approval.State) {}
	require.Equal(t, gate.Unasked, answering(other, same).Verdict, "other arguments")
	require.Equal(t, gate.Unasked, answering(other, func(s *approval.State) { s.Binding = other.Binding }).Verdict)
	require.Equal(t, gate.Unasked, answering(ask, func(s *approval.State) { s.ID = "INVENTED" }).Verdict)
	require.Equal(t, gate.Unasked, answering(ask, func(s *approval.State) { s.Binding = "sha256:evil" }).Verdict)
	require.Equal(t, gate.Unasked, answering(ask, func(s *approval.State) { s.Round++ }).Verdict)
	require.Equal(t, gate.Unasked, answering(ask, func(s *approval.State) { s.Round = 0 }).Verdict)
	forged := decide(t, chain, from(ask, &speaker{later: true, forged: errors.New("not signed by this server")}))
	require.Equal(t, gate.Unasked, forged.Verdict)
	require.Equal(t, gate.Approved, answering(ask, same).Verdict)
}

// A question that was asked anew closes the one before.
func TestINV5_OnlyTheLastQuestionCanBeAnswered(t *testing.T) {
	d := newDesk(t, through("elicit"))
	chain, ask := d.chain(t), d.ask(`{}`)
	first, second := later(t, chain, ask), later(t, chain, ask)
	require.Equal(t, first.State.ID, second.State.ID)
	require.NotEqual(t, first.State.Round, second.State.Round)
	reply := &approval.Reply{Action: "accept", Content: yes(), State: first.State}
	require.Equal(t, gate.Unasked, decide(t, chain, from(ask, &speaker{later: true, reply: reply})).Verdict)
}

// A client that drops the question is not asked for ever.
func TestAClientThatDropsTheQuestionLeadsToTheQueue(t *testing.T) {
	d := newDesk(t, through("elicit", "queue"))
	chain, ask := d.chain(t), d.ask(`{}`)
	later(t, chain, ask)
	decision := decide(t, chain, from(ask, &speaker{later: true}))
	require.Equal(t, gate.Pending, decision.Verdict)
	require.Nil(t, decision.Question)

	d = newDesk(t, through("elicit"))
	chain = d.chain(t)
	for range 5 {
		later(t, chain, ask)
	}
	require.Equal(t, gate.Nobody, decide(t, chain, from(ask, &speaker{later: true})).Verdict)
}

func TestTheAnswerOfAnotherCallDecidesInTheQueueToo(t *testing.T) {
	for name, c := range map[string]struct {
		action  string
		content map[string]any
		verdict gate.Verdict
	}{
		"approve": {"accept", yes(), gate.Approved}, "deny": {"accept", map[string]any{"decision": "deny"}, gate.Denied},
		"decline": {"decline", nil, gate.Pending}, "cancel": {"cancel", nil, gate.Pending}, "garbage": {"accept", nil, gate.Undecided},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, through("queue", "elicit"))
			chain, ask := d.chain(t), d.ask(`{}`)
			question := later(t, chain, ask)
			reply := &approval.Reply{Action: c.action, Content: c.content, State: question.State}
			require.Equal(t, c.verdict, decide(t, chain, from(ask, &speaker{later: true, reply: reply})).Verdict)
		})
	}
}

func TestAnAnswerThatComesLateFindsWhatWasDecided(t *testing.T) {
	d := newDesk(t, through("queue", "elicit"))
	chain, ask := d.chain(t), d.ask(`{}`)
	question := later(t, chain, ask)
	d.person(t, question.State.ID, approval.StatusDenied, "no")
	reply := &approval.Reply{Action: "accept", Content: yes(), State: question.State}
	decision := decide(t, chain, from(ask, &speaker{later: true, reply: reply}))
	require.Equal(t, gate.Denied, decision.Verdict)
	require.Equal(t, "ada", decision.Approver)
	waiting, err := d.book.List(t.Context(), store.Filter{Status: []approval.Status{approval.StatusPending, approval.StatusApproved}})
	require.NoError(t, err)
	require.Empty(t, waiting)
}

// An answer is taken once: whoever turned the question down cannot be said to
// have agreed later with the same state, and is not asked again.
func TestINV5_AnAnswerIsTakenOnce(t *testing.T) {
	for action, noted := range map[string]string{"decline": "declined", "cancel": "dismissed"} {
		d := newDesk(t, through("queue", "elicit"))
		chain, ask := d.chain(t), d.ask(`{}`)
		question := later(t, chain, ask)
		no := &approval.Reply{Action: action, State: question.State}
		require.Equal(t, gate.Pending, decide(t, chain, from(ask, &speaker{later: true, reply: no})).Verdict)
		require.Equal(t, gate.Approval{ID: question.State.ID, Provider: "elicit", Decision: noted}, short(d.recorded[1]))
		require.Equal(t, gate.ApprovalDecision, d.events[1])

		yes := &approval.Reply{Action: "accept", Content: yes(), State: question.State}
		replayed := decide(t, d.chain(t), from(ask, &speaker{later: true, reply: yes}))
		require.Equal(t, gate.Unasked, replayed.Verdict)
		again := &speaker{later: true}
		require.Equal(t, gate.Pending, decide(t, chain, from(ask, again)).Verdict)
		require.Empty(t, again.asked)
		d.person(t, question.State.ID, approval.StatusApproved, "")
		require.Equal(t, gate.Approved, decide(t, chain, ask).Verdict)
	}
}

func short(a gate.Approval) gate.Approval {
	return gate.Approval{ID: a.ID, Provider: a.Provider, Decision: a.Decision}
}

// The same during the call, in the older versions of MCP.
func TestAClientThatTurnedTheQuestionDownIsNotAskedAgain(t *testing.T) {
	d := newDesk(t, through("queue", "elicit"))
	chain, ask := d.chain(t), d.ask(`{}`)
	client := &speaker{answer: says("decline", nil)}
	require.Equal(t, gate.Pending, decide(t, chain, from(ask, client)).Verdict)
	require.Equal(t, "declined", d.recorded[1].Decision)
	require.Equal(t, gate.Pending, decide(t, chain, from(ask, client)).Verdict)
	require.Len(t, client.asked, 1)
}

// Two answers with one state at the same time: one of them counts.
func TestINV5_OneOfTwoAnswersAtOnceCounts(t *testing.T) {
	d := newDesk(t, through("queue", "elicit"))
	ask := d.ask(`{}`)
	question := later(t, d.chain(t), ask)
	var verdicts [8]gate.Verdict
	var continued atomic.Int64
	var running sync.WaitGroup
	for i := range verdicts {
		chain := d.chain(t)
		running.Go(func() {
			mine := ask
			mine.CallID, mine.Continue = fmt.Sprint("fresh", i), func(string) { continued.Add(1) }
			reply := &approval.Reply{Action: "cancel", State: question.State}
			decision, err := chain.Decide(t.Context(), from(mine, &speaker{later: true, reply: reply}))
			require.NoError(t, err)
			verdicts[i] = decision.Verdict
		})
	}
	running.Wait()
	require.EqualValues(t, 1, continued.Load(), "one call goes on")
	slices.Sort(verdicts[:])
	require.Equal(t, []gate.Verdict{gate.Pending, gate.Unasked, gate.Unasked}, verdicts[:3])
}

// Only the call whose answer was taken goes on as the one that asked.
func TestTheCallThatAskedGoesOnOnceItsAnswerIsTaken(t *testing.T) {
	d := newDesk(t, through("elicit"))
	chain, ask := d.chain(t), d.ask(`{}`)
	question := later(t, chain, ask)
	var continued []string
	ask.CallID, ask.Continue = "FRESH", func(call string) { continued = append(continued, call) }
	reply := &approval.Reply{Action: "accept", Content: yes(), State: question.State}
	require.Equal(t, gate.Approved, decide(t, chain, from(ask, &speaker{later: true, reply: reply})).Verdict)
	require.Equal(t, []string{question.State.Call}, continued)
	require.Equal(t, gate.Approved, decide(t, chain, from(ask, &speaker{later: true, reply: reply})).Verdict)
	require.Len(t, continued, 1, "the replayed state is of no call")
}

// Whoever is asked is told that the same was asked a short while ago.
func TestTheQuestionTellsOfIdenticalCalls(t *testing.T) {
	d := newDesk(t, through("elicit"))
	ask := d.ask(`{}`)
	client := &speaker{answer: says("accept", map[string]any{"decision": "deny", "reason": "not on a Friday"})}
	require.Equal(t, gate.Denied, decide(t, d.chain(t), from(ask, client)).Verdict)
	require.NotContains(t, client.asked[0].Message, "identical")
	require.Equal(t, gate.Denied, decide(t, d.chain(t), from(ask, client)).Verdict)
	require.Contains(t, client.asked[1].Message, "an identical call: denied 0 seconds ago, through elicit")
	require.Contains(t, client.asked[1].Message, `its reason: "not on a Friday"`)
}
