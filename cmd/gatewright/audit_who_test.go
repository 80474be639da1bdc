package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/audit"
	"github.com/gatewright/gatewright/runtime/gate"
)

func (j *journal) who(tb testing.TB, args ...string) auditRun {
	tb.Helper()
	return runAudit(tb.Context(), append([]string{"who", "--state-dir", j.dir}, args...)...)
}

func TestWhoTellsTheStoryOfACall(t *testing.T) {
	j := newJournal(t)
	require.NoError(t, j.approve(t.Context(), "0001APPROVAL"))
	require.NoError(t, j.approve(t.Context(), "0002APPROVAL"))
	require.NoError(t, j.carryOut(t.Context(), strings.Repeat("ab", 32)))
	require.NoError(t, j.carryOut(t.Context(), strings.Repeat("cd", 32)))
	_, err := j.call(t.Context(), "plan", "edit", func(_, result *gate.Entry) { result.Event = "" })
	require.NoError(t, err)

	run := j.who(t, "000001")
	require.Zero(t, run.code, run.err)
	for _, line := range []string{
		"call       000001CALL", "mode       review", "tool       publish", "actor      ci-bot", `approver   "ada (uid 7)" said approved through queue`, "session    1:2", "arguments  " + trayDigest,
		`recorded   /commit is "\"abc\""`,
		"entry 2    2026-03-01T09:00:01.5Z  somebody was asked to approve it, when it was made before as call 0001APPROVALASKED",
		"entry 3    2026-03-01T09:00:03Z  the decision: approved, when it was made before as call 0001APPROVALASKED",
		`           approver   "ada (uid 7)"`, `           reason     "looks right"`, "           waited     1m2s",
		"entry 4    2026-03-01T09:00:04.5Z  the call was admitted", "entry 5    2026-03-01T09:00:06Z  the call succeeded",
	} {
		require.Contains(t, run.out, line+"\n")
	}
	require.NotContains(t, run.out, "0002APPROVAL")

	run = j.who(t, "000004CALL")
	require.Contains(t, run.out, "plan       sha256:"+strings.Repeat("ab", 32)+"\n")
	require.Contains(t, run.out, "entry 11   2026-03-01T09:00:15Z  the preview 000003CALL of ci-bot in mode implement made the plan\n")
	require.NotContains(t, run.out, "000005")
	require.Contains(t, j.who(t, "000007").out, "open       it was admitted, and the log holds no result")

	var got struct {
		V                int
		Call             string
		Entries, Related []map[string]any
	}
	run = j.who(t, "--json", "000001CALL")
	require.NoError(t, json.Unmarshal([]byte(run.out), &got))
	require.Equal(t, "000001CALL", got.Call)
	require.Len(t, got.Entries, 2)
	require.Len(t, got.Related, 2)
}

// A person says what was done of a commit whose server was killed; from then on
// nobody has to look into it.
func TestAResolvedCommitIsNotOpen(t *testing.T) {
	j := newJournal(t)
	id, err := j.call(t.Context(), "implement", "import_commit", func(_, result *gate.Entry) { result.Event = "" })
	require.NoError(t, err)
	require.Contains(t, j.verify(t).out, "open       1 call was admitted")
	require.NoError(t, audit.Enter(t.Context(), j.folder, gate.Entry{
		Event: audit.CommitResolved, Protocol: "notes", Digest: trayDigest, Mode: "implement", Tool: "import_commit", CallID: id, Actor: "ci-bot",
		Approval: &gate.Approval{ID: "commit", Provider: "terminal", Approver: "ada (uid 7)", Decision: "partly", Reason: "half of it is there"},
	}, nil))
	require.Contains(t, j.verify(t).out, "open       0 calls were admitted")
	run := j.who(t, id)
	require.Contains(t, run.out, "somebody said what was done of it\n")
	require.Contains(t, run.out, `reason     "half of it is there"`)
	for _, never := range []string{"open ", "unlike the first entry", "approver   \"ada (uid 7)\" said"} {
		require.NotContains(t, run.out, never)
	}
}

func TestWhoWantsOneCall(t *testing.T) {
	j := newJournal(t)
	require.NoError(t, j.fill(t.Context(), 300))
	for args, said := range map[string]string{
		"00000":      "is too short for an id",
		"nobody":     "the log has no call nobody",
		"00001CALLS": "the log has no call",
		"000001CALL": "",
	} {
		run := j.who(t, args)
		if said == "" {
			require.Zero(t, run.code)
			continue
		}
		require.Equal(t, exitFindings, run.code, args)
		require.Contains(t, run.err, said)
		require.Empty(t, run.out)
	}
	// A call whose id is the start of another is meant by its whole id.
	for _, id := range []string{"SAMESTART", "SAMESTART1", "SAMESTART2"} {
		_, err := j.call(t.Context(), "plan", "look", func(call, result *gate.Entry) { call.CallID, result.CallID = id, id })
		require.NoError(t, err)
	}
	run := j.who(t, "SAMEST")
	require.Equal(t, exitFindings, run.code)
	require.Contains(t, run.err, "is the start of several calls:\n  SAMESTART  look in mode plan, entry ")
	require.Contains(t, run.err, "SAMESTART2")
	require.Contains(t, j.who(t, "SAMESTART").out, "call       SAMESTART\n")
}
