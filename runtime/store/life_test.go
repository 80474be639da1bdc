package store

import (
	"bytes"
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/approval"
)

func TestARequestIsKeptAsItWasAsked(t *testing.T) {
	ctx, clock := context.Background(), newClock()
	store := openStore(t, newFolder(t), clock.now)
	fresh := asked("a")
	got, made, err := store.Ask(ctx, fresh, time.Hour)
	require.NoError(t, err)
	require.True(t, made)
	fresh.AskedAt, fresh.ExpiresAt, fresh.Status = clock.now().UTC(), clock.now().Add(time.Hour).UTC(), approval.StatusPending
	require.Equal(t, fresh, got)
	read, err := store.Get(ctx, fresh.ID)
	require.NoError(t, err)
	require.Equal(t, fresh, read)

	again, made, err := store.Ask(ctx, asked("a"), time.Minute)
	require.NoError(t, err)
	require.False(t, made)
	require.Equal(t, fresh, again)
}

func TestBytesAreKeptAsTheyAre(t *testing.T) {
	ctx := context.Background()
	store := openStore(t, newFolder(t), nil)
	for i, text := range []string{"\x00", "a\x00b", "\xff\xfe", "\xed\xa0\x80", "'; DROP TABLE requests; --", "\u202e\U0010ffff", "é e\u0301", "\n\r\t"} {
		fresh := asked("a")
		fresh.ID, fresh.Binding, fresh.Subject = "id"+text, "binding"+text, "subject"+text
		fresh.Protocol, fresh.Digest, fresh.Mode, fresh.Tool, fresh.Actor = text, text, text, text, text
		fresh.Session, fresh.Workspace, fresh.Call, fresh.Why, fresh.Arguments = text, text, text, text, []byte(text)
		fresh.Shown = text
		got, made, err := store.Ask(ctx, fresh, time.Hour)
		require.NoError(t, err)
		require.True(t, made, "%d: %q was taken for another", i, text)
		fresh.AskedAt, fresh.ExpiresAt, fresh.Status = got.AskedAt, got.ExpiresAt, got.Status
		require.Equal(t, fresh, got)
		_, err = store.Decide(ctx, fresh.ID, approval.Ruling{Status: approval.StatusApproved, Provider: text, Approver: text, Reason: text})
		require.NoError(t, err)
		used, err := store.Claim(ctx, fresh.ID, fresh.Binding, text)
		require.NoError(t, err)
		fresh.Status, fresh.DecidedAt, fresh.UsedAt = approval.StatusUsed, used.DecidedAt, used.UsedAt
		fresh.Provider, fresh.Approver, fresh.Reason, fresh.UsedBy = text, text, text, text
		require.Equal(t, fresh, used)
		read, err := store.Get(ctx, fresh.ID)
		require.NoError(t, err)
		require.Equal(t, fresh, read)
	}
}

func TestEmptyTextsAreKept(t *testing.T) {
	store := openStore(t, newFolder(t), nil)
	got, made, err := store.Ask(context.Background(), approval.Request{ID: "i", Binding: "b", Subject: "s"}, time.Hour)
	require.NoError(t, err)
	require.True(t, made)
	require.Empty(t, got.Arguments)
	require.Nil(t, got.By)
}

func TestWhatCannotBeKeptIsRefused(t *testing.T) {
	ctx := context.Background()
	store := openStore(t, newFolder(t), nil)
	for reason, spoil := range map[Reason][]func(*approval.Request, *time.Duration){
		TooLarge: {
			func(r *approval.Request, _ *time.Duration) { r.Arguments = make([]byte, maxText+1) },
			func(r *approval.Request, _ *time.Duration) { r.Shown = strings.Repeat("x", maxText+1) },
			func(r *approval.Request, _ *time.Duration) { r.Why = strings.Repeat("x", maxText+1) },
			func(r *approval.Request, _ *time.Duration) { r.By = []string{strings.Repeat("x", maxText)} },
		},
		BadRequest: {
			func(r *approval.Request, _ *time.Duration) { r.ID = "" },
			func(r *approval.Request, _ *time.Duration) { r.Binding = "" },
			func(r *approval.Request, _ *time.Duration) { r.Subject = "" },
			func(r *approval.Request, _ *time.Duration) { r.By = []string{"\xff"} },
			func(_ *approval.Request, ttl *time.Duration) { *ttl = 0 },
			func(_ *approval.Request, ttl *time.Duration) { *ttl = -1 },
		},
	} {
		for _, spoil := range spoil {
			request, ttl := asked("a"), time.Hour
			spoil(&request, &ttl)
			_, _, err := store.Ask(ctx, request, ttl)
			requireReason(t, reason, err)
		}
	}
	request := asked("large")
	request.Arguments, request.Shown = bytes.Repeat([]byte("x"), maxText), strings.Repeat("x", maxText)
	request, made, err := store.Ask(ctx, request, time.Hour)
	require.NoError(t, err)
	require.True(t, made)
	for _, status := range []approval.Status{"", "approve", approval.StatusPending, approval.StatusUsed, approval.StatusTimedOut, approval.StatusStale} {
		_, err = store.Decide(ctx, request.ID, approval.Ruling{Status: status})
		requireReason(t, BadRequest, err)
	}
	_, err = store.Decide(ctx, request.ID, approval.Ruling{Status: approval.StatusApproved, Reason: strings.Repeat("x", maxText+1)})
	requireReason(t, TooLarge, err)

	again := asked("other")
	again.ID = request.ID
	_, _, err = store.Ask(ctx, again, time.Hour)
	requireReason(t, BadRequest, err)
	found, err := store.List(ctx, Filter{})
	require.NoError(t, err)
	require.Len(t, found, 1)
}

func TestINV5_AnApprovalIsUsedOnceByWhomItWasGivenTo(t *testing.T) {
	ctx := context.Background()
	store := openStore(t, newFolder(t), nil)
	waits := pending(t, store, "waits")
	_, err := store.Claim(ctx, waits.ID, waits.Binding, "call")
	require.ErrorIs(t, err, approval.ErrNotApproved)

	request, other := approved(t, store, "a"), approved(t, store, "b")
	_, err = store.Claim(ctx, request.ID, other.Binding, "call")
	require.ErrorIs(t, err, approval.ErrNotApproved)
	_, err = store.Claim(ctx, other.ID, request.Binding, "call")
	require.ErrorIs(t, err, approval.ErrNotApproved)
	_, err = store.Claim(ctx, "invented", request.Binding, "call")
	require.ErrorIs(t, err, approval.ErrUnknown)
	used, err := store.Claim(ctx, request.ID, request.Binding, "call")
	require.NoError(t, err)
	require.Equal(t, "call", used.UsedBy)
	again, err := store.Claim(ctx, request.ID, request.Binding, "another")
	require.ErrorIs(t, err, approval.ErrNotApproved)
	require.Equal(t, used, again)
	_, made, err := store.Ask(ctx, asked("a"), time.Hour)
	require.NoError(t, err)
	require.True(t, made, "the next call asks anew")
}

// Nothing leads back, even for statements that forget to ask.
func TestINV5_AnEndedRequestStaysAsItIs(t *testing.T) {
	ctx := context.Background()
	store := openStore(t, newFolder(t), nil)
	request := approved(t, store, "a")
	_, err := store.Claim(ctx, request.ID, request.Binding, "call")
	require.NoError(t, err)
	for _, statement := range []string{
		`UPDATE requests SET status = 'approved', used_at = 0, ended_at = 0`,
		`UPDATE requests SET status = 'used'`,
		`UPDATE requests SET binding = x'00'`,
		`UPDATE requests SET expires_at = expires_at + 1`,
		`UPDATE requests SET why = x'00'`,
		`UPDATE details SET arguments = x'00'`,
		`UPDATE details SET shown = x'00'`,
	} {
		_, err := store.db.ExecContext(ctx, statement)
		require.ErrorContains(t, err, "stays as it is", statement)
	}
	waits := pending(t, store, "b")
	_, err = store.db.ExecContext(ctx, `UPDATE requests SET status = 'used', used_at = 1, ended_at = 1 WHERE id = ?`, []byte(waits.ID))
	require.ErrorContains(t, err, "stays as it is")
}

func TestFiftyAreDecidedInReverseOrder(t *testing.T) {
	ctx := context.Background()
	store := openStore(t, newFolder(t), nil)
	var ids []string
	for i := range 50 {
		ids = append(ids, pending(t, store, strconv.Itoa(i)).ID)
	}
	waiting, err := store.Pending(ctx)
	require.NoError(t, err)
	for i, id := range ids {
		require.Equal(t, id, waiting[i].ID, "the oldest is first")
	}
	for i, id := range slices.Backward(ids) {
		ruling := approval.Ruling{Status: approval.StatusApproved, Reason: strconv.Itoa(i)}
		if i%2 == 0 {
			ruling.Status = approval.StatusDenied
		}
		decided, err := store.Decide(ctx, id, ruling)
		require.NoError(t, err)
		require.Equal(t, ruling.Status, decided.Status)
		ruling = approval.Ruling{Status: approval.StatusFailed, Reason: "too late"}
		again, err := store.Decide(ctx, id, ruling)
		require.ErrorIs(t, err, approval.ErrNotPending)
		require.Equal(t, decided, again, "the first decision stands")
	}
	found, err := store.List(ctx, Filter{Status: []approval.Status{approval.StatusDenied}, Limit: 3})
	require.NoError(t, err)
	require.Len(t, found, 3)
	require.Equal(t, ids[48], found[0].ID, "the newest is first")
	require.Equal(t, `{"commit":"48"}`, string(found[0].Arguments))
}

func TestAtMostFiveHundredWait(t *testing.T) {
	ctx := context.Background()
	store := unsynced(t, openStore(t, newFolder(t), nil))
	first := pending(t, store, "0")
	for i := 1; i < maxPending; i++ {
		request := asked(strconv.Itoa(i))
		request.Tool = "tool " + strconv.Itoa(i%10)
		_, _, err := store.Ask(ctx, request, time.Hour)
		require.NoError(t, err)
	}
	_, _, err := store.Ask(ctx, asked("more"), time.Hour)
	require.ErrorIs(t, err, approval.ErrFull)
	_, made, err := store.Ask(ctx, asked("0"), time.Hour)
	require.NoError(t, err, "who waits already goes on waiting")
	require.False(t, made)
	_, err = store.Decide(ctx, first.ID, approval.Ruling{Status: approval.StatusDenied})
	require.NoError(t, err)
	pending(t, store, "more")
}

// One tool of one actor in one mode leaves room for the others.
func TestAtMostFiftyWaitForOneTool(t *testing.T) {
	ctx := context.Background()
	store := unsynced(t, openStore(t, newFolder(t), nil))
	for i := range maxPendingEach {
		pending(t, store, strconv.Itoa(i))
	}
	_, _, err := store.Ask(ctx, asked("more"), time.Hour)
	require.ErrorIs(t, err, approval.ErrFull)
	require.ErrorContains(t, err, "50 of at most 50 of this tool")
	for name, change := range map[string]func(*approval.Request){
		"tool": func(r *approval.Request) { r.Tool = "other" }, "mode": func(r *approval.Request) { r.Mode = "other" },
		"actor": func(r *approval.Request) { r.Actor = "other" },
	} {
		request := asked(name)
		change(&request)
		_, made, err := store.Ask(ctx, request, time.Hour)
		require.NoError(t, err, name)
		require.True(t, made)
	}
}
