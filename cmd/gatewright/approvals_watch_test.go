package main

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gatewright/gatewright/runtime/approval"
)

// A desktop is a screen without a terminal: its clock stands still, and what it
// decides is kept.
type desktop struct {
	*watching
	t       require.TestingT
	time    time.Time
	drawer  *drawer
	fails   error
	decided []settledMsg
}

func newDesktop(t *testing.T) *desktop {
	t.Helper()
	tray := newTray(t)
	return desktopAt(t, &drawer{folder: tray.folder, store: tray.store})
}

func desktopAt(t require.TestingT, drawer *drawer) *desktop {
	d := &desktop{t: t, time: time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC), drawer: drawer}
	d.watching = newWatching(d, func() time.Time { return d.time })
	d.send(tea.WindowSizeMsg{Width: 120, Height: 40})
	return d
}

func (d *desktop) look([]item, key) sight { return sight{} }

func (d *desktop) know(item) approval.CardOptions { return approval.CardOptions{} }

func (d *desktop) settle(shown item, status approval.Status, reason string) (approval.Request, error) {
	request := shown.request
	if d.fails == nil {
		request.Status, request.Reason = status, reason
	}
	d.decided = append(d.decided, settledMsg{shown, request, d.fails})
	return request, d.fails
}

// send has the screen take a message, and a decision that it leads to.
func (d *desktop) send(msg tea.Msg) {
	_, then := d.Update(msg)
	_ = d.View()
	if c := d.confirming; c != nil && c.busy && then != nil {
		d.send(then())
	}
}

func (d *desktop) passes(time time.Duration) { d.time = d.time.Add(time) }

func (d *desktop) types(keys ...string) {
	for _, name := range keys {
		pressed, special := map[string]tea.KeyPressMsg{
			"enter": {Code: tea.KeyEnter}, "esc": {Code: tea.KeyEscape}, "tab": {Code: tea.KeyTab}, "pgdown": {Code: tea.KeyPgDown},
			"pgup": {Code: tea.KeyPgUp}, "down": {Code: tea.KeyDown}, "up": {Code: tea.KeyUp}, "backspace": {Code: tea.KeyBackspace},
		}[name]
		if !special {
			pressed = tea.KeyPressMsg{Code: rune(name[0]), Text: name}
		}
		d.send(pressed)
	}
}

// sees has the screen see these requests, with all there is to know of them.
func (d *desktop) sees(requests ...approval.Request) {
	var s sight
	for _, request := range requests {
		s.waiting = append(s.waiting, item{request, d.drawer})
	}
	d.send(sightMsg(s))
	for _, each := range s.waiting {
		d.send(knownMsg{of: each.key()})
	}
}

func (d *desktop) request(id string) approval.Request {
	return approval.Request{
		ID: id, Tool: "tool-" + id, Actor: "ci-bot", Workspace: "/w/app", Arguments: []byte(`{}`), Status: approval.StatusPending,
		AskedAt: d.time.Add(-time.Minute), ExpiresAt: d.time.Add(time.Hour),
	}
}

func TestINV4_OnlyATypedYesDecidesOnTheScreen(t *testing.T) {
	d := newDesktop(t)
	one := d.request("one11111")
	for _, answer := range [][]string{{}, {"n"}, {"y", "y"}, {"y", "e"}, {"n", "o"}, {"y", "e", "s", "!"}, {"1"}, {"a"}} {
		for _, command := range []string{"a", "d"} {
			d.sees(one)
			d.passes(time.Second)
			d.types(command)
			require.NotNil(t, d.confirming)
			d.passes(time.Second)
			if command == "d" {
				d.types("enter")
			}
			d.types(append(answer, "enter")...)
			require.Nil(t, d.confirming, "%q", answer)
			require.Empty(t, d.decided, "%q", answer)
		}
	}
	for _, leave := range []string{"esc"} {
		d.passes(time.Second)
		d.types("a", "y", "e", "s", leave, "enter")
		require.Empty(t, d.decided)
	}
	d.passes(time.Second)
	d.types("a")
	d.passes(time.Second)
	d.send(tea.PasteMsg{Content: "yes\n"})
	d.types("enter")
	require.Empty(t, d.decided, "an answer is typed")

	d.passes(time.Second)
	d.types("a", "tab", "o", "k", "x", "backspace")
	d.send(tea.PasteMsg{Content: " and\x00\nfine "})
	d.types("tab", "Y", "e", "s")
	d.passes(time.Second)
	d.types("enter")
	require.Len(t, d.decided, 1)
	require.Equal(t, approval.StatusApproved, d.decided[0].request.Status)
	require.Equal(t, "okand fine", d.decided[0].request.Reason)
	require.Equal(t, "one11111 is approved", d.notice)
}

func TestINV4_AKeyThatWasOnItsWayDecidesNothing(t *testing.T) {
	d := newDesktop(t)
	one, two := d.request("one11111"), d.request("two22222")
	d.sees(one)
	d.types("a")
	require.Nil(t, d.confirming, "just after the first has appeared")
	d.passes(settling - 1)
	d.types("a")
	require.Nil(t, d.confirming)
	d.passes(1)
	d.types("a", "y", "enter")
	require.NotNil(t, d.confirming, "just after the question has appeared")
	d.passes(settling)
	d.sees(one, two)
	d.types("enter")
	require.NotNil(t, d.confirming, "just after another has appeared")
	require.Empty(t, d.decided)
	d.passes(settling)
	d.types("enter")
	require.Len(t, d.decided, 1)
	require.Equal(t, "one11111", d.decided[0].shown.request.ID)

	d.sees(two)
	d.types("d")
	require.Nil(t, d.confirming, "just after the selection has moved by itself")
	require.Equal(t, "two22222", d.selected.id)
}

func TestTheSelectionStaysOnItsRequest(t *testing.T) {
	d := newDesktop(t)
	ids := func() (all []string) {
		for _, each := range d.waiting {
			all = append(all, each.request.ID)
		}
		return all
	}
	one, two, three, early := d.request("one11111"), d.request("two22222"), d.request("three333"), d.request("early444")
	early.AskedAt = early.AskedAt.Add(-time.Hour)
	d.sees(one, two, three)
	d.types("j")
	d.sees(early, three, two, one)
	require.Equal(t, []string{"one11111", "two22222", "three333", "early444"}, ids(), "what is there keeps its place")
	require.Equal(t, "two22222", d.selected.id)
	d.sees(one, three, early)
	require.Equal(t, "three333", d.selected.id, "the next one")
	d.sees(one)
	require.Equal(t, "one11111", d.selected.id)
	d.sees()
	require.Equal(t, key{}, d.selected)
	d.passes(time.Second)
	d.types("a", "d", "j", "k", "n", "p", "g", "G")
	require.Nil(t, d.confirming)
	d.sees(two)
	require.Equal(t, "two22222", d.selected.id)
}

func TestAQuestionIsTakenBackWhenItsRequestIsNoLongerThat(t *testing.T) {
	d := newDesktop(t)
	one, two := d.request("one11111"), d.request("two22222")
	open := func() {
		d.sees(one, two)
		d.passes(time.Second)
		d.types("g", "a")
		require.Equal(t, "one11111", d.confirming.item.request.ID)
		d.passes(time.Second)
		d.types("y", "e", "s")
	}
	open()
	asked := one
	asked.Round++
	d.sees(asked, two)
	require.NotNil(t, d.confirming, "a question put through a client changes nothing")
	shown := one
	shown.Shown = `{"diff":"x"}`
	d.sees(shown, two)
	require.Nil(t, d.confirming)
	require.Contains(t, d.notice, "one11111 has changed")
	d.types("enter")
	open()
	d.sees(two)
	require.Nil(t, d.confirming)
	require.Contains(t, d.notice, "waits no longer")
	d.types("enter")
	require.Empty(t, d.decided)
}

func TestAnApprovalOfWhatWasNotAllSeenTakesTheWholeWord(t *testing.T) {
	d := newDesktop(t)
	one := d.request("one11111")
	one.Arguments = []byte(`{"text":"` + strings.Repeat(`line\n`, 100) + `"}`)
	d.sees(one)
	d.passes(time.Second)
	d.types("tab", "G", "a") // jumped over what lies between
	require.Contains(t, d.View().Content, "lines of it have not been on the screen")
	d.passes(time.Second)
	d.types("y", "enter")
	require.Empty(t, d.decided)
	d.passes(time.Second)
	d.types("g", "pgdown", "pgdown", "pgdown", "pgdown", "pgdown", "a")
	require.NotContains(t, d.View().Content, "not been on the screen")
	d.passes(time.Second)
	d.types("y", "enter")
	require.Len(t, d.decided, 1)
}

func TestADecisionThatFailsIsTold(t *testing.T) {
	d := newDesktop(t)
	one := d.request("one11111")
	d.fails = errors.New("the log\x1b is full")
	d.sees(one)
	d.passes(time.Second)
	d.types("a")
	d.passes(time.Second)
	d.types("y", "enter")
	require.Nil(t, d.confirming)
	require.Equal(t, `"the log\u001b is full"`, d.notice)
	require.Len(t, d.waiting, 1)
	require.Empty(t, d.history)
}

func TestHistoryIsShortAndFades(t *testing.T) {
	d := newDesktop(t)
	for i := range 20 {
		gone := d.request(fmt.Sprintf("gone%04d", i))
		gone.Status, gone.DecidedAt = approval.StatusDenied, d.time
		for range 2 {
			d.send(sightMsg(sight{gone: []item{{gone, d.drawer}}}))
		}
	}
	require.Len(t, d.history, maxHistory)
	require.Contains(t, d.View().Content, "gone0019 tool-gone0019 denied")
	red := lipgloss.NewStyle().Foreground(lipgloss.Red).Render("x")
	colour, _, _ := strings.Cut(red, "x")
	require.Contains(t, d.View().Content, colour)
	d.passes(fadesAfter + time.Second)
	require.NotContains(t, d.View().Content, colour)
}

var styling = regexp.MustCompile("\x1b\\[[0-9;]*m")

// At every size, with whatever a request holds, the screen is as large as the
// terminal and holds text alone.
func TestINV4_TheScreenHoldsTextAloneAtEverySize(t *testing.T) {
	d := newDesktop(t)
	hostile := "\x1b[2J\a\u202e\u200b\r日本語\n > x " + strings.Repeat("long ", 60)
	bad := d.request(hostile)
	bad.Tool, bad.Actor, bad.Workspace, bad.Mode, bad.Why, bad.Call, bad.Session = hostile, hostile, hostile, hostile, hostile, hostile, hostile
	bad.Arguments, bad.Shown, bad.Digest, bad.By = []byte(hostile), hostile, hostile, []string{hostile}
	gone := bad
	gone.ID, gone.Status, gone.Approver, gone.Reason = "gone"+hostile, approval.StatusDenied, hostile, hostile
	d.send(sightMsg(sight{gone: []item{{gone, d.drawer}}, problems: []problem{{hostile, errors.New(hostile)}}}))
	d.sees(bad, d.request("two22222"))
	d.passes(time.Second)
	for _, width := range []int{1, 20, 39, 40, 41, 60, 80, 99, 100, 101, 130, 250} {
		for _, height := range []int{1, 5, 13, 14, 15, 20, 24, 50, 90} {
			d.send(tea.WindowSizeMsg{Width: width, Height: height})
			d.passes(time.Second)
			d.types("d", "r")
			for range 2 {
				content := d.View().Content
				lines := strings.Split(content, "\n")
				require.LessOrEqual(t, len(lines), height, "%d by %d", width, height)
				for _, line := range lines {
					line = styling.ReplaceAllString(line, "")
					require.LessOrEqual(t, lipgloss.Width(line), width, "%d by %d: %q", width, height, line)
					for _, r := range line {
						require.True(t, unicode.IsPrint(r), "%q", line)
					}
				}
				if width >= minWidth && height >= minHeight {
					require.Len(t, lines, height)
				}
				d.types("esc")
			}
		}
	}
}

// Whatever is seen and typed in whatever order: a decision is about a request
// that was on the screen, as it was there, and comes from a key that was pressed
// while nothing had moved for a while.
func TestINV4_AnyOrderOfSightsAndKeys(t *testing.T) {
	tray := newTray(t)
	drawer := &drawer{folder: tray.folder, store: tray.store}
	decided := 0
	rapid.Check(t, func(t *rapid.T) {
		d := desktopAt(t, drawer)
		all := []approval.Request{d.request("one11111"), d.request("two22222"), d.request("three333")}
		var seen []approval.Request
		var moved time.Time // when something came, or the selection went elsewhere by itself
		keys := []string{"a", "a", "d", "y", "y", "enter", "enter", "enter", "enter", "enter", "enter", "enter", "enter", "esc", "tab", "j", "k", "n", "s", "pgdown", "G"}
		d.sees(all...)
		seen, moved = all, d.time
		d.passes(settling)
		for range 40 {
			switch rapid.IntRange(0, 6).Draw(t, "kind") {
			case 0:
				before, selected := len(d.waiting), d.selected
				var next []approval.Request
				for _, request := range all {
					if rapid.Bool().Draw(t, "waits") {
						request.Reason = rapid.SampledFrom([]string{"", "", "", "changed"}).Draw(t, "state")
						next = append(next, request)
					}
				}
				known := map[string]bool{}
				for _, each := range d.waiting {
					known[each.request.ID] = true
				}
				d.sees(next...)
				seen = next
				for _, request := range next {
					if !known[request.ID] {
						moved = d.time
					}
				}
				if before > 0 && selected != d.selected {
					moved = d.time
				}
			case 1:
				d.passes(rapid.SampledFrom([]time.Duration{time.Millisecond, 299 * time.Millisecond, 300 * time.Millisecond, time.Second}).Draw(t, "time"))
			case 3: // somebody who means it
				if len(d.waiting) == 0 {
					d.sees(all...)
					seen, moved = all, d.time
				}
				d.passes(rapid.SampledFrom([]time.Duration{settling - 1, settling}).Draw(t, "time"))
				d.types("esc", rapid.SampledFrom([]string{"a", "d"}).Draw(t, "command"))
				if d.confirming != nil && !d.confirming.atAnswer {
					d.types("tab")
				}
				d.types("y")
				d.passes(rapid.SampledFrom([]time.Duration{time.Millisecond, settling - 1, settling}).Draw(t, "time"))
			default:
				count, selected := len(d.decided), d.selected
				name := rapid.SampledFrom(keys).Draw(t, "key")
				d.types(name)
				if len(d.decided) == count {
					continue
				}
				decided++
				shown := d.decided[count].shown
				require.Equal(t, "enter", name)
				require.Equal(t, selected, shown.key())
				require.GreaterOrEqual(t, d.time.Sub(moved), settling)
				require.Contains(t, seen, shown.request)
				seen = nil
				d.sees()
			}
		}
	})
	t.Logf("%d decisions", decided)
	require.NotZero(t, decided, "the control")
}

// One look leads to the next, and nothing else does: looks do not multiply.
func TestLooksDoNotMultiply(t *testing.T) {
	d := newDesktop(t)
	one := d.request("one11111")
	_, then := d.Update(sightMsg(sight{waiting: []item{{one, d.drawer}}}))
	require.NotNil(t, then)
	_, then = d.Update(knownMsg{of: d.selected})
	require.Nil(t, then)
	_, then = d.Update(settledMsg{shown: item{one, d.drawer}, request: one})
	require.Nil(t, then)
	require.Empty(t, d.waiting)
}
