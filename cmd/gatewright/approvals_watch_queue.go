package main

import (
	"strings"
	"time"

	"github.com/gatewright/gatewright/runtime/approval"
)

const soonOver = 2 * time.Minute // less time than this is shown in the colour of a warning

// queueLines are what waits and, below, what waits no longer.
func (w *watching) queueLines() []string {
	height, width := w.queueHeight(), w.queueWidth()
	lines := []string{w.paneTitle(queuePane, w.queueTitle())}
	if len(w.waiting) == 0 && w.looked {
		lines = append(lines, styles{}.dim().Render(fit(" nothing waits for an approval", width)))
	}
	for i := w.top; i < min(len(w.waiting), w.top+w.queueRows()); i++ {
		lines = append(lines, w.queueRow(w.waiting[i])...)
	}
	history := w.historyLines()
	for len(lines) < height-len(history) {
		lines = append(lines, "")
	}
	return append(lines[:min(len(lines), height-len(history))], history...)
}

func (w *watching) queueTitle() string {
	text := "queue"
	if hidden := len(w.waiting) - w.queueRows(); hidden > 0 {
		text += ", " + plural(hidden, "more does not show", "more do not show")
	}
	return text
}

// queueRow is one request. What is cut here stands whole in the card.
func (w *watching) queueRow(i item) []string {
	r, now, width := i.request, w.now(), w.queueWidth()
	mark, style := "  ", styles{}.plain()
	if i.key() == w.selected {
		mark, style = "> ", styles{}.selected()
	}
	left := r.ExpiresAt.Sub(now)
	clock := styles{}.dim()
	if left < soonOver {
		clock = styles{}.notice()
	}
	until := compact(left) + " left"
	from := approval.CardQuote(r.Actor) + ", " + base(r)
	age := compact(now.Sub(r.AskedAt)) + " old"
	if w.wide() {
		first := mark + short(i) + " " + approval.CardQuote(r.Tool)
		return []string{
			style.Render(pad(fit(first, width-len(until)-1), width-len(until))) + clock.Render(until),
			styles{}.dim().Render(pad(fit("    "+from, width-len(age)-1), width-len(age)) + age),
		}
	}
	times := age + "  " + until
	first := mark + short(i) + " " + approval.CardQuote(r.Tool) + "  " + from
	return []string{style.Render(pad(fit(first, width-len(times)-1), width-len(times))) + clock.Render(times)}
}

// historyLines are the last ones that were decided or ran out; after a while
// they fade.
func (w *watching) historyLines() []string {
	rows, width := w.historyRows(), w.queueWidth()
	var lines []string
	if rows == 0 {
		return nil
	}
	shown := w.history
	if w.wide() {
		lines, rows = []string{styles{}.dim().Render(" before")}, rows-1
	}
	for _, each := range shown[:min(rows, len(shown))] {
		r := each.item.request
		text := fit(" "+strings.Join([]string{short(each.item), approval.CardQuote(r.Tool), approval.Fate(r, w.now())}, " "), width)
		style := styles{}.status(r.Status)
		if w.now().Sub(each.at) > fadesAfter {
			style = styles{}.dim()
		}
		lines = append(lines, style.Render(text))
	}
	return lines
}
