package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gatewright/gatewright/runtime/approval"
	"github.com/gatewright/gatewright/runtime/gate"
)

func TestApproveAtATerminal(t *testing.T) {
	tray := newTray(t)
	request := tray.mustAsk(t, "release", `{"version":"1.2.3"}`, nil)
	s := sit(t, 100, 50, "y\nyes\n", "approve", "--state-dir", tray.dir, request.ID[:8])
	s.sees("Approve it? [y/N]")
	require.Contains(t, s.text(), `  |   "version": "1.2.3"`)
	require.Equal(t, approval.StatusPending, tray.get(t, request.ID).Status, "what was typed before the question does not count")
	s.types("y\n")
	require.Zero(t, s.leave(), s.errs.String())
	require.Contains(t, s.out.String(), request.ID+" is approved: exactly that call runs, once")

	decided := tray.get(t, request.ID)
	require.Equal(t, approval.StatusApproved, decided.Status)
	require.Equal(t, approval.QueueProvider, decided.Provider)
	require.Contains(t, decided.Approver, fmt.Sprintf("(uid %d)", os.Getuid()))

	all := tray.decisions(t)
	require.Len(t, all, 1)
	require.Contains(t, all[0].Details["decided_on"], " at /dev/pts/")
	require.Contains(t, all[0].Details["decided_on"], fmt.Sprintf("(%d)", os.Getpid()), "the process that started it")
	require.Equal(t, &gate.Approval{
		ID: request.ID, Provider: "queue", Approver: decided.Approver, Decision: "approved",
		ExpiresAt: request.ExpiresAt.UTC().Format(time.RFC3339), Waited: all[0].Approval.Waited,
	}, all[0].Approval)
	waited, err := time.ParseDuration(all[0].Approval.Waited)
	require.NoError(t, err)
	require.Positive(t, waited)
	require.Equal(t, request.Call, all[0].Call)
	require.Equal(t, "ci-bot", all[0].Actor)
	require.Equal(t, "release", all[0].Tool)
}

func TestDenyAtATerminal(t *testing.T) {
	for name, given := range map[string]struct {
		args  []string
		types string
	}{
		"asked for": {nil, "the tests are missing\n"},
		"as a flag": {[]string{"--reason", "the tests are missing"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			tray := newTray(t)
			request := tray.mustAsk(t, "release", `{}`, nil)
			s := sit(t, 100, 50, "typed before\ny\n", append([]string{"deny", "--state-dir", tray.dir, request.ID}, given.args...)...)
			if given.types != "" {
				s.sees("Why? The agent reads this; a bare return gives no reason:")
				s.types(given.types)
			}
			s.sees("Deny it? [y/N]")
			s.types("yes\n")
			require.Zero(t, s.leave(), s.errs.String())
			require.Contains(t, s.out.String(), "is denied; the agent is told so")
			decided := tray.get(t, request.ID)
			require.Equal(t, approval.StatusDenied, decided.Status)
			require.Equal(t, "the tests are missing", decided.Reason)
			require.Equal(t, "the tests are missing", tray.decisions(t)[0].Approval.Reason)
		})
	}
}

func TestINV4_NothingButAYesAtTheTerminalDecides(t *testing.T) {
	tray := newTray(t)
	request := tray.mustAsk(t, "release", `{}`, nil)
	for _, command := range [][]string{{"approve"}, {"deny", "--reason", "no"}} {
		for _, answer := range []string{"\n", "n\n", "no\n", "yep\n", "approve\n", "\x04", "\x03"} {
			s := sit(t, 100, 50, "y\n", append(command, "--state-dir", tray.dir, request.ID)...)
			s.sees("it? [y/N]")
			s.types(answer)
			code := s.leave()
			require.Contains(t, []int{exitFindings, exitFailed}, code, "%q", answer)
			require.Contains(t, s.errs.String(), "nothing was decided", "%q", answer)
			require.Equal(t, approval.StatusPending, tray.get(t, request.ID).Status, "%q", answer)
		}
	}
	require.Empty(t, tray.decisions(t))
}

// Somebody else, or the time, can be faster than the person who is asked.
func TestWhatIsDecidedMeanwhileIsNotDecidedAgain(t *testing.T) {
	tray := newTray(t)
	request := tray.mustAsk(t, "release", `{}`, nil)
	s := sit(t, 100, 50, "", "approve", "--state-dir", tray.dir, request.ID)
	s.sees("Approve it? [y/N]")
	_, err := tray.store.Decide(t.Context(), request.ID, approval.Ruling{Status: approval.StatusDenied, Provider: "queue", Approver: "ada", Reason: "too early"})
	require.NoError(t, err)
	s.types("y\n")
	require.Equal(t, exitFindings, s.leave())
	require.Contains(t, s.errs.String(), `is pending no more: denied`)
	require.Contains(t, s.errs.String(), `by ada: "too early"`)
	require.Empty(t, tray.decisions(t))

	// It is said before anybody is asked, too.
	s = sit(t, 100, 50, "", "approve", "--state-dir", tray.dir, request.ID)
	require.Equal(t, exitFindings, s.leave())
	require.Contains(t, s.errs.String(), "is pending no more: denied")
	require.NotContains(t, s.all(), "[y/N]")
}

// A person at a terminal of any width sees no line of the agent's where ours
// stand, and the terminal is told nothing by it.
func TestINV4_HostileTextAtTheTerminalStaysQuoted(t *testing.T) {
	const frame = "Approve it? [y/N] y"
	tray := newTray(t)
	for _, width := range []int{40, 80, 120} {
		// A terminal that broke these lines itself would start the rest at its edge.
		edge := strings.Repeat(" ", width-len(`  |     > `)) + frame + strings.Repeat(" ", width-len(frame)) + "  tool         harmless"
		hostile := edge + "\n" + frame + "\n  tool         harmless\\u001b[2J\\u202e" + strings.Repeat("x", 300)
		actor := "\x1b[2J" + strings.Repeat(" ", width-len(`  actor        "\u001b[2J`)) + hostile
		request := tray.mustAsk(t, "release", `{"text":"`+strings.ReplaceAll(hostile, "\n", `\n`)+`\u001b]0;pwned\u0007\u001b[2J\u202e"}`,
			func(r *approval.Request) { r.Actor = actor })
		s := sit(t, width, 120, "", "approve", "--state-dir", tray.dir, request.ID)
		s.until("the question", func(shown string) string {
			lines := strings.Split(strings.TrimSpace(shown), "\n")
			if lines[len(lines)-1] == "Approve it? [y/N]" {
				return "there"
			}
			return ""
		})
		labels := 0
		for line := range strings.SplitSeq(strings.TrimSpace(s.text()), "\n") {
			if strings.HasPrefix(line, "  tool  ") {
				labels++
			}
			if strings.HasPrefix(line, "Approve") {
				require.Equal(t, "Approve it? [y/N]", line)
			}
		}
		require.Equal(t, 1, labels)
		require.NotContains(t, s.all(), "\x1b", "width %d", width)
		require.NotContains(t, s.all(), "\u202e")
		s.types("n\n")
		require.Equal(t, exitFindings, s.leave())
	}
}
