package e2e

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/protocols/internal/person"
	"github.com/gatewright/gatewright/runtime/audit"
)

// The eras of the protocol a client can speak.
var eras = map[string]string{"legacy": "2025-11-25", "modern": "2026-07-28"}

var binaries string // the folder TestMain builds into

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	folder, err := os.MkdirTemp("", "greenfield-e2e")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	build := exec.Command("go", "build", "-o", folder+"/", "./generated/greenfield/cmd/...", "./cmd/gatewright")
	build.Dir = "../../.."
	if output, err := build.CombinedOutput(); err != nil {
		panic(string(output))
	}
	binaries = folder
	return m.Run()
}

func binary(mode string) string { return filepath.Join(binaries, "greenfield-"+mode) }

// A site is a scratch repository and the state folder of its servers.
type site struct {
	t         *testing.T
	workspace string
	state     string
}

func newSite(t *testing.T) *site {
	t.Helper()
	s := &site{t: t, workspace: t.TempDir(), state: filepath.Join(t.TempDir(), "state")}
	s.git("init", "--quiet", "--initial-branch=main")
	s.git("config", "user.name", "Ada")
	s.git("config", "user.email", "ada@example.com")
	require.NoError(t, os.WriteFile(filepath.Join(s.workspace, "greeting.txt"), []byte("Hello, wrold.\n"), 0o644))
	s.git("add", ".")
	s.git("commit", "--quiet", "--message=Say hello")
	return s
}

func (s *site) git(args ...string) string {
	s.t.Helper()
	command := exec.Command("git", args...)
	command.Dir = s.workspace
	output, err := command.CombinedOutput()
	require.NoError(s.t, err, "git %v: %s", args, output)
	return strings.TrimSpace(string(output))
}

func (s *site) command(mode string, args ...string) *exec.Cmd {
	command := exec.Command(binary(mode), append([]string{"--workspace", s.workspace, "--state-dir", s.state}, args...)...)
	command.Env = []string{"PATH=" + os.Getenv("PATH")} // where git is
	return command
}

// connect starts the server of a mode and a client of one era that speaks to
// it.
func (s *site) connect(mode, era string) *client {
	s.t.Helper()
	command := s.command(mode)
	sdk := mcp.NewClient(&mcp.Implementation{Name: "e2e", Version: "1"}, nil)
	session, err := sdk.Connect(s.t.Context(), &mcp.CommandTransport{Command: command}, &mcp.ClientSessionOptions{ProtocolVersion: eras[era]})
	require.NoError(s.t, err)
	s.t.Cleanup(func() { _ = session.Close() })
	return &client{t: s.t, session: session, process: command.Process}
}

// log reads the audit log and has it verified.
func (s *site) log() []audit.Entry {
	s.t.Helper()
	file, err := os.Open(filepath.Join(s.state, audit.FileName))
	require.NoError(s.t, err)
	defer file.Close()
	_, err = audit.Verify(file)
	require.NoError(s.t, err)
	_, err = file.Seek(0, io.SeekStart)
	require.NoError(s.t, err)
	var entries []audit.Entry
	for decoder := json.NewDecoder(file); ; {
		var entry audit.Entry
		err := decoder.Decode(&entry)
		if errors.Is(err, io.EOF) {
			return entries
		}
		require.NoError(s.t, err)
		entries = append(entries, entry)
	}
}

// decide has a person at a terminal approve or deny what waits for it.
func (s *site) decide(verb, id string, more ...string) string {
	s.t.Helper()
	args := append([]string{"approvals", verb, id, "--state-dir", s.state}, more...)
	shown, err := person.Answer(s.t.Context(), "[y/N]", "y", filepath.Join(binaries, "gatewright"), args...)
	require.NoError(s.t, err)
	return shown
}

// A client speaks to one server.
type client struct {
	t       *testing.T
	session *mcp.ClientSession
	process *os.Process
}

func (c *client) call(tool string, arguments map[string]any) *mcp.CallToolResult {
	c.t.Helper()
	result, err := c.session.CallTool(c.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	require.NoError(c.t, err)
	return result
}

// do calls a tool that is to succeed.
func (c *client) do(tool string, arguments map[string]any) map[string]any {
	c.t.Helper()
	result := c.call(tool, arguments)
	require.False(c.t, result.IsError, "%s: %v", tool, result.StructuredContent)
	return result.StructuredContent.(map[string]any)
}

// pending calls a tool that is to wait for an approval, and returns its id.
func (c *client) pending(tool string, arguments map[string]any) string {
	c.t.Helper()
	result := c.call(tool, arguments)
	said := result.StructuredContent.(map[string]any)
	require.Equal(c.t, "APPROVAL_PENDING", said["code"], "%v", said)
	return said["approval"].(map[string]any)["id"].(string)
}

// refused calls a tool that is to be refused, and returns the code.
func (c *client) refused(tool string, arguments map[string]any) string {
	c.t.Helper()
	result := c.call(tool, arguments)
	require.True(c.t, result.IsError, "%s was let through", tool)
	return result.StructuredContent.(map[string]any)["code"].(string)
}
