package main

import (
	"strings"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"github.com/gatewright/gatewright/runtime/approval"
)

// confirming is the question that stands between a key and a decision. It is
// about the request as it was when it was asked.
type confirming struct {
	item     item
	status   approval.Status
	reason   string
	answer   string
	atAnswer bool
	busy     bool
}

const maxAnswer = 16 // bytes

// ask opens the question.
func (w *watching) ask(status approval.Status) {
	selected, ok := w.current()
	_, known := w.options[w.selected]
	switch {
	case !ok:
		w.notice = "nothing waits"
	case w.tooSmall():
		w.notice = "the terminal is too small to show what is asked about"
	case w.settlingStill():
		w.notice = "something has just moved; press the key again"
	case !known:
		w.notice = "the request is still being read; press the key again"
	default:
		w.confirming = &confirming{item: selected, status: status, atAnswer: status == approval.StatusApproved}
		w.calm()
	}
}

// answer edits what is typed, and decides on an explicit yes alone.
func (w *watching) answer(name, text string) tea.Cmd {
	c := w.confirming
	if c.busy {
		return nil
	}
	field, most := &c.reason, maxReason
	if c.atAnswer {
		field, most = &c.answer, maxAnswer
	}
	switch name {
	case "esc":
		w.leave()
	case "tab", "shift+tab", "up", "down":
		c.atAnswer = !c.atAnswer
	case "backspace":
		_, size := utf8.DecodeLastRuneInString(*field)
		*field = (*field)[:len(*field)-size]
	case "ctrl+u":
		*field = ""
	case "enter":
		return w.enter()
	default:
		if text = printable(text); len(*field)+len(text) <= most {
			*field += text
		}
	}
	return nil
}

func (w *watching) leave() {
	w.confirming, w.notice = nil, "nothing was decided"
	w.calm()
}

// enter goes from the reason to the answer, and from the answer to a decision.
func (w *watching) enter() tea.Cmd {
	c := w.confirming
	switch {
	case !c.atAnswer:
		c.atAnswer = true
		return nil
	case w.settlingStill():
		w.notice = "something has just moved; press return again"
		return nil
	case !w.consents(c):
		w.leave()
		return nil
	}
	c.busy, w.notice = true, ""
	shown, status, reason := c.item, c.status, strings.TrimSpace(c.reason)
	return func() tea.Msg {
		request, err := w.keeper.settle(shown, status, reason)
		return settledMsg{shown, request, err}
	}
}

// consents reports whether an answer is a yes. To approve what has not all been
// on the screen it has to be the whole word.
func (w *watching) consents(c *confirming) bool {
	answer := strings.ToLower(strings.TrimSpace(c.answer))
	return answer == "yes" || answer == "y" && (c.status != approval.StatusApproved || w.unseen() == 0)
}

// paste takes text for a reason. An answer is typed.
func (w *watching) paste(text string) {
	c := w.confirming
	switch {
	case c == nil || c.busy:
	case c.atAnswer:
		w.notice = "an answer is typed, not pasted"
	default:
		text = printable(strings.Join(strings.Fields(text), " "))
		if len(c.reason)+len(text) > maxReason {
			w.notice = "that is too long for a reason"
			return
		}
		c.reason += text
	}
}

// printable is what of a text can be seen.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, text)
}
