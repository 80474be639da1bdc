//go:build unix

package store

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/gate"
	"github.com/gatewright/gatewright/runtime/preview"
	"github.com/gatewright/gatewright/runtime/state"
)

// interrupted keeps a plan whose commit another process begins and dies in.
func interrupted(t testing.TB, folder *state.Folder, store *Store) gate.Commitment {
	t.Helper()
	c := kept(t, store, `{"a":1}`)
	command := child(folder, "begin", "other")
	in, err := command.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, command.Start())
	_, err = fmt.Fprintln(in, c.Handle)
	require.NoError(t, err)
	require.NoError(t, in.Close())
	require.NoError(t, command.Wait())
	return c
}

func TestCommitsAreThePlansThatWereBegun(t *testing.T) {
	ctx, folder, clock := context.Background(), newFolder(t), newClock()
	store := openStore(t, folder, clock.now)
	kept(t, store, "{}")
	plan := planned(`{"a":1}`)
	made, err := store.Keep(ctx, plan)
	require.NoError(t, err)
	clock.forward(time.Minute)
	c := gate.Commitment{Handle: made.Handle, Key: "k", Tool: "import", Digest: "sha256:a", Mode: "review", Call: "commit-1"}
	require.NoError(t, store.Begin(ctx, c))
	begunAt := clock.now().UTC()
	all, err := store.Commits(ctx, CommitFilter{})
	require.NoError(t, err)
	require.Len(t, all, 1)
	require.Regexp(t, `^[0-9a-f]{32}$`, all[0].ID)
	want := preview.Commit{
		ID: all[0].ID, Status: preview.Begun, Tool: "import", Digest: "sha256:a", Actor: "tester", Preview: "preview-1", Call: "commit-1", Mode: "review",
		Key: "k", Body: []byte(`{"a":1}`), Recorded: plan.Recorded, MadeAt: begunAt.Add(-time.Minute), ExpiresAt: made.ExpiresAt, BegunAt: begunAt,
	}
	require.Equal(t, want, all[0])
	clock.forward(time.Second)
	ending := succeeded()
	require.NoError(t, store.End(ctx, c, ending))
	want.Status, want.Body, want.Recorded, want.Ending, want.EndedAt = preview.Committed, nil, nil, &ending, begunAt.Add(time.Second)
	all, err = store.Commits(ctx, CommitFilter{Status: []preview.Status{preview.Committed}, Since: begunAt, Limit: 5})
	require.NoError(t, err)
	require.Equal(t, []preview.Commit{want}, all)

	for _, filter := range []CommitFilter{{Since: begunAt.Add(1)}, {Status: []preview.Status{preview.Begun, preview.Interrupted}}} {
		all, err = store.Commits(ctx, filter)
		require.NoError(t, err)
		require.Empty(t, all)
	}
	for _, status := range []preview.Status{"", "x", preview.Ready, preview.Expired, preview.Stale, "') OR 1 --"} {
		_, err = store.Commits(ctx, CommitFilter{Status: []preview.Status{status}})
		requireReason(t, BadRequest, err)
	}
}

// Whatever a person found, the plan is not run, and the caller is told so.
func TestINV6_WhatAPersonFoundIsToldAndRunsNothing(t *testing.T) {
	ctx, folder, clock := context.Background(), newFolder(t), newClock()
	store := openStore(t, folder, clock.now)
	for outcome, words := range map[preview.Outcome]struct{ message, next string }{
		preview.Done:    {"all of it was done: looked \x1b", "Do not preview it again"},
		preview.NotDone: {"nothing of it was done: looked \x1b", "Call the preview again"},
		preview.Partly:  {"some of it was done: looked \x1b", "preview what is left"},
	} {
		c := func() gate.Commitment {
			store := openStore(t, folder, nil)
			defer store.Close()
			return interrupted(t, folder, store)
		}()
		clock.at.Store(time.Now().UnixNano())
		refusedEverywhere(t, store, c, gate.CommitInterrupted)
		all, err := store.Commits(ctx, CommitFilter{Status: []preview.Status{preview.Interrupted}})
		require.NoError(t, err)
		require.Len(t, all, 1)
		require.Equal(t, `{"a":1}`, string(all[0].Body), "a person needs to see it")
		found := preview.Resolution{Outcome: outcome, Note: "looked \x1b", By: "ada"}
		resolved, err := store.Resolve(ctx, all[0].ID, found)
		require.NoError(t, err)
		require.Equal(t, preview.Resolved, resolved.Status)
		require.Equal(t, found, resolved.Resolution)
		require.Equal(t, clock.now().UTC(), resolved.EndedAt)
		require.Zero(t, bodies(t, store))

		refusal := refusedEverywhere(t, store, c, gate.HandleUsed)
		require.Contains(t, refusal.Message, words.message)
		require.Contains(t, refusal.Message, "call other was interrupted")
		require.Contains(t, refusal.Next, words.next)
		again, err := store.Resolve(ctx, all[0].ID, preview.Resolution{Outcome: preview.Done})
		require.ErrorIs(t, err, preview.ErrNotInterrupted)
		require.Equal(t, resolved, again, "the first word stands")
		requireReason(t, BadRequest, store.End(ctx, gate.Commitment{Handle: c.Handle, Tool: "import", Call: "other"}, succeeded()))
	}
}

func TestWhatIsNotInterruptedIsNotResolved(t *testing.T) {
	ctx := context.Background()
	store := openStore(t, newFolder(t), nil)
	done := preview.Resolution{Outcome: preview.Done}
	ready := kept(t, store, "{}")
	_, err := store.Resolve(ctx, idOf(ready), done)
	require.ErrorIs(t, err, preview.ErrUnknown, "a preview is no commit")
	for _, id := range []string{"", "x", idOf(ready)[:8], idOf(ready) + "00", ready.Handle, "zz" + idOf(ready)[2:], "00000000000000000000000000000000"} {
		_, err := store.Resolve(ctx, id, done)
		require.ErrorIs(t, err, preview.ErrUnknown)
	}
	require.NoError(t, store.Begin(ctx, ready))
	commit, err := store.Resolve(ctx, idOf(ready), done)
	require.ErrorIs(t, err, preview.ErrNotInterrupted)
	require.Equal(t, preview.Begun, commit.Status)
	require.NoError(t, store.End(ctx, ready, succeeded()))
	commit, err = store.Resolve(ctx, idOf(ready), done)
	require.ErrorIs(t, err, preview.ErrNotInterrupted)
	require.Equal(t, preview.Committed, commit.Status)
	for _, outcome := range []preview.Outcome{"", "Done", "committed"} {
		_, err = store.Resolve(ctx, idOf(ready), preview.Resolution{Outcome: outcome})
		requireReason(t, BadRequest, err)
	}
	_, err = store.Resolve(ctx, idOf(ready), preview.Resolution{Outcome: preview.Done, Note: string(make([]byte, maxName+1))})
	requireReason(t, TooLarge, err)
}

func idOf(c gate.Commitment) string { return fmt.Sprintf("%x", hashed(c.Handle)[:idSize]) }

// An interrupted commit is kept until somebody has looked, however long that
// takes.
func TestINV6_AnInterruptedCommitIsNotForgotten(t *testing.T) {
	ctx, folder, clock := context.Background(), newFolder(t), newClock()
	clock.at.Store(time.Now().UnixNano())
	store := unsynced(t, openStore(t, folder, clock.now))
	c := interrupted(t, folder, store)
	refusedEverywhere(t, store, c, gate.CommitInterrupted)
	clock.forward(3 * keepTombstone)
	for range 3 {
		kept(t, store, "{}")
	}
	refusedEverywhere(t, store, c, gate.CommitInterrupted)
	_, err := store.Resolve(ctx, idOf(c), preview.Resolution{Outcome: preview.Done})
	require.NoError(t, err)
	clock.forward(keepTombstone - time.Hour)
	kept(t, store, "{}")
	refusedEverywhere(t, store, c, gate.HandleUsed)
	clock.forward(2 * time.Hour)
	kept(t, store, "{}")
	refusedEverywhere(t, store, c, gate.HandleUnknown)
}
