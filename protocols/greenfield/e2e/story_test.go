package e2e

import (
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/audit"
	"github.com/gatewright/gatewright/runtime/gate"
	"github.com/gatewright/gatewright/runtime/state"
)

// A change is planned, implemented, approved and merged, each by the server of
// its mode; what a mode may not do is refused and logged.
func TestAChangeGoesThroughFourModes(t *testing.T) {
	for era := range eras {
		t.Run(era, func(t *testing.T) {
			s := newSite(t)
			base := s.git("rev-parse", "main")
			plan, implement, review, integrate := s.connect("plan", era), s.connect("implement", era), s.connect("review", era), s.connect("integrate", era)

			plan.do("write_plan", map[string]any{"text": "# Correct the greeting\n"})
			implement.do("edit", map[string]any{"path": "greeting.txt", "old_text": "wrold", "new_text": "world"})
			committed := implement.do("commit", map[string]any{"message": "Correct the greeting", "branch": "greeting"})
			change := map[string]any{"commit": committed["commit"], "base": committed["base"]}
			require.Equal(t, base, committed["base"])

			require.Equal(t, "TOOL_NOT_IN_MODE", implement.refused("merge", change))
			require.Equal(t, "TOOL_NOT_IN_MODE", implement.refused("approve", change))
			shown := s.decide("approve", integrate.pending("merge", change))
			require.Contains(t, shown, "A merge changes the target branch for everybody.")
			require.Contains(t, shown, "+Hello, world.", "what the tool diff says of it")
			require.Equal(t, "NOT_APPROVED", integrate.refused("merge", change), "the reviewer has not approved the commit")
			require.Equal(t, base, s.git("rev-parse", "main"))

			review.do("diff", map[string]any{"commit": change["commit"]})
			review.do("approve", change)
			review.do("reject", map[string]any{"commit": change["commit"], "base": change["base"], "text": "Wait."})
			s.decide("deny", integrate.pending("merge", change), "--reason", "it was rejected")
			require.Equal(t, "APPROVAL_DENIED", integrate.refused("merge", change))
			said := implement.do("reviews", map[string]any{"branch": "greeting"})
			require.Equal(t, "rejected", said["decision"])
			require.Len(t, said["reviews"], 1)
			require.Equal(t, "NO_TEST_COMMAND", implement.refused("run_tests", map[string]any{}))
			require.Equal(t, "TOOL_NOT_IN_MODE", implement.refused("reject", change))
			review.do("approve", change)
			require.Equal(t, "TOOL_NOT_IN_MODE", review.refused("merge", change))
			s.decide("approve", integrate.pending("merge", change))
			altered := map[string]any{"commit": change["commit"], "base": change["commit"]}
			integrate.pending("merge", altered)
			integrate.do("merge", change)
			require.Equal(t, change["commit"], s.git("rev-parse", "main"))
			require.Equal(t, "Hello, world.", s.git("show", "main:greeting.txt"))

			modes := map[string]string{"write_plan": "plan", "edit": "implement", "commit": "implement", "approve": "review", "merge": "integrate"}
			violations := 0
			for _, entry := range s.log() {
				switch {
				case entry.Event == gate.WF1Violation:
					violations++
					require.Equal(t, gate.ToolNotInMode, entry.Code)
				case entry.Event == gate.ToolCall && entry.Decision == gate.Admitted && modes[entry.Tool] != "":
					require.Equal(t, modes[entry.Tool], entry.Mode)
				}
			}
			require.Equal(t, 3, violations)
		})
	}
}

// A mode's server lists the tools of its mode and no others, with hints that
// tell the truth.
func TestINV2_ServersListTheirModesTools(t *testing.T) {
	expect := map[string][]string{
		"plan": {"branches", "list", "read", "reviews", "search", "write_plan"},
		"implement": {
			"branches", "commit", "create", "delete", "diff", "edit", "list", "move", "read", "revert", "reviews", "run_tests", "search", "switch", "update", "write",
		},
		"review":    {"approve", "branches", "comment", "diff", "list", "read", "reject", "request_changes", "reviews", "search"},
		"integrate": {"branches", "diff", "list", "merge", "read", "reviews", "search"},
	}
	reads := map[string]bool{"list": true, "read": true, "diff": true, "reviews": true, "search": true, "branches": true}
	for mode, tools := range expect {
		for era := range eras {
			listed, err := newSite(t).connect(mode, era).session.ListTools(t.Context(), nil)
			require.NoError(t, err)
			var names []string
			for _, tool := range listed.Tools {
				names = append(names, tool.Name)
				require.Equal(t, reads[tool.Name], tool.Annotations.ReadOnlyHint, tool.Name)
				require.NotNil(t, tool.Annotations.DestructiveHint)
				require.NotNil(t, tool.Annotations.OpenWorldHint)
			}
			require.ElementsMatch(t, tools, names)
		}
	}
}

// Four servers append to one log at the same time; it stays one chain, in which
// every admitted call has one outcome.
func TestFourServersShareOneChain(t *testing.T) {
	s := newSite(t)
	const each = 100
	var all sync.WaitGroup
	for _, mode := range []string{"plan", "implement", "review", "integrate"} {
		for era := range eras {
			c := s.connect(mode, era)
			for worker := range 4 {
				all.Go(func() {
					for i := range each / 4 {
						if i%5 == 0 && mode == "implement" {
							c.do("create", map[string]any{"path": fmt.Sprintf("made/%s-%d-%d.txt", era, worker, i), "text": "x\n"})
						} else {
							c.do("list", map[string]any{})
						}
					}
				})
			}
		}
	}
	all.Wait()
	calls, results := map[string]string{}, 0
	for _, entry := range s.log() {
		switch entry.Event {
		case gate.ToolCall:
			require.Empty(t, calls[entry.Call], "one call, one decision")
			calls[entry.Call] = entry.Mode
		case gate.ToolResult:
			require.Equal(t, calls[entry.Call], entry.Mode)
			results++
		}
	}
	require.Len(t, calls, 4*2*each)
	require.Equal(t, len(calls), results)
}

// A binary of an edited protocol gains nothing in a state folder that pins
// another: its writes are refused, and what it reads is logged.
func TestAnotherProtocolMayNotWrite(t *testing.T) {
	s := newSite(t)
	folder, err := state.Open(state.Options{Dir: s.state, Protocol: "greenfield", Workspace: s.workspace})
	require.NoError(t, err)
	other, err := audit.Open(t.Context(), folder, audit.Options{Protocol: "greenfield", Digest: "sha256:another", Mode: "plan", Actor: "ada"})
	require.NoError(t, err)
	require.NoError(t, other.Close(t.Context()))
	require.NoError(t, folder.Close())

	implement := s.connect("implement", "modern")
	implement.do("list", map[string]any{})
	require.Equal(t, string(gate.ProtocolMismatch), implement.refused("create", map[string]any{"path": "a.txt", "text": "x"}))
	require.NoFileExists(t, filepath.Join(s.workspace, "a.txt"))
}
