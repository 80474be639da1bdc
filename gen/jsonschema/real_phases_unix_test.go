//go:build unix

package jsonschema_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/audit"
	"github.com/gatewright/gatewright/runtime/gate"
)

type object = map[string]any

// connect starts the server of a mode of the tracker.
func (w *world) connect(mode string) *mcp.ClientSession {
	w.t.Helper()
	command := exec.Command(filepath.Join(w.bin, "tracker-"+mode), "--workspace", w.workspace, "--state-dir", w.state, "--actor", "ada")
	session, err := mcp.NewClient(&mcp.Implementation{Name: "schemas", Version: "1"}, nil).Connect(w.t.Context(), &mcp.CommandTransport{Command: command}, nil)
	require.NoError(w.t, err)
	w.t.Cleanup(func() { _ = session.Close() })
	return session
}

// asked makes one call, and returns the structured content that the client got.
func (w *world) asked(session *mcp.ClientSession, tool string, arguments object) object {
	w.t.Helper()
	result, err := session.CallTool(w.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	require.NoError(w.t, err)
	content, ok := result.StructuredContent.(object)
	require.True(w.t, ok)
	if result.IsError {
		text, err := json.Marshal(content)
		require.NoError(w.t, err)
		fits(w.t, compile(w.t, "result"), text)
	}
	return content
}

// agree runs gatewright at a terminal, where a person says yes.
func (w *world) agree(args ...string) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), time.Minute)
	defer cancel()
	command := exec.CommandContext(ctx, filepath.Join(w.bin, "gatewright"), append(args, "--state-dir", w.state)...)
	terminal, err := pty.Start(command)
	require.NoError(w.t, err)
	defer terminal.Close()
	var shown strings.Builder
	for one := make([]byte, 1); !strings.Contains(shown.String(), "[y/N] "); shown.Write(one) {
		_, err := terminal.Read(one)
		require.NoError(w.t, err, shown.String())
	}
	_, err = terminal.WriteString("y\n")
	require.NoError(w.t, err)
	_, _ = io.Copy(&shown, terminal) // a terminal that was closed reads as an error
	require.NoError(w.t, command.Wait(), shown.String())
}

// What two-phase servers log fits: previews, refused handles, an approval, a
// commit and its replay. And the log tells them to be of one plan.
func TestLogsOfTwoPhaseServersFit(t *testing.T) {
	w := &world{t: t, bin: t.TempDir(), workspace: t.TempDir(), state: filepath.Join(t.TempDir(), "state")}
	w.run("go", "build", "-o", w.bin+string(filepath.Separator), "../../generated/tracker/cmd/tracker-planner", "../../generated/tracker/cmd/tracker-reporter", "../../cmd/gatewright")
	require.NoError(t, os.Mkdir(filepath.Join(w.workspace, "docs"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(w.workspace, "docs", "plan.md"), []byte("- [ ] Move it (estimate: 3)\n"), 0o600))
	server := w.connect("planner")
	preview := w.asked(server, "import_preview", object{"document": "docs/plan.md"})
	handle := preview["handle"]
	commit := object{"handle": handle, "confirmed": true, "idempotency_key": "first"}

	require.Equal(t, "NOT_CONFIRMED", w.asked(server, "import_commit", object{"handle": handle})["code"])
	require.Equal(t, "HANDLE_UNKNOWN", w.asked(server, "import_commit", object{"handle": "invented", "confirmed": true})["code"])
	require.Equal(t, "HANDLE_WRONG_KIND", w.asked(w.connect("reporter"), "progress_commit", commit)["code"])
	pending := w.asked(server, "import_commit", commit)
	require.Equal(t, "APPROVAL_PENDING", pending["code"])
	w.agree("approvals", "approve", pending["approval"].(object)["id"].(string))
	done := w.asked(server, "import_commit", commit)
	require.Equal(t, "committed", done["result_type"])
	require.Equal(t, done, w.asked(server, "import_commit", commit))
	require.Equal(t, "HANDLE_USED", w.asked(server, "import_commit", object{"handle": handle, "confirmed": true})["code"])

	entry := compile(t, "audit")
	seen, args, plans := map[string]int{}, map[string]bool{}, map[string]bool{}
	for line := range bytes.Lines(w.log()) {
		fits(t, entry, line)
		var e audit.Entry
		require.NoError(t, json.Unmarshal(line, &e))
		seen[strings.Trim(strings.Join([]string{string(e.Event), e.Decision, string(e.Code)}, " "), " ")]++
		if e.Approval != nil || e.Event == gate.ToolResult && e.Tool == "import_commit" {
			args[e.Args] = true
		}
		if e.Plan != "" {
			plans[e.Plan] = true
		}
		require.NotContains(t, string(line), handle, "a handle lets its plan be carried out")
		require.NotContains(t, string(line), "Move it", "a plan is not in the log")
	}
	for _, each := range []string{
		"tool_call refused NOT_CONFIRMED", "tool_call refused HANDLE_UNKNOWN", "tool_call refused HANDLE_WRONG_KIND", "tool_call refused APPROVAL_PENDING",
		"tool_call refused HANDLE_USED", "approval_request", "approval_decision", "tool_call replayed",
	} {
		require.Equal(t, 1, seen[each], each)
	}
	require.Equal(t, 2, seen["tool_call admitted"])
	require.Len(t, args, 1, "what was asked for, decided and run has one digest")
	require.Len(t, plans, 1, "and so have the plan as it was made and as it ran")
	spoilt(t, entry, bytes.SplitAfter(w.log(), []byte("\n")))
}
