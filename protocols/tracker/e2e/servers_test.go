package e2e

import (
	"database/sql"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
	_ "modernc.org/sqlite"

	"github.com/gatewright/gatewright/protocols/internal/person"
	"github.com/gatewright/gatewright/runtime/audit"
)

// The eras of the protocol a client can speak.
var eras = map[string]string{"legacy": "2025-11-25", "modern": "2026-07-28"}

var binaries string // the folder TestMain builds into

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	folder, err := os.MkdirTemp("", "tracker-e2e")
	if err != nil {
		panic(err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	build := exec.Command("go", "build", "-o", folder+"/", "./generated/tracker/cmd/...", "./cmd/gatewright")
	build.Dir = "../../.."
	if output, err := build.CombinedOutput(); err != nil {
		panic(string(output))
	}
	binaries = folder
	return m.Run()
}

type object = map[string]any

// A site is a workspace with one document, and the state folder of its servers.
type site struct {
	t         *testing.T
	workspace string
	state     string
}

func newSite(t *testing.T, document string) *site {
	t.Helper()
	s := &site{t: t, workspace: t.TempDir(), state: filepath.Join(t.TempDir(), "state")}
	require.NoError(t, os.Mkdir(filepath.Join(s.workspace, "docs"), 0o755))
	s.write(document)
	return s
}

func (s *site) write(document string) {
	s.t.Helper()
	require.NoError(s.t, os.WriteFile(filepath.Join(s.workspace, "docs", "plan.md"), []byte(document), 0o644))
}

func (s *site) command(mode string, args ...string) *exec.Cmd {
	return exec.Command(filepath.Join(binaries, "tracker-"+mode), append(args, "--workspace", s.workspace, "--state-dir", s.state)...)
}

// connect starts the server of a mode and a client of one era that speaks to
// it.
func (s *site) connect(mode, era string, args ...string) *client {
	s.t.Helper()
	command := s.command(mode, append([]string{"serve"}, args...)...)
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

// query reads the tracker's own database: the first column of each row.
func (s *site) query(statement string) (found []string) {
	s.t.Helper()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(s.workspace, ".tracker", "tracker.db")+"?mode=ro")
	require.NoError(s.t, err)
	defer db.Close()
	rows, err := db.QueryContext(s.t.Context(), statement)
	require.NoError(s.t, err)
	defer rows.Close()
	for rows.Next() {
		var text string
		require.NoError(s.t, rows.Scan(&text))
		found = append(found, text)
	}
	require.NoError(s.t, rows.Err())
	return found
}

// importAll has a person approve an import of the document as it is.
func (s *site) importAll() {
	s.t.Helper()
	planner := s.connect("planner", "modern")
	handle := planner.do("import_preview", object{"document": "docs/plan.md"})["handle"]
	s.decide("approve", planner.pending("import_commit", object{"handle": handle, "confirmed": true}))
	planner.do("import_commit", object{"handle": handle, "confirmed": true})
}

// A client speaks to one server.
type client struct {
	t       *testing.T
	session *mcp.ClientSession
	process *os.Process
}

func (c *client) call(tool string, arguments object) *mcp.CallToolResult {
	c.t.Helper()
	result, err := c.session.CallTool(c.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	require.NoError(c.t, err)
	return result
}

// do calls a tool that is to succeed.
func (c *client) do(tool string, arguments object) object {
	c.t.Helper()
	result := c.call(tool, arguments)
	require.False(c.t, result.IsError, "%s: %v", tool, result.StructuredContent)
	return result.StructuredContent.(object)
}

// text calls a tool that is to succeed, and returns the bytes of its result.
func (c *client) text(tool string, arguments object) string {
	c.t.Helper()
	result := c.call(tool, arguments)
	require.False(c.t, result.IsError, "%s: %v", tool, result.StructuredContent)
	return result.Content[0].(*mcp.TextContent).Text
}

// pending calls a tool that is to wait for an approval, and returns its id.
func (c *client) pending(tool string, arguments object) string {
	c.t.Helper()
	result := c.call(tool, arguments)
	said := result.StructuredContent.(object)
	require.Equal(c.t, "APPROVAL_PENDING", said["code"], "%v", said)
	return said["approval"].(object)["id"].(string)
}

// refused calls a tool that is to be refused, and returns the code.
func (c *client) refused(tool string, arguments object) string {
	c.t.Helper()
	result := c.call(tool, arguments)
	require.True(c.t, result.IsError, "%s was let through", tool)
	said := result.StructuredContent.(object)
	require.NotContains(c.t, said, "result_type", "a refusal never says committed")
	return said["code"].(string)
}
