package server_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/audit"
)

// patience bounds every wait of these tests; none of them should use it up.
const patience = 60 * time.Second

// A process is a mode's binary, run for real.
type process struct {
	t      *testing.T
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    io.ReadCloser
	lines  *bufio.Reader
	stderr *locked
	state  string
}

type locked struct {
	mu    sync.Mutex
	text  bytes.Buffer
	grown chan struct{}
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case l.grown <- struct{}{}:
	default:
	}
	return l.text.Write(p)
}

// await returns once a text has come. What a process wrote may still be on its
// way when its answer is here.
func (l *locked) await(t *testing.T, text string) {
	t.Helper()
	tooLate := time.After(20 * time.Second)
	for !strings.Contains(l.String(), text) {
		select {
		case <-l.grown:
		case <-tooLate:
			require.FailNow(t, "it was never written: "+text, l.String())
		}
	}
}

func (l *locked) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// command is a mode's binary that has not been started.
func command(t *testing.T, state string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(t.Context(), self, append([]string{"--workspace", t.TempDir(), "--state-dir", state}, args...)...)
	cmd.Env = append(os.Environ(), runAs+"=1")
	return cmd
}

func stateDir(t *testing.T) string { return filepath.Join(t.TempDir(), "state") }

func start(t *testing.T, state string, args ...string) *process {
	t.Helper()
	return prepare(t, state, args...).run()
}

// prepare connects to a process that has not been started.
func prepare(t *testing.T, state string, args ...string) *process {
	t.Helper()
	p := &process{t: t, cmd: command(t, state, args...), stderr: &locked{grown: make(chan struct{}, 1)}, state: state}
	var err error
	p.in, err = p.cmd.StdinPipe()
	require.NoError(t, err)
	p.out, err = p.cmd.StdoutPipe()
	require.NoError(t, err)
	p.cmd.Stderr = p.stderr
	p.lines = bufio.NewReader(p.out)
	return p
}

func (p *process) run() *process {
	p.t.Helper()
	require.NoError(p.t, p.cmd.Start())
	p.t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait()
	})
	return p
}

// hello starts a session of the old era.
func (p *process) hello() *process {
	p.t.Helper()
	p.send(`{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	require.Contains(p.t, p.receive(), "serverInfo")
	p.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return p
}

func (p *process) send(line string) {
	p.t.Helper()
	_, err := io.WriteString(p.in, line+"\n")
	require.NoError(p.t, err, p.stderr)
}

// call sends a tool call that asks for progress.
func (p *process) call(id, tool, arguments string) {
	p.t.Helper()
	p.send(`{"jsonrpc":"2.0","id":"` + id + `","method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + `,"_meta":{"progressToken":"p"}}}`)
}

func (p *process) receive() string {
	p.t.Helper()
	line, err := p.lines.ReadString('\n')
	require.NoError(p.t, err, p.stderr)
	require.True(p.t, json.Valid([]byte(line)), "not JSON: %q", line)
	return line
}

// begun waits until a handler says that it has started.
func (p *process) begun() {
	p.t.Helper()
	require.Contains(p.t, p.receive(), "notifications/progress")
}

func (p *process) signal(s syscall.Signal) { require.NoError(p.t, p.cmd.Process.Signal(s)) }

// exit waits for the process and returns its exit code.
func (p *process) exit() int {
	p.t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(io.Discard, p.lines)
		_ = p.cmd.Wait()
	}()
	select {
	case <-done:
	case <-time.After(patience):
		require.FailNow(p.t, "the process did not end", p.stderr)
	}
	return p.cmd.ProcessState.ExitCode()
}

// entries reads the audit log, which has to be whole.
func entries(t *testing.T, state string) ([]audit.Entry, audit.Report) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(state, audit.FileName))
	require.NoError(t, err)
	report, err := audit.Verify(bytes.NewReader(text))
	require.NoError(t, err)
	var all []audit.Entry
	for line := range bytes.Lines(text) {
		var entry audit.Entry
		require.NoError(t, json.Unmarshal(line, &entry))
		all = append(all, entry)
	}
	return all, report
}

// of leaves the entries of one tool.
func of(all []audit.Entry, tool string) []audit.Entry {
	var some []audit.Entry
	for _, entry := range all {
		if entry.Tool == tool {
			some = append(some, entry)
		}
	}
	return some
}
