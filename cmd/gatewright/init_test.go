package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	documents "github.com/gatewright/gatewright/gen/jsonschema"
	"github.com/gatewright/gatewright/templates"
)

// Every template: init, then the commands that init prints, word for word, then
// a client that is started as the last of them says.
func TestTemplatesServeAtOnce(t *testing.T) {
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	bin := build(t)
	for _, template := range templates.Templates() {
		t.Run(template.ID, func(t *testing.T) {
			m := &userModule{t: t, dir: filepath.Join(t.TempDir(), "it's new"), env: append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")}
			printed, err := exec.Command(filepath.Join(bin, "gatewright"), "init", "--template", template.ID, "--replace", root, m.dir).Output()
			require.NoError(t, err)
			sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
			require.NoError(t, err)
			m.write("go.sum", string(sums))

			command := exec.Command("sh", "-ec", commands(string(printed)))
			command.Env = m.env
			var warned bytes.Buffer
			command.Stderr = &warned
			output, err := command.Output()
			require.NoError(t, err, "%s%s", output, warned.String())
			require.NotContains(t, warned.String(), "is not there yet")
			m.run("go", "vet", "./...")
			m.run("go", "test", "./protocols/...")
			m.run("go", "tool", "gatewright", "generate", "--check", "./...")
			m.try(template.ID, output)
		})
	}
}

// commands are the lines that init says to run. Only go mod tidy is left out:
// it looks for the tests of dependencies, on the network.
func commands(printed string) string {
	_, next, _ := strings.Cut(printed, "next:\n\n")
	next, _, _ = strings.Cut(next, "\n\n")
	return strings.Replace(next, "go mod tidy\n", "\n", 1)
}

// try starts the server of the first mode as its configuration says, which is
// the end of what the commands printed.
func (m *userModule) try(template string, printed []byte) {
	m.t.Helper()
	var config struct {
		Servers map[string]struct {
			Command string   `json:"command"`
			Args    []string `json:"args"`
		} `json:"mcpServers"`
	}
	require.NoError(m.t, json.Unmarshal(printed[bytes.IndexByte(printed, '{'):], &config))
	require.Len(m.t, config.Servers, 1)
	m.run("git", "init", "-q", "-b", "main")
	m.run("git", "-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-q", "--allow-empty", "-m", "start")
	state := filepath.Join(m.t.TempDir(), "state")
	for _, server := range config.Servers {
		session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(m.t.Context(),
			&mcp.CommandTransport{Command: exec.Command(server.Command, append(server.Args, "--state-dir", state)...)}, nil)
		require.NoError(m.t, err)
		call := func(tool string, arguments map[string]any) *mcp.CallToolResult {
			result, err := session.CallTool(m.t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
			require.NoError(m.t, err)
			return result
		}
		trial := m.tryPlan
		if template == "tracker" {
			trial = m.tryPlanner
		}
		for _, refused := range trial(call) {
			require.True(m.t, refused.IsError)
			require.NoError(m.t, document(m.t, "result").Validate(refused.StructuredContent))
		}
		require.NoError(m.t, session.Close())
	}
	log, err := os.ReadFile(filepath.Join(state, "audit.jsonl"))
	require.NoError(m.t, err)
	require.Equal(m.t, template != "tracker", strings.Contains(string(log), `"event":"wf1_violation"`))
	for line := range bytes.Lines(log) {
		entry, err := jsonschema.UnmarshalJSON(bytes.NewReader(line))
		require.NoError(m.t, err)
		require.NoError(m.t, document(m.t, "audit").Validate(entry), "%s", line)
	}
}

type caller func(tool string, arguments map[string]any) *mcp.CallToolResult

// tryPlan writes a plan, and returns what has to be refused.
func (m *userModule) tryPlan(call caller) []*mcp.CallToolResult {
	m.t.Helper()
	require.False(m.t, call("write_plan", map[string]any{"text": "# Plan\n"}).IsError)
	read := call("read", map[string]any{"path": "PLAN.md"})
	require.Equal(m.t, "# Plan\n", read.StructuredContent.(map[string]any)["text"])
	require.Equal(m.t, "# Plan\n", m.read("PLAN.md"))
	return []*mcp.CallToolResult{
		call("approve", nil), call("nothing", nil), call("read", map[string]any{"path": "../outside"}), call("read", map[string]any{"path": 1}),
	}
}

// tryPlanner previews an import, and returns what has to be refused.
func (m *userModule) tryPlanner(call caller) []*mcp.CallToolResult {
	m.t.Helper()
	m.write("docs/plan.md", "- [ ] Try it\n")
	preview := call("import_preview", map[string]any{"document": "docs/plan.md"})
	require.False(m.t, preview.IsError, "%v", preview.StructuredContent)
	said := preview.StructuredContent.(map[string]any)
	require.Equal(m.t, "Try it", said["plan"].(map[string]any)["items"].([]any)[0].(map[string]any)["title"])
	require.False(m.t, call("list_items", nil).IsError)
	return []*mcp.CallToolResult{
		call("import_commit", map[string]any{"handle": said["handle"]}), call("import_commit", map[string]any{"handle": "invented", "confirmed": true}),
		call("progress_preview", nil), call("nothing", nil), call("read_document", map[string]any{"document": "../outside"}),
	}
}

func document(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	text, ok := documents.Text(name)
	require.True(t, ok)
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err)
	compiler := jsonschema.NewCompiler()
	require.NoError(t, compiler.AddResource(name, value))
	schema, err := compiler.Compile(name)
	require.NoError(t, err)
	return schema
}

// A file that cannot be written takes back those that were.
func TestInitIsWholeOrNothing(t *testing.T) {
	dir := t.TempDir()
	s := &start{dir: dir, template: "solo"}
	files, err := s.plan()
	require.NoError(t, err)
	s.root, err = os.OpenRoot(dir)
	require.NoError(t, err)
	defer s.root.Close()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "protocols", "solo"), 0o755))
	theirs := filepath.Join(dir, "protocols", "solo", "write.go")
	require.NoError(t, os.WriteFile(theirs, []byte("package theirs\n"), 0o600)) // it came after init looked
	require.ErrorIs(t, s.write(files), os.ErrExist)
	text, err := os.ReadFile(theirs)
	require.NoError(t, err)
	require.Equal(t, "package theirs\n", string(text))
	left, err := filepath.Glob(filepath.Join(dir, "protocols", "*", "*"))
	require.NoError(t, err)
	require.Equal(t, []string{theirs}, left)
	require.NoFileExists(t, filepath.Join(dir, "go.mod"))
}
