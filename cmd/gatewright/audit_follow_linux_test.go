package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/audit"
)

// A follower is `audit show --follow --json` in a process of its own.
type follower struct {
	t    *testing.T
	cmd  *exec.Cmd
	seen chan audit.Entry
}

func (p place) follow(more ...string) *follower {
	p.t.Helper()
	f := &follower{t: p.t, seen: make(chan audit.Entry, 1000)}
	f.cmd = exec.CommandContext(p.t.Context(), "gatewright", append([]string{"audit", "show", "--follow", "--json", "--state-dir", p.state}, more...)...)
	f.cmd.Stderr = os.Stderr
	out, err := f.cmd.StdoutPipe()
	require.NoError(p.t, err)
	require.NoError(p.t, f.cmd.Start())
	go func() {
		defer close(f.seen)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			var entry audit.Entry
			if json.Unmarshal(lines.Bytes(), &entry) == nil {
				f.seen <- entry
			}
		}
	}()
	return f
}

// next is the next entry that is printed.
func (f *follower) next() audit.Entry {
	f.t.Helper()
	select {
	case entry, ok := <-f.seen:
		require.True(f.t, ok, "it ended")
		return entry
	case <-time.After(time.Minute):
		require.Fail(f.t, "no entry came")
	}
	return audit.Entry{}
}

// end interrupts it, and returns what it had still printed.
func (f *follower) end() (rest []audit.Entry) {
	f.t.Helper()
	require.NoError(f.t, f.cmd.Process.Signal(os.Interrupt))
	for entry := range f.seen {
		rest = append(rest, entry)
	}
	require.NoError(f.t, f.cmd.Wait(), "an interruption is how following ends")
	return rest
}

func TestShowFollowsServersAtWork(t *testing.T) {
	p := newPlace(t)
	server := p.serve(p.old, "write")
	all, notes := p.follow(), p.follow("--tool", "note")
	require.Equal(t, audit.ProtocolPinned, all.next().Event)
	next := uint64(2)
	use := func(tool string) {
		t.Helper()
		server.ask(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":{}}}`, next, tool))
		for range 2 {
			entry := all.next()
			require.Equal(t, next, entry.Seq)
			require.Equal(t, tool, entry.Tool)
			if next++; tool == "note" {
				require.Equal(t, entry, notes.next())
			}
		}
	}
	use("note")
	use("look")
	run := runAudit(t.Context(), "rotate", "--state-dir", p.state)
	require.Zero(t, run.code, run.err)
	require.Equal(t, "entries up to 5 are in audit.1.jsonl; entry 6 begins the new file\n", run.out)
	require.Equal(t, audit.LogRotated, all.next().Event)
	next++
	use("look")
	use("note")
	late := p.follow("--last", "1")
	require.Equal(t, next-1, late.next().Seq)
	use("look")
	require.Equal(t, next-2, late.next().Seq)
	require.Equal(t, next-1, late.next().Seq)
	require.Empty(t, all.end())
	require.Empty(t, notes.end())
	require.Empty(t, late.end())
	run = runAudit(t.Context(), "verify", "--state-dir", p.state)
	require.Zero(t, run.code, run.err)
	require.Contains(t, run.out, fmt.Sprintf("whole      %d entries in 2 files", next-1))
}

// Following ends with the damage where the log is damaged under it.
func TestFollowingReportsDamage(t *testing.T) {
	p := newPlace(t)
	p.serve(p.old, "write")
	f := p.follow()
	require.EqualValues(t, 1, f.next().Seq)
	file, err := os.OpenFile(p.state+"/"+audit.FileName, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = file.WriteString("{}\n")
	require.NoError(t, err)
	require.NoError(t, file.Close())
	_, more := <-f.seen
	require.False(t, more)
	require.Error(t, f.cmd.Wait())
	require.Equal(t, exitFindings, f.cmd.ProcessState.ExitCode())
}
