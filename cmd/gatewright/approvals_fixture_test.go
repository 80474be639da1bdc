package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/approval"
	"github.com/gatewright/gatewright/runtime/audit"
	"github.com/gatewright/gatewright/runtime/gate"
	"github.com/gatewright/gatewright/runtime/state"
	"github.com/gatewright/gatewright/runtime/store"
)

const trayDigest = "sha256:1111111111111111111111111111111111111111111111111111111111111111"

// A tray is a state folder that a server has used, with a store of requests.
type tray struct {
	dir, workspace string
	folder         *state.Folder
	store          *store.Store
	late           time.Duration // how far its clock is behind
}

// openTray makes the folder and pins a protocol there, as a server does.
func openTray(ctx context.Context, dir, workspace string) (*tray, error) {
	folder, err := state.Open(state.Options{Dir: dir, Protocol: "notes", Workspace: workspace})
	if err != nil {
		return nil, err
	}
	log, err := audit.Open(ctx, folder, audit.Options{Protocol: "notes", Digest: trayDigest, Mode: "write"})
	if err != nil {
		return nil, err
	}
	if err := log.Close(ctx); err != nil {
		return nil, err
	}
	t := &tray{dir: dir, workspace: workspace, folder: folder}
	t.store, err = store.Open(ctx, folder, store.Options{Now: func() time.Time { return time.Now().Add(-t.late) }})
	return t, err
}

func newTray(t *testing.T) *tray {
	t.Helper()
	made, err := openTray(t.Context(), filepath.Join(t.TempDir(), "state"), t.TempDir())
	require.NoError(t, err)
	t.Cleanup(func() {
		_ = made.store.Close()
		_ = made.folder.Close()
	})
	return made
}

// ask leaves a request in the store.
func (t *tray) ask(ctx context.Context, tool, arguments string, change func(*approval.Request)) (approval.Request, error) {
	id := make([]byte, 16)
	_, _ = rand.Read(id)
	request := approval.Request{
		ID: hex.EncodeToString(id), Subject: tool + arguments, Protocol: "notes", Digest: trayDigest, Mode: "write", Tool: tool,
		Actor: "ci-bot", Session: "1:2", Workspace: t.workspace, Call: "call-" + hex.EncodeToString(id[:3]), Arguments: []byte(arguments),
		Why: "Everybody reads it.", By: []string{"queue"},
	}
	if change != nil {
		change(&request)
	}
	request.Binding = request.Digest + request.Subject + request.Actor
	ttl := 30 * time.Minute
	if !request.ExpiresAt.IsZero() {
		ttl = time.Until(request.ExpiresAt) + t.late
	}
	made, _, err := t.store.Ask(ctx, request, ttl)
	return made, err
}

func (t *tray) mustAsk(tb testing.TB, tool, arguments string, change func(*approval.Request)) approval.Request {
	tb.Helper()
	made, err := t.ask(tb.Context(), tool, arguments, change)
	require.NoError(tb, err)
	return made
}

func (t *tray) get(tb testing.TB, id string) approval.Request {
	tb.Helper()
	request, err := t.store.Get(tb.Context(), id)
	require.NoError(tb, err)
	return request
}

// decisions are the entries of the log about approvals; the whole log is sound.
func (t *tray) decisions(tb testing.TB) []audit.Entry {
	tb.Helper()
	text, err := os.ReadFile(filepath.Join(t.dir, audit.FileName))
	require.NoError(tb, err)
	_, err = audit.Verify(bytes.NewReader(text))
	require.NoError(tb, err)
	var all []audit.Entry
	for line := range bytes.Lines(text) {
		var entry audit.Entry
		require.NoError(tb, json.Unmarshal(line, &entry))
		if entry.Event == gate.ApprovalDecision {
			all = append(all, entry)
		}
	}
	return all
}
