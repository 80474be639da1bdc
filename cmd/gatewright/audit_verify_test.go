package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/audit"
	"github.com/gatewright/gatewright/runtime/gate"
	"github.com/gatewright/gatewright/runtime/state"
)

func (j *journal) verify(tb testing.TB, more ...string) auditRun {
	tb.Helper()
	return runAudit(tb.Context(), append([]string{"verify", "--state-dir", j.dir}, more...)...)
}

func (j *journal) write(tb testing.TB, parts ...[]byte) {
	tb.Helper()
	require.NoError(tb, os.WriteFile(filepath.Join(j.dir, audit.FileName), bytes.Join(parts, nil), 0o600))
}

func TestINV3_VerifyFindsWhateverWasDoneToTheLog(t *testing.T) {
	j := newJournal(t)
	require.NoError(t, j.fill(t.Context(), 1000))
	text := j.content(t)
	starts := []int{0}
	for i, b := range text {
		if b == '\n' {
			starts = append(starts, i+1)
		}
	}
	lines := len(starts) - 1
	require.GreaterOrEqual(t, lines, 1000)
	head := strings.Fields(runAudit(t.Context(), "head", "--state-dir", j.dir).out)[0]
	require.Zero(t, j.verify(t, "--head", head).code)
	line := func(i int) []byte { return text[starts[i]:starts[i+1]] }
	random := rand.New(rand.NewPCG(5, 6))
	found := func(what string, line, offset int, with ...string) {
		t.Helper()
		run := j.verify(t, with...)
		require.Equal(t, exitFindings, run.code, what)
		require.Contains(t, run.err, fmt.Sprintf("damaged at line %d (byte %d): ", line, offset), what)
		require.Contains(t, run.out, "damaged    after ", what)
	}
	for range 60 {
		at := random.IntN(len(text))
		changed := slices.Clone(text)
		changed[at] ^= 1 << random.IntN(8)
		j.write(t, changed)
		i, exact := slices.BinarySearch(starts, at)
		if !exact {
			i--
		}
		found("a bit", i+1, starts[i])
	}
	for range 12 {
		i := random.IntN(lines - 2)
		k := i + 1 + random.IntN(lines-2-i)
		j.write(t, text[:starts[i]], text[starts[i+1]:])
		found("a deletion", i+1, starts[i])
		j.write(t, text[:starts[i]], line(k), text[starts[i+1]:starts[k]], line(i), text[starts[k+1]:])
		found("a swap", i+1, starts[i])
		j.write(t, text[:starts[i+1]], line(i), text[starts[i+1]:])
		found("a repetition", i+2, starts[i+1])
		j.write(t, text[:starts[i]+1+random.IntN(len(line(i))-1)])
		found("a cut within a line", i+1, starts[i])
		j.write(t, text[:starts[k]])
		require.Zero(t, j.verify(t).code, "whole lines that are cut off do not show by themselves")
		found("a cut between lines", k+1, starts[k], "--head", head)
	}
	other := newJournal(t)
	other.at = other.at.Add(1)
	require.NoError(t, other.fill(t.Context(), 1010))
	j.write(t, other.content(t))
	require.Equal(t, exitFindings, j.verify(t, "--head", head).code, "the log was written anew")
	j.write(t, text)
	require.Zero(t, j.verify(t, "--head", head).code)
}

func TestVerifyHoldsTheStateAgainstTheLog(t *testing.T) {
	j := newJournal(t)
	require.NoError(t, j.fill(t.Context(), 50))
	path := filepath.Join(j.dir, state.FileName)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	for old, changed := range map[string]string{
		trayDigest:       strings.Replace(trayDigest, "1", "2", 1),
		`"seq":1`:        `"seq":2`,
		`"offset":0`:     `"offset":7`,
		`"hash":"`:       `"hash":"0`,
		`{`:              ``,
		`"protocol":"n`:  `"protocol":"`,
		`"set_by":{"seq`: `"pending":{"digest":"x","seq":9,"offset":9},"set_by":{"seq`,
	} {
		made := strings.Replace(string(text), old, changed, 1)
		if old == `"hash":"` {
			made = made[:len(made)-len("0\"}}\n")] + "\"}}\n"
		}
		require.NotEqual(t, string(text), made, old)
		require.NoError(t, os.WriteFile(path, []byte(made), 0o600))
		run := j.verify(t)
		if strings.Contains(changed, "pending") {
			require.Zero(t, run.code, "an adoption that was interrupted is no damage: %s", run.err)
			continue
		}
		require.Equal(t, exitFindings, run.code, "%s: %s", old, run.err)
	}
	require.NoError(t, os.Remove(path))
	require.Equal(t, exitFailed, j.verify(t).code, "whose log it is cannot be told")
	require.Zero(t, j.verify(t, "--protocol", "notes", "--workspace", t.TempDir()).code, "the next server makes the file again")
	require.NoError(t, os.WriteFile(path, text, 0o600))
	require.Equal(t, exitFailed, j.verify(t, "--protocol", "others").code)

	// A state of before an adoption is one of a log that was there then.
	require.NoError(t, audit.Adopt(t.Context(), j.folder, audit.Adoption{Protocol: "notes", From: trayDigest, To: textDigest, Text: "text"}))
	require.Zero(t, j.verify(t).code)
	require.NoError(t, os.WriteFile(path, text, 0o600))
	run := j.verify(t)
	require.Equal(t, exitFindings, run.code)
	require.Contains(t, run.err, "put another protocol in force since")
}

const textDigest = "sha256:982d9e3eb996f559e633f4d194def3761d909f5a3b647d1a851fead67c32c9d1" // of "text"

func TestVerifyFindsApprovalsThatDoNotFit(t *testing.T) {
	j := newJournal(t)
	ctx := t.Context()
	require.NoError(t, j.approve(ctx, "GOOD"))
	require.Contains(t, j.verify(t, "--strict").out, "findings   0\n")
	approved := func(id string) func(call, result *gate.Entry) {
		return func(call, _ *gate.Entry) { call.Approval = &gate.Approval{ID: id, Decision: "approved"} }
	}
	_, err := j.call(ctx, "review", "publish", approved("GOOD"))
	require.NoError(t, err)
	_, err = j.call(ctx, "review", "publish", approved("\x1b[2JNEVER"))
	require.NoError(t, err)
	denied := gate.Entry{Event: gate.ApprovalDecision, Mode: "review", Tool: "publish", CallID: "x", Approval: &gate.Approval{ID: "DENIED", Decision: "denied"}}
	require.NoError(t, j.record(ctx, denied))
	_, err = j.call(ctx, "review", "publish", approved("DENIED"))
	require.NoError(t, err)
	_, err = j.call(ctx, "review", "publish", func(call, result *gate.Entry) { // one that was refused used nothing
		refused(gate.ApprovalDenied)(call, result)
		call.Approval = &gate.Approval{ID: "DENIED", Decision: "denied"}
	})
	require.NoError(t, err)
	_, err = j.call(ctx, "plan", "edit", func(_, result *gate.Entry) { result.Event = "" })
	require.NoError(t, err)

	run := j.verify(t)
	require.Zero(t, run.code)
	require.Contains(t, run.out, "findings   3\n")
	require.Contains(t, run.out, `entry 6: approval "GOOD" was used by entry 4 already`)
	require.Contains(t, run.out, `entry 8: a call ran with approval "\x1b[2JNEVER", and no entry before it says that it was given`)
	require.Contains(t, run.out, `entry 11: a call ran with approval "DENIED"`)
	require.Contains(t, run.out, "open       1 call was admitted and had no result yet\n")
	require.Contains(t, run.out, "entry 14, 2026-03-01T09:00:19Z: read edit in mode plan, call 000006CALL")
	require.Equal(t, exitFindings, j.verify(t, "--strict").code)

	run = j.verify(t, "--json")
	require.Zero(t, run.code)
	var got verifiedJSON
	require.NoError(t, json.Unmarshal([]byte(run.out), &got))
	require.True(t, got.Whole)
	require.Len(t, got.Findings, 3)
	require.Len(t, got.Open, 1)
	require.EqualValues(t, 4, got.Approved)
	require.EqualValues(t, 14, got.Head.Seq)
	members := map[string]any{}
	require.NoError(t, json.Unmarshal([]byte(run.out), &members))
	for name := range members {
		require.Contains(t, verifyShape, name)
	}
	j.write(t, j.content(t)[1:])
	run = j.verify(t, "--json")
	require.Equal(t, exitFindings, run.code)
	require.NoError(t, json.Unmarshal([]byte(run.out), &got))
	require.False(t, got.Whole)
	require.EqualValues(t, 1, got.Damage.Line)
	require.NotEmpty(t, got.Problem)
}

func TestVerifyFindsCallsThatDoNotFit(t *testing.T) {
	j := newJournal(t)
	ctx := t.Context()
	entry := func(event gate.Event, id, tool string) gate.Entry {
		e := gate.Entry{Event: event, Mode: "plan", Tool: tool, CallID: id, Actor: "ci-bot"}
		if event == gate.ToolCall {
			e.Decision = gate.Admitted
			return e
		}
		e.Outcome = gate.Succeeded
		return e
	}
	again := entry(gate.ToolCall, "ONE", "look")
	again.Decision, again.Code = gate.Refused, gate.ApprovalUsed
	undone := entry(gate.ToolCall, "TWO", "look")
	undone.Decision, undone.Code = gate.Refused, gate.Internal
	elsewhere := entry(gate.ToolResult, "THREE", "look")
	elsewhere.Mode = "review"
	for _, e := range []gate.Entry{
		entry(gate.ToolCall, "ONE", "look"), again, entry(gate.ToolResult, "ONE", "look"), // the request came again meanwhile
		entry(gate.ToolCall, "TWO", "look"), undone,
	} {
		require.NoError(t, j.record(ctx, e))
	}
	run := j.verify(t, "--strict")
	require.Zero(t, run.code, run.out)
	require.Contains(t, run.out, "open       0 calls")
	for _, e := range []gate.Entry{
		entry(gate.ToolResult, "ONE", "look"), entry(gate.ToolCall, "THREE", "look"), elsewhere,
		entry(gate.ToolCall, "FOUR", "look"), entry(gate.ToolCall, "FOUR", "look"), entry(gate.ToolResult, "FOUR", "edit"),
	} {
		require.NoError(t, j.record(ctx, e))
	}
	run = j.verify(t)
	require.Zero(t, run.code, run.err)
	for _, line := range []string{
		"findings   4\n",
		`entry 7: call "ONE" has a result, and no open call before it`,
		`entry 9: call "THREE" has a result of another mode or tool than entry 8 admitted`,
		`entry 11: call "FOUR" was admitted by entry 10 already, and is open`,
		`entry 12: call "FOUR" has a result of another mode or tool than entry 11 admitted`,
	} {
		require.Contains(t, run.out, line)
	}
	require.Equal(t, exitFindings, j.verify(t, "--strict").code)
}

func TestVerifyCannotDoItsWork(t *testing.T) {
	j := newJournal(t)
	for _, args := range [][]string{
		{"--head", "nonsense"}, {"--head", "0:" + strings.Repeat("0", 64)}, {"--head", t.TempDir()}, {"--anchor", "a"}, {"--verifier", "v"},
		{"--anchor", filepath.Join(t.TempDir(), "none"), "--verifier", "v"}, {"more"}, {"--workspace", "/none", "--state-dir", ""},
		{"--state-dir", filepath.Join(t.TempDir(), "none")},
	} {
		require.Equal(t, exitFailed, j.verify(t, args...).code, args)
	}
	require.NoError(t, os.Remove(filepath.Join(j.dir, audit.FileName)))
	run := j.verify(t)
	require.Equal(t, exitFailed, run.code)
	require.Contains(t, run.err, "there is no audit log in ")
	for _, command := range [][]string{{"show"}, {"show", "--follow"}, {"head"}, {"rotate"}} {
		run := runAudit(t.Context(), append(command, "--state-dir", j.dir)...)
		require.Equal(t, exitFailed, run.code, command)
		require.Contains(t, run.err, "there is no audit log in ", command)
	}
}
