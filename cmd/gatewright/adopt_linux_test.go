package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/gatewright/gatewright/runtime/audit"
	"github.com/gatewright/gatewright/runtime/gate"
	"github.com/gatewright/gatewright/runtime/state"
	"github.com/gatewright/gatewright/runtime/store"
)

// A place is a workspace and its state folder, with two protocols.
type place struct {
	t                          *testing.T
	workspace, state, old, new string
}

const (
	oldProtocol = "protocol_id: notes\ninitial_mode: write\ntools: {note: {}, look: {effect: read}, approve: {}}\nmodes:\n  write: {tools: [note, look]}\n  review: {tools: [approve]}\n"
	newProtocol = "protocol_id: notes\ninitial_mode: write\ntools: {note: {}, look: {effect: read}, approve: {}}\nmodes:\n  write: {tools: [note, look]}\n  review: {tools: [approve, note], waive: {SD1: \"one \\u200d person\"}}\n"
)

func newPlace(t *testing.T) place {
	t.Helper()
	p := place{t: t, workspace: t.TempDir(), state: filepath.Join(t.TempDir(), "state")}
	files := t.TempDir()
	p.old, p.new = filepath.Join(files, "old.yaml"), filepath.Join(files, "new.yaml")
	require.NoError(t, os.WriteFile(p.old, []byte(oldProtocol), 0o600))
	require.NoError(t, os.WriteFile(p.new, []byte(newProtocol), 0o600))
	return p
}

func (p place) args(more ...string) []string {
	return append([]string{"--workspace", p.workspace, "--state-dir", p.state}, more...)
}

// A running server, and a client of it.
type running struct {
	t   *testing.T
	in  io.WriteCloser
	out *bufio.Reader
}

func (p place) serve(protocol, mode string) *running {
	p.t.Helper()
	cmd := exec.CommandContext(p.t.Context(), "mode-server", append([]string{protocol, mode}, p.args()...)...)
	in, err := cmd.StdinPipe()
	require.NoError(p.t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(p.t, err)
	cmd.Stderr = os.Stderr
	require.NoError(p.t, cmd.Start())
	p.t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	r := &running{t: p.t, in: in, out: bufio.NewReader(out)}
	r.ask(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	_, err = io.WriteString(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n")
	require.NoError(p.t, err)
	return r
}

func (r *running) ask(line string) string {
	r.t.Helper()
	_, err := io.WriteString(r.in, line+"\n")
	require.NoError(r.t, err)
	answer, err := r.out.ReadString('\n')
	require.NoError(r.t, err)
	return answer
}

// call returns the code of a refusal, or nothing.
func (r *running) call(tool string) string {
	r.t.Helper()
	answer := r.ask(fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":%q,"arguments":{}}}`, tool))
	var said struct {
		Result struct {
			IsError           bool
			StructuredContent struct{ Code string }
		}
	}
	require.NoError(r.t, json.Unmarshal([]byte(answer), &said))
	require.Equal(r.t, said.Result.IsError, said.Result.StructuredContent.Code != "", answer)
	return said.Result.StructuredContent.Code
}

// adopt runs the command at a terminal at which somebody answers once asked,
// and has typed a consent before.
func (p place) adopt(answer string, args ...string) (code int, shown, stderr string) {
	p.t.Helper()
	code, shown, _, stderr = p.atTerminal(answer, args...)
	return code, shown, stderr
}

// adopted does the same, and returns what was printed in place of what was
// shown.
func (p place) adopted(answer string, args ...string) (code int, out, stderr string) {
	p.t.Helper()
	code, _, out, stderr = p.atTerminal(answer, args...)
	return code, out, stderr
}

func (p place) atTerminal(answer string, args ...string) (code int, shown, out, stderr string) {
	p.t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	require.NoError(p.t, err)
	defer person.Close()
	require.NoError(p.t, unix.IoctlSetPointerInt(int(person.Fd()), unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetInt(int(person.Fd()), unix.TIOCGPTN)
	require.NoError(p.t, err)
	process, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	require.NoError(p.t, err)
	defer process.Close()

	cmd := exec.CommandContext(p.t.Context(), "gatewright", append([]string{"adopt"}, p.args(args...)...)...)
	var printed, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &printed, &errs
	cmd.ExtraFiles = []*os.File{process}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 3}
	_, err = person.WriteString("y\n")
	require.NoError(p.t, err)
	require.NoError(p.t, cmd.Start())
	var text strings.Builder
	for one := make([]byte, 1); !strings.HasSuffix(text.String(), "[y/N] "); {
		_, err := person.Read(one)
		require.NoError(p.t, err)
		text.Write(one)
	}
	_, err = person.WriteString(answer)
	require.NoError(p.t, err)
	_ = cmd.Wait()
	return cmd.ProcessState.ExitCode(), text.String(), printed.String(), errs.String()
}

// previewed leaves plans in the store that nobody has carried out.
func (p place) previewed(digests ...string) {
	p.t.Helper()
	folder, err := state.Open(state.Options{Dir: p.state, Protocol: "notes", Workspace: p.workspace, Existing: true})
	require.NoError(p.t, err)
	defer folder.Close()
	kept, err := store.Open(p.t.Context(), folder, store.Options{})
	require.NoError(p.t, err)
	defer kept.Close()
	for _, digest := range digests {
		_, err := kept.Keep(p.t.Context(), gate.Plan{Tool: "import", Digest: digest, Call: "preview", Body: []byte("{}"), TTL: time.Hour})
		require.NoError(p.t, err)
	}
}

// Whoever adopts is told of the plans that an adoption makes stale.
func TestAdoptCountsThePlansThatItMakesStale(t *testing.T) {
	p := newPlace(t)
	require.Empty(t, p.serve(p.old, "write").call("note"))
	old := p.log()[0].Digest
	p.previewed(old, old, old)
	code, out, stderr := p.adopted("y\n", p.new)
	require.Zero(t, code, stderr)
	require.Contains(t, out, "Stored plans that can be carried out no more, as they were previewed under the old protocol: 3.\n")
	require.NotContains(t, out, "Requests for approval")
	code, out, stderr = p.adopted("y\n", p.old)
	require.Zero(t, code, stderr)
	require.NotContains(t, out, "Stored plans", "those of before stay as they are")
}

func (p place) log() []audit.Entry {
	p.t.Helper()
	text, err := os.ReadFile(filepath.Join(p.state, audit.FileName))
	require.NoError(p.t, err)
	_, err = audit.Verify(bytes.NewReader(text))
	require.NoError(p.t, err)
	var all []audit.Entry
	for line := range bytes.Lines(text) {
		var entry audit.Entry
		require.NoError(p.t, json.Unmarshal(line, &entry))
		all = append(all, entry)
	}
	return all
}

func TestINV4_ARunningServerOfTheOldProtocolWritesNothingOnceAnotherIsAdopted(t *testing.T) {
	p := newPlace(t)
	before, after := p.serve(p.old, "write"), p.serve(p.new, "review")
	require.Empty(t, before.call("note"))
	require.Equal(t, string(gate.ProtocolMismatch), after.call("note"))

	code, shown, stderr := p.adopt("y\n", p.new)
	require.Zero(t, code, stderr)
	for _, part := range []string{
		"\x1b[1;31mweaker\x1b[0m", "mode `review` gains the tool `note`, which writes", "mode `review` waives `SD1`", p.workspace, "Put it in force? [y/N] ",
	} {
		require.Contains(t, shown, part)
	}
	require.Equal(t, string(gate.ProtocolMismatch), before.call("note"))
	require.Empty(t, before.call("look"))
	require.Empty(t, after.call("note"))
	require.Empty(t, p.serve(p.new, "write").call("note"))
	require.Equal(t, string(gate.ProtocolMismatch), p.serve(p.old, "write").call("note"))

	adopted := 0
	for _, entry := range p.log() {
		if entry.Event == audit.ProtocolAdopted {
			adopted++
			require.Equal(t, "2", entry.Details["weaker"])
			require.Contains(t, entry.Actor, fmt.Sprintf("uid %d", os.Getuid()))
		}
	}
	require.Equal(t, 1, adopted)

	// And back: the text of the old one is still there to compare with.
	code, shown, stderr = p.adopt("yes\n", p.old)
	require.Zero(t, code, stderr)
	require.Contains(t, shown, "none of which weakens what is guarded")
	require.Empty(t, before.call("note"))
	require.Equal(t, string(gate.ProtocolMismatch), after.call("note"))
}

func TestINV4_NothingButAYesAdopts(t *testing.T) {
	p := newPlace(t)
	before := p.serve(p.old, "write")
	require.Empty(t, before.call("note"))
	for answer, want := range map[string]int{"n\n": 1, "\n": 1, "ja\n": 1, "\x04": 2, "\x03": -1} {
		code, _, stderr := p.adopt(answer, p.new)
		if want >= 0 {
			require.Equal(t, want, code, "%q: %s", answer, stderr)
		}
		require.NotZero(t, code)
		require.Empty(t, before.call("note"))
	}
	for _, entry := range p.log() {
		require.NotEqual(t, audit.ProtocolAdopted, entry.Event)
	}
}
