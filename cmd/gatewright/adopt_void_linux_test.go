package main

import (
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/approval"
	"github.com/gatewright/gatewright/runtime/audit"
	"github.com/gatewright/gatewright/runtime/state"
	"github.com/gatewright/gatewright/runtime/store"
)

// leftOver puts an approval into the store as the protocol in force would have
// it, and returns how to look at it.
func (p place) leftOver(id, digest string) (status func() approval.Status) {
	p.t.Helper()
	folder, err := state.Open(state.Options{Dir: p.state, Protocol: "notes", Workspace: p.workspace, Existing: true})
	require.NoError(p.t, err)
	p.t.Cleanup(func() { require.NoError(p.t, folder.Close()) })
	book, err := store.Open(p.t.Context(), folder, store.Options{})
	require.NoError(p.t, err)
	p.t.Cleanup(func() { require.NoError(p.t, book.Close()) })
	_, _, err = book.Ask(p.t.Context(), approval.Request{ID: id, Binding: id, Subject: id, Digest: digest, Arguments: []byte("{}"), By: []string{"queue"}}, time.Hour)
	require.NoError(p.t, err)
	_, err = book.Decide(p.t.Context(), id, approval.Ruling{Status: approval.StatusApproved, Provider: "queue"})
	require.NoError(p.t, err)
	return func() approval.Status {
		request, err := book.Get(p.t.Context(), id)
		require.NoError(p.t, err)
		return request.Status
	}
}

func (p place) pinned() string {
	p.t.Helper()
	folder, err := state.Open(state.Options{Dir: p.state, Protocol: "notes", Workspace: p.workspace, Existing: true})
	require.NoError(p.t, err)
	defer func() { require.NoError(p.t, folder.Close()) }()
	digest, err := audit.Pinned(p.t.Context(), folder, "notes")
	require.NoError(p.t, err)
	return digest
}

// A crash between an adoption and the taking back of approvals leaves some that
// nothing may revive: neither adopting the same protocol again, nor the one
// before.
func TestINV5_NoAdoptionRevivesAnApproval(t *testing.T) {
	p := newPlace(t)
	require.Empty(t, p.serve(p.old, "write").call("note"))
	old := p.pinned()
	code, _, stderr := p.adopt("y\n", p.new)
	require.Zero(t, code, stderr)

	status := p.leftOver("FIRST", old)
	out, err := exec.CommandContext(t.Context(), "gatewright", append([]string{"adopt"}, p.args(p.new)...)...).CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(out), "is in force already")
	require.Contains(t, string(out), "were taken back, as they were made under the old protocol: 1.")
	require.Equal(t, approval.StatusStale, status())

	status = p.leftOver("SECOND", old)
	code, _, stderr = p.adopt("y\n", p.old)
	require.Zero(t, code, stderr)
	require.Equal(t, approval.StatusStale, status())
	require.Equal(t, old, p.pinned())
}

// Approvals that cannot be taken back keep the protocol in force.
func TestINV5_NothingIsAdoptedWhereApprovalsCannotBeTakenBack(t *testing.T) {
	p := newPlace(t)
	require.Empty(t, p.serve(p.old, "write").call("note"))
	old := p.pinned()
	status := p.leftOver("FIRST", old)
	release := holdStore(t, p.state)
	code, _, stderr := p.adopt("y\n", p.new)
	require.Equal(t, 2, code, stderr)
	require.Contains(t, stderr, "nothing was adopted")
	require.Equal(t, old, p.pinned())
	release()
	require.Equal(t, approval.StatusApproved, status())
}
