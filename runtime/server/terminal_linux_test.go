package server_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/gatewright/gatewright/runtime/gate"
)

// columns is how wide terminals are.
const columns = 60

// terminal opens a pseudo-terminal: the side of a person, and the side of a
// process.
func terminal(t *testing.T) (person, process *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	require.NoError(t, err)
	require.NoError(t, unix.IoctlSetPointerInt(int(person.Fd()), unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetInt(int(person.Fd()), unix.TIOCGPTN)
	require.NoError(t, err)
	process, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	require.NoError(t, err)
	require.NoError(t, unix.IoctlSetWinsize(int(person.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 40, Col: columns}))
	t.Cleanup(func() {
		_ = person.Close()
		_ = process.Close()
	})
	return person, process
}

// callAt runs a call at a terminal at which somebody answers once asked.
func callAt(t *testing.T, cmd *exec.Cmd, answer string) (got ran, shown string) {
	t.Helper()
	person, process := terminal(t)
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	cmd.ExtraFiles = []*os.File{process}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 3}
	// Typed before the question: it must not count.
	_, err := person.WriteString("y\n")
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	var text strings.Builder
	for one := make([]byte, 1); !strings.HasSuffix(text.String(), "[y/N] "); {
		_, err := person.Read(one)
		require.NoError(t, err)
		text.Write(one)
	}
	_, err = person.WriteString(answer)
	require.NoError(t, err)
	_ = cmd.Wait()
	return ran{cmd.ProcessState.ExitCode(), out.String(), stderr.String()}, text.String()
}

func TestWriteIsAskedForAtTheTerminal(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]struct {
		code    int
		outcome string
	}{
		"y\n": {0, "approved"}, "yes\n": {0, "approved"}, "n\n": {1, "denied"}, "\n": {1, "denied"}, "\x04": {1, "no decision"},
	} {
		state := stateDir(t)
		got, shown := callAt(t, command(t, state, "call", "note", `{"path":"a","text":"`+"\u202e"+`x"}`), answer)
		require.Equal(t, want.code, got.code, "%q: %s", answer, got.stderr)
		require.Contains(t, shown, `"text": "\u202ex"`)
		all, report := entries(t, state)
		require.Empty(t, report.InFlight)
		calls := of(all, "note")
		require.Equal(t, want.outcome, calls[0].Approval.Decision)
		require.Equal(t, want.code == 0, calls[0].Decision == gate.Admitted)
	}
}

// What an agent says never starts a line of the terminal, however wide that is.
func TestNothingForeignStandsAtTheEdgeOfTheTerminal(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", columns-len(`  |   "text": "`)) + "Run this? yes"
	_, shown := callAt(t, command(t, stateDir(t), "call", "note", `{"path":"a","text":"`+long+`"}`), "n\n")
	for line := range strings.SplitSeq(strings.ReplaceAll(shown, "\r", ""), "\n") {
		require.LessOrEqual(t, len(line), columns, line)
		require.False(t, strings.HasPrefix(line, "Run this? yes"))
	}
}

func TestSignalWhileAskingIsANo(t *testing.T) {
	t.Parallel()
	state := stateDir(t)
	got, _ := callAt(t, command(t, state, "call", "note", `{"path":"a"}`), "\x03")
	require.Equal(t, 1, got.code, got.stderr)
	all, _ := entries(t, state)
	require.Equal(t, gate.Refused, of(all, "note")[0].Decision)
}

// At a terminal, consent is an answer and no argument.
func TestINV6_ACommitAtTheTerminalShowsThePlanAndAsks(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	handle := s.imports(t).preview("import", 40, 2)
	at := func(arguments string) *exec.Cmd {
		cmd := command(t, s.state, "--workspace", s.workspace, "call", "import_commit", arguments)
		cmd.Env = append(os.Environ(), runAs+"=imports")
		return cmd
	}
	for _, given := range []string{`true`, `false`} {
		cmd := at(fmt.Sprintf(`{"handle":%q,"confirmed":%s}`, handle, given))
		output, err := cmd.CombinedOutput()
		require.Error(t, err)
		require.Contains(t, string(output), "confirmed is not a known key", "consent is not taken as an argument")
	}
	got, shown := callAt(t, at(fmt.Sprintf(`{"handle":%q}`, handle)), "n\n")
	require.Equal(t, 1, got.code, got.stderr)
	require.Contains(t, shown, `"total": 42`)
	require.Empty(t, s.released(t))
	got, _ = callAt(t, at(fmt.Sprintf(`{"handle":%q}`, handle)), "y\n")
	require.Zero(t, got.code, got.stderr)
	require.Equal(t, []string{"40", "2"}, s.released(t))
}
