package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/approval"
	"github.com/gatewright/gatewright/runtime/audit"
	"github.com/gatewright/gatewright/runtime/gate"
	"github.com/gatewright/gatewright/runtime/state"
)

func (j *journal) show(tb testing.TB, more ...string) auditRun {
	tb.Helper()
	return runAudit(tb.Context(), append([]string{"show", "--state-dir", j.dir}, more...)...)
}

// jsonEntries reads what --json printed.
func jsonEntries(tb testing.TB, out string) []audit.Entry {
	tb.Helper()
	var all []audit.Entry
	for line := range strings.Lines(out) {
		var entry audit.Entry
		require.NoError(tb, json.Unmarshal([]byte(line), &entry))
		all = append(all, entry)
	}
	return all
}

func TestShowFilters(t *testing.T) {
	j := newJournal(t)
	require.NoError(t, j.fill(t.Context(), 400))
	all := jsonEntries(t, j.show(t, "--json").out)
	require.Equal(t, string(j.content(t)), j.show(t, "--json").out)
	late := all[300].Time.Format(time.RFC3339Nano)
	for _, c := range []struct {
		args []string
		fits func(e *audit.Entry) bool
	}{
		{[]string{"--mode", "plan"}, func(e *audit.Entry) bool { return e.Mode == "plan" }},
		{[]string{"--mode", "plan,review"}, func(e *audit.Entry) bool { return e.Mode != "implement" }},
		{[]string{"--mode", "plan", "--mode", "review"}, func(e *audit.Entry) bool { return e.Mode != "implement" }},
		{[]string{"--mode", "review", "--tool", "publish"}, func(e *audit.Entry) bool { return e.Mode == "review" && e.Tool == "publish" }},
		{[]string{"--event", "approval_decision"}, func(e *audit.Entry) bool { return e.Event == gate.ApprovalDecision }},
		{[]string{"--code", "TOOL_NOT_IN_MODE"}, func(e *audit.Entry) bool { return e.Code == gate.ToolNotInMode }},
		{[]string{"--decision", "refused"}, func(e *audit.Entry) bool { return e.Decision == gate.Refused }},
		{[]string{"--decision", "approved", "--event", "approval_decision"}, func(e *audit.Entry) bool { return e.Event == gate.ApprovalDecision }},
		{[]string{"--call", "000007"}, func(e *audit.Entry) bool { return e.Call == "000007CALL" }},
		{[]string{"--actor", "ci-bot"}, func(e *audit.Entry) bool { return e.Actor == "ci-bot" }},
		{[]string{"--actor", "ci-bot,nobody"}, func(*audit.Entry) bool { return false }},
		{[]string{"--actor", "nobody", "--actor", "ci-bot"}, func(e *audit.Entry) bool { return e.Actor == "ci-bot" }},
		{[]string{"--since", late}, func(e *audit.Entry) bool { return e.Seq > 300 }},
		{[]string{"--until", late}, func(e *audit.Entry) bool { return e.Seq <= 301 }},
		{[]string{"--actor", "nobody"}, func(*audit.Entry) bool { return false }},
		{[]string{"--last", "7"}, func(e *audit.Entry) bool { return e.Seq > uint64(len(all)-7) }},
		{[]string{"--last", "100000"}, func(*audit.Entry) bool { return true }},
	} {
		var wanted []audit.Entry
		for i := range all {
			if c.fits(&all[i]) {
				wanted = append(wanted, all[i])
			}
		}
		run := j.show(t, append(c.args, "--json")...)
		require.Zero(t, run.code, run.err)
		require.Equal(t, wanted, jsonEntries(t, run.out), c.args)
		if len(wanted) > 0 {
			require.Len(t, strings.Split(strings.TrimSpace(j.show(t, c.args...).out), "\n"), len(wanted)+1, c.args)
		}
	}
	for _, args := range [][]string{{"--since", "yesterday"}, {"--until", "-5m"}, {"--call", "short"}, {"--last", "x"}, {"--last", "-1"}, {"--since", "99999999d"}} {
		require.Equal(t, exitFailed, j.show(t, args...).code, args)
	}
}

func TestShowReadsTimesAndSpans(t *testing.T) {
	now := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	for text, wanted := range map[string]time.Time{
		"":                          {},
		"90m":                       now.Add(-90 * time.Minute),
		"7d":                        time.Date(2026, 3, 3, 12, 0, 0, 0, time.UTC),
		"2026-03-01T10:00:00+01:00": time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC),
	} {
		at, err := timeBack("since", text, now)
		require.NoError(t, err, text)
		require.True(t, wanted.Equal(at), text)
	}
}

func TestShowIsAligned(t *testing.T) {
	j := newJournal(t)
	require.NoError(t, j.fill(t.Context(), 300))
	_, err := j.call(t.Context(), "plan", "看", nil)
	require.NoError(t, err)
	out := j.show(t).out
	require.NotContains(t, out, "\x1b")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	column := strings.Index(lines[0], "EVENT")
	for _, line := range lines[1:] {
		event := line[column:]
		require.True(t, strings.HasPrefix(event, "tool_") || strings.HasPrefix(event, "approval_") || strings.HasPrefix(event, "protocol_"), line)
	}
	require.Contains(t, out, "  refused TOOL_NOT_IN_MODE\n")
	require.Contains(t, out, "  failed HANDLER_FAILED\n")

	var coloured bytes.Buffer
	table := newLogTable(&coloured, true)
	entry := audit.Entry{Seq: 1, Decision: gate.Refused, Code: gate.UnknownTool}
	require.NoError(t, table.put(&entry, nil))
	require.NoError(t, table.flush())
	require.Contains(t, coloured.String(), "\x1b[31m1    0001-01-01T")
	require.Equal(t, 4, strings.Count(coloured.String(), "\x1b["))
}

func TestShowSaysWhereTheLogIsDamagedAfterWhatIsSound(t *testing.T) {
	j := newJournal(t)
	require.NoError(t, j.fill(t.Context(), 100))
	text := j.content(t)
	lines := bytes.SplitAfter(text, []byte("\n"))
	bad := bytes.Clone(lines[60])
	bad[50] ^= 1
	j.write(t, bytes.Join(lines[:60], nil), bad, bytes.Join(lines[61:], nil))
	for _, args := range [][]string{{"--json"}, {}} {
		run := j.show(t, args...)
		require.Equal(t, exitFindings, run.code)
		require.Contains(t, run.err, "damaged at line 61 (byte ")
		require.Contains(t, run.out, lastField(lines[59]))
		require.NotContains(t, run.out, lastField(lines[61]))
	}
	require.Len(t, jsonEntries(t, j.show(t, "--json").out), 60)
	run := runAudit(t.Context(), "who", "--state-dir", j.dir, "000007CALL")
	require.Equal(t, exitFindings, run.code)
	require.Contains(t, run.out, "call       000007CALL")
	require.Contains(t, run.err, "damaged at line 61")
}

// lastField is something of a line that is in both forms: its time.
func lastField(line []byte) string {
	_, after, _ := strings.Cut(string(line), `"time":"`)
	return after[:len("2026-03-01T09:00:00")]
}

// hostile is text that does harm wherever it is not taken for text.
const hostile = "\x1b]0;x\a\x1b[2J\u202e\u0085\r\n7  2026-03-01T09:00:00.000Z  plan  forged</script><script>alert(1)</script><img src=x onerror=alert(1)>\"'`{{.}}${x}\\\u2028\u200b\x00\xff"

func hostileJournal(t testing.TB) *journal {
	t.Helper()
	j := newJournal(t)
	_, err := j.call(t.Context(), "plan", hostile, func(call, result *gate.Entry) {
		for _, e := range []*gate.Entry{call, result} {
			e.CallID, e.Actor, e.Session, e.Args, e.Plan, e.Outcome, e.Code = "call"+hostile, hostile, hostile, hostile, hostile, hostile, gate.Code(hostile)
			e.Recorded = map[string]string{hostile: hostile}
			e.Approval = &gate.Approval{ID: hostile, Provider: hostile, Approver: hostile, Decision: hostile, Reason: hostile, ExpiresAt: hostile, Waited: hostile}
		}
	})
	require.NoError(t, err)
	require.NoError(t, j.logs["plan"].Note(t.Context(), gate.Event(hostile), map[string]string{hostile: hostile}))
	require.NoError(t, audit.Enter(t.Context(), j.folder, gate.Entry{Event: "e", Protocol: "notes", Digest: hostile, Mode: hostile, Decision: hostile}, nil))
	return j
}

// requireTame holds that a terminal would do nothing but show the text.
func requireTame(t testing.TB, text string) {
	t.Helper()
	for _, r := range text {
		require.True(t, r == '\n' || unicode.IsPrint(r), "%q in %q", r, text)
	}
	require.Equal(t, approval.Visible(text), text)
}

func TestINV4_HostileTextStaysTextInATerminal(t *testing.T) {
	j := hostileJournal(t)
	run := j.show(t)
	require.Zero(t, run.code, run.err)
	requireTame(t, run.out)
	lines := strings.Split(strings.TrimSpace(run.out), "\n")
	require.Len(t, lines, 1+5)
	for i, line := range lines[1:] {
		require.True(t, strings.HasPrefix(line, strconv.Itoa(i+1)+" "), line)
	}
	run = j.show(t, "--json")
	requireTame(t, run.out)
	entries := jsonEntries(t, run.out)
	require.Len(t, entries, 5)
	require.Equal(t, strings.ToValidUTF8(hostile, "\uFFFD"), entries[1].Actor)
	run = runAudit(t.Context(), "who", "--state-dir", j.dir, "call"+hostile[:9])
	require.Zero(t, run.code, run.err)
	requireTame(t, run.out)
	require.NotContains(t, run.out, "\n7 ")
	requireTame(t, runAudit(t.Context(), "who", "--json", "--state-dir", j.dir, "call"+hostile[:9]).out)
	requireTame(t, runAudit(t.Context(), "who", "--state-dir", j.dir, hostile).err)
	requireTame(t, j.verify(t).out)
	requireTame(t, j.verify(t, "--json").out)

	path := filepath.Join(j.dir, audit.FileName)
	require.NoError(t, os.WriteFile(path, append(j.content(t), hostile+"\n"...), 0o600))
	run = j.show(t)
	require.Equal(t, exitFindings, run.code)
	requireTame(t, run.err)
	run = j.verify(t)
	require.Equal(t, exitFindings, run.code)
	requireTame(t, run.err+run.out)
}

// forgeProtocol writes the log of one entry and its state anew, as ones of
// another protocol.
func (j *journal) forgeProtocol(t *testing.T, id string) {
	t.Helper()
	const before, hash = `"protocol":"notes"`, `,"hash":"`
	text, err := os.ReadFile(filepath.Join(j.dir, state.FileName))
	require.NoError(t, err)
	line := strings.Replace(string(j.content(t)), before, `"protocol":`+id, 1)
	open, old, _ := strings.Cut(strings.TrimSuffix(line, "\"}\n"), hash)
	made := fmt.Sprintf("%x", sha256.Sum256([]byte(open+"}")))
	j.write(t, []byte(open+hash+made+"\"}\n"))
	forged := strings.Replace(strings.Replace(string(text), before, `"protocol":`+id, 1), old, made, 1)
	require.NoError(t, os.WriteFile(filepath.Join(j.dir, state.FileName), []byte(forged), 0o600))
}

// The id of the protocol is what the folder says it is.
func TestINV4_AHostileProtocolIdStaysText(t *testing.T) {
	j := newJournal(t)
	j.forgeProtocol(t, `"notes\u000a\u202eseq 7</title><script>alert(1)</script>\u001b[2J"`)
	at := func(args ...string) auditRun { return runAudit(t.Context(), append(args, "--state-dir", j.dir)...) }
	for _, args := range [][]string{{"verify"}, {"verify", "--json"}, {"head"}, {"head", "--json"}, {"show"}, {"show", "--json"}, {"rotate"}} {
		run := at(args...)
		require.Zero(t, run.code, run.err)
		requireTame(t, run.out+run.err)
	}
	page := at("report", "-o", "-")
	require.Zero(t, page.code, page.err)
	require.Equal(t, 1, strings.Count(page.out, "<script"))
	require.Contains(t, page.out, "<title>Audit log of notes\n\\u202eseq 7&lt;/title&gt;&lt;script&gt;")
	for _, r := range "\u202e\x1b" {
		require.NotContains(t, page.out, string(r))
	}
	key := filepath.Join(t.TempDir(), "log.key")
	require.Zero(t, runAudit(t.Context(), "anchor", "--new-key", "me", "--key", key).code)
	signed := at("anchor", "--key", key)
	require.Equal(t, exitFailed, signed.code)
	require.Empty(t, signed.out)
	requireTame(t, signed.err)
	require.Equal(t, exitFailed, at("verify", "--protocol", "notes").code)
	requireTame(t, at("verify", "--protocol", "notes").err)
}
