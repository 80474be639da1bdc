package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/audit"
	"github.com/gatewright/gatewright/runtime/gate"
)

// kill -9 in mid-call: the log verifies, what has no outcome is told, and the
// next server goes on from there.
func TestKilledServerLeavesALogThatTells(t *testing.T) {
	s := newSite(t)
	for round := range 12 {
		c := s.connect("implement", "modern")
		answered := make(chan struct{}, 1000)
		var callers sync.WaitGroup
		for caller := range 4 {
			callers.Go(func() {
				for i := 0; ; i++ {
					arguments := map[string]any{"path": fmt.Sprintf("made/%d-%d-%d.txt", round, caller, i), "text": "x\n"}
					if _, err := c.session.CallTool(context.Background(), &mcp.CallToolParams{Name: "create", Arguments: arguments}); err != nil {
						return
					}
					answered <- struct{}{}
				}
			})
		}
		for range 5 + 3*round {
			<-answered
		}
		require.NoError(t, c.process.Kill())
		callers.Wait()
	}
	s.connect("plan", "legacy").do("list", map[string]any{})

	report, entries := s.report(), s.log()
	open := map[string]bool{}
	for _, entry := range entries {
		switch entry.Event {
		case gate.ToolCall:
			open[entry.Call] = true
		case gate.ToolResult:
			delete(open, entry.Call)
		}
	}
	require.Len(t, report.InFlight, len(open))
	for _, call := range report.InFlight {
		require.True(t, open[call.Call])
		require.Equal(t, "implement", call.Mode)
	}
}

func (s *site) report() audit.Report {
	s.t.Helper()
	file, err := os.Open(filepath.Join(s.state, audit.FileName))
	require.NoError(s.t, err)
	defer file.Close()
	report, err := audit.Verify(file)
	require.NoError(s.t, err)
	return report
}
