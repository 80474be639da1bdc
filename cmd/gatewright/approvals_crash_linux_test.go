package main

import (
	"bytes"
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/approval"
	"github.com/gatewright/gatewright/runtime/audit"
	"github.com/gatewright/gatewright/runtime/gate"
	"github.com/gatewright/gatewright/runtime/store"
)

// Killed between the log and the store, nothing is approved: the log says what
// was decided, the request waits on, and can be decided again.
func TestINV4_KilledBetweenTheLogAndTheStoreApprovesNothing(t *testing.T) {
	tray := newTray(t)
	request := tray.mustAsk(t, "release", `{}`, nil)
	release := holdStore(t, tray.dir)
	s := sit(t, 100, 50, "", "approve", "--state-dir", tray.dir, request.ID)
	s.sees("Approve it? [y/N]")
	s.types("y\n")
	log := filepath.Join(tray.dir, audit.FileName)
	require.Eventually(t, func() bool {
		text, err := os.ReadFile(log)
		return err == nil && bytes.Contains(text, []byte(gate.ApprovalDecision))
	}, patience, 5*time.Millisecond)
	require.NoError(t, s.cmd.Process.Kill())
	require.NotZero(t, s.leave())
	release()
	require.Equal(t, approval.StatusPending, tray.get(t, request.ID).Status)
	_, err := tray.store.Claim(t.Context(), request.ID, request.Binding, "call")
	require.ErrorIs(t, err, approval.ErrNotApproved)

	s = sit(t, 100, 50, "", "approve", "--state-dir", tray.dir, request.ID)
	s.sees("Approve it? [y/N]")
	s.types("y\n")
	require.Zero(t, s.leave(), s.errs.String())
	require.Equal(t, approval.StatusApproved, tray.get(t, request.ID).Status)
	require.Len(t, tray.decisions(t), 2)
}

// holdStore keeps everybody from writing to a store.
func holdStore(t *testing.T, dir string) (release func()) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, store.FileName))
	require.NoError(t, err)
	held, err := db.Conn(context.Background())
	require.NoError(t, err)
	_, err = held.ExecContext(t.Context(), "BEGIN IMMEDIATE")
	require.NoError(t, err)
	return func() {
		_, err := held.ExecContext(context.Background(), "ROLLBACK")
		require.NoError(t, err)
		require.NoError(t, held.Close())
		require.NoError(t, db.Close())
	}
}

// Two people who answer at the same time: one decides, and the other is told.
func TestOneOfTwoDecides(t *testing.T) {
	tray := newTray(t)
	request := tray.mustAsk(t, "release", `{}`, nil)
	approves := sit(t, 100, 50, "", "approve", "--state-dir", tray.dir, request.ID)
	denies := sit(t, 100, 50, "", "deny", "--reason", "no", "--state-dir", tray.dir, request.ID)
	for _, s := range []*seat{approves, denies} {
		s.sees("it? [y/N]")
	}
	for _, s := range []*seat{approves, denies} {
		s.types("y\n")
	}
	codes := map[approval.Status]int{approval.StatusApproved: approves.leave(), approval.StatusDenied: denies.leave()}
	status := tray.get(t, request.ID).Status
	require.Contains(t, codes, status)
	for of, code := range codes {
		if of == status {
			require.Zero(t, code)
		} else {
			require.Equal(t, exitFindings, code)
		}
	}
	require.Contains(t, approves.errs.String()+denies.errs.String(), "is pending no more: "+string(status))
}
