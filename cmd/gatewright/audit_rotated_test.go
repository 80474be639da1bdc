package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/audit"
)

// A rotatedLog is a log in several files, in the order of the log, that can be
// spoilt and put back.
type rotatedLog struct {
	*journal
	names []string
	files [][][]byte // the lines of each file
}

// newRotatedLog writes some 1,000 entries into five files.
func newRotatedLog(t *testing.T) *rotatedLog {
	t.Helper()
	l := &rotatedLog{journal: newJournal(t)}
	for i := range 5 {
		require.NoError(t, l.fill(t.Context(), 200*(i+1)))
		if i < 4 {
			run := runAudit(t.Context(), "rotate", "--state-dir", l.dir)
			require.Zero(t, run.code, run.err)
			l.names = append(l.names, strings.TrimSuffix(strings.Fields(run.out)[6], ";"))
		}
	}
	l.names = append(l.names, audit.FileName)
	for _, name := range l.names {
		text, err := os.ReadFile(filepath.Join(l.dir, name))
		require.NoError(t, err)
		lines := bytes.SplitAfter(text, []byte("\n"))
		l.files = append(l.files, lines[:len(lines)-1])
	}
	return l
}

// with verifies the log with files whose lines are others, and puts it back.
func (l *rotatedLog) with(t *testing.T, changed map[int][][]byte, flags ...string) auditRun {
	t.Helper()
	put := func(i int, lines [][]byte) {
		require.NoError(t, os.WriteFile(filepath.Join(l.dir, l.names[i]), bytes.Join(lines, nil), 0o600))
	}
	for i, lines := range changed {
		put(i, lines)
	}
	run := l.verify(t, flags...)
	for i := range changed {
		put(i, l.files[i])
	}
	return run
}

// requireFound holds that a run names a line, counted from 0, of a file.
func (l *rotatedLog) requireFound(t *testing.T, run auditRun, what string, file, line int) {
	t.Helper()
	require.Equal(t, exitFindings, run.code, what)
	at := fmt.Sprintf("damaged at line %d (byte %d)", line+1, len(bytes.Join(l.files[file][:line], nil)))
	if l.names[file] != audit.FileName {
		at += " of " + l.names[file]
	}
	require.Contains(t, run.err, at+": ", what)
}

func TestINV3_VerifyFindsWhateverWasDoneToARotatedLog(t *testing.T) {
	l := newRotatedLog(t)
	head := strings.Fields(runAudit(t.Context(), "head", "--state-dir", l.dir).out)[0]
	run := l.verify(t, "--head", head)
	require.Zero(t, run.code, run.err)
	require.Contains(t, run.out, " in 5 files, ")
	random := rand.New(rand.NewPCG(7, 8))
	for round := range 40 {
		f := round % len(l.files)
		lines := l.files[f]
		i := random.IntN(len(lines) - 1) // not the last: what follows it is another file
		j := i + 1 + random.IntN(len(lines)-1-i)

		bit := bytes.Clone(lines[i])
		bit[random.IntN(len(bit))] ^= 1 << random.IntN(8)
		l.requireFound(t, l.with(t, map[int][][]byte{f: replaced(lines, i, bit)}), "a bit", f, i)
		l.requireFound(t, l.with(t, map[int][][]byte{f: replaced(lines, i)}), "a deletion", f, i)
		swapped := slices.Clone(lines)
		swapped[i], swapped[j] = lines[j], lines[i]
		l.requireFound(t, l.with(t, map[int][][]byte{f: swapped}), "a swap", f, i)
		l.requireFound(t, l.with(t, map[int][][]byte{f: replaced(lines, i, lines[i], lines[i])}), "a repetition", f, i+1)
		l.requireFound(t, l.with(t, map[int][][]byte{f: replaced(lines[:i+1], i, lines[i][:1+random.IntN(len(lines[i])-1)])}), "a cut within a line", f, i)

		if f == len(l.files)-1 {
			l.requireFound(t, l.with(t, map[int][][]byte{f: lines[:i+1]}, "--head", head), "a cut at the end", f, i+1)
			continue
		}
		k := random.IntN(len(l.files[f+1]))
		across := map[int][][]byte{f: replaced(lines, i, l.files[f+1][k]), f + 1: replaced(l.files[f+1], k, lines[i])}
		l.requireFound(t, l.with(t, across), "a swap across files", f, i)
		cut := l.with(t, map[int][][]byte{f: lines[:i+1]})
		require.Equal(t, exitFindings, cut.code, "the end of an old file")
		require.Contains(t, cut.err, "damaged at ")
		moved := map[int][][]byte{f: lines[:i+1], f + 1: append(slices.Clone(lines[i+1:]), l.files[f+1]...)}
		require.Equal(t, exitFindings, l.with(t, moved).code, "entries moved to the next file")
	}
	require.Zero(t, l.verify(t, "--head", head).code)
}

// replaced has lines in the place of one.
func replaced(lines [][]byte, i int, with ...[]byte) [][]byte {
	return slices.Concat(lines[:i], with, lines[i+1:])
}

// Whole files that are taken off the end leave a log that is whole: only a head
// shows it, and the state where it names an entry that is gone.
func TestINV3_AHeadShowsFilesThatWereTakenOffTheEnd(t *testing.T) {
	l := newRotatedLog(t)
	head := strings.Fields(runAudit(t.Context(), "head", "--state-dir", l.dir).out)[0]
	for len(l.names) > 1 {
		last := len(l.names) - 1
		require.NoError(t, os.Rename(filepath.Join(l.dir, l.names[last-1]), filepath.Join(l.dir, audit.FileName)))
		l.names = l.names[:last]
		require.Zero(t, l.verify(t).code, "what is left is whole")
		run := l.verify(t, "--head", head)
		require.Equal(t, exitFindings, run.code)
		require.Contains(t, run.err, "and it had "+strings.Split(head, ":")[0])
	}
}
