//go:build unix

package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/audit"
	"github.com/gatewright/gatewright/runtime/gate"
	"github.com/gatewright/gatewright/runtime/preview"
	"github.com/gatewright/gatewright/runtime/store"
)

// dieCommitting is another process that previews, begins a commit, and is
// killed in it; or that ends it in a way it is told:
//
//	dying-commit STATE WORKSPACE TOOL BODY [succeeds|fails|partly]
//
// It prints the id of the commit.
func dieCommitting() int {
	id, err := dieIn(context.Background(), os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "dying-commit:", err)
		return 1
	}
	fmt.Println(id)
	return 0
}

func dieIn(ctx context.Context, args []string) (id string, err error) {
	dir, err := filepath.Abs(args[0])
	if err != nil {
		return "", err
	}
	t, err := openTray(ctx, dir, args[1])
	if err != nil {
		return "", err
	}
	c, err := t.begin(ctx, args[2], args[3])
	if err != nil {
		return "", err
	}
	if len(args) == 4 {
		fmt.Println(commitID(c.Handle))
		return "", syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}
	partial := gate.Refuse(gate.CommitPartial, "the tracker is full")
	partial.Partial = &gate.Partial{Finished: []string{"page 1"}, Failed: []gate.FailedItem{{Item: "page 2", Reason: "full"}}}
	ending := map[string]gate.Ending{
		"succeeds": {Output: []byte(`{"result_type":"committed"}`)},
		"fails":    {Refusal: gate.Refuse(gate.HandlerFailed, "no network")},
		"partly":   {Refusal: partial},
	}[args[4]]
	return commitID(c.Handle), errors.Join(t.store.End(ctx, c, ending), t.store.Close(), t.folder.Close())
}

// begin leaves a plan in the store that this process carries out.
func (t *tray) begin(ctx context.Context, tool, body string) (gate.Commitment, error) {
	kept, err := t.store.Keep(ctx, gate.Plan{
		Tool: tool, Digest: trayDigest, Mode: "plan", Actor: "ci-bot", Call: "preview-1", Body: []byte(body),
		Recorded: map[string]string{"/document": `"d"`}, TTL: time.Hour,
	})
	c := gate.Commitment{Handle: kept.Handle, Tool: tool, Digest: trayDigest, Mode: "write", Call: "commit-1"}
	if err == nil {
		err = t.store.Begin(ctx, c)
	}
	return c, err
}

func commitID(handle string) string {
	sum := sha256.Sum256([]byte(handle))
	return hex.EncodeToString(sum[:16])
}

// interrupted lets a process die in a commit, and returns its id.
func (t *tray) interrupted(tb testing.TB, tool, body string) string {
	tb.Helper()
	var out, errs bytes.Buffer
	command := exec.CommandContext(tb.Context(), "dying-commit", t.dir, t.workspace, tool, body)
	command.Stdout, command.Stderr = &out, &errs
	require.Error(tb, command.Run(), "it is killed")
	require.Empty(tb, errs.String())
	return strings.TrimSpace(out.String())
}

func (t *tray) commit(tb testing.TB, id string) preview.Commit {
	tb.Helper()
	all, err := t.store.Commits(tb.Context(), store.CommitFilter{})
	require.NoError(tb, err)
	for _, commit := range all {
		if commit.ID == id {
			return commit
		}
	}
	require.FailNow(tb, "there is no such commit", id)
	return preview.Commit{}
}

// resolutions are the entries of the log about commits; the whole log is sound.
func (t *tray) resolutions(tb testing.TB) (found []audit.Entry) {
	tb.Helper()
	text, err := os.ReadFile(filepath.Join(t.dir, audit.FileName))
	require.NoError(tb, err)
	_, err = audit.Verify(bytes.NewReader(text))
	require.NoError(tb, err)
	for line := range bytes.Lines(text) {
		var entry audit.Entry
		require.NoError(tb, json.Unmarshal(line, &entry))
		if entry.Event == audit.CommitResolved {
			found = append(found, entry)
		}
	}
	return found
}
