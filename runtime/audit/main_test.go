package audit

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/gate"
	"github.com/gatewright/gatewright/runtime/state"
)

const (
	digestA = "sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	digestB = "sha256:bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
)

// newFolder opens an empty state folder.
func newFolder(t testing.TB) *state.Folder {
	t.Helper()
	folder, err := state.Open(state.Options{Dir: filepath.Join(t.TempDir(), "state"), Protocol: "sample", Workspace: t.TempDir()})
	require.NoError(t, err)
	t.Cleanup(func() { _ = folder.Close() })
	return folder
}

func options(digest string) Options {
	return Options{Protocol: "sample", Digest: digest, Mode: "implement", Actor: "tester", Session: "1:2", LockTimeout: time.Minute}
}

func openLog(t testing.TB, folder *state.Folder) *Log {
	t.Helper()
	log, err := Open(context.Background(), folder, options(digestA))
	require.NoError(t, err)
	t.Cleanup(func() { _ = log.Close(context.Background()) })
	return log
}

func call(id string, effect gate.Effect) gate.Entry {
	return gate.Entry{
		Event: gate.ToolCall, Time: time.Unix(1700000000, 123456789), Protocol: "sample", Digest: digestA, Mode: "implement",
		Tool: "edit", Effect: effect, CallID: id, Actor: "tester", Session: "1:2", Args: digestB,
		Recorded: map[string]string{"/commit": `"abc"`}, Decision: gate.Admitted,
	}
}

func result(id string, effect gate.Effect) gate.Entry {
	entry := call(id, effect)
	entry.Event, entry.Decision, entry.Outcome = gate.ToolResult, "", gate.Succeeded
	return entry
}

func content(t testing.TB, folder *state.Folder) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder.Path(), FileName))
	require.NoError(t, err)
	return text
}

func verified(t testing.TB, folder *state.Folder) Report {
	t.Helper()
	report, err := Verify(bytes.NewReader(content(t, folder)))
	require.NoError(t, err)
	return report
}

// filled returns the text of a log with at least n entries.
func filled(t testing.TB, n int) []byte {
	t.Helper()
	folder := newFolder(t)
	log := openLog(t, folder)
	for i := range n / 2 {
		id := "call" + strconv.Itoa(i)
		require.NoError(t, log.Admit(context.Background(), call(id, gate.Read)))
		require.NoError(t, log.Record(context.Background(), result(id, gate.Read)))
	}
	return content(t, folder)
}

func entries(t testing.TB, folder *state.Folder) []Entry {
	t.Helper()
	var all []Entry
	w := newWalker(bytes.NewReader(content(t, folder)))
	for range verified(t, folder).Entries {
		entry, err := w.next()
		require.NoError(t, err)
		all = append(all, entry)
	}
	return all
}
