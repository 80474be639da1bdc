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

func (s *server) call(t testing.TB, tool string) string {
	answer := s.exchange(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+tool+`","arguments":{"path":"docs/design.md","line":42,"words":["gate","permit"]}}}`)
	if !strings.Contains(answer, `"found":true`) || strings.Contains(answer, `"isError":true`) {
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
	name, tool string
	server     *server
	took       []time.Duration
}

// inTurns makes calls of each kind, a few at a time.
func inTurns(t testing.TB, all []*series, rounds, calls int) {
	t.Helper()
	for round := range rounds {
		for i := range all {
			s := all[(i+round)%len(all)]
			for range calls {
				began := time.Now()
				s.server.call(t, s.tool)
				if took := time.Since(began); round > 0 { // the first round warms up
					s.took = append(s.took, took)
				}
			}
		}
	}
}

func (m *module) series(bare, gated *server) []*series {
	return []*series{
		{name: "bare SDK, raw handler", tool: "raw", server: bare},
		{name: "bare SDK, typed handler", tool: "typed", server: bare},
		{name: "gated read", tool: "look", server: gated},
		{name: "bare SDK, typed, and one sync of a file", tool: "synced", server: bare},
		{name: "gated write, its entry durable before it runs", tool: "note", server: gated},
	}
}

func TestServersAnswerAlike(t *testing.T) {
	m := newModule(t)
	bare, gated := m.startBare(t), m.startGated(t)
	for _, s := range m.series(bare, gated) {
		require.Contains(t, s.server.call(t, s.tool), `"structuredContent":{`, s.name)
		require.Contains(t, s.server.call(t, s.tool), `"text":"in docs/design.md"`, s.name)
		require.Contains(t, s.server.call(t, s.tool), `"line":42`, s.name)
	}
	bare.stop(t)
	gated.stop(t)
}
