package server_test

import (
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/gate"
)

func TestSignalEndsARunningCallAndItsOutcomeIsLogged(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		t.Run(signal.String(), func(t *testing.T) {
			t.Parallel()
			p := start(t, stateDir(t)).hello()
			p.call("1", "wait", "{}")
			p.begun()
			p.signal(signal)
			require.Contains(t, p.receive(), string(gate.HandlerCancelled), "the client is told")
			require.Zero(t, p.exit(), p.stderr)

			all, report := entries(t, p.state)
			require.Empty(t, report.InFlight)
			calls := of(all, "wait")
			require.Len(t, calls, 2)
			require.Equal(t, gate.Admitted, calls[0].Decision)
			require.Equal(t, gate.HandlerCancelled, calls[1].Code)
		})
	}
}

func TestEndOfInputEndsARunningCallAndItsOutcomeIsLogged(t *testing.T) {
	t.Parallel()
	p := start(t, stateDir(t)).hello()
	p.call("1", "wait", "{}")
	p.begun()
	require.NoError(t, p.in.Close())
	require.Zero(t, p.exit(), p.stderr)
	all, report := entries(t, p.state)
	require.Empty(t, report.InFlight)
	require.Equal(t, gate.HandlerCancelled, of(all, "wait")[1].Code)
}

func TestClientThatReadsNoMoreIsSurvived(t *testing.T) {
	t.Parallel()
	p := start(t, stateDir(t)).hello()
	require.NoError(t, p.out.Close())
	p.call("1", "note", `{"path":"a"}`)
	require.Zero(t, p.exit(), p.stderr)
	all, report := entries(t, p.state)
	require.Empty(t, report.InFlight)
	require.Equal(t, gate.Succeeded, of(all, "note")[1].Outcome)
}

func TestHandlerThatStaysDoesNotKeepTheProcess(t *testing.T) {
	t.Parallel()
	p := start(t, stateDir(t)).hello()
	p.call("1", "stay", "{}")
	p.begun()
	begin := time.Now()
	p.signal(syscall.SIGTERM)
	require.Contains(t, p.receive(), string(gate.HandlerAbandoned))
	require.Zero(t, p.exit(), p.stderr)
	require.Less(t, time.Since(begin), gate.StopGrace+10*time.Second)
	all, report := entries(t, p.state)
	require.Empty(t, report.InFlight)
	require.Equal(t, gate.HandlerAbandoned, of(all, "stay")[1].Code)
}

func TestSecondSignalEndsAtOnce(t *testing.T) {
	t.Parallel()
	p := start(t, stateDir(t)).hello()
	p.call("1", "stay", "{}")
	p.begun()
	begin := time.Now()
	p.signal(syscall.SIGTERM)
	p.signal(syscall.SIGINT)
	require.Equal(t, 1, p.exit(), p.stderr)
	require.Less(t, time.Since(begin), gate.StopGrace)
	_, report := entries(t, p.state)
	require.Len(t, report.InFlight, 1, "the log says what was in flight")
}

func TestKilledProcessLeavesALogThatSaysWhatWasInFlight(t *testing.T) {
	t.Parallel()
	state := stateDir(t)
	p := start(t, state).hello()
	p.call("1", "wait", "{}")
	p.begun()
	require.NoError(t, p.cmd.Process.Kill())
	p.exit()
	_, report := entries(t, state)
	require.Len(t, report.InFlight, 1)
	require.Equal(t, "wait", report.InFlight[0].Tool)

	next := start(t, state).hello()
	next.call("1", "note", `{"path":"a"}`)
	require.Contains(t, next.receive(), "done")
	require.NoError(t, next.in.Close())
	require.Zero(t, next.exit(), next.stderr)
	_, report = entries(t, state)
	require.Len(t, report.InFlight, 1)
}

func TestNothingButJSONRPCReachesTheClient(t *testing.T) {
	t.Parallel()
	p := start(t, stateDir(t)).hello()
	p.call("1", "print", "{}")
	require.Contains(t, p.receive(), `"id":"1"`)
	p.call("2", "add", `{"a":1}`)
	require.Contains(t, p.receive(), `"sum":1`)
	require.NoError(t, p.in.Close())
	require.Zero(t, p.exit())
	for _, printed := range []string{"printed\n", "written to descriptor 1\n", "printed by a child\n"} {
		p.stderr.await(t, printed)
	}
}

// A client may close standard error too; a handler that prints then must not
// end the process.
func TestAClosedStandardErrorIsSurvived(t *testing.T) {
	t.Parallel()
	state := stateDir(t)
	reader, writer, err := os.Pipe()
	require.NoError(t, err)
	p := prepare(t, state)
	p.cmd.Stderr = writer
	p.run()
	require.NoError(t, writer.Close())
	require.NoError(t, reader.Close())
	p.hello()
	p.call("1", "crash", "{}") // its stack goes to the server's log
	require.Contains(t, p.receive(), string(gate.HandlerPanicked))
	p.call("2", "print", "{}")
	require.Contains(t, p.receive(), string(gate.HandlerFailed), "the child met the broken pipe")
	p.call("3", "add", `{"a":1}`)
	require.Contains(t, p.receive(), `"sum":1`)
	require.NoError(t, p.in.Close())
	require.Zero(t, p.exit())
}
