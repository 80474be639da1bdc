package server_test

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/gate"
)

// ran is what became of a command.
type ran struct {
	code   int
	out    string
	stderr string
}

func run(t *testing.T, cmd *exec.Cmd) ran {
	t.Helper()
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // without a terminal
	}
	_ = cmd.Run()
	return ran{cmd.ProcessState.ExitCode(), out.String(), stderr.String()}
}

func TestCallOfAReadNeedsNoTerminal(t *testing.T) {
	t.Parallel()
	state := stateDir(t)
	got := run(t, command(t, state, "call", "add", `{"a":40,"b":2}`))
	require.Equal(t, ran{code: 0, out: "{\"sum\":42}\n"}, got)
	all, _ := entries(t, state)
	require.Len(t, of(all, "add"), 2)
}

func TestCallOfAWriteWithoutATerminalIsRefusedAndLogged(t *testing.T) {
	t.Parallel()
	state := stateDir(t)
	got := run(t, command(t, state, "call", "note", `{"path":"a"}`))
	require.Equal(t, 3, got.code, got.stderr)
	var said struct{ Code gate.Code }
	require.NoError(t, json.Unmarshal([]byte(got.out), &said))
	require.Equal(t, gate.ApprovalNobody, said.Code)
	all, _ := entries(t, state)
	refused := of(all, "note")
	require.Len(t, refused, 1)
	require.Equal(t, gate.Refused, refused[0].Decision)
	require.Equal(t, "terminal", refused[0].Approval.Provider)
}

func TestCallGoesThroughTheSameGate(t *testing.T) {
	t.Parallel()
	for arguments, code := range map[[2]string]gate.Code{
		{"merge", "{}"}:                gate.ToolNotInMode,
		{"nothing", "{}"}:              gate.UnknownTool,
		{"add", `{"A":1}`}:             gate.ArgumentsMalformed,
		{"note", `{"path":1}`}:         gate.ArgumentsInvalid,
		{"lie", ""}:                    gate.OutputInvalid,
		{"add", `{"a":1} {"a":2}`}:     gate.ArgumentsMalformed,
		{"note", `{"confirmed":true}`}: gate.ArgumentsMalformed,
	} {
		got := run(t, command(t, stateDir(t), "call", arguments[0], arguments[1]))
		require.Equal(t, 1, got.code, got.stderr)
		require.Contains(t, got.out, string(code))
	}
}

func TestOnlyTheResultReachesStandardOutputOfACall(t *testing.T) {
	t.Parallel()
	got := run(t, command(t, stateDir(t), "call", "print"))
	require.Zero(t, got.code, got.stderr)
	require.Empty(t, got.out)
	require.Contains(t, got.stderr, "printed by a child")
}

func TestWhatCannotStartSaysWhyInOneLine(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"--no-such-flag"}, {"--actor", ""}, {"--actor", "a\nb"}, {"--actor", "\u202ea"}, {"--workspace", "/no/such/folder"},
		{"dance"}, {"serve", "now"}, {"call"}, {"call", "a", "b", "c"}, {"--json"}, {"serve", "--json"}, {"version", "x"},
		{"call", "--workspace", "/dev/null", "add"}, {"--state-dir", "/dev/null", "serve"},
	} {
		got := run(t, command(t, stateDir(t), args...))
		require.Equal(t, 2, got.code, "%q %s", args, got.stderr)
		require.Empty(t, got.out)
		require.Regexp(t, `^fixture-work: [^\n]+\n$`, got.stderr, "%q", args)
	}
}

func TestFlagsStandBeforeAndAfterTheCommand(t *testing.T) {
	t.Parallel()
	state := stateDir(t)
	for _, args := range [][]string{
		{"--actor", "somebody", "call", "add", `{"a":1}`}, {"call", "--actor=somebody", "add", `{"a":1}`},
	} {
		got := run(t, command(t, state, args...))
		require.Zero(t, got.code, got.stderr)
	}
	all, _ := entries(t, state)
	for _, entry := range of(all, "add") {
		require.Equal(t, "somebody", entry.Actor)
	}
}

func TestListings(t *testing.T) {
	t.Parallel()
	got := run(t, command(t, stateDir(t), "tools"))
	require.Zero(t, got.code)
	require.Contains(t, got.out, "add    read   Adds.\n")
	got = run(t, command(t, stateDir(t), "tools", "--json"))
	require.Zero(t, got.code)
	var listed []struct {
		Name, Effect string
		Input        json.RawMessage
	}
	require.NoError(t, json.Unmarshal([]byte(got.out), &listed))
	require.Len(t, listed, len(fixture().Tools))
	require.Equal(t, "write", listed[1].Effect)
	got = run(t, command(t, stateDir(t), "version"))
	require.Contains(t, got.out, "fixture 1.2.3")
	got = run(t, command(t, stateDir(t), "-h"))
	require.Zero(t, got.code)
	require.Contains(t, got.out, "--state-dir FOLDER")
}
