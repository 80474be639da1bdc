package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/gate"
)

// versions are those that the official client speaks, of both eras.
var versions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}

// client connects the official client to a process.
func client(t *testing.T, state, version string, options *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	cmd := command(t, state)
	cmd.Stderr = t.Output()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "t", Version: "1"}, options).Connect(t.Context(),
		&mcp.CommandTransport{Command: cmd}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	require.NoError(t, err)
	t.Cleanup(func() { _ = session.Close() })
	return session
}

func callTool(ctx context.Context, s *mcp.ClientSession, tool string, arguments any) (*mcp.CallToolResult, error) {
	return s.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
}

func code(t *testing.T, result *mcp.CallToolResult) gate.Code {
	t.Helper()
	require.True(t, result.IsError)
	text, err := json.Marshal(result.StructuredContent)
	require.NoError(t, err)
	var said refusedResult
	require.NoError(t, json.Unmarshal(text, &said))
	require.NotEmpty(t, said.Message)
	require.NotEmpty(t, said.Next)
	require.NotNil(t, said.Retryable)
	words := result.Content[0].(*mcp.TextContent).Text
	require.Contains(t, words, said.Message)
	require.Contains(t, words, said.Next)
	return said.Code
}

type refusedResult struct {
	Code          gate.Code
	Message, Next string
	Retryable     *bool
}

func TestBothErasWithTheOfficialClient(t *testing.T) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			s := client(t, stateDir(t), version, nil)
			require.Equal(t, "fixture-work", s.InitializeResult().ServerInfo.Name)
			require.Equal(t, version, s.InitializeResult().ProtocolVersion)
			require.Contains(t, s.InitializeResult().Instructions, `Mode "review", which is not yours, holds: merge, plan.`)
			capabilities := s.InitializeResult().Capabilities
			require.Equal(t, &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}}, capabilities, "nothing else is offered")

			tools, err := s.ListTools(t.Context(), nil)
			require.NoError(t, err)
			require.Len(t, tools.Tools, len(fixture().Tools))

			result, err := callTool(t.Context(), s, "add", map[string]any{"a": 40, "b": 2})
			require.NoError(t, err)
			require.False(t, result.IsError)
			require.Equal(t, map[string]any{"sum": 42.0}, result.StructuredContent)
			require.Equal(t, `{"sum":42}`, result.Content[0].(*mcp.TextContent).Text)

			result, err = callTool(t.Context(), s, "note", map[string]any{"path": "a"})
			require.NoError(t, err)
			require.Equal(t, "done", result.Content[0].(*mcp.TextContent).Text)

			for tool, want := range map[string]gate.Code{
				"merge": gate.ToolNotInMode, "no_such": gate.UnknownTool, "add": gate.ArgumentsInvalid,
				"crash": gate.HandlerPanicked, "exit": gate.HandlerPanicked, "lie": gate.OutputInvalid, "fail": "NO_LUCK",
			} {
				result, err = callTool(t.Context(), s, tool, nil)
				require.NoError(t, err)
				require.Equal(t, want, code(t, result), tool)
			}
		})
	}
}

func TestINV2_ForeignToolRefusedAndLogged(t *testing.T) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			state := stateDir(t)
			s := client(t, state, version, nil)
			tools, err := s.ListTools(t.Context(), nil)
			require.NoError(t, err)
			for _, tool := range tools.Tools {
				require.NotContains(t, []string{"merge", "plan"}, tool.Name)
			}
			for _, tool := range []string{"merge", "plan", "no_such", strings.Repeat("n", 500)} {
				result, err := callTool(t.Context(), s, tool, map[string]any{"commit": "abc"})
				require.NoError(t, err)
				code(t, result)
			}
			require.NoError(t, s.Close())
			all, _ := entries(t, state)
			all = all[len(all)-4:]
			require.Equal(t, gate.WF1Violation, all[0].Event, "an exclusive tool")
			require.Equal(t, gate.ToolNotInMode, all[0].Code)
			require.Equal(t, gate.ToolCall, all[1].Event)
			require.Equal(t, gate.ToolNotInMode, all[1].Code)
			require.Equal(t, gate.UnknownTool, all[2].Code)
			require.Less(t, len(all[3].Tool), 200)
			for _, entry := range all {
				require.Equal(t, gate.Refused, entry.Decision)
				require.Equal(t, "work", entry.Mode)
			}
		})
	}
}

func TestHintsAreTruthful(t *testing.T) {
	s := client(t, stateDir(t), "", nil)
	tools, err := s.ListTools(t.Context(), nil)
	require.NoError(t, err)
	yes, no := true, false
	for i, tool := range tools.Tools {
		want := mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, DestructiveHint: &no, OpenWorldHint: &no}
		for _, declared := range fixture().Tools {
			if declared.Name == tool.Name && declared.Effect == gate.Write {
				want = mcp.ToolAnnotations{DestructiveHint: &yes, OpenWorldHint: &yes}
			}
		}
		require.Equal(t, &want, tools.Tools[i].Annotations, tool.Name)
	}
}

func TestCancellationReachesTheHandler(t *testing.T) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			state := stateDir(t)
			begun := make(chan *mcp.ProgressNotificationParams, 1)
			s := client(t, state, version, &mcp.ClientOptions{
				ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { begun <- r.Params },
			})
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			ended := make(chan error, 1)
			go func() {
				params := &mcp.CallToolParams{Name: "wait"}
				params.SetProgressToken("token")
				_, err := s.CallTool(ctx, params)
				ended <- err
			}()
			progress := <-begun
			require.Equal(t, "token", progress.ProgressToken)
			require.Equal(t, 2.0, progress.Total)
			cancel()
			require.ErrorIs(t, <-ended, context.Canceled)
			// The server goes on, and ends only after the handler has.
			_, err := callTool(t.Context(), s, "add", map[string]any{"a": 1})
			require.NoError(t, err)
			require.NoError(t, s.Close())
			all, report := entries(t, state)
			require.Empty(t, report.InFlight)
			require.Equal(t, gate.HandlerCancelled, of(all, "wait")[1].Code)
		})
	}
}

func TestINV3_HundredsOfConcurrentCallsMakeOneChain(t *testing.T) {
	t.Parallel()
	state := stateDir(t)
	sessions := []*mcp.ClientSession{client(t, state, "2025-11-25", nil), client(t, state, "2026-07-28", nil)}
	const calls = 200
	var group sync.WaitGroup
	failures := make(chan error, 2*calls)
	for i := range calls {
		for _, s := range sessions {
			group.Go(func() {
				want := fmt.Sprintf(`{"sum":%d}`, i)
				result, err := callTool(t.Context(), s, "add", map[string]any{"a": i})
				if err == nil && result.Content[0].(*mcp.TextContent).Text != want {
					err = fmt.Errorf("%s, not %s", result.Content[0].(*mcp.TextContent).Text, want)
				}
				failures <- err
			})
		}
	}
	group.Wait()
	for range 2 * calls {
		require.NoError(t, <-failures)
	}
	for _, s := range sessions {
		require.NoError(t, s.Close())
	}
	all, report := entries(t, state)
	require.Empty(t, report.InFlight)
	require.Len(t, of(all, "add"), 4*calls)
}

// Nothing runs when the entry cannot be written.
func TestINV3_NoLogNoWrite(t *testing.T) {
	t.Parallel()
	state := stateDir(t)
	s := client(t, state, "", nil)
	path := state + "/audit.jsonl"
	require.NoError(t, os.Truncate(path, 0))
	result, err := callTool(t.Context(), s, "note", map[string]any{"path": "a"})
	require.NoError(t, err)
	require.Equal(t, gate.AuditUnavailable, code(t, result))
}
