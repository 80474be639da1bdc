package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

const teamProtocol = `protocol_id: team
version: 1.0.0
description: Notes that one mode writes and another reads.
initial_mode: author
tools:
  note:
    description: Writes a note.
    effect: write
    input: {properties: {name: {type: string, minLength: 1}, text: {type: string}}, required: [name, text]}
    output: {properties: {bytes: {type: integer}}, required: [bytes]}
    run: Note
modes:
  author: {description: Writes notes., tools: [note]}
`

const teamHandler = `package team

import (
	"context"
	"os"

	"example.com/team/generated/team"
	"github.com/gatewright/gatewright/runtime/gate"
)

var notes = team.Guard(func(call *gate.Call) (*os.Root, error) { return os.OpenRoot(call.Workspace) })

// Note writes a note.
func Note[Permit team.NotePermit](_ context.Context, permit Permit, in team.NoteInput) (team.NoteOutput, error) {
	root, err := team.Use(permit, notes)
	if err != nil {
		return team.NoteOutput{}, err
	}
	defer root.Close()
	return team.NoteOutput{Bytes: int64(len(in.Text))}, root.WriteFile(in.Name, []byte(in.Text), 0o600)
}
`

// A userModule is somebody else's, outside this repository.
type userModule struct {
	t   *testing.T
	dir string
	env []string
}

// newTeam writes a protocol into an empty module that knows this repository by
// a replacement, which stands in for publication.
func newTeam(t *testing.T) *userModule {
	t.Helper()
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	m := &userModule{t: t, dir: t.TempDir(), env: append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")}
	m.write("go.mod", "module example.com/team\n\ngo 1.26\n\nrequire github.com/gatewright/gatewright v0.0.0\n\nreplace github.com/gatewright/gatewright => "+root+"\n")
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	require.NoError(t, err)
	m.write("go.sum", string(sums))
	m.write("protocols/team/protocol.yaml", teamProtocol)
	return m
}

func (m *userModule) write(name, text string) {
	m.t.Helper()
	path := filepath.Join(m.dir, name)
	require.NoError(m.t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(m.t, os.WriteFile(path, []byte(text), 0o644))
}

func (m *userModule) read(name string) string {
	m.t.Helper()
	text, err := os.ReadFile(filepath.Join(m.dir, name))
	require.NoError(m.t, err)
	return string(text)
}

func (m *userModule) run(name string, args ...string) string {
	m.t.Helper()
	command := exec.Command(name, args...)
	command.Dir, command.Env = m.dir, m.env
	output, err := command.CombinedOutput()
	require.NoError(m.t, err, "%s %s\n%s", name, strings.Join(args, " "), output)
	return string(output)
}

// generate makes the team's code and fills the stub that comes with it.
func (m *userModule) generate() {
	m.t.Helper()
	m.run("go", "get", "-tool", "github.com/gatewright/gatewright/cmd/gatewright")
	m.run("go", "tool", "gatewright", "generate", "./...")
	stub := m.read("protocols/team/note.go")
	require.Contains(m.t, stub, "func Note[Permit team.NotePermit](")
	m.run("go", "build", "./...")
	m.write("protocols/team/note.go", teamHandler)
	m.run("go", "tool", "gatewright", "generate", "--check", "./...")
	require.Equal(m.t, teamHandler, m.read("protocols/team/note.go"), "a handler of the user was rewritten")
}

// serve builds the mode's server and has a client write a note through it.
func (m *userModule) serve(flags ...string) {
	m.t.Helper()
	binary := filepath.Join(m.dir, "bin", "team-author")
	m.run("go", append(append([]string{"build"}, flags...), "-o", binary, "./generated/team/cmd/team-author")...)
	workspace, state := m.t.TempDir(), filepath.Join(m.t.TempDir(), "state")

	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(m.t.Context(), &mcp.CommandTransport{Command: exec.Command(binary, "--workspace", workspace, "--state-dir", state)}, nil)
	require.NoError(m.t, err)
	result, err := session.CallTool(context.Background(), &mcp.CallToolParams{Name: "note", Arguments: map[string]any{"name": "a.txt", "text": "hello"}})
	require.NoError(m.t, err)
	require.False(m.t, result.IsError, "%v", result.Content)
	require.Equal(m.t, map[string]any{"bytes": 5.0}, result.StructuredContent)
	require.NoError(m.t, session.Close())

	written, err := os.ReadFile(filepath.Join(workspace, "a.txt"))
	require.NoError(m.t, err)
	require.Equal(m.t, "hello", string(written))
	log, err := os.ReadFile(filepath.Join(state, "audit.jsonl"))
	require.NoError(m.t, err)
	require.Contains(m.t, string(log), `"mode":"author"`)
}

func TestFromAnEmptyModuleToAServer(t *testing.T) {
	m := newTeam(t)
	m.generate()
	m.serve()

	t.Run("vet", func(t *testing.T) {
		m := &userModule{t: t, dir: m.dir, env: m.env}
		m.run("go", "tool", "gatewright", "vet", "./...")
		m.write("cheat/cheat.go", "package cheat\n\nimport (\n\t\"reflect\"\n\n\t\"example.com/team/protocols/team\"\n)\n\nvar _ = reflect.TypeOf(team.Answer)\n")
		m.write("protocols/team/answer.go", "package team\n\nconst Answer = 42\n")
		m.write("generated/team/stray/stray.go", "package stray\n\nimport \"example.com/team/generated/team/internal/permit\"\n\nvar Key = permit.Key()\n")
		command := exec.Command("go", "tool", "gatewright", "vet", "./...")
		command.Dir, command.Env = m.dir, m.env
		output, err := command.CombinedOutput()
		var exit *exec.ExitError
		require.ErrorAs(t, err, &exit, "%s", output)
		require.Equal(t, exitFindings, exit.ExitCode(), "%s", output)
		for _, rule := range []string{"vet-bypass", "vet-importer"} {
			require.Contains(t, string(output), "error["+rule+"]")
		}
		for _, folder := range []string{"cheat", "generated/team/stray"} {
			require.NoError(t, os.RemoveAll(filepath.Join(m.dir, folder)))
		}
	})

	t.Run("vendored", func(t *testing.T) {
		vendored := &userModule{t: t, dir: m.dir, env: append(m.env, "GOFLAGS=")}
		vendored.run("go", "mod", "vendor")
		vendored.run("go", "tool", "gatewright", "generate", "--check", "./...")
		vendored.serve("-mod=vendor")
		require.NoError(t, os.RemoveAll(filepath.Join(m.dir, "vendor")))
	})

	t.Run("go.work", func(t *testing.T) {
		root, err := filepath.Abs("../..")
		require.NoError(t, err)
		work := &userModule{t: t, dir: m.dir, env: append(m.env, "GOFLAGS=", "GOWORK="+filepath.Join(m.dir, "go.work"))}
		work.run("go", "mod", "edit", "-dropreplace", "github.com/gatewright/gatewright")
		work.write("go.work", "go 1.26.0\n\nuse (\n\t.\n\t"+root+"\n)\n\nreplace github.com/gatewright/gatewright v0.0.0 => "+root+"\n")
		work.run("go", "tool", "gatewright", "generate", "--check", "./...")
		work.serve()
	})
}
