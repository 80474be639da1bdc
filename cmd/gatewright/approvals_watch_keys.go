package main

import (
	tea "charm.land/bubbletea/v2"

	"github.com/gatewright/gatewright/runtime/approval"
)

// key does what a key says. Only those of the keyboard count.
func (w *watching) key(pressed tea.KeyPressMsg) tea.Cmd {
	name := pressed.String()
	if name == "ctrl+c" {
		return tea.Quit
	}
	if w.reads(name) {
		return nil
	}
	w.notice = ""
	if w.confirming != nil {
		return w.answer(name, pressed.Text)
	}
	switch name {
	case "q":
		return tea.Quit
	case "tab", "shift+tab":
		w.focus = queuePane + requestPane - w.focus
	case "n":
		return w.step(1)
	case "p":
		return w.step(-1)
	case "j", "down":
		return w.move(1)
	case "k", "up":
		return w.move(-1)
	case "a":
		w.ask(approval.StatusApproved)
	case "d":
		w.ask(approval.StatusDenied)
	}
	return nil
}

// reads moves through the request, and can do so while a question is asked.
func (w *watching) reads(name string) bool {
	page := max(1, w.cardHeight()-1)
	switch name {
	case "pgdown":
		w.scroll += page
	case "pgup":
		w.scroll -= page
	case "space", "b", "g", "home", "G", "end":
		if w.confirming != nil {
			return false // these are text
		}
		switch name {
		case "space":
			w.scroll += page
		case "b":
			w.scroll -= page
		case "g", "home":
			w.toEnd(false)
		default:
			w.toEnd(true)
		}
	default:
		return false
	}
	return true
}

func (w *watching) toEnd(last bool) {
	switch {
	case w.focus == requestPane && last:
		w.scroll = len(w.cardLines())
	case w.focus == requestPane:
		w.scroll = 0
	case len(w.waiting) > 0 && last:
		w.choose(w.waiting[len(w.waiting)-1].key())
	case len(w.waiting) > 0:
		w.choose(w.waiting[0].key())
	}
}

func (w *watching) move(by int) tea.Cmd {
	if w.focus == requestPane {
		w.scroll += by
		return nil
	}
	return w.step(by)
}

// step selects another request of the queue.
func (w *watching) step(by int) tea.Cmd {
	if at := findItem(w.waiting, w.selected); at >= 0 {
		w.choose(w.waiting[min(max(at+by, 0), len(w.waiting)-1)].key())
	}
	return nil
}

// keepInView keeps the scroll within the card and the selection within the
// queue, and notes what of the card has been on the screen. It counts from the
// first line without a gap: what was jumped over was not seen.
func (w *watching) keepInView() {
	if w.tooSmall() {
		return
	}
	lines, height := len(w.cardLines()), w.cardHeight()
	w.scroll = max(0, min(w.scroll, lines-height))
	if w.scroll <= w.seen[w.selected] && lines > 0 {
		w.seen[w.selected] = max(w.seen[w.selected], min(lines, w.scroll+height))
	}
	at, rows := max(0, findItem(w.waiting, w.selected)), w.queueRows()
	w.top = max(0, min(w.top, at, len(w.waiting)-1))
	if at >= w.top+rows {
		w.top = at - rows + 1
	}
}

// unseen is how many lines of the selected card have not been on the screen.
func (w *watching) unseen() int { return max(0, len(w.cardLines())-w.seen[w.selected]) }
