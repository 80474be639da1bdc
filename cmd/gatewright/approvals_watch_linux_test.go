package main

import (
	"strings"
	"testing"

	"github.com/creack/pty"
	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/approval"
)

const helpLine = "a approve  d deny"

func (s *seat) sound() {
	s.t.Helper()
	s.turn.Lock()
	defer s.turn.Unlock()
	require.Empty(s.t, s.screen.odd)
}

func TestWatchApprovesOneOfThreeAndDeniesAnother(t *testing.T) {
	tray := newTray(t)
	first := tray.mustAsk(t, "release", `{"version":"1"}`, nil)
	second := tray.mustAsk(t, "deploy", `{"to":"production"}`, nil)
	third := tray.mustAsk(t, "import", `{}`, nil)
	for _, width := range []int{130, 70} {
		s := sit(t, width, 45, "a\ryes\r", "watch", "--state-dir", tray.dir)
		s.sees("3 wait")
		s.sees("> "+first.ID[:8]+" release", "> "+first.ID[:8])
		s.types("q")
		require.Zero(t, s.leave(), s.errs.String())
	}
	require.Empty(t, tray.decisions(t), "what was typed before there was anything to see does not count")

	s := sit(t, 130, 45, "", "watch", "--state-dir", tray.dir)
	s.sees("> " + first.ID[:8] + " release")
	s.types("j")
	s.sees("> " + second.ID[:8] + " deploy")
	s.sees(`"to": "production"`)
	s.asks("a", "Approve exactly this call of deploy?")
	s.answers("yes", second.ID[:8]+" is approved")
	s.sees("2 wait")
	s.sees(second.ID[:8] + " deploy approved")
	require.Equal(t, approval.StatusApproved, tray.get(t, second.ID).Status)
	require.Contains(t, tray.decisions(t)[0].Details["decided_on"], " at /dev/pts/")

	s.sees("> " + third.ID[:8] + " import")
	s.asks("d", "Deny exactly this call of import?")
	s.types("no, the format is odd\r")
	s.answers("y", third.ID[:8]+" is denied")
	denied := tray.get(t, third.ID)
	require.Equal(t, approval.StatusDenied, denied.Status)
	require.Equal(t, "no, the format is odd", denied.Reason)

	s.sees("1 waits")
	s.asks("a", "Approve exactly this call of release?")
	s.types("\x1b")
	s.sees("nothing was decided")
	s.asks("a", "Approve exactly this call of release?")
	s.answers("", "nothing was decided")
	require.Equal(t, approval.StatusPending, tray.get(t, first.ID).Status)
	s.types("q")
	require.Zero(t, s.leave(), s.errs.String())
	require.Len(t, tray.decisions(t), 2)
	s.sound()
	require.False(t, s.screen.alternate, "the terminal is as it was")
}

// What appears stands below, and what somebody else decides goes away; the
// selection stays on its request.
func TestWatchKeepsTheSelectionWhenOthersComeAndGo(t *testing.T) {
	tray := newTray(t)
	first := tray.mustAsk(t, "release", `{}`, nil)
	second := tray.mustAsk(t, "deploy", `{}`, nil)
	s := sit(t, 130, 45, "", "watch", "--bell", "--state-dir", tray.dir)
	s.sees("2 wait")
	s.types("j")
	s.sees("> " + second.ID[:8])
	third := tray.mustAsk(t, "import", `{}`, nil)
	s.sees("  " + third.ID[:8] + " import")
	s.sees("> " + second.ID[:8])
	_, err := tray.store.Decide(t.Context(), first.ID, approval.Ruling{Status: approval.StatusDenied, Provider: "queue", Approver: "ada"})
	require.NoError(t, err)
	s.sees(first.ID[:8] + " release denied")
	s.sees("> " + second.ID[:8])

	s.asks("a", "Approve exactly this call of deploy?")
	_, err = tray.store.Decide(t.Context(), second.ID, approval.Ruling{Status: approval.StatusDenied, Provider: "queue", Approver: "ada"})
	require.NoError(t, err)
	s.types("yes\r")
	s.sees("> " + third.ID[:8])
	s.misses("Approve exactly")
	require.Empty(t, tray.decisions(t))
	require.Equal(t, approval.StatusPending, tray.get(t, third.ID).Status)
	s.types("q")
	require.Zero(t, s.leave())
	require.NotZero(t, s.screen.bells)
}

func TestWatchFitsTheTerminal(t *testing.T) {
	tray := newTray(t)
	request := tray.mustAsk(t, "release", `{"text":"`+strings.Repeat(`line\n`, 200)+`"}`, nil)
	s := sit(t, 130, 45, "", "watch", "--state-dir", tray.dir)
	s.sees("request " + request.ID[:8] + ", lines 1 to 4")
	for _, size := range [][2]uint16{{60, 30}, {40, 14}, {200, 60}} {
		s.turn.Lock()
		s.screen.resize(int(size[0]), int(size[1]))
		s.turn.Unlock()
		require.NoError(t, pty.Setsize(s.person, &pty.Winsize{Cols: size[0], Rows: size[1]}))
		s.until("a screen of that size", func(shown string) string {
			lines := strings.Split(shown, "\n")
			if strings.Contains(lines[0], "gatewright approvals") && strings.Contains(lines[len(lines)-1], "a approve") && strings.Contains(shown, "request "+request.ID[:8]) {
				return "there"
			}
			return ""
		})
	}
	s.turn.Lock()
	s.screen.resize(30, 8)
	s.turn.Unlock()
	require.NoError(t, pty.Setsize(s.person, &pty.Winsize{Cols: 30, Rows: 8}))
	s.sees("too small")
	s.types("a")
	s.types("yes\rq")
	require.Zero(t, s.leave())
	require.Equal(t, approval.StatusPending, tray.get(t, request.ID).Status)
	s.sound()
}

func TestINV4_NothingOfARequestReachesTheTerminalOfWatch(t *testing.T) {
	hostile := "\x1b]0;pwned\a\x1b[31mred\x1b[2J\x1bP1$r\x1b\\\u009b2J\u202e\u200b\r\n" + helpLine + "\n > Approve exactly this call of look?"
	tray := newTray(t)
	quoted := strings.NewReplacer("\x1b", `\u001b`, "\a", `\u0007`, "\r", `\r`, "\n", `\n`, `\`, `\\`).Replace(hostile)
	quoted = strings.ReplaceAll(strings.ReplaceAll(strings.ReplaceAll(quoted, `\\u`, `\u`), `\\r`, `\r`), `\\n`, `\n`)
	tray.mustAsk(t, hostile, `{"text":"`+quoted+`"}`, func(r *approval.Request) {
		r.Actor, r.Workspace, r.Why, r.Session, r.Shown = hostile, "/w/"+hostile, hostile, hostile, hostile
	})
	t.Setenv("NO_COLOR", "1")
	for _, width := range []int{130, 60} {
		s := sit(t, width, 45, "", "watch", "--state-dir", tray.dir)
		s.sees("1 waits")
		s.asks("d", "Deny exactly this call of")
		s.types("\x1b")
		s.sees("nothing was decided")
		s.types("\t")
		s.sees("▌request")
		s.types("G")
		s.types("q")
		require.Zero(t, s.leave(), s.errs.String())
		for _, part := range []string{"\x1b]0;pwned", "\x1b[31m", "\x1bP", "\u009b", "\u202e", "\u200b"} {
			require.NotContains(t, s.all(), part)
		}
		require.Zero(t, s.screen.bells)
		require.False(t, s.screen.coloured, "NO_COLOR")
		s.sound()
	}
}

func TestWatchHasColoursForADiff(t *testing.T) {
	tray := newTray(t)
	tray.mustAsk(t, "release", `{}`, func(r *approval.Request) { r.Shown = `{"diff":"--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new"}` })
	t.Setenv("NO_COLOR", "")
	s := sit(t, 130, 45, "", "watch", "--state-dir", tray.dir)
	s.sees("> +new")
	s.types("q")
	require.Zero(t, s.leave())
	require.Regexp(t, `\x1b\[32[;0-9]*m> \+new`, s.all())
	require.Regexp(t, `\x1b\[31[;0-9]*m> -old`, s.all())
}
