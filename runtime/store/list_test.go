package store

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/approval"
)

func ids(requests []approval.Request) []string {
	var found []string
	for _, request := range requests {
		found = append(found, request.ID)
	}
	return found
}

func TestListPutsFirstWhatWaitsLongest(t *testing.T) {
	ctx := context.Background()
	clock := newClock()
	store := openStore(t, newFolder(t), clock.now)
	a, b, c, d := pending(t, store, "a"), approved(t, store, "b"), pending(t, store, "c"), pending(t, store, "d")
	_, err := store.Decide(ctx, d.ID, approval.Ruling{Status: approval.StatusFailed})
	require.NoError(t, err)
	clock.forward(time.Minute)
	e := pending(t, store, "e")
	for want, filter := range map[string]Filter{
		"a c e d b": {},
		"a c":       {Limit: 2},
		"a c e d":   {Limit: 4},
		"e":         {Since: clock.now()},
		"d b":       {Status: []approval.Status{approval.StatusApproved, approval.StatusFailed}},
		"d":         {Status: []approval.Status{approval.StatusApproved, approval.StatusFailed}, Limit: 1},
		"a c e b":   {Status: []approval.Status{approval.StatusApproved, approval.StatusPending}},
		"":          {Status: []approval.Status{approval.StatusUsed}},
	} {
		found, err := store.List(ctx, filter)
		require.NoError(t, err)
		got := ""
		for _, id := range ids(found) {
			got += map[string]string{a.ID: "a ", b.ID: "b ", c.ID: "c ", d.ID: "d ", e.ID: "e "}[id]
		}
		require.Equal(t, want, trimmed(got))
	}
	_, err = store.List(ctx, Filter{Status: []approval.Status{"'"}})
	requireReason(t, BadRequest, err)
}

func trimmed(text string) string {
	if text == "" {
		return ""
	}
	return text[:len(text)-1]
}

func TestRecentFindsIdenticalCalls(t *testing.T) {
	ctx := context.Background()
	clock := newClock()
	store := openStore(t, newFolder(t), clock.now)
	first := approved(t, store, "a")
	clock.forward(30 * time.Minute)
	_, err := store.Claim(ctx, first.ID, first.Binding, "call")
	require.NoError(t, err)
	pending(t, store, "other")
	clock.forward(time.Minute)
	second := pending(t, store, "a")
	start := clock.now()

	found, err := store.Recent(ctx, second.Subject, second.ID, start.Add(-5*time.Minute))
	require.NoError(t, err)
	require.Equal(t, []string{first.ID}, ids(found), "it was used a short while ago")
	found, err = store.Recent(ctx, second.Subject, "", start.Add(-5*time.Minute))
	require.NoError(t, err)
	require.Equal(t, []string{second.ID, first.ID}, ids(found))
	found, err = store.Recent(ctx, second.Subject, second.ID, start)
	require.NoError(t, err)
	require.Empty(t, found)
}

func TestINV5_AnotherProtocolVoidsWhatIsLive(t *testing.T) {
	ctx := context.Background()
	store := openStore(t, newFolder(t), nil)
	waits, given, done := pending(t, store, "a"), approved(t, store, "b"), approved(t, store, "c")
	_, err := store.Claim(ctx, done.ID, done.Binding, "call")
	require.NoError(t, err)
	fresh := asked("d")
	fresh.Digest = "sha256:b"
	stays, _, err := store.Ask(ctx, fresh, time.Hour)
	require.NoError(t, err)

	voided, err := store.Void(ctx, "sha256:b")
	require.NoError(t, err)
	require.Equal(t, Voided{Requests: 2}, voided)
	for id, want := range map[string]approval.Status{
		waits.ID: approval.StatusStale, given.ID: approval.StatusStale, done.ID: approval.StatusUsed, stays.ID: approval.StatusPending,
	} {
		got, err := store.Get(ctx, id)
		require.NoError(t, err)
		require.Equal(t, want, got.Status)
	}
	_, err = store.Claim(ctx, given.ID, given.Binding, "call")
	require.ErrorIs(t, err, approval.ErrNotApproved)

	// The same call under the new protocol has another binding, and hears of it
	// once.
	fresh = asked("b")
	fresh.Binding, fresh.Digest = "new binding", "sha256:b"
	told, made, err := store.Ask(ctx, fresh, time.Hour)
	require.NoError(t, err)
	require.False(t, made)
	require.Equal(t, given.ID, told.ID)
	require.Equal(t, approval.StatusStale, told.Status)
	_, made, err = store.Ask(ctx, fresh, time.Hour)
	require.NoError(t, err)
	require.True(t, made)
}

func TestAnEndIsToldOnce(t *testing.T) {
	ctx := context.Background()
	store := openStore(t, newFolder(t), nil)
	for _, status := range []approval.Status{approval.StatusDenied, approval.StatusFailed} {
		name := string(status)
		request := pending(t, store, name)
		require.NoError(t, store.Told(ctx, request.ID), "that it waits is not the end")
		denied, err := store.Decide(ctx, request.ID, approval.Ruling{Status: status, Reason: "no"})
		require.NoError(t, err)
		again, made, err := store.Ask(ctx, asked(name), time.Hour)
		require.NoError(t, err)
		require.False(t, made)
		require.Equal(t, denied, again)
		next := pending(t, store, name)

		_, err = store.Decide(ctx, next.ID, approval.Ruling{Status: status})
		require.NoError(t, err)
		require.NoError(t, store.Told(ctx, next.ID))
		pending(t, store, name)
	}
	require.ErrorIs(t, store.Told(ctx, "invented"), approval.ErrUnknown)
	_, err := store.Put(ctx, "invented")
	require.ErrorIs(t, err, approval.ErrUnknown)
	_, err = store.Get(ctx, "invented")
	require.ErrorIs(t, err, approval.ErrUnknown)
	_, err = store.Decide(ctx, "invented", approval.Ruling{Status: approval.StatusDenied})
	require.ErrorIs(t, err, approval.ErrUnknown)
}

func TestEndedRequestsAreForgottenLittleByLittle(t *testing.T) {
	ctx := context.Background()
	clock := newClock()
	store := openStore(t, newFolder(t), clock.now)
	for i := range 10 {
		request := pending(t, store, strconv.Itoa(i))
		_, err := store.Decide(ctx, request.ID, approval.Ruling{Status: approval.StatusDenied})
		require.NoError(t, err)
	}
	count := func() (n int) {
		var details int
		require.NoError(t, store.db.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM requests), (SELECT count(*) FROM details)`).Scan(&n, &details))
		require.Equal(t, n, details)
		return n
	}
	clock.forward(keep)
	pending(t, store, "new 1")
	require.Equal(t, 11, count(), "not before their time")
	clock.forward(1)
	pending(t, store, "new 2")
	require.Equal(t, 11+1-step, count())
	pending(t, store, "new 3")
	pending(t, store, "new 4")
	require.Equal(t, 4, count())
	found, err := store.Pending(ctx)
	require.NoError(t, err)
	require.Len(t, found, 4, "what is live is never forgotten")
}
