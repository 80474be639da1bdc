package gate

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHandlersThatGoWrong(t *testing.T) {
	for name, expect := range map[string]struct {
		handler handlerFunc
		code    Code
	}{
		"error":        {func(context.Context, *Grant, any) (any, error) { return nil, errors.New("no such file") }, HandlerFailed},
		"own code":     {func(context.Context, *Grant, any) (any, error) { return nil, &Failure{Code: "NOT_APPROVED", Next: "x"} }, "NOT_APPROVED"},
		"gate's code":  {func(context.Context, *Grant, any) (any, error) { return nil, &Failure{Code: ApprovalPending} }, HandlerFailed},
		"no code":      {func(context.Context, *Grant, any) (any, error) { return nil, &Failure{Code: "nope"} }, HandlerFailed},
		"panic":        {func(context.Context, *Grant, any) (any, error) { panic("boom") }, HandlerPanicked},
		"panic nil":    {func(context.Context, *Grant, any) (any, error) { panic(nil) }, HandlerPanicked},
		"goexit":       {func(context.Context, *Grant, any) (any, error) { runtime.Goexit(); return nil, nil }, HandlerPanicked},
		"no such json": {func(context.Context, *Grant, any) (any, error) { return func() {}, nil }, OutputInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(expect.handler)
			refusedWith(t, expect.code, w.call(t, "edit"))
			require.Equal(t, Failed, w.ledger.last().Outcome)
			require.Equal(t, expect.code, w.ledger.last().Code)
		})
	}
}

func TestGrantDiesWithTheCall(t *testing.T) {
	var kept *Grant
	var call *Call
	w := newWorld(nil)
	client := Guard(w.config.Key, func(c *Call) (string, error) { return c.Workspace, nil })
	w = worldAround(w, func(_ context.Context, grant *Grant, _ any) (any, error) {
		kept = grant
		var err error
		call, err = Open(w.config.Key, grant)
		require.NoError(t, err)
		reached, err := Use(w.config.Key, grant, client)
		require.NoError(t, err)
		require.Equal(t, "/w", reached)
		return true, nil
	})
	require.Nil(t, w.call(t, "edit").Refusal)

	_, err := Open(w.config.Key, kept)
	require.ErrorIs(t, err, ErrGrantOver)
	_, err = Use(w.config.Key, kept, client)
	require.ErrorIs(t, err, ErrGrantOver)
	require.Error(t, call.Context().Err())
}

// worldAround gives an existing world's gate another handler.
func worldAround(w *world, handler handlerFunc) *world {
	for i := range w.config.Tools {
		w.config.Tools[i].Handler = handler
	}
	return w
}

func TestINV1_WhatIsNoAdmissionReachesNothing(t *testing.T) {
	key, other := NewKey("sample"), NewKey("sample")
	client := Guard(key, func(*Call) (string, error) { return "reached", nil })
	grant := func(key *Key, effect Effect) *Grant {
		g := &Grant{key: key, effect: effect, call: &Call{}}
		g.call.grant = g
		return g
	}
	copied := func(g *Grant) *Grant { return &Grant{key: g.key, effect: g.effect, call: g.call} }
	for name, attempt := range map[string]struct {
		key    *Key
		grant  *Grant
		client Guarded[string]
		err    error
	}{
		"nil grant":       {key, nil, client, ErrNoGrant},
		"zero grant":      {key, &Grant{}, client, ErrNoGrant},
		"nil key":         {nil, grant(key, Write), client, ErrNoGrant},
		"nil keys":        {nil, grant(nil, Write), Guarded[string]{}, ErrNoGrant},
		"copied grant":    {key, copied(grant(key, Write)), client, ErrNoGrant},
		"same name":       {other, grant(other, Write), client, ErrForeignGrant},
		"other's grant":   {key, grant(other, Write), client, ErrForeignGrant},
		"read grant":      {key, grant(key, Read), client, ErrGrantReadOnly},
		"no effect":       {key, grant(key, 0), client, ErrGrantReadOnly},
		"zero client":     {key, grant(key, Write), Guarded[string]{}, ErrForeignGrant},
		"client unopened": {key, grant(key, Write), Guarded[string]{key: key}, ErrNoGrant},
	} {
		reached, err := Use(attempt.key, attempt.grant, attempt.client)
		require.ErrorIs(t, err, attempt.err, name)
		require.Empty(t, reached, name)
	}
	reached, err := Use(key, grant(key, Write), client)
	require.NoError(t, err, "the control")
	require.Equal(t, "reached", reached)
}

func TestINV5_AHandlerCannotChangeForWhomAClientIsOpened(t *testing.T) {
	w := newWorld(nil)
	client := Guard(w.config.Key, func(c *Call) (string, error) { return c.Actor + c.Workspace, nil })
	w = worldAround(w, func(_ context.Context, grant *Grant, _ any) (any, error) {
		call, err := Open(w.config.Key, grant)
		require.NoError(t, err)
		call.Actor, call.Workspace = "ada", "/elsewhere"
		return Use(w.config.Key, grant, client)
	})
	require.JSONEq(t, `"unlabelled/w"`, string(w.call(t, "edit").Output))
}

func TestDeadlineEndsTheHandler(t *testing.T) {
	w := newWorld(func(ctx context.Context, _ *Grant, _ any) (any, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	go w.clock.fire(testDeadline)
	refusedWith(t, HandlerTimedOut, w.call(t, "edit"))
}

func TestHandlerThatFinishesLateStillCounts(t *testing.T) {
	w := newWorld(func(ctx context.Context, _ *Grant, _ any) (any, error) {
		<-ctx.Done()
		return "done", nil
	})
	go w.clock.fire(testDeadline)
	require.Nil(t, w.call(t, "edit").Refusal)
}

func TestHandlerThatIgnoresItsContextIsAbandoned(t *testing.T) {
	block, kept := make(chan struct{}), make(chan *Grant, 1)
	w := newWorld(func(_ context.Context, grant *Grant, _ any) (any, error) {
		kept <- grant
		<-block
		return nil, nil
	})
	defer close(block)
	go func() {
		w.clock.fire(testDeadline)
		w.clock.fire(StopGrace)
	}()
	refusedWith(t, HandlerAbandoned, w.call(t, "edit"))
	_, err := Open(w.config.Key, <-kept)
	require.ErrorIs(t, err, ErrGrantOver)
}

func TestCancellationReachesTheHandler(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	w := newWorld(func(ctx context.Context, _ *Grant, _ any) (any, error) {
		cancel()
		<-ctx.Done()
		return nil, ctx.Err()
	})
	refusedWith(t, HandlerCancelled, w.gate(t).Call(ctx, Request{Tool: "edit"}))
	require.Equal(t, HandlerCancelled, w.ledger.last().Code, "an outcome is recorded though nobody waits for it")
}

func TestCancelledBeforeItRanDoesNotRun(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w := newWorld(succeed)
	refusedWith(t, Cancelled, w.gate(t).Call(ctx, Request{Tool: "edit"}))
	require.NotContains(t, w.steps.all(), "handle")
}

func TestCloseEndsWhatRunsAndLetsNothingIn(t *testing.T) {
	started := make(chan struct{})
	w := newWorld(func(ctx context.Context, _ *Grant, _ any) (any, error) {
		close(started)
		<-ctx.Done()
		return nil, context.Cause(ctx)
	})
	g := w.gate(t)
	var running sync.WaitGroup
	running.Go(func() { refusedWith(t, HandlerCancelled, g.Call(t.Context(), Request{Tool: "edit"})) })
	<-started
	require.NoError(t, g.Close(t.Context()))
	require.NoError(t, g.Close(t.Context()))
	running.Wait()
	refusedWith(t, GateClosed, g.Call(t.Context(), Request{Tool: "edit"}))
}

func TestShutdownReachesAnApproverThatWaits(t *testing.T) {
	waiting := make(chan struct{})
	w := newWorld(succeed)
	w.config.Approver = approverFunc(func(ctx context.Context, _ Ask) (Decision, error) {
		close(waiting)
		<-ctx.Done()
		return Decision{}, ctx.Err()
	})
	g := w.gate(t)
	var running sync.WaitGroup
	running.Go(func() { refusedWith(t, Cancelled, g.Call(t.Context(), Request{Tool: "release"})) })
	<-waiting
	require.NoError(t, g.Close(t.Context()))
	running.Wait()
}

func TestCloseGivesUpOnAHandlerThatStays(t *testing.T) {
	block, started := make(chan struct{}), make(chan struct{})
	w := newWorld(func(context.Context, *Grant, any) (any, error) {
		close(started)
		<-block
		return true, nil
	})
	g := w.gate(t)
	var running sync.WaitGroup
	running.Go(func() { g.Call(t.Context(), Request{Tool: "edit"}) })
	<-started
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, g.Close(ctx), context.Canceled)
	close(block)
	running.Wait()
}

func TestProgressEndsWithTheCall(t *testing.T) {
	var seen []string
	var call *Call
	w := newWorld(nil)
	w = worldAround(w, func(_ context.Context, grant *Grant, _ any) (any, error) {
		call, _ = Open(w.config.Key, grant)
		call.Progress(1, 2, "half")
		call.Log().Info("x")
		return true, nil
	})
	g := w.gate(t)
	g.Call(t.Context(), Request{Tool: "edit", Progress: func(_, _ float64, message string) { seen = append(seen, message) }})
	call.Progress(2, 2, "late")
	require.Equal(t, []string{"half"}, seen)
}
