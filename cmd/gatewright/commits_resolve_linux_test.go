package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/audit"
	"github.com/gatewright/gatewright/runtime/gate"
	"github.com/gatewright/gatewright/runtime/preview"
)

// resolving runs `gatewright commits resolve` at a new terminal.
func resolving(t *testing.T, before string, args ...string) *seat {
	t.Helper()
	const width, height = 100, 60
	person, process, err := pty.Open()
	require.NoError(t, err)
	require.NoError(t, pty.Setsize(person, &pty.Winsize{Rows: height, Cols: width}))
	_, err = person.WriteString(before)
	require.NoError(t, err)
	s := &seat{t: t, person: person, screen: newScreen(width, height), changed: make(chan struct{}, 1), finished: make(chan struct{})}
	s.cmd = exec.CommandContext(t.Context(), "gatewright", append([]string{"commits", "resolve"}, args...)...)
	s.cmd.Stdout, s.cmd.Stderr = &s.out, &s.errs
	s.cmd.ExtraFiles = []*os.File{process}
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 3}
	require.NoError(t, s.cmd.Start())
	require.NoError(t, process.Close())
	go s.read()
	t.Cleanup(func() {
		_ = s.cmd.Process.Kill()
		s.leave()
		_ = person.Close()
	})
	return s
}

func TestResolveAtATerminal(t *testing.T) {
	tray := newTray(t)
	id := tray.interrupted(t, "import", `{"items":["a","b"]}`)
	s := resolving(t, "done\nall of it\ny\n", "--state-dir", tray.dir, id[:8])
	s.sees("What was done?")
	require.Contains(t, s.text(), "  |   \"items\": [")
	require.Equal(t, preview.Interrupted, tray.commit(t, id).Status, "what was typed before the question does not count")
	s.types("partly\n")
	s.sees("What did you find?")
	s.types("a is there, b is not\n")
	s.sees("Record that some of it was done? [y/N]")
	s.types("y\n")
	require.Zero(t, s.leave(), s.errs.String())
	require.Contains(t, s.out.String(), id+" is resolved: some of it was done.")

	resolved := tray.commit(t, id)
	require.Equal(t, preview.Resolved, resolved.Status)
	require.Equal(t, preview.Resolution{Outcome: preview.Partly, Note: "a is there, b is not", By: thisDecider().name}, resolved.Resolution)
	require.Nil(t, resolved.Body)

	all := tray.resolutions(t)
	require.Len(t, all, 1)
	require.Equal(t, &gate.Approval{ID: id, Provider: "terminal", Approver: resolved.Resolution.By, Decision: "partly", Reason: "a is there, b is not"}, all[0].Approval)
	require.Equal(t, "import_commit", all[0].Tool)
	require.Equal(t, "commit-1", all[0].Call)
	require.Equal(t, "write", all[0].Mode, "of the commit, not of the preview")
	require.Equal(t, map[string]string{"/document": `"d"`}, all[0].Recorded)
	require.Contains(t, all[0].Details["decided_on"], "/dev/pts/")
}

func TestFlagsOfResolveAnswerNothingButTheirQuestion(t *testing.T) {
	tray := newTray(t)
	id := tray.interrupted(t, "import", `{}`)
	s := resolving(t, "y\n", "--state-dir", tray.dir, "--outcome", "not_done", "--note", "nothing is there", id)
	s.sees("Record that nothing of it was done? [y/N]")
	require.Equal(t, preview.Interrupted, tray.commit(t, id).Status)
	s.types("yes\n")
	require.Zero(t, s.leave(), s.errs.String())
	require.Equal(t, preview.NotDone, tray.commit(t, id).Resolution.Outcome)

	s = resolving(t, "", "--state-dir", tray.dir, "--outcome", "done", "--note", "x", id)
	require.Equal(t, exitFindings, s.leave())
	require.Contains(t, s.errs.String(), `is not interrupted: interrupted, and nothing of it was done`)
	require.Len(t, tray.resolutions(t), 1)
}

func TestINV4_NothingButAYesAtTheTerminalResolves(t *testing.T) {
	tray := newTray(t)
	id := tray.interrupted(t, "import", `{}`)
	for _, answer := range []string{"\n", "n\n", "done\n", "yep\n", "\x04", "\x03"} {
		s := resolving(t, "y\n", "--state-dir", tray.dir, "--outcome", "done", "--note", "x", id)
		s.sees("[y/N]")
		s.types(answer)
		require.Contains(t, []int{exitFindings, exitFailed}, s.leave(), "%q", answer)
		require.Contains(t, s.errs.String(), "nothing was recorded", "%q", answer)
	}
	for _, answer := range []string{"\n", "y\n", "all\n", "resolved\n"} {
		s := resolving(t, "", "--state-dir", tray.dir, id)
		s.sees("What was done?")
		s.types(answer)
		require.Equal(t, exitFindings, s.leave(), "%q", answer)
	}
	s := resolving(t, "", "--state-dir", tray.dir, "--outcome", "partly", id)
	s.sees("What did you find?")
	s.types("\n")
	require.Equal(t, exitFindings, s.leave())
	require.Contains(t, s.errs.String(), "a note has to say what")
	require.Equal(t, preview.Interrupted, tray.commit(t, id).Status)
	require.Empty(t, tray.resolutions(t))
}

// Killed between the log and the store, the commit stays interrupted and can be
// resolved again.
func TestINV6_KilledBetweenTheLogAndTheStoreResolvesNothing(t *testing.T) {
	tray := newTray(t)
	id := tray.interrupted(t, "import", `{}`)
	require.Equal(t, preview.Interrupted, tray.commit(t, id).Status)
	s := resolving(t, "", "--state-dir", tray.dir, "--outcome", "done", "--note", "x", id)
	s.sees("[y/N]")
	release := holdStore(t, tray.dir)
	s.types("y\n")
	require.Eventually(t, func() bool {
		text, err := os.ReadFile(filepath.Join(tray.dir, audit.FileName))
		return err == nil && bytes.Contains(text, []byte(audit.CommitResolved))
	}, patience, 5*time.Millisecond)
	require.NoError(t, s.cmd.Process.Kill())
	require.NotZero(t, s.leave())
	release()
	require.Equal(t, preview.Interrupted, tray.commit(t, id).Status)
	s = resolving(t, "", "--state-dir", tray.dir, "--outcome", "done", "--note", "x", id)
	s.sees("[y/N]")
	s.types("y\n")
	require.Zero(t, s.leave(), s.errs.String())
	require.Equal(t, preview.Resolved, tray.commit(t, id).Status)
	require.Len(t, tray.resolutions(t), 2)
}

// Two people who answer at the same time: one is recorded, and the other is
// told.
func TestOneOfTwoResolves(t *testing.T) {
	tray := newTray(t)
	id := tray.interrupted(t, "import", `{}`)
	first := resolving(t, "", "--state-dir", tray.dir, "--outcome", "done", "--note", "first", id)
	second := resolving(t, "", "--state-dir", tray.dir, "--outcome", "not_done", "--note", "second", id)
	first.sees("[y/N]")
	second.sees("[y/N]")
	first.types("y\n")
	second.types("y\n")
	codes := map[preview.Outcome]int{preview.Done: first.leave(), preview.NotDone: second.leave()}
	outcome := tray.commit(t, id).Resolution.Outcome
	for of, code := range codes {
		if of == outcome {
			require.Zero(t, code)
		} else {
			require.Equal(t, exitFindings, code)
		}
	}
	require.Contains(t, first.errs.String()+second.errs.String(), "is not interrupted: interrupted, and")
}
