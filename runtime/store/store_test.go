package store

import (
	"context"
	"crypto/rand"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/approval"
	"github.com/gatewright/gatewright/runtime/state"
)

// A clock is set by hand.
type clock struct{ at atomic.Int64 }

func newClock() *clock {
	c := new(clock)
	c.at.Store(time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC).UnixNano())
	return c
}

func (c *clock) now() time.Time          { return time.Unix(0, c.at.Load()) }
func (c *clock) forward(d time.Duration) { c.at.Add(int64(d)) }

// newFolder opens an empty state folder.
func newFolder(t testing.TB) *state.Folder {
	t.Helper()
	folder, err := state.Open(state.Options{Dir: filepath.Join(t.TempDir(), "state ?#%41"), Protocol: "sample", Workspace: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(func() { _ = folder.Close() })
	return folder
}

func openStore(t testing.TB, folder *state.Folder, now func() time.Time) *Store {
	t.Helper()
	store, err := Open(context.Background(), folder, Options{Now: now})
	require.NoError(t, err)
	t.Cleanup(func() { _ = store.Close() })
	return store
}

// asked is a request for a call that differs from others by its name.
func asked(name string) approval.Request {
	return approval.Request{
		ID: rand.Text(), Binding: "binding " + name, Subject: "subject " + name, Protocol: "sample", Digest: "sha256:a", Mode: "review", Tool: "approve",
		Actor: "tester", Session: "1:2", Workspace: "/w", Call: "call " + name, Arguments: []byte(`{"commit":"` + name + `"}`), Why: "because",
		By: []string{"queue", "elicit"},
	}
}

// pending asks for a fresh request.
func pending(t testing.TB, store *Store, name string) approval.Request {
	t.Helper()
	request, made, err := store.Ask(context.Background(), asked(name), time.Hour)
	require.NoError(t, err)
	require.True(t, made)
	require.Equal(t, approval.StatusPending, request.Status)
	return request
}

// approved asks, and approves.
func approved(t testing.TB, store *Store, name string) approval.Request {
	t.Helper()
	request, err := store.Decide(context.Background(), pending(t, store, name).ID, approval.Ruling{
		Status: approval.StatusApproved, Provider: "queue", Approver: "somebody", Reason: "looks good",
	})
	require.NoError(t, err)
	return request
}

func requireReason(t testing.TB, reason Reason, err error) {
	t.Helper()
	var failed *Error
	require.ErrorAs(t, err, &failed)
	require.Equal(t, reason, failed.Reason, "%v", err)
}
