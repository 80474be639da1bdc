package store

import (
	"context"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/approval"
)

// ways are all the methods that look at one request.
func ways(store *Store, request approval.Request) map[string]func(context.Context) error {
	return map[string]func(context.Context) error{
		"get": func(ctx context.Context) error { _, err := store.Get(ctx, request.ID); return err },
		"stands": func(ctx context.Context) error {
			_, err := store.Stands(ctx, request.Binding, request.Subject)
			return err
		},
		"list":    func(ctx context.Context) error { _, err := store.List(ctx, Filter{}); return err },
		"pending": func(ctx context.Context) error { _, err := store.Pending(ctx); return err },
		"recent":  func(ctx context.Context) error { _, err := store.Recent(ctx, "x", "", time.Time{}); return err },
		"void":    func(ctx context.Context) error { _, err := store.Void(ctx, request.Digest+"x"); return err },
		"ask":     func(ctx context.Context) error { _, _, err := store.Ask(ctx, asked("other"), time.Hour); return err },
		"put":     func(ctx context.Context) error { _, err := store.Put(ctx, request.ID); return err },
		"decide": func(ctx context.Context) error {
			_, err := store.Decide(ctx, request.ID, approval.Ruling{Status: approval.StatusApproved})
			return err
		},
		"told": func(ctx context.Context) error { return store.Told(ctx, request.ID) },
		"claim": func(ctx context.Context) error {
			_, err := store.Claim(ctx, request.ID, request.Binding, "call")
			return err
		},
	}
}

// Whatever is done first once the time of a request has come, the request is
// over, and the clock cannot bring it back.
func TestINV5_WhatIsOverStaysOver(t *testing.T) {
	ctx := context.Background()
	clock := newClock()
	store := openStore(t, newFolder(t), clock.now)
	for name := range ways(store, approval.Request{}) {
		for status, make := range map[approval.Status]func(testing.TB, *Store, string) approval.Request{
			approval.StatusTimedOut: pending, approval.StatusExpired: approved,
		} {
			request := make(t, store, name+string(status))
			clock.forward(time.Hour)
			_ = ways(store, request)[name](ctx)
			clock.forward(-time.Hour + time.Second)
			got, err := store.Get(ctx, request.ID)
			require.NoError(t, err)
			require.Equal(t, status, got.Status, name)
			_, err = store.Claim(ctx, request.ID, request.Binding, "call")
			require.ErrorIs(t, err, approval.ErrNotApproved)
			_, err = store.Decide(ctx, request.ID, approval.Ruling{Status: approval.StatusApproved})
			require.ErrorIs(t, err, approval.ErrNotPending)
			_, err = store.Put(ctx, request.ID)
			require.ErrorIs(t, err, approval.ErrNotPending)
			clock.forward(time.Second)
		}
	}
}

func TestARequestLivesToTheLastNanosecond(t *testing.T) {
	ctx := context.Background()
	clock := newClock()
	store := openStore(t, newFolder(t), clock.now)
	first, second := approved(t, store, "a"), approved(t, store, "b")
	clock.forward(time.Hour - 1)
	_, err := store.Claim(ctx, first.ID, first.Binding, "call")
	require.NoError(t, err)
	clock.forward(1)
	expired, err := store.Claim(ctx, second.ID, second.Binding, "call")
	require.ErrorIs(t, err, approval.ErrNotApproved)
	require.Equal(t, approval.StatusExpired, expired.Status)
	require.Equal(t, second.DecidedAt, expired.DecidedAt, "when it was approved is still told")
}

func TestATimedOutRequestSaysWhen(t *testing.T) {
	clock := newClock()
	store := openStore(t, newFolder(t), clock.now)
	request := pending(t, store, "a")
	clock.forward(5 * time.Hour)
	got, err := store.Get(context.Background(), request.ID)
	require.NoError(t, err)
	require.Equal(t, request.ExpiresAt, got.DecidedAt)
}

// A clock that is set back would let an approval live for as long again.
func TestINV5_AClockSetBackGivesAnApprovalNoMoreTime(t *testing.T) {
	ctx := context.Background()
	clock := newClock()
	store := openStore(t, newFolder(t), clock.now)
	request := approved(t, store, "a")
	clock.forward(-backwards)
	got, err := store.Get(ctx, request.ID)
	require.NoError(t, err)
	require.Equal(t, approval.StatusApproved, got.Status, "a clock may be corrected a little")
	clock.forward(-1)
	_, err = store.Claim(ctx, request.ID, request.Binding, "call")
	require.ErrorIs(t, err, approval.ErrNotApproved)
	clock.forward(backwards + 1)
	got, err = store.Get(ctx, request.ID)
	require.NoError(t, err)
	require.Equal(t, approval.StatusExpired, got.Status)
}

func TestINV4_AnImpossibleClockIsANo(t *testing.T) {
	ctx := context.Background()
	clock := newClock()
	store := openStore(t, newFolder(t), clock.now)
	request := approved(t, store, "a")
	right := clock.at.Load()
	for _, wrong := range []int64{0, -1, -1 << 63, latest + 1, 1<<63 - 1} {
		clock.at.Store(wrong)
		_, err := store.Claim(ctx, request.ID, request.Binding, "call")
		requireReason(t, BadClock, err)
		_, err = store.Get(ctx, request.ID)
		requireReason(t, BadClock, err)
	}
	clock.at.Store(right)
	_, err := store.Claim(ctx, request.ID, request.Binding, "call")
	require.NoError(t, err)
}

func TestATimeToLiveIsBounded(t *testing.T) {
	clock := newClock()
	store := openStore(t, newFolder(t), clock.now)
	request, _, err := store.Ask(context.Background(), asked("a"), 1<<62)
	require.NoError(t, err)
	require.Equal(t, approval.MaxTTL, request.ExpiresAt.Sub(request.AskedAt))
}

// A decision and the end of a request come at the same time: one of them
// counts, and everybody hears of the same.
func TestADecisionAndTheEndOfARequestRace(t *testing.T) {
	ctx, folder := context.Background(), newFolder(t)
	clock := newClock()
	store, other := openStore(t, folder, clock.now), openStore(t, folder, clock.now)
	for i := range 30 {
		request := pending(t, store, strconv.Itoa(i))
		var all sync.WaitGroup
		var decided approval.Request
		var failed error
		all.Go(func() {
			decided, failed = store.Decide(ctx, request.ID, approval.Ruling{Status: approval.StatusDenied})
		})
		all.Go(func() {
			clock.forward(time.Hour)
			_, err := other.Get(ctx, request.ID)
			require.NoError(t, err)
		})
		all.Wait()
		got, err := other.Get(ctx, request.ID)
		require.NoError(t, err)
		require.Equal(t, got, decided)
		if got.Status == approval.StatusTimedOut {
			require.ErrorIs(t, failed, approval.ErrNotPending)
		} else {
			require.Equal(t, approval.StatusDenied, got.Status)
			require.NoError(t, failed)
		}
	}
}

// The time is told once the store is held, or waiting for it would lengthen the
// life of what it waits to use.
func TestINV5_WaitingForTheStoreCountsAsTime(t *testing.T) {
	ctx, folder := context.Background(), newFolder(t)
	other := openStore(t, folder, nil)
	_, err := other.db.ExecContext(ctx, `PRAGMA busy_timeout = 0`)
	require.NoError(t, err)
	var held []error
	store := openStore(t, folder, func() time.Time {
		tx, err := other.db.BeginTx(ctx, nil)
		if err == nil {
			_ = tx.Rollback()
		}
		held = append(held, explain("", err))
		return time.Now()
	})
	request := approved(t, store, "a")
	_, err = store.Claim(ctx, request.ID, request.Binding, "call")
	require.NoError(t, err)
	require.Len(t, held, 3)
	for _, err := range held {
		requireReason(t, Busy, err)
	}
}
