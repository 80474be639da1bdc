package bench

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"
)

// A module is a user's module in a temporary folder, and the programs that are
// measured.
type module struct {
	dir     string
	command string // gatewright
	bare    string
	gated   string
	stored  string   // bare, with SQLite
	phased  string   // gated, in two steps
	flags   []string // of go build
}

func newModule(t testing.TB, flags ...string) *module {
	t.Helper()
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	dir := t.TempDir()
	m := &module{dir: dir, flags: flags}
	for name, path := range map[string]*string{
		"gatewright": &m.command, "bare": &m.bare, "one-work": &m.gated, "stored": &m.stored, "one-keep": &m.phased,
	} {
		if *path = filepath.Join(dir, "bin", name); runtime.GOOS == "windows" {
			*path += ".exe"
		}
	}
	m.put(t, "go.mod", []byte("module example.com/bench\n\ngo 1.26\n\nrequire github.com/gatewright/gatewright v0.0.0\n\nreplace github.com/gatewright/gatewright => "+filepath.ToSlash(root)+"\n"))
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	require.NoError(t, err)
	m.put(t, "go.sum", sums)
	archive, err := txtar.ParseFile("testdata/module.txtar")
	require.NoError(t, err)
	for _, file := range archive.Files {
		m.put(t, file.Name, file.Data)
	}
	m.build(t, root, m.command, "./cmd/gatewright")
	m.build(t, root, m.bare, "./runtime/bench/bare")
	m.build(t, root, m.stored, "./runtime/bench/stored")
	m.generate(t, "./protocols/one")
	m.build(t, dir, m.gated, "./generated/one/cmd/one-work")
	m.build(t, dir, m.phased, "./generated/one/cmd/one-keep")
	return m
}

func (m *module) put(t testing.TB, name string, data []byte) {
	t.Helper()
	path := filepath.Join(m.dir, filepath.FromSlash(name))
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, data, 0o600))
}

func (m *module) build(t testing.TB, dir, to, from string) {
	t.Helper()
	run(t, m.tool(dir, "go", slices.Concat([]string{"build"}, m.flags, []string{"-o", to, from})...))
}

func (m *module) generate(t testing.TB, path string) *os.ProcessState {
	t.Helper()
	return run(t, m.tool(m.dir, m.command, "generate", path))
}

// tool is a command that needs no network and keeps what it remembers here.
func (m *module) tool(dir, name string, args ...string) *exec.Cmd {
	command := exec.Command(name, args...)
	command.Dir = dir
	command.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
	if name == m.command {
		cache := filepath.Join(m.dir, "cache")
		command.Env = append(command.Env, "XDG_CACHE_HOME="+cache, "HOME="+cache, "LocalAppData="+cache)
	}
	return command
}

func run(t testing.TB, command *exec.Cmd) *os.ProcessState {
	t.Helper()
	output, err := command.CombinedOutput()
	require.NoError(t, err, "%s", output)
	return command.ProcessState
}

// manyTools is a protocol of count tools with three inputs and three fields of
// a result, in four modes. No two tools have the same names in them.
func manyTools(count int) []byte {
	var text bytes.Buffer
	fmt.Fprintf(&text, "protocol_id: many%d\ninitial_mode: m0\ntools:\n", count)
	for i := range count {
		fmt.Fprintf(&text, "  tool%d:\n    description: Does number %d.\n", i, i)
		fmt.Fprintf(&text, "    input:\n      properties:\n        name%d: {type: string, description: What it is called.}\n        count%d: {type: integer, minimum: 0}\n        tags%d: {type: array, items: {type: string}}\n      required: [name%d]\n", i, i, i, i)
		fmt.Fprintf(&text, "    output:\n      properties:\n        id%d: {type: string}\n        size%d: {type: number}\n        done%d: {type: boolean}\n      required: [id%d, size%d, done%d]\n", i, i, i, i, i, i)
	}
	text.WriteString("modes:\n")
	for mode := range 4 {
		fmt.Fprintf(&text, "  m%d:\n    tools:\n", mode)
		for i := mode; i < count; i += 4 {
			fmt.Fprintf(&text, "    - tool%d\n", i)
		}
	}
	return text.Bytes()
}
