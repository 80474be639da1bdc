package bench

import (
	"bufio"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A server is a child process that speaks MCP over stdio.
type server struct {
	command *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	started time.Duration // from before the start to the first answer
}

func (m *module) startBare(t testing.TB) *server {
	return start(t, exec.Command(m.bare, filepath.Join(m.dir, "bare.log")))
}

func (m *module) startGated(t testing.TB) *server {
	return start(t, exec.Command(m.gated, "--workspace", filepath.Join(m.dir, "protocols"), "--state-dir", filepath.Join(m.dir, "state")))
}

func (m *module) startStored(t testing.TB) *server {
	return start(t, exec.Command(m.stored, filepath.Join(m.dir, "stored.db")))
}

func (m *module) startPhased(t testing.TB) *server {
	return start(t, exec.Command(m.phased, "--workspace", filepath.Join(m.dir, "protocols"), "--state-dir", filepath.Join(m.dir, "state")))
}

func start(t testing.TB, command *exec.Cmd) *server {
	t.Helper()
	in, err := command.StdinPipe()
	require.NoError(t, err)
	out, err := command.StdoutPipe()
	require.NoError(t, err)
	s := &server{command: command, in: in, out: bufio.NewReader(out)}
	began := time.Now()
	require.NoError(t, command.Start())
	answer := s.exchange(t, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`)
	s.started = time.Since(began)
	require.Contains(t, answer, `"serverInfo"`)
	_, err = io.WriteString(s.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	require.NoError(t, err)
	return s
}

func (s *server) exchange(t testing.TB, line string) string {
	if _, err := io.WriteString(s.in, line+"\n"); err != nil {
		t.Fatal(err)
	}
	answer, err := s.out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

const arguments = `{"path":"docs/design.md","line":42,"words":["gate","permit"]}`

func (s *server) call(t testing.TB, tool string) string {
	return s.tool(t, tool, arguments, `"found":true`)
}

// bring calls both steps of the tool bring.
func (s *server) bring(t testing.TB) string {
	const before = `"handle":"`
	preview := s.tool(t, "bring_preview", arguments, before)
	_, after, _ := strings.Cut(preview, before)
	handle, _, _ := strings.Cut(after, `"`)
	return s.tool(t, "bring_commit", `{"handle":"`+handle+`","confirmed":true}`, `"found":true`)
}

func (s *server) tool(t testing.TB, name, arguments, want string) string {
	answer := s.exchange(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+name+`","arguments":`+arguments+`}}`)
	if !strings.Contains(answer, want) || strings.Contains(answer, `"isError":true`) {
		t.Fatal(answer)
	}
	return answer
}

// stop ends the server as clients do.
func (s *server) stop(t testing.TB) {
	t.Helper()
	require.NoError(t, s.in.Close())
	require.NoError(t, s.command.Wait())
}

// A series is what one kind of call took.
type series struct {
	name string
	call func(testing.TB) string
	took []time.Duration
}

// inTurns makes calls of each kind, a few at a time.
func inTurns(t testing.TB, all []*series, rounds, calls int) {
	t.Helper()
	for round := range rounds {
		for i := range all {
			s := all[(i+round)%len(all)]
			for range calls {
				began := time.Now()
				s.call(t)
				if took := time.Since(began); round > 0 { // the first round warms up
					s.took = append(s.took, took)
				}
			}
		}
	}
}

// servers are those that are compared call by call.
type servers struct{ bare, gated, stored, phased *server }

func (m *module) start(t testing.TB) servers {
	return servers{m.startBare(t), m.startGated(t), m.startStored(t), m.startPhased(t)}
}

func (s servers) stop(t testing.TB) {
	for _, each := range []*server{s.bare, s.gated, s.stored, s.phased} {
		each.stop(t)
	}
}

func (s servers) series() []*series {
	of := func(s *server, tool string) func(testing.TB) string {
		return func(t testing.TB) string { return s.call(t, tool) }
	}
	return []*series{
		{name: "bare SDK, raw handler", call: of(s.bare, "raw")},
		{name: "bare SDK, typed handler", call: of(s.bare, "typed")},
		{name: "gated read", call: of(s.gated, "look")},
		{name: "bare SDK, typed, and one sync of a file", call: of(s.bare, "synced")},
		{name: "gated write, its entry durable before it runs", call: of(s.gated, "note")},
		{name: "bare SDK, typed, and one SQLite transaction", call: of(s.stored, "stored")},
		{name: "preview and commit, two calls", call: s.phased.bring},
	}
}

func TestServersAnswerAlike(t *testing.T) {
	m := newModule(t)
	all := m.start(t)
	for _, s := range all.series() {
		require.Contains(t, s.call(t), `"structuredContent":{`, s.name)
		require.Contains(t, s.call(t), `"text":"in docs/design.md"`, s.name)
		require.Contains(t, s.call(t), `"line":42`, s.name)
	}
	all.stop(t)
}
