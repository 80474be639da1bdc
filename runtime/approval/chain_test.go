package approval_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/approval"
	"github.com/gatewright/gatewright/runtime/gate"
	"github.com/gatewright/gatewright/runtime/state"
	"github.com/gatewright/gatewright/runtime/store"
)

// A desk is a chain over a real store, with the log of what it records.
type desk struct {
	folder   *state.Folder
	book     *store.Store
	policies map[string]approval.Policy
	terminal *approval.Terminal
	shown    string

	mu       sync.Mutex
	recorded []gate.Approval
	events   []gate.Event
	failing  error // of the log
}

func newDesk(t *testing.T, policy approval.Policy) *desk {
	t.Helper()
	temp, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	folder, err := state.Open(state.Options{Dir: filepath.Join(temp, "state"), Protocol: "sample", Workspace: t.TempDir()})
	require.NoError(t, err)
	d := &desk{folder: folder, policies: map[string]approval.Policy{"release": policy}}
	d.book = d.open(t)
	return d
}

func (d *desk) open(t *testing.T) *store.Store {
	t.Helper()
	book, err := store.Open(t.Context(), d.folder, store.Options{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, book.Close()) })
	return book
}

// chain is that of a server which has just been started.
func (d *desk) chain(t *testing.T) *approval.Chain {
	t.Helper()
	chain, err := approval.NewChain(approval.ChainOptions{
		Policies: d.policies, Workspace: d.folder.Workspace(), Terminal: d.terminal,
		Show: func(context.Context, gate.Ask, string) string { return d.shown },
		Open: func(ctx context.Context) (approval.Book, error) { return store.Open(ctx, d.folder, store.Options{}) },
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, chain.Close()) })
	return chain
}

func (d *desk) ask(arguments string) gate.Ask {
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte(arguments)))
	return gate.Ask{
		Binding: "sha256:" + sum, CallID: "CALL" + sum[:8], Protocol: "sample", Digest: "sha256:d", Mode: "integrate", Tool: "release", Actor: "agent",
		Workspace: d.folder.Workspace(), Arguments: []byte(arguments), By: []string{"queue"}, Continue: func(string) {},
		Record: func(_ context.Context, event gate.Event, made gate.Approval) error {
			d.mu.Lock()
			defer d.mu.Unlock()
			if d.failing != nil {
				return d.failing
			}
			d.events, d.recorded = append(d.events, event), append(d.recorded, made)
			return nil
		},
	}
}

// person decides the request that a decision names.
func (d *desk) person(t *testing.T, id string, status approval.Status, reason string) {
	t.Helper()
	_, err := d.book.Decide(t.Context(), id, approval.Ruling{Status: status, Provider: "queue", Approver: "ada", Reason: reason})
	require.NoError(t, err)
}

func queue() approval.Policy {
	return approval.Policy{By: []approval.Source{{Provider: approval.QueueProvider}}, Hold: -1, Reason: "it changes main"}
}

func decide(t *testing.T, chain *approval.Chain, ask gate.Ask) gate.Decision {
	t.Helper()
	decision, err := chain.Decide(t.Context(), ask)
	require.NoError(t, err)
	return decision
}

func claim(t *testing.T, chain *approval.Chain, ask gate.Ask, id string) gate.Decision {
	t.Helper()
	decision, err := chain.Claim(t.Context(), ask, id)
	require.NoError(t, err)
	return decision
}

func TestAnApprovalIsPickedUpOnce(t *testing.T) {
	d := newDesk(t, queue())
	chain, ask := d.chain(t), d.ask(`{"commit":1}`)
	first := decide(t, chain, ask)
	require.Equal(t, gate.Pending, first.Verdict)
	require.NotEmpty(t, first.ID)
	require.WithinDuration(t, time.Now().Add(approval.DefaultTTL), first.ExpiresAt, time.Minute)
	again := decide(t, chain, ask)
	require.Equal(t, first.ID, again.ID, "one request, however often it is asked")

	d.person(t, first.ID, approval.StatusApproved, "looks fine")
	approved := decide(t, chain, ask)
	require.Equal(t, gate.Approved, approved.Verdict)
	require.Equal(t, ask.Binding, approved.Binding)
	require.Equal(t, "ada", approved.Approver)
	require.Equal(t, "looks fine", approved.Reason)
	require.Equal(t, gate.Approved, claim(t, chain, ask, first.ID).Verdict)
	require.Equal(t, gate.Used, claim(t, chain, ask, first.ID).Verdict)

	next := decide(t, chain, ask)
	require.Equal(t, gate.Pending, next.Verdict)
	require.NotEqual(t, first.ID, next.ID, "the same call again is a new request")
	require.Equal(t, []gate.Event{gate.ApprovalRequest, gate.ApprovalRequest, gate.ApprovalRequest}, d.events)
	require.Equal(t, "it changes main", d.recorded[0].Reason)
	for i, word := range []string{"asked", "asked again", "asked"} {
		require.Equal(t, word, d.recorded[i].Decision)
	}
}

// An approval that was given outlives the server that asked for it.
func TestINV5_AnApprovalSurvivesARestartAndIsUsedOnce(t *testing.T) {
	d := newDesk(t, queue())
	ask := d.ask(`{"commit":1}`)
	first := decide(t, d.chain(t), ask)
	d.person(t, first.ID, approval.StatusApproved, "")
	approved := decide(t, d.chain(t), ask)
	require.Equal(t, gate.Approved, approved.Verdict)
	require.Equal(t, gate.Approved, claim(t, d.chain(t), ask, approved.ID).Verdict)
	require.Equal(t, gate.Used, claim(t, d.chain(t), ask, approved.ID).Verdict)
	require.Equal(t, gate.Pending, decide(t, d.chain(t), ask).Verdict)
}

func TestINV5_OtherArgumentsAreAnotherRequest(t *testing.T) {
	d := newDesk(t, queue())
	chain, ask, other := d.chain(t), d.ask(`{"commit":1}`), d.ask(`{"commit":"1"}`)
	first := decide(t, chain, ask)
	d.person(t, first.ID, approval.StatusApproved, "")
	changed := decide(t, chain, other)
	require.Equal(t, gate.Pending, changed.Verdict)
	require.NotEqual(t, first.ID, changed.ID)
	stolen := claim(t, chain, other, first.ID)
	require.NotEqual(t, gate.Approved, stolen.Verdict, "the approval of another call")
	_, err := chain.Claim(t.Context(), ask, "INVENTED")
	require.Error(t, err)
	require.Equal(t, gate.Approved, claim(t, chain, ask, first.ID).Verdict, "which is still there")
}

func TestADenialIsToldOnce(t *testing.T) {
	d := newDesk(t, queue())
	chain, ask := d.chain(t), d.ask(`{"commit":1}`)
	first := decide(t, chain, ask)
	d.person(t, first.ID, approval.StatusDenied, "no tests")
	denied := decide(t, chain, ask)
	require.Equal(t, gate.Denied, denied.Verdict)
	require.Equal(t, "no tests", denied.Reason)
	require.Equal(t, "ada", denied.Approver)
	require.NotEqual(t, gate.Approved, claim(t, chain, ask, first.ID).Verdict)
	require.Equal(t, gate.Pending, decide(t, chain, ask).Verdict)
}

// A person decides while the call waits.
func TestACallThatWaitsHearsOfTheDecision(t *testing.T) {
	policy := queue()
	policy.Hold = approval.MaxHold
	d := newDesk(t, policy)
	chain, ask := d.chain(t), d.ask(`{"commit":1}`)
	told := make(chan string, 10)
	ask.Progress = func(_, _ float64, message string) { told <- message }
	got := make(chan gate.Decision, 1)
	go func() {
		decision, _ := chain.Decide(t.Context(), ask)
		got <- decision
	}()
	require.Contains(t, <-told, "gatewright approvals")
	waiting, err := d.book.List(t.Context(), store.Filter{Status: []approval.Status{approval.StatusPending}})
	require.NoError(t, err)
	require.Len(t, waiting, 1)
	d.person(t, waiting[0].ID, approval.StatusApproved, "")
	require.Equal(t, gate.Approved, (<-got).Verdict)
}

func TestINV5_FiftyRequestsAnsweredInReverse(t *testing.T) {
	policy := queue()
	policy.Hold = approval.MaxHold
	d := newDesk(t, policy)
	chain := d.chain(t)
	const many = 50
	verdicts := make([]gate.Decision, many)
	var running sync.WaitGroup
	for i := range many {
		running.Go(func() {
			ask := d.ask(fmt.Sprintf(`{"commit":%d}`, i))
			decision, err := chain.Decide(t.Context(), ask)
			require.NoError(t, err)
			if verdicts[i] = decision; decision.Verdict == gate.Approved {
				verdicts[i] = claim(t, chain, ask, decision.ID)
			}
		})
	}
	var waiting []approval.Request
	require.Eventually(t, func() bool {
		var err error
		waiting, err = d.book.List(t.Context(), store.Filter{Status: []approval.Status{approval.StatusPending}})
		require.NoError(t, err)
		return len(waiting) == many
	}, time.Minute, 10*time.Millisecond)
	for i := many - 1; i >= 0; i-- {
		status := approval.StatusApproved
		if i%2 == 1 {
			status = approval.StatusDenied
		}
		d.person(t, waiting[i].ID, status, string(waiting[i].Arguments))
	}
	running.Wait()
	byID := map[string]approval.Request{}
	for _, request := range waiting {
		byID[request.ID] = request
	}
	for i, decision := range verdicts {
		require.Equal(t, fmt.Sprintf(`{"commit":%d}`, i), string(byID[decision.ID].Arguments), "each call got its own answer")
		require.Equal(t, decision.Reason, string(byID[decision.ID].Arguments))
		require.Contains(t, []gate.Verdict{gate.Approved, gate.Denied}, decision.Verdict)
	}
}

// Nobody is asked about what the log cannot hold.
func TestINV3_ARequestThatCannotBeRecordedIsClosed(t *testing.T) {
	d := newDesk(t, queue())
	d.failing = gate.Refuse(gate.ProtocolMismatch, "another protocol is in force")
	_, err := d.chain(t).Decide(t.Context(), d.ask(`{}`))
	require.ErrorIs(t, err, d.failing)
	waiting, err := d.book.List(t.Context(), store.Filter{Status: []approval.Status{approval.StatusPending}})
	require.NoError(t, err)
	require.Empty(t, waiting)
}

// A request whose entry a crash prevented, or about which a call ended in a
// question, is in the log as soon as it is asked again; until it can be, nobody is.
func TestINV3_ARequestThatWaitsIsRecordedForEachCall(t *testing.T) {
	d := newDesk(t, queue())
	ask := d.ask(`{}`)
	_, made, err := d.book.Ask(t.Context(), approval.Request{ID: "A", Binding: ask.Binding, Subject: "s", Arguments: []byte(`{}`), By: []string{"queue"}}, time.Hour)
	require.NoError(t, err)
	require.True(t, made)
	require.Equal(t, gate.Pending, decide(t, d.chain(t), ask).Verdict)
	require.Equal(t, []gate.Event{gate.ApprovalRequest}, d.events)
	require.Equal(t, "A", d.recorded[0].ID)

	d.failing = gate.Refuse(gate.ProtocolMismatch, "another protocol is in force")
	_, err = d.chain(t).Decide(t.Context(), ask)
	require.ErrorIs(t, err, d.failing)
	found, err := d.book.Get(t.Context(), "A")
	require.NoError(t, err)
	require.Equal(t, approval.StatusPending, found.Status, "those who are asked already may still decide")
}

func TestINV4_AStoreThatCannotBeOpenedIsANo(t *testing.T) {
	chain, err := approval.NewChain(approval.ChainOptions{
		Policies: map[string]approval.Policy{"release": queue()},
		Open:     func(context.Context) (approval.Book, error) { return nil, context.DeadlineExceeded },
	})
	require.NoError(t, err)
	ask := gate.Ask{Tool: "release", Binding: "b"}
	for _, try := range []func() (gate.Decision, error){
		func() (gate.Decision, error) { return chain.Decide(t.Context(), ask) },
		func() (gate.Decision, error) { return chain.Claim(t.Context(), ask, "A") },
	} {
		decision, err := try()
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.NotEqual(t, gate.Approved, decision.Verdict)
	}
}

func TestINV4_APolicyThatNamesNobodyIsRefusedAtStart(t *testing.T) {
	open := func(context.Context) (approval.Book, error) { return nil, nil }
	for name, options := range map[string]approval.ChainOptions{
		"no store":           {Policies: map[string]approval.Policy{"release": queue()}},
		"nobody":             {Open: open, Policies: map[string]approval.Policy{"release": {}}},
		"unknown provider":   {Open: open, Policies: map[string]approval.Policy{"release": {By: []approval.Source{{Provider: "anybody"}}}}},
		"a provider unnamed": {Open: open, Policies: map[string]approval.Policy{"release": {By: []approval.Source{{}}}}},
	} {
		_, err := approval.NewChain(options)
		require.Error(t, err, name)
	}
}

func TestINV4_AToolWithoutAPolicyIsANo(t *testing.T) {
	d := newDesk(t, queue())
	ask := d.ask(`{}`)
	ask.Tool = "other"
	decision, err := d.chain(t).Decide(t.Context(), ask)
	require.Error(t, err)
	require.NotEqual(t, gate.Approved, decision.Verdict)
}

func TestACancelledCallLeavesItsRequest(t *testing.T) {
	policy := queue()
	policy.Hold = approval.MaxHold
	d := newDesk(t, policy)
	chain, ask := d.chain(t), d.ask(`{}`)
	ctx, cancel := context.WithCancel(t.Context())
	ask.Progress = func(float64, float64, string) { cancel() }
	decision, err := chain.Decide(ctx, ask)
	require.ErrorIs(t, err, context.Canceled)
	require.NotEqual(t, gate.Approved, decision.Verdict)
	d.person(t, decision.ID, approval.StatusApproved, "")
	ask.Progress = nil
	require.Equal(t, gate.Approved, decide(t, chain, ask).Verdict, "the same call picks it up later")
}

// What ran out says so, and asks for nothing that cannot be had.
func TestAnApprovalThatRanOutHasItsOwnWords(t *testing.T) {
	for _, approved := range []bool{true, false} {
		d := newDesk(t, queue())
		now := time.Now()
		open := func(ctx context.Context) (approval.Book, error) {
			return store.Open(ctx, d.folder, store.Options{Now: func() time.Time { return now }})
		}
		chain, err := approval.NewChain(approval.ChainOptions{Policies: d.policies, Workspace: d.folder.Workspace(), Open: open})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, chain.Close()) })
		ask := d.ask(`{}`)
		first := decide(t, chain, ask)
		verdict := gate.TimedOut
		if approved {
			d.person(t, first.ID, approval.StatusApproved, "")
			require.Equal(t, gate.Approved, decide(t, chain, ask).Verdict)
			verdict = gate.Expired
		}
		now = now.Add(approval.DefaultTTL + time.Second)
		require.NotEqual(t, gate.Approved, claim(t, chain, ask, first.ID).Verdict)
		require.Equal(t, verdict, decide(t, chain, ask).Verdict)
		require.Equal(t, gate.Pending, decide(t, chain, ask).Verdict, "asked anew")
	}
}

// A protocol that was adopted in the meantime takes approvals back.
func TestINV5_AnApprovalOfAnotherProtocolIsStale(t *testing.T) {
	d := newDesk(t, queue())
	chain, ask := d.chain(t), d.ask(`{}`)
	first := decide(t, chain, ask)
	d.person(t, first.ID, approval.StatusApproved, "")
	voided, err := d.book.Void(t.Context(), "sha256:new")
	require.NoError(t, err)
	require.Equal(t, 1, voided.Requests)
	require.Equal(t, gate.Stale, claim(t, chain, ask, first.ID).Verdict)
	ask.Digest, ask.Binding = "sha256:new", "sha256:another"
	require.Equal(t, gate.Stale, decide(t, chain, ask).Verdict, "the same call is told once")
	require.Equal(t, gate.Pending, decide(t, chain, ask).Verdict)
}

// blind is a book that cannot be read while it is.
type blind struct {
	*store.Store
	is *bool
}

func (b blind) Get(ctx context.Context, id string) (approval.Request, error) {
	if *b.is {
		return approval.Request{}, context.DeadlineExceeded
	}
	return b.Store.Get(ctx, id)
}

// A store that fails while a call waits refuses the call, and decides nothing.
func TestINV4_AStoreThatFailsLeavesTheRequest(t *testing.T) {
	d, is := newDesk(t, queue()), true
	chain, err := approval.NewChain(approval.ChainOptions{Policies: d.policies, Workspace: d.folder.Workspace(),
		Open: func(context.Context) (approval.Book, error) { return blind{d.book, &is}, nil }})
	require.NoError(t, err)
	ask := d.ask(`{}`)
	decision, err := chain.Decide(t.Context(), ask)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.NotEqual(t, gate.Approved, decision.Verdict)
	is = false
	d.person(t, decision.ID, approval.StatusApproved, "")
	require.Equal(t, gate.Approved, decide(t, chain, ask).Verdict)
}
