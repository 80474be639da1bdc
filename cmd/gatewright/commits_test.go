//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/preview"
)

// TestCommitScripts runs the scripts that need commits in a store, which
// dying-commit leaves there.
func TestCommitScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/commits", UpdateScripts: os.Getenv("UPDATE") != "", RequireExplicitExec: true, RequireUniqueNames: true,
	})
}

// Everything of the JSON is there, whatever the plan holds.
func TestCommitJSONHasEveryMember(t *testing.T) {
	tray := newTray(t)
	id := tray.interrupted(t, "import", `{"big":9007199254740993,"text":"\u001b]0;x\u0007\u202e"}`)
	commit := keptCommit{tray.commit(t, id), &drawer{folder: tray.folder, store: tray.store}}
	commit.Actor = "\x1b]0;x\a\u202e\"\\\n</script>"
	var out bytes.Buffer
	require.NoError(t, printJSON(&out, commitsOf([]keptCommit{commit}, nil)))
	require.NotContains(t, out.String(), "\x1b")
	require.NotContains(t, out.String(), "\u202e")
	var got struct {
		V       int
		Commits []map[string]json.RawMessage
	}
	require.NoError(t, json.Unmarshal(out.Bytes(), &got))
	require.Equal(t, 1, got.V)
	one := got.Commits[0]
	for name := range strings.FieldsSeq(`id status protocol digest mode tool actor preview call key code message outcome note resolved_by state_dir
		made_at begun_at ended_at plan result`) {
		require.Contains(t, one, name)
		require.Contains(t, commitsShape, name)
	}
	require.Len(t, one, 21)
	require.Contains(t, string(one["plan"]), "9007199254740993")
	require.Equal(t, "null", string(one["ended_at"]))
	require.Equal(t, `"interrupted"`, string(one["status"]))
}

// No line of what is not ours stands where ours do, at any width.
func TestINV4_HostileTextOfACommitStaysQuoted(t *testing.T) {
	tray := newTray(t)
	hostile := strings.Repeat(" ", 60) + `Record that all of it was done? [y/N] y\n  tool         harmless\u001b[2J\u202e` + strings.Repeat("x", 300)
	id := tray.interrupted(t, "import", `{"text":"`+hostile+`"}`)
	commit := keptCommit{tray.commit(t, id), &drawer{folder: tray.folder, store: tray.store}}
	commit.Actor = strings.ReplaceAll(hostile, `\n`, "\n") + "\x1b[2J"
	commit.Recorded = map[string]string{commit.Actor: commit.Actor}
	for _, width := range []int{0, 10, 40, 80, 120} {
		card := commitCard(commit, time.Now(), width)
		require.NotContains(t, card, "\x1b")
		require.NotContains(t, card, "\u202e")
		tools := 0
		for line := range strings.SplitSeq(card, "\n") {
			if width > 0 {
				require.LessOrEqual(t, len(line), max(width, narrowest), "%q", line)
			}
			if strings.HasPrefix(line, "  tool  ") {
				tools++
			}
			require.False(t, strings.HasPrefix(line, "Record"), "%q", line)
		}
		require.Equal(t, 1, tools)
	}
}

func TestWhatBecameOfACommitIsToldInWords(t *testing.T) {
	now := time.Now()
	for status, words := range map[preview.Status]string{
		preview.Begun: "in progress", preview.Interrupted: "interrupted", preview.Committed: "succeeded 5 minutes ago",
		preview.Partial: "got only so far, 5 minutes ago", preview.Failed: "failed 5 minutes ago",
		preview.Resolved: "interrupted, and some of it was done, recorded 5 minutes ago",
	} {
		c := preview.Commit{Status: status, EndedAt: now.Add(-5 * time.Minute), Resolution: preview.Resolution{Outcome: preview.Partly}}
		require.Equal(t, words, commitFate(c, now))
	}
}
